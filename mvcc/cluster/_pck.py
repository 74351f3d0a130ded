"""PCK-Means (§3.1; Basu et al. 2004)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Literal

from numpy.typing import ArrayLike

from mvcc._utils.kernels.threads import may_share
from mvcc._utils.types import Floats, Ints
from mvcc._utils.validation import RandomState
from mvcc.cluster._base import ConstrainedKMeans, Iterate
from mvcc.cluster._descent import Found
from mvcc.cluster._kernels.pck import pck_fit, pck_fit_in_threads
from mvcc.cluster._search import Search
from mvcc.constraints import Constraints, Groups


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
        same ``random_state``; the neighborhoods with k-means++ for the centers that they leave
        open; and k-means++ throughout. Sweeps go over the constrained rows in a new random order
        each, and whole must-link neighborhoods are moved, too. "neighborhoods" is the paper's and
        WekaUT's single start: from the k largest must-link neighborhoods, missing centers being
        distinct random rows, in index order. An array holds the centers of a single start, with all
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

    def _iterate(
        self,
        X: Floats,
        constraints: tuple[Any, Groups | None],
        labels: Ints,
        centers: Floats,
        *,
        max_iter: int,
        tol: float,
    ) -> Found:
        # a search has the passes by themselves, which it need not compile once more as a whole
        in_passes = may_share(len(X)) or (isinstance(self.init, str) and self.init == "auto")
        fit = pck_fit_in_threads if in_passes else pck_fit
        objective, n_iter, converged = fit(X, centers, labels, *constraints, max_iter, tol)
        self._check_objective(objective)
        return Found(labels, centers, objective, n_iter, converged)

    def _search(
        self, X: Floats, given: Constraints, k: int, n_init: int, iterate: Iterate
    ) -> Found:
        best = super()._search(X, given, k, n_init, iterate)
        left = self.max_iter - best.n_iter
        if best.converged or not left:
            return best
        # descents have a limit of their own
        end: Found = iterate(best.labels, best.centers, max_iter=left)
        return replace(end, n_iter=best.n_iter + end.n_iter)

    def _ends(
        self, search: Search, neighborhoods: Floats, n_starts: int, iterate: Iterate
    ) -> Iterator[Found]:
        return islice(search.descents(neighborhoods), n_starts)
