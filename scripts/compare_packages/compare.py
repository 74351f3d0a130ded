"""Try one package on the task of ``docs/compared.md``, in a temporary environment of its own.

    python scripts/compare_packages/compare.py task                        draws the tasks
    python scripts/compare_packages/compare.py mvlearn --python python3.8  installs a package and
    tries it
    python scripts/compare_packages/compare.py mvcc
        tries what this Python has
    python scripts/compare_packages/compare.py table                       prints the figures

All write to and read from ``--folder``. BLAS has one thread, for all alike.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
HERE_INSTALLED = {"task": "task.py", "mvcc": "with_mvcc.py", "table": "table.py"}
# what pip is asked for: the package as its own page says, and the script that tries it
PACKAGES = {
    "mvlearn": (["mvlearn"], "with_mvlearn.py"),
    "active-semi-supervised-clustering": (
        ["active-semi-supervised-clustering"],
        "with_active_semi_supervised_clustering.py",
    ),
    "fast_hdbscan": (["fast_hdbscan[nndescent]"], "with_fast_hdbscan.py"),
    "gurobi": (["gurobipy", "numpy"], "with_gurobi.py"),
}


def main() -> int:
    """Run what is asked for and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=[*HERE_INSTALLED, *PACKAGES])
    parser.add_argument(
        "--python", default=sys.executable, help="Python that gets the package (default: this one)"
    )
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "mvcc-compared"
    )
    given = parser.parse_args()
    if given.what in HERE_INSTALLED:
        return run(sys.executable, HERE_INSTALLED[given.what], given.folder)
    requirements, script = PACKAGES[given.what]
    with tempfile.TemporaryDirectory() as environment:
        subprocess.run([given.python, "-m", "venv", environment], check=True)
        python = str(Path(environment) / "bin" / "python")
        installed = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", *requirements], check=False
        )
        return installed.returncode or run(python, script, given.folder)


def run(python: str, script: str, folder: Path) -> int:
    """Run a script of this folder."""
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [python, HERE / script, folder.resolve()], env=os.environ | one_thread, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
