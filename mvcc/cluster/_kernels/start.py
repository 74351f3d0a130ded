"""Starting clusters from must-link neighbourhoods."""

from __future__ import annotations

import numpy as np
from numba import njit

from mvcc._kernels.closure import components
from mvcc.cluster._kernels.geometry import plain_squared_distance


@njit(cache=True)
def neighborhoods(n, pairs, must_link, weights):
    """Return the must-link neighbourhood of every row (−1: none), numbered by first row, and their sizes.

    A must-link of weight 0 says nothing.
    """
    links = must_link & (weights > 0)
    root = components(n, pairs[links, 0], pairs[links, 1])
    size = np.zeros(n, np.int64)
    for i in range(n):
        size[root[i]] += 1
    number = np.full(n, -1)
    member = np.full(n, -1)
    sizes = np.empty(n, np.int64)
    count = 0
    for i in range(n):
        if size[root[i]] > 1:
            if number[root[i]] < 0:
                number[root[i]] = count
                sizes[count] = size[root[i]]
                count += 1
            member[i] = number[root[i]]
    return member, sizes[:count]


@njit(cache=True)
def largest_neighborhoods(sizes, k):
    """Return the k largest neighbourhoods, the first of equal ones first."""
    left = sizes.copy()
    chosen = np.empty(min(k, len(sizes)), np.int64)
    for c in range(chosen.size):
        chosen[c] = np.argmax(left)
        left[chosen[c]] = -1
    return chosen


@njit(cache=True)
def farthest_neighborhoods(means, sizes, k):
    """Return k neighbourhoods by weighted farthest-first traversal, from the largest one on.

    The next is the one of greatest distance to the nearest chosen one, distances between means weighted by the
    root of the product of the sizes; the first of equal ones.
    """
    chosen = np.empty(min(k, len(sizes)), np.int64)
    gap = np.full(len(sizes), np.inf)
    for c in range(chosen.size):
        chosen[c] = np.argmax(sizes) if c == 0 else np.argmax(gap)
        for s in range(len(sizes)):
            distance = np.sqrt(plain_squared_distance(means, s, means, chosen[c]) * sizes[s] * sizes[chosen[c]])
            gap[s] = min(gap[s], distance)
        gap[chosen[c]] = -1.0
    return chosen


@njit(cache=True)
def neighborhood_start(X, k, pairs, must_link, weights, farthest_first):
    """Return the labels (−1: none), centers (k, d) and number of clusters that neighbourhoods start."""
    member, sizes = neighborhoods(len(X), pairs, must_link, weights)
    means = np.zeros((len(sizes), X.shape[1]))
    for i in range(len(X)):
        if member[i] >= 0:
            means[member[i]] += X[i]
    for s in range(len(sizes)):
        means[s] /= sizes[s]
    chosen = farthest_neighborhoods(means, sizes, k) if farthest_first else largest_neighborhoods(sizes, k)
    label_of = np.full(len(sizes), -1)
    centers = np.empty((k, X.shape[1]))
    for h in range(chosen.size):
        label_of[chosen[h]] = h
        centers[h] = means[chosen[h]]
    labels = np.full(len(X), -1)
    for i in range(len(X)):
        if member[i] >= 0:
            labels[i] = label_of[member[i]]
    return labels, centers, chosen.size
