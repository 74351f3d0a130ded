"""Compiled kernels of the closure: all pairs that follow from links, and neighborhoods."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel


@kernel
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def _join(parent, follower, size, a, b):
    """Merge the trees of two roots and splice their lists of members; return the root."""
    if size[a] < size[b]:
        a, b = b, a
    parent[b] = a
    size[a] += size[b]
    follower[a], follower[b] = follower[b], follower[a]
    return a


@kernel
def components(n, first, second):
    """Return the root node of every node's connected component under the given links."""
    parent = np.arange(n)
    follower = np.arange(n)
    size = np.ones(n, np.int64)
    for e in range(first.size):
        a, b = _root(parent, first[e]), _root(parent, second[e])
        if a != b:
            _join(parent, follower, size, a, b)
    for i in range(n):
        parent[i] = _root(parent, i)
    return parent


@kernel
def _emit(store, count, follower, view, a, b, link, must_link):
    """Append all pairs within views between two components: (node, node, 2 link + must_link)."""
    x = a
    while True:
        y = b
        while True:
            if view[x] == view[y]:
                if count == len(store):
                    former = store
                    store = np.empty((2 * count, 3), np.int64)
                    for p in range(count):
                        store[p, 0], store[p, 1], store[p, 2] = (
                            former[p, 0],
                            former[p, 1],
                            former[p, 2],
                        )
                store[count, 0], store[count, 1], store[count, 2] = (
                    min(x, y),
                    max(x, y),
                    2 * link + must_link,
                )
                count += 1
            y = follower[y]
            if y == b:
                break
        x = follower[x]
        if x == a:
            break
    return store, count


@kernel
def closed_pairs(n, view, first, second, must_link, weights):
    """Return every pair within a view that follows from the links, once, with its weight.

    The links come heaviest first, and must not contradict each other. ``view`` tells the view of
    every node.
    """
    parent, follower, size = np.arange(n), np.arange(n), np.ones(n, np.int64)
    # the cannot-links of a component: a circular list of half edges, entered at `entry`
    n_links = first.size
    other_end = np.empty(2 * n_links, np.int64)
    next_half = np.empty(2 * n_links, np.int64)
    entry = np.full(n, -1)
    degree = np.zeros(n, np.int64)
    seen_a, seen_b = np.full(n, -1), np.full(n, -1)
    store = np.empty((64, 3), np.int64)
    count = 0
    for e in range(n_links):
        a, b = _root(parent, first[e]), _root(parent, second[e])
        together = must_link[e]
        if together:
            if a == b:
                continue
            store, count = _emit(store, count, follower, view, a, b, e, together)
            # what a may not join, b may not join from now on, and the other way round
            h = entry[a]
            for _ in range(degree[a]):
                seen_a[_root(parent, other_end[h])] = e
                h = next_half[h]
            h = entry[b]
            for _ in range(degree[b]):
                r = _root(parent, other_end[h])
                if seen_b[r] != e and seen_a[r] != e:
                    store, count = _emit(store, count, follower, view, a, r, e, not together)
                seen_b[r] = e
                h = next_half[h]
            h = entry[a]
            for _ in range(degree[a]):
                r = _root(parent, other_end[h])
                if seen_b[r] != e:
                    store, count = _emit(store, count, follower, view, b, r, e, not together)
                    seen_b[r] = e
                h = next_half[h]
            survivor = _join(parent, follower, size, a, b)
            absorbed = b if survivor == a else a
            if degree[absorbed] > 0:
                if degree[survivor] > 0:
                    x, y = entry[survivor], entry[absorbed]
                    next_half[x], next_half[y] = next_half[y], next_half[x]
                else:
                    entry[survivor] = entry[absorbed]
                degree[survivor] += degree[absorbed]
        else:
            if degree[a] > degree[b]:
                a, b = b, a
            known = False
            h = entry[a]
            for _ in range(degree[a]):
                if _root(parent, other_end[h]) == b:
                    known = True
                    break
                h = next_half[h]
            if known:
                continue
            store, count = _emit(store, count, follower, view, a, b, e, together)
            for half, end, far in ((2 * e, a, b), (2 * e + 1, b, a)):
                other_end[half] = far
                if degree[end] == 0:
                    entry[end], next_half[half] = half, half
                else:
                    next_half[half] = next_half[entry[end]]
                    next_half[entry[end]] = half
                degree[end] += 1
    pairs, kinds, found_weights = (
        np.empty((count, 2), np.int64),
        np.empty(count, np.bool_),
        np.empty(count),
    )
    for p in range(count):
        pairs[p, 0], pairs[p, 1] = store[p, 0], store[p, 1]
        kinds[p], found_weights[p] = store[p, 2] % 2, weights[store[p, 2] // 2]
    return pairs, kinds, found_weights


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
    """Return a key for each of ``n_pairs`` constraints: smaller row, larger row, 1 if apart."""
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
