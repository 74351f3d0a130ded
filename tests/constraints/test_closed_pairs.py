"""The kernel of the weighted closure gives every pair that follows just once, with its weight."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mvcc.constraints._kernels.closure import closed_pairs
from tests.reference import closure as slow
from tests.strategies import seeds


@given(seeds, st.integers(2, 14), st.integers(0, 45), st.sampled_from([1, 2, 100]))
def test_every_pair_within_a_view_that_follows_comes_once_with_its_weight(
    seed, n, n_links, n_weights
):
    rng = np.random.default_rng(seed)
    home = rng.integers(1 + rng.integers(n), size=n)
    ends = rng.integers(n, size=(n_links, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    kinds = home[ends[:, 0]] == home[ends[:, 1]]
    weights = rng.integers(1, 1 + n_weights, len(ends)) / 7
    view = rng.integers(rng.integers(1, 4), size=n)
    heaviest_first = np.lexsort((~kinds, -weights))
    # contiguous, as the closure gives them: others would be compiled for this test alone
    first, second = np.ascontiguousarray(ends[heaviest_first].T)
    found_pairs, together, found = closed_pairs(
        n, view, first, second, kinds[heaviest_first], weights[heaviest_first]
    )

    def listed(of_kind):
        rows = zip(ends[kinds == of_kind].tolist(), weights[kinds == of_kind].tolist(), strict=True)
        return [(i, j, w) for (i, j), w in rows]

    chains = slow.strongest_chains(n, listed(True))
    expected = {True: chains, False: slow.strongest_cannot_links(chains, listed(False))}
    wanted = {
        (i, j, kind): expected[kind][i, j]
        for j in range(n)
        for i in range(j)
        for kind in (True, False)
        if view[i] == view[j] and expected[kind][i, j] > slow.NO_CHAIN
    }
    keys = list(zip(*found_pairs.T.tolist(), together.tolist(), strict=True))
    assert len(keys) == len(set(keys))
    assert dict(zip(keys, found.tolist(), strict=True)) == wanted
