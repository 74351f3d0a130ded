"""Compiled kernels compute what their references do, for lists and for neighborhoods."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from mvcc import Constraints
from mvcc._utils.kernels import build_links
from mvcc.cluster._descent import Problem
from mvcc.cluster._kernels.geometry import in_lanes, relocate_empty, take_farthest, update_farthest
from mvcc.cluster._kernels.groups import count_violations, tally, violations
from mvcc.cluster._kernels.mpck import mpck_objective, mpck_sweep, scatters, update_metrics
from mvcc.cluster._kernels.pck import cost_table, pck_objective, pck_sweep, update_centers
from mvcc.constraints._closure import Neighborhoods
from tests.reference import mpck, pck
from tests.strategies import seeds

SEEDS = {False: range(60), True: range(25)}  # references take long with many pairs
KINDS = [(False, False), (False, True), (True, False), (True, True)]
of_every_kind = pytest.mark.parametrize(
    ("full", "shared"), KINDS, ids=["diagonal", "shared-diagonal", "full", "shared-full"]
)
listed_or_held = pytest.mark.parametrize("held", [False, True], ids=["listed", "held"])


@dataclass
class Scene:
    """A small clustering problem in the middle of a run."""

    X: np.ndarray
    centers: np.ndarray
    labels: np.ndarray
    metrics: np.ndarray
    constraints: Constraints
    neighborhoods: Neighborhoods | None
    closed: Constraints  # what follows from the neighborhoods

    @property
    def k(self):
        return len(self.centers)

    @property
    def everyone(self):
        return np.arange(len(self.X))

    @property
    def links(self):
        return build_links(len(self.X), *self.constraints.listed())

    @property
    def groups(self):
        return self.neighborhoods and self.neighborhoods.groups(len(self.X))

    @property
    def listed(self):
        parts = zip(self.closed.listed(), self.constraints.listed(), strict=True)
        return tuple(map(np.concatenate, parts))

    @property
    def log_dets(self):
        return np.array([mpck.log_det(metric) for metric in self.metrics])

    def tally(self, origin, m=None):
        """Return moments of neighborhoods seen from a point; none where there are none."""
        if self.neighborhoods is None:
            return None, None
        m = 1 + self.X.shape[1] + self.metrics[0].size if m is None else m
        return tally(self.X, origin, self.labels, self.groups, self.k, m)

    def broken(self, origin):
        moments = self.tally(origin)
        return self.neighborhoods and violations(*moments, self.groups, self.X.shape[1])


def make_scene(
    seed, *, full=False, shared=False, unassigned=False, whole_numbers=False, held=False
):
    """Draw a scene with repeated rows, contradictory constraints, and weights of all sizes."""
    rng = np.random.default_rng(seed)
    k = rng.integers(1, 5)
    n, d = rng.integers(k + held, 16), rng.integers(1, 5)
    if whole_numbers:  # all sums are exact, so that many costs are exactly tied
        X, centers = rng.integers(-2, 3, (n, d)) * 1.0, rng.integers(-2, 3, (k, d)) * 1.0
    else:
        X, centers = rng.normal(size=(n, d)), rng.normal(size=(k, d))
    copies = rng.integers(n, size=(2, rng.integers(0, 4)))
    X[copies[0]] = X[copies[1]]
    pairs = rng.integers(n, size=(rng.integers(0, 4 * n), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    scale = 1 if whole_numbers else rng.uniform(0.5, 2, len(pairs))
    weights = rng.choice([0, 0.25, 0.5, 1, 4], len(pairs)) * scale
    metrics = [random_metric(rng, d, full) for _ in range(1 if shared else k)]
    used = rng.permutation(k)[: rng.integers(1, k + 1)]  # the other clusters are empty
    labels = used[rng.integers(len(used), size=n)]
    labels[rng.random(n) < (0.3 if unassigned else 0)] = -1
    return Scene(
        X,
        centers,
        labels,
        np.array(metrics * k if shared else metrics),
        Constraints(pairs, rng.random(len(pairs)) < 0.5, weights),
        *(random_neighborhoods(rng, n) if held else (None, Constraints([], []))),
    )


def random_metric(rng, d, full):
    if not full:
        return rng.uniform(0.2, 3, d)
    root = rng.normal(size=(d, d))
    return root @ root.T + 0.2 * np.eye(d)


def random_neighborhoods(rng, n):
    """Draw neighborhoods of some of n rows; return them, and all pairs that follow from them."""
    home = rng.integers(rng.integers(2, 6), size=n)
    apart = [[a, b] for b in range(home.max() + 1) for a in range(b) if rng.random() < 0.6]
    rows, weight = np.sort(rng.permutation(n)[: rng.integers(2, n + 1)]), rng.choice([0.25, 1, 3])
    ends = np.array(apart, int).reshape(-1, 2).T
    neighborhoods = Neighborhoods.of(rows, home[rows], home.max() + 1, *ends, weight)
    keys = [(i, j) for j in rows.tolist() for i in rows.tolist() if i < j]
    follow = [(i, j) for i, j in keys if home[i] == home[j] or sorted((home[i], home[j])) in apart]
    together = [home[i] == home[j] for i, j in follow]
    return neighborhoods, Constraints(follow, together, np.full(len(follow), weight))


# ---- constraints


@pytest.mark.parametrize("full", [False, True], ids=["diagonal", "full"])
@pytest.mark.parametrize("alone", [False, True], ids=["all-moments", "sizes-alone"])
def test_moments_are_sums_over_the_members_and_over_all_rivals_of_every_cluster(full, alone):
    for seed in SEEDS[True]:
        scene = make_scene(seed, full=full, unassigned=True, held=True)
        m = 1 if alone else 1 + scene.X.shape[1] + scene.metrics[0].size
        origin = np.random.default_rng(seed).normal(size=scene.X.shape[1])
        own, rivals = scene.tally(origin, m)
        member, start, rival, _ = scene.groups
        expected = np.zeros((len(start) - 1, scene.k, m))
        for i in np.flatnonzero((member >= 0) & (scene.labels >= 0)):
            x = scene.X[i] - origin
            products = np.outer(x, x).ravel() if full else x**2
            expected[member[i], scene.labels[i]] += np.concatenate(([1.0], x, products))[:m]
        assert_allclose(own, expected, rtol=1e-12, atol=1e-12)
        for g, found in enumerate(rivals):
            wanted = expected[rival[start[g] : start[g + 1]]].sum(axis=0)
            assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_rows_are_constrained_by_a_neighborhood_or_by_a_listed_constraint():
    for seed in SEEDS[True]:
        scene = make_scene(seed, held=True)
        named = set(scene.constraints.pairs.ravel().tolist())
        members = set(scene.closed.pairs.ravel().tolist())
        for groups, expected in ((scene.groups, named | members), (None, named)):
            problem = Problem(scene.X, scene.constraints.listed(), groups)
            assert problem.bound.tolist() == sorted(expected)
            assert problem.free.tolist() == sorted(set(range(len(scene.X))) - expected)


# ---- PCK-Means


def pck_sweep_agrees(scene, seed):
    expected = pck.sweep(scene.X, scene.centers, scene.labels, *scene.listed)
    ones, origin = np.ones_like(scene.centers), np.zeros(scene.X.shape[1])
    table = cost_table(scene.X, scene.everyone, scene.centers, ones, np.zeros(scene.k))
    own, rivals = scene.tally(origin, 1)
    pck_sweep(scene.everyone, table, scene.labels, scene.links, scene.groups, own, rivals)
    assert_array_equal(scene.labels, expected, f"seed {seed}")
    for kept, anew in zip((own, rivals), scene.tally(origin, 1), strict=True):
        assert_array_equal(kept, anew, f"seed {seed}")


@listed_or_held
def test_pck_sweep_equals_the_reference(held):
    for seed in SEEDS[held]:
        pck_sweep_agrees(make_scene(seed, unassigned=seed % 3 > 0, held=held), seed)


@given(seeds)
def test_pck_sweep_breaks_ties_as_the_reference_to_the_lowest_cluster(seed):
    pck_sweep_agrees(make_scene(seed, unassigned=True, whole_numbers=True), seed)


@listed_or_held
def test_pck_objective_equals_the_reference(held):
    for seed in SEEDS[held]:
        scene = make_scene(seed, held=held)
        expected = pck.objective(scene.X, scene.labels, scene.centers, *scene.listed)
        found = pck_objective(scene.X, scene.centers, scene.labels, scene.links)
        if held:
            found += count_violations(*scene.tally(np.zeros(scene.X.shape[1]), 1), scene.groups)
        assert found == pytest.approx(expected, rel=1e-9), seed


# ---- centers


def test_empty_clusters_take_the_farthest_points_in_turn():
    n_empty = 0
    for seed in SEEDS[False]:
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


# ---- MPCK-Means


def mpck_sweep_agrees(scene, seed):
    reach = mpck.farthest_distances(scene.X, scene.metrics)
    expected = mpck.sweep(scene.X, scene.centers, scene.metrics, scene.labels, *scene.listed, reach)
    table = cost_table(scene.X, scene.everyone, scene.centers, scene.metrics, scene.log_dets)
    origin = None if scene.neighborhoods is None else scene.X.mean(axis=0)
    own, rivals = scene.tally(origin)
    state = scene.metrics, reach, scene.labels, scene.links, scene.groups
    mpck_sweep(scene.X, scene.everyone, table, *state, origin, own, rivals)
    assert_array_equal(scene.labels, expected, f"seed {seed}")
    if origin is not None:
        for kept, anew in zip((own, rivals), scene.tally(origin), strict=True):
            assert_allclose(kept, anew, atol=1e-9, err_msg=f"seed {seed}")


@listed_or_held
@of_every_kind
def test_mpck_sweep_equals_the_reference(full, shared, held):
    for seed in SEEDS[held]:
        kind = {"full": full, "shared": shared, "held": held}
        mpck_sweep_agrees(make_scene(seed, unassigned=seed % 3 > 0, **kind), seed)


@given(seeds)
def test_mpck_sweep_breaks_ties_as_the_reference_to_the_lowest_cluster(seed):
    scene = make_scene(seed, unassigned=True, whole_numbers=True)
    scene.metrics = np.ones_like(scene.centers)
    mpck_sweep_agrees(scene, seed)


@listed_or_held
@of_every_kind
def test_mpck_objective_equals_the_reference(full, shared, held):
    for seed in SEEDS[held]:
        scene = make_scene(seed, full=full, shared=shared, held=held)
        reach = mpck.farthest_distances(scene.X, scene.metrics)
        state = scene.X, scene.labels, scene.centers, scene.metrics
        expected = mpck.objective(*state, *scene.listed, reach)
        # moments of a row at the origin are 0, but it is there
        broken = scene.broken(scene.X[seed % len(scene.X)])
        state = scene.metrics, scene.log_dets, reach, scene.labels, scene.links, broken
        found = mpck_objective(scene.X, scene.centers, *state)
        assert found == pytest.approx(expected, rel=1e-9), seed


@listed_or_held
@of_every_kind
def test_scatters_and_metrics_equal_the_reference(full, shared, held):
    n_learned = 0
    for seed in SEEDS[held]:
        scene = make_scene(seed, full=full, shared=shared, held=held)
        gaps = mpck.farthest_differences(scene.X, scene.metrics)
        centers = scene.centers.copy()
        counts = update_centers(scene.X, scene.labels, centers)
        broken = scene.broken(scene.X.mean(axis=0))
        S, lost = scatters(scene.X, centers, scene.labels, scene.links, gaps, scene.metrics, broken)
        for h in range(scene.k):
            expected = mpck.scatter(h, scene.X, scene.labels, centers, *scene.listed, gaps[h], full)
            atol = 1e-9 if held else 1e-12
            assert_allclose(S[h], expected, rtol=1e-9, atol=atol, err_msg=f"seed {seed}")
        metrics, log_dets = scene.metrics.copy(), scene.log_dets
        # the square of what a difference within each feature can be wrong by
        rounding = (4 * np.finfo(float).eps * np.abs(scene.X).max(axis=0)) ** 2
        update_metrics(S, lost, counts, rounding, shared, metrics, log_dets)
        state = scene.X, scene.labels, centers, scene.metrics
        expected = mpck.update_metrics(*state, *scene.listed, gaps, shared)
        for found, wanted in zip(metrics, expected, strict=True):
            atol = 1e-9 * np.abs(wanted).max()
            assert_allclose(found, wanted, rtol=1e-9, atol=atol, err_msg=f"seed {seed}")
        wanted = [mpck.log_det(metric) for metric in expected]
        assert_allclose(log_dets, wanted, rtol=1e-9, atol=1e-9)
        n_learned += (metrics != scene.metrics).any()
    assert n_learned > len(SEEDS[held]) / 2


NOT_POSITIVE_DEFINITE = {
    "indefinite": [[1.0, 2.0], [2.0, 1.0]],
    "singular": [[1.0, 1.0], [1.0, 1.0]],
    "negative-first": [[-1.0, 0.0], [0.0, 2.0]],
    "negative-last": [[2.0, 0.0], [0.0, -1.0]],
    "zero": [[0.0, 0.0], [0.0, 0.0]],
    "singular-up-to-rounding": [[0.1 + 0.2, 0.3], [0.3, 0.3]],
}


@pytest.mark.parametrize("S", NOT_POSITIVE_DEFINITE.values(), ids=NOT_POSITIVE_DEFINITE)
def test_a_spread_that_is_not_positive_definite_keeps_the_whole_matrix(S):
    for shared in (False, True):
        metrics, log_dets = np.array([[[3.0, 1.0], [1.0, 2.0]]]), np.log([5.0])
        rounding = np.zeros((1, 2)), np.array([4]), np.zeros(2)
        update_metrics(np.array([S]), *rounding, shared, metrics, log_dets)
        assert_array_equal(metrics, [[[3.0, 1.0], [1.0, 2.0]]])
        assert_array_equal(log_dets, np.log([5.0]))


# ---- the farthest pair of each metric


def test_a_metric_that_is_still_the_same_keeps_its_pair_and_any_other_is_searched():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    metrics = np.array([[1.0, 1.0], [9.0, 1.0], [9.0, 1.0]])
    known = np.array([[1.0, 1.0], [9.0, 2.0], [8.0, 1.0]])
    gaps, reach, mean = np.full((3, 2), 7.0), np.full(3, 7.0), X.mean(axis=0, keepdims=True)
    take_farthest(known, gaps, reach, 2, 1)  # and so what is known of a cluster goes with its pair
    metrics[2] = known[1]
    update_farthest(X, in_lanes(X, np.arange(3)), mean, metrics, False, known, gaps, reach)
    assert gaps.tolist() == [[7, 7], [1, -2], [7, 7]]
    assert reach.tolist() == [7, 13, 7]
