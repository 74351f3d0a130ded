"""Ids of rows, as users give them, and the numbers of the rows that they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mvcc._utils.messages import clipped, most_like, shown
from mvcc._utils.types import Ints
from mvcc.exceptions import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

_MOST_COMPARED = 10_000  # ids, in search of the nearest one to an unknown id


def number_rows(ids: Sequence[str]) -> dict[str, int]:
    """Return the number of the row that each id names."""
    row_of: dict[str, int] = {}
    for row, name in enumerate(ids):
        if (first := row_of.setdefault(name, row)) != row:
            raise InvalidInputError(
                f"{shown(name)} {_repeated(first, row, 'ids')}; give every row an id of its own."
            )
    return row_of


def rows_named(ids: pd.Series[Any], index: pd.Index[Any], index_in_words: str, where: str) -> Ints:
    """Return the numbers of the rows that ids name in a row index."""
    import pandas as pd  # constraints without ids need none

    if index.nlevels > 1:
        raise InvalidInputError(
            f"{where}: {index_in_words} has {index.nlevels} levels; ids need an index of one."
        )
    missing = np.flatnonzero(ids.isna())
    if missing.size:
        raise InvalidInputError(f"{where}: row {missing[0]} has no id; leave such rows out.")
    first = np.flatnonzero(~index.duplicated())
    try:
        found = index[first].get_indexer(pd.Index(ids))
    except TypeError as error:
        raise InvalidInputError(
            f"{where}: an id must be a single number or text: {clipped(str(error), 200)}."
        ) from error
    unknown = np.flatnonzero(found < 0)
    if unknown.size:
        more = f", nor are {unknown.size - 1} other rows" if unknown.size > 1 else ""
        name = ids.tolist()[unknown[0]]
        raise InvalidInputError(
            f"{where}: {shown(name)} of row {unknown[0]} is not in"
            f" {index_in_words}{more}.{_likely(name, index)}"
        )
    rows: Ints = first[found]
    repeated = np.flatnonzero(index.duplicated(keep=False)[rows])
    if repeated.size:
        twice = index.get_indexer_for(index[rows[repeated[:1]]])
        raise InvalidInputError(
            f"{where}: {shown(ids.tolist()[repeated[0]])} of row {repeated[0]}"
            f" {_repeated(int(twice[0]), int(twice[1]), index_in_words)}; make the index unique, or"
            " relate row numbers."
        )
    return rows


def _repeated(first: int, second: int, where: str) -> str:
    """Say of an id that it does not name one row."""
    return f"stands more than once in {where}, in rows {first} and {second}"


def _likely(name: Any, index: pd.Index[Any]) -> str:
    """Say what was probably meant by an id that is not in the index."""
    known = {str(entry): entry for entry in index[:_MOST_COMPARED]}
    if str(name) in known:
        there = known[str(name)]
        return (
            f" The index has {shown(there)} as {type(there).__name__}, not {type(name).__name__};"
            " convert one."
        )
    return nearest_of(name, list(known.values()))


def nearest_of(name: Any, known: Sequence[Any]) -> str:
    """Ask whether the most similar one was meant, if one is similar."""
    near = most_like(name, known)
    return "" if near is None else f" Did you mean {shown(near)}?"
