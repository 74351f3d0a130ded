"""Closed constraints of equal weight as neighborhoods.

What a point pays hangs only on moments of their members. The moments of a set of points are its
size and, where metrics are learned, the sums of x and of x² (diagonal) or xxᵀ (full): one vector
(m,) per neighborhood and cluster. ``own`` (G, k, m) holds those of a neighborhood's members in each
cluster, ``rivals`` (G, k, m) those of all neighborhoods that it must stay apart from. A
neighborhood is never listed pair by pair, so that its constraints cost what its points cost.

``groups`` is (member, start, rival, weight): the neighborhood of every row (−1: none) and, from
start[g] to start[g + 1], the neighborhoods apart from g. Without neighborhoods it is None, and
numba leaves out what is for them: a third of the time that a fit takes to compile.
"""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel


@kernel
def lift(X, i, origin, moments):
    """Store the moments (1), (1, x, x²) or (1, x, xxᵀ) of row i, x seen from the origin (d,)."""
    d = X.shape[1]
    moments[0] = 1.0
    if moments.size == 1:
        return
    for a in range(d):
        moments[1 + a] = X[i, a] - origin[a]
    if moments.size == 1 + 2 * d:
        for a in range(d):
            moments[1 + d + a] = moments[1 + a] ** 2
    else:
        for a in range(d):
            for b in range(d):
                moments[1 + d + a * d + b] = moments[1 + a] * moments[1 + b]


@kernel
def tally(X, origin, labels, groups, k, m):
    """Return ``own`` and ``rivals`` of all neighborhoods, of points that have a label."""
    member, start, rival, _ = groups
    own, rivals = np.zeros((start.size - 1, k, m)), np.zeros((start.size - 1, k, m))
    moments = np.empty(m)
    for i in range(member.size):
        if member[i] >= 0 and labels[i] >= 0:
            lift(X, i, origin, moments)
            for v in range(m):
                own[member[i], labels[i], v] += moments[v]
    for g in range(len(own)):
        for e in range(start[g], start[g + 1]):
            for h in range(k):
                for v in range(m):
                    rivals[g, h, v] += own[rival[e], h, v]
    return own, rivals


@kernel
def move(own, rivals, groups, g, moments, old, new):
    """Move a member of neighborhood g from cluster ``old`` (−1: none) to ``new``."""
    _, start, rival, _ = groups
    for v in range(moments.size):
        own[g, new, v] += moments[v]
        if old >= 0:
            own[g, old, v] -= moments[v]
    for e in range(start[g], start[g + 1]):
        for v in range(moments.size):
            rivals[rival[e], new, v] += moments[v]
            if old >= 0:
                rivals[rival[e], old, v] -= moments[v]


@kernel
def add_spread(first, second, d, factor, S):
    """Add factor · Σ (x − z)², or (x − z)(x − z)ᵀ as one row, to S; x and z have these moments."""
    for s in range(S.size):
        a, b = (s, s) if S.size == d else (s // d, s % d)
        S[s] += factor * (
            first[0] * second[1 + d + s]
            - first[1 + a] * second[1 + b]
            - first[1 + b] * second[1 + a]
            + second[0] * first[1 + d + s]
        )


@kernel
def _add_violations(mine, others, d, factor, S, magnitude):
    """Add the spread between two sets to S, and the size of its terms to ``magnitude``."""
    if others[0] > 0:
        add_spread(mine, others, d, factor, S)
        for s in range(S.size):
            magnitude[s] += factor * (mine[0] * others[1 + d + s] + others[0] * mine[1 + d + s])


@kernel
def count_violations(own, rivals, groups):
    """Return the weight of all violated constraints of the neighborhoods."""
    total = 0.0
    for g in range(len(own)):
        members = 0.0
        for h in range(own.shape[1]):
            members += own[g, h, 0]
        for h in range(own.shape[1]):
            total += own[g, h, 0] * (members - own[g, h, 0] + rivals[g, h, 0])
    return 0.5 * groups[3] * total


@kernel
def violations(own, rivals, groups, d):
    """Return what violated constraints of neighborhoods add to the scatters of the clusters."""
    # ``torn`` (k, D) is Σ ½ w (x_i − x_j)² of must-links with one end in the cluster; ``joined``
    # (k, D), Σ w (x_i − x_j)² of cannot-links with both ends in it; ``weight`` (k,), Σ w of these;
    # ``magnitude`` (k, D), the size of the terms added up, of which rounding is a small part.
    k, D = own.shape[1], own.shape[2] - 1 - d
    torn, joined, magnitude = np.zeros((k, D)), np.zeros((k, D)), np.zeros((k, D))
    weight = np.zeros(k)
    whole, others = np.empty(1 + d + D), np.empty(1 + d + D)
    half = 0.5 * groups[3]  # the other end adds the other half
    for g in range(len(own)):
        for v in range(whole.size):
            whole[v] = 0.0
            for h in range(k):
                whole[v] += own[g, h, v]
        for h in range(k):
            mine = own[g, h]
            if mine[0] == 0:
                continue
            for v in range(whole.size):
                others[v] = whole[v] - mine[v]
            _add_violations(mine, others, d, half, torn[h], magnitude[h])
            _add_violations(mine, rivals[g, h], d, half, joined[h], magnitude[h])
            weight[h] += half * mine[0] * rivals[g, h, 0]
    return torn, joined, weight, magnitude
