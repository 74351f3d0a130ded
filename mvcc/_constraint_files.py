"""Lists of constraints as text files: the columns i, j, kind (must-link or cannot-link) and, optionally, weight."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from typing import Any

from mvcc._messages import clipped, nearest, shown
from mvcc.exceptions import InvalidInputError

Row = tuple[int, int, bool, float]
COLUMNS = ["i", "j", "kind", "weight"]
_KINDS = {"must-link": True, "cannot-link": False}


def read_rows(path: str | os.PathLike[str], row_of: Mapping[str, int] | None = None) -> dict[int, Row]:
    """Return (i, j, is must-link, weight) for every line of a file that holds a constraint, by line number.

    With ``row_of``, i and j are ids, and it has the row number of each.

    Raises
    ------
    InvalidInputError
        Names file, line and what is wrong.
    """
    place, text = _read_text(path)
    records = _records(place, text)
    header = [name.strip() for name in next(records, (1, []))[1]]
    if header not in (COLUMNS, COLUMNS[:3]):
        raise InvalidInputError(
            f"{place}:1: the columns must be i,j,kind or i,j,kind,weight, not {clipped(','.join(header))}."
        )
    return {line: _parse(row, len(header), f"{place}:{line}", row_of) for line, row in records if row}


def write_rows(path: str | os.PathLike[str], rows: Iterable[Row]) -> None:
    """Write constraints so that ``read_rows`` gives the same numbers back."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for i, j, must_link, weight in rows:
            writer.writerow([i, j, "must-link" if must_link else "cannot-link", repr(weight)])


def _read_text(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Return what messages call a file, and what it holds."""
    try:
        place = clipped(os.fsdecode(path), 1000)
        with open(os.fspath(path), "rb") as file:
            content = file.read()
    except TypeError as error:
        raise InvalidInputError(f"{shown(path)} cannot be read: the path of a CSV file is expected.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"{place}: cannot be read as a CSV file of constraints: {reason}.") from error
    try:
        return place, content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidInputError(
            f"{place}:{line}: cannot be read as a CSV file of constraints: it is not UTF-8 text."
        ) from error


def _records(place: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """Give the records of a CSV file, with the number of the line that each begins in."""
    first = text[: text.find("\n") + 1]
    delimiter = max((",", ";", "\t"), key=first.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InvalidInputError(f"{place}:{line}: cannot be read as a CSV file of constraints: {error}.") from error
        yield line, record


def _parse(row: list[str], n_columns: int, where: str, row_of: Mapping[str, int] | None) -> Row:
    if len(row) != n_columns:
        raise InvalidInputError(f"{where}: {len(row)} values where {n_columns} are expected: {clipped(','.join(row))}")
    known = None if row_of is None else [_row(name, row_of, where) for name in row[:2]]
    try:
        i, j = known or (int(row[0]), int(row[1]))
        weight = float(row[3]) if n_columns == 4 else 1.0
    except ValueError as error:
        whole = "i and j must be integers and weight" if known is None else "weight must be"
        raise InvalidInputError(f"{where}: {whole} a number: {clipped(','.join(row))}") from error
    return i, j, is_must_link(row[2], where), weight


def is_must_link(kind: Any, where: str) -> bool:
    """Tell whether a kind is must-link, or say where it is neither that nor cannot-link."""
    kind = kind.strip() if isinstance(kind, str) else kind
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InvalidInputError(f"{where}: kind must be must-link or cannot-link, not {shown(kind)}.")
    return _KINDS[kind]


def _row(name: str, row_of: Mapping[str, int], where: str) -> int:
    number = row_of.get(name.strip())
    if number is None:
        raise InvalidInputError(f"{where}: no row has the id {shown(name.strip())}{nearest(name, row_of)}")
    return number
