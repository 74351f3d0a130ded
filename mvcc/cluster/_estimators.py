"""PCK-Means and MPCK-Means (§3.1; Basu et al. 2004, Bilenko et al. 2004)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.kernels import may_share
from mvcc._utils.validation import RandomState, check_choice, check_flag, check_matrices
from mvcc.cluster._base import ConstrainedKMeans
from mvcc.cluster._descent import Found, Problem
from mvcc.cluster._kernels.mpck import mpck_fit
from mvcc.cluster._kernels.pck import pck_fit, pck_fit_in_threads
from mvcc.cluster._search import Search
from mvcc.constraints import Constraints


class PCKMeans(ConstrainedKMeans):
    """Constrained k-means: squared distances plus weights of violated constraints (Eq. 1, M = I).

    It is PCK-Means [1]_.

    Parameters
    ----------
    n_clusters : int, default=8
        k, the number of clusters.
    init : "auto", "neighborhoods" or array-like of shape (k, d), default="auto"
        "auto" searches from several starts that differ in kind and takes the lowest Eq. 1, the
        first of equal ones: "neighborhoods"; k-means' clusters, which scikit-learn finds with the
        same ``random_state``, after the swaps of a center that lower their inertia; the
        neighborhoods with k-means++ for the centers that they leave open; and k-means++ throughout.
        But for the first, sweeps go over the constrained rows in a new random order each, and whole
        must-link neighborhoods are moved, too. "neighborhoods" is the paper's and WekaUT's single
        start: from the k largest must-link neighborhoods, missing centers being distinct random
        rows, with sweeps in index order. An array holds the centers of a single start, with all
        points unassigned.
    n_init : int or "auto", default="auto"
        Number of starts of ``init="auto"``; "auto" is ten. The first is "neighborhoods", the second
        k-means.
    max_iter : int, default=300
        Limit of iterations.
    tol : float, default=1e-6
        Stop when the objective changes by no more than this (absolute). The other starts of a
        search stop when no label changes.
    random_state : int, numpy Generator, RandomState or None, default=None
        Draws missing centers, and the starts and orders of a search.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster of every row.
    cluster_centers_ : ndarray of shape (k, d)
        Means of the clusters.
    objective_ : float
        Eq. 1; never rises from one iteration to the next.
    n_iter_ : int
        Iterations done; with ten starts, those of the winning one's last descent.
    converged_ : bool
        False when ``max_iter`` ended the run.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, where ``fit`` was given a DataFrame.

    See Also
    --------
    MPCKMeans : Learns a metric as well.
    JointGraphClustering : Several views.

    References
    ----------
    .. [1] S. Basu, A. Banerjee and R. J. Mooney, "Active Semi-Supervision for Pairwise Constrained
       Clustering", SDM 2004.

    Examples
    --------
    >>> from mvcc import Constraints, PCKMeans
    >>> X = [[0.0], [0.1], [1.0], [1.1]]
    >>> apart = Constraints.from_pairs([(0, 1), (2, 3)], [(1, 2)])
    >>> PCKMeans(2).fit(X, constraints=apart).labels_.tolist()
    [0, 0, 1, 1]
    """

    def _iterate(self, problem: Problem, labels: Ints, centers: Floats, max_iter: int) -> Found:
        # a search has the passes by themselves, which it need not compile once more as a whole
        fit = pck_fit_in_threads if self._is_search() or may_share(len(labels)) else pck_fit
        objective, n_iter, converged = fit(
            problem.X, centers, labels, *problem.known, max_iter, float(self.tol)
        )
        self._check_objective(objective)
        return Found(labels, centers, objective, n_iter, converged)

    def _search(self, problem: Problem, given: Constraints, k: int, n_init: int) -> Found:
        best = super()._search(problem, given, k, n_init)
        left = int(self.max_iter) - best.n_iter
        if best.converged or not left:
            return best
        # descents have a limit of their own
        end = self._iterate(problem, best.labels, best.centers, left)
        return replace(end, n_iter=best.n_iter + end.n_iter)

    def _ends(self, search: Search, neighborhoods: Floats, n_starts: int) -> Iterator[Found]:
        return islice(search.descents(neighborhoods), n_starts)


class MPCKMeans(ConstrainedKMeans):
    """Constrained k-means that learns a metric with the clusters (Eq. 1–3).

    It is MPCK-Means [1]_.

    Parameters
    ----------
    n_clusters : int, default=8
        k, the number of clusters.
    metric : {"diagonal", "full"}, default="diagonal"
        Learn one weight per feature (the paper's choice), or whole matrices.
    shared_metric : bool, default=False
        Learn one metric for all clusters instead of one for each.
    init : "auto", "neighborhoods" or array-like of shape (k, d), default="auto"
        "auto" runs from several starts and takes the lowest Eq. 1, the first of equal ones:
        "neighborhoods"; k-means' centers; and the centers that the starts of ``PCKMeans`` end with,
        but for those that end alike. "neighborhoods" is the paper's and WekaUT's single start: from
        k must-link neighborhoods chosen by weighted farthest-first traversal, missing centers being
        distinct random rows. An array holds the centers of a single start, with all points
        unassigned.
    n_init : int or "auto", default="auto"
        Number of starts of ``init="auto"``; "auto" is ten. The first is "neighborhoods", the second
        k-means' centers.
    max_iter : int, default=300
        Limit of iterations.
    tol : float, default=1e-6
        Stop when the objective changes by no more than this (absolute).
    random_state : int, numpy Generator, RandomState or None, default=None
        Draws missing centers, and the starts of a search.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster of every row.
    cluster_centers_ : ndarray of shape (k, d)
        Means of the clusters.
    metrics_ : ndarray of shape (k, d) or (k, d, d)
        M_h of every cluster: n_h over its spread, so that M_h^-1 is a covariance.
    objective_ : float
        Eq. 1. It may rise between iterations, since the metric step moves the farthest pair of Eq.
        3.
    n_iter_ : int
        Iterations done; with ten starts, those of the winning one.
    converged_ : bool
        False when ``max_iter`` or a cycle ended the run.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, where ``fit`` was given a DataFrame.

    See Also
    --------
    PCKMeans : The same without a metric.
    PairMetric : A metric alone, in closed form.

    References
    ----------
    .. [1] M. Bilenko, S. Basu and R. J. Mooney, "Integrating Constraints and Metric Learning in
       Semi-Supervised Clustering", ICML 2004.

    Examples
    --------
    >>> from mvcc import Constraints, MPCKMeans
    >>> X = [[0.0, 5.0], [0.1, 0.0], [1.0, 5.0], [1.1, 0.0]]
    >>> c = Constraints.from_pairs(must_link=[(0, 1), (2, 3)], cannot_link=[(1, 2)])
    >>> MPCKMeans(2).fit(X, constraints=c).labels_.tolist()
    [0, 0, 1, 1]
    """

    _farthest_first = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Literal["diagonal", "full"] = "diagonal",
        shared_metric: bool = False,
        init: str | ArrayLike = "auto",
        n_init: int | Literal["auto"] = "auto",
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            n_clusters,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.metric = metric
        self.shared_metric = shared_metric

    def _iterate(self, problem: Problem, labels: Ints, centers: Floats, max_iter: int) -> Found:
        check_choice(self.metric, "metric", ("diagonal", "full"))
        shared = check_flag(self.shared_metric, "shared_metric")
        k, d = centers.shape
        metrics = np.ones((k, d))
        if self.metric == "full":
            check_matrices(k, d)
            metrics = np.tile(np.eye(d), (k, 1, 1))
        tol = float(self.tol)
        objective, n_iter, converged = mpck_fit(
            problem.X, centers, metrics, labels, *problem.known, shared, max_iter, tol
        )
        self._check_objective(objective)
        return Found(labels, centers, objective, n_iter, converged, metrics)

    def _ends(self, search: Search, neighborhoods: Floats, n_starts: int) -> Iterator[Found]:
        for centers in search.distinct_centers(neighborhoods, n_starts):
            nowhere = np.full(len(search.X), -1)
            yield self._iterate(search.rows, nowhere, centers.copy(), int(self.max_iter))
