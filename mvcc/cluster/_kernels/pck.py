"""PCK-Means: sweep, objective, iterations (Eq. 1 with M = I and f = 1)."""

from __future__ import annotations

import numpy as np
from numba import njit

from mvcc.cluster._kernels.geometry import plain_squared_distance, relocate_empty, update_centers


@njit(cache=True)
def pck_sweep(X, centers, labels, links):
    """Assign every point in index order to the cluster that costs least, in place (Eq. 1 with M = I and f = 1)."""
    start, partner, weight = links
    cost = np.empty(len(centers))
    for i in range(len(X)):
        for h in range(len(centers)):
            cost[h] = plain_squared_distance(X, i, centers, h)
        for e in range(start[i], start[i + 1]):
            label = labels[partner[e]]
            if label >= 0:
                # a must-link spares its cluster the penalty that all others pay; a cannot-link adds its own
                cost[label] -= weight[e]
        labels[i] = np.argmin(cost)


@njit(cache=True)
def pck_objective(X, centers, labels, links):
    """Eq. 1 with identity metrics and f = 1."""
    start, partner, weight = links
    total = 0.0
    for i in range(len(X)):
        total += plain_squared_distance(X, i, centers, labels[i])
        for e in range(start[i], start[i + 1]):
            together = labels[i] == labels[partner[e]]
            if partner[e] > i and together == (weight[e] < 0):
                total += abs(weight[e])
    return total


@njit(cache=True)
def pck_fit(X, centers, labels, links, max_iter, tol):
    """Run PCK-Means from the given centers and labels, both changed in place.

    Return the objective, the number of iterations, and whether it converged.
    """
    metrics = np.ones_like(centers)
    donor = np.full(len(centers), -1)
    objective = np.inf
    for iteration in range(1, max_iter + 1):
        pck_sweep(X, centers, labels, links)
        counts = update_centers(X, labels, centers)
        previous, objective = objective, pck_objective(X, centers, labels, links)
        newly_empty = relocate_empty(X, labels, centers, metrics, counts, donor)
        if abs(previous - objective) <= tol and not newly_empty:
            return objective, iteration, True
    return objective, max_iter, False
