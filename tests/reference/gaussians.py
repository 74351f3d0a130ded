"""The clusters as Gaussians (§5.1, Eq. 4–8)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def means(X: Floats, labels: Ints, k: int) -> Floats:
    """μ_h, the mean of the points of each cluster, zeros for an empty one."""
    result = np.zeros((k, X.shape[1]))
    for h in range(k):
        if np.any(labels == h):
            result[h] = np.mean(X[labels == h], axis=0)
    return result


def empirical_covariances(X: Floats, labels: Ints, k: int, regularization: float) -> Floats:
    """Eq. 4, §5.1; an empty cluster has γI alone."""
    d = X.shape[1]
    mu = means(X, labels, k)
    result = np.zeros((k, d, d))
    for h in range(k):
        members = X[labels == h]
        for x in members:
            result[h] += np.outer(x - mu[h], x - mu[h]) / len(members)
        result[h] += regularization * np.eye(d)
    return result


def covariances(X, labels, k, metrics=None, regularization=1e-06) -> Floats:
    """Σ_h of every cluster, (k, d, d): Eq. 4, or α_h M_h⁻¹ of Eq. 5–6 with metrics (§5.1)."""
    empirical = empirical_covariances(X, labels, k, regularization)
    if metrics is None:
        return empirical
    result = np.zeros_like(empirical)
    for h in range(k):
        inverse = np.diag(1.0 / metrics[h]) if metrics[h].ndim == 1 else np.linalg.inv(metrics[h])
        alpha = np.max(np.linalg.eigvalsh(empirical[h])) / np.max(np.linalg.eigvalsh(inverse))
        result[h] = alpha * inverse
    return result


def squared_mahalanobis(difference: Floats, covariance: Floats) -> float:
    """Eq. 8, §5.1."""
    return float(difference @ np.linalg.solve(covariance, difference))


def membership(X: Floats, labels: Ints, means: Floats, covariances: Floats) -> Floats:
    """G_{c_i}(x_i) of every point in its own cluster c_i, its label (Eq. 7, §5.1)."""
    return np.array(
        [
            math.exp(-0.5 * squared_mahalanobis(X[i] - means[labels[i]], covariances[labels[i]]))
            for i in range(len(X))
        ]
    )
