"""Distances under diagonal and full metrics, new places for empty clusters, and the farthest pair of Eq. 3."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def squared_distance(X, i, Z, j, metrics, h):
    """Return ‖x_i − z_j‖² under the metric of cluster h, diagonal or full.

    Rows come by number: a view of a row costs more than its distance.
    """
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


@njit(cache=True)
def plain_squared_distance(X, i, Z, j):
    total = 0.0
    for a in range(X.shape[1]):
        total += (X[i, a] - Z[j, a]) ** 2
    return total


@njit(cache=True)
def relocate_empty(X, labels, centers, metrics, counts, donor):
    """Move the center of every empty cluster to the point farthest from its own center.

    Return whether a cluster is empty now that was not before. ``donor`` holds for every cluster that was empty the one
    that its point came from, else −1, and is brought up to date.
    """
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
        centers[h] = X[farthest]
        donor[h] = labels[farthest]
    return newly_empty


@njit(cache=True)
def farthest_pair(X, mean, metrics, h, pivots, nearby):
    """Return the two points farthest apart under the metric of cluster h (x', x'' of Eq. 3), not looking at all pairs.

    With r the distance to the mean (1, d), two points are at most r_i + r_j apart: only points that could still beat
    the best pair are looked at, the outermost first. The same holds by way of two ``pivots`` (k, d), of which
    ``nearby`` (n,) names one for every point: ones that are close to their points save the most.
    """
    n = len(X)
    radius = np.empty(n)
    for i in range(n):
        radius[i] = np.sqrt(max(squared_distance(X, i, mean, 0, metrics, h), 0.0))
    first = np.argmax(radius)
    second, best = first, 0.0
    for _ in range(2):  # from the outermost point to the farthest from it, and on to the farthest from that
        first, best = second, -1.0
        for j in range(n):
            distance = squared_distance(X, first, X, j, metrics, h)
            if distance > best:
                second, best = j, distance
    slack = 1 - 1e-12  # the bound holds for exact numbers
    outer = np.flatnonzero(radius + radius.max() >= np.sqrt(best) * slack)
    outer = outer[np.argsort(-radius[outer])]
    near = nearby[outer]
    far = np.empty(outer.size)
    for a in range(outer.size):
        far[a] = np.sqrt(max(squared_distance(X, outer[a], pivots, near[a], metrics, h), 0.0))
    between = np.empty((len(pivots), len(pivots)))
    for p in range(len(pivots)):
        for q in range(len(pivots)):
            between[p, q] = np.sqrt(max(squared_distance(pivots, p, pivots, q, metrics, h), 0.0))
    for a in range(1, outer.size):
        wanted = np.sqrt(best) * slack
        if radius[outer[a]] + radius[outer[0]] < wanted:
            break
        for b in range(a):
            if radius[outer[a]] + radius[outer[b]] < wanted:
                break
            if far[a] + between[near[a], near[b]] + far[b] < wanted:
                continue
            distance = squared_distance(X, outer[a], X, outer[b], metrics, h)
            if distance > best:
                first, second, best = outer[a], outer[b], distance
                wanted = np.sqrt(best) * slack
    return min(first, second), max(first, second)


@njit(cache=True)
def update_farthest(X, mean, metrics, shared, centers, labels, gaps, reach):
    """Store x' − x'' of every cluster's metric in ``gaps`` (k, d) and its squared length in ``reach`` (k,)."""
    for h in range(len(metrics)):
        if shared and h > 0:
            gaps[h], reach[h] = gaps[0], reach[0]
        else:
            i, j = farthest_pair(X, mean, metrics, h, centers, labels)
            gaps[h] = X[i] - X[j]
            reach[h] = squared_distance(X, i, X, j, metrics, h)
