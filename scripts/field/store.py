"""The store of scores: CSV files with a line for each draw and method, to which lines are added."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from scripts.field.scores import COLUMNS
from scripts.tables import RESULTS

FOLDER = RESULTS / "field"
FILES = {
    "ours": "scores.csv", "plain": "scores.csv", "tables": "scores.csv",
    "pairs": "pairs.csv", "grid": "grid.csv", "peers": "peers.csv",
}  # fmt: skip
KEY = ["data", "protocol", "level", "draw", "method"]
HEADER = [*KEY, *COLUMNS, "seconds", "problem"]

Key = tuple[str, str, float, int, str]


def read(path: Path) -> pd.DataFrame:
    """Read a file; one that does not exist has no lines."""
    if not path.exists():
        return pd.DataFrame(columns=HEADER)
    return pd.read_csv(
        path, keep_default_na=False, na_values={name: [""] for name in [*COLUMNS, "seconds"]}
    )


def append(
    path: Path, where: Key, scores: Mapping[str, float], seconds: float, problem: str = ""
) -> None:
    """Add a line to a file, and make the file where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(HEADER)
        numbers = [f"{scores[name]:.6f}" if name in scores else "" for name in COLUMNS]
        writer.writerow([*where, *numbers, f"{seconds:.2f}", problem])
