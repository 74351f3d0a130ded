"""Passes over all rows, in fixed blocks whose sums are added in order: the same bits on one thread or many.

Within a block the distances of `LANES` rows at once are summed in the order of a row alone.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from mvcc._kernels.threads import BLOCK
from mvcc.cluster._kernels.geometry import LANES, lane_distances, load_lanes, plain_squared_distance


@njit(cache=True)
def _n_blocks(n):
    return (n + BLOCK - 1) // BLOCK


@njit(cache=True)
def _assign_block(X, rows, centers, metrics, log_dets, labels, block):
    lanes, found = np.zeros((X.shape[1], LANES)), np.empty(LANES)
    best, label = np.empty(LANES), np.empty(LANES, np.int64)
    end = min((block + 1) * BLOCK, rows.size)
    for first in range(block * BLOCK, end, LANES):
        last = min(first + LANES, end)
        load_lanes(X, rows[first:last], lanes)
        label[:] = 0
        best[:] = np.inf
        for h in range(len(centers)):
            lane_distances(lanes, centers, h, metrics, h, found)
            for p in range(LANES):
                cost = found[p] - log_dets[h]
                closer = cost < best[p]
                best[p] = cost if closer else best[p]
                label[p] = h if closer else label[p]
        for p in range(first, last):
            labels[rows[p]] = label[p - first]


@njit(cache=True, parallel=True)
def assign_nearest(X, rows, centers, metrics, log_dets, labels, parallel):
    """Assign rows without constraints: to the cluster of least ‖x − μ_h‖² − log det M_h, the first of equal ones."""
    if parallel:
        for block in prange(_n_blocks(rows.size)):
            _assign_block(X, rows, centers, metrics, log_dets, labels, block)
    else:
        for block in range(_n_blocks(rows.size)):
            _assign_block(X, rows, centers, metrics, log_dets, labels, block)


@njit(cache=True)
def cost_table(X, rows, centers, metrics, log_dets):
    """Return ‖x − μ_h‖² − log det M_h of every given row and cluster, shape (rows, k)."""
    table = np.empty((rows.size, len(centers)))
    lanes, found = np.zeros((X.shape[1], LANES)), np.empty(LANES)
    for first in range(0, rows.size, LANES):
        last = min(first + LANES, rows.size)
        load_lanes(X, rows[first:last], lanes)
        for h in range(len(centers)):
            lane_distances(lanes, centers, h, metrics, h, found)
            for p in range(first, last):
                table[p, h] = found[p - first] - log_dets[h]
    return table


@njit(cache=True)
def _sum_block(X, labels, centers, sums, block):
    """Add up x − μ of the rows of every cluster."""
    total = np.zeros_like(centers)
    for i in range(block * BLOCK, min((block + 1) * BLOCK, len(X))):
        h = labels[i]
        for a in range(X.shape[1]):
            total[h, a] += X[i, a] - centers[h, a]
    sums[block] = total


@njit(cache=True, parallel=True)
def _block_sums(X, labels, centers, sums, parallel):
    if parallel:
        for block in prange(len(sums)):
            _sum_block(X, labels, centers, sums, block)
    else:
        for block in range(len(sums)):
            _sum_block(X, labels, centers, sums, block)


@njit(cache=True)
def update_centers(X, labels, centers, parallel):
    """Move every center to the mean of its points; return the sizes. Centers of empty clusters stay.

    A second pass adds the mean of what is left, so that a constant feature has just its value as mean.
    """
    counts = np.zeros(len(centers), np.int64)
    for i in range(len(X)):
        counts[labels[i]] += 1
    for h in range(len(centers)):
        if counts[h] > 0:
            centers[h] = 0.0
    sums = np.empty((_n_blocks(len(X)), *centers.shape))
    for _ in range(2):
        _block_sums(X, labels, centers, sums, parallel)
        for block in range(1, len(sums)):
            sums[0] += sums[block]
        for h in range(len(centers)):
            if counts[h] > 0:
                for a in range(X.shape[1]):
                    centers[h, a] += sums[0, h, a] / counts[h]
    return counts


@njit(cache=True)
def _pck_objective_block(X, centers, labels, links, block):
    start, partner, weight = links
    total = 0.0
    for i in range(block * BLOCK, min((block + 1) * BLOCK, len(X))):
        total += plain_squared_distance(X, i, centers, labels[i])
        for e in range(start[i], start[i + 1]):
            together = labels[i] == labels[partner[e]]
            if partner[e] > i and together == (weight[e] < 0):
                total += abs(weight[e])
    return total


@njit(cache=True, parallel=True)
def _block_objectives(X, centers, labels, links, totals, parallel):
    if parallel:
        for block in prange(totals.size):
            totals[block] = _pck_objective_block(X, centers, labels, links, block)
    else:
        for block in range(totals.size):
            totals[block] = _pck_objective_block(X, centers, labels, links, block)


@njit(cache=True)
def pck_objective(X, centers, labels, links, parallel):
    """Eq. 1 with identity metrics and f = 1."""
    totals = np.empty(_n_blocks(len(X)))
    _block_objectives(X, centers, labels, links, totals, parallel)
    total = totals[0]
    for block in range(1, totals.size):
        total += totals[block]
    return total
