"""Constraints and relations as users give them: checked, by row numbers or ids in a DataFrame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mvcc._utils.arrays import Ints
from mvcc._utils.ids import NamedRows, rows_named
from mvcc._utils.messages import called, shown
from mvcc._utils.validation import as_numbers, as_pandas
from mvcc.constraints._constraints import Constraints
from mvcc.constraints._csv import COLUMNS, is_must_link
from mvcc.exceptions import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

Relations = dict[tuple[int, int], Ints]
NO_RELATIONS = np.empty((0, 2), dtype=np.int64)
_BY_PAIRS = "; Constraints.from_pairs makes them of pairs of rows."


class FitsConstraints(ABC):
    """An estimator that learns from the rows of one view and constraints."""

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        constraints: Constraints | pd.DataFrame | None = None,
    ) -> Self:
        """Learn from the rows of X under pairwise constraints.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Instances of one view. Computed in double precision.
        y : ignored
        constraints : Constraints or DataFrame, default=None
            A DataFrame has the columns i, j, kind and perhaps weight, with rows by the index of X,
            or by number. Taken as given; ``constraints.closure()`` adds what follows from them.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            For NaN or infinity in X, constraints on rows that X does not have or in the place of
            y, or impossible parameters.
        """
        if isinstance(y, Constraints) or [*getattr(y, "columns", ())][:3] == COLUMNS[:3]:
            raise InvalidInputError("y is ignored; give the constraints by name: constraints=….")
        learner = copy(self)  # so that a refused fit leaves the former one as it is
        learner._learn(X, constraints)
        self.__dict__ = learner.__dict__
        return self

    @abstractmethod
    def _learn(self, X: ArrayLike, constraints: Constraints | pd.DataFrame | None) -> None:
        """Set what is learned."""


def constraints_on(X: Any, n: int, given: Any) -> Constraints:
    """Return the constraints on the n rows of X, from a DataFrame of ids or row numbers, too."""
    if given is None:
        return Constraints.empty()
    if not isinstance(given, Constraints):
        import pandas as pd  # constraints without ids need none

        given = as_pandas(given)
        if not isinstance(given, pd.DataFrame):
            raise InvalidInputError(
                "constraints must be mvcc.Constraints, a DataFrame or None, not "
                f"{type(given).__name__}{_BY_PAIRS}"
            )
        return constraints_of_frame(given, NamedRows.of(X, n, "X"))
    return check_rows(given, n)


def check_rows(given: Any, n: int, noun: str = "X") -> Constraints:
    """Return constraints; refuse what is none, and rows beyond the n of an array."""
    if not isinstance(given, Constraints):
        raise InvalidInputError(
            f"constraints must be mvcc.Constraints, not {type(given).__name__}."
        )
    if given.largest_row() >= n:
        raise InvalidInputError(
            f"A constraint names row {given.largest_row()}, but {noun} has only {n} rows."
        )
    return given


def constraints_of_frame(
    frame: pd.DataFrame, rows: NamedRows, where: str = "constraints"
) -> Constraints:
    """Return the constraints that a DataFrame of ids holds, which messages call ``where``."""
    columns = list(frame.columns)
    if sorted(map(str, columns)) not in (COLUMNS, COLUMNS[:3]):
        raise InvalidInputError(
            f"{where}: the columns must be i, j, kind or i, j, kind, weight, not {shown(columns)}."
        )
    pairs = [rows_named(frame[end], rows, f"{where}, column {end}") for end in ("i", "j")]
    kinds = [is_must_link(kind, f"{where}, row {row}") for row, kind in enumerate(frame["kind"])]
    try:
        return Constraints(np.column_stack(pairs), kinds, frame.get("weight"))
    except InvalidInputError as error:
        raise InvalidInputError(f"{where}: {error}") from error


def check_mappings(
    mappings: Mapping[tuple[int, int], ArrayLike] | None,
    sizes: Sequence[int],
    names: Sequence[str] | None = None,
    noun: str = "mappings",
) -> Relations:
    """Return relations, in either orientation, as sorted, distinct rows under keys u < v."""
    if mappings is not None and not isinstance(mappings, Mapping):
        raise InvalidInputError(
            f"mappings must be a dict {{(u, v): rows of the views u and v}}, not "
            f"{type(mappings).__name__}."
        )
    n_views = len(sizes)
    gathered: dict[tuple[int, int], list[Ints]] = {}
    for key, pairs in (mappings or {}).items():
        u, v = view_pair(key, n_views)
        where = f"{noun}[{key if names is None else f'{called(u, names)}, {called(v, names)}'}]"
        rows = as_numbers(pairs, where)
        if rows.size == 0:
            rows = NO_RELATIONS
        if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
            raise InvalidInputError(
                f"{where} must be integer row numbers of shape (r, 2), not {rows.dtype} of shape "
                f"{rows.shape}."
            )
        for column, view in ((0, u), (1, v)):
            bad = np.flatnonzero((rows[:, column] < 0) | (rows[:, column] >= sizes[view]))
            if bad.size:
                raise InvalidInputError(
                    f"{where}[{bad[0]}] names row {rows[bad[0], column]} of view "
                    f"{called(view, names)}, which has rows 0 … {sizes[view] - 1}."
                )
        rows = rows.astype(np.int64)
        gathered.setdefault((min(u, v), max(u, v)), []).append(rows if u < v else rows[:, ::-1])
    return {key: _distinct(np.concatenate(parts)) for key, parts in sorted(gathered.items())}


def view_pair(key: Any, n_views: int) -> tuple[int, int]:
    """Return the numbers of the two different views that a key of mappings names."""
    if isinstance(key, tuple) and len(key) == 2:
        are_numbers = all(isinstance(view, (int, np.integer)) for view in key)
        if are_numbers and key[0] != key[1] and min(key) >= 0 and max(key) < n_views:
            return int(key[0]), int(key[1])
    raise InvalidInputError(
        f"mappings: {shown(key)} does not name two different views of 0 … {n_views - 1} as (u, v)."
    )


def _distinct(rows: Ints) -> Ints:
    """Return the distinct rows of an (r, 2) array of row numbers, sorted."""
    keys = np.unique((rows[:, 0] << 32) | rows[:, 1])
    return np.column_stack((keys >> 32, keys & 0xFFFFFFFF))


def check_constraints(
    constraints: list[Any],
    names: Sequence[str] | None = None,
    allowed: str = "mvcc.Constraints or None",
) -> list[Constraints]:
    """Return the constraints of every view, none where there is None."""
    for view, c in enumerate(constraints):
        if not isinstance(c, Constraints | None):
            raise InvalidInputError(
                f"constraints[{called(view, names)}] must be {allowed}, not "
                f"{type(c).__name__}{_BY_PAIRS}"
            )
    return [Constraints.empty() if c is None else c for c in constraints]
