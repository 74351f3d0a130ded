"""The golden jobs: what is given, the commands that run on it, and what they print and write."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pandas as pd
from distributed import LocalCluster

from tests.command_line import mvcc

HERE = Path(__file__).parent
TERMINAL = "terminal.txt"
WORKERS = "ADDRESS"  # in a command: where workers of dask are
# the commands of a job run one after the other in a copy of its folder `given`
COMMANDS = {
    "joint": [
        "cluster cluster.yaml --out results",
        "check results",
        "match --from results -n 8 --candidates 2 --out proposals.csv",
        "predict results --view people=new.csv --out new-labels.csv",
        "export results --out exported",
    ],
    "co_em": [
        "cluster cluster.yaml --out results --verbose",
        "check results",
        "cluster cluster.yaml --threshold 0.9 --seed 5 --no-comparison --stability-runs 0"
        " --out other --json",
        "compare results other --out changed.csv",
        "compare results other --json",
    ],
    "three_views": [
        "cluster cluster.yaml --dry-run",
        "cluster cluster.yaml --out results --json",
        "check results --json",
        "export results --out exported",
    ],
    "texts": [
        "cluster cluster.yaml --out results",
        "predict results --view notes=notes.csv --view pages=pages.csv --out again",
        "export results --out exported",
    ],
    "folder": [
        "cluster cluster.yaml --scheduler ADDRESS --out results",
        "check results",
        "predict results --view items=items --scheduler ADDRESS --out again",
    ],
    "asked": [
        "ask cluster.yaml --json -n 3",
        "ask cluster.yaml --answers answers.csv",
        "ask cluster.yaml < keys.txt",
        "ask cluster.yaml --json",
        "cluster cluster.yaml --asked asked --out results",
    ],
}


def outputs_of(job: str, folder: Path) -> dict[str, str]:
    """Run the commands of a job in an empty folder; return what they print and write."""
    shutil.copytree(HERE / job / "given", folder, dirs_exist_ok=True)
    for table in folder.glob("items/*.csv"):  # the stored files are texts, which Parquet is not
        pd.read_csv(table).to_parquet(table.with_suffix(".parquet"), index=False)
        table.unlink()
    given = files_in(folder)
    with _workers(job) as address:
        printed = [_printed(command, address, folder) for command in COMMANDS[job]]
    new = sorted(files_in(folder) - given)
    # what is stored of a Parquet file is its rows as CSV
    stored_as = {name: f"{name}.csv" if name.endswith(".parquet") else name for name in new}
    texts = {stored_as[name]: _text_of(folder / name) for name in new}
    return {
        name: normalized(text) for name, text in {TERMINAL: "\n".join(printed), **texts}.items()
    }


@contextmanager
def _workers(job: str) -> Iterator[str]:
    if job != "folder":
        yield ""
        return
    # in a thread: a process would import everything once more
    in_threads = {"processes": False, "protocol": "tcp://", "threads_per_worker": 1}
    with LocalCluster(1, dashboard_address="127.0.0.1:0", **in_threads) as workers:
        yield workers.scheduler_address


def files_in(folder: Path) -> set[str]:
    """Return the names of all files below a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _printed(command: str, address: str, folder: Path) -> str:
    words, _, keys = command.replace(WORKERS, address).partition(" < ")
    with patch("sys.stdin", io.StringIO((folder / keys).read_text("utf-8") if keys else "")):
        done = mvcc(*words.split(), cwd=folder, COLUMNS="80", NO_COLOR="1")
    parts = [f"$ mvcc {command}\n", done.stdout]
    if remarks := normalized(done.stderr):  # none where kernels are compiled, which is not always
        parts.append(f"(standard error)\n{remarks}")
    if done.returncode:
        parts.append(f"(exit code {done.returncode})\n")
    return "".join(parts)


def _text_of(path: Path) -> str:
    if path.suffix == ".skops":
        return "The model; what it computes is seen by `mvcc predict`.\n"
    if path.suffix == ".parquet":
        return pd.read_parquet(path).to_csv(index=False)
    return path.read_bytes().decode()


# what may differ from machine to machine is replaced by a marker

DIGITS = 10  # of a number; further ones depend on the processor and on versions of libraries
SMALLEST = 1e-12  # smaller numbers are rounding errors

_REPLACED = [(re.compile(pattern, re.DOTALL), marker) for pattern, marker in [
    (r"· compiling kernels \(once\)\n|compiling kernels \(once\)\n", ""),
    (r"<style>.*?</style>", "<style></style>"),
    (r"<script>.*?</script>", "<script></script>"),
    (r"'sha256-[\w+/=]+'|&#39;sha256-[\w+/=]+&#39;", "<checksum>"),
    (r"\b[0-9a-f]{64}\b", "<checksum>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\+00:00|Z)", "<time>"),
    (r"<details><summary>Versions and machine</summary>.*?</details>", "<environment>"),
    (r"tcp://127\.0\.0\.1:\d+", "ADDRESS"),
    (r'("seconds": )[\d.]+', r"\1<seconds>"),
    (r"took [\d.]+ s", "took <seconds>"),
    (r'("(?:versions|machine)": )\{[^}]*\}', r"\1<environment>"),
    (r"after [\d.,]+ s\.", "after <seconds>."),
    (r"\.\d+\.part\b", ".<process>.part"),
]]  # fmt: skip
_NUMBER = re.compile(r"-?\d+\.\d+(e[+-]?\d+)?")
_BEFORE_KEY = re.compile(r',(?= ?"[^"]*":)')


def normalized(text: str) -> str:
    """Return an output as it is stored: the same everywhere, with a line for each key of JSON."""
    for pattern, marker in _REPLACED:
        text = pattern.sub(marker, text)
    text = _NUMBER.sub(lambda found: _rounded(found[0]), text)
    return _BEFORE_KEY.sub(",\n", text)


def _rounded(number: str) -> str:
    if abs(float(number)) < SMALLEST:
        return "0.0"
    rounded = f"{float(number):.{DIGITS}g}"
    return rounded if len(rounded) < len(number) else number
