"""What the estimators for several views share: fit, predict and score as in scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import shown
from mvcc.constraints import Constraints, Relations, n_satisfied
from mvcc.exceptions import InvalidInputError
from mvcc.views import ConstrainedViews, FittedViews, GivenViews, ViewConstraints, each_view

_BY_PAIR = {"mappings_", "mapping_weights_", "suspicions_", "dropped_matches_"}


class MultiViewEstimator(FittedViews, ClusterMixin, BaseEstimator, ABC):
    """Base of the estimators that cluster several views and assign new rows of one view."""

    labels_: list[Ints]

    def fit(
        self,
        views: Sequence[Any] | Mapping[str, Any] | ConstrainedViews,
        y: None = None,
        *,
        constraints: Sequence[ViewConstraints] | Mapping[Any, ViewConstraints] | None = None,
        mappings: Mapping[Any, Any] | None = None,
    ) -> Self:
        """Cluster all views.

        Parameters
        ----------
        views : list or dict of array-like or DataFrame of shape (n_v, d_v), or ConstrainedViews
            Instances of every view; the keys of a dict are the names of the views.
            ``ConstrainedViews`` bring their constraints and mappings along.
            ``JointGraphClustering`` takes sparse matrices, too.
        y : None
            Not used, there for scikit-learn.
        constraints : list of one entry per view, or dict {view: entry}, default=None
            An entry is Constraints, None, or a DataFrame with the columns i, j, kind ("must-link"
            or "cannot-link") and, optionally, weight. There, i and j are ids in the row index of
            the view, or numbers of rows where the view is no DataFrame.
        mappings : dict {(u, v): relations}, default=None
            Rows of view u and of view v that are the same object, many-to-many, for any pairs of
            views (by name or number); pairs of views that are not there have no relation. Relations
            are an array-like of shape (r, 2) or a dict {row of u: row or list of rows of v} of row
            numbers, a scipy sparse matrix of shape (n_u, n_v) whose entries other than 0 are the
            related rows, or a DataFrame with two columns of ids as in the constraints. A column
            that has the name of a view is of that view; others are in the order of the key.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            For views, constraints or mappings that do not fit together or with the parameters, such
            as fewer objects than clusters, or too few constraints to cross-validate a threshold.
        ConstraintConflictError
            When constraints contradict each other or the relations, as far as ``closure`` or
            ``on_conflict`` does not allow that.
        """
        self._learn(views, y, constraints, mappings)
        return self

    def _learn(self, views: Any, y: None, constraints: Any, mappings: Any) -> None:
        """Do what ``fit`` does, at one depth below what a person calls, whom warnings name."""
        if y is not None:
            raise InvalidInputError(
                f"y must be None, got {shown(y)}; give known labels as"
                " constraints=[Constraints.from_labels(…), …]."
            )
        if isinstance(views, ConstrainedViews):
            if constraints is not None or mappings is not None:
                raise InvalidInputError(
                    "ConstrainedViews have constraints and mappings of their own; give no others."
                )
            constraints, mappings, views = views.constraints, views.mappings, views.views
        given = GivenViews.of(views)
        data = given.arrays(sparse=self._takes_sparse)
        self._fit(given, data, given.constraints(constraints), given.relations(mappings))
        self._remember_features(given, data)

    @abstractmethod
    def _fit(
        self,
        given_views: GivenViews,
        data: list[Any],
        constraints: list[Constraints],
        relations: Relations,
    ) -> None:
        """Cluster the arrays of views, by constraints and related rows."""

    def fit_predict(
        self,
        views: Sequence[Any] | Mapping[str, Any] | ConstrainedViews,
        y: None = None,
        *,
        constraints: Sequence[ViewConstraints] | Mapping[Any, ViewConstraints] | None = None,
        mappings: Mapping[Any, Any] | None = None,
    ) -> list[Ints]:
        """Cluster all views.

        Parameters
        ----------
        views, y, constraints, mappings
            As for ``fit``, with the same errors.

        Returns
        -------
        list of (n_v,) arrays
            ``labels_``: the cluster of every row, per view.
        """
        self._learn(views, y, constraints, mappings)
        return self.labels_

    def predict(self, X: Any, view: int | str = 0) -> Any:
        """Assign new rows of a view to its clusters, without regard to constraints.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d_v); or dict, list of views, or ConstrainedViews
            New rows of one view; or of several, by name or number, or of all, in the order of
            ``fit``. The columns of a DataFrame may be in any order, where the view was fitted with
            names of columns. Behind ``PerView`` in a pipeline it must be views, such as ``{"texts":
            rows}``: ``view`` does not reach that step.
        view : int or str, default=0
            Number or name of the view; without effect where X is a dict or list of views, or
            ConstrainedViews.

        Returns
        -------
        ndarray of shape (n,), or dict {view: ndarray} or list of ndarray
            Numbers of the clusters, as in ``labels_`` of the view; for several views in the form of
            X.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            For a view that is not there, rows with other features than in ``fit``, or a clustering
            that cannot predict.
        """
        check_is_fitted(self)
        return self._of_views(X, view, self._predicted)

    def score(self, X: ConstrainedViews, y: None = None) -> float:
        """Return the share of constraints that ``labels_`` satisfy, such as held-out ones (§6.3).

        Parameters
        ----------
        X : ConstrainedViews
            The views that were fitted, their rows in the same order, with the constraints to score
            by. Views with names may come in any order.
        y : None
            Not used, there for scikit-learn.

        Returns
        -------
        float
            In 0 … 1; constraints of all views count alike, whatever they weigh.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            For views with other names, features or numbers of rows, or no constraints.
        """
        check_is_fitted(self)
        if not isinstance(X, ConstrainedViews):
            raise InvalidInputError(
                "score needs ConstrainedViews(views, constraints, mappings), the views that were"
                f" fitted with the constraints to score by, not {type(X).__name__}."
            )
        n_views = len(self.labels_)
        if len(X.views) != n_views:
            raise InvalidInputError(
                f"X has {len(X.views)} views, but {n_views} were fitted; all of them are needed."
            )
        by_view = each_view(X.views, self.view_names_, n_views, self._labels_of)
        if not len(X):
            raise InvalidInputError("X has no constraints to score by.")
        labels = by_view.values() if isinstance(by_view, dict) else by_view
        return sum(map(n_satisfied, X.constraints, labels)) / len(X)

    def predictor(self, view: int | str = 0) -> Any:
        """Return what assigns new rows of one view to its clusters, without all else that was
        fitted.

        Parameters
        ----------
        view : int or str, default=0
            Number or name of the view.

        Returns
        -------
        estimator
            Its ``predict`` takes an array of shape (n, d_v), as ``predict`` of this model.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            For a view that is not there, or a clustering that cannot predict.
        """
        check_is_fitted(self)
        return self._predictor(self._number(view))

    @abstractmethod
    def _predictor(self, view: int) -> Any:
        """Return what assigns new rows of a view."""

    def __getstate__(self) -> dict[str, Any]:
        """Hold what is by pairs of views in lists: a file of skops has no tuples as keys."""
        state = super().__getstate__()
        return state | {name: list(state[name].items()) for name in _BY_PAIR & state.keys()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state | {name: dict(state[name]) for name in _BY_PAIR & state.keys()})

    def _predicted(self, X: Any, view: int, noun: str) -> Ints:
        return self._predictor(view).predict(self._rows(X, view, noun))

    def _labels_of(self, X: Any, view: int, noun: str) -> Ints:
        """Return the labels of a view that was fitted, or say how X differs from it."""
        labels: Ints = self.labels_[view]
        n_rows = self._rows(X, view, noun).shape[0]
        if n_rows != len(labels):
            raise InvalidInputError(
                f"{noun} must have the {len(labels)} rows that were fitted, not {n_rows}."
            )
        return labels
