"""What every script of this folder shares.

Reading a task, trying an entry on it, writing down what came out.

Needs numpy alone and runs on Python 3.8, so that old packages can be tried where they install.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, Callable, Sequence  # noqa: UP035 - Python 3.8

import numpy as np

SEEDS = range(5)
SPACES = ("pixels", "spectral")
N_CLUSTERS = 10


class Task:
    """Two views, the rows known to match, the constraints in view 0."""

    def __init__(self, folder: Path, seed: int, space: str) -> None:
        stored = np.load(folder / f"task_{seed}.npz")
        self.views = [stored[f"{space}_0"], stored[f"{space}_1"]]
        self.matched = stored["matched"]
        self.must_link = stored["pairs"][stored["must_link"]]
        self.cannot_link = stored["pairs"][~stored["must_link"]]
        self.seed = seed

    def matched_rows(self) -> list[np.ndarray]:
        """Both views cut to the matched rows, in the same order."""
        return [self.views[view][self.matched[:, view]] for view in (0, 1)]

    def carried(self, pairs: np.ndarray) -> np.ndarray:
        """Return pairs of view 0 as pairs of view 1, as far as both ends are matched."""
        row_of = dict(self.matched.tolist())
        ends = [(row_of[i], row_of[j]) for i, j in pairs.tolist() if i in row_of and j in row_of]
        return np.array(ends, dtype=int).reshape(-1, 2)


# labels by "0", "1" (all rows of that view) or "matched" (those alone)
Entry = Callable[[Task], "dict[str, Any]"]


def try_all(
    package: str,
    versions: list[str],
    entries: dict[str, Entry],
    *,
    seeds: Sequence[int] = SEEDS,
    warm_up: bool = True,
) -> None:
    """Try every entry on every task and write what came out to the folder named on the command
    line.

    One fit before does not count: compiled packages compile in it.
    """
    folder = Path(sys.argv[1])
    for name, entry in entries.items():
        if warm_up:
            tried(entry, Task(folder, seeds[0], SPACES[0]), SPACES[0])
        outcomes = [
            tried(entry, Task(folder, seed, space), space) for space in SPACES for seed in seeds
        ]
        written = {
            "package": package,
            "entry": name,
            "versions": {"python": platform.python_version(), **{v: version(v) for v in versions}},
            "outcomes": outcomes,
        }
        file = f"outcome_{package}_{name.replace(' ', '_')}.json"
        (folder / file).write_text(json.dumps(written))
        errors = {outcome["error"] for outcome in outcomes if outcome["error"]}
        seconds, cpu = (
            np.median([outcome[key] for outcome in outcomes]) for key in ("seconds", "cpu_seconds")
        )
        took = f"{name}: {seconds:.3f} s, {cpu:.3f} s of processor time"
        print(took, *errors, sep="\n  ", flush=True)


def probe(probes: dict[str, Callable[[], Any]]) -> None:
    """Print what a package says to what it may or may not be made for."""
    for name, question in probes.items():
        try:
            question()
            print(f"{name}: accepted")
        except Exception as problem:  # the message is the answer
            first = str(problem).partition("\n")[0]
            print(f"{name}: {type(problem).__name__}: {first}")


def tried(entry: Entry, task: Task, space: str) -> dict[str, Any]:
    """Run one entry on one task; an error is an outcome, too."""
    np.random.seed(task.seed)  # noqa: NPY002 - packages that draw from the global generator
    labels, error = {}, ""
    start, cpu_start = time.perf_counter(), time.process_time()
    try:
        labels = entry(task)
    except Exception as problem:  # whatever a package refuses with is what the page reports
        error = f"{type(problem).__name__}: {problem}"
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    return {
        "space": space,
        "seed": task.seed,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "error": error,
        "labels": {where: np.asarray(values).tolist() for where, values in labels.items()},
    }
