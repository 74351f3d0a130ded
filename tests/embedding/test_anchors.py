"""Rows are tied to their nearest anchors, whatever the units and the duplicates in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc.embedding import Anchors
from mvcc.embedding._anchors import N_TIES, anchors_for
from tests.reference.joint import distances
from tests.strategies import seeds


def test_the_number_of_anchors_grows_with_rows_and_clusters():
    assert anchors_for(100_000, 10) == 500
    assert anchors_for(100_000, 40) == 1_000
    assert anchors_for(4_000_000, 10) == 2_000
    assert anchors_for(1_000, 10) == 250
    assert anchors_for(2, 10) == 1


@given(seeds, st.integers(1, 60), st.sampled_from([1, 3, 8]), st.booleans())
def test_rows_are_tied_to_the_nearest_anchors_the_nearer_the_more(seed, n, d, duplicates):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X = X[rng.integers(n, size=n)] if duplicates else X
    anchors, _ = Anchors.among(X, int(rng.integers(1, 20)), rng)
    ties = anchors.ties(X).toarray()
    np.testing.assert_allclose(ties.sum(axis=1), 1, rtol=1e-5)
    squares = distances(anchors.moved(X).astype(float), anchors.places.astype(float)) ** 2
    for own, near in zip(ties, squares, strict=True):
        tied = np.flatnonzero(own)
        assert 1 <= len(tied) <= N_TIES
        assert near[tied].max() <= np.sort(near)[len(tied) - 1] + 1e-6
        order = np.argsort(near[tied])
        assert (np.diff(own[tied][order]) <= 1e-3).all()


def test_fewer_rows_are_tied_to_an_anchor_alone_because_it_was_made_of_them():
    X = np.random.default_rng(0).normal(size=(2_000, 40))
    anchors, ties = Anchors.among(X, 100, np.random.default_rng(1))
    alone, with_correction = (
        (own.max(axis=1).toarray() > 0.9).sum() for own in (anchors.ties(X), ties)
    )
    assert with_correction < alone / 2


def test_ties_reach_further_where_noise_makes_all_anchors_as_far():
    rng = np.random.default_rng(0)
    used = []
    for d in (2, 40):
        X = rng.normal(size=(2_000, d))
        _, ties = Anchors.among(X, 100, rng)
        used.append(1 / ties.power(2).sum(axis=1).mean())  # how many anchors, in effect
    assert used[0] < 1.4
    assert used[1] > 1.7


@pytest.mark.parametrize(("shift", "scale"), [(1e6, 1.0), (0.0, 1e140), (0.0, 1e-300)])
def test_ties_do_not_depend_on_place_and_unit(shift, scale):
    X = np.random.default_rng(0).integers(-9, 9, size=(80, 3)).astype(float)
    found = [
        Anchors.among(Z, 9, np.random.default_rng(1))[1].toarray() for Z in (X, X * scale + shift)
    ]
    np.testing.assert_allclose(*found, atol=1e-3)


def test_far_rows_have_ties_and_no_rows_have_none():
    X = np.random.default_rng(0).normal(size=(50, 2))
    anchors, _ = Anchors.among(X, 9, np.random.default_rng(1))
    far = anchors.ties(np.array([[1e300, 0.0], [-1e140, 5.0]])).toarray()
    assert np.isfinite(far).all()
    np.testing.assert_allclose(far.sum(axis=1), 1, rtol=1e-5)
    assert anchors.ties(np.empty((0, 2))).shape == (0, 9)
