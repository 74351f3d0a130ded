"""PCK-Means descends on Eq.

1 with M = I and f = 1, and obeys the algebra of its weights, its data and its centers.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from mvcc import Constraints, PCKMeans
from tests.reference import pck
from tests.strategies import random_constraints

# a rise within rounding, as a share of the objective: each of its terms, and each cost of a sweep,
# is rounded
ROUNDING = 1e-12


@st.composite
def problems(draw, weights=(0.0, 0.25, 0.5, 1.0, 3.0, 20.0)):
    """Draw rows, k and a start, and constraints that may repeat or contradict each other."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 20)), draw(st.integers(1, 4))
    k = draw(st.integers(1, min(n, 4)))
    # equal rows have exact means
    X = np.rint(rng.normal(size=(n, d)) * draw(st.sampled_from([512, 1024, 3072]))) / 1024
    copies = rng.integers(n, size=(2, draw(st.integers(0, 4))))
    X[copies[0]] = X[copies[1]]
    c = random_constraints(rng, n, draw(st.integers(0, 3 * n)), weights)
    start = X[rng.permutation(n)[:k]] + draw(st.sampled_from([0, 0.1, 50])) * rng.normal(
        size=(k, d)
    )
    return X, c, k, draw(st.sampled_from(["neighborhoods", start]))


def fit(X, constraints, k, init="neighborhoods", **options):
    return PCKMeans(k, init=init, **{"tol": 0, "random_state": 0} | options).fit(
        X, constraints=constraints
    )


def listed(c):
    return c.pairs, c.must_link, c.weights


def same_fit(one, other):
    """Tell whether two fits agree to the last bit."""
    return (
        np.array_equal(one.labels_, other.labels_)
        and np.array_equal(one.cluster_centers_, other.cluster_centers_)
        and (one.objective_, one.n_iter_, one.converged_)
        == (other.objective_, other.n_iter_, other.converged_)
    )


# ---- the algorithm


@given(problems(), st.integers(0, 2**32 - 1))
def test_every_iteration_is_that_of_the_reference(problem, seed):
    X, c, k, _ = problem
    start = np.random.default_rng(seed).normal(size=(k, X.shape[1])) * 2
    centers, labels = start, np.full(len(X), -1)
    for iteration in range(1, 7):
        labels = pck.sweep(X, centers, labels, *listed(c))
        centers = pck.centers(X, labels, k)
        found = fit(X, c, k, start, max_iter=iteration)
        assert_array_equal(found.labels_, labels)
        assert_allclose(found.cluster_centers_, centers, rtol=1e-9, atol=1e-9)
        assert found.objective_ == pytest.approx(
            pck.objective(X, labels, centers, *listed(c)), rel=1e-9, abs=1e-12
        )
        if found.converged_:
            break
        assert found.n_iter_ == iteration


@given(problems())
def test_the_objective_never_rises(problem):
    """Repeat a fit one iteration longer each time: Eq.

    1 falls or stays, and the last one is the whole fit.
    """
    X, c, k, init = problem
    whole = fit(X, c, k, init)
    steps = [fit(X, c, k, init, max_iter=t) for t in range(1, whole.n_iter_ + 1)]
    objectives = np.array([step.objective_ for step in steps])
    assert (np.diff(objectives) <= ROUNDING * objectives[:-1]).all()
    assert same_fit(steps[-1], whole)


@given(problems())
def test_another_iteration_leaves_a_converged_fit_as_it_is(problem):
    X, c, k, init = problem
    found = fit(X, c, k, init)
    assert found.converged_
    swept = pck.sweep(X, found.cluster_centers_, found.labels_, *listed(c))
    for labels in (found.labels_, swept):
        objective = pck.objective(X, labels, found.cluster_centers_, *listed(c))
        assert objective == pytest.approx(found.objective_, rel=1e-9, abs=1e-12)


def test_the_run_stops_when_the_objective_changes_by_no_more_than_tol():
    X = np.random.default_rng(3).normal(size=(300, 2))
    objectives = [fit(X, None, 5, X[:5], max_iter=t).objective_ for t in range(1, 12)]
    drops = -np.diff(objectives)
    for t in (1, 3, 6):
        found = fit(X, None, 5, X[:5], tol=drops[t - 1])
        first = int(np.argmax(drops <= drops[t - 1])) + 2
        assert (found.n_iter_, found.converged_) == (first, True)
        assert found.objective_ == objectives[first - 1]
    stopped = fit(X, None, 5, X[:5], max_iter=3)
    assert (stopped.n_iter_, stopped.converged_) == (3, False)


@pytest.mark.parametrize("seed", range(20))
def test_without_constraints_it_is_k_means(seed):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(30, 3)) + 2.5 * rng.normal(size=3) for _ in range(4)])
    start = X[rng.permutation(len(X))[:4]]
    found = fit(X, None, 4, start)
    expected = KMeans(4, init=start, n_init=1, algorithm="lloyd", tol=0).fit(X)
    assert_array_equal(found.labels_, expected.labels_)
    assert found.objective_ == pytest.approx(expected.inertia_, rel=1e-9)
    assert_allclose(found.cluster_centers_, expected.cluster_centers_, rtol=1e-9, atol=1e-9)


# ---- weights and lists


@given(problems(), st.randoms(use_true_random=False))
def test_weight_zero_is_no_constraint(problem, random):
    X, c, k, init = problem
    c = Constraints(c.pairs, c.must_link, [w * random.randint(0, 1) for w in c.weights])
    kept = c.weights > 0
    without = Constraints(c.pairs[kept], c.must_link[kept], c.weights[kept])
    assert same_fit(fit(X, c, k, init), fit(X, without, k, init))


@given(problems(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_constraints_and_of_their_ends_does_not_matter(problem, seed):
    X, c, k, init = problem
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(c))
    pairs = c.pairs[order]
    turned = rng.random(len(c)) < 0.5
    pairs[turned] = pairs[turned][:, ::-1]
    shuffled = Constraints(pairs, c.must_link[order], c.weights[order])
    assert same_fit(fit(X, c, k, init), fit(X, shuffled, k, init))


@given(problems(), st.integers(0, 2**32 - 1))
def test_a_huge_weight_is_obeyed(problem, seed):
    """Among disjoint pairs every must-link and, with two clusters or more, every cannot-link can be
    satisfied.
    """
    X, _, k, init = problem
    order = np.random.default_rng(seed).permutation(len(X))
    pairs = order[: len(X) // 2 * 2].reshape(-1, 2)
    must = np.random.default_rng(seed).random(len(pairs)) < 0.5
    found = fit(X, Constraints(pairs, must | (k == 1), np.full(len(pairs), 1e9)), k, init)
    together = found.labels_[pairs[:, 0]] == found.labels_[pairs[:, 1]]
    assert_array_equal(together, must | (k == 1))
    assert found.objective_ < 1e8


def test_a_light_constraint_gives_way_and_is_paid_for():
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    for must, pair in ((True, (1, 2)), (False, (0, 1))):
        found = fit(X, Constraints([pair], [must], [0.25]), 2, [[0.5], [9.5]])
        assert_array_equal(found.labels_, [0, 0, 1, 1])
        assert found.objective_ == 1.25


# ---- empty clusters


def test_the_center_of_an_empty_cluster_moves_to_the_farthest_point_and_gets_members():
    X = np.array([[0.0], [1.0], [2.0], [10.0]])
    start = [[0.0], [100.0]]
    first = fit(X, None, 2, start, max_iter=1)
    assert_array_equal(first.labels_, [0, 0, 0, 0])
    assert_array_equal(first.cluster_centers_, [[3.25], [10.0]])
    found = fit(X, None, 2, start)
    assert_array_equal(found.labels_, [0, 0, 0, 1])
    assert_array_equal(found.cluster_centers_, [[1.0], [10.0]])


def test_a_run_does_not_end_at_the_iteration_that_empties_a_cluster():
    """However large ``tol`` is, the relocated center must still get its members."""
    X = np.array([[0.0], [5.0], [2.6], [2.6], [2.6], [2.6], [2.6], [6.5]])
    # draws row 0 out of cluster 0 as soon as the other center comes near
    c = Constraints([(0, 1)], [True], [14.0])
    start = [[-1.0], [4.0]]
    assert_array_equal(fit(X, c, 2, start, max_iter=1).labels_, [0, 1, 1, 1, 1, 1, 1, 1])
    assert_array_equal(fit(X, c, 2, start, max_iter=2).labels_, [1, 1, 1, 1, 1, 1, 1, 1])
    found = fit(X, c, 2, start, tol=1e6)
    assert found.n_iter_ == 3
    assert_array_equal(found.labels_, [1, 1, 1, 1, 1, 1, 1, 0])


@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(1, 2))
def test_without_constraints_no_cluster_is_left_empty_while_rows_differ(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d)) * 1.0
    k = int(rng.integers(1, len(np.unique(X, axis=0)) + 1))
    start = np.full((k, d), 1e3) + rng.normal(size=(k, d))
    assert len(np.unique(fit(X, None, k, start).labels_)) == k


# ---- corner cases


def test_identical_rows_share_one_cluster_at_no_cost():
    found = PCKMeans(3, random_state=0).fit(np.full((6, 2), 0.1))  # 0.1 · 6 / 6 is not 0.1
    assert len(np.unique(found.labels_)) == 1
    assert found.objective_ < 1e-30
    assert found.converged_
    assert_allclose(found.cluster_centers_, 0.1, rtol=1e-15)


def test_as_many_clusters_as_rows_gives_each_row_its_own():
    X = np.random.default_rng(0).normal(size=(6, 2))
    found = fit(X, None, 6)
    assert_array_equal(np.sort(found.labels_), np.arange(6))
    assert_array_equal(found.cluster_centers_[found.labels_], X)
    assert found.objective_ == 0


def test_predict_gives_the_nearest_center_without_regard_to_constraints():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    found = fit(X, Constraints.from_labels(rng.integers(3, size=40), 30, random_state=0), 3)
    new = rng.normal(size=(100, 2))
    distances = ((new[:, np.newaxis] - found.cluster_centers_) ** 2).sum(axis=2)
    assert_array_equal(found.predict(new), distances.argmin(axis=1))
    assert (found.predict(X) != found.labels_).any()
    free = fit(X, None, 3)
    assert_array_equal(free.predict(X), free.labels_)
