"""The search of Eq. 1 over weighted points, for those who bring points and pairs of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mvcc._utils.progress import numbered, teller
from mvcc.cluster._descent import Floats, Found, Problem

__all__ = ["Found", "search_pck"]


def search_pck(
    X: Floats,
    n_clusters: int,
    pairs: NDArray[np.int64],
    must_link: NDArray[np.bool_],
    weights: Floats,
    *,
    penalty: float = 1.0,
    masses: Floats | None = None,
    starts: Sequence[Floats] = (),
    n_init: int = 10,
    max_iter: int = 40,
    rng: np.random.Generator,
) -> Found:
    """Cluster points by PCK-Means from several starts; return the one of the lowest Eq. 1.

    A start gives every point its nearest center. Each sweep then goes over the constrained points one by one in a new
    random order, with the penalties of the labels as they are at that moment, and on to the other points and the
    centers, until no label changes. Of equal objectives the first start wins.

    Parameters
    ----------
    X : (n, d) array of floats, C-ordered
        Points.
    n_clusters : int
        k, at most n.
    pairs : (m, 2) array of int
        Constrained pairs of distinct points.
    must_link : (m,) array of bool
    weights : (m,) array of floats
        Of the pairs; each is multiplied by ``penalty``.
    penalty : float, default=1.0
    masses : (n,) array of floats, default=None
        How often each point counts, above 0; None is once.
    starts : sequence of (c, d) arrays, default=()
        Centers of the first starts; where c < k, k-means++ fills up. The other starts are k-means++ throughout.
    n_init : int, default=10
        Number of starts.
    max_iter : int, default=40
        Limit of sweeps of each.
    rng : numpy Generator
        Draws centers and orders.

    Returns
    -------
    Found
        labels (n,), centers (k, d), objective, n_iter and converged of the best start.
    """
    problem = Problem(X, (pairs, must_link, penalty * weights), masses=masses)
    nothing = np.empty((0, X.shape[1]))
    best: Found | None = None
    for start in numbered("start", range(n_init), teller(len(X))):
        given = np.asarray(starts[start], dtype=np.float64) if start < len(starts) else nothing
        centers = problem.spread_centers(n_clusters, given, rng)
        found = problem.descend(centers, problem.nearest(centers), rng, max_iter)
        best = found if found.beats(best) else best
    assert best is not None
    return best
