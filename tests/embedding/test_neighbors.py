"""Nearest neighbors are exact, whatever the units, the place and the duplicates of the data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc.embedding import NeighborSearch, nearness
from tests.reference.joint import distances
from tests.strategies import seeds


@given(seeds, st.integers(2, 30), st.sampled_from([1, 3, 8]), st.booleans())
def test_distances_are_those_of_all_pairs(seed, n, d, duplicates):
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(n, d)), rng.normal(size=(4, d))
    X = X[rng.integers(n, size=n)] if duplicates else X
    search = NeighborSearch.among(X)
    q = int(rng.integers(1, n))
    every = distances(X, X)
    np.fill_diagonal(every, np.inf)
    found, rows = search.nearest_others(q)
    np.testing.assert_allclose(found * search.unit, np.sort(every, axis=1)[:, :q], atol=1e-12)
    assert (rows != np.arange(n)[:, None]).all()
    np.testing.assert_allclose(np.take_along_axis(every, rows, 1), found * search.unit, atol=1e-12)
    found, _ = search.nearest_to(new, q)
    np.testing.assert_allclose(
        found * search.unit, np.sort(distances(new, X), axis=1)[:, :q], atol=1e-12
    )


@pytest.mark.parametrize("d", [2, 8])
@pytest.mark.parametrize(("shift", "scale"), [(1e9, 1.0), (0.0, 1e140), (0.0, 1e-300)])
def test_neighbors_do_not_depend_on_place_and_unit(d, shift, scale):
    X = np.random.default_rng(0).integers(-9, 9, size=(40, d)) + np.arange(40)[:, None] / 64
    _, rows = NeighborSearch.among(X).nearest_others(3)
    _, moved = NeighborSearch.among(X * scale + shift).nearest_others(3)
    assert np.array_equal(rows, moved)


@pytest.mark.parametrize("far", [1e7, 1e8, 1e9, 1e12])
@pytest.mark.parametrize("d", [2, 8, 40])
def test_an_equal_row_comes_first_where_one_column_is_far_larger_than_others(d, far):
    X = np.random.default_rng(0).normal(size=(300, d))
    X[:140, 0], X[:, 1:] = far, X[:, 1:] * (X[:, 1:] > 0)  # with negative zeros
    search = NeighborSearch.among(X)
    found, rows = search.nearest_to(np.abs(X), 5)
    places = np.flatnonzero(X[:, 0] > 0)
    assert (found[places, 0] == 0).all()
    assert np.array_equal(search.rows[rows[places, 0]], search.rows[places])
    assert (np.diff(found, axis=1) >= 0).all()


def test_nearness_sums_to_one_and_falls_with_the_distance():
    weights = nearness(np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    np.testing.assert_allclose(weights[0] / weights[0, 0], np.exp([0, -0.5, -2]))
    np.testing.assert_allclose(weights[1], 1 / 3)
