"""PCK-Means: the passes over blocks of rows, and the sweep over constrained rows."""

from __future__ import annotations

import numpy as np
from numba.extending import overload, register_jitable

from mvcc._utils.kernels import for_blocks, kernel, may_share
from mvcc.cluster._kernels.geometry import LANES, lane_distances, load_lanes, relocate_empty
from mvcc.cluster._kernels.groups import count_violations, move, tally

_BLOCK = 8192  # rows
_SHARES = 16  # that a pass is cut into for threads


@register_jitable
def _n_blocks(n):
    return (n + _BLOCK - 1) // _BLOCK


def _over_blocks(of_blocks):
    """Make a kernel that takes the bounds of blocks first a pass over all blocks of n rows."""
    # Python shares the blocks among threads; a kernel takes one after the other

    def of_all(n, *arguments):
        blocks, shared = _n_blocks(n), may_share(n)
        size = blocks // _SHARES + 1 if shared else blocks
        for_blocks(
            lambda share: of_blocks(share.start, share.stop, *arguments),
            blocks,
            size,
            shared=shared,
        )

    @overload(of_all)
    def _compiled(n, *arguments):
        def in_order(n, *arguments):
            of_blocks(0, _n_blocks(n), *arguments)

        return in_order

    return of_all


@_over_blocks
@kernel
def _assign_all(first_block, end_block, X, rows, centers, metrics, log_dets, labels):
    lanes, distances = np.zeros((X.shape[1], LANES)), np.empty(LANES)
    best, label = np.empty(LANES), np.empty(LANES, np.int64)
    end = min(end_block * _BLOCK, rows.size)
    for first in range(first_block * _BLOCK, end, LANES):
        last = min(first + LANES, end)
        load_lanes(X, rows, first, lanes)
        for p in range(LANES):
            best[p], label[p] = np.inf, 0
        for h in range(len(centers)):
            lane_distances(lanes, centers, h, metrics, h, distances)
            for p in range(LANES):
                cost = distances[p] - log_dets[h]
                closer = cost < best[p]
                best[p] = cost if closer else best[p]
                label[p] = h if closer else label[p]
        for p in range(first, last):
            labels[rows[p]] = label[p - first]


@register_jitable
def assign_nearest(X, rows, centers, metrics, log_dets, labels):
    """Assign rows by distance alone to the first cluster of least ‖x − μ_h‖² − log det M_h."""
    _assign_all(rows.size, X, rows, centers, metrics, log_dets, labels)


@kernel
def cost_table(X, rows, centers, metrics, log_dets):
    """Return ‖x − μ_h‖² − log det M_h of every given row and cluster, shape (rows, k)."""
    table = np.empty((rows.size, len(centers)))
    lanes, distances = np.zeros((X.shape[1], LANES)), np.empty(LANES)
    for first in range(0, rows.size, LANES):
        last = min(first + LANES, rows.size)
        load_lanes(X, rows, first, lanes)
        for h in range(len(centers)):
            lane_distances(lanes, centers, h, metrics, h, distances)
            for p in range(first, last):
                table[p, h] = distances[p - first] - log_dets[h]
    return table


@_over_blocks
@kernel
def _sum_up(first_block, end_block, X, labels, centers, sums):
    """Add up x − μ of the rows of every cluster, for each block."""
    for block in range(first_block, end_block):
        for h in range(len(centers)):
            for a in range(X.shape[1]):
                sums[block, h, a] = 0.0
        for i in range(block * _BLOCK, min((block + 1) * _BLOCK, len(X))):
            h = labels[i]
            for a in range(X.shape[1]):
                sums[block, h, a] += X[i, a] - centers[h, a]


@kernel
def _count(labels, centers):
    """Return the sizes of the clusters, and move the centers of all that have points to 0."""
    counts = np.zeros(len(centers), np.int64)
    for label in labels:
        counts[label] += 1
    for h in range(len(centers)):
        if counts[h] > 0:
            for a in range(centers.shape[1]):
                centers[h, a] = 0.0
    return counts


@kernel
def _move(centers, sums, counts):
    for block in range(1, len(sums)):
        for h in range(len(centers)):
            for a in range(centers.shape[1]):
                sums[0, h, a] += sums[block, h, a]
    for h in range(len(centers)):
        if counts[h] > 0:
            for a in range(centers.shape[1]):
                centers[h, a] += sums[0, h, a] / counts[h]


@register_jitable
def update_centers(X, labels, centers):
    """Move every center to the mean of its points; return the sizes."""
    # Centers of empty clusters stay. A second pass adds the mean of what is left, so that a
    # constant feature has just its value as mean.
    counts = _count(labels, centers)
    sums = np.empty((_n_blocks(len(X)), centers.shape[0], centers.shape[1]))
    for _ in range(2):
        _sum_up(len(X), X, labels, centers, sums)
        _move(centers, sums, counts)
    return counts


@_over_blocks
@kernel
def _pck_objectives(first_block, end_block, X, centers, labels, links, totals):
    """Store what the rows of each block add to Eq. 1."""
    start, partner, weight = links
    for block in range(first_block, end_block):
        total = 0.0
        for i in range(block * _BLOCK, min((block + 1) * _BLOCK, len(X))):
            distance = 0.0
            for a in range(X.shape[1]):
                distance += (X[i, a] - centers[labels[i], a]) ** 2
            total += distance
            for e in range(start[i], start[i + 1]):
                together = labels[i] == labels[partner[e]]
                if partner[e] > i and together == (weight[e] < 0):
                    total += abs(weight[e])
        totals[block] = total


@register_jitable
def pck_objective(X, centers, labels, links):
    """Eq. 1 with identity metrics and f = 1."""
    totals = np.empty(_n_blocks(len(X)))
    _pck_objectives(len(X), X, centers, labels, links, totals)
    return np.cumsum(totals)[-1]  # block after block, for the same bits


@kernel
def pck_sweep(rows, table, labels, links, groups, own, rivals):
    """Assign constrained rows one by one to the cluster that costs least, in place (Eq. 1)."""
    start, partner, weight = links
    moments = np.ones(1)  # of one point: its size, as no metrics are learned
    for r in range(rows.size):
        i = rows[r]
        cost = table[r]
        for e in range(start[i], start[i + 1]):
            label = labels[partner[e]]
            if label >= 0:
                # a must-link spares its cluster what all others pay; a cannot-link adds its penalty
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
                move(own, rivals, groups, g, moments, old, labels[i])


@kernel
def pck_fit(X, centers, labels, bound, free, links, groups, max_iter, tol):
    """Run PCK-Means from the given centers and labels, both changed in place."""
    # Rows are ``bound`` by constraints or ``free``. Return the objective, the number of iterations,
    # and whether it converged. As Python (``pck_fit_in_threads``) it shares passes over all rows.
    k = len(centers)
    metrics, log_dets = np.ones_like(centers), np.zeros(k)
    own = rivals = None
    if groups is not None:
        own, rivals = tally(X, centers[0], labels, groups, k, 1)
    donor = np.full(k, -1)
    objective = np.inf
    for iteration in range(1, max_iter + 1):
        assign_nearest(X, free, centers, metrics, log_dets, labels)
        table = cost_table(X, bound, centers, metrics, log_dets)
        pck_sweep(bound, table, labels, links, groups, own, rivals)
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
