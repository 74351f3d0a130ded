"""Clusters as Gaussians: means, covariances and memberships are those of Eq. 4–8."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc.exceptions import InvalidInputError
from mvcc.propagation._gaussians import fit_gaussians
from tests.reference import gaussians as slow
from tests.strategies import of_every_metric, random_metrics, seeds


@of_every_metric
@given(seed=seeds, d=st.integers(1, 4))
def test_gaussians_are_those_of_the_reference_also_of_empty_clusters_and_single_points(
    seed, d, kind
):
    rng = np.random.default_rng(seed)
    k, n = 4, 12
    X = rng.normal(size=(n, d)) * rng.uniform(0.2, 3, size=d)
    labels = np.append(rng.choice(rng.permutation(k)[:2], size=n - 1), k - 1)
    metrics = random_metrics(rng, k, d, kind)
    found = fit_gaussians(X, labels, metrics, 1e-2)
    covariances = slow.covariances(X, labels, k, metrics, 1e-2)
    np.testing.assert_array_equal(found.sizes, np.bincount(labels, minlength=k))
    np.testing.assert_allclose(found.means, slow.means(X, labels, k), atol=1e-12)
    np.testing.assert_allclose(found.covariances, covariances, rtol=1e-9, atol=1e-12)
    for size, W, covariance in zip(found.sizes, found.whiteners, covariances, strict=True):
        assert np.array_equal(W, np.tril(W))
        np.testing.assert_allclose(W @ covariance @ W.T, np.eye(d) if size else 0, atol=1e-9)
    rows = rng.permutation(n)[:7]
    G = slow.membership(X, labels, slow.means(X, labels, k), covariances)
    np.testing.assert_allclose(found.memberships(X, rows, labels), G[rows], rtol=1e-9, atol=1e-300)


def test_a_metric_that_is_not_quite_symmetric_gives_a_symmetric_covariance():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(10, 2)), np.zeros(10, int)
    metric = np.array([[[2.0, 0.5 + 1e-9], [0.5, 1.0]]])
    (covariance,) = fit_gaussians(X, labels, metric, 0.1).covariances
    assert covariance[0, 1] == covariance[1, 0]


def test_metrics_of_clusters_without_a_row_give_them_empty_gaussians():
    X = np.random.default_rng(0).normal(size=(10, 2))
    assert fit_gaussians(X, np.zeros(10, int), np.ones((3, 2)), 1e-6).sizes.tolist() == [10, 0, 0]


@pytest.mark.parametrize("regularization", [0, 1e-9])
def test_only_a_cluster_with_members_may_be_refused_for_a_singular_covariance(regularization):
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 1.0], [5.0, 0.0], [3.0, 3.0]])
    round_labels = np.array([2, 2, 2, 2, 2, 2])
    assert fit_gaussians(X, round_labels, None, regularization).sizes.tolist() == [0, 0, 6]
    flat_labels = np.array([2, 2, 2, 0, 0, 0])
    if regularization:
        assert fit_gaussians(X, flat_labels, None, regularization).sizes.tolist() == [3, 0, 3]
    else:
        with pytest.raises(
            InvalidInputError, match="cluster 2 with its 3 members is singular in 2 dimensions"
        ):
            fit_gaussians(X, flat_labels, None, regularization)
