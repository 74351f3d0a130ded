"""MPCK-Means (§3.1): Eq. 1–3 in full, a metric per cluster, diagonal (k, d) or full (k, d, d)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .constraint_sets import rows
from .pck import UNASSIGNED

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def squared_distance(x: Floats, y: Floats, metric: Floats) -> float:
    """‖x − y‖²_M = (x − y)ᵀ M (x − y) (§3.1); a vector stands for the diagonal matrix M."""
    difference = x - y
    if metric.ndim == 1:
        return float(np.sum(metric * difference**2))
    return float(difference @ metric @ difference)


def log_det(metric: Floats) -> float:
    """Give log det M, the second term of Eq. 1 (§3.1)."""
    if metric.ndim == 1:
        return sum(math.log(weight) for weight in metric)
    return float(np.linalg.slogdet(metric).logabsdet)


def farthest_pair(X: Floats, metric: Floats) -> tuple[int, int]:
    """(x', x'') of Eq. 3 (§3.1), the farthest pair i < j of the view, the first of equals."""
    best, best_distance = (0, 0), 0.0
    for i in range(len(X)):
        for j in range(i + 1, len(X)):
            distance = squared_distance(X[i], X[j], metric)
            if distance > best_distance:
                best, best_distance = (i, j), distance
    return best


def farthest_differences(X: Floats, metrics: Floats) -> Floats:
    """Give x' − x'' of Eq. 3 (§3.1) for each cluster's metric, (k, d); the sign does not matter."""
    pairs = [farthest_pair(X, metric) for metric in metrics]
    return np.array([X[i] - X[j] for i, j in pairs])


def farthest_distances(X: Floats, metrics: Floats) -> Floats:
    """P_h = ‖x' − x''‖² under each cluster's metric, the first term of Eq. 3 (§3.1), (k,)."""
    pairs = [farthest_pair(X, metric) for metric in metrics]
    found = zip(pairs, metrics, strict=True)
    return np.array([squared_distance(X[i], X[j], metric) for (i, j), metric in found])


def f_ml(x_i: Floats, x_j: Floats, metric_i: Floats, metric_j: Floats) -> float:
    """Eq. 2 (§3.1)."""
    return 0.5 * squared_distance(x_i, x_j, metric_i) + 0.5 * squared_distance(x_i, x_j, metric_j)


def f_cl(x_i: Floats, x_j: Floats, metric_i: Floats, farthest_i: float) -> float:
    """Eq. 3 (§3.1); farthest_i is P_h of the metric."""
    return farthest_i - squared_distance(x_i, x_j, metric_i)


def cost(i, h, X, centers, metrics, labels, pairs, must_link, weights, farthest) -> float:
    """Contribution of point i to Eq. 1 in cluster h (§3.1); unassigned partners are ignored."""
    farthest = np.asarray(farthest)
    total = squared_distance(X[i], centers[h], metrics[h]) - log_det(metrics[h])
    for a, b, is_must_link, w in rows(pairs, must_link, weights):
        if i not in (a, b):
            continue
        j = b if a == i else a
        if labels[j] == UNASSIGNED:
            continue
        if is_must_link and labels[j] != h:
            total += w * f_ml(X[i], X[j], metrics[h], metrics[labels[j]])
        if not is_must_link and labels[j] == h:
            total += w * f_cl(X[i], X[j], metrics[h], float(farthest[h]))
    return total


def sweep(X, centers, metrics, labels, pairs, must_link, weights, farthest) -> Ints:
    """One E-step (§3.1): each point in order to its cheapest cluster, seen by those after it.

    ``farthest`` are the P_h of ``farthest_distances``; ties go to the lowest; labels are new.
    """
    labels = np.array(labels, dtype=np.int64)
    for i in range(len(X)):
        costs = [
            cost(i, h, X, centers, metrics, labels, pairs, must_link, weights, farthest)
            for h in range(len(centers))
        ]
        labels[i] = costs.index(min(costs))
    return labels


def spread(difference: Floats, full: bool) -> Floats:
    """Elementwise square of a difference, or its outer product with itself for full metrics."""
    return np.outer(difference, difference) if full else difference**2


def scatter(h, X, labels, centers, pairs, must_link, weights, farthest_difference, full) -> Floats:
    """S_h, all that the metric of cluster h multiplies: J = Σ_h (tr(M_h S_h) − n_h log det M_h).

    Each endpoint of a violated must-link counts half of its squared difference for its own cluster
    (Eq. 2); a violated cannot-link inside h counts D_h minus its squared difference (Eq. 3).
    """
    d = X.shape[1]
    total = np.zeros((d, d)) if full else np.zeros(d)
    for i in range(len(X)):
        if labels[i] == h:
            total += spread(X[i] - centers[h], full)
    for i, j, is_must_link, w in rows(pairs, must_link, weights):
        difference = spread(X[i] - X[j], full)
        if is_must_link and labels[i] != labels[j] and h in (labels[i], labels[j]):
            total += 0.5 * w * difference
        if not is_must_link and labels[i] == labels[j] == h:
            total += w * (spread(farthest_difference, full) - difference)
    return total


def is_positive_definite(S: Floats) -> bool:
    """Whether all eigenvalues are positive by more than rounding."""
    eigenvalues = np.linalg.eigvalsh(S)
    rounding = len(S) * np.finfo(float).eps * np.max(np.abs(eigenvalues))
    return bool(np.min(eigenvalues) > rounding)


def best_metric(n_points: int, S: Floats, old_metric: Floats) -> Floats:
    """Minimize tr(M S) − n log det M: by N / S_a or n S⁻¹, or the old metric where that is none."""
    if S.ndim == 1:
        return np.array(
            [n_points / s if s > 0 else old for s, old in zip(S, old_metric, strict=True)]
        )
    return n_points * np.linalg.inv(S) if is_positive_definite(S) else old_metric.copy()


def update_metrics(
    X, labels, centers, old_metrics, pairs, must_link, weights, farthest_differences, shared=False
):
    """M-step for the metrics (§3.1) of new labels and centers, for fixed x' − x'' of Eq. 1.

    ``farthest_differences`` (k, d) are x' − x'' under the old metrics. A shared metric is learned
    from the sum of all S_h and the number of all points, and repeated for every cluster.
    """
    k = len(centers)
    full = old_metrics.ndim == 3
    S = [
        scatter(h, X, labels, centers, pairs, must_link, weights, farthest_differences[h], full)
        for h in range(k)
    ]
    if shared:
        metric = best_metric(len(X), sum(S[1:], start=S[0]), old_metrics[0])
        return np.array([metric] * k)
    return np.array([best_metric(int(np.sum(labels == h)), S[h], old_metrics[h]) for h in range(k)])


def objective(X, labels, centers, metrics, pairs, must_link, weights, farthest) -> float:
    """Eq. 1 (§3.1) in full; ``farthest`` are the P_h of ``farthest_distances``."""
    farthest = np.asarray(farthest)
    total = 0.0
    for i in range(len(X)):
        h = labels[i]
        total += squared_distance(X[i], centers[h], metrics[h]) - log_det(metrics[h])
    for i, j, is_must_link, w in rows(pairs, must_link, weights):
        if is_must_link and labels[i] != labels[j]:
            total += w * f_ml(X[i], X[j], metrics[labels[i]], metrics[labels[j]])
        if not is_must_link and labels[i] == labels[j]:
            total += w * f_cl(X[i], X[j], metrics[labels[i]], float(farthest[labels[i]]))
    return total
