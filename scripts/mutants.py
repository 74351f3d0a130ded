"""Change the code in small ways, one at a time, and count which changes the tests notice (mutmut).

    python -m scripts.mutants [--jobs 2] [--survivors FILE] [pattern ...]

A pattern picks mutants by name, as in ``mvcc.cluster.*``. The work is done in a temporary copy, where kernels run as
plain Python: the compiler is off and its decorators are gone, since mutmut leaves decorated functions alone. What is
compiled only (``overload``) and properties are hence not changed. Which files are changed and which tests are run is
in ``[tool.mutmut]`` of ``pyproject.toml``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from mutmut.stats import status_by_exit_code

ROOT = Path(__file__).parents[1]
LEAST_KILLED = 0.85
_COMPILED = re.compile(r"^@(kernel|register_jitable)$", re.MULTILINE)


def copy_checkout(target: Path) -> None:
    """Copy what git knows of, without results, and take the decorators of compiled functions away."""
    listed = [
        "git",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        ".",
        ":!results",
    ]
    names = (
        subprocess.run(listed, cwd=ROOT, capture_output=True, check=True)
        .stdout.decode()
        .split("\0")
    )
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    for kernel in target.glob("mvcc/**/_kernels/*.py"):
        kernel.write_text(_COMPILED.sub("# compiled", kernel.read_text("utf-8")), "utf-8")


def environment() -> dict[str, str]:
    """Return the environment of a run: no compiler, one thread, the same order of everything at every run."""
    fixed = {
        "NUMBA_DISABLE_JIT": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | fixed


def outcomes(copy: Path) -> pd.Series:
    """Return what became of every mutant that was tried, by its name: killed, survived, timeout, no tests, …."""
    found = {}
    for path in sorted((copy / "mutants").rglob("*.meta")):
        codes = json.loads(path.read_text("utf-8"))["exit_code_by_key"]
        found |= {
            name: status_by_exit_code[code] for name, code in codes.items() if code is not None
        }
    return pd.Series(found, dtype=object)


def summary(found: pd.Series) -> pd.DataFrame:
    """Count the outcomes per module; a change that ends in a timeout was noticed, too."""
    module = found.index.str.replace(r"\.x[_ǁ].*", "", regex=True)
    counts = pd.crosstab(module, found.to_numpy(), rownames=["module"], colnames=[""])
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
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument(
        "--survivors", type=Path, help="where the changes go that no test noticed, as diffs"
    )
    parser.add_argument("patterns", nargs="*", help="names of mutants; all when left out")
    options = parser.parse_args(arguments)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for variable in ("MVCC_DATA", "MVCC_REFERENCE"):
        if os.environ.get(variable):
            os.environ[variable] = str(Path(os.environ[variable]).resolve())
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mvcc-mutants-") as folder:
        copy = Path(folder)
        copy_checkout(copy)
        command = ["mutmut", "run", "--max-children", str(options.jobs), *options.patterns]
        done = subprocess.run(command, cwd=copy, env=environment(), capture_output=True, text=True)
        found = outcomes(copy)
        if done.returncode or not len(found):
            print(done.stdout[-5000:], done.stderr[-5000:], sep="\n", file=sys.stderr)
            return 2
        if options.survivors:
            unnoticed = found[found.isin(["survived", "no tests"])].index
            options.survivors.write_text(changes(copy, list(unnoticed)), "utf-8")
    table = summary(found)
    print(table.to_string())
    print(f"It took {(time.monotonic() - began) / 60:.0f} minutes.")
    return 0 if table.loc["total", "%"] >= 100 * LEAST_KILLED else 1


if __name__ == "__main__":
    sys.exit(main())
