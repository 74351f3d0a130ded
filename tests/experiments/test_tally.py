"""What views passed on is counted and weighed by kind: all of it, and what is inferred."""

import numpy as np
from hypothesis import given

from mvcc.experiments._trial import _tally
from tests.strategies import random_constraints, seeds


@given(seeds)
def test_constraints_are_told_apart_by_kind_novelty_and_correctness(seed):
    rng = np.random.default_rng(seed)
    passed_on, known = (
        random_constraints(rng, 7, int(rng.integers(0, 30)), [0.0, 0.25, 1.0, 3.0])
        for _ in range(2)
    )
    y = rng.integers(2, size=7)
    there = {row[:3] for row in known.rows()}
    expected = np.zeros((2, 2, 3))
    for i, j, must_link, weight in passed_on.rows():
        is_right = (y[i] == y[j]) == must_link
        for only_new in (False, True):
            if (i, j, must_link) not in there or not only_new:
                expected[int(not must_link), int(only_new)] += 1, weight, weight * is_right
    assert _tally(passed_on, known, y).tolist() == expected.tolist()
