"""Constraints kept as neighborhoods cluster as their list of pairs does, and never make it."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from mvcc import (
    ClusterMembership,
    ConstraintPropagation,
    Constraints,
    DirectMapping,
    MPCKMeans,
    MultiViewConstrainedClustering,
    PCKMeans,
    SingleView,
)
from mvcc.constraints._map import unify
from tests.strategies import as_list, random_constraints

ESTIMATORS = {
    "pck": PCKMeans(random_state=0, max_iter=30),
    "mpck": MPCKMeans(random_state=0, max_iter=30),
    "mpck-shared": MPCKMeans(shared_metric=True, random_state=0, max_iter=30),
    "mpck-full": MPCKMeans(metric="full", random_state=0, max_iter=30),
}


@pytest.fixture
def never_listed(monkeypatch):
    """Let every closure stay neighborhoods, and fail where its pairs are made."""
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", -1)


def scene(seed, *, noise, n=60, d=3, k=3, weight=1.0):
    """Draw points, their classes, and constraints that follow from the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = rng.normal(size=(n, d)) * noise + 3 * rng.normal(size=(k, d))[y] + 100
    drawn = Constraints.from_labels(y, 40, seed)
    return X, y, Constraints(drawn.pairs, drawn.must_link, np.full(len(drawn), weight))


def agree(estimator, X, held):
    assert held._parts is not None
    assert held._listed is None
    mine = clone(estimator).fit(X, constraints=held)
    assert held._listed is None, "the pairs were made"
    theirs = clone(estimator).fit(X, constraints=as_list(held))
    assert_array_equal(mine.labels_, theirs.labels_)
    assert mine.objective_ == pytest.approx(theirs.objective_, rel=1e-9)
    assert mine.n_iter_ == theirs.n_iter_
    assert_allclose(mine.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    held._listed = None


@pytest.mark.parametrize("init", ["neighborhoods", "auto"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_neighborhoods_and_a_list_beside_them_give_the_fit_of_all_pairs(never_listed, name, init):
    for seed, (noise, weight) in enumerate([(0.5, 7.0), (3.0, 0.01), (10.0, 1.0), (5.0, 1.0)]):
        estimator = clone(ESTIMATORS[name]).set_params(n_clusters=3, init=init)
        if init == "auto":
            estimator.set_params(n_init=3)  # the paper's start, that of k-means and another
        X, _, constraints = scene(seed, noise=noise, weight=weight)
        agree(estimator, X, constraints.closure())
        rng = np.random.default_rng(seed)
        held = unify(
            constraints.closure(), random_constraints(rng, len(X), 60, [0.3 * weight, weight])
        )
        assert len(held._parts[1]) > 10
        agree(estimator, X, held)
        # constant features and repeated rows are no trouble
        X[:, 1] = 0.1
        X[20:] = X[rng.integers(20, size=len(X) - 20)]
        agree(estimator.set_params(n_clusters=4), X, constraints.closure())


def test_the_metric_of_a_torn_must_link_is_singular_in_whatever_order_it_is_summed_up(never_listed):
    """Rounding made an inverse of 1e17 for this matrix of rank 1."""
    X = np.array(
        [[0.43, -0.08], [-0.86, 1.25], [0.3, 1.71], [0.46, 0.22], [-0.14, 1.19], [-0.46, 1.55]]
    )
    held = Constraints([(0, 3), (0, 2), (2, 5)], [True, False, False]).closure()
    for seed in range(200):
        shift = np.random.default_rng(seed).normal(size=2)
        for constraints in (held, as_list(held)):
            centers = X[[0, 3, 2, 5]] + shift
            found = MPCKMeans(4, metric="full", init=centers, max_iter=1).fit(
                X + shift, constraints=constraints
            )
            alone = np.bincount(found.labels_, minlength=4) == 1
            assert_array_equal(found.metrics_[alone], [np.eye(2)] * alone.sum())


@pytest.mark.parametrize(
    "base",
    [PCKMeans(3, init="neighborhoods"), MPCKMeans(3, init="neighborhoods")],
    ids=["pck", "mpck"],
)
@pytest.mark.parametrize(
    "transfer", [ConstraintPropagation(0.8), DirectMapping(), ClusterMembership(), SingleView()]
)
@pytest.mark.filterwarnings("ignore")
def test_co_em_by_neighborhoods_is_co_em_by_lists(monkeypatch, base, transfer):
    X, y, constraints = scene(0, noise=3.0)
    rng = np.random.default_rng(0)
    other = rng.normal(size=(len(X), 2)) + 4 * np.eye(3)[y][:, :2]
    rows = rng.permutation(len(X))[:40]
    given = {
        "constraints": [constraints, None],
        "mappings": {(0, 1): np.column_stack((rows, rows))},
    }
    labels, objectives = [], []
    for most in (2**20, 20):
        monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", most)
        model = MultiViewConstrainedClustering(base, transfer, random_state=0)
        model.fit([X, other], **given)
        labels.append(np.concatenate(model.labels_))
        objectives.append([record.objective for views in model.history_ for record in views])
    assert_array_equal(*labels)
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-9)


@pytest.mark.compiled
def test_a_closure_that_no_list_could_hold_is_fitted():
    rng = np.random.default_rng(0)
    n = 60_000
    y = rng.integers(3, size=n)
    X = rng.normal(size=(n, 2)) + 4 * np.eye(3)[y][:, :2]
    rows = rng.permutation(n)[:50_000]
    order = rows[np.argsort(y[rows], kind="stable")]
    together = [(i, j) for i, j in itertools.pairwise(order) if y[i] == y[j]]
    starts = [rows[y[rows] == c][0] for c in range(3)]
    held = Constraints.from_pairs(
        together, [(starts[0], starts[1]), (starts[1], starts[2])]
    ).closure()
    assert len(held) > 8e8
    for estimator in (PCKMeans(3, n_init=2), MPCKMeans(3, n_init=2)):
        labels = estimator.fit(X, constraints=held).labels_
        for c in range(3):
            assert len(np.unique(labels[rows[y[rows] == c]])) == 1
    assert held._listed is None


def test_a_heavy_constraint_that_is_obeyed_rounds_no_distance(never_listed):
    X = np.array([[9.0], [25.0], [16.0], [23.0], [14.0], [6.0], [9.0], [18.0], [24.0], [10.0]])
    held = Constraints([(2, 6)], [False], [2.0**59]).closure()
    for limit in range(1, 6):
        agree(PCKMeans(3, init=[[24.0], [25.0], [10.0]], max_iter=limit, tol=0), X, held)
