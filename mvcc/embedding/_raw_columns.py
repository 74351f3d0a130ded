"""Columns of a view as they are, in one unit, and those of all views side by side, of objects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

from mvcc._utils.arrays import Floats

_MOST_COLUMNS = 256  # of a view; wider ones are turned to as many principal components
_MOST_DENSE_COLUMNS = 2_000
_SINGLE_FROM = 100_000  # rows, whose columns are kept in single precision


@dataclass(frozen=True, eq=False)
class RawColumns:
    """How the columns of a view are centered, and divided by the rows' root mean square."""

    # the largest magnitude: squares of values in this unit stay within the range of floats
    unit: float
    mean: Floats  # (d,)
    length: float
    axes: Floats | None  # (d, r), r at most 256: principal axes of more columns

    def affine(self, center: Floats, unit: float) -> tuple[Floats, Floats]:
        """Return A and b: rows ``unit`` m + ``center`` of the view have the columns m A + b."""
        axes = np.eye(len(self.mean)) if self.axes is None else self.axes
        shift = (center / self.unit - self.mean) / self.length
        return axes * (unit / self.unit / self.length), shift @ axes


def raw_columns(X: Floats) -> Floats:
    """Return the columns of a view, centered, divided by the rows' root mean squared length."""
    return fitted_raw_columns(X)[0]


def fitted_raw_columns(X: Floats) -> tuple[Floats, RawColumns]:
    """Return the columns of a view as ``raw_columns``, and how they were made."""
    unit = float(max(X.max(), -X.min())) or 1.0
    rows = X / unit
    mean = rows.mean(axis=0)
    rows -= mean
    length = float(np.sqrt(np.einsum("ij,ij->", rows, rows) / len(rows)))
    if length <= 1e-14:  # rounding of constant columns
        length = 1.0
    rows /= length
    axes = None
    if rows.shape[1] > _MOST_COLUMNS:
        axes = _principal_axes(rows, _MOST_COLUMNS)
        rows = rows @ axes
    if len(rows) >= _SINGLE_FROM:
        rows = rows.astype(np.float32)
    return rows, RawColumns(unit, mean, length, axes)


def object_columns(columns: list[Floats], members: list[sp.csr_array]) -> Floats:
    """Return the columns of all views side by side: means of an object's rows, 0 without any."""
    # `members` (n, n_v) has the rows of every object; see ``membership``
    return np.hstack([_means(*pair) for pair in zip(columns, members, strict=True)])


def _means(rows: Floats, rows_of: sp.csr_array) -> Floats:
    n_rows = np.diff(rows_of.indptr)
    means = np.zeros((len(n_rows), rows.shape[1]))
    single, several = np.flatnonzero(n_rows == 1), np.flatnonzero(n_rows > 1)
    means[single] = rows[rows_of.indices[rows_of.indptr[single]]]
    if len(several):
        members = rows_of[several]
        # a product with all rows would first make each of them a double
        used, column = np.unique(members.indices, return_inverse=True)
        sums = sp.csr_array((members.data, column, members.indptr), shape=(len(several), len(used)))
        means[several] = (sums @ rows[used]) / n_rows[several, None]
    return means


def _principal_axes(rows: Floats, n_axes: int) -> Floats:
    n, d = rows.shape
    if d <= _MOST_DENSE_COLUMNS:
        return scipy.linalg.eigh(rows.T @ rows, subset_by_index=(d - n_axes, d - 1))[1]
    return np.asarray(randomized_svd(rows, min(n_axes, n), n_iter=2, random_state=0)[2]).T
