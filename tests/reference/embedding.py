"""Spectral features (§6.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def scale_to_unit_range(X: Floats) -> Floats:
    """Each feature scaled to [0, 1]; a constant feature becomes 0."""
    low, high = np.min(X, axis=0), np.max(X, axis=0)
    span = np.where(high > low, high - low, 1.0)
    return (X - low) / span


def normalised_laplacian(X: Floats, sigma: float) -> Floats:
    """L = I − D^(−1/2) A D^(−1/2) with A_ij = exp(−‖x_i − x_j‖² / 2σ²), A_ii = 1 (§6.1)."""
    n = len(X)
    A = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            A[i, j] = np.exp(-np.sum((X[i] - X[j]) ** 2) / (2 * sigma**2))
    D_inverse_root = np.diag(1 / np.sqrt(np.sum(A, axis=1)))
    return np.eye(n) - D_inverse_root @ A @ D_inverse_root


def spectral_features(X: Floats, n_components: int, sigma: float = 1.0) -> Floats:
    """Eigenvectors 2 to n_components + 1 of the Laplacian, standardized (§6.1), of any sign."""
    _, Q = np.linalg.eigh(normalised_laplacian(scale_to_unit_range(X), sigma))
    kept = Q[:, 1 : n_components + 1]
    return (kept - np.mean(kept, axis=0)) / np.std(kept, axis=0)


def features_of_new_rows(X: Floats, new: Floats, n_components: int, sigma: float = 1.0) -> Floats:
    """Extend the features of X to new rows by the formula of Nyström, with the signs of X.

    v_k(x) = 1/λ_k Σ_i a(x, x_i) / √(d(x) d_i) v_ik. A row with d(x) < 1 gets the features of the
    nearest row of X.
    """
    low, high = np.min(X, axis=0), np.max(X, axis=0)
    span = np.where(high > low, high - low, np.inf)
    rows, others = (X - low) / span, (new - low) / span
    values, Q = np.linalg.eigh(normalised_laplacian(rows, sigma))
    kept, eigenvalues = Q[:, 1 : n_components + 1], 1 - values[1 : n_components + 1]
    degrees = [sum(_affinity(x, y, sigma) for y in rows) for x in rows]
    extended = np.empty((len(new), n_components))
    for place, x in enumerate(others):
        a = [_affinity(x, y, sigma) for y in rows]
        if sum(a) < 1:
            extended[place] = kept[int(np.argmin([np.sum((x - y) ** 2) for y in rows]))]
            continue
        for k in range(n_components):
            terms = [a[i] / np.sqrt(sum(a) * degrees[i]) * kept[i, k] for i in range(len(rows))]
            extended[place, k] = sum(terms) / eigenvalues[k]
    return (extended - np.mean(kept, axis=0)) / np.std(kept, axis=0)


def _affinity(x: Floats, y: Floats, sigma: float) -> float:
    return float(np.exp(-np.sum((x - y) ** 2) / (2 * sigma**2)))
