"""A search for very many rows finds nearly what a search among all rows does, whatever rows are searched together."""

from __future__ import annotations

import numpy as np
import pytest

from mvcc.embedding import IndexedSearch, NeighborSearch
from mvcc.multiview import NearestRows


def rows(n, d=9, seed=5):
    rng = np.random.default_rng(seed)
    return np.random.default_rng(0).normal(size=(6, d))[rng.integers(6, size=n)] + 0.3 * rng.normal(size=(n, d))


def test_nearly_all_neighbors_are_found_at_the_exact_distances():
    search, new = NeighborSearch.among(rows(3000)), rows(500, seed=6)
    indexed = IndexedSearch.instead_of(search)
    assert isinstance(indexed, IndexedSearch)
    distances, found = indexed.nearest_to(new, 8)
    exact, expected = search.nearest_to(new, 8)
    shared = np.mean([len(set(one) & set(other)) for one, other in zip(found, expected, strict=True)]) / 8
    assert 0.8 < shared < 1
    assert indexed.recall == pytest.approx(shared, abs=0.03)
    assert (distances >= exact - 1e-12).all()
    assert (np.diff(distances) >= 0).all()


def test_what_is_found_does_not_depend_on_the_other_rows():
    search, new = IndexedSearch.instead_of(NeighborSearch.among(rows(3000))), rows(1100, seed=6)
    together = search.nearest_to(new, 8)[1]
    apart = np.vstack([search.nearest_to(part, 8)[1] for part in np.split(new, [1, 50])])
    assert np.array_equal(together, apart)


@pytest.mark.parametrize(("n", "d"), [(1000, 9), (3000, 3)])
def test_few_rows_and_few_columns_are_searched_exactly(n, d):
    search = NeighborSearch.among(rows(n, d))
    assert IndexedSearch.instead_of(search) is search


def test_a_row_that_was_fitted_keeps_its_cluster_and_the_predictor_stays_as_it_is():
    X, labels = rows(3000), np.random.default_rng(1).integers(4, size=3000)
    exact = NearestRows().fit(X, labels)
    quick = exact.for_many_rows()
    assert np.array_equal(quick.predict(X), labels)
    assert not isinstance(exact.search_, IndexedSearch)
    new = rows(300, seed=7)
    assert np.mean(quick.predict(new) == exact.predict(new)) > 0.9
