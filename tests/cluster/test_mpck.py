"""MPCK-Means minimizes Eq. 1 in turns with the farthest pair of Eq. 3, and says when it cycles."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mvcc import Constraints
from mvcc._utils.kernels import build_links
from mvcc.cluster._kernels.groups import tally, violations
from mvcc.cluster._kernels.mpck import scatters, set_metric
from mvcc.constraints._closure import Neighborhoods
from tests.cluster import test_laws as laws
from tests.cluster.test_laws import same_fit
from tests.reference import mpck
from tests.strategies import random_constraints

KINDS = {name: kind for name, kind in laws.KINDS.items() if name != "pck"}
of_every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def fit(X, constraints, k, init="neighborhoods", **options):
    return laws.fit("diagonal", X, constraints, k, init, **options)


# ---- the algorithm


def relocate(X, labels, centers, metrics):
    """Move empty clusters to the farthest points; False when two are equally far."""
    distances = [
        mpck.squared_distance(x, centers[h], metrics[h]) for x, h in zip(X, labels, strict=True)
    ]
    by_distance = np.argsort(distances)[::-1]
    empty = [h for h in range(len(centers)) if h not in labels]
    for h, i in zip(empty, by_distance, strict=False):
        centers[h], metrics[h] = X[i], metrics[labels[i]]
    ranks = np.sort(distances)[::-1][: len(empty) + 1]
    return not (empty and (np.diff(ranks) > -1e-9 * ranks[0]).any())


def reference_run(X, c, start, full, shared, n_iterations):
    """Yield (labels, centers, metrics, objective) after every iteration."""
    k, d = start.shape
    centers, labels = start.copy(), np.full(len(X), -1)
    metrics = np.tile(np.eye(d), (k, 1, 1)) if full else np.ones((k, d))
    for _ in range(n_iterations):
        reach, gaps = mpck.farthest_distances(X, metrics), mpck.farthest_differences(X, metrics)
        labels = mpck.sweep(X, centers, metrics, labels, *c.listed(), reach)
        for h in np.unique(labels):
            centers[h] = X[labels == h].mean(axis=0)
        metrics = mpck.update_metrics(X, labels, centers, metrics, *c.listed(), gaps, shared)
        reach = mpck.farthest_distances(X, metrics)
        objective = mpck.objective(X, labels, centers, metrics, *c.listed(), reach)
        if not relocate(X, labels, centers, metrics):
            return
        yield labels, centers.copy(), metrics.copy(), objective


@of_every_kind
def test_every_iteration_is_that_of_the_reference(kind):
    n_iterations = n_after_relocation = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, d, k = rng.integers(6, 20), rng.integers(1, 4), rng.integers(1, 4)
        X = rng.normal(size=(n, d)) * rng.uniform(0.3, 3, d)
        pairs = rng.integers(n, size=(rng.integers(0, 2 * n), 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        c = Constraints(pairs, rng.random(len(pairs)) < 0.5, rng.uniform(0.1, 2, len(pairs)))
        start = X[rng.permutation(n)[:k]] + 0.1
        start[rng.integers(k)] += rng.choice([0, 100])  # if far away, empty at first
        full, shared = kind["metric"] == "full", "shared_metric" in kind
        for t, (labels, centers, metrics, objective) in enumerate(
            reference_run(X, c, start, full, shared, 6), 1
        ):
            found = fit(X, c, k, start, max_iter=t, tol=0, **kind)
            if found.n_iter_ < t:
                break
            n_iterations += 1
            n_after_relocation += t > 1 and start.max() > 50
            assert_array_equal(found.labels_, labels, f"seed {seed}, iteration {t}")
            assert_allclose(found.cluster_centers_, centers, rtol=1e-9, atol=1e-12)
            for learned, expected in zip(found.metrics_, metrics, strict=True):
                assert_allclose(learned, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
            assert found.objective_ == pytest.approx(objective, rel=1e-9)
    assert n_iterations > 45
    assert n_after_relocation > 10


@of_every_kind
def test_a_fit_ends_unconverged_where_it_would_go_round_in_a_cycle(kind):
    n_cycles = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        X = rng.integers(-20, 21, size=(6, 2)) / 4
        c = random_constraints(rng, 6, 20, [0.25, 0.5, 1, 2], 0.3)
        start = X[:2] + 0.125
        found = fit(X, c, 2, start, **kind)
        if found.converged_:
            continue
        n_cycles += 1
        assert found.n_iter_ < 100
        states = [fit(X, c, 2, start, max_iter=t, **kind) for t in range(1, found.n_iter_ + 1)]
        assert same_fit(states[-1], found)
        # the last state has been there before, and the objective has not stood still since
        before = [
            t
            for t, state in enumerate(states[:-1])
            if np.array_equal(state.metrics_, found.metrics_)
            and np.array_equal(state.labels_, found.labels_)
        ]
        assert before
        assert abs(np.diff([state.objective_ for state in states[before[-1] :]])).max() > 1e-6
    assert n_cycles >= 3


@of_every_kind
def test_a_start_that_is_a_fixed_point_is_convergence_and_no_cycle(kind):
    """Nothing moves, and there is no spread to learn a metric from."""
    X = np.array([[0.0, 0.0], [0.0, 0.0], [4.0, 0.0], [4.0, 0.0]])
    found = fit(X, Constraints.from_pairs(must_link=[(0, 1), (2, 3)]), 2, **kind)
    assert_array_equal(found.labels_, [0, 0, 1, 1])
    assert found.converged_


# ---- metrics


@pytest.mark.parametrize("shared", [False, True], ids=["per-cluster", "shared"])
def test_a_spread_that_cannot_links_make_negative_keeps_the_old_weight(shared):
    """The ends of the cannot-link differ more in the second feature than x' and x'' do."""
    X = np.array([[0.0, 0.0], [10.0, 0.0], [5.0, -2.0], [5.0, 2.0]])
    c = Constraints([(2, 3)], [False], [1.0])
    found = fit(X, c, 1, shared_metric=shared, max_iter=1)
    # S = (50 + 100, 8 + 0 − 16)
    assert_allclose(found.metrics_, [[4 / 150, 1.0]], rtol=1e-12)
    full = fit(X, c, 1, metric="full", shared_metric=shared)
    assert_array_equal(full.metrics_, [np.eye(2)])


@pytest.mark.parametrize("kind", [{}, {"metric": "full"}], ids=["diagonal", "full"])
@pytest.mark.parametrize("gap", [0.1, 0.3, 1.1, 1.3, 2.7, 12.3])
def test_a_spread_that_cannot_links_make_zero_keeps_the_old_weight_whatever_is_rounded(kind, gap):
    """S = ¾·gap² − ¾·gap²: neither a positive spread nor a negative one."""
    X = np.array([[0.0, 0.0], [100.0, 0.0], [50.0, 0.0], [50.0, gap]])
    metric = fit(X, Constraints([(2, 3)], [False], [0.75]), 1, max_iter=1, **kind).metrics_[0]
    assert_array_equal(
        metric if kind else np.diag(metric), np.eye(2) if kind else np.diag([metric[0], 1.0])
    )


@of_every_kind
def test_a_cluster_of_one_row_keeps_the_first_metric(kind):
    X = np.array([[0.0, 0.0], [1.0, 0.5], [0.3, 1.0], [0.6, 0.2], [50.0, 50.0]])
    found = fit(X, None, 2, [[0.0, 0.0], [50.0, 50.0]], **kind)
    assert_array_equal(found.labels_, [0, 0, 0, 0, 1])
    if "shared_metric" not in kind:
        identity = np.eye(2) if kind["metric"] == "full" else np.ones(2)
        assert_array_equal(found.metrics_[1], identity)
        assert not np.array_equal(found.metrics_[0], identity)


@pytest.mark.parametrize("d", [2, 3, 5, 10])
def test_a_cluster_of_d_rows_or_fewer_is_flat_and_keeps_its_matrix(d):
    """Its spread has no inverse, whatever rounding makes of it."""
    for n in range(1, d + 1):
        for seed in range(60):
            X = np.random.default_rng(seed).normal(size=(n, d))
            metrics = fit(X, None, 1, X[:1], metric="full").metrics_
            assert_array_equal(metrics, [np.eye(d)], f"n {n}, seed {seed}")


def test_nearly_dependent_features_give_a_finite_fit():
    """The third feature holds what the second adds to the first, but for a millionth."""
    for seed in range(20):
        x, y, z = np.random.default_rng(seed).normal(size=(3, 50))
        X = np.column_stack((x, x + 1e-5 * y, y + 1e-5 * z))
        found = fit(X, None, 2, metric="full")
        assert np.isfinite(found.objective_), f"seed {seed}"
        assert (np.linalg.eigvalsh(found.metrics_) > 0).all(), f"seed {seed}"


# ---- corner cases


@pytest.mark.parametrize("shared", [False, True], ids=["per-cluster", "shared"])
@pytest.mark.parametrize(("n", "value"), [(60, 0.5), (60, 0.1), (1000, 0.1), (5000, 0.3)])
def test_a_constant_feature_changes_nothing_and_keeps_its_weight(n, value, shared):
    """However far rounding takes the mean of n equal numbers from that number."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 2)) + 3 * rng.integers(3, size=(n, 1))
    c = Constraints.from_labels(rng.integers(3, size=n), 10, random_state=0)
    found = fit(np.column_stack((X, np.full(n, value))), c, 3, shared_metric=shared)
    plain = fit(X, c, 3, shared_metric=shared)
    assert_array_equal(found.metrics_[:, 2], np.ones(3))
    assert_array_equal(found.labels_, plain.labels_)
    assert_allclose(found.metrics_[:, :2], plain.metrics_, rtol=1e-9)


@of_every_kind
def test_a_feature_that_varies_by_rounding_alone_keeps_its_weight(kind):
    rng = np.random.default_rng(1)
    X = np.column_stack((rng.normal(size=60), np.where(rng.random(60) < 0.5, 0.1 + 0.2, 0.3)))
    metrics = fit(X, None, 2, **kind).metrics_
    full = kind["metric"] == "full"
    assert_array_equal(metrics if full else metrics[:, 1], [np.eye(2) if full else 1] * 2)


# ---- a spread that violated cannot-links cancel is none: what is left of it is rounding

WEIGHT = 0.5  # two rows of a cluster spread by half of their squared difference
LINK = np.array([[0, 1]])
APART = Neighborhoods.of(np.arange(2), np.arange(2), 2, np.array([0]), np.array([1]), WEIGHT)


@pytest.mark.parametrize("full", [False, True], ids=["diagonal", "full"])
@pytest.mark.parametrize("listed", [True, False], ids=["listed", "neighborhoods"])
@pytest.mark.parametrize("feature", [0, 1, 2])
def test_a_cancelled_spread_is_within_its_rounding_and_the_others_are_right(full, listed, feature):
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
        assert_allclose(spreads[others], WEIGHT * 2.0**2, rtol=1e-9)
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
    (found,) = fit(X, None, 1, "auto", metric=metric).metrics_
    spreads = np.diag(found) if metric == "full" else found
    assert_allclose(spreads, 1 / X.var(axis=0), rtol=1e-3)
