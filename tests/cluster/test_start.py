"""Clusters start from must-link neighborhoods.

PCK from the largest, MPCK from those that are large and far apart.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mvcc import Constraints, MPCKMeans, PCKMeans
from mvcc.exceptions import InvalidInputError
from tests.strategies import random_constraints

both = pytest.mark.parametrize("estimator", [PCKMeans, MPCKMeans])


def start(estimator, X, constraints):
    """Return the labels (−1: none) and centers that the first sweep finds."""
    return estimator._start(
        np.ascontiguousarray(X, dtype=float), constraints.spanning(), estimator.n_clusters
    )


def chains(*groups):
    """Must-links along each group of rows."""
    return Constraints.from_pairs(must_link=[pair for group in groups for pair in pairwise(group)])


def slow_neighborhoods(n, c):
    """List the rows of every must-link component of two rows or more, by first row."""
    i, j = c.pairs[c.must_link & (c.weights > 0)].T
    _, component = connected_components(
        coo_array((np.ones(len(i)), (i, j)), shape=(n, n)), directed=False
    )
    members = [np.flatnonzero(component == name) for name in dict.fromkeys(component.tolist())]
    return [rows for rows in members if len(rows) > 1]


def slow_largest(_, neighborhoods, k):
    return sorted(range(len(neighborhoods)), key=lambda q: (-len(neighborhoods[q]), q))[:k]


def slow_farthest_first(X, neighborhoods, k):
    """Weighted farthest-first traversal, from the definition."""

    def distance(q, s):
        gap = X[neighborhoods[q]].mean(axis=0) - X[neighborhoods[s]].mean(axis=0)
        return np.linalg.norm(gap) * np.sqrt(len(neighborhoods[q]) * len(neighborhoods[s]))

    chosen = [max(range(len(neighborhoods)), key=lambda q: (len(neighborhoods[q]), -q))]
    while len(chosen) < min(k, len(neighborhoods)):
        left = [q for q in range(len(neighborhoods)) if q not in chosen]
        chosen.append(max(left, key=lambda q: (min(distance(q, s) for s in chosen), -q)))
    return chosen


@pytest.mark.parametrize(
    ("estimator", "slow_choice"),
    [(PCKMeans, slow_largest), (MPCKMeans, slow_farthest_first)],
    ids=["pck", "mpck"],
)
def test_the_chosen_neighborhoods_are_those_of_the_slow_version(estimator, slow_choice):
    n_full = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n, d, k = rng.integers(10, 40), rng.integers(1, 4), rng.integers(1, 5)
        X = rng.normal(size=(n, d)) * 5
        c = random_constraints(rng, n, rng.integers(0, n), [0, 0.1, 1, 7], 0.7)
        neighborhoods = slow_neighborhoods(n, c)
        chosen = slow_choice(X, neighborhoods, k) if neighborhoods else []
        labels, centers = start(estimator(k, random_state=0), X, c)
        expected = np.full(n, -1)
        for h, q in enumerate(chosen):
            expected[neighborhoods[q]] = h
            assert_allclose(centers[h], X[neighborhoods[q]].mean(axis=0), rtol=1e-9, atol=1e-12)
        assert_array_equal(labels, expected, f"seed {seed}")
        assert centers.shape == (k, d)
        n_full += len(chosen) == k
    assert 50 < n_full < 200  # enough, and too few, neighborhoods both occur


def test_pck_takes_the_largest_first_and_the_lowest_of_equal_ones():
    X = np.arange(12.0).reshape(-1, 1)
    c = chains([9, 10, 11], [3, 5], [0, 7], [1, 2, 4])
    labels, centers = start(PCKMeans(3), X, c)
    assert_array_equal(labels, [2, 0, 0, -1, 0, -1, -1, 2, -1, 1, 1, 1])
    assert_allclose(centers.ravel(), [7 / 3, 10, 3.5])


def test_mpck_weighs_the_distance_by_the_root_of_both_sizes():
    # from the largest at 0: a pair at distance 10 (10·√8 = 28.3) against four rows at distance −8
    # (8·√16 = 32)
    X = np.array([0.0, 0, 0, 0, 10, 10, -8, -8, -8, -8])[:, np.newaxis]
    c = chains([0, 1, 2, 3], [4, 5], [6, 7, 8, 9])
    labels, centers = start(MPCKMeans(2), X, c)
    assert_array_equal(labels, [0, 0, 0, 0, -1, -1, 1, 1, 1, 1])
    assert_array_equal(centers, [[0], [-8]])


@both
def test_neighborhoods_at_the_same_place_are_still_different_ones(estimator):
    X = np.zeros((6, 2))
    labels, centers = start(estimator(3), X, chains([0, 1], [2, 3], [4, 5]))
    assert_array_equal(labels, [0, 0, 1, 1, 2, 2])
    assert_array_equal(centers, np.zeros((3, 2)))


@both
def test_missing_centers_are_distinct_rows_outside_the_neighborhoods_drawn_by_random_state(
    estimator,
):
    X = np.arange(10.0)[:, np.newaxis] ** 2
    c = chains([0, 1], [4, 5, 6])
    drawn = set()
    for seed in range(60):
        labels, centers = start(estimator(4, random_state=seed), X, c)
        assert_array_equal(labels, [1, 1, -1, -1, 0, 0, 0, -1, -1, -1])
        assert_allclose(centers[:2].ravel(), [77 / 3, 0.5])
        rows = np.sqrt(centers[2:].ravel())
        assert len(set(rows)) == 2
        assert set(rows) <= {2, 3, 7, 8, 9}
        assert_array_equal(start(estimator(4, random_state=seed), X, c)[1], centers)
        drawn.add(tuple(rows))
    assert {row for rows in drawn for row in rows} == {2, 3, 7, 8, 9}


@both
def test_without_neighborhoods_all_centers_are_distinct_random_rows(estimator):
    X = np.arange(5.0)[:, np.newaxis]
    seen = set()
    for seed in range(40):
        labels, centers = start(estimator(3, random_state=seed), X, Constraints([(0, 1)], [False]))
        assert_array_equal(labels, np.full(5, -1))
        assert len(np.unique(centers)) == 3
        assert set(centers.ravel()) <= set(range(5))
        seen |= set(centers.ravel())
    assert seen == set(range(5))


@both
def test_where_too_few_rows_are_free_any_row_may_be_a_center(estimator):
    X = np.array([0.0, 1, 2, 3, 100])[:, np.newaxis]
    labels, centers = start(estimator(4, random_state=0), X, chains([0, 1, 2, 3]))
    assert_array_equal(labels, [0, 0, 0, 0, -1])
    assert centers[0] == 1.5
    assert len(set(centers[1:].ravel())) == 3
    assert set(centers[1:].ravel()) <= {0, 1, 2, 3, 100}


@both
@pytest.mark.parametrize(
    "make", [lambda: 7, lambda: np.random.default_rng(7), lambda: np.random.RandomState(7)]
)
def test_the_same_random_state_draws_the_same_centers(estimator, make):
    X = np.random.default_rng(0).normal(size=(30, 2))
    first, second = (
        start(estimator(5, random_state=make()), X, Constraints([], []))[1] for _ in range(2)
    )
    assert_array_equal(first, second)
    other = start(estimator(5, random_state=8), X, Constraints([], []))[1]
    assert not np.array_equal(first, other)


@both
def test_given_centers_leave_all_rows_unassigned(estimator):
    X = np.arange(6.0)[:, np.newaxis]
    centers = np.array([[1.0], [4.0]])
    model = estimator(2, init=centers)
    labels, found = start(model, X, chains([0, 1, 2]))
    assert_array_equal(labels, np.full(6, -1))
    assert_array_equal(found, centers)
    model.fit(X, constraints=chains([0, 1, 2]))
    assert_array_equal(centers, [[1.0], [4.0]])
    assert model.init is centers


@both
def test_constraints_act_from_the_first_sweep_on_neighbors_that_have_a_label(estimator):
    X = np.array([[0.0], [0.1], [3.0], [3.1], [1.0], [2.9]])
    c = Constraints([(0, 1), (2, 3), (0, 5)], [True, True, True], [1, 1, 100])
    seeded = estimator(2, max_iter=1).fit(X, constraints=c)
    assert seeded.labels_[5] == seeded.labels_[0]


@both
@pytest.mark.parametrize(("rows", "expected"), [([0.0, 2.9], [0, 0]), ([2.9, 0.0], [1, 1])])
def test_a_partner_that_is_not_assigned_yet_is_ignored_and_one_that_is_counts(
    estimator, rows, expected
):
    c = Constraints([(0, 1)], [True], [100])
    model = estimator(2, init=[[0.0], [3.0]], max_iter=1).fit(
        np.array(rows)[:, np.newaxis], constraints=c
    )
    assert_array_equal(model.labels_, expected)


@both
@pytest.mark.parametrize(
    "init",
    [
        np.zeros((2, 2)),
        np.zeros((3, 1)),
        np.zeros(3),
        [[0.0, np.nan], [1, 1], [2, 2]],
        [[0.0, np.inf], [1, 1], [2, 2]],
        [[0.0], [1.0, 2.0], [3.0]],
        [["a", "b"]] * 3,
        5,
        None,
        {"centers": 3},
    ],
    ids=["k", "d", "one-dimensional", "nan", "inf", "ragged", "words", "number", "none", "dict"],
)
def test_centers_that_cannot_be_used_are_refused_and_the_right_shape_is_named(estimator, init):
    with pytest.raises(InvalidInputError, match=r"\(3, 2\)"):
        estimator(3, init=init).fit(np.random.default_rng(0).normal(size=(10, 2)))


@both
def test_an_unknown_start_is_refused_and_the_known_ones_are_named(estimator):
    with pytest.raises(
        InvalidInputError,
        match=r"'auto', 'neighborhoods' or an array of centers, got 'k-means\+\+'",
    ):
        estimator(3, init="k-means++").fit(np.zeros((10, 2)))
