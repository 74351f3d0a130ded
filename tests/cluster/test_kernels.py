"""Every compiled kernel computes what its slow reference, written from the paper's equations, computes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform
from scipy.stats import ortho_group

from mvcc import Constraints
from mvcc._kernels.linalg import inverse_cholesky
from mvcc._kernels.links import build_links
from mvcc.cluster import _kernels
from tests.reference import mpck, pck

SEEDS = range(60)
KINDS = [(False, False), (False, True), (True, False), (True, True)]
KIND_NAMES = ["diagonal", "shared-diagonal", "full", "shared-full"]


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


def make_scene(seed, *, full=False, shared=False, unassigned=False, whole_numbers=False):
    """Draw a scene with repeated rows, repeated and contradictory constraints, and weights of all sizes."""
    rng = np.random.default_rng(seed)
    n, d, k = rng.integers(1, 16), rng.integers(1, 5), rng.integers(1, 5)
    if whole_numbers:  # all sums are exact, so that many costs are exactly tied
        X, centers = rng.integers(-2, 3, (n, d)) * 1.0, rng.integers(-2, 3, (k, d)) * 1.0
    else:
        X, centers = rng.normal(size=(n, d)), rng.normal(size=(k, d))
    copies = rng.integers(n, size=(2, rng.integers(0, 4)))
    X[copies[0]] = X[copies[1]]
    pairs = rng.integers(n, size=(rng.integers(0, 4 * n), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    weights = rng.choice([0, 0.25, 0.5, 1, 4], len(pairs)) * (1 if whole_numbers else rng.uniform(0.5, 2, len(pairs)))
    metrics = [random_metric(rng, d, full)] * k if shared else [random_metric(rng, d, full) for _ in range(k)]
    return Scene(
        X,
        centers,
        rng.integers(-1 if unassigned else 0, k, n),
        Constraints(pairs, rng.random(len(pairs)) < 0.5, weights),
        np.array(metrics),
    )


def random_metric(rng, d, full):
    if not full:
        return rng.uniform(0.2, 3, d)
    root = rng.normal(size=(d, d))
    return root @ root.T + 0.2 * np.eye(d)


# ---- links


@pytest.mark.parametrize("seed", SEEDS)
def test_every_constraint_is_a_link_at_both_its_ends(seed):
    scene = make_scene(seed)
    start, partner, weight = scene.links
    expected = [[] for _ in scene.X]
    for (i, j), must, w in zip(*(array.tolist() for array in scene.listed), strict=True):
        expected[i].append((j, w if must else -w))
        expected[j].append((i, w if must else -w))
    assert start[0] == 0
    for i, links in enumerate(expected):
        mine = slice(start[i], start[i + 1])
        assert sorted(zip(partner[mine].tolist(), weight[mine].tolist(), strict=True)) == sorted(links)
        assert (np.diff(partner[mine]) >= 0).all()


# ---- PCK-Means


@pytest.mark.parametrize("seed", SEEDS)
def test_pck_sweep_equals_the_reference(seed):
    scene = make_scene(seed, unassigned=True)
    expected = pck.sweep(scene.X, scene.centers, scene.labels, *scene.listed)
    _kernels.pck_sweep(scene.X, scene.centers, scene.labels, scene.links)
    assert_array_equal(scene.labels, expected)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_pck_sweep_breaks_ties_as_the_reference_to_the_lowest_cluster(seed):
    scene = make_scene(seed, unassigned=True, whole_numbers=True)
    expected = pck.sweep(scene.X, scene.centers, scene.labels, *scene.listed)
    _kernels.pck_sweep(scene.X, scene.centers, scene.labels, scene.links)
    assert_array_equal(scene.labels, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_pck_objective_equals_the_reference(seed):
    scene = make_scene(seed)
    found = _kernels.pck_objective(scene.X, scene.centers, scene.labels, scene.links)
    assert found == pytest.approx(pck.objective(scene.X, scene.labels, scene.centers, *scene.listed), rel=1e-9)


# ---- centers


@pytest.mark.parametrize("seed", SEEDS)
def test_centers_are_means_and_those_of_empty_clusters_stay(seed):
    scene = make_scene(seed)
    centers = scene.centers.copy()
    counts = _kernels.update_centers(scene.X, scene.labels, centers)
    assert_array_equal(counts, np.bincount(scene.labels, minlength=scene.k))
    means = pck.centers(scene.X, scene.labels, scene.k)
    for h in range(scene.k):
        if counts[h]:
            assert_allclose(centers[h], means[h], rtol=1e-9, atol=1e-12)
        else:
            assert_array_equal(centers[h], scene.centers[h])


@pytest.mark.parametrize("seed", SEEDS)
def test_empty_clusters_take_the_farthest_points_in_turn(seed):
    scene = make_scene(seed)
    centers = scene.centers.copy()
    counts = _kernels.update_centers(scene.X, scene.labels, centers)
    was_empty = np.zeros(scene.k, bool)
    if scene.k > len(scene.X):
        pytest.skip("more clusters than points; fit refuses this")
    newly_empty = _kernels.relocate_empty(scene.X, scene.labels, centers, np.ones_like(centers), counts, was_empty)
    assert_allclose(centers, pck.centers(scene.X, scene.labels, scene.k), rtol=1e-9, atol=1e-12)
    assert newly_empty == (counts == 0).any()
    assert_array_equal(was_empty, counts == 0)
    again = _kernels.relocate_empty(scene.X, scene.labels, centers, np.ones_like(centers), counts, was_empty)
    assert not again
    _kernels.relocate_empty(scene.X, scene.labels, centers, np.ones_like(centers), np.ones_like(counts), was_empty)
    assert not was_empty.any()


def test_the_farthest_point_is_measured_by_the_metric_of_its_own_cluster():
    X = np.array([[0.0], [2.0], [10.0], [13.0]])
    labels = np.array([0, 0, 1, 1])
    centers = np.array([[1.0], [11.5], [0.0]])
    _kernels.relocate_empty(
        X, labels, centers, np.array([[9.0], [1.0], [1.0]]), np.array([2, 2, 0]), np.zeros(3, np.bool_)
    )
    assert_array_equal(centers[2], X[0])


# ---- distances and determinants


@pytest.mark.parametrize("full", [False, True], ids=["diagonal", "full"])
@pytest.mark.parametrize("seed", SEEDS)
def test_squared_distance_and_log_det_equal_the_reference(seed, full):
    rng = np.random.default_rng(seed)
    d = rng.integers(1, 5)
    metric, (x, z) = random_metric(rng, d, full), rng.normal(size=(2, d))
    assert _kernels.squared_distance(x, z, metric) == pytest.approx(mpck.squared_distance(x, z, metric), rel=1e-9)
    assert _kernels.log_det(metric) == pytest.approx(mpck.log_det(metric), rel=1e-9)
    assert _kernels.plain_squared_distance(x, z) == pytest.approx(((x - z) ** 2).sum(), rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_cholesky_is_a_triangular_root_of_the_inverse(seed):
    rng = np.random.default_rng(seed)
    S = random_metric(rng, rng.integers(1, 5), full=True)
    definite, root = inverse_cholesky(S, np.zeros(len(S)))
    assert definite
    assert_array_equal(root, np.tril(root))
    assert_allclose(root.T @ root @ S, np.eye(len(S)), atol=1e-9)


def test_a_pivot_that_does_not_exceed_its_floor_is_not_definite():
    assert inverse_cholesky(np.diag([1.0, 2.0]), np.array([0.5, 1.9]))[0]
    assert not inverse_cholesky(np.diag([1.0, 2.0]), np.array([0.5, 2.0]))[0]
    assert not inverse_cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]), np.zeros(2))[0]


# ---- MPCK-Means


@pytest.mark.parametrize(("full", "shared"), KINDS, ids=KIND_NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_mpck_sweep_equals_the_reference(seed, full, shared):
    scene = make_scene(seed, full=full, shared=shared, unassigned=True)
    reach = mpck.farthest_distances(scene.X, scene.metrics)
    expected = mpck.sweep(scene.X, scene.centers, scene.metrics, scene.labels, *scene.listed, reach)
    _kernels.mpck_sweep(scene.X, scene.centers, scene.metrics, scene.log_dets, reach, scene.labels, scene.links)
    assert_array_equal(scene.labels, expected)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_mpck_sweep_breaks_ties_as_the_reference_to_the_lowest_cluster(seed):
    scene = make_scene(seed, unassigned=True, whole_numbers=True)
    scene.metrics = np.ones_like(scene.centers)
    reach = mpck.farthest_distances(scene.X, scene.metrics)
    expected = mpck.sweep(scene.X, scene.centers, scene.metrics, scene.labels, *scene.listed, reach)
    _kernels.mpck_sweep(scene.X, scene.centers, scene.metrics, scene.log_dets, reach, scene.labels, scene.links)
    assert_array_equal(scene.labels, expected)


@pytest.mark.parametrize(("full", "shared"), KINDS, ids=KIND_NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_mpck_objective_equals_the_reference(seed, full, shared):
    scene = make_scene(seed, full=full, shared=shared)
    reach = mpck.farthest_distances(scene.X, scene.metrics)
    expected = mpck.objective(scene.X, scene.labels, scene.centers, scene.metrics, *scene.listed, reach)
    found = _kernels.mpck_objective(
        scene.X, scene.centers, scene.metrics, scene.log_dets, reach, scene.labels, scene.links
    )
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("full", "shared"), KINDS, ids=KIND_NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_gaps_and_reaches_are_those_of_the_farthest_pair_under_each_metric(seed, full, shared):
    scene = make_scene(seed, full=full, shared=shared)
    gaps, reach = np.full_like(scene.centers, np.nan), np.full(scene.k, np.nan)
    _kernels.update_farthest(scene.X, scene.X.mean(axis=0), scene.metrics, shared, gaps, reach)
    assert_allclose(reach, mpck.farthest_distances(scene.X, scene.metrics), rtol=1e-9)
    for h in range(scene.k):
        expected = mpck.farthest_differences(scene.X, scene.metrics)[h]
        assert_allclose(gaps[h] * np.sign(gaps[h] @ expected), expected, rtol=1e-9)


@pytest.mark.parametrize(("full", "shared"), KINDS, ids=KIND_NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_scatters_and_metrics_equal_the_reference(seed, full, shared):
    scene = make_scene(seed, full=full, shared=shared)
    gaps = mpck.farthest_differences(scene.X, scene.metrics)
    centers = scene.centers.copy()
    counts = _kernels.update_centers(scene.X, scene.labels, centers)
    S = _kernels.scatters(scene.X, centers, scene.labels, scene.links, gaps, scene.metrics)
    for h in range(scene.k):
        expected = mpck.scatter(h, scene.X, scene.labels, centers, *scene.listed, gaps[h], full)
        assert_allclose(S[h], expected, rtol=1e-9, atol=1e-12)
    expected = mpck.update_metrics(scene.X, scene.labels, centers, scene.metrics, *scene.listed, gaps, shared)
    metrics, log_dets = scene.metrics.copy(), scene.log_dets
    rounding = (4 * np.finfo(float).eps * np.abs(scene.X).max(axis=0)) ** 2
    _kernels.update_metrics(S, counts, rounding, shared, metrics, log_dets)
    for found, wanted in zip(metrics, expected, strict=True):
        assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
    assert_allclose(log_dets, [mpck.log_det(metric) for metric in expected], rtol=1e-9, atol=1e-9)


def test_a_spread_of_zero_or_less_keeps_the_weight_of_its_feature_alone():
    metric = np.array([5.0, 6.0, 7.0])
    assert _kernels.set_metric(np.array([2.0, 0.0, -1.0]), 4, np.zeros(3), metric)
    assert_array_equal(metric, [2.0, 6.0, 7.0])
    assert not _kernels.set_metric(np.array([0.0, 0.0, -1.0]), 4, np.zeros(3), metric)
    assert_array_equal(metric, [2.0, 6.0, 7.0])


@pytest.mark.parametrize(
    "S",
    [
        [[1.0, 2.0], [2.0, 1.0]],
        [[1.0, 1.0], [1.0, 1.0]],
        [[-1.0, 0.0], [0.0, 2.0]],
        [[0.0, 0.0], [0.0, 0.0]],
        [[0.1 + 0.2, 0.3], [0.3, 0.3]],
    ],
    ids=["indefinite", "singular", "negative", "zero", "singular-up-to-rounding"],
)
def test_a_spread_that_is_not_positive_definite_keeps_the_whole_matrix(S):
    metric = np.array([[3.0, 1.0], [1.0, 2.0]])
    assert not _kernels.set_metric(np.array(S), 4, np.zeros(2), metric)
    assert_array_equal(metric, [[3.0, 1.0], [1.0, 2.0]])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_cluster_of_d_points_or_fewer_has_a_singular_spread_and_keeps_its_matrix(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * rng.uniform(0.01, 100, 5) + rng.normal(size=5)
    centers, labels = np.zeros((1, 5)), np.zeros(n, np.int64)
    counts = _kernels.update_centers(X, labels, centers)
    metrics, log_dets = np.eye(5)[np.newaxis], np.zeros(1)
    links = build_links(n, *Scene(X, centers, labels, Constraints([], []), metrics).listed)
    S = _kernels.scatters(X, centers, labels, links, np.zeros((1, 5)), metrics)
    rounding = (4 * np.finfo(float).eps * np.abs(X).max(axis=0)) ** 2
    _kernels.update_metrics(S, counts, rounding, False, metrics, log_dets)
    assert_array_equal(metrics[0], np.eye(5))
    assert log_dets[0] == 0


@pytest.mark.parametrize(("full", "shared"), KINDS, ids=KIND_NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_nearest_takes_the_cluster_of_least_distance_minus_log_det(seed, full, shared):
    scene = make_scene(seed, full=full, shared=shared)
    costs = [
        [mpck.cost(i, h, scene.X, scene.centers, scene.metrics, scene.labels, [], [], [], np.zeros(scene.k))
         for h in range(scene.k)]
        for i in range(len(scene.X))
    ]  # fmt: skip
    found = _kernels.nearest(scene.X, scene.centers, scene.metrics, scene.log_dets)
    assert_array_equal(found, np.argmin(costs, axis=1))


# ---- the farthest pair


def shapes(rng, n, d):
    """Point sets that make the search for the farthest pair hard in different ways."""
    ball = rng.normal(size=(n, d))
    sphere = ball / np.linalg.norm(ball, axis=1, keepdims=True)
    line = np.outer(rng.normal(size=n), ball[0])
    copies = ball[rng.integers(n, size=n)]
    lopsided = np.vstack([ball * 0.01, 5 + rng.normal(size=(3, d))])[:, :d]
    return {
        "ball": ball,
        "sphere": sphere,
        "line": line,
        "copies": copies,
        "heavy-tails": rng.standard_cauchy((n, d)),
        "lopsided": lopsided,
        "far-from-the-origin": ball + 1e6,
        "one-far-point": np.vstack([ball, np.full(d, 1e5)]),
        "grid": rng.integers(0, 4, (n, d)) * 1.0,
        "cube": rng.uniform(size=(n, d)),
        "all-the-same": np.tile(ball[0], (n, 1)),
    }


SHAPES = sorted(shapes(np.random.default_rng(0), 3, 2))


def all_pairs(X, metric):
    """Squared distances under a metric; the largest is the length of the farthest pair."""
    root = np.linalg.cholesky(metric) if metric.ndim == 2 else np.diag(np.sqrt(metric))
    return pdist(X @ root, "sqeuclidean") if len(X) > 1 else np.zeros(1)


@pytest.mark.parametrize("full", [False, True], ids=["diagonal", "full"])
@pytest.mark.parametrize("shape", SHAPES)
def test_farthest_pair_equals_the_search_over_all_pairs(shape, full):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, d = int(rng.choice([1, 2, 3, 10, 40])), int(rng.integers(1, 5))
        X = shapes(rng, n, d)[shape]
        metric = random_metric(rng, d, full)
        i, j = _kernels.farthest_pair(X, X.mean(axis=0), metric)
        assert 0 <= i <= j < len(X)
        distances = all_pairs(X, metric)
        # beside huge coordinates the slow distances are not exact
        slop = 1e-9 * np.abs(X).max() if shape == "far-from-the-origin" else 0
        assert mpck.squared_distance(X[i], X[j], metric) == pytest.approx(distances.max(), rel=1e-9, abs=slop)
        by_length = np.sort(distances)
        if len(by_length) > 1 and by_length[-2] < by_length[-1] * (1 - 1e-9) - slop:
            assert {i, j} == set(np.unravel_index(np.argmax(squareform(distances)), (len(X), len(X))))


def test_farthest_pair_needs_not_hold_the_point_farthest_from_the_mean():
    """In a regular triangle with one heavy corner the far edge wins, though each of its ends is nearer to the mean."""
    X = np.array([[0.0, 0.0]] * 5 + [[0.0, 4.0], [2.9, 2.9], [-2.9, 2.9]])
    i, j = _kernels.farthest_pair(X, X.mean(axis=0), np.ones(2))
    assert (i, j) == (6, 7)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 3), st.integers(2, 8))
def test_farthest_pair_is_as_long_as_the_longest_on_a_grid(seed, n, d, side):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, side, (n, d)) * 1.0
    metric = rng.integers(1, 4, d) * 1.0
    i, j = _kernels.farthest_pair(X, X.mean(axis=0), metric)
    assert mpck.squared_distance(X[i], X[j], metric) == np.rint(all_pairs(X, metric).max())


@pytest.mark.parametrize("seed", range(10))
def test_farthest_pair_does_not_depend_on_the_point_that_distances_are_sorted_by(seed):
    """The bound is the triangle inequality, which holds about any point; the mean only makes it sharp."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3)) @ ortho_group.rvs(3, random_state=seed)
    pairs = {_kernels.farthest_pair(X, center, np.ones(3)) for center in (X.mean(axis=0), X[0], np.full(3, 50.0))}
    assert len(pairs) == 1
