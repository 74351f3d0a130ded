"""Clusters are the Gaussians of Eq. 4–8; the indicators of §6.4 are those of their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.datasets import make_circles, make_moons

from mvcc import Constraints, MPCKMeans, PCKMeans
from mvcc.exceptions import InvalidInputError
from mvcc.propagation._diagnostics import (
    LARGEST_DISAGREEMENT,
    SMALLEST_DIVERGENCE,
    Diagnosis,
    diagnose,
    is_suspicious,
)
from mvcc.propagation._e_step import fit_gaussians
from tests.reference import gaussians as slow
from tests.strategies import of_every_metric, random_metrics, seeds


@of_every_metric
@given(seed=seeds, d=st.integers(1, 4))
def test_gaussians_are_the_references_also_of_empty_clusters_and_single_points(seed, d, kind):
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


@pytest.mark.parametrize("regularization", [0, 1e-9])
def test_only_a_cluster_with_members_may_be_refused_for_a_singular_covariance(regularization):
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 1.0], [5.0, 0.0], [3.0, 3.0]])
    round_labels = np.array([2, 2, 2, 2, 2, 2])
    assert fit_gaussians(X, round_labels, None, regularization).sizes.tolist() == [0, 0, 6]
    flat_labels = np.array([2, 2, 2, 0, 0, 0])
    if regularization:
        assert fit_gaussians(X, flat_labels, None, regularization).sizes.tolist() == [3, 0, 3]
    else:
        message = "cluster 2 with its 3 members is singular in 2 dimensions"
        with pytest.raises(InvalidInputError, match=message):
            fit_gaussians(X, flat_labels, None, regularization)


# the indicators of §6.4


def random_clustering(seed, k=3, d=2):
    rng = np.random.default_rng(seed)
    labels = np.concatenate((np.repeat(np.arange(k), d + 2), rng.integers(k, size=20)))
    return rng.normal(size=(len(labels), d)) + 2 * rng.normal(size=(k, d))[labels], labels, rng


@of_every_metric
@pytest.mark.parametrize("seed", range(3))
def test_divergence_is_the_integral_of_its_definition(kind, seed):
    X, labels, rng = random_clustering(seed)
    metrics = random_metrics(rng, 3, 2, kind)
    means, covariances = slow.means(X, labels, 3), slow.covariances(X, labels, 3, metrics)
    axis = np.linspace(-15, 15, 601)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1)
    logs = [multivariate_normal(m, C).logpdf(grid) for m, C in zip(means, covariances, strict=True)]
    area = (axis[1] - axis[0]) ** 2
    integrals = [
        np.sum(np.exp(p) * (p - q)) * area
        for a, p in enumerate(logs)
        for b, q in enumerate(logs)
        if a != b
    ]
    assert diagnose(X, labels, metrics).divergence == pytest.approx(min(integrals), rel=1e-3)


def test_clusters_without_rows_and_single_clusters_have_nothing_to_overlap_with():
    X, labels, _ = random_clustering(0, k=2)
    assert diagnose(X, np.zeros_like(labels)).divergence == np.inf
    assert diagnose(X, 2 * labels).divergence == diagnose(X, labels).divergence
    assert diagnose(X, np.zeros_like(labels)).disagreement == 0
    assert diagnose(X, 2 * labels).disagreement == diagnose(X, labels).disagreement


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_flat_lonely_and_coinciding_clusters_have_finite_indicators(unit):
    X = unit * np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 5.0], [9.0, 9.0], [9.0, 9.0]])
    found = diagnose(X, [0, 0, 0, 1, 2, 2])
    assert found.disagreement == 0
    assert np.isfinite(found.divergence)
    assert found.divergence > 1000
    assert diagnose(np.full((4, 2), unit), [0, 0, 1, 1]) == Diagnosis(0.0, 0.0, (0, 1))


@given(seeds)
def test_disagreement_is_the_share_of_rows_that_predict_would_move(seed):
    X, labels, rng = random_clustering(seed)
    constraints = Constraints.from_labels(labels, 20, rng)
    for base in (
        PCKMeans(3, init="neighborhoods", random_state=0),
        MPCKMeans(3, init="neighborhoods", random_state=0),
        MPCKMeans(3, init="neighborhoods", metric="full", random_state=0),
    ):
        model = base.fit(X, constraints=constraints)
        if len(np.unique(model.labels_)) == 3 and model.converged_:
            found = diagnose(X, model.labels_, getattr(model, "metrics_", None))
            assert found.disagreement == np.mean(model.predict(X) != model.labels_)


@given(seeds, st.floats(1e-3, 1e3), st.floats(0, 6.3))
def test_neither_unit_nor_rotation_nor_numbering_matters(seed, unit, angle):
    X, labels, rng = random_clustering(seed)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    metrics = turn.T @ (rng.uniform(0.5, 2, size=(3, 2, 1)) * turn)
    order = rng.permutation(3)
    moved = unit * X @ turn.T + 7
    turned = (turn @ metrics @ turn.T / unit**2)[np.argsort(order)]
    for own, other in ((None, None), (metrics, turned)):
        expected, found = diagnose(X, labels, own), diagnose(moved, order[labels], other)
        assert found.disagreement == expected.disagreement
        assert found.divergence == pytest.approx(expected.divergence, rel=1e-6)


def test_either_indicator_suffices_for_suspicion():
    assert not is_suspicious(LARGEST_DISAGREEMENT, SMALLEST_DIVERGENCE)
    found = is_suspicious([0.0, 1.0, 0.0, 1.0], [np.inf, np.inf, 0.0, 0.0])
    np.testing.assert_array_equal(found, [False, True, True, True])
    assert Diagnosis(1.0, np.inf).suspicious is True
    assert Diagnosis(0.0, np.inf).suspicious is False


@pytest.mark.parametrize("seed", range(3))
def test_true_classes_of_moons_and_rings_are_suspicious_and_those_of_blobs_are_not(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 100)
    assert diagnose(*make_moons(200, noise=0.05, random_state=seed)).suspicious
    assert diagnose(*make_circles(200, noise=0.05, factor=0.5, random_state=seed)).suspicious
    assert not diagnose(rng.normal(size=(200, 2)) + 6 * y[:, None], y).suspicious


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0], [np.nan]], [0, 1]), "NaN"),
        (([[0.0], [1.0]], [0]), "labels must be 2 integers"),
        (([[0.0], [1.0]], [0, -1]), "labels must be 2 integers"),
        (([[0.0], [1.0]], [0, 1], [[1.0]]), r"k > 1, the largest label; their shape is \(1, 1\)"),
        (([[0.0], [1.0]], [0, 1], [[1.0], [np.inf]]), "metrics must be finite"),
    ],
)
def test_bad_input_is_explained(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        diagnose(*arguments)
