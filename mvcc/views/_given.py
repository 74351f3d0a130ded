"""What users give as views, constraints and relations, and the arrays that it means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from mvcc._utils.arrays import Ints
from mvcc._utils.ids import NamedRows, rows_named
from mvcc._utils.messages import called, clipped, nearest_of, shown
from mvcc._utils.validation import as_array, as_list, as_numbers, as_pandas, check_data, is_integer
from mvcc.constraints import (
    Constraints,
    Relations,
    check_constraints,
    check_mappings,
    constraints_of_frame,
    view_pair,
)
from mvcc.exceptions import InvalidInputError

ViewConstraints = Constraints | pd.DataFrame | None


@dataclass(frozen=True)
class GivenViews:
    """Views as they were given, with the names of views, rows and features."""

    # one per view: array-like or DataFrame; before a transformer, whatever that takes
    tables: list[Any]
    names: list[str] | None  # the names of the views; None where they are a list

    @classmethod
    def of(cls, views: Any) -> GivenViews:
        if is_table(views):
            raise InvalidInputError(
                f"views must be a list with one entry for each view, or a dict {{name: view}}, not "
                f"{called_table(views)}; for a single view give [views]."
            )
        if isinstance(views, Mapping):
            given = cls(list(views.values()), list(views))
        else:
            given = cls(as_list(views, "views"), None)
        if not given.tables:
            raise InvalidInputError("views is empty; at least one view is needed.")
        for name in given.names or []:
            if not isinstance(name, str):
                raise InvalidInputError(
                    f"views: {shown(name)} is not a name of a view; names are texts."
                )
        return given

    def number(self, view: Any, noun: str) -> int:
        return view_number(view, self.names, len(self.tables), noun)

    def per_view(self, given: Any, noun: str) -> list[Any]:
        """Return the entries of a list, or of a dict by name or number, None where it has none."""
        n_views = len(self.tables)
        if not isinstance(given, Mapping):
            entries = as_list(given, noun)
            if len(entries) != n_views:
                raise InvalidInputError(
                    f"{noun} has {len(entries)} entries for {n_views} views; give one each."
                )
            return entries
        by_number: dict[int, Any] = {}
        for view, entry in given.items():
            v = self.number(view, noun)
            if v in by_number:
                raise InvalidInputError(
                    f"{noun}: {shown(view)} is a view that another key names, too; keep one."
                )
            by_number[v] = entry
        return [by_number.get(v) for v in range(n_views)]

    @property
    def sizes(self) -> list[int]:
        return [n_rows(table, self._place("views", v)) for v, table in enumerate(self.tables)]

    @property
    def in_words(self) -> str:
        names = (called(v, self.names) for v in range(len(self.tables)))
        return ", ".join(f"{name} ({n} rows)" for name, n in zip(names, self.sizes, strict=True))

    def arrays(self, *, sparse: bool = False) -> list[Any]:
        """Return every view as an (n_v, d_v) array of finite floats, perhaps a sparse one."""
        return [
            numbers_of(table, self._place("views", v), sparse=sparse)
            for v, table in enumerate(self.tables)
        ]

    def constraints(self, given: Any) -> list[Constraints]:
        if isinstance(given, pd.DataFrame):
            raise InvalidInputError(
                f"constraints must say which view they are of: give {{view: DataFrame}}; "
                f"{self._known()}."
            )
        entries = self.per_view({} if given is None else given, "constraints")
        for v, entry in enumerate(map(as_pandas, entries)):
            if isinstance(entry, pd.DataFrame):
                location = self._place("constraints", v)
                entries[v] = constraints_of_frame(entry, self._rows(v), location)
        checked = check_constraints(entries, self.names, "mvcc.Constraints, a DataFrame or None")
        for v, (c, size) in enumerate(zip(checked, self.sizes, strict=True)):
            if c.largest_row() >= size:
                raise InvalidInputError(
                    f"{self._place('constraints', v)} names row {c.largest_row()}, but view "
                    f"{called(v, self.names)} has rows 0 … {size - 1}."
                )
        return checked

    def relations(self, mappings: Any, noun: str = "mappings") -> Relations:
        """Return the relations as sorted, distinct pairs of rows under keys (u, v), u < v."""
        sizes = self.sizes
        if not isinstance(mappings, Mapping):
            return check_mappings(mappings, sizes, self.names)
        pairs: dict[tuple[int, int], ArrayLike] = {}
        for key, entry in mappings.items():
            u, v = self._pair(key, noun)
            if (u, v) in pairs:
                raise InvalidInputError(
                    f"{noun}: {shown(key)} names two views that another key names, too; put "
                    "their relations together."
                )
            where = f"{noun}[{called(u, self.names)}, {called(v, self.names)}]"
            pairs[u, v] = self._related(entry, (u, v), (sizes[u], sizes[v]), where)
        return check_mappings(pairs, sizes, self.names, noun)

    def _place(self, noun: str, v: int) -> str:
        return f"{noun}[{called(v, self.names)}]"

    def _pair(self, key: Any, noun: str) -> tuple[int, int]:
        """Return the numbers of the two views that a key of mappings names."""
        if self.names is None:
            return view_pair(key, len(self.tables))
        if not (isinstance(key, tuple) and len(key) == 2):
            raise InvalidInputError(
                f"{noun}: the key {shown(key)} is not a pair of views; {self._known()}."
            )
        u, v = (self.number(view, f"{noun}: the key {shown(key)}") for view in key)
        return view_pair((u, v), len(self.tables))

    def _known(self) -> str:
        return known_views(self.names, len(self.tables))

    def _related(
        self, entry: Any, views: tuple[int, int], shape: tuple[int, int], where: str
    ) -> ArrayLike:
        """Return the pairs of related rows that one entry of mappings means."""
        entry = as_pandas(entry)
        if issparse(entry):
            return _pairs_of_matrix(entry, shape, where)
        if isinstance(entry, pd.DataFrame):
            return self._pairs_of_ids(entry, views, where)
        if isinstance(entry, Mapping):
            return _pairs_of_dict(entry, where)
        rows = as_numbers(list(entry) if isinstance(entry, Iterator | Set) else entry, where)
        if rows.size and rows.dtype.kind in "OUS":
            raise InvalidInputError(
                f"{where} must be pairs of row numbers; relate ids by a DataFrame with two columns."
            )
        return rows

    def _pairs_of_ids(self, frame: pd.DataFrame, views: tuple[int, int], where: str) -> ArrayLike:
        columns = list(frame.columns)
        if len(columns) != 2:
            raise InvalidInputError(
                f"{where} must have two columns of ids, one for each view, not {len(columns)}: "
                f"{shown(columns)}; select them, as in frame[['first', 'second']]."
            )
        rows = []
        for column, view in zip(self._places(columns, views, where), views, strict=True):
            location = f"{where}, column {shown(columns[column])}"
            rows.append(rows_named(frame.iloc[:, column], self._rows(view), location))
        return np.column_stack(rows)

    def _places(self, columns: list[Any], views: tuple[int, int], where: str) -> tuple[int, int]:
        """Return the place of the column of either view: that of its name, else by the key."""
        # so pandas calls columns without names
        if columns == list(views[::-1]) and columns != [0, 1]:
            raise InvalidInputError(
                f"{where}: the columns are called {columns}, like the views of the key {views} the "
                f"other way round; call them otherwise, or put them into the order of the key."
            )
        view_of = {name: v for v, name in enumerate(self.names or ())}
        named = list(map(view_of.get, columns))
        for column, view in zip(columns, named, strict=True):
            if view not in (None, *views):
                raise InvalidInputError(
                    f"{where}: column {shown(column)} is called like a view that the key does not "
                    f"name; the columns must be ids of the two views of the key."
                )
        if named[0] is not None and named[0] == named[1]:
            raise InvalidInputError(
                f"{where}: both columns are called {shown(columns[0])}; give one for each view."
            )
        return (1, 0) if named[0] == views[1] or named[1] == views[0] else (0, 1)

    def _rows(self, v: int) -> NamedRows:
        return NamedRows.of(self.tables[v], self.sizes[v], f"view {called(v, self.names)}")


def view_number(view: Any, names: Sequence[str] | None, n_views: int, noun: str) -> int:
    """Return the number of a view that is named or numbered; the error has the nearest name."""
    known, guess = list(names or ()), ""
    if isinstance(view, str):
        if view in known:
            return known.index(view)
        guess = nearest_of(view, known)
    elif is_integer(view) and 0 <= view < n_views:
        return int(view)
    raise InvalidInputError(
        f"{noun}: there is no view {shown(view)}; {known_views(names, n_views)}.{guess}"
    )


def known_views(names: Sequence[str] | None, n_views: int) -> str:
    if names is None:
        return f"the views are numbered 0 … {n_views - 1}"
    return f"the views are {clipped(', '.join(map(shown, names)), 200)}"


def is_table(X: Any) -> bool:
    """Tell whether X is the rows of one view, a DataFrame or array, where views are asked for."""
    is_array = isinstance(X, np.ndarray) or issparse(X)
    return hasattr(X, "columns") or (is_array and X.ndim == 2)


def called_table(table: Any) -> str:
    return "a DataFrame" if hasattr(table, "columns") else f"an array of shape {table.shape}"


def numbers_of(table: Any, noun: str, *, sparse: bool = False) -> Any:
    """Return one view as an (n, d) array of finite floats, or a sparse one if these are taken."""
    if isinstance(table, pd.DataFrame):
        _check_columns(table, noun)
    return check_data(table, noun, sparse=sparse)


def feature_names(table: Any) -> NDArray[Any] | None:
    """Return the names of the columns of any table; None for an array, or if some are no texts."""
    names = getattr(table, "column_names", getattr(table, "columns", None))  # pyarrow, others
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return np.asarray(names, dtype=object)


def n_rows(table: Any, noun: str) -> int:
    """Return the number of rows of a table, which may be anything that has rows."""
    if getattr(table, "shape", None) is None:
        if hasattr(table, "__len__"):
            return len(table)
        table = as_array(table, noun)
    if not len(table.shape):
        raise InvalidInputError(f"{noun} is not a table: it has no rows.")
    return int(table.shape[0])


def n_columns(table: Any) -> int | None:
    """Return the number of columns of a table; None where rows are no lists, such as texts."""
    shape = table.shape if hasattr(table, "shape") else np.shape(table[:1])
    return shape[1] if len(shape) == 2 else None


def _check_columns(frame: pd.DataFrame, noun: str) -> None:
    """Refuse columns that are not numbers, and names that stand for several columns."""
    if not len(frame.columns):
        raise InvalidInputError(f"{noun} has no columns; at least one numeric column is needed.")
    is_number = pd.api.types.is_numeric_dtype
    others = [str(name) for name, dtype in frame.dtypes.items() if not is_number(dtype)]
    if others:
        raise InvalidInputError(
            f"{noun} has columns that are not numeric: "
            f"{clipped(', '.join(map(shown, others)), 300)}. Drop them, make a column of ids the "
            "row index (set_index), or turn them into numbers (pandas.to_numeric, "
            "pandas.get_dummies)."
        )
    if not frame.columns.is_unique:
        name = frame.columns[frame.columns.duplicated()][0]
        raise InvalidInputError(
            f"{noun} has several columns {shown(name)}; give every column a name of its own."
        )


def _pairs_of_matrix(matrix: Any, shape: tuple[int, int], where: str) -> Ints:
    """Return the places of a sparse matrix that are not zero."""
    if matrix.shape != shape:
        raise InvalidInputError(
            f"{where} has shape {matrix.shape}; a sparse matrix needs one row for each of the "
            f"{shape[0]} rows of the first view, one column for each of the {shape[1]} rows of the "
            f"second: {shape}."
        )
    rows = matrix.tocsr()
    if rows.dtype.kind in "fc" and np.isnan(rows.data).any():
        raise InvalidInputError(
            f"{where} holds NaN; every entry must say whether two rows are related (not 0), or not."
        )
    return np.column_stack(rows.nonzero()).astype(np.int64)


def _pairs_of_dict(related: Mapping[Any, Any], where: str) -> list[tuple[int, int]]:
    """Return the pairs of a dict {row: row or several rows}."""
    pairs = [(i, j) for i, rows in related.items() for j in _one_or_several(rows)]
    for pair in pairs:
        for row in pair:
            if not isinstance(row, int | np.integer):
                raise InvalidInputError(
                    f"{where}: {shown(row)} is not a row number; a dict relates rows by number "
                    f"{{row: row or list of rows}}. Relate ids by a DataFrame with two columns."
                )
    return pairs


def _one_or_several(rows: Any) -> Any:
    if isinstance(rows, list | tuple | set | frozenset | range | pd.Series | pd.Index):
        return rows
    return np.atleast_1d(rows) if isinstance(rows, np.ndarray) else [rows]
