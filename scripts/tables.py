"""Tables as scripts store and show them: files of ``results/`` with six digits, and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
_RULES = {"l": "|---", "r": "|--:"}


def markdown(titles: Sequence[str], rows: Iterable[Iterable[str]], sides: str = "") -> str:
    """Return a table in Markdown.

    The letters of `sides` align its columns; if there are none, the first one to the left, all
    others to the right.
    """
    sides = sides or "l" + "r" * (len(titles) - 1)
    rule = "".join(_RULES[side] for side in sides) + "|"
    return "\n".join([line(titles), rule, *map(line, rows)])


def line(cells: Iterable[str]) -> str:
    """Return a line of such a table."""
    return "".join(f"| {cell} " if cell else "| " for cell in cells) + "|"


def store(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, in a folder that is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
