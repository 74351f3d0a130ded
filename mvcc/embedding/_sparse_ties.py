"""Sparse ties of objects to anchors: sums, products, and rows that are replaced."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvcc._utils.types import Floats, Ints
from mvcc.embedding._joint_graph import membership
from mvcc.embedding._kernels.gram import add_gram

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
    counts: Ints = np.diff(matrix.indptr).astype(np.int64)
    return counts


def column_sums(matrix: sp.csr_array) -> Floats:
    return np.asarray(
        np.bincount(matrix.indices, matrix.data, minlength=matrix.shape[1]), np.float64
    )


def inverse_of(sums: Floats) -> Floats:
    """Return 1 / sums, and 1 where nothing was summed, which counts for nothing."""
    found: Floats = np.divide(1.0, sums, out=np.ones_like(sums), where=sums > _TINY)
    return found
