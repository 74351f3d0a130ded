"""Constraints as users give them for one table: by row numbers, or by ids in a DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mvcc._utils.messages import shown
from mvcc._utils.validation import rows_named
from mvcc.constraints._constraints import Constraints
from mvcc.constraints._csv import COLUMNS, is_must_link
from mvcc.exceptions import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd


def constraints_on(X: Any, n: int, given: Any) -> Constraints:
    """Return the constraints on the n rows of X, from a DataFrame of ids or row numbers, too."""
    if given is None:
        return Constraints.empty()
    if not isinstance(given, Constraints):
        import pandas as pd  # constraints without ids need none

        if not isinstance(given, pd.DataFrame):
            raise InvalidInputError(
                "constraints must be mvcc.Constraints, a DataFrame or None, not "
                f"{type(given).__name__}."
            )
        if isinstance(X, pd.DataFrame):
            return constraints_of_frame(given, X.index, "the row index of X")
        return constraints_of_frame(given, pd.RangeIndex(n), f"the row numbers of X, 0 … {n - 1}")
    if given.largest_row() >= n:
        raise InvalidInputError(
            f"A constraint names row {given.largest_row()}, but X has only {n} rows."
        )
    return given


def constraints_of_frame(
    frame: pd.DataFrame, index: pd.Index[Any], index_in_words: str, where: str = "constraints"
) -> Constraints:
    """Return the constraints that a DataFrame of ids holds, which messages call ``where``."""
    columns = list(frame.columns)
    if columns not in (COLUMNS, COLUMNS[:3]):
        raise InvalidInputError(
            f"{where}: the columns must be i, j, kind or i, j, kind, weight, not {shown(columns)}."
        )
    pairs = [
        rows_named(frame[end], index, index_in_words, f"{where}, column {end}")
        for end in ("i", "j")
    ]
    kinds = [is_must_link(kind, f"{where}, row {row}") for row, kind in enumerate(frame["kind"])]
    try:
        return Constraints(np.column_stack(pairs), kinds, frame.get("weight"))
    except InvalidInputError as error:
        raise InvalidInputError(f"{where}: {error}") from error
