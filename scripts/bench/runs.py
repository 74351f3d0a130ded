"""Whole runs: workers beside bare processes, and the time until the program answers."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scripts.bench.table import best_of, row

PROGRAM = [sys.executable, "-m", "mvcc"]
CONFIG = Path(__file__).parents[2] / "configs" / "four_quadrants.yaml"
# the trials that one of several processes would do, without a runner, a store or workers
BARE = """
import sys
from mvcc.experiments import load_config
from mvcc.experiments._trial import run_trial, warm_up
config = load_config(sys.argv[1])
warm_up(config)
for trial in range(int(sys.argv[2]), int(sys.argv[3])):
    run_trial(config, trial)
"""


def workers(trials: int) -> Iterator[dict[str, Any]]:
    """Compare the speed-up by two workers with what the machine allows, that of bare processes."""
    bare = [_bare(trials, 1), _bare(trials, 2)]
    runs = [_run(trials, 1), _run(trials, 2)]
    task = f"{trials} trials of Four Quadrants, 2 workers"
    speed_up, possible = runs[0] / runs[1], bare[0] / bare[1]
    print(f"two bare processes reach {possible:.2f} times the speed of one;", end=" ")
    print(f"two workers {speed_up:.2f} times")
    of_bare = f"{trials} trials in bare processes, 2 of them"
    yield row(of_bare, 1e3 * bare[1], other="1 process", other_ms=1e3 * bare[0])
    yield row(task, 1e3 * runs[1], other="1 worker", other_ms=1e3 * runs[0])
    share = speed_up / possible
    yield row(f"{task}: share of the speed-up of bare processes", np.nan, ratio=share)


def answer() -> Iterator[dict[str, Any]]:
    """Measure the time until the program prints its help."""
    command = [*PROGRAM, "--help"]
    ms = best_of(lambda: subprocess.run(command, check=True, capture_output=True), 2.0)
    yield row("mvcc --help", ms, ("ms", "≤", 300))


def _bare(trials: int, processes: int) -> float:
    ends = np.linspace(0, trials, processes + 1, dtype=int).tolist()
    began = time.perf_counter()
    command = [sys.executable, "-W", "ignore", "-c", BARE, str(CONFIG)]
    running = [
        subprocess.Popen([*command, str(first), str(last)])
        for first, last in itertools.pairwise(ends)
    ]
    codes = [process.wait() for process in running]
    if any(codes):
        raise RuntimeError("A bare process failed.")
    return time.perf_counter() - began


def _run(trials: int, n_jobs: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        options = ["--trials", str(trials), "-j", str(n_jobs), "--out", f"{folder}/run"]
        command = [*PROGRAM, "run", str(CONFIG), *options]
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - began
