"""The kernels of neighborhoods compute what the slow references compute from every single pair that
follows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mvcc import Constraints, MPCKMeans, PCKMeans
from mvcc._utils.kernels.shared import build_links
from mvcc.cluster._kernels.geometry import in_lanes, update_farthest
from mvcc.cluster._kernels.groups import constrained_rows, count_violations, tally, violations
from mvcc.cluster._kernels.mpck import mpck_objective, mpck_sweep, scatters
from mvcc.cluster._kernels.pck import cost_table, pck_objective, pck_sweep
from mvcc.constraints._closure import Groups, Neighborhoods
from tests.reference import mpck, pck
from tests.strategies import as_dict, random_constraints

SEEDS = range(25)
of_both_metrics = pytest.mark.parametrize("full", [False, True], ids=["diagonal", "full"])


@dataclass
class Scene:
    """Neighborhoods in the middle of a run, with all the pairs that follow from them, and a list of
    other pairs.
    """

    X: np.ndarray
    centers: np.ndarray
    labels: np.ndarray
    metrics: np.ndarray
    groups: Groups
    closed: Constraints
    others: Constraints

    @property
    def k(self):
        return len(self.centers)

    @property
    def links(self):
        return build_links(
            len(self.X), self.others.pairs, self.others.must_link, self.others.weights
        )

    @property
    def listed(self):
        """All constraints as the references take them."""
        both = (self.closed, self.others)
        return tuple(
            np.concatenate([getattr(c, part) for c in both])
            for part in ("pairs", "must_link", "weights")
        )

    @property
    def log_dets(self):
        return np.array([mpck.log_det(metric) for metric in self.metrics])

    def tally(self, origin=None, m=None):
        m = 1 + self.X.shape[1] + self.metrics[0].size if m is None else m
        return tally(
            self.X,
            self.X.mean(axis=0) if origin is None else origin,
            self.labels,
            self.groups,
            self.k,
            m,
        )

    def farthest(self):
        gaps, reach = np.zeros_like(self.centers), np.zeros(self.k)
        lanes, mean = in_lanes(self.X, np.arange(len(self.X))), self.X.mean(axis=0, keepdims=True)
        known = np.full((self.k, self.metrics[0].size), np.nan)
        update_farthest(self.X, lanes, mean, self.metrics, False, known, gaps, reach)
        return gaps, reach


def make_scene(seed, *, full=False, unassigned=False):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(6, 16)), int(rng.integers(1, 4)), int(rng.integers(1, 5))
    home = rng.integers(rng.integers(2, 6), size=n)
    apart = [[a, b] for b in range(home.max() + 1) for a in range(b) if rng.random() < 0.6]
    # the others are in no neighborhood
    rows = np.sort(rng.permutation(n)[: rng.integers(2, n + 1)])
    weight = rng.choice([0.25, 1.0, 3.0])
    neighborhoods = Neighborhoods.of(
        rows, home[rows], home.max() + 1, *np.array(apart, int).reshape(-1, 2).T, weight
    )
    keys = [(i, j) for j in rows.tolist() for i in rows.tolist() if i < j]
    pairs = [(i, j, True) for i, j in keys if home[i] == home[j]]
    pairs += [(i, j, False) for i, j in keys if sorted((home[i], home[j])) in apart]
    closed = Constraints(
        [key[:2] for key in pairs], [key[2] for key in pairs], np.full(len(pairs), weight)
    )
    others = random_constraints(rng, n, 6, [0.5, 2.0])
    roots = rng.normal(size=(k, d, d))
    metrics = (
        roots @ roots.transpose(0, 2, 1) + 0.2 * np.eye(d) if full else rng.uniform(0.2, 3, (k, d))
    )
    labels = rng.integers(k, size=n)
    labels[rng.random(n) < (0.4 if unassigned else 0)] = -1
    groups = neighborhoods.groups(n)
    return Scene(
        rng.normal(size=(n, d)) + 3,
        rng.normal(size=(k, d)),
        labels,
        metrics,
        groups,
        closed,
        others,
    )


def moments(x, size):
    """Return 1, x, and the squares or products of x, as many as there are wanted."""
    products = x**2 if size == 1 + 2 * len(x) else np.outer(x, x).ravel()
    return np.concatenate(([1.0], x, products))[:size]


@of_both_metrics
@pytest.mark.parametrize("alone", [False, True], ids=["all-moments", "sizes-alone"])
def test_moments_are_sums_over_the_members_and_over_all_rivals_of_every_cluster(full, alone):
    for seed in SEEDS:
        scene = make_scene(seed, full=full, unassigned=True)
        m = 1 if alone else 1 + scene.X.shape[1] + scene.metrics[0].size
        origin = np.random.default_rng(seed).normal(size=scene.X.shape[1])
        own, rivals = scene.tally(origin, m)
        member, start, rival, _ = scene.groups
        expected = np.zeros((len(start) - 1, scene.k, m))
        for i in np.flatnonzero((member >= 0) & (scene.labels >= 0)):
            expected[member[i], scene.labels[i]] += moments(scene.X[i] - origin, m)
        assert_allclose(own, expected, rtol=1e-12, atol=1e-12)
        for g in range(len(expected)):
            assert_allclose(
                rivals[g],
                expected[rival[start[g] : start[g + 1]]].sum(axis=0),
                rtol=1e-12,
                atol=1e-12,
            )


def test_rows_are_constrained_by_a_neighborhood_or_by_a_listed_constraint():
    for seed in SEEDS:
        scene = make_scene(seed)
        named = set(scene.others.pairs.ravel().tolist())
        members = set(np.flatnonzero(scene.groups[0] >= 0).tolist())
        for groups, expected in ((scene.groups, named | members), (None, named)):
            bound, free = constrained_rows(len(scene.X), scene.links, groups)
            assert bound.tolist() == sorted(expected)
            assert free.tolist() == sorted(set(range(len(scene.X))) - expected)


@pytest.mark.parametrize("unassigned", [False, True], ids=["assigned", "unassigned"])
def test_a_sweep_of_pck_means_gives_the_labels_of_the_reference_and_keeps_the_sizes_up_to_date(
    unassigned,
):
    for seed in SEEDS:
        scene = make_scene(seed, unassigned=unassigned)
        expected = pck.sweep(scene.X, scene.centers, scene.labels, *scene.listed)
        everyone, ones = np.arange(len(scene.X)), np.ones_like(scene.centers)
        table = cost_table(scene.X, everyone, scene.centers, ones, np.zeros(scene.k))
        own, rivals = scene.tally(m=1)
        pck_sweep(everyone, table, scene.labels, scene.links, scene.groups, own, rivals)
        assert_array_equal(scene.labels, expected, f"seed {seed}")
        for found, anew in zip((own, rivals), scene.tally(m=1), strict=True):
            assert_array_equal(found, anew, f"seed {seed}")


@of_both_metrics
@pytest.mark.parametrize("unassigned", [False, True], ids=["assigned", "unassigned"])
def test_a_sweep_of_mpck_means_gives_the_labels_of_the_reference_and_keeps_the_moments_up_to_date(
    full, unassigned
):
    for seed in SEEDS:
        scene = make_scene(seed, full=full, unassigned=unassigned)
        farthest = mpck.farthest_distances(scene.X, scene.metrics)
        expected = mpck.sweep(
            scene.X, scene.centers, scene.metrics, scene.labels, *scene.listed, farthest
        )
        everyone, origin = np.arange(len(scene.X)), scene.X.mean(axis=0)
        table = cost_table(scene.X, everyone, scene.centers, scene.metrics, scene.log_dets)
        own, rivals = scene.tally()
        state = scene.metrics, scene.farthest()[1], scene.labels, scene.links, scene.groups
        mpck_sweep(scene.X, everyone, table, *state, origin, own, rivals)
        assert_array_equal(scene.labels, expected, f"seed {seed}")
        for found, anew in zip((own, rivals), scene.tally(), strict=True):
            assert_allclose(found, anew, atol=1e-9, err_msg=f"seed {seed}")


@of_both_metrics
def test_violated_constraints_count_in_the_objective_and_in_the_scatters_as_their_pairs_do(full):
    for seed in SEEDS:
        scene = make_scene(seed, full=full)
        gaps, reach = scene.farthest()
        # moments of a row at the origin are 0, but it is there
        origin = scene.X[seed % len(scene.X)]
        broken = violations(*scene.tally(origin), scene.groups, scene.X.shape[1])
        found = mpck_objective(
            scene.X,
            scene.centers,
            scene.metrics,
            scene.log_dets,
            reach,
            scene.labels,
            scene.links,
            broken,
        )
        state = scene.X, scene.labels, scene.centers
        assert found == pytest.approx(
            mpck.objective(*state, scene.metrics, *scene.listed, reach), rel=1e-9
        ), seed
        S, _ = scatters(
            scene.X, scene.centers, scene.labels, scene.links, gaps, scene.metrics, broken
        )
        for h in range(scene.k):
            expected = mpck.scatter(h, *state, *scene.listed, gaps[h], full)
            assert_allclose(S[h], expected, rtol=1e-9, atol=1e-9, err_msg=f"seed {seed}")


def test_pck_means_pays_the_weight_of_every_violated_constraint():
    for seed in SEEDS:
        scene = make_scene(seed)
        violated = count_violations(*scene.tally(m=1), scene.groups)
        expected = sum(
            w
            for (i, j, must), w in as_dict(scene.closed).items()
            if (scene.labels[i] == scene.labels[j]) != must
        )
        assert violated == pytest.approx(expected), seed
        found = pck_objective(scene.X, scene.centers, scene.labels, scene.links) + violated
        assert found == pytest.approx(
            pck.objective(scene.X, scene.labels, scene.centers, *scene.listed)
        ), seed


@pytest.mark.parametrize(
    "estimator",
    [PCKMeans(), MPCKMeans(), MPCKMeans(shared_metric=True), MPCKMeans(metric="full")],
    ids=["pck", "mpck", "mpck-shared", "mpck-full"],
)
def test_a_fit_by_neighborhoods_is_the_fit_by_the_pairs_that_follow_from_them(
    monkeypatch, estimator
):
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", -1)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(16, 2)) * [1, 30] + 500, rng.integers(3, size=16)
        held = Constraints.from_labels(y, 8 + seed % 2, seed).closure()
        init = "neighborhoods" if seed % 2 else X[:3] + rng.normal(size=(3, 2))
        estimator.set_params(n_clusters=3, init=init, max_iter=8, random_state=seed)
        found = estimator.fit(X, constraints=held)
        assert held._listed is None, "the pairs were made"
        state = found.labels_.tolist(), found.n_iter_, found.cluster_centers_, found.objective_
        listed = estimator.fit(X, constraints=Constraints(held.pairs, held.must_link, held.weights))
        assert (listed.labels_.tolist(), listed.n_iter_) == state[:2], seed
        assert_allclose(listed.cluster_centers_, state[2], rtol=1e-12)
        assert listed.objective_ == pytest.approx(state[3], rel=1e-9)
