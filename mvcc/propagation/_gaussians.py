"""A Gaussian for every cluster (Eq. 4–8), and what its shape says of clustering and propagation (§6.4)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mvcc._utils.kernels.linalg import inverse_cholesky
from mvcc._utils.validation import check_data, check_labels, check_matrices, check_metrics
from mvcc.exceptions import InvalidInputError
from mvcc.propagation._kernels.e_step import cluster_moments, memberships


@dataclass(frozen=True)
class Gaussians:
    """Means, covariances and whitening matrices of the clusters of one view.

    Attributes
    ----------
    sizes : (k,) array
        Number of members of each cluster.
    means : (k, d) array
    covariances : (k, d, d) array
        Σ_h.
    whiteners : (k, d, d) array
        Lower triangular W_h with Σ_h^-1 = W_hᵀ W_h; zero for an empty cluster.
    """

    sizes: NDArray[np.int64]
    means: NDArray[np.float64]
    covariances: NDArray[np.float64]
    whiteners: NDArray[np.float64]

    def memberships(
        self, X: NDArray[np.float64], rows: NDArray[np.int64], labels: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return G_c(x) of Eq. 7 for some rows of X, c being the cluster that each belongs to."""
        G: NDArray[np.float64] = memberships(X, rows, labels, self.means, self.whiteners)
        return G


def fit_gaussians(
    X: NDArray[np.float64],
    labels: NDArray[np.int64],
    metrics: NDArray[np.float64] | None,
    regularization: float,
) -> Gaussians:
    """Estimate the Gaussian of every cluster.

    Parameters
    ----------
    X : (n, d) array
    labels : (n,) array
        Cluster of every row; with metrics below k.
    metrics : (k, d) or (k, d, d) array, or None
        Learned metrics M_h: Σ_h = α_h M_h^-1 with α_h of Eq. 6. Without them Σ_h is the empirical covariance (Eq. 4),
        and k is the largest label + 1.
    regularization : float
        γ of Eq. 4, in squared units of X.

    Raises
    ------
    InvalidInputError
        When the covariance of a cluster that has members is singular, which needs a larger γ, or the metrics cannot be
        inverted.
    """
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
                f"The covariance of cluster {h} with its {sizes[h]} members is singular in {d} dimensions; "
                f"regularization={regularization:g} must be larger, or the data scaled."
            )
    return Gaussians(sizes, means, covariances, whiteners)


def _rescaled_inverses(metrics: NDArray[np.float64], empirical: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return α_h M_h^-1, whose first principal component has the variance of the empirical one (Eq. 5–6)."""
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
        scaled: NDArray[np.float64] = alpha[:, None, None] * inverses
        if np.isfinite(scaled).all():
            return scaled
    raise InvalidInputError(
        "The metrics of the clusters have no inverse within the range of floats; they must be positive definite, and "
        "neither too large nor too small."
    )


# Beyond these a clustering is suspicious. Co-EM with Constraint Propagation ends with a divergence below 5.5 in 99 % of
# the fits of half-moons and of concentric rings; with one above 9.5, and a disagreement below 0.07, in 97 % of those of
# Four Quadrants. (Two round clusters 3.3 standard deviations apart diverge by 5.5 nats.)
LARGEST_DISAGREEMENT = 0.15
SMALLEST_DIVERGENCE = 5.5

# γ of Eq. 4, as a share of the variance of the view: the indicators do not depend on the unit of X
_REGULARIZATION = 1e-6


@dataclass(frozen=True)
class Diagnosis:
    """The two indicators of one view.

    Attributes
    ----------
    disagreement : float
        Share of instances that are not in the cluster that the learned distributions give them, 0 … 1.
    divergence : float
        Smallest KL divergence between the distributions of two clusters, in nats; infinite for a single cluster.
    closest : tuple of int, or None
        These two clusters, in ascending order; None for a single one.
    """

    disagreement: float
    divergence: float
    closest: tuple[int, int] | None = None

    @property
    def suspicious(self) -> bool:
        """Whether either indicator says that constraints may be propagated wrongly."""
        return bool(is_suspicious(self.disagreement, self.divergence))


def diagnose(X: ArrayLike, labels: ArrayLike, metrics: ArrayLike | None = None) -> Diagnosis:
    """Compute both indicators of one clustering (§6.4).

    Parameters
    ----------
    X : array-like of shape (n, d)
        Instances of one view.
    labels : array-like of shape (n,)
        Cluster of every row. Clusters without a row do not count.
    metrics : array-like of shape (k, d) or (k, d, d), default=None
        ``MPCKMeans.metrics_``; all the identity when left out, as in PCK-Means.

    Raises
    ------
    InvalidInputError
        For arguments that do not fit together.
    """
    checked = _check(X, labels, metrics)
    return Diagnosis(_disagreement(*checked), *_divergence(*checked))


def is_suspicious(disagreement: ArrayLike, divergence: ArrayLike) -> NDArray[np.bool_]:
    """Tell from the two indicators, numbers or arrays of them, where Constraint Propagation is to be distrusted (§6.4).

    Either a disagreement above ``LARGEST_DISAGREEMENT`` or a divergence below ``SMALLEST_DIVERGENCE`` suffices.
    """
    return (np.asarray(disagreement) > LARGEST_DISAGREEMENT) | (np.asarray(divergence) < SMALLEST_DIVERGENCE)


def _disagreement(data: NDArray[np.float64], clusters: NDArray[np.int64], learned: NDArray[np.float64] | None) -> float:
    """Return the share of instances whose cluster is not the one that the learned distributions give.

    Without constraints an instance would be in the cluster of least ‖x − μ_h‖² − log det M_h (Eq. 1). The share is
    large where constraints, and not the distances, shape the clusters.
    """
    own = np.full(len(data), np.inf)
    least = np.full(len(data), np.inf)
    for h in np.unique(clusters):
        members = clusters == h
        gaps = data - data[members].mean(axis=0)
        costs = (gaps**2).sum(axis=1) if learned is None else _under_metric(gaps, learned[h])
        own[members] = costs[members]
        least = np.minimum(least, costs)
    return float(np.mean(own > least))


def _divergence(
    data: NDArray[np.float64], clusters: NDArray[np.int64], learned: NDArray[np.float64] | None
) -> tuple[float, tuple[int, int] | None]:
    """Return the smallest KL divergence between the Gaussians of two clusters (Eq. 4–6), and these two.

    The smaller direction counts: a compact cluster in the middle of a wide one overlaps with it, although most of the
    wide one is elsewhere.
    """
    # reports compare with the limits above, and need no compiled kernels
    from mvcc.propagation._gaussians import fit_gaussians

    data = data - data.mean(axis=0)
    scale = np.sqrt(np.mean(data**2))
    data = data / scale if scale > 0 else data
    gaussians = fit_gaussians(data, clusters, learned, _REGULARIZATION)
    present = np.flatnonzero(gaussians.sizes)
    means, covariances, whiteners = (
        values[present] for values in (gaussians.means, gaussians.covariances, gaussians.whiteners)
    )
    log_dets = -2 * np.log(np.diagonal(whiteners, axis1=1, axis2=2)).sum(axis=1)
    smallest, closest = np.inf, None
    for q, W in enumerate(whiteners):
        traces = covariances.reshape(len(present), -1) @ (W.T @ W).ravel()  # of Σ_q⁻¹ Σ_p
        distances = (((means - means[q]) @ W.T) ** 2).sum(axis=1)
        from_p = (traces + distances - data.shape[1] + log_dets[q] - log_dets) / 2  # KL(p ‖ q) of every p
        from_p[q] = np.inf
        p = int(from_p.argmin())
        if from_p[p] < smallest:
            smallest, closest = from_p[p], (int(present[min(p, q)]), int(present[max(p, q)]))
    return max(0.0, float(smallest)), closest  # equal Gaussians are 0 only but for rounding


def _under_metric(gaps: NDArray[np.float64], metric: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ‖x − μ‖² − log det M under one metric, diagonal or full."""
    costs: NDArray[np.float64]
    with np.errstate(over="ignore", invalid="ignore"):  # metrics of another scale: infinitely far is far
        if metric.ndim == 1:
            costs = gaps**2 @ metric - np.log(metric).sum()
        else:
            costs = np.einsum("na,ab,nb->n", gaps, metric, gaps, optimize=True) - np.linalg.slogdet(metric)[1]
    return costs


def _check(
    X: ArrayLike, labels: ArrayLike, metrics: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64] | None]:
    data = check_data(X)
    clusters = check_labels(labels, len(data), "labels")
    if metrics is None:
        return data, clusters, None
    return data, clusters, check_metrics(metrics, data.shape[1], int(clusters.max()))
