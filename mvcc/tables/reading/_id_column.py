"""Which column of a table names its rows, by its name, its values, and ids that files name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import pandas as pd

from mvcc.exceptions import DataError
from mvcc.tables._job import View
from mvcc.tables.reading._codes import USUAL_IDS, looks_like_codes, looks_like_ids
from mvcc.tables.reading._column import GLANCE, as_texts, given_texts, is_missing, without_attrs
from mvcc.tables.reading._rows import (
    columns_of_bytes,
    id_texts,
    listed,
    no_column,
    plain_id,
    plain_ids,
)

_USUAL = (*USUAL_IDS, "")  # names of columns that name rows
_HARDLY_REPEATED = 0.9  # distinct values among those of a column that files mean
_ENOUGH_NAMED = 0.5  # of the ids that a file names, to be those of a column
_FEWEST_OF_GROUPS = 10  # rows; in fewer, an id twice is a mistake


class Named(NamedTuple):
    """Ids of rows, as in a column of matches, which may be those of the other table."""

    header: str
    ids: set[str]
    is_first: bool = True  # whether the column stands where the table's own would
    of_table: bool = False  # whether they are those of another table

    @property
    def plain(self) -> set[str]:
        return {*map(plain_id, self.ids)}


def find_id_column(frame: pd.DataFrame, view: View, named: Sequence[Named] = ()) -> str | None:
    """Return the column of ids that was asked for, or is usual, likely, or holds ids ``named``."""
    if view.id_column is not None:
        if view.id_column not in frame.columns:
            raise DataError(no_column(frame, view.id_column, view.path))
        return view.id_column
    if "index" in frame.attrs:
        return str(frame.attrs["index"])
    frame = without_attrs(frame)
    of_bytes = set(columns_of_bytes(frame))
    texts = [str(column) for column in frame.columns if column not in of_bytes]
    asked_for = {*view.asked_for}
    others = [column for column in texts if column not in asked_for]
    like_ids = (column for column in others if looks_like_ids(column, frame[column]))
    codes = (column for column in others if looks_like_codes(frame[column]))
    likely = next(chain(_called_id(frame, texts, named), like_ids, codes), None)
    candidates = [column for column in texts if column not in asked_for or column == likely]
    called = _called(frame, candidates, named)

    @cache  # as it takes long for many columns
    def repeats(column: str) -> bool:
        return _repeats(frame[column])

    if called:  # the header of the file tells which of its ids are those of this table
        ids = [*called.values()]
        best, _ = _named_column(frame, likely, candidates, called, ids, plain_id, repeats)
        return _with_repeats(frame, called, named) if best is None else best
    all_ids = [entry.ids for entry in named]
    own_ids = [entry.ids for entry in named if entry.is_first]
    # what is written counts before numbers that are the same
    for spelled, ids in ((str, own_ids), (str, all_ids), (plain_id, own_ids), (plain_id, all_ids)):
        best, share = _named_column(frame, likely, candidates, called, ids, spelled, repeats)
        if best is not None and share >= _ENOUGH_NAMED:
            break
    if best is None and share < _ENOUGH_NAMED:
        return _with_repeats(frame, candidates, named)
    if best is None or likely in (None, best) or not _has_numbers(frame[likely], frame[best], ids):
        return best
    return likely


def _called_id(frame: pd.DataFrame, columns: list[str], named: Sequence[Named]) -> Iterator[str]:
    """Give the columns that are called id or nothing; of several, those without repetitions."""
    usual = [column for column in columns if column.strip().lower() in _USUAL]
    usual.sort(key=lambda column: not column.strip())  # which may be the numbers of pandas
    yield from (column for column in usual[:-1] if not _repeats(frame[column]))
    for column in usual[-1:]:
        if not _of_groups(frame[[column]]) or _is_meant(frame[column], named):
            yield column


def _is_meant(column: pd.Series[Any], named: Sequence[Named]) -> bool:
    """Tell whether matches or constraints hold what a column does, rather than row numbers."""
    known, numbers = {*plain_ids(column)}, {*map(str, column.index)}
    own = [entry.plain for entry in named if entry.is_first and not entry.of_table]
    return any(_share(ids, known) >= max(_ENOUGH_NAMED, _share(ids, numbers)) for ids in own)


def _of_groups(columns: pd.DataFrame) -> list[str]:
    """Return which columns called id are of things that mostly have several rows."""
    if len(columns) < _FEWEST_OF_GROUPS:
        return []
    texts = {name: given_texts(values) for name, values in columns.items() if str(name).strip()}
    shares = {name: ids.duplicated(keep=False).mean() for name, ids in texts.items()}
    return [str(name) for name, share in shares.items() if share > _ENOUGH_NAMED]


def notes_on_groups(frame: pd.DataFrame, view: View, id_column: str | None) -> Iterator[str]:
    """Say which column is called id but cannot name the rows, since most of its ids repeat."""
    if view.id_column is not None:
        return
    named = "numbers name"
    if id_column:
        named = f"{listed([id_column])} names"
    others = frame.columns.difference([id_column, *view.ignore], sort=False)
    for name in _of_groups(frame[[name for name in others if name.strip().lower() in USUAL_IDS]]):
        yield (
            f"{view.path}: most values of the column {listed([name])} stand in several rows, so"
            f" {named} the rows. If an id is one object, make one row of it first."
        )


def _with_repeats(
    frame: pd.DataFrame, columns: Iterable[str], named: Sequence[Named]
) -> str | None:
    """Return a column that holds the ids of matches, though few repeat: which ones is then told."""
    of_matches = [(entry.is_first, entry.plain) for entry in named if entry.header]
    numbers = {*map(str, frame.index)}
    if not of_matches:
        return None
    for column in columns:
        known = {*plain_ids(frame[column])}
        may_be_ids = 2 * len(known) > len(frame) and not is_missing(frame[column]).any()
        is_likely = may_be_ids and _repeats(frame[column])
        shares = [(is_own, _share(ids, known), _share(ids, numbers)) for is_own, ids in of_matches]
        # which a column with ids of the other table, called as in the file, does not change
        is_numbered = any(is_own and rows >= _ENOUGH_NAMED > ids for is_own, ids, rows in shares)
        names_some = any(ids >= max(_ENOUGH_NAMED, rows) for _, ids, rows in shares)
        if is_likely and names_some and not is_numbered:
            return column
    return None


def keys_named(
    frame: pd.DataFrame, id_column: str | None, ids: list[str], named: Sequence[Named]
) -> dict[str, tuple[str, list[str]]]:
    """Return the column, with its values, that files mean which do not name rows, by its header."""
    rows = {*map(plain_id, ids)}
    named = [entry for entry in named if entry.header]  # constraints may name rows by their ids
    plain = [entry.plain for entry in named]
    if any(_are_most_in(named_ids, rows) for named_ids in plain):
        return {}
    frame = without_attrs(frame)
    names = frame.columns.difference([id_column, *columns_of_bytes(frame)], sort=False)
    keys: dict[str, tuple[str, list[str]]] = {}
    for entry, named_ids in zip(named, plain, strict=True):
        called = [name for name in names if name.strip().casefold() == entry.header]
        for name in called or [name for name in names if entry.is_first]:
            values = id_texts(frame[name]).tolist()
            filled = [*map(plain_id, filter(None, values))]
            hardly_repeat = len({*filled}) >= _HARDLY_REPEATED * len(filled)  # as quantities do
            # without gaps it would name the rows
            is_likely = len(filled) < len(values) and hardly_repeat
            if (called or is_likely) and _are_most_in(named_ids, {*filled}):
                keys[entry.header] = name, values
                break
    return keys


def _has_numbers(likely: pd.Series[Any], best: pd.Series[Any], named: Iterable[set[str]]) -> bool:
    """Tell whether a likely column has the same numbers as one that has ids as written."""
    numbers, texts = {*plain_ids(likely)}, {*as_texts(best)}
    plain = (ids for ids in named if ids == {*map(plain_id, ids)})
    return any(_share(ids, numbers) >= _share(ids, texts) >= _ENOUGH_NAMED for ids in plain)


def other_readings(
    frame: pd.DataFrame, view: View, id_column: str | None, ids: list[str], named: Sequence[Named]
) -> dict[str, set[str]]:
    """Return what other columns hold that files may name rather than these ids by their numbers."""
    if view.id_column is not None or "index" in frame.attrs:
        return {}
    header, written = (id_column or "").strip().casefold(), {*ids}
    others = [entry for entry in named if entry.header != header]
    unlike = [entry.plain for entry in others if not _are_most_in(entry.ids, written)]
    if not unlike:
        return {}
    numbers = [*map(plain_id, ids)]
    every = {*numbers}
    same = [plain for plain in unlike if _are_most_in(plain, every)]
    if not same:
        return {}
    frame, column_texts = without_attrs(frame), dict[str, set[str]]()
    for column in frame.columns.difference(columns_of_bytes(frame)).difference([id_column]):
        if _repeats(frame[column]) or (values := plain_ids(frame[column])) == numbers:
            continue
        if any(_share(plain, {*values}) >= _share(plain, every) for plain in same):
            column_texts[column] = {*as_texts(frame[column])}
    return column_texts


def _share(named: set[str], known: set[str]) -> float:
    return len(named & known) / len(named)


def _are_most_in(named: set[str], known: set[str]) -> bool:
    return _share(named, known) >= _ENOUGH_NAMED


def _called(
    frame: pd.DataFrame, candidates: list[str], named: Sequence[Named]
) -> dict[str, set[str]]:
    """Return ids by the columns that files call them by and that hold them, own sides first."""
    folded = {column.strip().casefold(): column for column in candidates if column.strip()}
    by_side: dict[bool, dict[str, set[str]]] = {True: {}, False: {}}
    for entry in named:
        column = folded.get(entry.header)
        if column is not None and _are_most_in(entry.plain, {*plain_ids(frame[column])}):
            by_side[entry.is_first][column] = entry.ids
    return by_side[True] or by_side[False]


def _named_column(
    frame: pd.DataFrame,
    likely: str | None,
    candidates: list[str],
    called: Mapping[str, set[str]],
    of_table: Sequence[set[str]],
    spelled: Callable[[str], str],
    repeats: Callable[[str], bool],
) -> tuple[str | None, float]:
    """Return the column whose values are named, else the likely one, and its share of the ids."""

    def shares(column: str) -> list[float]:
        values = {*map(spelled, as_texts(frame[column].dropna()))}
        return [_share({*map(spelled, ids)}, values) for ids in of_table]

    if not of_table:
        return likely, 0.0
    if likely is None:  # 1.0 does not number a row
        numbers = set(as_texts(frame.index.to_series()))
        of_likely = [_share(ids, numbers) for ids in of_table]
    else:
        of_likely = shares(likely)
    is_named = max(of_likely) >= _ENOUGH_NAMED
    if is_named and likely is not None:
        if likely in called:
            return likely, max(of_likely)
        usual = (column for column in candidates if column.strip().lower() in _USUAL)
        candidates = list(dict.fromkeys((*called, *usual)))
    better: list[tuple[str, float]] = []
    for column in candidates:
        # numbers that name rows, and a glance at many other columns is quick
        is_glance = is_named and column not in called
        if is_glance and not as_texts(frame[column].head(GLANCE)).str.isdigit().all():
            continue
        if repeats(column):
            continue
        of_new = shares(column)
        largest = max(of_new)
        if is_named:  # a quantity may hold all numbers of rows: is it called so, or holds it more?
            is_more = any(largest == new > old for new, old in zip(of_new, of_likely, strict=True))
            is_better = largest >= max(of_likely) and (column in called or is_more)
        else:
            is_better = largest >= max(_ENOUGH_NAMED, 2 * max(of_likely))
        if is_better:
            better.append((column, largest))
    best = min(better, key=lambda held: (held[0] not in called, -held[1]), default=None)
    return best or (likely, max(of_likely))


def _repeats(column: pd.Series[Any]) -> bool:
    """Tell whether values repeat or are missing, as ids may not."""
    return bool(as_texts(column).duplicated().any() or is_missing(column).any())


def first_two(names: list[str]) -> list[int]:
    """Return the places of the first two columns of ids; pandas writes numbers of lines before."""
    start = int(len(names) > 2 and names[0].strip() in ("", "Unnamed: 0"))
    return [start, start + 1]
