"""What PCK-Means and MPCK-Means share: checks, starts, the scikit-learn face."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.messages import shown
from mvcc._utils.validation import (
    LARGEST_SQUARE,
    RandomState,
    as_floats,
    as_generator,
    check_count,
    check_number,
    checked_by,
    is_clean,
)
from mvcc.cluster._descent import Found, Problem
from mvcc.cluster._kernels.mpck import log_det
from mvcc.cluster._kernels.pck import assign_nearest
from mvcc.cluster._search import N_INIT, Search, neighborhood_start
from mvcc.constraints import Constraints, FitsConstraints, Listed, constraints_on
from mvcc.exceptions import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd


class ConstrainedKMeans(FitsConstraints, ClusterMixin, BaseEstimator):
    """Base of the two estimators; a subclass runs the iterations and may learn metrics."""

    _farthest_first = False

    n_features_in_: int
    labels_: Ints

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: str | ArrayLike = "auto",
        n_init: int | Literal["auto"] = "auto",
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X: ArrayLike, constraints: Constraints | pd.DataFrame | None) -> None:
        data = self._check_X(X, reset=True)
        if 0 < np.ptp(data, axis=0).max() < LARGEST_SQUARE**-0.5:
            raise InvalidInputError(
                "X: rows differ by so little that their squared distances are lost; scale the data."
            )
        given = constraints_on(X, len(data), constraints)
        k = check_count(self.n_clusters, "n_clusters")
        if k > len(data):
            raise InvalidInputError(
                f"n_samples={len(data)} should be >= n_clusters={k}; ask for fewer clusters."
            )
        n_init = self._n_init()
        max_iter = check_count(self.max_iter, "max_iter")
        check_number(self.tol, "tol")
        problem = Problem.of(data, given)
        if self._is_search():
            end = self._search(problem, given, k, n_init)
        else:
            labels, centers = self._start(data, given.spanning(), k)
            end = self._iterate(problem, labels, centers, max_iter)
        self.labels_, self.cluster_centers_ = end.labels, end.centers
        self.objective_, self.n_iter_ = end.objective, end.n_iter
        self.converged_ = end.converged
        if end.metrics is not None:
            self.metrics_ = end.metrics

    def fit_predict(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        constraints: Constraints | pd.DataFrame | None = None,
    ) -> Ints:
        """Learn from the rows of X and return ``labels_``.

        Parameters
        ----------
        X, y, constraints
            As for ``fit``, with the same errors.

        Returns
        -------
        ndarray of shape (n,)
            Numbers of the clusters.
        """
        return self.fit(X, y, constraints=constraints).labels_

    def predict(self, X: ArrayLike) -> Ints:
        """Assign rows to the learned clusters, without regard to constraints.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
            Numbers of the clusters.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            For NaN or infinity, or other columns.
        """
        check_is_fitted(self)
        data = self._check_X(X, reset=False)
        metrics = getattr(self, "metrics_", np.ones_like(self.cluster_centers_))
        log_dets = np.array([log_det(metric) for metric in metrics])
        labels = np.empty(len(data), np.int64)
        everyone = np.arange(len(data))
        assign_nearest(data, everyone, self.cluster_centers_, metrics, log_dets, labels)
        return labels

    @abstractmethod
    def _iterate(self, problem: Problem, labels: Ints, centers: Floats, max_iter: int) -> Found:
        """Run the iterations from labels (−1: none) and centers, in place."""

    def _search(self, problem: Problem, given: Constraints, k: int, n_init: int) -> Found:
        """Return the best of ``n_init`` starts; the first is that of the neighborhoods alone."""
        rng = as_generator(self.random_state)
        labels, centers, n_chosen = neighborhood_start(
            problem.X, k, given.spanning(), rng, farthest_first=self._farthest_first
        )
        means = centers[:n_chosen].copy()
        best = self._iterate(problem, labels, centers, int(self.max_iter))
        if n_init > 1:
            seed: Any = self.random_state
            if not isinstance(seed, Integral):
                seed = rng.integers(2**32)
            search = Search(problem, given, k, self.max_iter, rng, int(seed) % 2**32)
            for end in self._ends(search, means, n_init - 1):
                best = end.or_better(best)
        return best

    @abstractmethod
    def _ends(self, search: Search, neighborhoods: Floats, n_starts: int) -> Iterator[Found]:
        """Give where the other starts end; ``neighborhoods`` are the means (m, d) of the first."""

    @staticmethod
    def _check_objective(objective: float) -> None:
        """Refuse a fit that has left the range of floats, before it is stored."""
        if not np.isfinite(objective):
            raise InvalidInputError(
                "The objective is not finite: values of X or weights of constraints are too large "
                "or too small to be computed with. Scale them."
            )

    def _check_X(self, X: ArrayLike, *, reset: bool) -> Floats:
        """Check X in one pass if it is a plain array already, else by scikit-learn's checks."""
        if (
            is_clean(X)
            and not hasattr(self, "feature_names_in_")
            and (reset or X.shape[1] == self.n_features_in_)
        ):
            self.n_features_in_ = X.shape[1]
            return X
        return checked_by(partial(validate_data, self), X, "X", reset=reset)

    def _start(self, X: Floats, spanning: Listed, k: int) -> tuple[Ints, Floats]:
        """Return starting labels (−1: none) and centers, by ``init``."""
        if not isinstance(self.init, str):
            shape = (k, X.shape[1])
            init = as_floats(self.init, f"init, which must have shape {shape},")
            if init.shape != shape or init.dtype.kind != "f" or not np.isfinite(init).all():
                raise InvalidInputError(
                    f"init must hold {k} finite centers of {X.shape[1]} features, shape {shape}, "
                    f"not {shown(self.init)} of shape {init.shape}."
                )
            return np.full(len(X), -1), np.array(init, dtype=np.float64, order="C")
        rng = as_generator(self.random_state)
        return neighborhood_start(X, k, spanning, rng, farthest_first=self._farthest_first)[:2]

    def _is_search(self) -> bool:
        """Tell whether there are several starts, not the one that ``init`` names."""
        return isinstance(self.init, str) and self.init == "auto"

    def _n_init(self) -> int:
        if isinstance(self.init, str) and self.init not in ("auto", "neighborhoods"):
            raise InvalidInputError(
                "init must be 'auto', 'neighborhoods' or an array of centers, got "
                f"{shown(self.init)}."
            )
        if isinstance(self.n_init, str) and self.n_init == "auto":
            return N_INIT
        n_init = check_count(self.n_init, "n_init")
        if n_init > 1 and not self._is_search():
            raise InvalidInputError(
                "n_init must be 'auto' or 1 unless init='auto': other starts are single, got "
                f"{n_init}."
            )
        return n_init
