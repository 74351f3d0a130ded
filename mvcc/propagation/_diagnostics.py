"""Two indicators that data are unfit for propagation (§6.4): clusters not globular, or near."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.validation import check_data, check_labels, check_metrics, check_order

# Beyond these a clustering is suspicious. Co-EM with Constraint Propagation ends with a divergence
# below 5.5 in 99 % of the fits of half-moons and of concentric rings; with one above 9.5, and a
# disagreement below 0.07, in 97 % of those of Four Quadrants. (Two round clusters 3.3 standard
# deviations apart diverge by 5.5 nats.)
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
        Share of instances that are not in the cluster that the learned distributions give them, 0 …
        1.
    divergence : float
        Smallest KL divergence between the distributions of two clusters, in nats; infinite for a
        single cluster.
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

    Returns
    -------
    Diagnosis

    Raises
    ------
    InvalidInputError
        For arguments that do not fit together.

    See Also
    --------
    propagate_constraints : What can go wrong.

    Examples
    --------
    >>> from mvcc.propagation import diagnose
    >>> diagnose([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]).suspicious
    True
    >>> diagnose([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1]).suspicious
    False
    """
    data = check_data(X)
    clusters = check_labels(labels, len(data), "labels")
    check_order(X, labels, "X and labels")
    learned = check_metrics(metrics, data.shape[1], int(clusters.max()))
    return Diagnosis(_disagreement(data, clusters, learned), *_divergence(data, clusters, learned))


def is_suspicious(disagreement: ArrayLike, divergence: ArrayLike) -> Bools:
    """Tell where one of the indicators is that of data unfit for Constraint Propagation (§6.4)."""
    return (np.asarray(disagreement) > LARGEST_DISAGREEMENT) | (
        np.asarray(divergence) < SMALLEST_DIVERGENCE
    )


def _disagreement(data: Floats, clusters: Ints, learned: Floats | None) -> float:
    """Return the share of instances whose cluster the learned distributions do not give."""
    # Without constraints an instance would be in the cluster of least ‖x − μ_h‖² − log det M_h (Eq.
    # 1). The share is large where constraints, and not the distances, shape the clusters.
    assigned = np.full(len(data), np.inf)
    least = np.full(len(data), np.inf)
    for h in np.unique(clusters):
        members = clusters == h
        gaps = data - data[members].mean(axis=0)
        costs = (gaps**2).sum(axis=1) if learned is None else _under_metric(gaps, learned[h])
        assigned[members] = costs[members]
        least = np.minimum(least, costs)
    return float(np.mean(assigned > least))


def _divergence(
    data: Floats, clusters: Ints, learned: Floats | None
) -> tuple[float, tuple[int, int] | None]:
    """Return the smallest KL divergence between Gaussians of clusters (Eq. 4–6), and these two."""
    # the smaller direction counts: a compact cluster in the middle of a wide one overlaps with it,
    # although most of the wide one is elsewhere
    # reports compare with the limits above, and need no compiled kernels
    from mvcc.propagation._e_step import fit_gaussians

    data = data - data.mean(axis=0)
    data /= np.sqrt(np.mean(data**2)) or 1.0
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
        # KL(p ‖ q) of every p
        from_p = (traces + distances - data.shape[1] + log_dets[q] - log_dets) / 2
        from_p[q] = np.inf
        p = int(from_p.argmin())
        if from_p[p] < smallest:
            smallest, closest = from_p[p], (int(present[min(p, q)]), int(present[max(p, q)]))
    return max(0.0, float(smallest)), closest  # equal Gaussians are 0 only but for rounding


def _under_metric(gaps: Floats, metric: Floats) -> Floats:
    """Return ‖x − μ‖² − log det M under one metric, diagonal or full."""
    costs: Floats
    # metrics of another scale: infinitely far is far
    with np.errstate(over="ignore", invalid="ignore"):
        if metric.ndim == 1:
            costs = gaps**2 @ metric - np.log(metric).sum()
        else:
            costs = (
                np.einsum("na,ab,nb->n", gaps, metric, gaps, optimize=True)
                - np.linalg.slogdet(metric)[1]
            )
    return costs
