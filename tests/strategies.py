"""Hypothesis strategies for labels, constraints (as unsorted arguments) and relations of views."""

import numpy as np
import pytest
from hypothesis import strategies as st

from mvcc import Constraints
from tests.reference.constraint_sets import to_arrays

# few values, so that weights tie, and 0 as often, or any value
weights = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]) | st.floats(0.0, 4.0)
seeds = st.integers(0, 2**32 - 1)


def labellings(min_size=0, max_size=9):
    return st.lists(st.integers(0, 2), min_size=min_size, max_size=max_size)


@st.composite
def constraint_lists(draw, labels=None, n_rows=7, max_size=12):
    """Pairs, kinds and weights; without labels the kinds may contradict."""
    n = n_rows if labels is None else len(labels)
    if n < 2:
        return [], [], []
    one = st.tuples(st.integers(0, n - 1), st.integers(1, n - 1), st.booleans(), weights)
    drawn = draw(st.lists(one, max_size=max_size))
    pairs = [(i, (i + step) % n) for i, step, _, _ in drawn]
    kinds = [
        kind if labels is None else labels[i] == labels[j]
        for (i, j), (_, _, kind, _) in zip(pairs, drawn, strict=True)
    ]
    return pairs, kinds, [w for *_, w in drawn]


@st.composite
def consistent_constraints(draw):
    return draw(constraint_lists(draw(labellings(2))))


@st.composite
def related_views(draw, n_views=None, consistent=True):
    """Draw constraints per view and many-to-many relations, which fit labels if ``consistent``.

    Relations of two views stand under a key in either orientation, or under both.
    """
    if n_views is None:
        n_views = draw(st.integers(1, 3))
    labels = [draw(labellings(1, 6)) for _ in range(n_views)]
    constraints = [
        draw(constraint_lists(y if consistent else None, len(y), max_size=7)) for y in labels
    ]
    relations = {}
    for u in range(n_views):
        for v in range(n_views):
            allowed = [
                (i, j)
                for i, a in enumerate(labels[u])
                for j, b in enumerate(labels[v])
                if a == b or not consistent
            ]
            if u != v and allowed and draw(st.booleans()):
                relations[u, v] = draw(st.lists(st.sampled_from(allowed), max_size=6))
    return constraints, relations


def relation_lists(n_target=5, max_size=14):
    """Distinct many-to-many related rows (one of six, row of target), in any order."""
    related = st.tuples(st.integers(0, 5), st.integers(0, n_target - 1))
    return st.lists(related, unique=True, max_size=max_size).map(
        lambda rows: np.array(rows, dtype=np.int64).reshape(-1, 2)
    )


def random_constraints(rng, n, m, weights, must_links=0.5):
    """Draw up to m constraints between n rows, which may repeat or contradict."""
    pairs = rng.integers(n, size=(m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return Constraints(pairs, rng.random(len(pairs)) < must_links, rng.choice(weights, len(pairs)))


def random_metrics(rng, k, d, kind):
    """Draw k metrics of d features, diagonal (k, d) or full (k, d, d), or None for no kind."""
    if kind is None:
        return None
    if kind == "diagonal":
        return rng.uniform(0.2, 5, size=(k, d))
    roots = rng.normal(size=(k, d, d))
    return roots @ roots.transpose(0, 2, 1) + 0.3 * np.eye(d)


of_every_metric = pytest.mark.parametrize("kind", [None, "diagonal", "full"])  # of random_metrics


def as_list(constraints):
    """List the pairs of constraints that may be kept as neighborhoods."""
    return Constraints(constraints.pairs, constraints.must_link, constraints.weights)


def as_dict(constraints):
    """Write constraints without repeated rows as {(i, j, is_must_link): weight}."""
    listed = {(i, j, must): weight for i, j, must, weight in constraints.rows()}
    assert len(listed) == len(constraints), "a pair is repeated"
    return listed


def assert_holds(constraints, expected):
    assert as_dict(constraints).keys() == expected.keys()
    wanted = Constraints(*to_arrays(expected))
    np.testing.assert_array_equal(constraints.pairs, wanted.pairs)
    np.testing.assert_array_equal(constraints.must_link, wanted.must_link)
    np.testing.assert_allclose(constraints.weights, wanted.weights, rtol=0, atol=1e-12)
