"""Laws of weights, empty clusters and stops, for PCK-Means and every kind of MPCK-Means."""

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mvcc import Constraints, MPCKMeans, PCKMeans
from tests.reference import mpck

KINDS = {
    "pck": {},
    "diagonal": {"metric": "diagonal"},
    "shared-diagonal": {"metric": "diagonal", "shared_metric": True},
    "full": {"metric": "full"},
    "shared-full": {"metric": "full", "shared_metric": True},
}
of_every_kind = pytest.mark.parametrize("kind", KINDS)
kinds = st.sampled_from(list(KINDS))


def fit(kind, X, constraints, k, init="neighborhoods", **options):
    options = {"random_state": 0} | KINDS[kind] | options
    Estimator = PCKMeans if kind == "pck" else MPCKMeans
    return Estimator(k, init=init, **options).fit(X, constraints=constraints)


def same_fit(one, other):
    names = ("labels_", "cluster_centers_", "metrics_", "objective_", "n_iter_", "converged_")
    return all(
        np.array_equal(getattr(one, name, None), getattr(other, name, None)) for name in names
    )


# ---- stops and empty clusters


@pytest.mark.parametrize("kind", ["pck", "diagonal"])
def test_the_run_stops_when_the_objective_changes_by_no_more_than_tol(kind):
    X = np.random.default_rng(3).normal(size=(300, 2))

    def run(**options):
        return fit(kind, X, None, 4, X[:4], **options)

    objectives = [run(max_iter=t, tol=0).objective_ for t in range(1, 12)]
    changes = np.abs(np.diff(objectives))
    for t in (1, 3, 6):
        found = run(tol=changes[t - 1])
        first = int(np.argmax(changes <= changes[t - 1])) + 2
        assert (found.n_iter_, found.converged_) == (first, True)
        assert found.objective_ == objectives[first - 1]
    stopped = run(max_iter=3)
    assert (stopped.n_iter_, stopped.converged_) == (3, False)


@pytest.mark.parametrize("kind", ["pck", "diagonal"])
def test_a_run_does_not_end_at_the_iteration_that_empties_a_cluster(kind):
    """However large ``tol`` is, the relocated center must still get its members."""
    if kind == "pck":
        X = np.array([[0.0], [5.0], [2.6], [2.6], [2.6], [2.6], [2.6], [6.5]])
        # draws row 0 out of cluster 0 as soon as the other center comes near
        c, start = Constraints([(0, 1)], [True], [14.0]), [[-1.0], [4.0]]
        steps = [[0, 1, 1, 1, 1, 1, 1, 1], [1] * 8, [1, 1, 1, 1, 1, 1, 1, 0]]
    else:
        X = np.array([[0.0, -5.0], [7.0, -7.0], [-4.0, 1.0], [6.0, -2.0], [-3.0, 1.0], [8.0, 4.0]])
        c = Constraints([(0, 4), (0, 5), (0, 5)], [True, True, False], [2.0, 1.0, 2.0])
        start = [[0.0, -1.0], [8.0, 4.0]]
        steps = [[0, 0, 0, 0, 0, 1], [0] * 6, [0, 1, 0, 0, 0, 0]]
    for t, labels in enumerate(steps, 1):
        found = fit(kind, X, c, 2, start, tol=1e9, max_iter=t)
        assert found.n_iter_ == t
        assert_array_equal(found.labels_, labels)
    assert fit(kind, X, c, 2, start, tol=1e9).n_iter_ == 3


@of_every_kind
@pytest.mark.parametrize("scale", [1, 100, 0.01])
def test_an_empty_cluster_moves_to_the_farthest_point_and_gets_members(kind, scale):
    """The members left have learned a metric, the empty cluster has not."""
    X = np.array([[0.0, 0.0], [1.0, 0.5], [0.5, 1.0], [1.0, 0.0], [0.2, 0.8], [9.0, 9.0]]) * scale
    start = np.array([[0.0, 0.0], [100.0, 100.0]]) * scale
    first = fit(kind, X, None, 2, start, max_iter=1)
    assert_array_equal(first.labels_, np.zeros(6))
    assert_array_equal(first.cluster_centers_[1], X[5])
    assert_array_equal(fit(kind, X, None, 2, start).labels_, [0, 0, 0, 0, 0, 1])


# ---- corner cases


@of_every_kind
@pytest.mark.parametrize("value", [0.5, 0.1])  # 0.1 · 6 / 6 is not 0.1
def test_identical_rows_share_one_cluster_at_no_cost_and_teach_no_metric(kind, value):
    found = fit(kind, np.full((6, 2), value), None, 3)
    assert len(np.unique(found.labels_)) == 1
    assert found.objective_ == pytest.approx(0, abs=1e-30)
    identity = np.eye(2) if "full" in kind else np.ones(2)
    assert_array_equal(getattr(found, "metrics_", [identity] * 3), [identity] * 3)
    assert found.converged_


@of_every_kind
def test_predict_takes_the_least_distance_minus_log_det_without_regard_to_constraints(kind):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)), 2 + 0.3 * rng.normal(size=(40, 2))])
    c = Constraints.from_labels(rng.integers(2, size=80), 40, random_state=0)
    found = fit(kind, X, Constraints(c.pairs, c.must_link, np.full(40, 3.0)), 2)
    new = rng.normal(size=(200, 2)) * 2
    centers = found.cluster_centers_
    clusters = list(zip(centers, getattr(found, "metrics_", np.ones_like(centers)), strict=True))
    costs = [
        [mpck.squared_distance(x, *one) - mpck.log_det(one[1]) for one in clusters] for x in new
    ]
    assert_array_equal(found.predict(new), np.argmin(costs, axis=1))
    assert (found.predict(X) != found.labels_).any()
    free = fit(kind, X, None, 2, X[[0, -1]])
    assert_array_equal(free.predict(X), free.labels_)
