"""Products on several threads have the bits of those on one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mvcc.embedding import Product


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (7, 3), (1000, 90)])
@pytest.mark.parametrize("shared", [False, True])
def test_a_product_by_blocks_is_the_product(monkeypatch, shape, shared):
    monkeypatch.setattr("mvcc.embedding._products.may_share", lambda n: shared)
    rng = np.random.default_rng(1)
    matrix = sp.csr_array(rng.normal(size=shape) * (rng.random(shape) < 0.1))
    for x in (rng.normal(size=shape[1]), rng.normal(size=(shape[1], 4))):
        assert np.array_equal(Product(matrix) @ x, matrix @ x)
