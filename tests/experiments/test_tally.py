"""What views passed on is counted and weighed by kind: all of it, and what is inferred."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mvcc import Constraints
from mvcc.experiments._trial import _tally


def some_constraints(rng, n, m):
    pairs = rng.integers(n, size=(m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return Constraints(
        pairs, rng.random(len(pairs)) < 0.5, rng.choice([0.0, 0.25, 1.0, 3.0], len(pairs))
    )


@given(st.integers(0, 2**32 - 1))
def test_constraints_are_told_apart_by_kind_novelty_and_correctness(seed):
    rng = np.random.default_rng(seed)
    passed_on, known = (some_constraints(rng, 7, int(rng.integers(0, 30))) for _ in range(2))
    y = rng.integers(2, size=7)
    there = {row[:3] for row in known.rows()}
    expected = np.zeros((2, 2, 3))
    for i, j, must_link, weight in passed_on.rows():
        is_right = (y[i] == y[j]) == must_link
        for only_new in (False, True):
            if (i, j, must_link) not in there or not only_new:
                expected[int(not must_link), int(only_new)] += 1, weight, weight * is_right
    assert _tally(passed_on, known, y).tolist() == expected.tolist()
