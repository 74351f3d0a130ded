"""Compiled kernels of neighborhoods: their numbers, and the pairs of rows that follow from them."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel


@kernel
def numbered(names, n_names):
    """Return a number for each name, by first use, and −1 for one that is not used."""
    number = np.full(n_names, -1)
    count = 0
    for name in names:
        if number[name] < 0:
            number[name] = count
            count += 1
    return number


@kernel
def count_links(group, apart):
    """Return how many must-links and how many cannot-links follow."""
    sizes = np.bincount(group)
    must_links = cannot_links = 0
    for size in sizes:
        must_links += size * (size - 1) // 2
    for e in range(len(apart)):
        cannot_links += sizes[apart[e, 0]] * sizes[apart[e, 1]]
    return must_links, cannot_links


@kernel
def pair_keys(rows, group, apart, n_pairs):
    """Return a key for each of the ``n_pairs`` constraints: smaller row, larger row, and 1 for a cannot-link."""
    n_groups = group.max() + 1 if group.size > 0 else 0
    start = np.zeros(n_groups + 1, np.int64)
    for g in group:
        start[g + 1] += 1
    for g in range(n_groups):
        start[g + 1] += start[g]
    place = start[:-1].copy()
    members = np.empty(rows.size, np.int64)
    for r in range(rows.size):
        members[place[group[r]]] = rows[r]
        place[group[r]] += 1
    keys = np.empty(n_pairs, np.int64)
    count = 0
    for g in range(n_groups):
        for p in range(start[g], start[g + 1]):
            for q in range(p + 1, start[g + 1]):
                keys[count] = (members[p] << 32) | (members[q] << 1)
                count += 1
    for e in range(len(apart)):
        for p in range(start[apart[e, 0]], start[apart[e, 0] + 1]):
            for q in range(start[apart[e, 1]], start[apart[e, 1] + 1]):
                i, j = min(members[p], members[q]), max(members[p], members[q])
                keys[count] = (i << 32) | (j << 1) | 1
                count += 1
    return keys
