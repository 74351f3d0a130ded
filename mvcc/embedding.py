"""Spectral features: the low-dimensional space in which a view is clustered (§6.1)."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse.linalg
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from mvcc._validation import check_count, check_data, check_number
from mvcc.exceptions import InvalidInputError

MAX_ROWS = 20_000
_DENSE_ROWS = 1_000


def spectral_features(X: ArrayLike, n_components: int, *, sigma: float = 1.0) -> NDArray[np.float64]:
    """Embed a view by the eigenvectors of its normalized Laplacian (§6.1, after Ng et al.).

    Every feature is scaled to [0, 1], so that ``sigma`` = 1 fits the distances; a constant feature becomes 0. The
    eigenvectors of the 2nd to (d+1)th lowest eigenvalues are standardized to mean 0 and variance 1. Their signs are
    fixed: the entry of largest magnitude of the eigenvector is positive. The same input gives the same bits on any
    number of threads.

    Parameters
    ----------
    X : array-like of shape (n, d_V)
        Raw features of one view.
    n_components : int
        d, the number of eigenvectors kept, 1 to n − 1.
    sigma : float, default=1.0
        Width of the affinity exp(−‖x_i − x_j‖² / 2σ²), in units of the scaled features.

    Returns
    -------
    ndarray of shape (n, n_components)
        The standardized eigenvectors.

    Raises
    ------
    InvalidInputError
        For NaN or infinity in X, impossible parameters, a width at which there are no such features, or more than
        20,000 rows: the affinities are n × n.
    """
    data = check_data(X)
    low, span = data.min(axis=0), np.ptp(data, axis=0)
    scaled = np.divide(data - low, span, out=np.zeros_like(data), where=span > 0)
    return unscaled_spectral_features(scaled, n_components, sigma=sigma)


def unscaled_spectral_features(X: ArrayLike, n_components: int, *, sigma: float = 1.0) -> NDArray[np.float64]:
    """Embed a view whose features have a common scale already, such as document vectors of unit length (§6.1).

    As :func:`spectral_features`, but the affinity is that of the features as they are.

    Parameters
    ----------
    X : array-like of shape (n, d_V)
        Features of one view, in a unit that fits ``sigma``.
    n_components : int
        d, the number of eigenvectors kept, 1 to n − 1.
    sigma : float, default=1.0
        Width of the affinity exp(−‖x_i − x_j‖² / 2σ²).

    Returns
    -------
    ndarray of shape (n, n_components)
        The standardized eigenvectors.

    Raises
    ------
    InvalidInputError
        As :func:`spectral_features`.
    """
    data = check_data(X)
    n = len(data)
    n_kept = check_count(n_components, "n_components")
    check_number(sigma, "sigma", low=0, low_included=False)
    if n_kept >= n:
        raise InvalidInputError(f"n_components={n_kept} needs more than {n_kept} rows, but X has {n}.")
    if n > MAX_ROWS:
        raise InvalidInputError(
            f"X has {n} rows, and spectral features need an affinity for every pair of rows; beyond {MAX_ROWS} reduce "
            f"the dimension by sklearn.decomposition.PCA, sklearn.kernel_approximation.Nystroem or "
            f"sklearn.manifold.SpectralEmbedding on a nearest-neighbour graph instead."
        )
    with np.errstate(over="ignore"):
        units = data / sigma
    near = np.isfinite(units).all()  # else rows are infinitely many units apart
    affinity = np.exp(-0.5 * cdist(units, units, "sqeuclidean")) if near else np.eye(n)
    if affinity.min() == 1 or affinity.sum() == n:
        what = "no row differs from another" if affinity.min() == 1 else "no row is near another"
        raise InvalidInputError(
            f"At sigma={sigma:g} {what}, so that there are no spectral features; choose a width nearer to the "
            f"distances between rows."
        )
    scale = 1 / np.sqrt(affinity.sum(axis=1))
    affinity *= scale[:, None]
    affinity *= scale
    with threadpool_limits(1):  # LAPACK and ARPACK sum in another order on more threads
        vectors = _leading_eigenvectors(affinity, n_kept + 1)[:, 1:]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(n_kept)])
    vectors -= vectors.mean(axis=0)
    features: NDArray[np.float64] = np.ascontiguousarray(vectors / vectors.std(axis=0))
    return features


def _leading_eigenvectors(matrix: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """Return eigenvectors, largest eigenvalue first: those of I − L are the lowest of the Laplacian L."""
    n = len(matrix)
    if n <= _DENSE_ROWS or number > n // 10:
        vectors = scipy.linalg.eigh(matrix, subset_by_index=(n - number, n - 1))[1]
    else:
        start = np.ones(n) / np.sqrt(n)
        vectors = scipy.sparse.linalg.eigsh(matrix, number, v0=start)[1]
    return np.asarray(vectors)[:, ::-1]
