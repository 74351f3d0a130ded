"""Spectral features span the low eigenvectors of the Laplacian; new rows join those of fit."""

import tracemalloc
from functools import partial

import numpy as np
import pytest
import scipy.sparse.linalg
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from mvcc import SpectralFeatures, embedding, spectral_features
from mvcc.embedding import _spectral
from mvcc.exceptions import InvalidInputError
from tests.reference import embedding as slow
from tests.strategies import seeds

ABOVE_DENSE = _spectral._DENSE_ROWS + 1


def blobs(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 4 * rng.normal(size=(3, d))[rng.integers(3, size=n)]


def projector(columns):
    basis = np.linalg.qr(columns)[0]
    return basis @ basis.T


def smallest_gap(X, n_components, sigma=1.0):
    """Smallest gap of the eigenvalues kept and the next; a small one turns eigenvectors round."""
    values = np.linalg.eigvalsh(slow.normalised_laplacian(slow.scale_to_unit_range(X), sigma))
    return np.diff(values[: n_components + 2]).min()


def up_to_sign(features, other):
    return features * np.sign((features * other).sum(axis=0))


# the space


@given(
    seeds,
    st.integers(8, 16),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from([0.2, 0.5, 1.0, 3.0]),
)
def test_features_are_those_of_the_reference_if_eigenvalues_differ(seed, n, d, n_components, sigma):
    X = np.random.default_rng(seed).normal(size=(n, d)) * 10.0 ** np.arange(d)
    assume(smallest_gap(X, n_components, sigma) > 1e-4)
    features = spectral_features(X, n_components, sigma=sigma)
    expected = slow.spectral_features(X, n_components, sigma)
    assert features.shape == (n, n_components)
    assert_allclose(up_to_sign(features, expected), expected, atol=1e-8)


@pytest.mark.parametrize("n_components", [2, 4, 6])
def test_features_span_the_same_space_as_the_reference_where_eigenvalues_are_double(n_components):
    angle = np.arange(12) * np.pi / 6
    X = np.column_stack((np.cos(angle), np.sin(angle)))
    assert smallest_gap(X, 3, 0.5) < 1e-12
    features = spectral_features(X, n_components, sigma=0.5)
    expected = slow.spectral_features(X, n_components, 0.5)
    assert_allclose(projector(features), projector(expected), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_entry_of_an_eigenvector_that_is_largest_in_magnitude_is_positive(seed):
    X = blobs(seed=seed)
    features = spectral_features(X, 3, sigma=0.3)
    Q = np.linalg.eigh(slow.normalised_laplacian(slow.scale_to_unit_range(X), 0.3))[1][:, 1:4]
    for column, vector in zip(features.T, Q.T, strict=True):
        sign = np.sign(vector[np.abs(vector).argmax()])
        assert (column * (sign * vector)).sum() > 0


def test_without_scaling_the_affinity_is_that_of_the_features_as_they_are():
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(30, 6)))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    features = embedding.unscaled_spectral_features(X, 3, sigma=0.5)
    Q = np.linalg.eigh(slow.normalised_laplacian(X, 0.5))[1][:, 1:4]
    expected = (Q - Q.mean(axis=0)) / Q.std(axis=0)
    assert_allclose(up_to_sign(features, expected), expected, atol=1e-8)
    assert np.abs(np.abs(features) - np.abs(spectral_features(X, 3, sigma=0.5))).max() > 0.1


# what does not matter


@pytest.mark.parametrize("n", [40, ABOVE_DENSE])
def test_the_same_input_gives_the_same_bits_on_any_number_of_threads(n):
    X = blobs(n)
    once = spectral_features(X, 3, sigma=0.3)
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            assert spectral_features(X.copy(), 3, sigma=0.3).tobytes() == once.tobytes()


@pytest.mark.parametrize("value", [0.0, 0.1, -1e6])
def test_constant_features_are_ignored(value):
    X = blobs()
    features = spectral_features(X, 3, sigma=0.3)
    constant = np.full(len(X), value)
    with_constant = spectral_features(np.column_stack((constant, X, constant)), 3, sigma=0.3)
    assert_allclose(up_to_sign(with_constant, features), features, atol=1e-8)


def test_the_sparse_solver_agrees_with_the_dense_one():
    X = blobs(ABOVE_DENSE)
    many = ABOVE_DENSE // 10  # so many eigenvectors are left to the dense solver
    sparse, dense = spectral_features(X, 4, sigma=0.3), spectral_features(X, many, sigma=0.3)[:, :4]
    assert_allclose(sparse, dense, atol=1e-6)


# what is refused


TOO_MANY = "X has 20001 rows.*beyond 20000"


@pytest.mark.parametrize(
    ("X", "n_components", "sigma", "message"),
    [
        ([[0.0], [np.nan]], 1, 1.0, r"X: .*contains NaN. The first one is in row 1, column 0"),
        ([[0.0], [np.inf], [1.0]], 1, 1.0, r"X: .*contains infinity"),
        (np.eye(4), 4, 1.0, "n_components=4 needs more than 4 rows, but X has 4"),
        (np.eye(4), 0, 1.0, "n_components must be an integer of at least 1, got 0"),
        (np.eye(4), 2, 0.0, r"sigma must be a number in \(0, inf\), got 0\.0"),
        (np.zeros((20_001, 1)), 2, 1.0, f"{TOO_MANY} .*PCA.*Nystroem.*SpectralEmbedding"),
        (blobs(8), 2, 1e-200, "At sigma=1.* no row is near"),
        (blobs(8), 2, 1e200, "At sigma=1.* no row differs"),
        (np.ones((6, 2)), 2, 1, "At sigma=1.* no row differs"),
    ],
)
def test_impossible_arguments_are_refused(X, n_components, sigma, message):
    with pytest.raises(InvalidInputError, match=message):
        spectral_features(X, n_components, sigma=sigma)


def test_eigenvectors_that_cannot_be_told_apart_are_refused(monkeypatch):
    impatient = partial(scipy.sparse.linalg.eigsh, maxiter=1)
    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", impatient)
    with pytest.raises(InvalidInputError, match=r"At sigma=0\.05 hardly any row is near another"):
        spectral_features(blobs(ABOVE_DENSE), 3, sigma=0.05)


# the transformer gives the rows of fit their features, and new rows a place among them


@pytest.fixture(scope="module")
def X():
    return make_blobs(60, 3, centers=3, random_state=0)[0]


@pytest.fixture(scope="module")
def new():
    return make_blobs(80, 3, centers=3, random_state=0)[0][60:]


@pytest.fixture(scope="module")
def fitted(X):
    return SpectralFeatures(3, sigma=0.3).fit(X)


@pytest.mark.parametrize("n", [30, _spectral._DENSE_ROWS + 1])
def test_rows_of_fit_get_their_own_features(n):
    X = make_blobs(n, 4, centers=3, random_state=1)[0]
    transformer = SpectralFeatures(4, sigma=0.5)
    features = transformer.fit_transform(X)
    assert features.tobytes() == spectral_features(X, 4, sigma=0.5).tobytes()
    assert_allclose(transformer.transform(X), features, atol=1e-10)


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


def test_a_row_gets_the_same_bits_alone_or_among_others_on_any_threads(fitted, new, monkeypatch):
    together = fitted.transform(new)
    for threads in (1, 2):
        with threadpool_limits(threads):
            assert fitted.transform(new).tobytes() == together.tobytes()
    for size in (1, 3, 7):
        parts = [fitted.transform(new[start : start + size]) for start in range(0, len(new), size)]
        assert np.concatenate(parts).tobytes() == together.tobytes()
    monkeypatch.setattr("mvcc._utils.arrays.BLOCK_ENTRIES", 5 * 60)
    assert fitted.transform(new).tobytes() == together.tobytes()


def test_the_affinities_of_many_new_rows_are_never_in_memory_at_once(monkeypatch):
    monkeypatch.setattr("mvcc._utils.arrays.BLOCK_ENTRIES", 2**16)
    fitted = SpectralFeatures(2).fit(make_blobs(500, 2, random_state=0)[0])
    new = make_blobs(4000, 2, random_state=1)[0]
    tracemalloc.start()
    try:
        fitted.transform(new)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4000 * 500 * 8 / 4


# from 40 on all affinities are 0
@pytest.mark.parametrize("factor", [20, 1e3, 1e6], ids=["20", "1e3", "1e6"])
def test_a_row_near_no_row_of_fit_gets_the_features_of_the_nearest(factor):
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.8, 0.9], [0.5, 0.2]])
    transformer = SpectralFeatures(2, sigma=0.5)
    features = transformer.fit_transform(X)
    far = factor * np.array([[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    assert_array_equal(transformer.transform(far), features[[0, 3, 1]])


def test_a_row_at_which_distances_leave_the_range_of_floats_is_named(monkeypatch):
    monkeypatch.setattr("mvcc._utils.arrays.BLOCK_ENTRIES", 4)  # a row at a time
    fitted = SpectralFeatures(1).fit([[0.0, 0.0], [1.0, 1e-200], [0.2, 0.0], [0.9, 1e-200]])
    with pytest.raises(InvalidInputError, match="Row 2 of X is so far from the rows of fit"):
        fitted.transform([[0.0, 0.0], [1.0, 1e-200], [0.0, 1.0]])


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


def test_changing_what_was_returned_changes_nothing(X):
    transformer = SpectralFeatures(2)
    features = transformer.fit_transform(X)
    far = [[1e6, 1e6, 1e6]]
    expected = transformer.transform(far)
    features[:] = 0
    assert_array_equal(transformer.transform(far), expected)


def test_too_large_numbers_are_refused(fitted):
    with pytest.raises(InvalidInputError, match=r"X: .*up to 1e\+200 are too large"):
        fitted.transform([[1e200, 0.0, 0.0]])
