"""PCK-Means: sweep, iterations (Eq. 1 with M = I and f = 1)."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel
from mvcc.cluster._kernels.blocks import assign_nearest, cost_table, pck_objective, update_centers
from mvcc.cluster._kernels.geometry import relocate_empty
from mvcc.cluster._kernels.groups import constrained_rows, count_violations, move, tally


@kernel
def pck_sweep(rows, table, labels, links, groups, own, rivals):
    """Assign the constrained rows, one after the other, to the cluster that costs least, in place (Eq. 1)."""
    start, partner, weight = links
    one = np.ones(1)
    for r in range(rows.size):
        i = rows[r]
        cost = table[r]
        for e in range(start[i], start[i + 1]):
            label = labels[partner[e]]
            if label >= 0:
                # a must-link spares its cluster the penalty that all others pay; a cannot-link adds its own
                cost[label] -= weight[e]
        old = labels[i]
        if groups is not None:
            g = groups[0][i]
            if g >= 0:
                for h in range(cost.size):
                    partners = own[g, h, 0] - (h == old)  # a point is not its own partner
                    cost[h] += groups[3] * (rivals[g, h, 0] - partners)
        labels[i] = np.argmin(cost)
        if groups is not None:  # noqa: SIM102, by itself: numba leaves out what stands under it
            if g >= 0 and labels[i] != old:
                move(own, rivals, groups, g, one, old, labels[i])


@kernel
def pck_fit(X, centers, labels, links, groups, max_iter, tol):
    """Run PCK-Means from the given centers and labels, both changed in place.

    Return the objective, the number of iterations, and whether it converged. Run as Python (``pck_fit_in_threads``) it
    does the same, its passes over all rows being shared among threads.
    """
    k = len(centers)
    metrics, log_dets = np.ones_like(centers), np.zeros(k)
    bound, free = constrained_rows(len(X), links, groups)
    own = rivals = None
    if groups is not None:
        own, rivals = tally(X, centers[0], labels, groups, k, 1)
    donor = np.full(k, -1)
    objective = np.inf
    for iteration in range(1, max_iter + 1):
        assign_nearest(X, free, centers, metrics, log_dets, labels)
        pck_sweep(bound, cost_table(X, bound, centers, metrics, log_dets), labels, links, groups, own, rivals)
        counts = update_centers(X, labels, centers)
        previous = objective
        objective = pck_objective(X, centers, labels, links)
        if groups is not None:
            objective += count_violations(own, rivals, groups)
        newly_empty = relocate_empty(X, labels, centers, metrics, counts, donor)
        if abs(previous - objective) <= tol and not newly_empty:
            return objective, iteration, True
    return objective, max_iter, False


pck_fit_in_threads = getattr(pck_fit, "__wrapped__", pck_fit)
