"""Compiled kernels of the closure: components, and all pairs that follow from links."""

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
                    store = np.concatenate((store, store))  # for room
                store[count, 0], store[count, 1] = min(x, y), max(x, y)
                store[count, 2] = 2 * link + must_link
                count += 1
            y = follower[y]
            if y == b:
                break
        x = follower[x]
        if x == a:
            break
    return store, count


@kernel
def _foes(apart, parent, a):
    """Return the components that one is cannot-linked with, one for each link."""
    entry, degree, other_end, next_half = apart
    foes = np.empty(degree[a], np.int64)
    h = entry[a]
    for index in range(degree[a]):
        foes[index] = _root(parent, other_end[h])
        h = next_half[h]
    return foes


@kernel
def _add_half(apart, half, end, far):
    """Add a half edge to the cannot-links of a component."""
    entry, degree, other_end, next_half = apart
    other_end[half] = far
    if degree[end] == 0:
        entry[end], next_half[half] = half, half
    else:
        next_half[half] = next_half[entry[end]]
        next_half[entry[end]] = half
    degree[end] += 1


@kernel
def _splice(apart, survivor, absorbed):
    """Give a component the cannot-links of another one."""
    entry, degree, _, next_half = apart
    if degree[absorbed] > 0:
        if degree[survivor] > 0:
            x, y = entry[survivor], entry[absorbed]
            next_half[x], next_half[y] = next_half[y], next_half[x]
        else:
            entry[survivor] = entry[absorbed]
        degree[survivor] += degree[absorbed]


@kernel
def closed_pairs(n, view, first, second, must_link, weights):
    """Return every pair within a view that follows from the links, once, with its weight."""
    # The links come heaviest first, without contradictions; ``view`` has the view of every node.
    parent, follower, size = np.arange(n), np.arange(n), np.ones(n, np.int64)
    n_links = first.size
    # the cannot-links of a component are a circular list of half edges, entered at `entry`, in
    # which `next_half` follows; each half edge has its `other_end`
    entry, degree = np.full(n, -1), np.zeros(n, np.int64)
    other_end, next_half = np.empty(2 * n_links, np.int64), np.empty(2 * n_links, np.int64)
    apart = entry, degree, other_end, next_half
    seen_a, seen_b = np.full(n, -1), np.full(n, -1)  # the last link at which a node was a foe
    store, count = np.empty((64, 3), np.int64), 0
    for e in range(n_links):
        a, b = _root(parent, first[e]), _root(parent, second[e])
        together = must_link[e]
        if together and a != b:
            store, count = _emit(store, count, follower, view, a, b, e, together)
            # what a may not join, b may not join from now on, and the other way round
            foes_a, foes_b = _foes(apart, parent, a), _foes(apart, parent, b)
            for r in foes_a:
                seen_a[r] = e
            for r in foes_b:
                if seen_b[r] != e and seen_a[r] != e:
                    store, count = _emit(store, count, follower, view, a, r, e, not together)
                seen_b[r] = e
            for r in foes_a:
                if seen_b[r] != e:
                    store, count = _emit(store, count, follower, view, b, r, e, not together)
                    seen_b[r] = e
            survivor = _join(parent, follower, size, a, b)
            _splice(apart, survivor, b if survivor == a else a)
        elif not together:
            if degree[a] > degree[b]:
                a, b = b, a
            if not np.any(_foes(apart, parent, a) == b):
                store, count = _emit(store, count, follower, view, a, b, e, together)
                _add_half(apart, 2 * e, a, b)
                _add_half(apart, 2 * e + 1, b, a)
    pairs, kinds = np.empty((count, 2), np.int64), np.empty(count, np.bool_)
    pair_weights = np.empty(count)
    for p in range(count):
        pairs[p, 0], pairs[p, 1] = store[p, 0], store[p, 1]
        kinds[p], pair_weights[p] = store[p, 2] % 2, weights[store[p, 2] // 2]
    return pairs, kinds, pair_weights
