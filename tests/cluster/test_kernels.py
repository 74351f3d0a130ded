"""Every compiled kernel computes what its slow reference, written from the paper's equations,
computes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform

from mvcc import Constraints
from mvcc._utils.kernels.shared import build_links
from mvcc.cluster._kernels.geometry import (
    LANES,
    farthest_pair,
    in_lanes,
    relocate_empty,
    take_farthest,
    update_farthest,
)
from mvcc.cluster._kernels.mpck import mpck_objective, mpck_sweep, scatters, update_metrics
from mvcc.cluster._kernels.pck import (
    assign_nearest,
    cost_table,
    pck_objective,
    pck_sweep,
    update_centers,
)
from tests.reference import mpck, pck

SEEDS = range(60)
KINDS = [(False, False), (False, True), (True, False), (True, True)]
of_every_kind = pytest.mark.parametrize(
    ("full", "shared"), KINDS, ids=["diagonal", "shared-diagonal", "full", "shared-full"]
)


@dataclass
class Scene:
    """A small clustering problem in the middle of a run."""

    X: np.ndarray
    centers: np.ndarray
    labels: np.ndarray
    constraints: Constraints
    metrics: np.ndarray

    @property
    def k(self):
        return len(self.centers)

    @property
    def listed(self):
        """The constraints as the references take them."""
        return self.constraints.pairs, self.constraints.must_link, self.constraints.weights

    @property
    def links(self):
        return build_links(len(self.X), *self.listed)

    @property
    def log_dets(self):
        return np.array([mpck.log_det(metric) for metric in self.metrics])

    @property
    def everyone(self):
        return np.arange(len(self.X))


def make_scene(seed, *, full=False, shared=False, unassigned=False, whole_numbers=False):
    """Draw a scene with repeated rows, repeated and contradictory constraints, and weights of all
    sizes.
    """
    rng = np.random.default_rng(seed)
    k = rng.integers(1, 5)
    n, d = rng.integers(k, 16), rng.integers(1, 5)
    if whole_numbers:  # all sums are exact, so that many costs are exactly tied
        X, centers = rng.integers(-2, 3, (n, d)) * 1.0, rng.integers(-2, 3, (k, d)) * 1.0
    else:
        X, centers = rng.normal(size=(n, d)), rng.normal(size=(k, d))
    copies = rng.integers(n, size=(2, rng.integers(0, 4)))
    X[copies[0]] = X[copies[1]]
    pairs = rng.integers(n, size=(rng.integers(0, 4 * n), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    weights = rng.choice([0, 0.25, 0.5, 1, 4], len(pairs)) * (
        1 if whole_numbers else rng.uniform(0.5, 2, len(pairs))
    )
    metrics = (
        [random_metric(rng, d, full)] * k
        if shared
        else [random_metric(rng, d, full) for _ in range(k)]
    )
    used = rng.permutation(k)[: rng.integers(1, k + 1)]  # the other clusters are empty
    labels = used[rng.integers(len(used), size=n)]
    labels[rng.random(n) < (0.3 if unassigned else 0)] = -1
    return Scene(
        X,
        centers,
        labels,
        Constraints(pairs, rng.random(len(pairs)) < 0.5, weights),
        np.array(metrics),
    )


def random_metric(rng, d, full):
    if not full:
        return rng.uniform(0.2, 3, d)
    root = rng.normal(size=(d, d))
    return root @ root.T + 0.2 * np.eye(d)


def rounding(X):
    """Give the square of what a difference within each feature of X can be wrong by."""
    return (4 * np.finfo(float).eps * np.abs(X).max(axis=0)) ** 2


# ---- links


def test_every_constraint_is_a_link_at_both_its_ends():
    for seed in SEEDS:
        scene = make_scene(seed)
        start, partner, weight = scene.links
        expected = [[] for _ in scene.X]
        for (i, j), must, w in zip(*(array.tolist() for array in scene.listed), strict=True):
            expected[i].append((j, w if must else -w))
            expected[j].append((i, w if must else -w))
        assert start[0] == 0
        for i, links in enumerate(expected):
            mine = slice(start[i], start[i + 1])
            found = list(zip(partner[mine].tolist(), weight[mine].tolist(), strict=True))
            assert sorted(found) == sorted(links), seed
            assert (np.diff(partner[mine]) >= 0).all(), seed


# ---- PCK-Means


def pck_sweep_agrees(scene, seed):
    expected = pck.sweep(scene.X, scene.centers, scene.labels, *scene.listed)
    table = cost_table(
        scene.X, scene.everyone, scene.centers, np.ones_like(scene.centers), np.zeros(scene.k)
    )
    pck_sweep(scene.everyone, table, scene.labels, scene.links, None, None, None)
    assert_array_equal(scene.labels, expected, f"seed {seed}")


def test_pck_sweep_equals_the_reference():
    for seed in SEEDS:
        pck_sweep_agrees(make_scene(seed, unassigned=True), seed)


@given(st.integers(0, 2**32 - 1))
def test_pck_sweep_breaks_ties_as_the_reference_to_the_lowest_cluster(seed):
    pck_sweep_agrees(make_scene(seed, unassigned=True, whole_numbers=True), seed)


def test_pck_objective_equals_the_reference():
    for seed in SEEDS:
        scene = make_scene(seed)
        expected = pck.objective(scene.X, scene.labels, scene.centers, *scene.listed)
        found = pck_objective(scene.X, scene.centers, scene.labels, scene.links)
        assert found == pytest.approx(expected, rel=1e-9), seed


# ---- centers


def test_centers_are_means_and_those_of_empty_clusters_stay():
    for seed in SEEDS:
        scene = make_scene(seed)
        centers = scene.centers.copy()
        counts = update_centers(scene.X, scene.labels, centers)
        assert_array_equal(counts, np.bincount(scene.labels, minlength=scene.k))
        means = pck.centers(scene.X, scene.labels, scene.k)
        full = counts > 0
        assert_allclose(centers[full], means[full], rtol=1e-9, atol=1e-12, err_msg=f"seed {seed}")
        assert_array_equal(centers[~full], scene.centers[~full])


def test_empty_clusters_take_the_farthest_points_in_turn():
    n_empty = 0
    for seed in SEEDS:
        scene = make_scene(seed)
        centers, ones = scene.centers.copy(), np.ones_like(scene.centers)
        counts = update_centers(scene.X, scene.labels, centers)
        distance = np.sort(((scene.X - centers[scene.labels]) ** 2).sum(axis=1))
        if (np.diff(distance) < 1e-12).any():
            continue  # rounding decides which of two equally far points comes first
        donor = np.full(scene.k, -1)
        newly_empty = relocate_empty(scene.X, scene.labels, centers, ones, counts, donor)
        expected = pck.centers(scene.X, scene.labels, scene.k)
        assert_allclose(centers, expected, rtol=1e-9, atol=1e-12, err_msg=f"seed {seed}")
        assert newly_empty == (counts == 0).any()
        assert_array_equal(donor >= 0, counts == 0)
        for h in np.flatnonzero(donor >= 0):
            moved = np.flatnonzero((centers[h] == scene.X).all(axis=1))
            assert donor[h] in scene.labels[moved]
        assert not relocate_empty(scene.X, scene.labels, centers, ones, counts, donor)
        relocate_empty(scene.X, scene.labels, centers, ones, np.ones_like(counts), donor)
        assert (donor == -1).all()
        n_empty += (counts == 0).sum()
    assert n_empty > 10


def test_the_farthest_point_is_measured_by_the_metric_of_its_own_cluster():
    X = np.array([[0.0], [2.0], [10.0], [13.0]])
    centers = np.array([[1.0], [11.5], [0.0]])
    metrics = np.array([[9.0], [1.0], [1.0]])
    relocate_empty(X, np.array([0, 0, 1, 1]), centers, metrics, np.array([2, 2, 0]), np.full(3, -1))
    assert_array_equal(centers[2], X[0])


# ---- MPCK-Means


def mpck_sweep_agrees(scene, seed):
    reach = mpck.farthest_distances(scene.X, scene.metrics)
    expected = mpck.sweep(scene.X, scene.centers, scene.metrics, scene.labels, *scene.listed, reach)
    table = cost_table(scene.X, scene.everyone, scene.centers, scene.metrics, scene.log_dets)
    no_groups = (None, None, None, None)
    mpck_sweep(
        scene.X, scene.everyone, table, scene.metrics, reach, scene.labels, scene.links, *no_groups
    )
    assert_array_equal(scene.labels, expected, f"seed {seed}")


@of_every_kind
def test_mpck_sweep_equals_the_reference(full, shared):
    for seed in SEEDS:
        mpck_sweep_agrees(make_scene(seed, full=full, shared=shared, unassigned=True), seed)


@given(st.integers(0, 2**32 - 1))
def test_mpck_sweep_breaks_ties_as_the_reference_to_the_lowest_cluster(seed):
    scene = make_scene(seed, unassigned=True, whole_numbers=True)
    scene.metrics = np.ones_like(scene.centers)
    mpck_sweep_agrees(scene, seed)


@of_every_kind
def test_mpck_objective_equals_the_reference(full, shared):
    for seed in SEEDS:
        scene = make_scene(seed, full=full, shared=shared)
        reach = mpck.farthest_distances(scene.X, scene.metrics)
        expected = mpck.objective(
            scene.X, scene.labels, scene.centers, scene.metrics, *scene.listed, reach
        )
        state = (scene.metrics, scene.log_dets, reach, scene.labels, scene.links, None)
        found = mpck_objective(scene.X, scene.centers, *state)
        assert found == pytest.approx(expected, rel=1e-9), seed


@of_every_kind
def test_scatters_and_metrics_equal_the_reference(full, shared):
    n_learned = 0
    for seed in SEEDS:
        scene = make_scene(seed, full=full, shared=shared)
        gaps = mpck.farthest_differences(scene.X, scene.metrics)
        centers = scene.centers.copy()
        counts = update_centers(scene.X, scene.labels, centers)
        S, lost = scatters(scene.X, centers, scene.labels, scene.links, gaps, scene.metrics, None)
        for h in range(scene.k):
            expected = mpck.scatter(h, scene.X, scene.labels, centers, *scene.listed, gaps[h], full)
            assert_allclose(S[h], expected, rtol=1e-9, atol=1e-12, err_msg=f"seed {seed}")
        metrics, log_dets = scene.metrics.copy(), scene.log_dets
        update_metrics(S, lost, counts, rounding(scene.X), shared, metrics, log_dets)
        expected = mpck.update_metrics(
            scene.X, scene.labels, centers, scene.metrics, *scene.listed, gaps, shared
        )
        for found, wanted in zip(metrics, expected, strict=True):
            assert_allclose(
                found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max(), err_msg=f"seed {seed}"
            )
        assert_allclose(
            log_dets, [mpck.log_det(metric) for metric in expected], rtol=1e-9, atol=1e-9
        )
        n_learned += (metrics != scene.metrics).any()
    assert n_learned > len(SEEDS) / 2


@pytest.mark.parametrize("shared", [False, True], ids=["per-cluster", "shared"])
def test_a_spread_of_zero_or_less_keeps_the_weight_of_its_feature_alone(shared):
    metrics, log_dets = np.array([[5.0, 6.0, 7.0]]), np.log([210.0])
    update_metrics(
        np.array([[2.0, 0.0, -1.0]]),
        np.zeros((1, 3)),
        np.array([4]),
        np.zeros(3),
        shared,
        metrics,
        log_dets,
    )
    assert_array_equal(metrics, [[2.0, 6.0, 7.0]])
    assert_allclose(log_dets, np.log([84.0]))
    update_metrics(
        np.array([[0.0, 0.0, -1.0]]),
        np.zeros((1, 3)),
        np.array([4]),
        np.zeros(3),
        shared,
        metrics,
        log_dets,
    )
    assert_array_equal(metrics, [[2.0, 6.0, 7.0]])


@pytest.mark.parametrize("shared", [False, True], ids=["per-cluster", "shared"])
@pytest.mark.parametrize(
    "S",
    [
        [[1.0, 2.0], [2.0, 1.0]],
        [[1.0, 1.0], [1.0, 1.0]],
        [[-1.0, 0.0], [0.0, 2.0]],
        [[2.0, 0.0], [0.0, -1.0]],
        [[0.0, 0.0], [0.0, 0.0]],
        [[0.1 + 0.2, 0.3], [0.3, 0.3]],
    ],
    ids=[
        "indefinite",
        "singular",
        "negative-first",
        "negative-last",
        "zero",
        "singular-up-to-rounding",
    ],
)
def test_a_spread_that_is_not_positive_definite_keeps_the_whole_matrix(S, shared):
    metrics, log_dets = np.array([[[3.0, 1.0], [1.0, 2.0]]]), np.log([5.0])
    update_metrics(
        np.array([S]), np.zeros((1, 2)), np.array([4]), np.zeros(2), shared, metrics, log_dets
    )
    assert_array_equal(metrics, [[[3.0, 1.0], [1.0, 2.0]]])
    assert_array_equal(log_dets, np.log([5.0]))


@of_every_kind
def test_rows_without_constraints_take_the_cluster_of_least_distance_minus_log_det(full, shared):
    for seed in SEEDS:
        scene = make_scene(seed, full=full, shared=shared)
        args = (scene.X, scene.centers, scene.metrics, scene.labels, [], [], [], np.zeros(scene.k))
        costs = [[mpck.cost(i, h, *args) for h in range(scene.k)] for i in range(len(scene.X))]
        found = np.full(len(scene.X), -1)
        assign_nearest(scene.X, scene.everyone, scene.centers, scene.metrics, scene.log_dets, found)
        assert_array_equal(found, np.argmin(costs, axis=1), f"seed {seed}")


# ---- the farthest pair


@of_every_kind
def test_gaps_and_reaches_are_those_of_the_farthest_pair_under_each_metric(full, shared):
    for seed in SEEDS:
        scene = make_scene(seed, full=full, shared=shared)
        gaps, reach = np.full_like(scene.centers, np.nan), np.full(scene.k, np.nan)
        mean, known = (
            scene.X.mean(axis=0, keepdims=True),
            np.full((scene.k, scene.metrics[0].size), np.nan),
        )
        update_farthest(
            scene.X,
            in_lanes(scene.X, scene.everyone),
            mean,
            scene.metrics,
            shared,
            known,
            gaps,
            reach,
        )
        assert_array_equal(known, scene.metrics.reshape(scene.k, -1))
        assert_allclose(
            reach,
            mpck.farthest_distances(scene.X, scene.metrics),
            rtol=1e-9,
            err_msg=f"seed {seed}",
        )
        for gap, expected in zip(
            gaps, mpck.farthest_differences(scene.X, scene.metrics), strict=True
        ):
            assert_allclose(
                gap * np.sign(gap @ expected), expected, rtol=1e-9, err_msg=f"seed {seed}"
            )


def test_a_metric_that_is_still_the_same_keeps_its_pair_and_any_other_is_searched():
    X, metrics = (
        np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]),
        np.array([[1.0, 1.0], [9.0, 1.0], [9.0, 1.0]]),
    )
    mark, mean = np.full((3, 2), 7.0), X.mean(axis=0, keepdims=True)
    known, gaps, reach = (
        np.array([[1.0, 1.0], [9.0, 2.0], [8.0, 1.0]]),
        mark.copy(),
        np.full(3, 7.0),
    )
    take_farthest(known, gaps, reach, 2, 1)  # and so what is known of a cluster goes with its pair
    metrics[2] = known[1]
    update_farthest(X, in_lanes(X, np.arange(3)), mean, metrics, False, known, gaps, reach)
    assert gaps.tolist() == [[7, 7], [1, -2], [7, 7]]
    assert reach.tolist() == [7, 13, 7]


def shapes(rng, n, d):
    """Point sets that make the search for the farthest pair hard in different ways."""
    ball = rng.normal(size=(n, d))
    return {
        "ball": ball,
        "sphere": ball / np.linalg.norm(ball, axis=1, keepdims=True),
        "line": np.outer(rng.normal(size=n), ball[0]),
        "copies": ball[rng.integers(n, size=n)],
        "heavy-tails": rng.standard_cauchy((n, d)),
        "lopsided": np.vstack([ball * 0.01, 5 + rng.normal(size=(3, d))]),
        "far-from-the-origin": np.rint(ball * 64) / 64 + 2.0**20,  # differences are exact
        "one-far-point": np.vstack([ball, np.full(d, 1e5)]),
        "grid": rng.integers(0, 4, (n, d)) * 1.0,
        "cube": rng.uniform(size=(n, d)),
        "all-the-same": np.tile(ball[0], (n, 1)),
    }


SHAPES = sorted(shapes(np.random.default_rng(0), 3, 2))


def found_pair(X, metric, center=None):
    center = X.mean(axis=0) if center is None else center
    return farthest_pair(
        X, in_lanes(X, np.arange(len(X))), center[np.newaxis], metric[np.newaxis], 0
    )


def all_distances(X, metric):
    """Squared distances of all pairs under a metric, (n, n)."""
    root = np.linalg.cholesky(metric) if metric.ndim == 2 else np.diag(np.sqrt(metric))
    return squareform(pdist((X - X[0]) @ root, "sqeuclidean")) if len(X) > 1 else np.zeros((1, 1))


@pytest.mark.parametrize("full", [False, True], ids=["diagonal", "full"])
@pytest.mark.parametrize("shape", SHAPES)
def test_farthest_pair_equals_the_search_over_all_pairs(shape, full):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, d = int(rng.choice([1, 2, 3, LANES - 1, LANES, LANES + 1, 40])), int(rng.integers(1, 5))
        X, metric = shapes(rng, n, d)[shape], random_metric(rng, d, full)
        i, j = found_pair(X, metric)
        assert 0 <= i <= j < len(X)
        distances = all_distances(X, metric)
        longest = distances.max()
        assert mpck.squared_distance(X[i], X[j], metric) == pytest.approx(longest, rel=1e-9), seed
        tied = np.argwhere(np.triu(distances, 1) >= longest * (1 - 1e-9))
        if longest > 0:
            assert [i, j] in tied.tolist(), seed


def test_farthest_pair_need_not_hold_the_point_farthest_from_the_mean():
    X = np.array([[0.0, -2.0]] * 5 + [[0.0, 10.0], [9.0, 0.0], [-9.0, 0.0]])
    assert np.argmax(np.linalg.norm(X - X.mean(axis=0), axis=1)) == 5
    assert found_pair(X, np.ones(2)) == (6, 7)


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 3), st.integers(2, 8))
def test_farthest_pair_is_as_long_as_the_longest_on_a_grid(seed, n, d, side):
    rng = np.random.default_rng(seed)
    X, metric = rng.integers(0, side, (n, d)) * 1.0, rng.integers(1, 4, d) * 1.0
    i, j = found_pair(X, metric)
    exact = (metric * (X[:, np.newaxis] - X) ** 2).sum(axis=2).max()
    assert mpck.squared_distance(X[i], X[j], metric) == exact


def test_the_point_that_distances_are_sorted_by_changes_the_work_but_not_the_found_pair():
    """The bound is the triangle inequality, which holds about any point.

    The mean only makes it sharp.
    """
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(30, 3))
        pairs = {
            found_pair(X, np.ones(3), center) for center in (X.mean(axis=0), X[0], np.full(3, 50.0))
        }
        assert len(pairs) == 1, seed
