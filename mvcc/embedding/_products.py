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
            self._blocks = [matrix[first : first + size] for first in range(0, max(n, 1), size)]

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the product with (m,) or (m, r) numbers."""
        parts = for_blocks(lambda part: self._blocks[part.start] @ x, len(self._blocks), 1, shared=self._shared)
        return np.concatenate(parts)
