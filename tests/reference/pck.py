"""PCK-Means (§3.1): Eq. 1 with the identity metric and f_ml = f_cl = 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .constraint_sets import rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNASSIGNED = -1


def penalties(i, h, labels, pairs, must_link, weights) -> float:
    """Full weights of the constraints of point i that cluster h violates (Eq. 1, §3.1, f = 1).

    Partners not yet assigned are ignored.
    """
    total = 0.0
    for a, b, is_must_link, w in rows(pairs, must_link, weights):
        if i not in (a, b):
            continue
        partner = b if a == i else a
        if labels[partner] == UNASSIGNED:
            continue
        if is_must_link and labels[partner] != h:
            total += w
        if not is_must_link and labels[partner] == h:
            total += w
    return total


def cost(i, h, X, centers, labels, pairs, must_link, weights) -> float:
    """Contribution of point i to Eq. 1 if it goes to cluster h, all others staying (§3.1)."""
    distance = float(np.sum((X[i] - centers[h]) ** 2))
    return distance + penalties(i, h, labels, pairs, must_link, weights)


def sweep(X, centers, labels, pairs, must_link, weights) -> Ints:
    """One E-step (§3.1): each point in order to its cheapest cluster, seen by those after it.

    Ties go to the lowest cluster; the labels returned are new.
    """
    labels = np.array(labels, dtype=np.int64)
    for i in range(len(X)):
        costs = [
            cost(i, h, X, centers, labels, pairs, must_link, weights) for h in range(len(centers))
        ]
        labels[i] = costs.index(min(costs))
    return labels


def centers(X, labels, n_clusters, masses=None) -> Floats:
    """M-step (§3.1): the mean of each cluster, of points that count ``masses`` times each.

    The center of an empty cluster moves to the point farthest from the center of its own cluster
    (ties: lowest index); several empty clusters, in order, take different points.
    """
    masses = np.ones(len(X)) if masses is None else masses
    means = np.zeros((n_clusters, X.shape[1]))
    for h in range(n_clusters):
        if np.any(labels == h):
            means[h] = np.average(X[labels == h], axis=0, weights=masses[labels == h])
    distance = np.array(
        [
            np.sum((X[i] - means[labels[i]]) ** 2) if labels[i] != UNASSIGNED else -1.0
            for i in range(len(X))
        ]
    )
    for h in range(n_clusters):
        if not np.any(labels == h):
            farthest = int(np.argmax(distance))
            means[h] = X[farthest]
            distance[farthest] = -1.0
    return means


def objective(X, labels, centers, pairs, must_link, weights, masses=None) -> float:
    """Eq. 1 (§3.1) with the identity metric and f_ml = f_cl = 1; every point has a label."""
    masses = np.ones(len(X)) if masses is None else masses
    total = 0.0
    for i in range(len(X)):
        total += masses[i] * float(np.sum((X[i] - centers[labels[i]]) ** 2))
    for i, j, is_must_link, w in rows(pairs, must_link, weights):
        if is_must_link and labels[i] != labels[j]:
            total += w
        if not is_must_link and labels[i] == labels[j]:
            total += w
    return total
