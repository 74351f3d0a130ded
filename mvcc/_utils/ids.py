"""Ids of rows: the rows that they name, and what ids may be that no row has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import clipped, ids_like, nearest_of, shown
from mvcc.exceptions import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

_BETWEEN = re.compile(r"[\W_]+")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def number_rows(ids: Sequence[str]) -> dict[str, int]:
    row_of: dict[str, int] = {}
    for row, name in enumerate(ids):
        if not isinstance(name, str):
            raise InvalidInputError(f"ids must be texts, got {shown(name)} in row {row}.")
        if (first := row_of.setdefault(name, row)) != row:
            raise InvalidInputError(
                f"{shown(name)} {_repeated(first, row, 'ids')}; give every row an id of its own."
            )
    return row_of


@dataclass(frozen=True, eq=False)
class NamedRows:
    """The ids of the rows of a view, what messages call these, and the view and its table."""

    index: pd.Index[Any]
    index_in_words: str
    view: str
    table: Any

    @classmethod
    def of(cls, table: Any, n: int, view: str) -> NamedRows:
        """Take the row index of a table of pandas; of anything else the numbers of its n rows."""
        import pandas as pd  # constraints without ids need none

        if isinstance(table, pd.DataFrame | pd.Series):
            return cls(table.index, f"the row index of {view}", view, table)
        return cls(pd.RangeIndex(n), f"the row numbers of {view}, 0 … {n - 1}", view, table)

    def why_unknown(self, unknown: pd.Series[Any]) -> str:
        import pandas as pd  # as above

        frame = self.table if isinstance(self.table, pd.DataFrame) else pd.DataFrame()
        ids = map(str, self.index)
        cells = ((str(name), column) for name, column in frame.items() if column.dtype.kind != "f")
        reason = why_unknown(map(str, unknown), ids, self.view, map(str, frame.columns), cells)
        name = unknown.tolist()[0]
        return reason or nearest_of(name, ids_like(name, self.index))


def rows_named(ids: pd.Series[Any], rows: NamedRows, where: str) -> Ints:
    import pandas as pd

    index, index_in_words = rows.index, rows.index_in_words
    if index.nlevels > 1:
        raise InvalidInputError(
            f"{where}: {index_in_words} has {index.nlevels} levels; ids need an index of one."
        )
    missing = np.flatnonzero(ids.isna())
    if missing.size:
        raise InvalidInputError(f"{where}: row {missing[0]} has no id; leave such rows out.")
    first_rows = np.flatnonzero(~index.duplicated())
    try:
        positions = index[first_rows].get_indexer(pd.Index(ids))
    except TypeError as error:
        raise InvalidInputError(
            f"{where}: an id must be a single number or text: {clipped(str(error), 200)}."
        ) from error
    unknown = np.flatnonzero(positions < 0)
    if unknown.size:
        name = shown(ids.tolist()[unknown[0]])
        message = f"{where}: {name} of row {unknown[0]} is not in {index_in_words}"
        if unknown.size > 1:
            message += f", nor are {unknown.size - 1} other rows"
        raise InvalidInputError(f"{message}.{rows.why_unknown(ids.iloc[unknown])}")
    row_numbers: Ints = first_rows[positions]
    repeated = np.flatnonzero(index.duplicated(keep=False)[row_numbers])
    if repeated.size:
        twice = index.get_indexer_for(index[row_numbers[repeated[:1]]])
        raise InvalidInputError(
            f"{where}: {shown(ids.tolist()[repeated[0]])} of row {repeated[0]}"
            f" {_repeated(int(twice[0]), int(twice[1]), index_in_words)}; make the index unique, or"
            " relate row numbers."
        )
    return row_numbers


def _repeated(first: int, second: int, where: str) -> str:
    """Say of an id that it does not name one row."""
    return f"stands more than once in {where}, in rows {first} and {second}"


def why_unknown(
    unknown: Iterable[str],
    ids: Iterable[str],
    table: str,
    columns: Iterable[str] = (),
    cells: Iterable[tuple[str, Iterable[object]]] = (),
) -> str:
    """Say what most of several ids are, which no row of a table has; nothing if it is not plain.

    ``columns`` are the names of its columns, ``cells`` those with their values.
    """
    names, known = {*unknown}, {*ids}
    if len(names) < 2 or names & known:  # the same in letters, so a number instead of a text
        return ""
    if _are_most(names, names.intersection(columns)):
        return (
            f" Most of them are columns of {table}: write its columns as rows, as table.T of"
            " pandas does."
        )
    for column, values in cells:
        if _are_most(names, names.intersection(map(str, values))):
            said = shown(column)
            return f" Most of them are in the column {said}: name the rows by set_index({said})."
    bare = {form: id for id in known for form in _bare(id)}
    longer = {start: id for id in known for start in _starts(id)}
    alike: dict[str, str] = {}
    for name in sorted(names):
        shorter = (start for start in _starts(name) if start in known)
        if id := next(
            filter(None, (*map(bare.get, _bare(name)), longer.get(name), *shorter)), None
        ):
            alike[name] = id
    if not _are_most(names, alike):
        return ""
    name, id = next(iter(alike.items()))
    return (
        f" Most of them are ids of {table} but for hyphens, blanks, zeros, case or an ending, such"
        f" as {shown(name)} for {shown(id)}: write both alike."
    )


def _are_most(names: set[str], subset: Iterable[str]) -> bool:
    return 2 * len([*subset]) > len(names)


def _bare(id: str) -> list[str]:
    return [_BETWEEN.sub("", form).casefold() for form in (id, _ZEROS.sub("", id))]


def _starts(id: str) -> Iterator[str]:
    """Yield what stands before each hyphen, blank and the like."""
    return (id[: sign.start()] for sign in _BETWEEN.finditer(id))
