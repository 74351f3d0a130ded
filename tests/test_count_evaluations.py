"""What is counted is what the slow reference evaluates."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mvcc import MPCKMeans, PCKMeans
from scripts import count_evaluations
from scripts.count_evaluations import CountedGaussians, count_step, measure, naive_evaluations
from tests.reference import propagation

CONFIGS = Path(count_evaluations.ROOT) / "configs"
CANDIDATES = np.array([0, 1, 4, 5, 8, 9, 11])
PAIRS = np.array([[0, 1], [0, 3], [3, 8], [2, 10]])
ENDPOINTS = 6  # rows 0, 1, 2, 3, 8, 10


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(12, 3)) + np.repeat([[0.0], [2.0]], 6, axis=0)


@pytest.fixture(params=["empirical", "diagonal", "full"])
def clustering(request, X):
    if request.param == "empirical":
        return PCKMeans(2, random_state=0).fit(X).labels_, None
    model = MPCKMeans(2, metric=request.param, random_state=0).fit(X)
    return model.labels_, model.metrics_


def test_without_memory_the_reference_evaluates_as_the_formula_says(X, clustering, monkeypatch):
    labels, metrics = clustering
    evaluate, asked = propagation.endpoint_weight, []

    def counted(x, x_u, covariance, confidence):
        asked.append((*x, *x_u))
        return evaluate(x, x_u, covariance, confidence)

    monkeypatch.setattr(propagation, "endpoint_weight", counted)
    kinds, weights = np.ones(len(PAIRS), bool), np.ones(len(PAIRS))
    propagation.propagate(X, labels, PAIRS, kinds, weights, 0.5, CANDIDATES, metrics)
    # The reference looks at both orders for each ordered pair of candidates, so that it does
    # everything twice.
    assert len(asked) == 2 * naive_evaluations(len(PAIRS), len(CANDIDATES))
    counts = count_step(X, labels, PAIRS, 0.5, CANDIDATES, metrics)
    assert counts["naive"] == len(asked) / 2
    assert counts["memoized"] == len(set(asked)) == len(CANDIDATES) * ENDPOINTS
    assert (counts["candidates"], counts["endpoints"]) == (len(CANDIDATES), ENDPOINTS)


def test_values_are_those_of_the_reference(X, clustering):
    labels, metrics = clustering
    sigma, confidence = propagation._model(X, labels, metrics, 1e-6)
    gaussians = CountedGaussians(X, labels, metrics, 0.0)
    for i, u in itertools.product(range(len(X)), repeat=2):
        expected = propagation.endpoint_weight(X[i], X[u], sigma[labels[u]], float(confidence[u]))
        assert gaussians(i, u) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("threshold", [0.05, 0.5, 1.0])
def test_early_stopping_ends_those_below_the_threshold_and_no_other(X, clustering, threshold):
    labels, metrics = clustering
    full, early = (CountedGaussians(X, labels, metrics, t) for t in (0.0, threshold))
    for i, u in itertools.product(range(len(X)), repeat=2):
        assert early(i, u) == (full(i, u) if full(i, u) >= threshold else 0.0)
    near = sum(value >= threshold for value in full.values.values())
    assert (
        len(X) <= early.completed == near < full.completed == full.evaluations == early.evaluations
    )
    assert early.evaluations <= early.terms < full.terms == 3 * full.evaluations


def test_where_the_confidence_underflows_only_duplicates_are_near():
    X = np.concatenate([np.random.default_rng(0).normal(size=(9, 2)), np.full((2, 2), 50.0)])
    gaussians = CountedGaussians(X, np.zeros(11, dtype=np.int64), np.full((1, 2), 1.0), 0.0)
    gaussians.confidence[9] = 0.0
    assert [gaussians(i, 9) for i in (8, 9, 10)] == [0.0, 1.0, 1.0]


def test_a_measurement_is_of_the_draws_of_the_config_and_repeatable():
    paths = [CONFIGS / "four_quadrants.yaml"]
    table, again = (measure(paths, numbers=[10], trials=[1]) for _ in range(2))
    pd.testing.assert_frame_equal(table, again)
    assert list(zip(table["view"], table["base"], strict=True)) == [
        ("A", "pck-means"),
        ("A", "mpck-means"),
        ("B", "pck-means"),
        ("B", "mpck-means"),
    ]
    assert set(table["trial"]) == {1}
    assert set(table["n_constraints"]) == {10}
    assert set(table["candidates"]) == {200}
    assert (table["constraints"] > 10).all()
    assert (table["memoized"] == table["candidates"] * table["endpoints"]).all()
    assert (table["early_stopped"] >= table["endpoints"]).all()
    assert (table["early_stopped"] < table["memoized"]).all()
    assert (table["terms_full"] == 2 * table["memoized"]).all()


def test_every_data_set_is_counted_once():
    paths = count_evaluations.all_data_sets()
    names = sorted(count_evaluations.load_config(path).dataset for path in paths)
    generated = ["four_quadrants", "half_moons", "rings"]
    assert names == sorted([*generated, "letters_digits", "protein", "rec_talk"])
