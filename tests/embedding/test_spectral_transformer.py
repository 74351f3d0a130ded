"""SpectralFeatures give the rows of fit their features, and new rows a place among them."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from mvcc import SpectralFeatures, spectral_features
from mvcc.embedding import _spectral
from mvcc.exceptions import InvalidInputError
from tests.reference import embedding as slow
from tests.strategies import seeds


@pytest.fixture(scope="module")
def X():
    return make_blobs(60, 3, centers=3, random_state=0)[0]


@pytest.fixture(scope="module")
def new():
    return make_blobs(80, 3, centers=3, random_state=0)[0][60:]


@pytest.fixture(scope="module")
def fitted(X):
    return SpectralFeatures(3, sigma=0.3).fit(X)


# ---- the rows of fit


@pytest.mark.parametrize("n", [30, _spectral._DENSE_ROWS + 1])
def test_rows_of_fit_get_their_own_features(n):
    X = make_blobs(n, 4, centers=3, random_state=1)[0]
    transformer = SpectralFeatures(4, sigma=0.5)
    features = transformer.fit_transform(X)
    assert features.tobytes() == spectral_features(X, 4, sigma=0.5).tobytes()
    assert_allclose(transformer.transform(X), features, atol=1e-10)


def test_the_eigenvalues_are_the_largest_of_the_normalized_affinity_but_the_first(X, fitted):
    values = np.linalg.eigvalsh(
        np.eye(60) - slow.normalised_laplacian(slow.scale_to_unit_range(X), 0.3)
    )
    assert_allclose(fitted.eigenvalues_, values[::-1][1:4], rtol=1e-12)


# ---- new rows


@given(
    seeds,
    st.integers(8, 16),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from([0.2, 0.5, 1.0]),
)
def test_new_rows_are_placed_as_the_reference_places_them(seed, n, d, n_components, sigma):
    rng = np.random.default_rng(seed)
    X, new = (
        scale * rng.normal(size=(m, d)) * 10.0 ** np.arange(d) for scale, m in ((1, n), (2, 6))
    )
    values = np.linalg.eigvalsh(slow.normalised_laplacian(slow.scale_to_unit_range(X), sigma))
    assume(np.diff(values[: n_components + 2]).min() > 1e-4)
    assume(1 - values[n_components] > 1e-4)
    transformer = SpectralFeatures(n_components, sigma=sigma)
    features = transformer.fit_transform(X)
    sign = np.sign((features * slow.spectral_features(X, n_components, sigma)).sum(axis=0))
    expected = sign * slow.features_of_new_rows(X, new, n_components, sigma)
    assert_allclose(transformer.transform(new), expected, rtol=1e-6, atol=1e-6)


def test_a_row_gets_the_same_bits_alone_and_among_others_on_any_number_of_threads(
    fitted, new, monkeypatch
):
    together = fitted.transform(new)
    for threads in (1, 2):
        with threadpool_limits(threads):
            assert fitted.transform(new).tobytes() == together.tobytes()
    for size in (1, 3, 7):
        parts = [fitted.transform(new[start : start + size]) for start in range(0, len(new), size)]
        assert np.concatenate(parts).tobytes() == together.tobytes()
    monkeypatch.setattr(_spectral, "_BLOCK_ENTRIES", 5 * 60)
    assert fitted.transform(new).tobytes() == together.tobytes()


def test_the_affinities_of_many_new_rows_are_never_in_memory_at_once(monkeypatch):
    monkeypatch.setattr(_spectral, "_BLOCK_ENTRIES", 2**16)
    fitted = SpectralFeatures(2).fit(make_blobs(500, 2, random_state=0)[0])
    new = make_blobs(4000, 2, random_state=1)[0]
    tracemalloc.start()
    try:
        fitted.transform(new)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4000 * 500 * 8 / 4


def test_a_column_that_was_constant_in_fit_counts_for_nothing_in_new_rows(X, new, fitted):
    constant = SpectralFeatures(3, sigma=0.3).fit(np.column_stack((X, np.full(60, 7.0))))
    wider = np.column_stack((new, np.arange(20) * 1e6))
    assert_array_equal(constant.transform(wider), fitted.transform(new))


# ---- rows that are near no row of fit


# from 40 on all affinities are 0
@pytest.mark.parametrize("factor", [20, 1e3, 1e6], ids=["20", "1e3", "1e6"])
def test_a_row_near_no_row_of_fit_gets_the_features_of_the_nearest(factor):
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.8, 0.9], [0.5, 0.2]])
    transformer = SpectralFeatures(2, sigma=0.5)
    features = transformer.fit_transform(X)
    far = factor * np.array([[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    assert_array_equal(transformer.transform(far), features[[0, 3, 1]])


def test_a_far_row_leaves_the_rows_beside_it_as_they_are(fitted, new):
    with_far = np.vstack((new[:3], [[1e9, 0.0, 0.0]], new[3:]))
    assert_array_equal(np.delete(fitted.transform(with_far), 3, axis=0), fitted.transform(new))


def test_a_row_at_which_distances_leave_the_range_of_floats_is_named(monkeypatch):
    monkeypatch.setattr(_spectral, "_BLOCK_ENTRIES", 4)  # a row at a time
    fitted = SpectralFeatures(1).fit([[0.0, 0.0], [1.0, 1e-200], [0.2, 0.0], [0.9, 1e-200]])
    with pytest.raises(InvalidInputError, match="Row 2 of X is so far from the rows of fit"):
        fitted.transform([[0.0, 0.0], [1.0, 1e-200], [0.0, 1.0]])


# ---- eigenvalues near 0


def test_features_of_eigenvalues_near_0_place_no_new_rows():
    X = np.random.default_rng(0).normal(size=(100, 1))
    transformer = SpectralFeatures(12)
    features = transformer.fit_transform(X)
    assert features.tobytes() == spectral_features(X, 12).tobytes()
    usable = int((transformer.eigenvalues_ > 1e-12).sum())
    assert 2 < usable < 12
    with pytest.raises(InvalidInputError) as caught:
        transformer.transform(X)
    assert f"Spectral feature {usable + 1} of 12 has the eigenvalue" in str(caught.value)
    assert str(caught.value).endswith(f"a smaller sigma, or n_components of at most {usable}.")
    fewer = SpectralFeatures(usable)
    expected = fewer.fit_transform(X)
    assert_allclose(fewer.transform(X), expected, atol=0.02)


def test_where_no_feature_places_new_rows_only_another_width_is_offered():
    fitted = SpectralFeatures(1, sigma=1e7).fit(np.arange(6.0)[:, None])
    with pytest.raises(InvalidInputError, match=r"feature 1 of 1 .*fit with a smaller sigma\.$"):
        fitted.transform([[2.5]])


# ---- as an estimator


def test_the_parameters_after_fit_do_not_change_what_was_fitted(X, new, fitted):
    expected = fitted.transform(new)
    changed = clone(fitted).fit(X).set_params(sigma=9.0, n_components=1)
    assert_array_equal(changed.transform(new), expected)


def test_a_refused_fit_keeps_the_former_one(X, new):
    model = SpectralFeatures(3, sigma=0.3).fit(X)
    expected = model.transform(new)
    table = pd.DataFrame(X[:3], columns=["a", "b", "c"])
    for refused in (X[:3], X[:2, :2], table, np.ones((9, 2))):
        with pytest.raises(InvalidInputError):
            model.fit(refused)
        assert_array_equal(model.transform(new), expected)


def test_changing_what_was_returned_changes_nothing(X):
    transformer = SpectralFeatures(2)
    features = transformer.fit_transform(X)
    far = [[1e6, 1e6, 1e6]]
    expected = transformer.transform(far)
    features[:] = 0
    assert_array_equal(transformer.transform(far), expected)


# ---- what is refused


def test_new_rows_that_do_not_fit_are_refused(fitted):
    """What scikit-learn's checks try, too, and too large a number."""
    for new, message in (
        ([[0.0, np.nan, 1.0]], "contains NaN"),
        ([[1e200, 0.0, 0.0]], r"up to 1e\+200 are too large"),
    ):
        with pytest.raises(InvalidInputError, match=f"X: .*{message}"):
            fitted.transform(new)
