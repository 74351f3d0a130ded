"""Nearest neighbors of the rows of a view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from mvcc._utils.arrays import Floats, Ints, blocks_by_width

_TREE_COLUMNS = 5  # up to here a tree is faster than all distances
# distances, for each column, that the search by squares of rows may take for longer than that of an
# equal row, which is then not among those that it finds
_LOST = 1e-7


def nearness(distances: Floats) -> Floats:
    """Return weights exp(−2 (d / d_m)²) of the m nearest rows of each, (n, m), which sum to 1."""
    farthest = distances[:, -1:]
    near = np.exp(-2 * (distances / np.where(farthest > 0, farthest, 1.0)) ** 2)
    return near / near.sum(axis=1, keepdims=True)


def sparse_rows(values: NDArray[Any], columns: NDArray[Any], n_columns: int) -> sp.csr_array:
    """Return a sparse matrix with the same number of entries, (n, m), in every row."""
    n, m = values.shape
    starts = np.arange(0, n * m + 1, m)
    return sp.csr_array((values.ravel(), columns.ravel(), starts), shape=(n, n_columns))


def moved(data: Floats, center: Floats, unit: float, dtype: Any) -> NDArray[Any]:
    """Return rows moved and scaled, as floats within whose range their squares stay."""
    with np.errstate(over="ignore"):
        rows = (data - center) / unit
    most = 1e100 if rows.dtype == dtype == np.float64 else 1e15
    return np.clip(rows, -most, most, out=rows).astype(dtype, copy=False)


@dataclass(frozen=True, eq=False)
class NeighborSearch:
    """Rows among which the nearest ones are searched."""

    # (n, d): moved to their median and scaled to at most 1: distances of values far from 0 keep
    # their digits, and their squares stay within the range of floats
    rows: Floats
    center: Floats  # (d,)
    unit: float  # one unit of the distances that are returned, in units of the data

    @classmethod
    def among(cls, data: Floats) -> NeighborSearch:
        center = np.median(data, axis=0)
        moved = data - center
        unit = float(max(moved.max(initial=0.0), -moved.min(initial=0.0))) or 1.0
        moved /= unit
        return cls(moved, center, unit)

    def nearest_others(self, n_neighbors: int) -> tuple[Floats, Ints]:
        """Return distances and numbers, (n, n_neighbors), of the rows nearest to every row."""
        if self.rows.shape[1] <= _TREE_COLUMNS:
            nearest = self._found_near(self.rows, n_neighbors + 1)
            is_itself = nearest == np.arange(len(nearest))[:, None]
            is_itself[~is_itself.any(axis=1), -1] = True  # a duplicate was found in its place
            nearest = nearest[~is_itself].reshape(len(nearest), n_neighbors)
        else:
            nearest = self._brute(n_neighbors).kneighbors(return_distance=False)
        return self._by_distance(self.rows, nearest)

    def nearest_to(self, data: Floats, n_neighbors: int) -> tuple[Floats, Ints]:
        """Return distances and numbers of the rows nearest to other ones, both (m, n_neighbors)."""
        # they are single in models of former versions
        rows = moved(data, self.center, self.unit, self.rows.dtype)
        distances, nearest = self._by_distance(rows, self._found_near(rows, n_neighbors))
        lost = np.flatnonzero((distances[:, 0] > 0) & (distances[:, -1] < _LOST * rows.shape[1]))
        if len(lost):
            # a zero has the same bytes as a negative one only after 0 was added
            index_of = {row.tobytes(): index for index, row in enumerate(self.rows + 0)}
            for i, row in zip(lost.tolist(), rows[lost] + 0, strict=True):
                if (equal := index_of.get(row.tobytes())) is not None:
                    distances[i] = [0, *distances[i, :-1]]
                    nearest[i] = [equal, *nearest[i, :-1]]
        return distances, nearest

    def _found_near(self, rows: Floats, n_neighbors: int) -> Any:
        if self.rows.shape[1] <= _TREE_COLUMNS:
            return cKDTree(self.rows).query(rows, n_neighbors)[1].reshape(len(rows), n_neighbors)
        return self._brute(n_neighbors).kneighbors(rows, return_distance=False)

    def _brute(self, n_neighbors: int) -> Any:
        return NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute").fit(self.rows)

    def _by_distance(self, rows: Floats, nearest: Any) -> tuple[Floats, Ints]:
        """Sort by exact distances: the search rounds, and duplicates are at distance 0."""
        nearest = nearest.astype(np.int64)
        distances = np.empty(nearest.shape)
        for block in blocks_by_width(len(rows), nearest.shape[1] * rows.shape[1]):
            gaps = rows[block, None] - self.rows[nearest[block]]
            distances[block] = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps))
        order = np.argsort(distances, axis=1, kind="stable")
        nearest = np.take_along_axis(nearest, order, axis=1)
        return np.take_along_axis(distances, order, axis=1), nearest
