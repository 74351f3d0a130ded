"""Views that come after a fit: those that were fitted, other rows of them, or some of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from mvcc._utils.messages import called, clipped, shown
from mvcc._utils.validation import as_array
from mvcc.exceptions import InvalidInputError
from mvcc.views._given import GivenViews, called_table, feature_names, is_table, known_views, numbers_of, view_number


class FittedViews:
    """What an estimator or a transformer for several views remembers of them, and how it checks later rows by it."""

    view_names_: list[str] | None
    n_features_in_: list[int]
    feature_names_in_: list[NDArray[Any] | None]
    _takes_sparse = False  # matrices as views

    def _remember_features(self, given: GivenViews, data: list[NDArray[np.float64]]) -> None:
        """Note what the views and their features are called."""
        self.view_names_, self.n_features_in_ = given.names, [X.shape[1] for X in data]
        self.feature_names_in_ = [feature_names(table) for table in given.tables]

    def _rows(self, X: Any, number: int, what: str) -> Any:
        """Return rows of a view as an array; ``what`` is what messages call them."""
        features = self.n_features_in_[number], self.feature_names_in_[number]
        return rows_like(X, self.view_names_, number, *features, what, sparse=self._takes_sparse)

    def _of_views(self, X: Any, view: int | str, answer: Callable[[Any, int, str], Any]) -> Any:
        """Give an answer for X, the rows of one view or several views, in its form."""
        if are_views(X):
            return each_view(X, self.view_names_, len(self.n_features_in_), answer)
        return answer(X, self._number(view), "X")

    def _number(self, view: int | str) -> int:
        """Return the number of a view, by its number or name."""
        return view_number(view, self.view_names_, len(self.n_features_in_), "view")


def are_views(X: Any) -> bool:
    """Tell whether X is views, as a dict or a list, and not the rows of a single one."""
    return isinstance(X, Mapping) or (
        isinstance(X, list | tuple)
        and len(X) > 0
        and (issparse(X[0]) or as_array(X[0], "X[0]").ndim == 2)  # else X[0] is a row
    )


def each_view(X: Any, names: Sequence[str] | None, n_views: int, answer: Callable[[Any, int, str], Any]) -> Any:
    """Give an answer for every view of X, in the form of X.

    Parameters
    ----------
    X : list of all views, or dict {name or number: rows} of some
    names : list of str or None
        The names of the views that were fitted.
    n_views : int
        How many they are.
    answer : callable
        Called with the rows of a view, the number that the view had in the fit, and what messages call the rows.

    Raises
    ------
    InvalidInputError
        For views that were not fitted.
    """
    if isinstance(X, Mapping):
        return {
            view: answer(rows, view_number(view, names, n_views, "X"), f"X[{shown(view)}]") for view, rows in X.items()
        }
    if is_table(X):
        raise InvalidInputError(
            f"X is {called_table(X)}, where views are needed; give its rows as {{view: rows}}, which says which view "
            f"they are of ({known_views(names, n_views)}), or all views as a list."
        )
    tables = GivenViews.of(X).tables
    if len(tables) != n_views:
        raise InvalidInputError(
            f"X has {len(tables)} views, but {n_views} were fitted; give some of them as a dict {{view: rows}}."
        )
    return [answer(rows, number, f"X[{number}]") for number, rows in enumerate(tables)]


def rows_like(
    X: Any,
    names: Sequence[str] | None,
    number: int,
    n_features: int,
    columns: NDArray[Any] | None,
    what: str,
    *,
    sparse: bool = False,
) -> Any:
    """Return rows of one view as an array, with the features of the fit in the order of the fit.

    `number` is that of the view, `n_features` and `columns` are what it was fitted with; messages call X `what`. Where
    ``sparse`` ones are taken, they stay sparse.

    Raises
    ------
    InvalidInputError
        For other features, and for what is no table of finite numbers.
    """
    view = f"view {called(number, names)}"
    data = numbers_of(_in_order(X, columns, view, what), what, sparse=sparse)
    if data.shape[1] != n_features:
        raise InvalidInputError(f"{what} has {data.shape[1]} features, but {view} was fitted with {n_features}.")
    return data


def _in_order(X: Any, names: NDArray[Any] | None, view: str, what: str) -> Any:
    """Return a DataFrame with its columns in the order of fit, or say which are wrong."""
    here = feature_names(X)
    if names is None or here is None:
        return X
    missing, other = [sorted(set(one) - set(two)) for one, two in ((names, here), (here, names))]
    if missing or other:
        said = [
            f"{word} {clipped(', '.join(map(shown, columns)), 200)}"
            for word, columns in (("lacks", missing), ("has in addition", other))
            if columns
        ]
        raise InvalidInputError(f"{what} must have the columns that {view} was fitted with; it {' and '.join(said)}.")
    return X[list(names)]
