"""The kernels that sort and merge constraints do what the few lines of NumPy do that say what is
meant.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mvcc import Constraints
from mvcc.constraints._kernels.merging import heaviest, weights_by_use


def some_constraints(rng, n, m):
    pairs = rng.integers(n, size=(m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return pairs, rng.random(len(pairs)) < 0.5, rng.choice([0.0, 0.25, 1.0, 3.0], len(pairs))


@given(st.integers(0, 2**32 - 1))
def test_heaviest_keeps_one_of_each_pair_and_type_in_order(seed):
    rng = np.random.default_rng(seed)
    pairs, must_link, weights = some_constraints(rng, 6, int(rng.integers(0, 40)))
    first, second = np.sort(pairs, axis=1).T
    found = heaviest(first, second, must_link, weights, 6)
    largest = {}
    for i, j, kind, weight in zip(
        first.tolist(), second.tolist(), must_link.tolist(), weights.tolist(), strict=True
    ):
        largest[i, j, not kind] = max(weight, largest.get((i, j, not kind), 0.0))
    expected = [(i, j, not apart, weight) for (i, j, apart), weight in sorted(largest.items())]
    assert [
        (*pair, kind, weight)
        for pair, kind, weight in zip(*map(np.ndarray.tolist, found), strict=True)
    ] == expected


@given(st.integers(0, 2**32 - 1))
def test_weights_are_sorted_out_by_kind_novelty_and_correctness(seed):
    rng = np.random.default_rng(seed)
    passed_on, known = (
        Constraints(*some_constraints(rng, 7, int(rng.integers(0, 30)))) for _ in range(2)
    )
    y = rng.integers(2, size=7)
    lists, counts = weights_by_use(
        passed_on.pairs, passed_on.must_link, passed_on.weights, known.pairs, known.must_link, y
    )
    same = y[passed_on.pairs[:, 0]] == y[passed_on.pairs[:, 1]]
    there = {
        (*pair, kind)
        for pair, kind in zip(known.pairs.tolist(), known.must_link.tolist(), strict=True)
    }
    new = np.array(
        [
            (*pair, kind) not in there
            for pair, kind in zip(passed_on.pairs.tolist(), passed_on.must_link, strict=True)
        ],
        dtype=bool,
    )
    for k, kind in enumerate((True, False)):
        for only_new in (False, True):
            for only_right in (False, True):
                chosen = passed_on.must_link == kind
                chosen &= new | (not only_new)
                chosen &= (same == passed_on.must_link) | (not only_right)
                found = lists[
                    k, int(only_new), int(only_right), : counts[k, int(only_new), int(only_right)]
                ]
                assert found.tolist() == passed_on.weights[chosen].tolist()
