"""What an estimator for several views remembers of them, and how later rows are given to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.metadata_routing import UNUSED

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import called, clipped, shown
from mvcc._utils.validation import as_array, as_pandas
from mvcc.exceptions import InvalidInputError
from mvcc.views._constrained import ConstrainedViews
from mvcc.views._given import (
    GivenViews,
    called_table,
    feature_names,
    is_table,
    known_views,
    numbers_of,
    view_number,
)


class FittedViews:
    """What an estimator for several views remembers of them, and how it checks later rows."""

    view_names_: list[str] | None
    n_features_in_: list[int]
    feature_names_in_: list[NDArray[Any] | None]
    _takes_sparse = False  # matrices as views
    # the first argument of fit, which scikit-learn would take for metadata because of its name
    __metadata_request__fit = {"views": UNUSED}  # noqa: RUF012

    def _remember_features(self, given: GivenViews, data: list[Floats]) -> None:
        self.view_names_, self.n_features_in_ = given.names, [X.shape[1] for X in data]
        self.feature_names_in_ = [feature_names(table) for table in given.tables]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of BaseEstimator
        features = getattr(self, "features", "none")  # as they are: a rule makes others dense
        tags.input_tags.sparse = self._takes_sparse and features != "none"
        tags.input_tags.two_d_array = False  # but several
        return tags

    def _rows(self, X: Any, view: int, noun: str) -> Any:
        """Return rows, as messages call them, as an array with features in the order of the fit."""
        name, n_features = f"view {called(view, self.view_names_)}", self.n_features_in_[view]
        ordered = _in_order(X, self.feature_names_in_[view], name, noun)
        data = numbers_of(ordered, noun, sparse=self._takes_sparse)
        if data.shape[1] != n_features:
            raise InvalidInputError(
                f"{noun} has {data.shape[1]} features, but {name} was fitted with {n_features}."
            )
        return data

    def _of_views(self, X: Any, view: int | str, answer: Callable[[Any, int, str], Any]) -> Any:
        """Give an answer for X, the rows of one view or several views, in its form."""
        if isinstance(X, ConstrainedViews):
            X = X.views
        # a dok_array is a dict, too
        if (isinstance(X, Mapping) and not issparse(X)) or (
            isinstance(X, list | tuple)
            and len(X) > 0
            and (issparse(X[0]) or as_array(X[0], "X[0]").ndim == 2)  # else X[0] is a row
        ):
            return each_view(X, self.view_names_, len(self.n_features_in_), answer)
        return answer(X, self._number(view), "X")

    def _number(self, view: int | str) -> int:
        return view_number(view, self.view_names_, len(self.n_features_in_), "view")


def each_view(
    X: Any, names: Sequence[str] | None, n_views: int, answer: Callable[[Any, int, str], Any]
) -> Any:
    """Answer for every view of X, by rows, number and what messages call it, in the form of X."""
    if isinstance(X, ConstrainedViews):
        return replace(X, views=each_view(X.views, names, n_views, answer))
    if isinstance(X, Mapping):
        return {
            view: answer(rows, view_number(view, names, n_views, "X"), f"X[{shown(view)}]")
            for view, rows in X.items()
        }
    if is_table(X):
        raise InvalidInputError(
            f"X is {called_table(X)}, where views are needed; give its rows as {{view: rows}}, "
            f"which says which view they are of ({known_views(names, n_views)}), or all views as a "
            "list."
        )
    tables = GivenViews.of(X).tables
    if len(tables) != n_views:
        raise InvalidInputError(
            f"X has {len(tables)} views, but {n_views} were fitted; give some of them as a dict "
            f"{{view: rows}}."
        )
    return [answer(rows, view, f"X[{view}]") for view, rows in enumerate(tables)]


def _in_order(X: Any, names: NDArray[Any] | None, view: str, noun: str) -> Any:
    """Return a DataFrame with its columns in the order of fit, or say which are wrong."""
    present = feature_names(X)
    if names is None or present is None:
        return X
    wrong = {"lacks": set(names) - set(present), "has in addition": set(present) - set(names)}
    faults = [
        f"{verb} {clipped(', '.join(map(shown, sorted(columns))), 200)}"
        for verb, columns in wrong.items()
        if columns
    ]
    if faults:
        raise InvalidInputError(
            f"{noun} must have the columns that {view} was fitted with; it {' and '.join(faults)}."
        )
    return as_pandas(X)[list(names)]
