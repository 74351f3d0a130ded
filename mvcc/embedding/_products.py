"""Products of large sparse matrices, on several threads."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mvcc._utils.kernels.threads import for_blocks, may_share

_BLOCKS = 8


class Product:
    """A sparse matrix that is multiplied block by block; the number of threads changes no bit of a product.

    Parameters
    ----------
    matrix : (n, m) sparse array
    """

    def __init__(self, matrix: sp.csr_array) -> None:
        n, self._blocks = matrix.shape[0], [matrix]
        self._shared = may_share(n)
        if self._shared:
            size = max(1, ceil(n / _BLOCKS))
            self._blocks = [_rows_of(matrix, first, min(first + size, n)) for first in range(0, max(n, 1), size)]

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the product with (m,) or (m, r) numbers."""
        parts = for_blocks(lambda part: self._blocks[part.start] @ x, len(self._blocks), 1, shared=self._shared)
        return np.concatenate(parts)


def _rows_of(matrix: sp.csr_array, first: int, end: int) -> sp.csr_array:
    """Return rows of a matrix without copying their entries, as slicing would."""
    inside = slice(matrix.indptr[first], matrix.indptr[end])
    starts = matrix.indptr[first : end + 1] - inside.start
    return sp.csr_array((matrix.data[inside], matrix.indices[inside], starts), shape=(end - first, matrix.shape[1]))
