"""Rows of the table: what was measured, beside what, and the aims it is held against."""

from __future__ import annotations

import json
import operator
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd

from mvcc.datasets import dataset_info, find_file

Aim = tuple[str, str, float]  # column, "≥" or "≤", limit
COLUMNS = ["task", "ms", "peak_mb", "other", "other_ms", "ratio", "aim", "reached"]
COLUMNS += ["f", "other_f", "found"]
SIZES = ["n", "constraints", "threshold", "near", "hits"]  # of the E-steps whose growth is drawn
BYTES = 25  # of a constraint in a list: two row numbers, a kind, a weight
SENSES = {"≥": operator.ge, "≤": operator.le}


def best_of(function: Callable[[], object], seconds: float) -> float:
    """Return the shortest time of a call, in ms, after one call that compiles."""
    function()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def alone(module: str, *words: str, **arrays: Any) -> list[dict[str, Any]]:
    """Give arrays to a module in a process of its own; return the lines of JSON that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arrays.npz"
        np.savez(path, **arrays)
        command = [sys.executable, "-W", "ignore", "-m", f"scripts.bench.{module}", *words]
        done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def missing_files(data: str) -> list[str]:
    """Name the files of a data set that are not here."""
    return [file.name for file in dataset_info(data).files if find_file(file) is None]


@contextmanager
def threads(n_threads: int) -> Iterator[None]:
    """Let kernels use at most so many threads."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(n_threads, before))
    try:
        yield
    finally:
        numba.set_num_threads(before)


def row(
    task: str, ms: float, *aims: Aim, other: str = "", other_ms: float = np.nan, **more: Any
) -> dict[str, Any]:
    """Return a row; the ratio is how many times as fast as the other one this was."""
    made = {"task": task, "ms": ms, "other": other, "other_ms": other_ms}
    made |= {"ratio": other_ms / ms, **more}
    known = [(made.get(column, np.nan), sense, limit) for column, sense, limit in aims]
    has_aims = bool(aims) and not any(np.isnan(value) for value, _, _ in known)
    reached = all(SENSES[sense](value, limit) for value, sense, limit in known)
    return made | {
        "aim": ", ".join(f"{column} {sense} {limit:g}" for column, sense, limit in aims),
        "reached": ("yes" if reached else "no") if has_aims else "",
    }


def as_table(rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Return the rows with all columns in their order."""
    return pd.DataFrame(list(rows)).reindex(columns=COLUMNS + SIZES)
