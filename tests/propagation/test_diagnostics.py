"""The indicators of §6.4 are what they are defined as, whatever the unit of X."""

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
from tests.reference import gaussians as slow
from tests.strategies import of_every_metric, random_metrics, seeds


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
