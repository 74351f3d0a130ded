"""Which row of a table is which: the column of ids, the ids, and what messages call a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import agreeing, clipped, counted, nearest, shown
from mvcc.exceptions import DataError
from mvcc.tables._job import View
from mvcc.tables.reading._column import (
    GLANCE,
    as_texts,
    is_missing,
    looks_like_codes,
    looks_like_ids,
    without_attrs,
)
from mvcc.tables.reading._problems import title_above
from mvcc.tables.reading._sheets import TOTAL

MOST_LISTED = 5  # columns in a message
_USUAL = ("id", "ids", "")  # names of columns that name rows
_ENOUGH_NAMED = 0.5  # of the ids that a file names, to be those of a column
_FEW = 1 / 3  # of the rows, which may be headings or sums


class Named(NamedTuple):
    """Ids of rows, as in a column of matches, which may be those of the other table."""

    header: str
    ids: set[str]
    is_first: bool = True  # whether the column stands where the table's own would


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


def without_nameless(frame: pd.DataFrame, needed: Collection[str | None] = ()) -> pd.DataFrame:
    """Drop columns of texts without name and value, which delimiters at the ends of lines make.

    The first one stays if a column without a name is ``needed``.
    """
    names = list(frame.columns)
    first = {names.index(name) for name in needed if name in names}
    kept = [
        n for n, name in enumerate(names) if n in first or name.strip() or any(frame.iloc[:, n])
    ]
    return frame if len(kept) == len(names) else frame.iloc[:, kept]


def columns_of_bytes(frame: pd.DataFrame) -> list[object]:
    objects = frame.columns[list(map(pd.api.types.is_object_dtype, frame.dtypes))]
    return [name for name in objects if any(isinstance(value, bytes) for value in frame[name])]


def find_id_column(frame: pd.DataFrame, view: View, named: Sequence[Named] = ()) -> str | None:
    """Return the column that was asked for, an index, one called id or nothing, or a likely one.

    But rather one whose values are ``named``, as in a column of matches, if that hardly has any.
    """
    if view.id_column is not None:
        if view.id_column not in frame.columns:
            raise DataError(no_column(frame, view.id_column, view.path))
        return view.id_column
    if "index" in frame.attrs:
        return str(frame.attrs["index"])
    frame = without_attrs(frame)
    of_bytes = set(columns_of_bytes(frame))
    texts = [column for column in frame.columns if column not in of_bytes]
    usual = [str(column) for column in texts if str(column).strip().lower() in _USUAL]
    usual.sort(key=lambda column: not column.strip())  # which may be the numbers of pandas
    distinct = (column for column in usual[:-1] if not _repeats(frame[column]))
    asked_for = {*view.asked_for}
    others = [str(column) for column in texts if column not in asked_for]
    likely = (column for column in others if looks_like_ids(column, frame[column]))
    codes = (column for column in others if looks_like_codes(frame[column]))
    found = next(chain(distinct, usual[-1:], likely, codes), None)
    candidates = [str(column) for column in texts if column not in asked_for or column == found]
    called = _called(frame, candidates, named)
    if called:  # the header of the file tells which of its ids are those of this table
        best, _ = _named_column(frame, found, candidates, called, [*called.values()], plain_id)
        return _with_repeats(frame, called, named) if best is None else best
    every = [one.ids for one in named if one.ids]
    own = [one.ids for one in named if one.ids and one.is_first]
    # what is written counts before numbers that are the same
    for spelled, ids in ((str, own), (str, every), (plain_id, own), (plain_id, every)):
        best, share = _named_column(frame, found, candidates, called, ids, spelled)
        if best is not None and share >= _ENOUGH_NAMED:
            break
    if best is None and share < _ENOUGH_NAMED:
        return _with_repeats(frame, candidates, named)
    if best is None or found in (None, best) or not _has_numbers(frame[found], frame[best], ids):
        return best
    return found


def _with_repeats(
    frame: pd.DataFrame, columns: Iterable[str], named: Sequence[Named]
) -> str | None:
    """Return a column that holds the ids of matches, though few repeat: which ones is then told."""
    of_matches = [{*map(plain_id, one.ids)} for one in named if one.ids and one.header]
    numbers = {*map(str, frame.index)}
    for column in columns:
        known = {*plain_ids(frame[column])}
        is_likely = 2 * len(known) > len(frame) and _repeats(frame[column])
        shares = ((_share(ids, known), _share(ids, numbers)) for ids in of_matches)
        if is_likely and any(own >= max(_ENOUGH_NAMED, other) for own, other in shares):
            return column
    return None


def _has_numbers(found: pd.Series[Any], written: pd.Series[Any], named: Iterable[set[str]]) -> bool:
    """Tell whether a likely column has the same numbers as one that has ids as they are written.

    Which one is meant is then asked for, unless zeros in front or a `.0` tell.
    """
    numbers, texts = {*plain_ids(found)}, {*as_texts(written)}
    return any(
        _share(some, numbers) >= _share(some, texts) >= _ENOUGH_NAMED
        for some in named
        if some == {*map(plain_id, some)}
    )


def other_readings(
    frame: pd.DataFrame, view: View, id_column: str | None, ids: list[str], named: Sequence[Named]
) -> dict[str, set[str]]:
    """Return what other columns hold that files may name rather than these ids by their numbers."""
    found: dict[str, set[str]] = {}
    header, written = (id_column or "").strip().casefold(), {*ids}
    names = [one.ids for one in named if one.ids and one.header != header]
    names = [some for some in names if _share(some, written) < _ENOUGH_NAMED]
    if not names or view.id_column is not None or "index" in frame.attrs:
        return found
    numbers = [*map(plain_id, ids)]
    names = [{*map(plain_id, some)} for some in names]
    names = [some for some in names if _share(some, {*numbers}) >= _ENOUGH_NAMED]
    if not names:
        return found
    frame = without_attrs(frame)
    for column in frame.columns.difference(columns_of_bytes(frame)).difference([id_column]):
        if _repeats(frame[column]) or (own := plain_ids(frame[column])) == numbers:
            continue
        if any(_share(some, {*own}) >= _share(some, {*numbers}) for some in names):
            found[column] = {*as_texts(frame[column])}
    return found


def _share(named: set[str], known: set[str]) -> float:
    return len(named & known) / len(named)


def _called(
    frame: pd.DataFrame, candidates: list[str], named: Sequence[Named]
) -> dict[str, set[str]]:
    """Return the ids by the columns that files call them by, if these hold them.

    If they call several columns, those where the table's own column would stand.
    """
    folded = {column.strip().casefold(): column for column in candidates if column.strip()}
    found: dict[bool, dict[str, set[str]]] = {True: {}, False: {}}
    for one in named:
        if one.ids and one.header in folded:
            column = folded[one.header]
            known = {*plain_ids(frame[column])}
            if _share(set(map(plain_id, one.ids)), known) >= _ENOUGH_NAMED:
                found[one.is_first][column] = one.ids
    return found[True] or found[False]


class _Held(NamedTuple):
    """A column, and the share of the ids that files name which it has."""

    column: str | None
    share: float


def _named_column(
    frame: pd.DataFrame,
    found: str | None,
    candidates: list[str],
    called: Mapping[str, set[str]],
    of_table: Sequence[set[str]],
    spelled: Callable[[str], str],
) -> _Held:
    """Return the column whose values are named, else the one found."""

    def shares(column: pd.Series[Any], named: Iterable[set[str]]) -> list[float]:
        own = {*map(spelled, as_texts(column.dropna()))}
        return [len(own.intersection(map(spelled, ids))) / len(ids) for ids in named]

    if not of_table:
        return _Held(found, 0.0)
    if found is None:  # 1.0 does not number a row
        numbers = set(as_texts(frame.index.to_series()))
        of_found = [len(ids & numbers) / len(ids) for ids in of_table]
    else:
        of_found = shares(frame[found], of_table)
    is_named = max(of_found) >= _ENOUGH_NAMED
    if is_named and found is not None:
        if found in called:
            return _Held(found, max(of_found))
        usual = (column for column in candidates if column.strip().lower() in _USUAL)
        candidates = list(dict.fromkeys((*called, *usual)))
    better: list[_Held] = []
    for column in candidates:
        # numbers that name rows, and a glance at many other columns is quick
        is_glance = is_named and column not in called
        if is_glance and not as_texts(frame[column].head(GLANCE)).str.isdigit().all():
            continue
        if _repeats(frame[column]):
            continue
        own = shares(frame[column], of_table)
        largest = max(own)
        if is_named:  # a quantity may hold all numbers of rows: is it called so, or holds it more?
            is_more = any(largest == one > other for one, other in zip(own, of_found, strict=True))
            is_better = largest >= max(of_found) and (column in called or is_more)
        else:
            is_better = largest >= max(_ENOUGH_NAMED, 2 * max(of_found))
        if is_better:
            better.append(_Held(column, largest))
    return max(
        better,
        key=lambda held: (held.column in called, held.share),
        default=_Held(found, max(of_found)),
    )


def _repeats(column: pd.Series[Any]) -> bool:
    """Tell whether values repeat or are missing, as ids may not."""
    return bool(is_missing(column).any() or as_texts(column).duplicated().any())


def ids_of(frame: pd.DataFrame, column: str | None, path: str) -> list[str]:
    """Return the ids of rows; their numbers where no column names them."""
    if column is None:
        return [str(number) for number in frame.index]
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
            f" {_row(frame, first)} has; ids must be distinct."
        )
    return ids.tolist()


def id_texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return ids as text, "" where none is: with zeros in front, where a workbook shows these."""
    texts = as_texts(column).mask(column.isna(), "")
    width = column.attrs.get("widths", {}).get(column.name)
    return texts.where(~texts.str.isdecimal(), texts.str.zfill(width)) if width else texts


def plain_id(name: str) -> str:
    """Return the number that an id is, however files write it: 7 for 007 and 7.0."""
    number = name.removesuffix(".0")
    return number.lstrip("0") or "0" if number.isdecimal() else name


def plain_ids(column: pd.Series[Any]) -> list[str]:
    """Return what a column holds as such numbers, without missing values."""
    return [*map(plain_id, as_texts(column.dropna()))]


def leads_with_zeros(name: str) -> bool:
    return name.startswith("0") and name != "0"


class RowsById(dict[str, int]):
    """The row of every id."""

    @cached_property
    def _plain(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for name, row in self.items():
            number = plain_id(name)
            if found.setdefault(number, row) != row:
                found[number] = -1
        return found

    def called(self, name: str) -> int:
        """Return the row of an id as it is written, or −1."""
        return self.get(name, -1)

    def find(self, name: str) -> int:
        """Return the row of an id, else the only one whose id is the same number, else −1."""
        if name in self:
            return self[name]
        return self._plain.get(plain_id(name), -1)


def spelled_like(ids: Sequence[str], others: Iterable[str]) -> list[str]:
    """Return ids as others are written, such as 007 for 7, where these are the same."""
    rows, spelled, there = RowsById(zip(ids, count())), [*ids], {*others}
    for other in others:
        row = rows.find(other)
        if row >= 0 and ids[row] not in there:
            spelled[row] = other
    return spelled


def no_column(frame: pd.DataFrame, column: str, path: str) -> str:
    """Say that there is no such column."""
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
    number = int(frame.index[row])
    if "files" not in frame.attrs:
        return f"row {number}"
    first, file = max(one for one in frame.attrs["files"] if one[0] <= number)
    return f"{file}: row {number - first}"


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
    for rows, what in ((empty, "headings"), (totals, "sums")):
        if 0 < len(rows) <= _FEW * len(frame):
            (row, has), n = next(iter(rows.items())), len(rows)
            yield (
                f"{place_of(frame, path, row)} has {has}; {counted(n, 'row')}"
                f" {agreeing(n, 'is', 'are')} like that. Delete such rows if they are {what}."
            )
