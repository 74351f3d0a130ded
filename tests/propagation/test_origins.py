"""A propagated constraint is traced to the one whose weight times both reaches it has (Eq. 10)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc import Constraints, propagate_constraints
from mvcc.propagation import _e_step as module
from mvcc.propagation._e_step import origins
from tests.reference.propagation import _model, endpoint_weight
from tests.strategies import random_constraints, seeds

REGULARIZATION = 1e-3


def scene(seed, threshold, metric):
    rng = np.random.default_rng(seed)
    n, d, k, m = rng.integers(4, 20), rng.integers(1, 4), rng.integers(1, 4), rng.integers(1, 12)
    X = rng.normal(size=(n, d)) * rng.uniform(0.2, 3, size=d)
    X[rng.integers(n, size=2)] = X[rng.integers(n, size=2)]  # rows that are equal
    labels = rng.integers(k, size=n)
    constraints = random_constraints(rng, n, m, [0.02, 0.5, 0.9, 1.0, 1.7, 50.0])
    metrics = None
    if metric == "diagonal":
        metrics = rng.uniform(0.3, 3, size=(k, d))
    elif metric == "full":
        roots = rng.normal(size=(k, d, d))
        metrics = roots @ roots.transpose(0, 2, 1) + 0.5 * np.eye(d)
    candidates = np.flatnonzero(rng.random(n) < rng.choice([0.4, 1.0]))
    options = {"candidates": candidates, "metrics": metrics, "regularization": REGULARIZATION}
    found = propagate_constraints(X, labels, constraints, threshold, **options)
    return X, labels, constraints, found, metrics


def products(X, labels, constraints, i, j, must_link, metrics):
    """Compute what each constraint gives to rows i and j; −1 where it is of the other kind."""
    sigma, confidence = _model(X, labels, metrics, REGULARIZATION)

    def reach(row, end):
        return endpoint_weight(X[row], X[end], sigma[labels[end]], float(confidence[end]))

    given = zip(constraints.pairs.tolist(), constraints.must_link, constraints.weights, strict=True)
    return np.array(
        [
            (
                w * max(reach(i, u) * reach(j, v), reach(j, u) * reach(i, v))
                if kind == must_link
                else -1.0
            )
            for (u, v), kind, w in given
        ]
    )


@given(
    seeds, st.sampled_from([1e-6, 0.05, 0.5, 0.9, 1.0]), st.sampled_from([None, "diagonal", "full"])
)
def test_the_origin_has_the_largest_product_of_all_constraints(seed, threshold, metric):
    X, labels, constraints, found, metrics = scene(seed, threshold, metric)
    traced, ends = origins(
        X, labels, constraints, found, metrics=metrics, regularization=REGULARIZATION
    )
    assert traced.shape == (len(found),)
    assert [sorted(pair) for pair in ends.tolist()] == constraints.pairs[traced].tolist()
    for place, ((i, j), must_link, weight) in enumerate(
        zip(found.pairs.tolist(), found.must_link, found.weights, strict=True)
    ):
        every = products(X, labels, constraints, i, j, must_link, metrics)
        assert every[traced[place]] == pytest.approx(weight, rel=1e-9)
        assert every[traced[place]] == pytest.approx(every.max(), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_in_small_blocks_the_origins_are_the_same(seed, monkeypatch):
    X, labels, constraints, found, metrics = scene(seed, 1e-6, "diagonal")
    options = {"metrics": metrics, "regularization": REGULARIZATION}
    whole = origins(X, labels, constraints, found, **options)
    monkeypatch.setattr(module, "_AT_ONCE", 7)
    for one, in_blocks in zip(
        whole, origins(X, labels, constraints, found, **options), strict=True
    ):
        np.testing.assert_array_equal(one, in_blocks)


def test_of_equal_products_the_first_constraint_is_the_origin():
    X = np.array([[0.0], [0.0], [5.0], [5.0]])
    constraints = Constraints.from_pairs([], [(0, 2), (1, 3)])
    found = propagate_constraints(X, [0, 0, 1, 1], constraints, 0.5)
    assert len(found) == 4
    assert set(origins(X, np.array([0, 0, 1, 1]), constraints, found)[0]) == {0}


def test_without_propagated_constraints_there_are_no_origins():
    nothing = Constraints([], [])
    positions, rows = origins(np.zeros((2, 1)), np.zeros(2, dtype=int), nothing, nothing)
    assert (positions.shape, rows.shape) == ((0,), (0, 2))
