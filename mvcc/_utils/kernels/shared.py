"""Small kernels that rooms share: links of constraints, Gram matrices, inverse factors."""

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
    next_entry = start[:-1].copy()
    partner = np.empty(2 * len(pairs), np.int64)
    weight = np.empty(2 * len(pairs))
    for c in range(len(pairs)):
        signed = weights[c] if must_link[c] else -weights[c]
        for point, other in ((pairs[c, 0], pairs[c, 1]), (pairs[c, 1], pairs[c, 0])):
            partner[next_entry[point]] = other
            weight[next_entry[point]] = signed
            next_entry[point] += 1
    return start, partner, weight


@kernel
def inverse_cholesky(S, floor):
    """Return whether S (d, d) is positive definite, and the lower triangular W with S⁻¹ = Wᵀ W.

    S counts as definite when every pivot exceeds its ``floor`` (d,).
    """
    d = len(S)
    L = np.zeros((d, d))
    W = np.zeros((d, d))
    for a in range(d):
        for b in range(a + 1):
            rest = S[a, b]
            for c in range(b):
                rest -= L[a, c] * L[b, c]
            if a > b:
                L[a, b] = rest / L[b, b]
            elif rest > floor[a]:
                L[a, a] = np.sqrt(rest)
            else:
                return False, W
    for a in range(d):
        W[a, a] = 1 / L[a, a]
        for b in range(a):
            total = 0.0
            for c in range(b, a):
                total += L[a, c] * W[c, b]
            W[a, b] = -total / L[a, a]
    return True, W


@kernel
def add_gram(starts, columns, values, weights, gram):
    """Add Σ_i w_i b_i b_iᵀ to a dense matrix, where b_i are the rows of a sparse one."""
    for i in range(len(starts) - 1):
        for a in range(starts[i], starts[i + 1]):
            weighted = weights[i] * values[a]
            for b in range(starts[i], starts[i + 1]):
                gram[columns[a], columns[b]] += weighted * values[b]
