"""Anchors: a few hundred places among the rows of a view, and the ties of rows to the nearest.

Ties instead of edges between rows are those of Chen and Cai, "Large Scale Spectral Clustering with
Landmark-Based Representation", 2011. k-means of a sample finds the anchors, as in Huang et al.,
"Ultra-Scalable Spectral Clustering and Ensemble Clustering", 2019.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import isqrt

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors

from mvcc._utils.arrays import BLOCK_ROWS, Floats, Ints
from mvcc._utils.kernels.shared import add_gram
from mvcc._utils.kernels.threads import for_blocks, may_share
from mvcc.embedding._objects import membership

N_TIES = 3  # r, anchors that a row is tied to
FEWEST_ANCHORS = 500
ANCHORS_PER_CLUSTER = 25
MOST_ANCHORS = 4_000  # of all views
_SHARE_OF_ROWS = 4  # rows for each anchor, at least
_SAMPLED = 20  # rows for each anchor, of which k-means finds it
_ROUNDS = 5  # of k-means: anchors need not be exact centers
_LEAST_TIE = 1e-3  # of the farthest tie, in squared distances to the first anchor without a tie


def anchors_for(n_rows: int, n_clusters: int) -> int:
    """Return p, the number of anchors of a view: √n, 25 k or 500, and at most n / 4."""
    wanted = max(FEWEST_ANCHORS, ANCHORS_PER_CLUSTER * n_clusters, isqrt(n_rows))
    return max(1, min(wanted, n_rows // _SHARE_OF_ROWS))


@dataclass(frozen=True, eq=False)
class Anchors:
    """The anchors of a view."""

    # (p, d): anchors as rows that are moved to their median and scaled to at most 1
    places: NDArray[np.float32]
    center: Floats  # (d,)
    unit: float

    @classmethod
    def among(cls, data: Floats, number: int, rng: np.random.Generator) -> Anchors:
        """Find so many anchors, or fewer where fewer rows differ."""
        size = min(len(data), _SAMPLED * number)
        some = data[np.sort(rng.choice(len(data), size, replace=False))]
        center = np.median(some, axis=0)
        unit = float(np.abs(some - center).max(initial=0.0)) or 1.0
        found = cls(np.empty((0, data.shape[1]), np.float32), center, unit)
        rows = _distinct(found.moved(some))
        if len(rows) > number:
            seed = int(rng.integers(2**31))
            k_means = KMeans(number, init="random", n_init=1, max_iter=_ROUNDS, random_state=seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                rows = _distinct(k_means.fit(rows).cluster_centers_)
        return cls(np.ascontiguousarray(rows), center, unit)

    def moved(self, data: Floats) -> NDArray[np.float32]:
        """Return rows of data where the anchors are; squares stay within the range of floats."""
        with np.errstate(over="ignore"):
            rows = (data - self.center) / self.unit
        return np.clip(rows, -1e15, 1e15).astype(np.float32)

    def ties(self, data: Floats) -> sp.csr_array:
        """Return Z, (n, p): how much every row is tied to its nearest anchors; rows sum to 1.

        The tie to the j-th nearest of the r anchors grows with d_(r+1) − d_j, in squared distances.
        """
        p, n = len(self.places), len(data)
        number = min(N_TIES, p - 1) or 1
        search = NearestNeighbors(n_neighbors=min(number + 1, p), algorithm="brute").fit(
            self.places
        )

        def tied(block: slice) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
            distances, found = search.kneighbors(self.moved(data[block]))
            squares = distances.astype(np.float64) ** 2
            beyond = squares[:, -1:] if p > number else squares[:, -1:] + 1
            near = beyond - squares[:, :number] + _LEAST_TIE * beyond
            near[beyond[:, 0] == 0] = 1.0  # duplicates of more anchors than ties
            near /= near.sum(axis=1, keepdims=True)
            return near.astype(np.float32), found[:, :number].astype(np.int32)

        if not n:
            return sp.csr_array((0, p), dtype=np.float32)
        parts = for_blocks(tied, n, BLOCK_ROWS, shared=may_share(n))
        near, found = (np.concatenate(part) for part in zip(*parts, strict=True))
        starts = np.arange(0, n * number + 1, number)
        ties = sp.csr_array((near.ravel(), found.ravel(), starts), shape=(n, p))
        ties.sort_indices()
        return ties


def _distinct(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``np.unique(rows, axis=0)``, sooner where the first columns tell all rows apart."""
    ordered = rows[np.lexsort(rows[:, 1::-1].T)]
    if (ordered[1:, :2] != ordered[:-1, :2]).any(axis=1).all():
        return ordered
    return np.unique(rows, axis=0)


_TINY = 1e-12


def dense_gram(ties: sp.csr_array, weights: Floats | None = None) -> Floats:
    """Return Bᵀ diag(weights) B."""
    gram = np.zeros((ties.shape[1], ties.shape[1]))
    weights = np.ones(ties.shape[0]) if weights is None else weights
    add_gram(ties.indptr.astype(np.int64), ties.indices.astype(np.int32), ties.data, weights, gram)
    return gram


def of_objects(ties: sp.csr_array, own: Ints, n_objects: int) -> sp.csr_array:
    """Return the sums of the ties of the rows of every object, the anchors of each in order."""
    found = membership(own, n_objects).astype(np.float32) @ ties
    found.sort_indices()
    return found


def side_by_side(parts: list[sp.csr_array]) -> sp.csr_array:
    return sp.hstack(parts, format="csr", dtype=np.float32)


def with_rows(ties: sp.csr_array, rows: Ints, changed: sp.csr_array) -> sp.csr_array:
    """Return ties with other numbers in some rows, at the same places."""
    found = ties.copy()
    lengths = np.diff(ties.indptr)[rows]
    first = np.repeat(ties.indptr[rows] - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    found.data[first + np.arange(lengths.sum())] = changed.data
    return found


def largest_of_rows(matrix: sp.csr_array) -> Ints:
    """Return the column of the largest entry of every row, −1 where all are 0."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.indices, -matrix.data, rows))
    order = order[matrix.data[order] > 0]
    found = np.full(matrix.shape[0], -1)
    filled, first = np.unique(rows[order], return_index=True)
    found[filled] = matrix.indices[order[first]]
    return found


def row_counts(matrix: sp.csr_array) -> Ints:
    return np.diff(matrix.indptr).astype(np.int64)


def column_sums(matrix: sp.csr_array) -> Floats:
    return np.asarray(
        np.bincount(matrix.indices, matrix.data, minlength=matrix.shape[1]), np.float64
    )


def inverse_of(sums: Floats) -> Floats:
    """Return 1 / sums, and 1 where nothing was summed, which counts for nothing."""
    return np.divide(1.0, sums, out=np.ones_like(sums), where=sums > _TINY)
