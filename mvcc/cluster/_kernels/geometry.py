"""Distances under diagonal and full metrics, empty clusters, and the farthest pair of Eq. 3."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel

LANES = 64  # rows whose distances are computed at once, to fill the wide registers of a processor
# points that are held against each other for the farthest pair; above, it would take n² distances
OUTERMOST = 2048


@kernel
def squared_distance(X, i, Z, j, metrics, h):
    """Return ‖x_i − z_j‖² under the metric of cluster h, diagonal or full."""
    # rows come by number: a view of a row costs more than its distance
    total = 0.0
    if metrics.ndim == 2:
        for a in range(X.shape[1]):
            total += metrics[h, a] * (X[i, a] - Z[j, a]) ** 2
    else:
        for a in range(X.shape[1]):
            inner = 0.0
            for b in range(X.shape[1]):
                inner += metrics[h, a, b] * (X[i, b] - Z[j, b])
            total += (X[i, a] - Z[j, a]) * inner
    return total


@kernel
def relocate_empty(X, labels, centers, metrics, counts, donor):
    """Move the center of every empty cluster to the point farthest from its own center."""
    # Return whether a cluster is empty now that was not before. ``donor`` holds for every cluster
    # that was empty the one that its point came from, else −1, and is brought up to date.
    newly_empty = False
    taken = np.zeros(len(X), np.bool_)
    for h in range(len(centers)):
        if counts[h] > 0:
            donor[h] = -1
            continue
        newly_empty = newly_empty or donor[h] < 0
        farthest, best = 0, -1.0
        for i in range(len(X)):
            if not taken[i]:
                distance = squared_distance(X, i, centers, labels[i], metrics, labels[i])
                if distance > best:
                    farthest, best = i, distance
        taken[farthest] = True
        for a in range(X.shape[1]):
            centers[h, a] = X[farthest, a]
        donor[h] = labels[farthest]
    return newly_empty


@kernel
def load_lanes(X, rows, first, lanes):
    """Copy at most `LANES` rows of X, from place ``first`` of the list, to columns of ``lanes``."""
    for p in range(min(LANES, rows.size - first)):
        i = rows[first + p]
        for a in range(X.shape[1]):
            lanes[a, p] = X[i, a]


@kernel
def in_lanes(X, rows):
    """Return the given rows of X as an array (rows / LANES, d, LANES), filled up with zeros."""
    lanes = np.zeros(((rows.size + LANES - 1) // LANES, X.shape[1], LANES))
    for block in range(len(lanes)):
        load_lanes(X, rows, block * LANES, lanes[block])
    return lanes


@kernel
def lane_distances(lanes, Z, j, metrics, h, found):
    """Store ‖x − z_j‖² under metric h for every x of ``lanes``, with the bits of a single row."""
    d = len(lanes)
    for p in range(LANES):
        found[p] = 0.0
    if metrics.ndim == 2:
        for a in range(d):
            for p in range(LANES):
                found[p] += metrics[h, a] * (lanes[a, p] - Z[j, a]) ** 2
    else:
        inner = np.empty(LANES)
        for a in range(d):
            for p in range(LANES):
                inner[p] = 0.0
            for b in range(d):
                for p in range(LANES):
                    inner[p] += metrics[h, a, b] * (lanes[b, p] - Z[j, b])
            for p in range(LANES):
                found[p] += (lanes[a, p] - Z[j, a]) * inner[p]


@kernel
def _all_distances(lanes, n, Z, j, metrics, h, distances):
    """Store ‖x − z_j‖² of all n points x in ``lanes``; return the first of the farthest ones."""
    for block in range(len(lanes)):
        lane_distances(
            lanes[block], Z, j, metrics, h, distances[block * LANES : (block + 1) * LANES]
        )
    farthest = 0
    for i in range(1, n):
        if distances[i] > distances[farthest]:
            farthest = i
    return farthest


@kernel
def _quickselect(values, place):
    """Return the value at a place in ascending order; reorder the values (Hoare's quickselect)."""
    # ``np.partition`` does the same, but takes four seconds to compile
    first, last = 0, len(values) - 1
    while first < last:
        pivot = values[(first + last) // 2]
        i, j = first, last
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i, j = i + 1, j - 1
        if place <= j:
            last = j
        elif place >= i:
            first = i
        else:
            break
    return values[place]


@kernel
def _outermost(outer, inward, count):
    """Move the `OUTERMOST` outermost points to the front, in place; return how many they are."""
    cut = _quickselect(inward[:count].copy(), OUTERMOST)
    at_cut, kept = OUTERMOST, 0
    for c in range(count):
        at_cut -= inward[c] < cut
    for c in range(count):
        if inward[c] < cut or (inward[c] == cut and at_cut > 0):
            at_cut -= inward[c] == cut
            outer[kept], inward[kept] = outer[c], inward[c]
            kept += 1
    return kept


@kernel
def farthest_pair(X, lanes, mean, metrics, h):
    """Return the two points farthest apart under the metric of cluster h (x', x'' of Eq. 3)."""
    # Not all pairs are looked at. With r the distance to the mean (1, d), two points are at most
    # r_i + r_j apart: only pairs that could still beat the best one are looked at, those of the
    # outermost points first. ``lanes`` holds all rows of X. Among equally long pairs the first that
    # was found stays, then the one whose inner point is the outermost. If the pairs that are left
    # have more than `OUTERMOST` points, only these outermost ones are looked at.
    n = len(X)
    radius, distances = np.empty(n), np.empty(len(lanes) * LANES)
    _all_distances(lanes, n, mean, 0, metrics, h, distances)
    first = 0
    for i in range(n):
        radius[i] = 0.0 if distances[i] < 0 else np.sqrt(distances[i])
        if radius[i] > radius[first]:
            first = i
    outermost = second = first
    best = 0.0
    # from the outermost point to the farthest from it, and on to the farthest from that
    for _ in range(2):
        first = second
        second = _all_distances(lanes, n, X, first, metrics, h, distances)
        best = distances[second]
    slack = 1 - 1e-12  # the bound holds for exact numbers
    needed = np.sqrt(best) * slack
    outer, inward = np.empty(n, np.int64), np.empty(n)
    count = 0
    for i in range(n):
        if radius[i] + radius[outermost] >= needed:
            outer[count], inward[count] = i, -radius[i]
            count += 1
    if count > OUTERMOST:
        count = _outermost(outer, inward, count)
    order = np.argsort(inward[:count])
    for a in range(count):
        order[a] = outer[order[a]]
    end, latest = count, 0
    # far from the outermost point alone
    while end > 2 and radius[order[end - 1]] + radius[order[1]] < needed:
        end -= 1
    lanes = in_lanes(X, order[:end])
    block_distances = np.empty(LANES)
    for b in range(end):
        if order[b] == outermost:  # the first of the two searches has met all of its pairs
            continue
        needed = np.sqrt(best) * slack - radius[order[b]]
        while end > b + 1 and radius[order[end - 1]] < needed:
            end -= 1
        if end == b + 1:
            break
        for block in range((b + 1) // LANES, (end + LANES - 1) // LANES):
            lane_distances(lanes[block], X, order[b], metrics, h, block_distances)
            for a in range(max(b + 1, block * LANES), min(end, (block + 1) * LANES)):
                distance = block_distances[a - block * LANES]
                if distance > best or (distance == best and a < latest):
                    first, second, best, latest = order[a], order[b], distance, a
    return min(first, second), max(first, second)


@kernel
def update_farthest(X, lanes, mean, metrics, shared, known, gaps, reach):
    """Store every cluster's x' − x'' in ``gaps`` (k, d), its squared length in ``reach`` (k,)."""
    # ``known`` (k, D) has the metrics of what is found; for the same one it is not searched again
    flat = metrics.reshape(len(metrics), -1)
    for h in range(len(metrics)):
        if shared and h > 0:
            take_farthest(known, gaps, reach, h, 0)
            continue
        same = True
        for s in range(flat.shape[1]):
            same = same and flat[h, s] == known[h, s]
            known[h, s] = flat[h, s]
        if not same:
            i, j = farthest_pair(X, lanes, mean, metrics, h)
            for a in range(X.shape[1]):
                gaps[h, a] = X[i, a] - X[j, a]
            reach[h] = squared_distance(X, i, X, j, metrics, h)


@kernel
def take_farthest(known, gaps, reach, h, other):
    """Give cluster h, which has the metric of another, the farthest pair of that one."""
    copy_row(known, h, other)
    copy_row(gaps, h, other)
    reach[h] = reach[other]


@kernel
def copy_row(table, h, other):
    for s in range(table.shape[1]):
        table[h, s] = table[other, s]
