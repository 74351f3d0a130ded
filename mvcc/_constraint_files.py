"""Lists of constraints as CSV files: the columns i, j, kind (must-link or cannot-link) and, optionally, weight."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable

from mvcc.exceptions import InvalidInputError

Row = tuple[int, int, bool, float]
_KINDS = {"must-link": True, "cannot-link": False}
_COLUMNS = ["i", "j", "kind", "weight"]


def read_rows(path: str | os.PathLike[str]) -> dict[int, Row]:
    """Return (i, j, is must-link, weight) for every line of a file that holds a constraint, by line number.

    Raises
    ------
    InvalidInputError
        Names file, line and what is wrong.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInputError(f"{path}: cannot be read as a CSV file of constraints: {error}") from error
    header = [name.strip() for name in lines[0]] if lines else []
    if header not in (_COLUMNS, _COLUMNS[:3]):
        raise InvalidInputError(f"{path}:1: the columns must be i,j,kind or i,j,kind,weight, not {','.join(header)}.")
    return {number: _parse(row, len(header), f"{path}:{number}") for number, row in enumerate(lines[1:], 2) if row}


def write_rows(path: str | os.PathLike[str], rows: Iterable[Row]) -> None:
    """Write constraints so that ``read_rows`` gives the same numbers back."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for i, j, must_link, weight in rows:
            writer.writerow([i, j, "must-link" if must_link else "cannot-link", repr(weight)])


def _parse(row: list[str], n_columns: int, where: str) -> Row:
    if len(row) != n_columns:
        raise InvalidInputError(f"{where}: {len(row)} values where {n_columns} are expected: {','.join(row)}")
    try:
        i, j = int(row[0]), int(row[1])
        weight = float(row[3]) if n_columns == 4 else 1.0
    except ValueError as error:
        raise InvalidInputError(f"{where}: i and j must be integers and weight a number: {','.join(row)}") from error
    kind = row[2].strip()
    if kind not in _KINDS:
        raise InvalidInputError(f"{where}: kind must be must-link or cannot-link, not {kind!r}.")
    return i, j, _KINDS[kind], weight
