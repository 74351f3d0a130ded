"""Clusters start from the neighborhoods of each method, or from given centers, which stay."""

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


@both
def test_neighborhoods_at_the_same_place_are_still_different_ones(estimator):
    X = np.zeros((6, 2))
    labels, centers = start(estimator(3), X, chains([0, 1], [2, 3], [4, 5]))
    assert_array_equal(labels, [0, 0, 1, 1, 2, 2])
    assert_array_equal(centers, np.zeros((3, 2)))


@pytest.mark.parametrize("groups", [([0, 1], [4, 5, 6]), ()], ids=["some", "none"])
def test_missing_centers_are_distinct_rows_outside_the_neighborhoods_drawn_by_random_state(groups):
    X = np.arange(10.0)[:, np.newaxis] ** 2
    free = set(range(10)).difference(*groups)
    drawn = set()
    for seed in range(60):
        model = PCKMeans(len(groups) + 2, random_state=seed)
        labels, centers = start(model, X, chains(*groups))
        assert set(np.flatnonzero(labels < 0)) == free
        rows = np.sqrt(centers[len(groups) :].ravel())
        assert len(set(rows)) == 2
        assert set(rows) <= free
        drawn |= set(rows)
    assert drawn == free


@both
def test_where_too_few_rows_are_free_any_row_may_be_a_center(estimator):
    X = np.array([0.0, 1, 2, 3, 100])[:, np.newaxis]
    for seed in range(20):
        labels, centers = start(estimator(4, random_state=seed), X, chains([0, 1, 2, 3]))
        assert_array_equal(labels, [0, 0, 0, 0, -1])
        assert centers[0] == 1.5
        assert len(set(centers[1:].ravel())) == 3
        assert set(centers[1:].ravel()) <= {0, 1, 2, 3, 100}
        # just enough
        _, centers = start(estimator(3, random_state=seed), X[[0, 1, 3, 4]], chains([0, 1]))
        assert sorted(centers.ravel().tolist()) == [0.5, 3, 100]


FORMS = {"list": np.ndarray.tolist, "int8": np.int8, "float32": np.float32, "F": np.asfortranarray}


@both
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_given_centers_are_taken_as_numbers_whatever_holds_them_and_stay(estimator, form):
    X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([[0, 0], [3, 3]], 20, axis=0)
    centers = np.array([[0.0, 1.0], [3.0, 2.0]])
    given = form(centers)
    before = np.array(given)
    expected, found = (estimator(2, init=init).fit(X) for init in (centers, given))
    assert_array_equal(found.cluster_centers_, expected.cluster_centers_)
    assert_array_equal(found.labels_, expected.labels_)
    assert found.cluster_centers_.dtype == np.float64
    assert_array_equal(given, before)
    assert_array_equal(centers, [[0, 1], [3, 2]])
    assert found.init is given


CENTERS_OF_NO_USE = {
    "k": np.zeros((2, 2)),
    "d": np.zeros((3, 1)),
    "one-dimensional": np.zeros(3),
    "nan": [[0.0, np.nan], [1, 1], [2, 2]],
    "inf": [[0.0, np.inf], [1, 1], [2, 2]],
    "ragged": [[0.0], [1.0, 2.0], [3.0]],
    "words": [["a", "b"]] * 3,
    "number": 5,
    "none": None,
}


@pytest.mark.parametrize("init", CENTERS_OF_NO_USE.values(), ids=CENTERS_OF_NO_USE)
def test_centers_that_cannot_be_used_are_refused_and_the_right_shape_is_named(init):
    with pytest.raises(InvalidInputError, match=r"\(3, 2\)"):
        PCKMeans(3, init=init).fit(np.random.default_rng(0).normal(size=(10, 2)))


def test_an_unknown_start_is_refused_and_the_known_ones_are_named():
    message = r"'auto', 'neighborhoods' or an array of centers, got 'k-means\+\+'"
    with pytest.raises(InvalidInputError, match=message):
        PCKMeans(3, init="k-means++").fit(np.zeros((10, 2)))
