"""Change the code in small ways, one at a time, and count which changes the tests notice (mutmut).

    python -m scripts.mutants [--jobs 2] [--survivors FILE] [pattern ...]
    python -m scripts.mutants --room reading --share 0.1 [--seed 0]

A pattern picks mutants by name, as in ``mvcc.cluster.*``. The work is done in a temporary copy,
where kernels run as plain Python: the compiler is off and its decorators are gone, since mutmut
leaves decorated functions alone. What is compiled only (``overload``) and properties are hence not
changed. Which files are changed and which tests are run is in ``[tool.mutmut]`` of
``pyproject.toml``.

The rooms of people's tables, in ``ROOMS``, have no kernels: one of them is changed while the
compiler is on. A share of its mutants is drawn by a seed, since all take hours. mutmut runs only
the tests that reach the changed function.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.stats import status_by_exit_code

from scripts.command import parser
from scripts.tables import ROOT

LEAST_KILLED = 0.85
_COMPILED = re.compile(r"^@(kernel|register_jitable)$", re.MULTILINE)


class Room(NamedTuple):
    """What is changed, and the tests that are to notice."""

    mutated: list[str]
    tests: list[str]


def _tests(of_tables: str, *others: str) -> list[str]:
    """Return files of `tests/tables` by their words, and others."""
    return [*(f"tests/tables/test_{name}.py" for name in of_tables.split()), *others]


ROOMS = {
    "reading": Room(
        ["mvcc/tables/reading/*.py"],
        _tests(
            "asked cluster_views columns encodings export_as_it_was given_pairs id_column limits"
            " pictures table_formats text_files together workbooks"
        ),
    ),
    "asking": Room(
        ["mvcc/tables/asking/*.py", "mvcc/tables/correcting/*.py"],
        _tests("changes corrections", "tests/cli/test_ask.py", "tests/tables/asking"),
    ),
    "fitting": Room(
        ["mvcc/tables/explaining/*.py", "mvcc/tables/fitting/*.py"],
        _tests(
            "asked clusterings comparison features jobs pictures profiles reasons",
            "tests/cli/test_cluster.py",
        ),
    ),
    "output": Room(
        ["mvcc/tables/_clustering.py", "mvcc/tables/output/*.py"],
        _tests(
            "clusterings continued export_as_it_was output_folder text_files",
            *(
                f"tests/cli/test_{name}.py"
                for name in ["compare", "export", "match", "predict_new_rows"]
            ),
        ),
    ),
}


def copy_checkout(target: Path) -> None:
    """Copy what git knows of, without results."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed += ["--", ".", ":!results"]
    names = subprocess.check_output(listed, cwd=ROOT).decode().split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def leave_uncompiled(copy: Path) -> None:
    """Take the decorators of compiled functions away."""
    for kernel in [*copy.glob("mvcc/**/_kernels.py"), *copy.glob("mvcc/**/_kernels/*.py")]:
        kernel.write_text(_COMPILED.sub("# compiled", kernel.read_text("utf-8")), "utf-8")


def choose(copy: Path, room: Room) -> None:
    """Have mutmut change a room, and run its tests."""
    path = copy / "pyproject.toml"
    text = path.read_text("utf-8")
    # a list of texts is written alike in JSON and in TOML
    lists = {"only_mutate": room.mutated, "pytest_add_cli_args_test_selection": room.tests}
    for key, values in lists.items():
        listed = re.compile(rf"^{key} = \[.*?^\]", re.MULTILINE | re.DOTALL)
        text, n = listed.subn(f"{key} = {json.dumps(values)}", text)
        assert n == 1, f"[tool.mutmut] of {path} has {n} times {key}"
    path.write_text(text, "utf-8")


def sample(copy: Path, room: Room, share: float, seed: int) -> list[str]:
    """Draw a share of the mutants of a room; the same code and seed give the same ones."""
    names = []
    for path in sorted(path for pattern in room.mutated for path in copy.glob(pattern)):
        relative = path.relative_to(copy)
        module = ".".join(relative.with_suffix("").parts)
        mutated = mutate_file_contents(str(relative), path.read_text("utf-8"))
        names += [f"{module}.{name}" for name in mutated.mutant_names]
    return sorted(random.Random(seed).sample(names, round(share * len(names))))


def environment(*, compiled: bool) -> dict[str, str]:
    """Return the environment of a run: one thread, the same order of everything at every run."""
    fixed = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    if not compiled:
        fixed["NUMBA_DISABLE_JIT"] = "1"
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | fixed


def outcomes(copy: Path) -> pd.Series:
    """Return the outcome of every mutant that was tried, by its name: killed, survived, …."""
    exit_codes = {}
    for path in sorted((copy / "mutants").rglob("*.meta")):
        exit_codes |= json.loads(path.read_text("utf-8"))["exit_code_by_key"]
    return pd.Series(exit_codes, dtype=object).dropna().map(lambda code: status_by_exit_code[code])


def summary(statuses: pd.Series) -> pd.DataFrame:
    """Count the outcomes per module; a change that ends in a timeout was noticed, too."""
    module = statuses.index.str.replace(r"\.x[_ǁ].*", "", regex=True)
    counts = pd.crosstab(module, statuses.to_numpy(), rownames=["module"], colnames=[""])
    counts.loc["total"] = counts.sum()
    mutants = counts.sum(axis=1)
    noticed = counts.reindex(columns=["killed", "timeout"], fill_value=0).sum(axis=1)
    counts.insert(0, "mutants", mutants)
    return counts.assign(**{"%": (100 * noticed / mutants).round(1)})


def changes(copy: Path, names: Sequence[str]) -> str:
    """Return the changes that mutants make, as diffs."""
    shown = [
        subprocess.run(["mutmut", "show", name], cwd=copy, capture_output=True, text=True).stdout
        for name in names
    ]
    return "\n".join(shown)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run mutmut in a copy and print its figures; fail where too few changes are noticed."""
    asked = parser(__doc__)
    add = asked.add_argument
    add("--jobs", type=int, default=2, help="processes at a time")
    add("--survivors", type=Path, help="where the changes go that no test noticed, as diffs")
    add("--room", choices=ROOMS, help="of people's tables; else what pyproject.toml names")
    add("--share", type=float, default=1.0, help="of the mutants of the room, drawn by the seed")
    add("--seed", type=int, default=0)
    add("patterns", nargs="*", help="names of mutants; all when left out")
    options = asked.parse_args(arguments)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for variable in ("MVCC_DATA", "MVCC_REFERENCE"):
        if os.environ.get(variable):
            os.environ[variable] = str(Path(os.environ[variable]).resolve())
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mvcc-mutants-") as folder:
        copy = Path(folder)
        copy_checkout(copy)
        if options.room:
            choose(copy, ROOMS[options.room])
            drawn = copy, ROOMS[options.room], options.share, options.seed
            chosen = options.patterns or sample(*drawn)
        else:
            leave_uncompiled(copy)
            chosen = options.patterns
        command = ["mutmut", "run", "--max-children", str(options.jobs), *chosen]
        fixed = environment(compiled=bool(options.room))
        done = subprocess.run(command, cwd=copy, env=fixed, capture_output=True, text=True)
        statuses = outcomes(copy)
        if done.returncode or not len(statuses):
            print(done.stdout[-5000:], done.stderr[-5000:], sep="\n", file=sys.stderr)
            return 2
        if options.survivors:
            unnoticed = statuses[statuses.isin(["survived", "no tests"])].index
            options.survivors.write_text(changes(copy, list(unnoticed)), "utf-8")
    table = summary(statuses)
    print(table.to_string())
    print(f"It took {(time.monotonic() - began) / 60:.0f} minutes.")
    return 0 if table.loc["total", "%"] >= 100 * LEAST_KILLED else 1


if __name__ == "__main__":
    sys.exit(main())
