"""Super-instances join equal classes, as many as possible, and every choice is equally likely."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mvcc.datasets._dataset import pair_at_random

labels = st.lists(st.integers(0, 3), max_size=30).map(lambda y: np.array([0, *y], dtype=np.int64))


@given(views=st.lists(labels, min_size=2, max_size=4), seed=st.integers(0, 1000))
def test_relations_are_one_to_one_within_classes_and_use_up_the_smallest_class(views, seed):
    relations = pair_at_random(views, np.random.default_rng(seed))
    assert list(relations) == [(u, v) for u in range(len(views)) for v in range(u + 1, len(views))]
    for (u, v), pairs in relations.items():
        assert pairs.dtype == np.int64
        assert (views[u][pairs[:, 0]] == views[v][pairs[:, 1]]).all()
        assert all(len(np.unique(column)) == len(column) for column in pairs.T)
        assert len(pairs) == sum(min((y == c).sum() for y in views) for c in range(4))
        assert (np.diff(pairs[:, 0]) > 0).all()


@given(views=st.lists(labels, min_size=3, max_size=3), seed=st.integers(0, 1000))
def test_what_is_related_through_a_third_view_is_related(views, seed):
    first, second, between = (
        dict(pair_at_random(views, np.random.default_rng(seed))[key].tolist())
        for key in ((0, 1), (0, 2), (1, 2))
    )
    assert first.keys() == second.keys()
    assert {first[row]: second[row] for row in first} == between


def test_partners_and_isolated_instances_are_drawn_evenly():
    rng = np.random.default_rng(0)
    counts = np.zeros((2, 3))
    for _ in range(3000):
        pairs = pair_at_random([np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64)], rng)[
            0, 1
        ]
        counts[pairs[:, 0], pairs[:, 1]] += 1
    np.testing.assert_allclose(counts, 1000, atol=130)  # five standard deviations
