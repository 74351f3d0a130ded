"""Rows of the table: what was measured, beside what, and the aims it is held against."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

Aim = tuple[str, str, float]  # column, "≥" or "≤", limit
COLUMNS = [
    "task",
    "ms",
    "peak_mb",
    "other",
    "other_ms",
    "ratio",
    "aim",
    "reached",
    "f",
    "other_f",
    "found",
]
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


def row(
    task: str, ms: float, *aims: Aim, other: str = "", other_ms: float = np.nan, **more: Any
) -> dict[str, Any]:
    """Return a row; the ratio is how many times as fast as the other one this was."""
    made = {
        "task": task,
        "ms": ms,
        "other": other,
        "other_ms": other_ms,
        "ratio": other_ms / ms,
    } | more
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
