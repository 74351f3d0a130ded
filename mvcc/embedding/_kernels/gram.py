"""Gram matrices of sparse rows."""

from __future__ import annotations

from mvcc._utils.kernels import kernel


@kernel
def add_gram(starts, columns, values, weights, gram):
    """Add Σ_i w_i b_i b_iᵀ to a dense matrix, where b_i are the rows of a sparse one."""
    for i in range(len(starts) - 1):
        for a in range(starts[i], starts[i + 1]):
            weighted = weights[i] * values[a]
            for b in range(starts[i], starts[i + 1]):
                gram[columns[a], columns[b]] += weighted * values[b]
