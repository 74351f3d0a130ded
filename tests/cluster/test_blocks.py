"""Passes over blocks of rows find what NumPy finds over all rows, shared among threads or not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mvcc import Constraints
from mvcc._utils import kernels
from mvcc._utils.kernels import build_links
from mvcc.cluster._kernels import pck
from mvcc.cluster._kernels.pck import assign_nearest, cost_table, pck_objective, update_centers

N = 2 * pck._BLOCK + 100  # three blocks, the last one not full


@pytest.fixture(params=[False, True], ids=["one-after-the-other", "in-threads"], autouse=True)
def shared(request, monkeypatch):
    monkeypatch.setattr(kernels, "_WORTH_SHARING", 1 if request.param else 10**9)


@pytest.fixture(scope="module")
def scene():
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, 1)) + 5, rng.normal(size=(3, 1)) + 5, rng.integers(2, size=N)


def test_every_row_asked_for_goes_to_the_nearest_center_and_no_other_row_moves(scene):
    X, centers, labels = scene
    rows = np.flatnonzero(np.arange(N) % 17)
    found = labels.copy()
    assign_nearest(X, rows, centers, np.ones((3, 1)), np.zeros(3), found)
    expected = labels.copy()
    expected[rows] = np.argmin((X[rows] - centers.T) ** 2, axis=1)
    assert_array_equal(found, expected)


def test_centers_are_the_means_of_all_rows_and_that_of_an_empty_cluster_stays(scene):
    X, centers, labels = scene
    found = centers.copy()
    counts = update_centers(X, labels, found)
    assert counts.tolist() == np.bincount(labels, minlength=3).tolist()
    assert_allclose(found[:2], [X[labels == h].mean(axis=0) for h in range(2)], rtol=1e-13)
    assert_array_equal(found[2], centers[2])


def test_the_objective_sums_over_all_rows_and_counts_violated_constraints_once(scene):
    X, centers, labels = scene
    rng = np.random.default_rng(1)
    pairs = rng.integers(N, size=(200, 2))
    constraints = Constraints(pairs, rng.random(200) < 0.5, rng.uniform(0, 3, 200))
    same = labels[constraints.pairs[:, 0]] == labels[constraints.pairs[:, 1]]
    violated = constraints.weights[same != constraints.must_link].sum()
    expected = ((X - centers[labels]) ** 2).sum() + violated
    links = build_links(N, *constraints.listed())
    assert pck_objective(X, centers, labels, links) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [0, 1, 64, 65, 150])
def test_the_table_of_costs_holds_every_row_asked_for_and_every_cluster(n):
    rng = np.random.default_rng(n)
    X, centers = rng.normal(size=(200, 2)), rng.normal(size=(3, 2))
    metrics = rng.uniform(1, 2, (3, 2))
    rows, log_dets = rng.permutation(200)[:n], rng.normal(size=3)
    expected = (metrics * (X[rows, np.newaxis] - centers) ** 2).sum(axis=2) - log_dets
    found = cost_table(X, rows, centers, metrics, log_dets)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
