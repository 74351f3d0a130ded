"""Ids of tables, and which tables the columns of a file hold ids of."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mvcc.constraints import is_kind
from mvcc.tables.reading._codes import looks_like_codes, looks_like_ids, may_name_rows
from mvcc.tables.reading._column import is_missing, without_attrs
from mvcc.tables.reading._rows import id_texts, plain_id

_ENOUGH = 0.5  # of the values of a column, to be ids of a table
_HARDLY_REPEATED = 0.9  # distinct values among those of a column that may name rows
_GLANCED = 10  # rows of a column, which tell whether it holds measurements
_MEASURED = re.compile(r"[-+]?\d*[.,]\d{6,}(e[-+]?\d+)?", re.IGNORECASE)  # which name no rows
Ids = dict[str, set[str]]  # of a table: what each of its columns that may name the rows holds


class End(NamedTuple):
    """A column of a table that ids are from."""

    table: str  # the path
    column: str


class Ends(NamedTuple):
    """The tables that pairs of ids name, and the share of ids found there."""

    first: End
    second: End
    share: float

    @property
    def tables(self) -> set[str]:
        """The paths of both tables, or of the only one."""
        return {self.first.table, self.second.table}


class Candidate(NamedTuple):
    """A column that others may hold ids of."""

    order: list[float]  # what it is sorted by
    share: float  # of the ids that it has
    end: End


def ids_in(frame: pd.DataFrame) -> Ids:
    """Return the columns of a table with a value of its own in each row, and their values."""
    frame = without_attrs(frame)
    ids: Ids = {}
    for n, name in enumerate(frame.columns):
        column = frame.iloc[:, n]
        first = [str(value).strip() for value in column.iloc[:_GLANCED].tolist()]
        if column.dtype.kind != "f" and first and all(map(_MEASURED.fullmatch, first)):
            continue  # these texts would take several times the memory of a large table
        if len({*first}) < len(first):
            continue  # a glance, where there are many columns
        values = set(texts_in(column))
        if len(values) == len(frame):
            ids[str(name)] = values.union(map(plain_id, values))
    return ids


def with_repeated(tables: Mapping[str, Ids], frames: Mapping[str, pd.DataFrame]) -> dict[str, Ids]:
    """Add columns that would name rows, but for gaps and some repetitions, which a reader tells."""
    extended = {path: dict(ids) for path, ids in tables.items()}
    bare = ((ids, without_attrs(frames[path])) for path, ids in extended.items())
    for ids, (name, column) in ((ids, item) for ids, frame in bare for item in frame.items()):
        for cells in (column.iloc[:_GLANCED], column):
            texts = texts_in(cells)
            distinct = pd.Series(texts, dtype=object).drop_duplicates()
            are_likely = looks_like_ids(str(name), distinct) or looks_like_codes(distinct)
            has_gaps = cells is not column or len(texts) < len(cells)
            hardly_repeat = len(distinct) >= _HARDLY_REPEATED * len(texts)
            if not are_likely and not (has_gaps and hardly_repeat and may_name_rows(distinct)):
                break
        else:
            if 2 * len(distinct) > len(column):
                ids[str(name)] = {*distinct, *map(plain_id, distinct)}
    return extended


def texts_in(column: pd.Series[Any]) -> list[str]:
    try:
        return id_texts(column[~is_missing(column)]).tolist()
    except UnicodeDecodeError:  # bytes name no rows; who reads the table says what to do
        return []


def ends_of(
    frame: pd.DataFrame,
    tables: Mapping[str, Ids],
    likely: Collection[str] = (),
    spelled: Callable[[str], str] = plain_id,
) -> Ends | None:
    """Return which tables two columns hold ids of, two or one; ``likely`` pairs come last."""
    paths = [*tables]
    frame = without_attrs(frame)
    columns = ((str(frame.columns[n]), {*texts_in(frame.iloc[:, n])}) for n in (0, 1))
    firsts, seconds = (tables_with(*column, tables, likely, spelled) for column in columns)
    has_kinds = frame.shape[1] > 2 and are_kinds(frame.iloc[:, 2])
    ends: list[tuple[list[float], Ends]] = []
    for first, second in product(firsts, seconds):
        is_of_two = first.end.table != second.end.table
        if (has_kinds and first.end == second.end) or (not has_kinds and is_of_two):
            order = [sum(pair) for pair in zip(first.order, second.order, strict=True)]
            order.append(paths.index(first.end.table) > paths.index(second.end.table))
            ends.append((order, Ends(first.end, second.end, min(first.share, second.share))))
    return min(ends, key=lambda entry: entry[0])[1] if ends else None


def tables_with(
    name: str,
    values: set[str],
    tables: Mapping[str, Ids],
    likely: Collection[str],
    spelled: Callable[[str], str] = plain_id,
) -> list[Candidate]:
    """Return the columns of tables that a column may hold ids of, those called like it first."""
    name = name.strip().casefold()
    candidates: list[Candidate] = []
    alike = set(map(spelled, values))
    for path, ids in tables.items():
        is_other = name != Path(path).stem.casefold()
        for column, known in ids.items():
            share = len(alike & known) / max(len(alike), 1)
            if share >= _ENOUGH:
                has_name = name == column.casefold()
                n_written = len(values & known)
                order = [is_other, path in likely, not has_name, -n_written, -share]
                candidates.append(Candidate(order, share, End(path, column)))
    return sorted(candidates, key=lambda candidate: candidate.order)


def are_kinds(column: pd.Series[Any]) -> bool:
    return all(map(is_kind, column))  # which may hold lists
