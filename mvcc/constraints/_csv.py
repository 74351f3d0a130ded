"""Constraints as text files: i, j, kind (must-link or cannot-link), perhaps weight."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import clipped, enumerated, nearest_id, shown, with_point
from mvcc._utils.reading import StrPath, content_of
from mvcc._utils.text import DELIMITER_LINE, delimiter_of, read_text, records_of
from mvcc.constraints._arrays import MAX_ROW, Listed
from mvcc.exceptions import InvalidInputError

Row = tuple[int, int, bool, float]
COLUMNS = ["i", "j", "kind", "weight"]
_KINDS = {
    **dict.fromkeys(("must-link", "must", "ml", "1", "1.0"), True),
    **dict.fromkeys(("cannot-link", "cannot", "cl", "0", "0.0", "-1", "-1.0"), False),
}


@dataclass(frozen=True)
class ConstraintFile:
    """A file of constraints as it was read."""

    name: str  # without its folder
    place: str  # what messages call it
    # {int: list of str}: the values of every line that holds a constraint, by line number
    records: dict[int, list[str]]
    order: list[int]  # the places in a line of i, j, kind, weights where it has them, others
    has_weights: bool
    delimiter: str  # what separates the values of a line
    notes: list[str]  # what was assumed of it

    @classmethod
    def read(cls, path: StrPath, *, is_exact: bool = False) -> ConstraintFile:
        """Read a text file, of exactly these columns or more; errors name file and line."""
        try:
            location = clipped(os.fsdecode(path), 1000)
            content = content_of(os.fspath(path))
        except (OSError, TypeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InvalidInputError(
                f"{clipped(str(path), 1000)}: cannot be read as a CSV file of constraints:"
                f" {reason}."
            ) from error
        read = read_text(content, location, InvalidInputError)
        text = read.text
        first_line = text.partition("\n")[0]
        delimiter, delimiter_line = delimiter_of(first_line), DELIMITER_LINE.fullmatch(first_line)
        if delimiter_line:
            delimiter = delimiter_line[1]
        records = records_of(text, location, InvalidInputError, delimiter)
        if delimiter_line:
            next(records)
        return cls.of(os.fsdecode(path), records, delimiter, read.notes, is_exact)

    @classmethod
    def of(
        cls,
        path: str,
        records: Iterator[tuple[int, list[str]]],
        delimiter: str = ",",
        notes: Sequence[str] = (),
        is_exact: bool = False,
    ) -> ConstraintFile:
        """Make it of records with their lines; the first one has the names of the columns."""
        location = clipped(path, 1000)
        line_number, header = next(records, (1, []))
        names = [name.strip() for name in header]
        order = columns_in(names)
        if not order or (is_exact and names != COLUMNS[: len(order)]):
            raise InvalidInputError(
                f"{location}:{line_number}: the columns must be i,j,kind or i,j,kind,weight, not "
                f"{clipped(delimiter.join(names))}. Name them so: i and j are two rows, kind is"
                " must-link or cannot-link."
            )
        has_weights = len(order) == 4
        others = [n for n in range(len(names)) if n not in order]
        if named := [shown(names[n]) for n in others if names[n]]:
            ignored = f"Columns other than i, j, kind and weight are ignored: {enumerated(named)}."
            notes = [*notes, f"{location}: {ignored}"]
        order += others
        values = {
            line: [record[n] for n in order] if len(record) == len(names) else record
            for line, record in records
        }
        name = os.path.basename(path)
        return cls(name, location, values, order, has_weights, delimiter, list(notes))

    def arrays(self, row_of: Mapping[str, int] | None = None) -> Listed:
        """Return pairs, must_link and weights by line; with ``row_of``, i and j are ids."""
        records = self.records.items()
        rows = [self._parse(record, f"{self.place}:{line}", row_of) for line, record in records]
        pairs = np.array([row[:2] for row in rows], np.int64).reshape(-1, 2)
        must_link = np.array([row[2] for row in rows], np.bool_)
        return np.sort(pairs, axis=1), must_link, np.array([row[3] for row in rows], np.float64)

    def mistakes(self, row_of: Mapping[str, int]) -> Iterator[InvalidInputError]:
        """Give what ``arrays`` would raise, for each line."""
        for line, record in self.records.items():
            try:
                self._parse(record, f"{self.place}:{line}", row_of)
            except InvalidInputError as error:
                yield error

    def _parse(self, record: list[str], where: str, row_of: Mapping[str, int] | None) -> Row:
        if len(record) != len(self.order):
            raise InvalidInputError(
                f"{where}: {len(record)} values where {len(self.order)} are expected:"
                f" {clipped(self.delimiter.join(record))}"
            )
        in_file = (value for _, value in sorted(zip(self.order, record, strict=True)))
        line = clipped(self.delimiter.join(in_file))
        ends: list[Any] = record[:2]
        demand, weight_text = "i and j must be integers and weight", "1"
        if row_of is not None:
            demand, ends = "weight must be", [_row(name, row_of, where) for name in ends]
        if self.has_weights:
            weight_text = record[3]
        try:
            i, j = map(int, ends)
            weight = float(weight_text)
        except ValueError as error:
            message = f"{where}: {demand} a number: {line}"
            if point := with_point(weight_text):
                message += f"; write {point}, with a point"
            raise InvalidInputError(message) from error
        if min(i, j) < 0 or max(i, j) > MAX_ROW:
            raise InvalidInputError(f"{where}: row numbers must lie in 0 … {MAX_ROW}: {line}")
        if i == j:
            raise InvalidInputError(
                f"{where}: {shown(record[0].strip())} is linked with itself; remove this "
                "constraint."
            )
        if not 0 <= weight < math.inf:
            raise InvalidInputError(f"{where}: a weight must be finite and 0 or more: {line}")
        return i, j, is_must_link(record[2], where), weight


def columns_in(names: Iterable[Any]) -> list[int]:
    """Return the places of i, j, kind and, if there is one, weight; none if they are not clear."""
    normalized = [str(name).strip().casefold() for name in names]
    wanted = [name for name in COLUMNS if name != "weight" or name in normalized]
    if any(normalized.count(name) != 1 for name in wanted):
        return []
    return list(map(normalized.index, wanted))


def bytes_of(rows: Iterable[Row], ids: Sequence[str] | None = None) -> bytes:
    """Return a file of constraints; ids that no text file can hold are refused."""

    def name(row: int) -> object:
        if ids is None:
            return row
        if any(mark == "\0" or "\ud800" <= mark <= "\udfff" for mark in str(ids[row])):
            raise InvalidInputError(
                f"the id of row {row}, {shown(ids[row])}, has a character that no text file can "
                "hold."
            )
        return ids[row]

    lines = (
        [name(i), name(j), kind_of(must_link), repr(weight)] for i, j, must_link, weight in rows
    )
    return csv_bytes([COLUMNS, *lines])


def _word_of(kind: Any) -> str:
    return str(kind).strip().casefold().replace("_", "-").replace(" ", "-")


def is_kind(kind: Any) -> bool:
    """Tell whether a word is must-link or cannot-link, in one of its spellings."""
    return _word_of(kind) in _KINDS


def is_must_link(kind: Any, where: str) -> bool:
    """Tell whether a kind is must-link, or say where it is neither that nor cannot-link."""
    if not is_kind(kind):
        raise InvalidInputError(
            f"{where}: kind must be must-link or cannot-link, not {shown(kind)}; must, ML, 1 and "
            f"cannot, CL, 0, -1 say the same."
        )
    return _KINDS[_word_of(kind)]


def kind_of(must_link: bool) -> str:
    return "must-link" if must_link else "cannot-link"


def _row(name: str, row_of: Mapping[str, int], where: str) -> int:
    row = row_of.get(name, row_of.get(name.strip()))
    if row is None:
        raise InvalidInputError(
            f"{where}: no row has the id {shown(name.strip())}{nearest_id(name, row_of)}"
        )
    return row
