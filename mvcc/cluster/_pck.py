"""PCK-Means (§3.1; Basu et al. 2004)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mvcc._kernels.threads import may_share
from mvcc._neighborhoods import Groups
from mvcc._validation import RandomState
from mvcc.cluster._base import ConstrainedKMeans
from mvcc.cluster._kernels.pck import pck_fit, pck_fit_in_threads


class PCKMeans(ConstrainedKMeans):
    """Constrained k-means: squared distances plus the weight of every violated constraint (Eq. 1, M = I, f = 1).

    Parameters
    ----------
    n_clusters : int, default=8
        k, the number of clusters.
    init : "neighborhoods" or array-like of shape (k, d), default="neighborhoods"
        Start from the k largest must-link neighbourhoods, missing centers being distinct random rows; or from the
        given centers, with all points unassigned.
    max_iter : int, default=300
        Limit of iterations.
    tol : float, default=1e-6
        Stop when the objective changes by no more than this (absolute).
    random_state : int, numpy Generator, RandomState or None, default=None
        Draws the missing centers.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster of every row.
    cluster_centers_ : ndarray of shape (k, d)
        Means of the clusters.
    objective_ : float
        Eq. 1; never rises from one iteration to the next.
    n_iter_ : int
        Iterations done.
    converged_ : bool
        False when ``max_iter`` ended the run.

    Examples
    --------
    >>> from mvcc import Constraints, PCKMeans
    >>> X = [[0.0], [0.1], [1.0], [1.1]]
    >>> apart = Constraints.from_pairs(must_link=[(0, 1), (2, 3)], cannot_link=[(1, 2)])
    >>> PCKMeans(2).fit(X, constraints=apart).labels_.tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: str | ArrayLike = "neighborhoods",
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _iterate(
        self,
        X: NDArray[np.float64],
        centers: NDArray[np.float64],
        labels: NDArray[np.int64],
        constraints: tuple[Any, Groups | None],
        max_iter: int,
        tol: float,
    ) -> None:
        fit = pck_fit_in_threads if may_share(len(X)) else pck_fit
        objective, n_iter, converged = fit(X, centers, labels, *constraints, max_iter, tol)
        self._check_objective(objective)
        self.objective_, self.n_iter_, self.converged_ = objective, n_iter, converged
        self.labels_, self.cluster_centers_ = labels, centers

    def _current_metrics(self) -> NDArray[np.float64]:
        return np.ones_like(self.cluster_centers_)
