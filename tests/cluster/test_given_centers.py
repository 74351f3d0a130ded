"""Given centers are taken as numbers, whatever holds them, and are never changed."""

from __future__ import annotations

import numpy as np
import pytest

from mvcc import Constraints, MPCKMeans, PCKMeans

X = np.random.default_rng(0).normal(size=(40, 2)) * 0.4 + np.repeat(
    [[0.3, 0.2], [3.4, 2.7]], 20, axis=0
)
CENTERS = [[0, 1], [3, 2]]


@pytest.mark.parametrize(
    "estimator", [PCKMeans(2), MPCKMeans(2), MPCKMeans(2, metric="full")], ids=str
)
@pytest.mark.parametrize(
    "given",
    [
        CENTERS,
        np.array(CENTERS, np.int8),
        np.array(CENTERS, np.float32),
        np.array(CENTERS, float, order="F"),
    ],
    ids=["list", "int8", "float32", "column by column"],
)
def test_whole_numbers_and_single_precision_are_as_good_as_doubles(estimator, given):
    before = np.array(given)
    expected = estimator.set_params(init=np.array(CENTERS, float)).fit(X)
    expected = expected.cluster_centers_, expected.labels_, expected.objective_
    found = estimator.set_params(init=given).fit(X, constraints=Constraints([], []))
    assert np.array_equal(found.cluster_centers_, expected[0])
    assert np.array_equal(found.labels_, expected[1])
    assert found.objective_ == expected[2]
    assert found.cluster_centers_.dtype == np.float64
    assert np.array_equal(given, before)


@pytest.mark.parametrize("estimator", [PCKMeans(3), MPCKMeans(3)], ids=str)
def test_rows_that_are_just_enough_for_the_missing_centers_are_all_taken(estimator):
    rows = np.array([[0.0], [1.0], [5.0], [7.0]])
    constraints = Constraints.from_pairs([(0, 1)])
    for seed in range(20):
        _, centers = estimator.set_params(random_state=seed)._start(rows, constraints.spanning(), 3)
        assert sorted(centers.ravel().tolist()) == [0.5, 5.0, 7.0]
