"""Starting clusters from must-link neighborhoods."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel
from mvcc.cluster._kernels.geometry import plain_squared_distance
from mvcc.constraints import components


@kernel
def neighborhoods(n, pairs, must_link, weights):
    """Return the must-link neighborhood of every row (−1: none), numbered by first row, and their sizes.

    A must-link of weight 0 says nothing.
    """
    first, second = np.empty(len(pairs), np.int64), np.empty(len(pairs), np.int64)
    n_links = 0
    for c in range(len(pairs)):
        if must_link[c] and weights[c] > 0:
            first[n_links], second[n_links] = pairs[c, 0], pairs[c, 1]
            n_links += 1
    root = components(n, first[:n_links], second[:n_links])
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


@kernel
def choose(means, sizes, k, farthest_first):
    """Return k neighborhoods: the largest, or by weighted farthest-first traversal from the largest one on.

    In the traversal the next is the one of greatest distance to the nearest chosen one, distances between means
    weighted by the root of the product of the sizes. Of equal ones it is the first.
    """
    rank = np.empty(len(sizes))
    for s in range(len(sizes)):
        rank[s] = sizes[s]
    chosen = np.empty(min(k, len(sizes)), np.int64)
    for c in range(chosen.size):
        chosen[c] = np.argmax(rank)
        for s in range(len(sizes) if farthest_first else 0):
            distance = np.sqrt(plain_squared_distance(means, s, means, chosen[c]) * sizes[s] * sizes[chosen[c]])
            rank[s] = distance if c == 0 else min(rank[s], distance)
        rank[chosen[c]] = -1.0
    return chosen


@kernel
def neighborhood_start(X, k, pairs, must_link, weights, farthest_first):
    """Return the labels (−1: none), centers (k, d) and number of clusters that neighborhoods start."""
    n, d = X.shape
    member, sizes = neighborhoods(n, pairs, must_link, weights)
    means = np.zeros((len(sizes), d))
    for i in range(n):
        if member[i] >= 0:
            for a in range(d):
                means[member[i], a] += X[i, a]
    for s in range(len(sizes)):
        for a in range(d):
            means[s, a] /= sizes[s]
    chosen = choose(means, sizes, k, farthest_first)
    label_of = np.full(len(sizes), -1)
    centers = np.empty((k, d))
    for h in range(chosen.size):
        label_of[chosen[h]] = h
        for a in range(d):
            centers[h, a] = means[chosen[h], a]
    labels = np.full(n, -1)
    for i in range(n):
        if member[i] >= 0:
            labels[i] = label_of[member[i]]
    return labels, centers, chosen.size
