"""Measure the CPU time of every command, here and in other checkouts.

    python -m scripts.bench.commands [CHECKOUT ...]        prints a table in Markdown

There is a column for every checkout, this one the last. They take turns, so that what else the
machine does weighs on all alike. Kernels are compiled before.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree, rmtree
from statistics import median
from tempfile import TemporaryDirectory

from scripts.command import parser
from scripts.tables import RESULTS, ROOT, markdown

REPEATS = 5
COMMANDS = {
    "`--help`": ["--help"],
    "`init`": ["init", "{folder}/new"],
    "`cluster`": ["cluster", "{folder}/job/cluster.yaml", "--fresh", "--out", "{folder}/out"],
    "`cluster --dry-run`": ["cluster", "{folder}/job/cluster.yaml", "--dry-run"],
    "`report` of a clustering": ["report", "{folder}/out"],
    "`run --dry-run`": ["run", "configs/four_quadrants.yaml", "--dry-run", "--out", "{folder}/run"],
    "`check`": ["check", "{folder}/results"],
    "`plot` of one figure": ["plot", "{folder}/results", "--figure", "7"],
    "`claims`": ["claims", "{folder}/results"],
    "`report` of an experiment": ["report", "{folder}/results"],
    "`data list`": ["data", "list"],
    "`doctor`": ["doctor"],
}
# Runs a command, and writes its CPU time up to its first table to a file.
UNTIL_TABLE = """
import os, sys

def note(event, arguments):
    if event == "open" and str(arguments[0]).endswith("catalog.csv") and not os.path.exists(target):
        with open(target, "w") as file:
            file.write(str(sum(os.times()[:2])))

target = sys.argv.pop(1)
sys.addaudithook(note)
from mvcc.cli import main
main()
"""


def seconds_of(checkout: Path, arguments: Sequence[str]) -> float:
    """Return the CPU time, user and system, of one command by the code of a checkout."""
    before = os.times()
    _run(checkout, ["-m", "mvcc", *arguments])
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def seconds_until_table(checkout: Path, arguments: Sequence[str], folder: Path) -> float:
    """Return the CPU time that `mvcc cluster` takes until it opens its first table."""
    noted = folder / "until-table"
    noted.unlink(missing_ok=True)
    _run(checkout, ["-c", UNTIL_TABLE, str(noted), *arguments])
    return float(noted.read_text())


def _run(checkout: Path, arguments: Sequence[str]) -> None:
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=checkout, env=environment, capture_output=True, text=True
    )
    if done.returncode not in (0, 3):  # 3: a claim does not hold
        raise SystemExit(done.stderr)


def main() -> None:
    """Print the table."""
    asked = parser(__doc__)
    asked.add_argument("checkouts", nargs="*", type=Path, metavar="CHECKOUT")
    checkouts = [*asked.parse_args().checkouts, ROOT]
    with TemporaryDirectory() as name:
        folder = Path(name)
        copytree(RESULTS / "protein", folder / "results")
        commands = {
            title: [part.format(folder=folder) for part in arguments]
            for title, arguments in COMMANDS.items()
        }
        _run(ROOT, ["-m", "mvcc", "init", str(folder / "job")])
        cluster = commands["`cluster`"]
        for checkout in checkouts:
            seconds_of(checkout, cluster)  # compiles what is not compiled yet
        rows = {"`cluster` until it reads the first table": []} | {title: [] for title in commands}
        for _ in range(REPEATS):
            for title, times in rows.items():
                taken = []
                for checkout in checkouts:
                    rmtree(folder / "new", ignore_errors=True)
                    if title in commands:
                        taken.append(seconds_of(checkout, commands[title]))
                    else:
                        taken.append(seconds_until_table(checkout, cluster, folder))
                times.append(taken)
    lines = [
        [title, *(f"{median(column):.2f}" for column in zip(*times, strict=True))]
        for title, times in rows.items()
    ]
    print(markdown(["command", *(checkout.name for checkout in checkouts)], lines))


if __name__ == "__main__":
    main()
