"""Anchors: a few hundred places among the rows of a view, and the ties of rows to the nearest.

Ties instead of edges between rows are those of Chen and Cai, "Large Scale Spectral Clustering with
Landmark-Based Representation", 2011. k-means of a sample finds the anchors, as in Huang et al.,
"Ultra-Scalable Spectral Clustering and Ensemble Clustering", 2019. Ties by a power of the distance
are the weights of Shepard, "A Two-Dimensional Interpolation Function for Irregularly-Spaced Data",
1968.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from mvcc._utils.arrays import BLOCK_ROWS, TINY, Floats, Ints, blocks_of
from mvcc._utils.contexts import quiet_k_means
from mvcc._utils.kernels import add_gram, for_blocks, may_share
from mvcc.constraints import spans
from mvcc.embedding._across_views import membership
from mvcc.embedding._neighbors import moved, sparse_rows

N_TIES = 3  # r, anchors that a row is tied to
FEWEST_ANCHORS = 500
ANCHORS_PER_CLUSTER = 25
MOST_ANCHORS = 4_000  # of V views, each of which has 1 / (V + 1) of them at most
_SHARE_OF_ROWS = 4  # rows for each anchor, at least
_SAMPLED = 20  # rows for each anchor, of which k-means finds it
_ROUNDS = 5  # of k-means: anchors need not be exact centers
_TIE_POWER = 3  # of squared distances
_CLOSEST = 0.1  # in squared distances to the first anchor without a tie; what is nearer is so near
_LEAST_TIE = 1e-3  # to an anchor as far as the first one without a tie


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
    def among(
        cls, data: Floats, n_anchors: int, rng: np.random.Generator
    ) -> tuple[Anchors, sp.csr_array]:
        """Find so many anchors, or fewer where fewer rows differ; return them and all ties."""
        size = min(len(data), _SAMPLED * n_anchors)
        sample = np.sort(rng.choice(len(data), size, replace=False))
        sampled = data[sample]
        center = np.median(sampled, axis=0)
        unit = float(np.abs(sampled - center).max(initial=0.0)) or 1.0
        empty = cls(np.empty((0, data.shape[1]), np.float32), center, unit)
        rows, row_of = _distinct(empty.moved(sampled))
        if len(rows) <= n_anchors:
            anchors = cls(rows, center, unit)
            return anchors, anchors.ties(data)
        seed = int(rng.integers(2**31))
        k_means = KMeans(n_anchors, init="random", n_init=1, max_iter=_ROUNDS, random_state=seed)
        with quiet_k_means():
            k_means.fit(rows)
        places, anchor_of = _distinct(k_means.cluster_centers_)
        anchors, made = cls(places, center, unit), np.full(len(data), -1, np.int32)
        made[sample] = anchor_of[k_means.labels_][row_of]
        return anchors, anchors.ties(data, made)

    def moved(self, data: Floats) -> NDArray[np.float32]:
        """Return rows of data where the anchors are."""
        return moved(data, self.center, self.unit, np.float32)

    def ties(self, data: Floats, made: NDArray[np.int32] | None = None) -> sp.csr_array:
        """Return Z, (n, p): how much every row is tied to its nearest anchors; rows sum to 1."""
        # The tie to the j-th nearest of the r anchors grows with d_j⁻⁶ − d_(r+1)⁻⁶: where noise in
        # many columns makes all of them as far, it is tied to all, and else to the nearest one.
        # `made` is the anchor that k-means made of a row and others, or −1: as their mean it is
        # nearer to each of m rows than to others like them, by (m − 1) / (m + 1) in squares.
        # Without that, few rows around an anchor would be a separate piece of the graph.
        p, n = len(self.places), len(data)
        n_ties = min(N_TIES, p - 1) or 1
        nearest_places = NearestNeighbors(n_neighbors=min(n_ties + 1, p), algorithm="brute")
        search = nearest_places.fit(self.places)
        near = np.empty((n, n_ties), np.float32)
        columns = np.empty((n, n_ties), np.int32)
        if made is None:
            made = np.full(n, -1, np.int32)
        sizes = np.bincount(made[made >= 0], minlength=p)
        further = np.divide(sizes + 1, sizes - 1, out=np.full(p, np.inf), where=sizes > 1)

        def tie(block: slice) -> None:
            distances, nearest = search.kneighbors(self.moved(data[block]))
            squares = distances.astype(np.float64) ** 2
            beyond = squares[:, -1:] + (p == n_ties)  # one anchor alone has none beyond it
            beyond[beyond == 0] = 1.0  # duplicates of more anchors than ties
            nearer = np.maximum(squares[:, :n_ties] / beyond, _CLOSEST)
            columns[block] = nearest[:, :n_ties]
            is_own = columns[block] == made[block, None]
            nearer[is_own] *= further[columns[block][is_own]]
            near[block] = np.maximum(nearer**-_TIE_POWER - 1, 0) + _LEAST_TIE
            near[block] /= near[block].sum(axis=1, keepdims=True)

        if n:
            for_blocks(tie, n, BLOCK_ROWS, shared=may_share(n))
        ties = sparse_rows(near, columns, p)
        ties.sort_indices()
        return ties


def _distinct(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], Ints]:
    """Return ``np.unique(rows, axis=0, return_inverse=True)``, sooner where the first columns tell
    all rows apart.
    """
    order = np.lexsort(rows[:, 1::-1].T)
    ordered = rows[order]
    if (ordered[1:, :2] != ordered[:-1, :2]).any(axis=1).all():
        return ordered, np.argsort(order)
    distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
    return distinct, inverse.ravel()


def dense_gram(ties: sp.csr_array, weights: Floats) -> Floats:
    """Return Bᵀ diag(weights) B."""
    gram = np.zeros((ties.shape[1], ties.shape[1]))
    add_gram(ties.indptr.astype(np.int64), ties.indices.astype(np.int32), ties.data, weights, gram)
    return gram


def of_objects(ties: sp.csr_array, row_objects: Ints, n_objects: int) -> sp.csr_array:
    """Return the sums of the ties of the rows of every object, the anchors of each in order."""
    sums = membership(row_objects, n_objects).astype(np.float32) @ ties
    sums.sort_indices()
    return sums


def side_by_side(parts: list[sp.csr_array]) -> sp.csr_array:
    """Return ``scipy.sparse.hstack(parts)``, of some rows at a time, without a second copy."""
    n, starts = parts[0].shape[0], sum(part.indptr.astype(np.int64) for part in parts)
    indices, data = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    for block in blocks_of(n):
        rows = sp.hstack([part[block] for part in parts], format="csr")
        of_block = slice(starts[block.start], starts[min(block.stop, n)])
        indices[of_block], data[of_block] = rows.indices, rows.data
    return sp.csr_array((data, indices, starts), shape=(n, sum(part.shape[1] for part in parts)))


def change_rows(ties: sp.csr_array, rows: Ints, changed: sp.csr_array) -> None:
    """Change the numbers of ties in some rows, at the same places."""
    _, places = spans(ties.indptr[rows], np.diff(ties.indptr)[rows])
    ties.data[places] = changed.data


def largest_of_rows(matrix: sp.csr_array) -> Ints:
    """Return the column of the largest entry of every row, −1 where all are 0."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.indices, -matrix.data, rows))
    order = order[matrix.data[order] > 0]
    largest = np.full(matrix.shape[0], -1)
    filled, first = np.unique(rows[order], return_index=True)
    largest[filled] = matrix.indices[order[first]]
    return largest


def times(ties: sp.csr_array, numbers: Floats) -> Floats:
    """Return the product with numbers of anchors; scipy.sparse would copy all ties in doubles."""
    return np.concatenate([ties[block] @ numbers for block in blocks_of(ties.shape[0])])


def times_transposed(ties: sp.csr_array, numbers: Floats) -> Floats:
    """Return the product of the transpose with numbers of rows, in as little memory."""
    product = np.zeros((ties.shape[1], *numbers.shape[1:]))
    for block in blocks_of(ties.shape[0]):
        product += ties[block].T @ numbers[block]
    return product


def column_sums(ties: sp.csr_array) -> Floats:
    return times_transposed(ties, np.ones(ties.shape[0]))


def inverse_of(sums: Floats) -> Floats:
    """Return 1 / sums, and 1 where nothing was summed, which counts for nothing."""
    return np.divide(1.0, sums, out=np.ones_like(sums), where=sums > TINY)
