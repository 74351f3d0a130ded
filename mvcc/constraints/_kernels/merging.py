"""Compiled kernels that sort and merge constraints."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel


@kernel
def heaviest(first, second, must_link, weights, n_rows):
    """Sort constraints, first < second < n_rows; keep the heaviest of each pair and type.

    Return (pairs, must_link, weights), must-links before cannot-links of the same pair: two
    counting sorts, by the second row with the type, then by the first row.
    """
    m = first.size
    place = np.zeros(2 * n_rows + 1, np.int64)
    for c in range(m):
        place[2 * second[c] + (not must_link[c]) + 1] += 1
    for digit in range(2 * n_rows):
        place[digit + 1] += place[digit]
    by_second = np.empty(m, np.int64)
    for c in range(m):
        digit = 2 * second[c] + (not must_link[c])
        by_second[place[digit]] = c
        place[digit] += 1
    place = np.zeros(n_rows + 1, np.int64)
    for c in range(m):
        place[first[c] + 1] += 1
    for row in range(n_rows):
        place[row + 1] += place[row]
    order = np.empty(m, np.int64)
    for p in range(m):
        c = by_second[p]
        order[place[first[c]]] = c
        place[first[c]] += 1
    pairs, kinds, largest = np.empty((m, 2), np.int64), np.empty(m, np.bool_), np.empty(m)
    count = 0
    for p in range(m):
        c = order[p]
        i, j, kind, weight = first[c], second[c], must_link[c], weights[c]
        last = count - 1
        if count and pairs[last, 0] == i and pairs[last, 1] == j and kinds[last] == kind:
            largest[last] = max(largest[last], weight)
        else:
            pairs[count, 0], pairs[count, 1] = i, j
            kinds[count], largest[count] = kind, weight
            count += 1
    return pairs[:count], kinds[:count], largest[:count]


@kernel
def mapped_constraints(pairs, must_link, weights, place, start, size, images):
    """Return constraints on U in rows of V (Eq. 12), sorted, the heaviest of each pair and type.

    Row i of U stands at ``place[i]``, or at none (−1 or beyond the end); the rows of V at a place
    are ``images[start : start + size]``. Constraints between the same places are merged before they
    are expanded.
    """
    m = len(pairs)
    first, second = np.empty(m, np.int64), np.empty(m, np.int64)
    kinds, known_weights = np.empty(m, np.bool_), np.empty(m)
    count = 0
    for c in range(m):
        i, j = pairs[c, 0], pairs[c, 1]
        if i < place.size and j < place.size and place[i] >= 0 and place[j] >= 0:
            first[count], second[count] = min(place[i], place[j]), max(place[i], place[j])
            kinds[count], known_weights[count] = must_link[c], weights[c]
            count += 1
    merged, kinds, known_weights = heaviest(
        first[:count], second[:count], kinds[:count], known_weights[:count], start.size
    )
    total = 0
    for c in range(len(merged)):
        total += size[merged[c, 0]] * size[merged[c, 1]]
    first, second = np.empty(total, np.int64), np.empty(total, np.int64)
    new_kinds, new_weights = np.empty(total, np.bool_), np.empty(total)
    count = 0
    for c in range(len(merged)):
        p, q = merged[c, 0], merged[c, 1]
        for a in range(start[p], start[p] + size[p]):
            for b in range(start[q], start[q] + size[q]):
                i, j = images[a], images[b]
                if i != j:
                    first[count], second[count] = min(i, j), max(i, j)
                    new_kinds[count], new_weights[count] = kinds[c], known_weights[c]
                    count += 1
    n_rows = 0
    for image in images:
        n_rows = max(n_rows, image + 1)
    return heaviest(first[:count], second[:count], new_kinds[:count], new_weights[:count], n_rows)


@kernel
def weights_by_use(pairs, must_link, weights, given_pairs, given_must_link, y):
    """Sort out the weights of constraints by what they are: (kind, not given, correct).

    Return an array (2, 2, 2, m) and the number of entries that each of its lists has. The first
    axis is must-links and cannot-links; the others are whether only those count that were not
    given, and whether only those that agree with the labels y. Both lists of constraints are
    sorted, and every list of weights has their order.
    """
    m = len(pairs)
    lists = np.empty((2, 2, 2, m))
    counts = np.zeros((2, 2, 2), np.int64)
    g = 0
    for c in range(m):
        i, j, kind = pairs[c, 0], pairs[c, 1], must_link[c]
        while g < len(given_pairs) and (
            given_pairs[g, 0] < i
            or (given_pairs[g, 0] == i and given_pairs[g, 1] < j)
            or (
                given_pairs[g, 0] == i
                and given_pairs[g, 1] == j
                and given_must_link[g]
                and not kind
            )
        ):
            g += 1
        given = (
            g < len(given_pairs)
            and given_pairs[g, 0] == i
            and given_pairs[g, 1] == j
            and given_must_link[g] == kind
        )
        k = 0 if kind else 1
        correct = (y[i] == y[j]) == kind
        for new in range(1 if given else 2):
            for right in range(2 if correct else 1):
                lists[k, new, right, counts[k, new, right]] = weights[c]
                counts[k, new, right] += 1
    return lists, counts


@kernel
def unified(pairs, must_link, weights, other_pairs, other_must_link, other_weights):
    """Merge two sorted lists of constraints, with at most one type for each pair (Eq. 13–14).

    If a pair has both types, the one of the first list wins, then the heavier one; equal ones are
    both dropped. Among the same type the heaviest is kept.
    """
    total = len(pairs) + len(other_pairs)
    new_pairs, kinds, new_weights = (
        np.empty((total, 2), np.int64),
        np.empty(total, np.bool_),
        np.empty(total),
    )
    count = here = there = 0
    while here < len(pairs) or there < len(other_pairs):
        if there == len(other_pairs) or (
            here < len(pairs)
            and (pairs[here, 0], pairs[here, 1]) <= (other_pairs[there, 0], other_pairs[there, 1])
        ):
            i, j = pairs[here, 0], pairs[here, 1]
        else:
            i, j = other_pairs[there, 0], other_pairs[there, 1]
        # the weights of both types of this pair; negative where there is none
        together = apart = -1.0
        own_together = own_apart = False
        while here < len(pairs) and pairs[here, 0] == i and pairs[here, 1] == j:
            if must_link[here]:
                together, own_together = max(together, weights[here]), True
            else:
                apart, own_apart = max(apart, weights[here]), True
            here += 1
        while (
            there < len(other_pairs) and other_pairs[there, 0] == i and other_pairs[there, 1] == j
        ):
            if other_must_link[there]:
                together = max(together, other_weights[there])
            else:
                apart = max(apart, other_weights[there])
            there += 1
        kind = together >= 0
        if kind and apart >= 0:
            if own_together == own_apart and together == apart:
                continue
            kind = together > apart if own_together == own_apart else own_together
        new_pairs[count, 0], new_pairs[count, 1] = i, j
        kinds[count], new_weights[count] = kind, together if kind else apart
        count += 1
    return new_pairs[:count], kinds[:count], new_weights[:count]
