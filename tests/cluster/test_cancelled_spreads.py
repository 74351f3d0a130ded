"""A spread that violated cannot-links cancel is no spread: what is left of it is rounding."""

import numpy as np
import pytest

from mvcc import MPCKMeans
from mvcc._utils.kernels.shared import build_links
from mvcc.cluster._kernels.groups import tally, violations
from mvcc.cluster._kernels.mpck import scatters, set_metric
from mvcc.constraints._closure import Neighborhoods

WEIGHT = 0.5  # two rows of a cluster spread by half of their squared difference
LINK = np.array([[0, 1]])
APART = Neighborhoods.of(np.arange(2), np.arange(2), 2, np.array([0]), np.array([1]), WEIGHT)


@pytest.mark.parametrize("full", [False, True], ids=["diagonal", "full"])
@pytest.mark.parametrize("listed", [True, False], ids=["listed", "neighborhoods"])
@pytest.mark.parametrize("feature", [0, 1, 2])
def test_a_cancelled_spread_is_within_its_rounding_and_the_others_are_what_they_are(
    full, listed, feature
):
    n_noisy = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = np.tile(rng.normal(size=3) * 10, (2, 1))
        X[:, feature] += rng.normal(size=2) * 0.1
        metrics = np.eye(3)[np.newaxis] if full else np.ones((1, 3))
        gaps = np.full((1, 3), 2.0)
        gaps[:, feature] = 0
        labels, centers = np.zeros(2, int), X.mean(axis=0, keepdims=True)
        m = int(listed)
        links = build_links(2, LINK[:m], np.zeros(m, bool), np.full(m, WEIGHT))
        broken = None
        if not listed:
            groups = APART.groups(2)
            moments = tally(X, np.zeros(3), labels, groups, 1, 4 + metrics[0].size)
            broken = violations(*moments, groups, 3)
        (S,), (rounding,) = scatters(X, centers, labels, links, gaps, metrics, broken)
        spreads = np.diag(S) if full else S
        others = np.arange(3) != feature
        np.testing.assert_allclose(spreads[others], WEIGHT * 2.0**2, rtol=1e-9)
        assert (np.abs(spreads) > rounding).tolist() == others.tolist(), seed
        assert abs(spreads[feature]) < 1e-12, seed
        square = (X[0, feature] - X[1, feature]) ** 2
        n_noisy += ((X[:, feature] - centers[0, feature]) ** 2).sum() != WEIGHT * square
    assert n_noisy > 5  # or there would be no rounding to drop


def test_a_feature_without_spread_keeps_its_weight_and_one_with_more_than_rounding_gets_a_new_one():
    metric = np.array([7.0, 7.0, 7.0])
    assert set_metric(np.array([0.0, 2.0, 1e-9]), 4, np.array([4e-20, 4e-20, 4e-9]), metric)
    assert metric.tolist() == [7.0, 2.0, 7.0]
    assert not set_metric(np.array([0.0, -1.0, 4e-9]), 4, np.full(3, 4e-9), metric)
    assert metric.tolist() == [7.0, 2.0, 7.0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "metric", ["diagonal", pytest.param("full", marks=pytest.mark.reliability)]
)
def test_a_spread_far_below_the_values_themselves_is_still_learned(metric):
    X = 1 + np.random.default_rng(0).normal(size=(50, 2)) * [1e-9, 1.0]
    # the full metric is then diagonal, too
    X[:, 1] -= np.polyval(np.polyfit(X[:, 0] - 1, X[:, 1], 1), X[:, 0] - 1)
    (found,) = MPCKMeans(1, metric=metric).fit(X).metrics_
    spreads = np.diag(found) if metric == "full" else found
    np.testing.assert_allclose(spreads, 1 / X.var(axis=0), rtol=1e-3)
