"""Sanity tests of the reference versions themselves: examples worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from . import gaussians, mpck, pck
from .closure import close_views
from .constraint_sets import max_union, to_arrays, to_dict
from .mapping import transfer
from .multiview import co_em, resolve_conflicts
from .propagation import propagate, propagate_vectorised

ML, CL = True, False
NOTHING = to_arrays({})


def random_constraints(rng, n, m):
    """Draw m weighted constraints, repeated rows and contradictions allowed."""
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(m)]).reshape(-1, 2)
    return pairs, rng.random(m) < 0.5, rng.uniform(0.1, 2.0, m)


def random_metrics(rng, k, d, full):
    if not full:
        return rng.uniform(0.3, 3.0, (k, d))
    roots = rng.normal(size=(k, d, d))
    return roots @ roots.transpose(0, 2, 1) + 0.2 * np.eye(d)


# closure


def test_close_views_through_relations():
    # view 0: 0 –.4– 1; view 1: 5 |.9| 6; related 0~5, 1~7, 2~7
    closed, related = close_views(
        [([(0, 1)], [ML], [0.4]), ([(5, 6)], [CL], [0.9])],
        {(0, 1): np.array([(0, 5), (1, 7), (2, 7)])},
    )
    # 1 and 2 by relations alone
    assert closed[0] == {
        (0, 1, ML): 0.4,
        (0, 2, ML): 0.4,
        (1, 2, ML): 1.0,
    }
    assert closed[1] == {(5, 6, CL): 0.9, (5, 7, ML): 0.4, (6, 7, CL): 0.4}
    assert related == {(0, 1): {(0, 5), (0, 7), (1, 5), (1, 7), (2, 5), (2, 7)}}


def test_close_views_relates_through_a_third_view():
    _, related = close_views([NOTHING] * 3, {(0, 1): [(3, 4)], (2, 1): [(5, 4)]})
    assert related == {(0, 1): {(3, 4)}, (1, 2): {(4, 5)}, (0, 2): {(3, 5)}}


# clustering


def test_pck_sweep_by_hand():
    X = np.array([[0.0], [1.0], [0.5], [0.4]])
    centers = np.array([[0.0], [1.0]])
    unassigned = np.full(4, -1)
    # point 2 is a tie: lowest cluster. Point 1's must-link to 3 does not count, 3 is not assigned
    # yet.
    labels = pck.sweep(X, centers, unassigned, [(1, 3), (0, 2)], [ML, CL], [0.1, 0.0])
    assert labels.tolist() == [0, 1, 0, 0]
    assert unassigned.tolist() == [-1] * 4
    # now point 3 is pulled to 1 by more than .36 − .16, and 2 pushed away from 0
    labels = pck.sweep(X, centers, unassigned, [(3, 1), (0, 2)], [ML, CL], [0.25, 0.5])
    assert labels.tolist() == [0, 1, 1, 1]
    assert pck.objective(
        X, np.array([0, 1, 0, 0]), centers, [(3, 1), (0, 2), (0, 2)], [ML, CL, CL], [0.25, 0.5, 1]
    ) == (pytest.approx(0.25 + 0.16 + 0.25 + 0.5 + 1))


def test_mpck_sweep_by_hand():
    X = np.array([[0.0], [1.0], [3.0]])
    centers, metrics = np.array([[0.0], [3.0]]), np.array([[1.0], [2.0]])
    farthest = mpck.farthest_distances(X, metrics)
    assert farthest.tolist() == [9, 18]
    labels = np.array([0, -1, 1])
    # must-link (1, 2), w = 1: in 0 it costs 1 + ½·4·1 + ½·4·2 = 7; in 1 it costs 2·4 − ln 2 = 7.31
    assert mpck.cost(
        1, 0, X, centers, metrics, labels, [(1, 2)], [ML], [1.0], farthest
    ) == pytest.approx(7)
    assert mpck.cost(
        1, 1, X, centers, metrics, labels, [(1, 2)], [ML], [1.0], farthest
    ) == pytest.approx(8 - np.log(2))
    assert mpck.sweep(X, centers, metrics, labels, [(1, 2)], [ML], [1.0], farthest).tolist() == [
        0,
        0,
        1,
    ]
    # cannot-link (0, 1), w = ½: in 0 it costs ½ (9 − 1) more
    assert mpck.cost(
        1, 0, X, centers, metrics, labels, [(0, 1)], [CL], [0.5], farthest
    ) == pytest.approx(1 + 4)
    assert mpck.cost(
        1, 1, X, centers, metrics, labels, [(0, 1)], [CL], [0.5], farthest
    ) == pytest.approx(8 - np.log(2))


def test_update_metrics_by_hand():
    X = np.array([[0.0, 0.0], [2.0, 0.0], [5.0, 1.0], [9.0, 3.0]])
    labels, old = np.array([0, 0, 1, 1]), np.array([[7.0, 7.0], [8.0, 8.0]])
    centers = pck.centers(X, labels, 2)
    differences = np.array([[9.0, 3.0], [9.0, 3.0]])
    # no spread in the second feature of cluster 0: the old weight stays
    new = mpck.update_metrics(X, labels, centers, old, *NOTHING, differences)
    assert new.tolist() == [[2 / 2, 7], [2 / 8, 2 / 2]]
    # violated must-link (1, 2), w = 2: (3², 1²) in both; violated cannot-link (2, 3), w = 1: (81 −
    # 16, 9 − 4) in 1
    constraints = [(1, 2), (2, 3)], [ML, CL], [2.0, 1.0]
    new = mpck.update_metrics(X, labels, centers, old, *constraints, differences)
    assert new == pytest.approx(
        np.array([[2 / (2 + 9), 2 / 1], [2 / (8 + 9 + 65), 2 / (2 + 1 + 5)]])
    )
    new = mpck.update_metrics(X, labels, centers, old, *constraints, differences, shared=True)
    assert new == pytest.approx(np.array([[4 / (11 + 82), 4 / (1 + 8)]] * 2))
    # a full metric of a cluster on a line is singular: the old one stays
    full = np.array([np.eye(2) * 7, np.eye(2) * 8])
    new = mpck.update_metrics(X, labels, centers, full, *NOTHING, differences)
    assert np.array_equal(new, full)


# Gaussians


def test_covariances_by_hand():
    X = np.array([[0.0, 0.0], [4.0, 0.0], [1.0, 1.0]])
    labels = np.array([0, 0, 1])
    sigma = gaussians.covariances(X, labels, 3, regularization=0.5)
    assert sigma[0].tolist() == [[4.5, 0], [0, 0.5]]
    assert sigma[1].tolist() == sigma[2].tolist() == [[0.5, 0], [0, 0.5]]  # one point, no point
    # M⁻¹ = diag(½, ¼), largest eigenvalue ½; α = 4.5 / ½ = 9
    for metrics in (np.array([[2.0, 4.0]] * 3), np.array([np.diag([2.0, 4.0])] * 3)):
        sigma = gaussians.covariances(X, labels, 3, metrics, regularization=0.5)
        assert sigma[0] == pytest.approx(np.diag([4.5, 2.25]))
        assert sigma[2] == pytest.approx(np.diag([0.5, 0.25]))
    G = gaussians.membership(X, labels, gaussians.means(X, labels, 3), sigma)
    assert list(G) == pytest.approx([math.exp(-0.5 * 4 / 4.5), math.exp(-0.5 * 4 / 4.5), 1.0])


# propagation


def test_propagation_by_hand():
    # one cluster, mean 0, variance 2/3 · 1.5² = 1.5; constraint (1, 2) from 0 to 1.5
    X, labels = np.array([[-1.5], [0.0], [1.5]]), np.zeros(3, dtype=int)
    variance = 1.5
    g_edge = math.exp(-0.5 * 1.5**2 / variance)
    to_center = math.exp(-0.5 * 1.5**2 / (variance * g_edge))  # from 1.5 to 0
    from_center = math.exp(-0.5 * 1.5**2 / variance)  # from 0 to ±1.5, G = 1 there
    to_other_side = math.exp(-0.5 * 3.0**2 / (variance * g_edge))
    propagated = propagate(X, labels, [(1, 2)], [CL], [0.8], 1e-9, regularization=0.0)
    assert propagated == pytest.approx(
        {
            (1, 2, CL): 0.8,
            (0, 2, CL): 0.8 * from_center,  # 0 for 1, 2 for 2
            (0, 1, CL): 0.8 * max(from_center * to_center, to_other_side),
        }
    )


@pytest.mark.parametrize("metric", [None, "diagonal", "full"])
@pytest.mark.parametrize("seed", range(3))
def test_vectorised_propagation_equals_the_literal_one(seed, metric):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(14, 2)), rng.integers(3, size=14)
    X[5], X[6] = X[4], X[4]
    metrics = None if metric is None else random_metrics(rng, 3, 2, metric == "full")
    constraints = random_constraints(rng, 14, 8)
    for candidates in (None, [9, 2, 4, 5, 13, 2], []):
        for threshold in (0.05, 0.5, 1.0):
            arguments = (X, labels, *constraints, threshold, candidates, metrics)
            literal, vectorised = propagate(*arguments), propagate_vectorised(*arguments)
            assert vectorised == pytest.approx(literal, rel=1e-10)
            assert all(i < j for i, j, _ in literal)
            if candidates == []:
                assert literal == {}


# mapping


def test_transfer():
    relations = [(0, 10), (0, 11), (1, 11), (1, 12), (2, 10)]
    assert transfer({(0, 1, ML): 0.5, (1, 3, CL): 1.0}, relations) == {
        (10, 11, ML): 0.5,
        (10, 12, ML): 0.5,
        (11, 12, ML): 0.5,
    }
    both = {(0, 1, CL): 0.5, (1, 2, CL): 0.7}
    assert transfer(both, relations) == {(10, 11, CL): 0.7, (10, 12, CL): 0.7, (11, 12, CL): 0.5}
    assert transfer(to_arrays(both), np.array(relations)) == transfer(both, set(relations))
    assert transfer(both, np.empty((0, 2), dtype=int)) == transfer({}, relations) == {}


# co-EM


def test_max_union_and_conflicts():
    own, received = (
        {(0, 1, ML): 0.5, (1, 2, CL): 0.4},
        {(0, 1, ML): 0.7, (1, 2, ML): 0.9, (2, 3, CL): 0.1},
    )
    unified = max_union([own, received])
    assert unified == {(0, 1, ML): 0.7, (1, 2, CL): 0.4, (1, 2, ML): 0.9, (2, 3, CL): 0.1}
    assert resolve_conflicts(unified, own) == {(0, 1, ML): 0.7, (1, 2, CL): 0.4, (2, 3, CL): 0.1}
    assert resolve_conflicts(unified, {}) == {(0, 1, ML): 0.7, (1, 2, ML): 0.9, (2, 3, CL): 0.1}
    assert resolve_conflicts({(0, 1, ML): 0.7, (0, 1, CL): 0.7}, {}) == {}


def recorder(seen):
    """Make a fit that puts everything into the cluster of its sign and writes down the constraints
    it was given.
    """

    def fit(view, X, pairs, must_link, weights):
        seen.append((view, to_dict(pairs, must_link, weights)))
        return (X[:, 0] > 0).astype(int), float(len(pairs)), None

    return fit


def test_co_em_direct_mapping_without_closure():
    X = np.array([[-1.0], [-1.1], [1.0], [1.1]])
    seen = []
    _, history = co_em(
        [X, X, X],
        [{(0, 1, ML): 0.5, (1, 2, CL): 1.0}, None, None],
        {(0, 1): [(0, 3), (1, 2)], (0, 2): [(1, 0), (2, 1)]},
        "direct-mapping",
        0.9,
        recorder(seen),
        closure="none",
    )
    expected = [{(0, 1, ML): 0.5, (1, 2, CL): 1.0}, {(2, 3, ML): 0.5}, {(0, 1, CL): 1.0}]
    assert seen == [*enumerate(expected), *enumerate(expected)]
    assert [objective for objective, _ in history[0]] == [2, 1, 1]
    assert [propagated for _, propagated in history[0]] == [expected[0], {}, {}]
