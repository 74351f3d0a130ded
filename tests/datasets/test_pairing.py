"""Pairs join equal classes, one to one, as many as the smaller class has, and every such pairing is equally likely."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mvcc.datasets._pairing import pair_at_random

labels = st.lists(st.integers(0, 3), max_size=30).map(lambda y: np.array([0, *y], dtype=np.int64))


@given(first=labels, second=labels, seed=st.integers(0, 1000))
def test_pairs_are_one_to_one_within_classes_and_use_up_the_smaller_class(first, second, seed):
    pairs = pair_at_random(first, second, np.random.default_rng(seed))
    assert pairs.dtype == np.int64
    assert (first[pairs[:, 0]] == second[pairs[:, 1]]).all()
    assert all(len(np.unique(column)) == len(column) for column in pairs.T)
    assert len(pairs) == sum(min((first == c).sum(), (second == c).sum()) for c in range(4))
    assert (np.diff(pairs[:, 0]) > 0).all()


def test_the_generator_decides():
    y = np.repeat([0, 1], 20)
    one, same, other = (pair_at_random(y, y, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_partners_and_isolated_instances_are_drawn_evenly():
    rng = np.random.default_rng(0)
    counts = np.zeros((2, 3))
    for _ in range(3000):
        pairs = pair_at_random(np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64), rng)
        counts[pairs[:, 0], pairs[:, 1]] += 1
    np.testing.assert_allclose(counts, 1000, atol=130)  # five standard deviations
