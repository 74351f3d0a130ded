"""Nearest neighbors are exact, whatever the units, the place of the data and the duplicates in them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc.embedding import NeighborSearch, nearness
from mvcc.embedding._neighbor_index import NeighborIndex
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
    np.testing.assert_allclose(found * search.unit, np.sort(distances(new, X), axis=1)[:, :q], atol=1e-12)


@pytest.mark.parametrize("d", [2, 8])
@pytest.mark.parametrize(("shift", "scale"), [(1e9, 1.0), (0.0, 1e140), (0.0, 1e-300)])
def test_neighbors_do_not_depend_on_place_and_unit(d, shift, scale):
    X = np.random.default_rng(0).integers(-9, 9, size=(40, d)) + np.arange(40)[:, None] / 64
    _, rows = NeighborSearch.among(X).nearest_others(3)
    _, moved = NeighborSearch.among(X * scale + shift).nearest_others(3)
    assert np.array_equal(rows, moved)


def many(n=3000):
    rng = np.random.default_rng(5)
    return rng.normal(size=(6, 9))[rng.integers(6, size=n)] + 0.3 * rng.normal(size=(n, 9))


def test_of_many_rows_nearly_all_neighbors_are_found(monkeypatch):
    X = many()
    exact = NeighborSearch.among(X)
    _, expected = exact.nearest_others(8)
    monkeypatch.setattr("mvcc.embedding._neighbors._MOST_EXACT", 2999)
    monkeypatch.setattr("mvcc.embedding._neighbors._FEW", 10)
    search = NeighborSearch.among(X)
    found, rows = search.nearest_others(8)
    shared = np.mean([len(set(one) & set(other)) for one, other in zip(rows, expected, strict=True)]) / 8
    assert abs(shared - search.recall) < 0.02
    assert exact.recall == 1 > search.recall >= 0.95
    assert (rows != np.arange(len(X))[:, None]).all()
    assert (np.diff(found) >= 0).all()
    np.testing.assert_allclose(found[:, 0], np.linalg.norm(search.rows - search.rows[rows[:, 0]], axis=1))
    new = search.nearest_to(X + 1e-9, 1)[1][:, 0]
    assert np.mean(new == np.arange(len(X))) > 0.99
    again = pickle.loads(pickle.dumps(search))
    assert "_index" not in vars(again)
    assert np.array_equal(again.nearest_others(8)[1], rows), "another index finds the same"


def test_the_index_is_the_same_on_any_number_of_threads(monkeypatch):
    X, found = many(), []
    for n_threads in (1, 2, 3):
        monkeypatch.setattr("mvcc.embedding._neighbor_index._n_processors", lambda n=n_threads: n)
        found.append(NeighborIndex(X).nearest(X, 9))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_rows_of_lists_that_are_nearly_empty_have_all_their_neighbors():
    X = np.vstack((many(), 100 + np.arange(18.0).reshape(2, 9)))
    found = NeighborIndex(X).nearest(X, 9)
    assert (found >= 0).all()
    assert {3000, 3001} <= set(found[3000])


def test_nearness_sums_to_one_and_falls_with_the_distance():
    weights = nearness(np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    np.testing.assert_allclose(weights[0] / weights[0, 0], np.exp([0, -0.5, -2]))
    np.testing.assert_allclose(weights[1], 1 / 3)
