"""Constraints as links, seen from every point."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel


@kernel
def build_links(n, pairs, must_link, weights):
    """Return the constraints as links of every point: (start, partner, weight).

    The links of point i are the entries start[i] to start[i+1], partners ascending; a must-link has
    weight w and a cannot-link −w.
    """
    start = np.zeros(n + 1, np.int64)
    for c in range(len(pairs)):
        start[pairs[c, 0] + 1] += 1
        start[pairs[c, 1] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    place = start[:-1].copy()
    partner = np.empty(2 * len(pairs), np.int64)
    weight = np.empty(2 * len(pairs))
    for c in range(len(pairs)):
        signed = weights[c] if must_link[c] else -weights[c]
        for here, there in ((pairs[c, 0], pairs[c, 1]), (pairs[c, 1], pairs[c, 0])):
            partner[place[here]] = there
            weight[place[here]] = signed
            place[here] += 1
    return start, partner, weight
