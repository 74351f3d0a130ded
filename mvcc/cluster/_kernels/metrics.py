"""The metric step of MPCK-Means: M_h = n_h S_h⁻¹."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel
from mvcc._utils.kernels.linalg import inverse_cholesky

_ROUNDING = 16 * np.finfo(np.float64).eps  # of a sum, as a share of what was added and subtracted


@kernel
def _add_square(S, h, X, i, Z, j, factor):
    """Add factor · (x_i − z_j)² (diagonal) or factor · (x_i − z_j)(x_i − z_j)ᵀ (full) to the scatter of cluster h."""
    if S.ndim == 2:
        for a in range(X.shape[1]):
            S[h, a] += factor * (X[i, a] - Z[j, a]) ** 2
    else:
        for a in range(X.shape[1]):
            for b in range(X.shape[1]):
                S[h, a, b] += factor * (X[i, a] - Z[j, a]) * (X[i, b] - Z[j, b])


@kernel
def scatters(X, centers, labels, links, gaps, metrics, broken):
    """Return S_h of every cluster, and how much of the spread of each of its features (k, d) may be rounding.

    S_h is the cluster's own spread and what violated constraints add (the minimizer of Eq. 1); ``broken`` holds the
    violations of neighborhoods, or is None. Where large terms cancel, as those of cannot-links do, all that is left
    may be rounding.
    """
    start, partner, weight = links
    S = np.zeros_like(metrics)
    k, d = centers.shape
    cancelled = np.zeros((k, d))
    origin = np.zeros((1, d))
    for i in range(len(X)):
        h = labels[i]
        _add_square(S, h, X, i, centers, h, 1.0)
        for e in range(start[i], start[i + 1]):
            j = partner[e]
            if weight[e] > 0 and labels[j] != h:
                _add_square(S, h, X, i, X, j, 0.5 * weight[e])
            elif weight[e] < 0 and labels[j] == h and j > i:
                _add_square(S, h, gaps, h, origin, 0, -weight[e])
                _add_square(S, h, X, i, X, j, weight[e])
                _add_square(cancelled, h, X, i, X, j, -weight[e])
    if broken is not None:
        torn, joined, weight, magnitude = broken
        for h in range(k):
            _add_square(S, h, gaps, h, origin, 0, weight[h])
            for a in range(d):
                if metrics.ndim == 2:
                    S[h, a] += torn[h, a] - joined[h, a]
                    cancelled[h, a] += magnitude[h, a]
                else:
                    for b in range(d):
                        S[h, a, b] += torn[h, a * d + b] - joined[h, a * d + b]
                    cancelled[h, a] += magnitude[h, a * d + a]
    for h in range(k):
        for a in range(d):
            cancelled[h, a] *= _ROUNDING
    return S, cancelled


@kernel
def set_metric(S, count, floor, metric):
    """Set M = count · S⁻¹ in place and return whether anything changed.

    ``floor`` (d,) is what rounding may make of a feature without spread. A diagonal entry that is not above it keeps
    the old weight; a matrix that is not positive definite keeps the old matrix as a whole.
    """
    d = floor.size
    if metric.ndim == 1:
        changed = False
        for a in range(d):
            if S[a] > floor[a]:
                metric[a] = count / S[a]
                changed = True
        return changed
    definite, root = inverse_cholesky(S, floor)
    if not definite:
        return False
    # what is all rounding error must not pass for positive (clusters of d points or fewer are flat): with every
    # feature scaled to S_aa = 1 the trace of the inverse bounds the inverse of the smallest eigenvalue
    trace, rounding = 0.0, _ROUNDING
    for a in range(d):
        rounding = max(rounding, floor[a] / S[a, a])
        for b in range(a + 1):
            trace += root[a, b] ** 2 * S[b, b]
    if not trace * d * rounding < 1:
        return False
    for a in range(d):
        for b in range(d):
            total = 0.0
            for c in range(max(a, b), d):
                total += root[c, a] * root[c, b]
            metric[a, b] = count * total
    return True


@kernel
def log_det(metric):
    """Return log det M, the sum of the logarithms of the pivots."""
    d = len(metric)
    total = 0.0
    if metric.ndim == 1:
        for a in range(d):
            total += np.log(metric[a])
        return total
    rest = metric.copy()
    for a in range(d):
        total += np.log(rest[a, a])
        for b in range(a + 1, d):
            factor = rest[b, a] / rest[a, a]
            for c in range(a + 1, d):
                rest[b, c] -= factor * rest[a, c]
    return total


@kernel
def copy_metric(metrics, h, other):
    """Set the metric of cluster h to that of another."""
    for a in range(metrics.shape[1]):
        if metrics.ndim == 2:
            metrics[h, a] = metrics[other, a]
        else:
            for b in range(metrics.shape[2]):
                metrics[h, a, b] = metrics[other, a, b]


@kernel
def _add_up(S, h, other):
    """Add the scatter of another cluster to that of cluster h."""
    for a in range(S.shape[1]):
        if S.ndim == 2:
            S[h, a] += S[other, a]
        else:
            for b in range(S.shape[2]):
                S[h, a, b] += S[other, a, b]


@kernel
def update_metrics(S, rounding, counts, noise, shared, metrics, log_dets):
    """M-step of the metrics: M_h = n_h S_h⁻¹, or one M from the sum of all S_h (λ = 1), which are added up in place.

    ``rounding`` (k, d) is that of the scatters, ``noise`` (d,) what rounding of the data adds per point.
    """
    k = len(S)
    floor = np.empty(noise.size)
    for h in range(1 if shared else k):
        count = counts[h]
        for a in range(noise.size):
            floor[a] = rounding[h, a]
        if shared:
            for other in range(1, k):
                count += counts[other]
                _add_up(S, 0, other)
                for a in range(noise.size):
                    floor[a] += rounding[other, a]
        for a in range(noise.size):
            floor[a] = max(floor[a], count * noise[a])
        if set_metric(S[h], count, floor, metrics[h]):
            log_dets[h] = log_det(metrics[h])
            if shared:
                for other in range(1, k):
                    copy_metric(metrics, other, 0)
                    log_dets[other] = log_dets[0]
