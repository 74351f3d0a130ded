"""The columns of views as they are, in one unit, for what is learned beside an embedding."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd

from mvcc.embedding._neighbors import precision_of

MOST_COLUMNS = 256  # of a view; wider ones are turned to as many principal components
_MOST_DENSE_COLUMNS = 2_000

Floats = NDArray[np.float64]


def raw_columns(X: Floats) -> Floats:
    """Return the columns of a view, centered, and divided by the root mean squared length of the rows."""
    unit = float(np.abs(X).max()) or 1.0  # squares stay within the range of floats
    rows = X / unit
    rows -= rows.mean(axis=0)
    length = np.sqrt(np.einsum("ij,ij->", rows, rows) / len(rows))
    rows /= length if length > 1e-14 else 1.0  # below it is rounding of constant columns
    if rows.shape[1] > MOST_COLUMNS:
        rows = rows @ _principal_axes(rows, MOST_COLUMNS)
    columns: Floats = rows.astype(precision_of(len(rows)), copy=False)
    return columns


def object_columns(columns: list[Floats], members: list[sp.csr_array]) -> Floats:
    """Return the columns of all views side by side, means of the rows of an object, 0 where it is not in a view.

    Parameters
    ----------
    columns : list of (n_v, d_v) arrays
    members : list of (n, n_v) sparse arrays
        Which rows are of which object; see ``membership``.
    """
    return np.hstack(
        [
            (rows_of @ rows) / np.maximum(rows_of.sum(axis=1), 1)[:, None]
            for rows, rows_of in zip(columns, members, strict=True)
        ]
    )


def _principal_axes(rows: Floats, number: int) -> Floats:
    n, d = rows.shape
    if d <= _MOST_DENSE_COLUMNS:
        axes: Floats = scipy.linalg.eigh(rows.T @ rows, subset_by_index=(d - number, d - 1))[1]
        return axes
    return np.asarray(randomized_svd(rows, min(number, n), n_iter=2, random_state=0)[2]).T
