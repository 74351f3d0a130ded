"""Spectral features (§6.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def scale_to_unit_range(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each feature scaled to [0, 1]; a constant feature becomes 0."""
    low, high = np.min(X, axis=0), np.max(X, axis=0)
    span = np.where(high > low, high - low, 1.0)
    return (X - low) / span


def normalised_laplacian(X: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """L = I − D^(−1/2) A D^(−1/2) with A_ij = exp(−‖x_i − x_j‖² / 2σ²), A_ii = 1 (§6.1)."""
    n = len(X)
    A = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            A[i, j] = np.exp(-np.sum((X[i] - X[j]) ** 2) / (2 * sigma**2))
    D_inverse_root = np.diag(1 / np.sqrt(np.sum(A, axis=1)))
    return np.eye(n) - D_inverse_root @ A @ D_inverse_root


def spectral_features(X: NDArray[np.float64], n_components: int, sigma: float = 1.0) -> NDArray[np.float64]:
    """Eigenvectors 2 to n_components + 1 of the normalized Laplacian, standardized (§6.1); signs are arbitrary.

    Features are scaled to [0, 1] before; the result has mean 0 and population variance 1 in every column.
    """
    _, Q = np.linalg.eigh(normalised_laplacian(scale_to_unit_range(X), sigma))
    kept = Q[:, 1 : n_components + 1]
    return (kept - np.mean(kept, axis=0)) / np.std(kept, axis=0)
