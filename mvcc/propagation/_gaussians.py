"""The clusters as Gaussians, whose shape constraints propagate with (Eq. 4–8, §5.1)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.kernels import inverse_cholesky
from mvcc._utils.validation import check_matrices
from mvcc.exceptions import InvalidInputError
from mvcc.propagation._kernels import cluster_moments, memberships


@dataclass(frozen=True)
class Gaussians:
    """Means, covariances and whitening matrices of the clusters of one view."""

    sizes: Ints  # (k,): members of each cluster
    means: Floats  # (k, d)
    covariances: Floats  # (k, d, d): Σ_h
    # (k, d, d): lower triangular W_h with Σ_h^-1 = W_hᵀ W_h; zero for an empty cluster
    whiteners: Floats

    def memberships(self, X: Floats, rows: Ints, labels: Ints) -> Floats:
        """Return G_c(x) of Eq. 7 for some rows of X, c being the cluster that each belongs to."""
        return memberships(X, rows, labels, self.means, self.whiteners)


def fit_gaussians(
    X: Floats, labels: Ints, metrics: Floats | None, regularization: float
) -> Gaussians:
    # A singular covariance of one that has members is an error. With learned metrics M_h, (k, d) or
    # (k, d, d), Σ_h = α_h M_h^-1 with α_h of Eq. 6. Without them Σ_h is the empirical covariance
    # (Eq. 4), and k is the largest label + 1. ``regularization`` is γ of Eq. 4, in squared units of
    # X.
    d = X.shape[1]
    n_clusters = int(labels.max()) + 1 if metrics is None else len(metrics)
    check_matrices(n_clusters, d)
    sizes, means, covariances = cluster_moments(X, labels, n_clusters)
    covariances += regularization * np.eye(d)
    if metrics is not None:
        covariances = _rescaled_inverses(metrics, covariances)
    whiteners = np.zeros_like(covariances)
    for h in np.flatnonzero(sizes):
        definite, whiteners[h] = inverse_cholesky(covariances[h], np.zeros(d))
        if not definite:
            raise InvalidInputError(
                f"The covariance of cluster {h} with its {sizes[h]} members is singular in {d} "
                f"dimensions; regularization={regularization:g} must be larger, or the data scaled."
            )
    return Gaussians(sizes, means, covariances, whiteners)


def _rescaled_inverses(metrics: Floats, empirical: Floats) -> Floats:
    """Return α_h M_h^-1, which has the empirical variance in its first component (Eq. 5–6)."""
    with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
        inverses = np.zeros_like(empirical)
        if metrics.ndim == 2:
            diagonal = np.arange(metrics.shape[1])
            inverses[:, diagonal, diagonal] = 1 / metrics
            largest = (1 / metrics).max(axis=1)
        else:
            inverses[:] = np.linalg.inv(metrics)
            inverses = (inverses + inverses.transpose(0, 2, 1)) / 2
            largest = np.linalg.eigvalsh(inverses)[:, -1]
        alpha = np.linalg.eigvalsh(empirical)[:, -1] / largest
        scaled: Floats = alpha[:, None, None] * inverses
        if np.isfinite(scaled).all():
            return scaled
    raise InvalidInputError(
        "The metrics of the clusters have no inverse within the range of floats; they must be "
        "positive definite, and neither too large nor too small."
    )
