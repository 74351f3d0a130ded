"""What sorts and merges constraints keeps what the few lines that say what is meant keep."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mvcc import Constraints


@given(st.integers(0, 2**32 - 1))
def test_one_of_each_pair_and_type_is_kept_the_heaviest_in_order(seed):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(6, size=(int(rng.integers(0, 40)), 2))
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    must_link = rng.random(len(pairs)) < 0.5
    weights = rng.choice([0.0, 0.25, 1.0, 3.0], len(pairs))
    found = Constraints.from_repeated(pairs, must_link, weights)
    largest = {}
    for (i, j), kind, weight in zip(
        pairs.tolist(), must_link.tolist(), weights.tolist(), strict=True
    ):
        largest[i, j, not kind] = max(weight, largest.get((i, j, not kind), 0.0))
    expected = [(i, j, not apart, weight) for (i, j, apart), weight in sorted(largest.items())]
    assert list(found.rows()) == expected
