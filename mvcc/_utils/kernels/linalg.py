"""Small dense linear algebra in a fixed order of summation."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel


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
