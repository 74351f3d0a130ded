"""The E-step at its edges: weights that just reach the threshold, candidates in any order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mvcc import Constraints, propagate_constraints
from mvcc.propagation._kernels.e_step import endpoint_reach
from tests.strategies import seeds


@given(seeds, st.integers(1, 3))
def test_a_pair_whose_weight_is_just_the_threshold_is_kept(seed, d):
    rng = np.random.default_rng(seed)
    corners = np.concatenate((np.eye(d), -np.eye(d)))
    X = np.concatenate((corners, rng.normal(scale=0.3, size=(8, d)), corners * 9))
    labels = np.repeat([0, 1, 0], [len(corners), 8, len(corners)])
    constraints = Constraints([[0, len(X) - 1]], [rng.random() < 0.5])
    every = propagate_constraints(X, labels, constraints, 1e-3)
    assert len(every) > 3
    for weight in np.unique(every.weights):
        kept = propagate_constraints(X, labels, constraints, weight)
        assert kept == every.select(every.weights >= weight)


def test_candidates_may_come_in_any_order_and_more_than_once():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(30, 2)), rng.integers(2, size=30)
    constraints = Constraints.from_labels(labels, 8, 0)
    expected = propagate_constraints(X, labels, constraints, 0.2, candidates=np.arange(20))
    assert len(expected) > 8
    for dtype in (np.int16, np.uint64):
        rows = np.concatenate((np.arange(20)[::-1], [3, 3, 19])).astype(dtype)
        assert propagate_constraints(X, labels, constraints, 0.2, candidates=rows) == expected


def test_without_metrics_only_the_clusters_in_use_are_needed_and_one_may_be_empty():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(30, 2)), rng.integers(2, size=30)
    constraints = Constraints.from_labels(labels, 8, 0)
    expected = propagate_constraints(X, labels, constraints, 0.2)
    assert propagate_constraints(X, labels * 4, constraints, 0.2) == expected


def test_where_the_reach_has_underflowed_a_row_that_shares_some_features_is_not_taken_for_a_copy():
    X = np.array([[1.0, 2.0], [1.0, 2.5], [1.0, 2.0], [1.5, 2.0]])
    everyone, whiteners = np.arange(4), np.eye(2)[np.newaxis]
    ends = np.array([0]), np.zeros(4, int), whiteners, np.zeros(1), np.ones(1)
    start, reached, value = endpoint_reach(X, everyone, *ends, np.array([0, 4]), everyone)
    assert (start.tolist(), reached.tolist(), value.tolist()) == ([0, 2], [0, 2], [1.0, 1.0])
