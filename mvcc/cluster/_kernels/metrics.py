"""The metric step of MPCK-Means: M_h = n_h S_h⁻¹."""

from __future__ import annotations

import numpy as np
from numba import njit

from mvcc._kernels.linalg import inverse_cholesky

_ROUNDING = 16 * np.finfo(np.float64).eps  # of a sum, as a share of what was added and subtracted


@njit(cache=True)
def _add_square(S, h, X, i, Z, j, factor):
    """Add factor · (x_i − z_j)² (diagonal) or factor · (x_i − z_j)(x_i − z_j)ᵀ (full) to the scatter of cluster h."""
    if S.ndim == 2:
        for a in range(X.shape[1]):
            S[h, a] += factor * (X[i, a] - Z[j, a]) ** 2
    else:
        for a in range(X.shape[1]):
            for b in range(X.shape[1]):
                S[h, a, b] += factor * (X[i, a] - Z[j, a]) * (X[i, b] - Z[j, b])


@njit(cache=True)
def scatters(X, centers, labels, links, gaps, metrics, broken):
    """Return S_h of every cluster, and how much of the spread of each of its features (k, d) may be rounding.

    S_h is the cluster's own spread and what violated constraints add (the minimizer of Eq. 1); ``broken`` holds the
    violations of neighbourhoods. Where large terms cancel, as those of cannot-links do, all that is left may be
    rounding.
    """
    start, partner, weight = links
    S = np.zeros_like(metrics)
    cancelled = np.zeros(centers.shape)
    origin = np.zeros((1, X.shape[1]))
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
    torn, joined, weight, magnitude = broken
    for h in range(len(centers)):
        _add_square(S, h, gaps, h, origin, 0, weight[h])
        flat = S[h].ravel()
        flat += torn[h] - joined[h]
        for a in range(X.shape[1]):
            cancelled[h, a] += magnitude[h, a if S.ndim == 2 else a * X.shape[1] + a]
    return S, _ROUNDING * cancelled


@njit(cache=True)
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


@njit(cache=True)
def log_det(metric):
    """Return log det M, the sum of the logarithms of the pivots."""
    if metric.ndim == 1:
        return np.log(metric).sum()
    d = len(metric)
    rest = metric.copy()
    total = 0.0
    for a in range(d):
        total += np.log(rest[a, a])
        for b in range(a + 1, d):
            factor = rest[b, a] / rest[a, a]
            for c in range(a + 1, d):
                rest[b, c] -= factor * rest[a, c]
    return total


@njit(cache=True)
def update_metrics(S, rounding, counts, noise, shared, metrics, log_dets):
    """M-step of the metrics: M_h = n_h S_h⁻¹, or one M from the sum of all S_h (λ = 1).

    ``rounding`` (k, d) is that of the scatters, ``noise`` (d,) what rounding of the data adds per point.
    """
    if shared:
        whole = np.zeros_like(S[0])
        for h in range(len(S)):
            whole += S[h]
        if set_metric(whole, counts.sum(), np.maximum(counts.sum() * noise, rounding.sum(axis=0)), metrics[0]):
            log_dets[:] = log_det(metrics[0])
            for h in range(1, len(metrics)):
                metrics[h] = metrics[0]
    else:
        for h in range(len(S)):
            if set_metric(S[h], counts[h], np.maximum(counts[h] * noise, rounding[h]), metrics[h]):
                log_dets[h] = log_det(metrics[h])
