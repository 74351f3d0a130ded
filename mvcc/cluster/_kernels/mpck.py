"""MPCK-Means: sweep, objective, iterations (Eq. 1–3)."""

from __future__ import annotations

import numpy as np
from numba import njit

from mvcc.cluster._kernels.geometry import relocate_empty, squared_distance, update_centers, update_farthest
from mvcc.cluster._kernels.metrics import scatters, update_metrics


@njit(cache=True)
def mpck_sweep(X, centers, metrics, log_dets, reach, labels, links):
    """Assign every point in index order to the cluster that costs least, in place (Eq. 1–3)."""
    start, partner, weight = links
    k = len(centers)
    cost = np.empty(k)
    for i in range(len(X)):
        for h in range(k):
            cost[h] = squared_distance(X, i, centers, h, metrics, h) - log_dets[h]
        for e in range(start[i], start[i + 1]):
            j = partner[e]
            label = labels[j]
            if label < 0:
                continue
            own = squared_distance(X, i, X, j, metrics, label)
            if weight[e] > 0:
                for h in range(k):
                    if h != label:
                        cost[h] += weight[e] * 0.5 * (own + squared_distance(X, i, X, j, metrics, h))
            else:
                cost[label] -= weight[e] * (reach[label] - own)
        labels[i] = np.argmin(cost)


@njit(cache=True)
def mpck_objective(X, centers, metrics, log_dets, reach, labels, links):
    """Eq. 1."""
    start, partner, weight = links
    total = 0.0
    for i in range(len(X)):
        h = labels[i]
        total += squared_distance(X, i, centers, h, metrics, h) - log_dets[h]
        for e in range(start[i], start[i + 1]):
            j = partner[e]
            if j < i:
                continue
            own = squared_distance(X, i, X, j, metrics, h)
            if weight[e] > 0 and labels[j] != h:
                total += weight[e] * 0.5 * (own + squared_distance(X, i, X, j, metrics, labels[j]))
            elif weight[e] < 0 and labels[j] == h:
                total -= weight[e] * (reach[h] - own)
    return total


@njit(cache=True)
def mpck_fit(X, centers, metrics, labels, links, shared, max_iter, tol):
    """Run MPCK-Means from the given centers, metrics and labels, all changed in place.

    Return the objective, the number of iterations, and whether it converged. The metric step moves x' and x'', so
    the objective may rise and the run may cycle; it then ends where it meets a former state again.
    """
    k, d = centers.shape
    mean = np.zeros((1, d))
    noise = np.zeros(d)
    for a in range(d):
        mean[0, a] = X[:, a].sum() / len(X)
        noise[a] = (4 * np.finfo(np.float64).eps * np.abs(X[:, a]).max()) ** 2
    apart = links[2].size > 0 and links[2].min() < 0
    gaps, reach = np.zeros((k, d)), np.zeros(k)
    if apart:
        update_farthest(X, mean, metrics, True, gaps, reach)  # all metrics are still the same
    log_dets = np.zeros(k)
    donor = np.full(k, -1)
    former_labels, former_centers, former_metrics = labels.copy(), centers.copy(), metrics.copy()
    objective = np.inf
    for iteration in range(1, max_iter + 1):
        mpck_sweep(X, centers, metrics, log_dets, reach, labels, links)
        counts = update_centers(X, labels, centers)
        S = scatters(X, centers, labels, links, gaps, metrics)
        update_metrics(S, counts, noise, shared, metrics, log_dets)
        if apart:
            update_farthest(X, mean, metrics, shared, gaps, reach)
        previous, objective = objective, mpck_objective(X, centers, metrics, log_dets, reach, labels, links)
        newly_empty = relocate_empty(X, labels, centers, metrics, counts, donor)
        for h in range(k):
            if donor[h] >= 0:  # with a metric of another scale it could never win its point
                metrics[h], log_dets[h] = metrics[donor[h]], log_dets[donor[h]]
                gaps[h], reach[h] = gaps[donor[h]], reach[donor[h]]
        if abs(previous - objective) <= tol and not newly_empty:
            return objective, iteration, True
        # Brent's rule: hold each state against the last one kept, and keep those at powers of two
        if (
            iteration > 1
            and (labels == former_labels).all()
            and (centers == former_centers).all()
            and (metrics == former_metrics).all()
        ):
            return objective, iteration, False
        if iteration & (iteration - 1) == 0:
            former_labels[:], former_centers[:], former_metrics[:] = labels, centers, metrics
    return objective, max_iter, False
