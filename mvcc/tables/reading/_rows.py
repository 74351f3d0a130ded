"""Which row of a table is which: the ids, and what messages call a row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import count
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import agreeing, clipped, counted, nearest, shown
from mvcc.exceptions import DataError
from mvcc.tables.reading._column import GLANCE, as_texts, narrow
from mvcc.tables.reading._problems import title_above
from mvcc.tables.reading._sheets import TOTAL

MOST_LISTED = 5  # columns in a message
_FEW = 1 / 3  # of the rows, which may be headings or sums


def refuse_repeated_columns(frame: pd.DataFrame, path: str) -> None:
    """Refuse a table in which several columns have one name, or none."""
    if (n_nameless := sum(not str(name).strip() for name in frame.columns)) > 1:
        said = f"{n_nameless} columns have no name."
        if header := frame.attrs.get("header"):
            raise DataError(f"{path}:{header}: {said} {title_above(header)}.")
        raise DataError(f"{path}: {said} Name them.")
    if twice := frame.columns[frame.columns.duplicated()].unique().tolist():
        columns = agreeing(len(twice), "column", "columns")
        are = agreeing(len(twice), "is", "are")
        raise DataError(
            f"{path}: the {columns} {listed(twice)} {are} there more than once; rename all but one."
        )


def said_of_gap(path: str, names: Sequence[str], positions: Sequence[int]) -> list[str]:
    """Say which column is the first one behind a gap, where another table may begin."""
    behind = [name for name, gap in zip(names[1:], np.diff(positions), strict=True) if gap > 1]
    return [
        f"{path}: the column {listed([name])} stands apart from those before it. If another table"
        " begins there, move it into a file of its own."
        for name in behind[:1]
    ]


def without_nameless(frame: pd.DataFrame, path: str, needed: Collection[Any] = ()) -> pd.DataFrame:
    """Drop columns without name and value, as delimiters at ends make them, but one ``needed``."""
    names = list(frame.columns)
    wanted = {names.index(name) for name in needed if name in names}
    kept = [
        n for n, name in enumerate(names) if n in wanted or name.strip() or any(frame.iloc[:, n])
    ]
    if len(kept) < len(names):
        frame = frame.iloc[:, kept]
        frame.attrs["notes"] = frame.attrs.get("notes", []) + said_of_gap(path, [*frame], kept)
    return frame


def framed(names: list[str], rows: Iterable[list[Any]], exact: bool) -> pd.DataFrame:
    """Return a table, each column of one type unless exact, without those of nothing."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    pairs = zip(names, columns, strict=True)
    kept = [(name, data) for name, data in pairs if name or any(cell is not None for cell in data)]
    if not kept:
        return pd.DataFrame()
    typed = [pd.Series(data, dtype=None if data and not exact else object) for _, data in kept]
    return pd.concat(typed, axis=1).set_axis([name for name, _ in kept], axis=1)


def columns_of_bytes(frame: pd.DataFrame) -> list[object]:
    is_object = pd.api.types.is_object_dtype
    may_be = frame.columns[[is_object(dtype) or dtype.kind == "S" for dtype in frame.dtypes]]
    return [name for name in may_be if any(isinstance(value, bytes) for value in frame[name])]


def ids_of(frame: pd.DataFrame, column: str | None, path: str) -> list[str]:
    """Return the ids of rows; their numbers where no column names them."""
    if column is None:
        return [str(row) for row in frame.index]
    ids = id_texts(frame[column])
    if (empty := ids == "").any():
        raise DataError(
            f"{place_of(frame, path, int(empty.argmax()))} has no id in the column"
            f" {listed([column])}; give it one."
        )
    if ids.duplicated().any():
        second = int(ids.duplicated().argmax())
        first = int((ids == ids.iloc[second]).argmax())
        raise DataError(
            f"{place_of(frame, path, second)} has the id {clipped(repr(ids.iloc[second]))}, as"
            f" {_row(frame, first)} has; ids must be distinct. Make one row of them, or give each"
            " an id of its own."
        )
    return ids.tolist()


def id_texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return ids as text, "" where none is: with zeros in front, where a workbook shows these."""
    texts = as_texts(column).mask(column.isna(), "")
    width = column.attrs.get("widths", {}).get(column.name)
    return texts.where(~texts.str.isdecimal(), texts.str.zfill(width)) if width else texts


def plain_id(name: str) -> str:
    """Return what an id is, however files write it: 7 for 007 and 7.0, an accent in its letter."""
    name = narrow(name)
    stem = name.removesuffix(".0")
    return stem.lstrip("0") or "0" if stem.isdecimal() else normalize("NFC", name)


def plain_ids(column: pd.Series[Any]) -> list[str]:
    """Return what a column holds as such numbers, without missing values."""
    return [*map(plain_id, as_texts(column.dropna()))]


def leads_with_zeros(name: str) -> bool:
    return name.startswith("0") and name != "0"


class RowsById(dict[str, int]):
    @cached_property
    def _plain(self) -> dict[str, int]:
        rows: dict[str, int] = {}
        for name, row in self.items():
            plain = plain_id(name)
            if rows.setdefault(plain, row) != row:
                rows[plain] = -1
        return rows

    def find(self, name: str) -> int:
        """Return the row of an id, else the only one whose id is the same number, else −1."""
        if name in self:
            return self[name]
        return self._plain.get(plain_id(name), -1)


def spelled_like(ids: Sequence[str], others: Iterable[str]) -> list[str]:
    """Return ids as others are written, such as 007 for 7, where these are the same."""
    rows, spelled, written = RowsById(zip(ids, count())), [*ids], {*others}
    for other in others:
        row = rows.find(other)
        if row >= 0 and ids[row] not in written:
            spelled[row] = other
    return spelled


def no_column(frame: pd.DataFrame, column: str, path: str) -> str:
    guess = nearest(column, map(str, frame.columns))
    return (
        f"{path}: there is no column {clipped(repr(column))}{guess} The columns are"
        f" {listed(frame.columns)}."
    )


def place_of(frame: pd.DataFrame, path: str, row: int) -> str:
    """Return what messages call a row."""
    if "lines" in frame.attrs:
        path = f"{path}:{frame.attrs['lines'][row]}"
    elif "files" in frame.attrs:
        return f"{path}/{_row(frame, row)}"
    return f"{path}: {_row(frame, row)}"


def _row(frame: pd.DataFrame, row: int) -> str:
    """Return the line or row, in a folder with its file; rows are counted over all files."""
    if "lines" in frame.attrs:
        return f"line {frame.attrs['lines'][row]}"
    row_number = int(frame.index[row])
    if "files" not in frame.attrs:
        return f"row {row_number}"
    first, file = max(entry for entry in frame.attrs["files"] if entry[0] <= row_number)
    return f"{file}: row {row_number - first}"


def listed(names: Iterable[object]) -> str:
    words = [repr(str(name)) for name in names]
    more = f" and {len(words) - MOST_LISTED} more" if len(words) > MOST_LISTED else ""
    return clipped(", ".join(words[:MOST_LISTED]), 300) + more


def rows_to_check(frame: pd.DataFrame, X: Floats | pd.DataFrame, path: str) -> Iterable[str]:
    """Name rows that may be no objects: of which nothing is known, and subtotals."""
    unknown: Any = ()
    if isinstance(X, pd.DataFrame) and X.shape[1] and frame.shape[1] > 1:
        unknown = X.isna().all(axis=1)
    texts = [str(cell).strip() for cell in frame.iloc[:GLANCE, :1].to_numpy(dtype=object).ravel()]
    totals = {row: shown(text) for row, text in enumerate(texts) if TOTAL.fullmatch(text)}
    empty = dict.fromkeys(np.flatnonzero(unknown).tolist(), "no value that is clustered")
    for rows, noun in ((empty, "headings"), (totals, "sums")):
        if 0 < len(rows) <= _FEW * len(frame):
            (row, has), n = next(iter(rows.items())), len(rows)
            yield (
                f"{place_of(frame, path, row)} has {has}; {counted(n, 'row')}"
                f" {agreeing(n, 'is', 'are')} like that. Delete such rows if they are {noun}."
            )
