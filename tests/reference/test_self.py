"""Sanity tests of the reference versions themselves: worked examples by hand, and identities that must hold."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from . import gaussians, mpck, pck
from .closure import close_views, closure
from .constraint_sets import max_union, to_arrays, to_dict
from .embedding import normalised_laplacian, scale_to_unit_range, spectral_features
from .mapping import transfer
from .metrics import pairwise_f_measure, weighted_precision
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


def test_closure_weighs_the_weakest_link_of_the_strongest_chain():
    # 0 –.5– 1 –.9– 2 (strong way) and 0 –.3– 2 is given; 2 |.7| 3 –.6– 4
    closed = closure([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)], [ML, ML, ML, CL, ML], [0.5, 0.9, 0.3, 0.7, 0.6])
    assert closed == {
        (0, 1, ML): 0.5,
        (1, 2, ML): 0.9,
        (0, 2, ML): 0.3,  # given: keeps its own weight although 0 – 1 – 2 is stronger
        (3, 4, ML): 0.6,
        (0, 3, CL): 0.5,
        (1, 3, CL): 0.7,
        (2, 3, CL): 0.7,
        (0, 4, CL): 0.5,
        (1, 4, CL): 0.6,
        (2, 4, CL): 0.6,
    }


def test_closure_keeps_the_heaviest_of_repeated_rows():
    assert closure([(0, 1), (1, 0)], [ML, ML], [0.2, 0.8]) == {(0, 1, ML): 0.8}


def test_cannot_links_do_not_chain():
    assert closure([(0, 1), (1, 2)], [CL, CL], [1, 1]) == {(0, 1, CL): 1.0, (1, 2, CL): 1.0}


def test_a_weight_of_zero_still_connects():
    closed = closure([(0, 1), (1, 2)], [ML, CL], [0.0, 1.0])
    assert closed == {(0, 1, ML): 0.0, (1, 2, CL): 1.0, (0, 2, CL): 0.0}


def test_closure_of_nothing():
    assert closure(*NOTHING) == {}


@pytest.mark.parametrize("pairs", [[(0, 1), (1, 2), (2, 0)], [(0, 1), (1, 0), (1, 0)]])
def test_contradiction(pairs):
    with pytest.raises(ValueError, match="connected by must-links"):
        closure(pairs, [ML, ML, CL], [1, 1, 1])


def widest_chain(edges, start, end, visited):
    """Strongest simple chain of must-links by trying all of them; None if there is none."""
    if start == end:
        return math.inf
    best = None
    for (a, b), w in edges.items():
        for here, there in ((a, b), (b, a)):
            if here == start and there not in visited:
                rest = widest_chain(edges, there, end, visited | {there})
                if rest is not None and (best is None or min(w, rest) > best):
                    best = min(w, rest)
    return best


@pytest.mark.parametrize("seed", range(10))
def test_closure_equals_the_enumeration_of_all_chains(seed):
    rng = np.random.default_rng(seed)
    group = rng.integers(3, size=8)
    pairs = [pair for pair in itertools.combinations(range(8), 2) if rng.random() < 0.4]
    kinds = [bool(group[i] == group[j]) for i, j in pairs]
    weights = rng.uniform(0.1, 2, len(pairs))
    given = to_dict(pairs, kinds, weights)
    edges = {(i, j): w for (i, j, kind), w in given.items() if kind}
    expected = {}
    for i, j in itertools.combinations(range(8), 2):
        chain = widest_chain(edges, i, j, {i})
        if chain is not None:
            expected[i, j, ML] = chain
        through = []
        for (a, b, kind), w in given.items():
            for left, right in ((a, b), (b, a)):
                sides = widest_chain(edges, i, left, {i}), widest_chain(edges, right, j, {right})
                if not kind and None not in sides:
                    through.append(min(w, *sides))
        if through:
            expected[i, j, CL] = max(through)
    assert closure(pairs, kinds, weights) == expected | given


def test_close_views_through_relations():
    # view 0: 0 –.4– 1; view 1: 5 |.9| 6; related 0~5, 1~7, 2~7
    closed, related = close_views(
        [([(0, 1)], [ML], [0.4]), ([(5, 6)], [CL], [0.9])], {(0, 1): np.array([(0, 5), (1, 7), (2, 7)])}
    )
    assert closed[0] == {(0, 1, ML): 0.4, (0, 2, ML): 0.4, (1, 2, ML): 1.0}  # 1 and 2 by relations alone
    assert closed[1] == {(5, 6, CL): 0.9, (5, 7, ML): 0.4, (6, 7, CL): 0.4}
    assert related == {(0, 1): {(0, 5), (0, 7), (1, 5), (1, 7), (2, 5), (2, 7)}}


def test_close_views_relates_through_a_third_view():
    _, related = close_views([NOTHING] * 3, {(0, 1): [(3, 4)], (2, 1): [(5, 4)]})
    assert related == {(0, 1): {(3, 4)}, (1, 2): {(4, 5)}, (0, 2): {(3, 5)}}


def test_close_views_contradiction_through_another_view():
    with pytest.raises(ValueError, match="connected by must-links"):
        close_views([([(0, 1)], [ML], [1]), ([(0, 1)], [CL], [1])], {(0, 1): [(0, 0), (1, 1)]})


# clustering


def test_pck_sweep_by_hand():
    X = np.array([[0.0], [1.0], [0.5], [0.4]])
    centers = np.array([[0.0], [1.0]])
    unassigned = np.full(4, -1)
    # point 2 is a tie: lowest cluster. Point 1's must-link to 3 does not count, 3 is not assigned yet.
    labels = pck.sweep(X, centers, unassigned, [(1, 3), (0, 2)], [ML, CL], [0.1, 0.0])
    assert labels.tolist() == [0, 1, 0, 0]
    assert unassigned.tolist() == [-1] * 4
    # now point 3 is pulled to 1 by more than .36 − .16, and 2 pushed away from 0
    labels = pck.sweep(X, centers, unassigned, [(3, 1), (0, 2)], [ML, CL], [0.25, 0.5])
    assert labels.tolist() == [0, 1, 1, 1]
    assert pck.objective(
        X, np.array([0, 1, 0, 0]), centers, [(3, 1), (0, 2), (0, 2)], [ML, CL, CL], [0.25, 0.5, 1]
    ) == (pytest.approx(0.25 + 0.16 + 0.25 + 0.5 + 1))


def test_centers_and_an_empty_cluster():
    X = np.array([[0.0], [2.0], [10.0], [16.0]])
    assert pck.centers(X, np.array([0, 0, 1, 1]), 2).ravel().tolist() == [1, 13]
    assert pck.centers(X, np.array([0, 0, 2, 2]), 4).ravel().tolist() == [1, 10, 13, 16]


@pytest.mark.parametrize("seed", range(5))
def test_pck_moving_one_point_changes_the_objective_by_the_difference_of_costs(seed):
    rng = np.random.default_rng(seed)
    X, centers = rng.normal(size=(12, 3)), rng.normal(size=(3, 3))
    labels, constraints = rng.integers(3, size=12), random_constraints(rng, 12, 15)
    for i in range(12):
        for h in range(3):
            moved = labels.copy()
            moved[i] = h
            change = pck.objective(X, moved, centers, *constraints) - pck.objective(X, labels, centers, *constraints)
            difference = pck.cost(i, h, X, centers, labels, *constraints) - pck.cost(
                i, labels[i], X, centers, labels, *constraints
            )
            assert change == pytest.approx(difference, abs=1e-12)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_mpck_moving_one_point_changes_the_objective_by_the_difference_of_costs(seed, full):
    rng = np.random.default_rng(seed)
    X, centers, metrics = rng.normal(size=(12, 3)), rng.normal(size=(3, 3)), random_metrics(rng, 3, 3, full)
    labels, constraints = rng.integers(3, size=12), random_constraints(rng, 12, 15)
    farthest = mpck.farthest_distances(X, metrics)
    before = mpck.objective(X, labels, centers, metrics, *constraints, farthest)
    for i in range(12):
        for h in range(3):
            moved = labels.copy()
            moved[i] = h
            change = mpck.objective(X, moved, centers, metrics, *constraints, farthest) - before
            difference = mpck.cost(i, h, X, centers, metrics, labels, *constraints, farthest) - mpck.cost(
                i, labels[i], X, centers, metrics, labels, *constraints, farthest
            )
            assert change == pytest.approx(difference, abs=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_mpck_with_identity_metrics_and_no_constraints_is_k_means(seed):
    rng = np.random.default_rng(seed)
    X, centers, start = rng.normal(size=(20, 2)), rng.normal(size=(3, 2)), np.full(20, -1)
    nearest = np.argmin(((X[:, None] - centers) ** 2).sum(axis=2), axis=1)
    for metrics in (np.ones((3, 2)), np.array([np.eye(2)] * 3)):
        farthest = mpck.farthest_distances(X, metrics)
        assert np.array_equal(mpck.sweep(X, centers, metrics, start, *NOTHING, farthest), nearest)
    assert np.array_equal(pck.sweep(X, centers, start, *NOTHING), nearest)


def test_mpck_sweep_by_hand():
    X = np.array([[0.0], [1.0], [3.0]])
    centers, metrics = np.array([[0.0], [3.0]]), np.array([[1.0], [2.0]])
    farthest = mpck.farthest_distances(X, metrics)
    assert farthest.tolist() == [9, 18]
    labels = np.array([0, -1, 1])
    # must-link (1, 2), w = 1: in 0 it costs 1 + ½·4·1 + ½·4·2 = 7; in 1 it costs 2·4 − ln 2 = 7.31
    assert mpck.cost(1, 0, X, centers, metrics, labels, [(1, 2)], [ML], [1.0], farthest) == pytest.approx(7)
    assert mpck.cost(1, 1, X, centers, metrics, labels, [(1, 2)], [ML], [1.0], farthest) == pytest.approx(8 - np.log(2))
    assert mpck.sweep(X, centers, metrics, labels, [(1, 2)], [ML], [1.0], farthest).tolist() == [0, 0, 1]
    # cannot-link (0, 1), w = ½: in 0 it costs ½ (9 − 1) more
    assert mpck.cost(1, 0, X, centers, metrics, labels, [(0, 1)], [CL], [0.5], farthest) == pytest.approx(1 + 4)
    assert mpck.cost(1, 1, X, centers, metrics, labels, [(0, 1)], [CL], [0.5], farthest) == pytest.approx(8 - np.log(2))


def test_farthest_pair_depends_on_the_metric():
    X = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 1.0]])
    assert mpck.farthest_pair(X, np.array([1.0, 1.0])) == (1, 2)
    assert mpck.farthest_pair(X, np.array([1e-3, 1.0])) == (1, 2)
    assert mpck.farthest_pair(X, np.array([[1.0, 1.5], [1.5, 3.0]])) == (0, 1)
    assert mpck.farthest_pair(X[:1], np.array([1.0, 1.0])) == (0, 0)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_updated_metrics_minimize_the_objective_for_a_fixed_farthest_pair(seed, shared, full):
    rng = np.random.default_rng(seed)
    k, d = 3, 2
    X, labels = rng.normal(size=(30, d)), np.repeat(np.arange(k), 10)
    pairs, must_link, weights = random_constraints(rng, 30, 20)
    constraints = pairs, must_link, weights / 10  # light enough for every S_h to be positive definite
    centers, old = pck.centers(X, labels, k), random_metrics(rng, k, d, full)
    if shared:
        old = np.array([old[0]] * k)
    differences = mpck.farthest_differences(X, old)
    new = mpck.update_metrics(X, labels, centers, old, *constraints, differences, shared)

    def objective(metrics):
        P = [mpck.squared_distance(differences[h], np.zeros(d), metrics[h]) for h in range(k)]
        return mpck.objective(X, labels, centers, metrics, *constraints, P)

    assert objective(new) <= objective(old)
    for _ in range(20):
        bump = random_metrics(rng, k, d, full) * 0.05
        if shared:
            bump = np.array([bump[0]] * k)
        assert objective(new) < objective(new + bump)
        if full:
            assert objective(new) < objective(new - bump * np.min(np.linalg.eigvalsh(new)))


def test_update_metrics_by_hand():
    X = np.array([[0.0, 0.0], [2.0, 0.0], [5.0, 1.0], [9.0, 3.0]])
    labels, old = np.array([0, 0, 1, 1]), np.array([[7.0, 7.0], [8.0, 8.0]])
    centers = pck.centers(X, labels, 2)
    differences = np.array([[9.0, 3.0], [9.0, 3.0]])
    # no spread in the second feature of cluster 0: the old weight stays
    new = mpck.update_metrics(X, labels, centers, old, *NOTHING, differences)
    assert new.tolist() == [[2 / 2, 7], [2 / 8, 2 / 2]]
    # violated must-link (1, 2), w = 2: (3², 1²) in both; violated cannot-link (2, 3), w = 1: (81 − 16, 9 − 4) in 1
    constraints = [(1, 2), (2, 3)], [ML, CL], [2.0, 1.0]
    new = mpck.update_metrics(X, labels, centers, old, *constraints, differences)
    assert new == pytest.approx(np.array([[2 / (2 + 9), 2 / 1], [2 / (8 + 9 + 65), 2 / (2 + 1 + 5)]]))
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


def test_the_scale_of_a_metric_does_not_matter():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(20, 3)), rng.integers(2, size=20)
    metrics = random_metrics(rng, 2, 3, full=True)
    once = gaussians.covariances(X, labels, 2, metrics)
    assert gaussians.covariances(X, labels, 2, 1000 * metrics) == pytest.approx(once)
    inverse_of_empirical = np.linalg.inv(gaussians.covariances(X, labels, 2))
    assert gaussians.covariances(X, labels, 2, inverse_of_empirical) == pytest.approx(
        gaussians.covariances(X, labels, 2)
    )


def test_singular_covariance_without_regularization():
    X, labels = np.ones((3, 2)), np.zeros(3, dtype=int)
    with pytest.raises(np.linalg.LinAlgError):
        propagate(X, labels, [(0, 1)], [ML], [1], 0.5, regularization=0.0)


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


@pytest.mark.parametrize("function", [propagate, propagate_vectorised])
def test_threshold_one_is_direct_mapping(function):
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(10, 2)), np.arange(10) % 2
    given = {(0, 1, CL): 1.0, (2, 4, ML): 1.0, (3, 9, CL): 1.0, (5, 6, CL): 0.9}
    assert function(X, labels, *to_arrays(given), 1.0, [0, 1, 2, 4, 5, 6, 9]) == {(0, 1, CL): 1.0, (2, 4, ML): 1.0}


@pytest.mark.parametrize("function", [propagate, propagate_vectorised])
def test_underflowing_membership_reaches_the_point_and_its_duplicates_alone(function):
    # a narrow metric in the second feature: off the mean by more than a hair, G = 0
    metrics = np.array([[1.0, 1e6]])
    X = np.concatenate([np.column_stack([np.linspace(-1, 1, 21), np.zeros(21)]), [[0, 5], [0, 5], [0, 5.1]]])
    labels = np.zeros(len(X), dtype=int)
    sigma = gaussians.covariances(X, labels, 1, metrics)
    assert np.all(gaussians.membership(X, labels, gaussians.means(X, labels, 1), sigma) == 0)
    propagated = function(X, labels, [(10, 21)], [ML], [1.0], 1e-300, None, metrics)
    assert propagated == function(X, labels, [(10, 22)], [ML], [1.0], 1e-300, None, metrics)
    assert propagated == {(10, 21, ML): 1.0, (10, 22, ML): 1.0}


@pytest.mark.parametrize("function", [propagate, propagate_vectorised])
def test_given_constraints_between_candidates_keep_their_weight(function):
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(10, 2)), rng.integers(2, size=10)
    given = to_dict(*random_constraints(rng, 10, 6))
    propagated = function(X, labels, *to_arrays(given), 0.05)
    for name, w in given.items():
        assert propagated[name] >= w
    assert function(X, labels, *to_arrays(given), 3.0) == {}  # lighter than the threshold


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


# scores


def test_pairwise_f_measure():
    # predicted pairs: 01, 23, 24, 34; same pairs: 01, 02, 12, 34; correct: 01, 34
    assert pairwise_f_measure([0, 0, 0, 1, 1], [5, 5, 6, 6, 6]) == pytest.approx(0.5)
    assert pairwise_f_measure(["a", "a", "b"], [1, 1, 0]) == 1
    assert pairwise_f_measure([0, 0, 1], [0, 1, 1]) == 0
    assert pairwise_f_measure([0, 1], [1, 0]) == pairwise_f_measure([0], [0]) == 1


def test_weighted_precision():
    y = np.array([0, 0, 1])
    constraints = {(0, 1, ML): 0.5, (0, 2, ML): 0.25, (1, 2, CL): 1.0, (0, 1, CL): 0.25}
    assert weighted_precision(constraints, y) == weighted_precision(to_arrays(constraints), y) == 0.75
    assert weighted_precision(constraints, y, "must-link") == pytest.approx(2 / 3)
    assert weighted_precision(constraints, y, "cannot-link") == 0.8
    assert math.isnan(weighted_precision({}, y))


# embedding


def test_spectral_features():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 0.2, (15, 3)), rng.normal(3, 0.2, (15, 3))])
    features = spectral_features(X, 3, sigma=0.3)
    assert features.shape == (30, 3)
    assert features.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert features.std(axis=0) == pytest.approx(1)
    assert len({*np.sign(features[:15, 0])}) == len({*np.sign(features[15:, 0])}) == 1  # one sign per blob
    assert features[0, 0] * features[20, 0] < 0
    # neither the unit nor the offset of a feature matters, and a constant feature adds nothing
    same = spectral_features(np.column_stack([X * [10, 0.1, -2] + 7, np.full(30, 3.0)]), 3, sigma=0.3)
    assert np.abs(same) == pytest.approx(np.abs(features))


def test_laplacian():
    X = scale_to_unit_range(np.random.default_rng(1).normal(size=(10, 2)))
    assert X.min(axis=0).tolist() == [0, 0]
    assert X.max(axis=0).tolist() == [1, 1]
    L = normalised_laplacian(X, 1.0)
    eigenvalues = np.linalg.eigvalsh(L)
    assert eigenvalues[0] == pytest.approx(0, abs=1e-12)
    assert eigenvalues[-1] < 2
    degree = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 2).sum(axis=1)
    assert L @ np.sqrt(degree) == pytest.approx(0, abs=1e-12)


# co-EM


def test_max_union_and_conflicts():
    own, received = {(0, 1, ML): 0.5, (1, 2, CL): 0.4}, {(0, 1, ML): 0.7, (1, 2, ML): 0.9, (2, 3, CL): 0.1}
    unified = max_union([own, received])
    assert unified == {(0, 1, ML): 0.7, (1, 2, CL): 0.4, (1, 2, ML): 0.9, (2, 3, CL): 0.1}
    assert resolve_conflicts(unified, own) == {(0, 1, ML): 0.7, (1, 2, CL): 0.4, (2, 3, CL): 0.1}
    assert resolve_conflicts(unified, {}) == {(0, 1, ML): 0.7, (1, 2, ML): 0.9, (2, 3, CL): 0.1}
    assert resolve_conflicts({(0, 1, ML): 0.7, (0, 1, CL): 0.7}, {}) == {}


def recorder(seen):
    """Make a fit that puts everything into the cluster of its sign and writes down the constraints it was given."""

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


def test_co_em_goes_from_the_later_view_to_the_earlier_one_in_the_next_iteration():
    X = np.array([[-1.0], [-1.1], [1.0], [1.1]])
    seen = []
    relations = {(1, 0): [(0, 3), (1, 2)]}
    labels, history = co_em(
        [X, X], [None, {(0, 1, ML): 1.0}], relations, "direct-mapping", 0.9, recorder(seen), closure="view"
    )
    assert [constraints for view, constraints in seen if view == 0] == [{}, {(2, 3, ML): 1.0}, {(2, 3, ML): 1.0}]
    assert len(history) == 3
    assert [list(view) for view in labels] == [[0, 0, 1, 1]] * 2


def test_co_em_full_closure_augments_both_views_and_the_relations():
    X = np.array([[-1.0], [-1.1], [1.0], [1.1]])
    seen = []
    constraints, relations = [{(0, 1, ML): 1.0}, {(0, 2, CL): 0.5}], {(0, 1): [(0, 0), (2, 2)]}
    co_em([X, X], constraints, relations, "direct-mapping", 0.9, recorder(seen))
    closed, _ = close_views([to_arrays(c) for c in constraints], relations)
    assert closed[0] == {(0, 1, ML): 1.0, (0, 2, CL): 0.5, (1, 2, CL): 0.5}
    assert seen[:2] == [(0, closed[0]), (1, closed[1])]  # nothing new to transfer after the full closure
    seen.clear()
    co_em([X, X], constraints, relations, "single-view", 0.9, recorder(seen))
    assert seen == [(0, constraints[0]), (1, constraints[1])] * 2


def test_co_em_cluster_membership():
    X = np.array([[-1.0], [-1.1], [1.0], [1.1]])
    seen = []
    # the transferred must-link (0, 1) loses against the view's own cannot-link, whatever their weights
    co_em(
        [X, X],
        [None, {(0, 1, CL): 0.1}],
        {(0, 1): [(0, 0), (1, 1), (2, 3)]},
        "cluster-membership",
        0.9,
        recorder(seen),
        closure="none",
        max_iter=1,
    )
    assert seen == [(0, {}), (1, {(0, 1, CL): 0.1, (0, 3, CL): 1.0, (1, 3, CL): 1.0})]


def pck_fit(starts):
    """CKmeans by plain PCK-Means iterations from fixed centers."""

    def fit(view, X, pairs, must_link, weights):
        centers, labels, objective = starts[view], np.full(len(X), -1), math.inf
        while True:
            labels = pck.sweep(X, centers, labels, pairs, must_link, weights)
            centers = pck.centers(X, labels, len(centers))
            previous, objective = objective, pck.objective(X, labels, centers, pairs, must_link, weights)
            assert objective <= previous + 1e-9
            if previous - objective <= 1e-9:
                return labels, objective, None

    return fit


def test_co_em_constraint_propagation_moves_the_other_view():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(4), 6)  # four blobs; the clusters are the upper two and the lower two
    corners = np.array([[-3.0, 3.5], [3.0, 3.5], [-3.0, -3.5], [3.0, -3.5]])
    truth = groups // 2
    views = [rng.normal(corners[groups], 0.4) for _ in range(2)]
    clear = np.array([[0.0, 3.0], [0.0, -3.0]])
    mistaken = np.array([[-3.0, 0.0], [3.0, 0.0]])
    same, other = [(0, 6), (12, 18)], [(0, 12), (6, 18)]
    constraints = [([*same, *other], [ML, ML, CL, CL], [50.0] * 4), None]
    relations = {(0, 1): [(i, i) for i in range(24)]}
    fit = pck_fit([clear, mistaken])
    alone, _ = co_em(views, constraints, relations, "single-view", 0.3, fit)
    together, history = co_em(
        views, constraints, relations, "constraint-propagation", 0.3, fit, propagation=propagate_vectorised
    )
    assert pairwise_f_measure(truth, alone[0]) == 1
    assert pairwise_f_measure(truth, alone[1]) < 0.6
    assert pairwise_f_measure(truth, together[1]) == 1
    propagated = history[-1][0][1]
    assert len(propagated) > 4
    assert weighted_precision(propagated, truth) > 0.95


def test_co_em_of_one_view_applies_its_own_propagated_constraints():
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(-2, 0.5, (8, 2)), rng.normal(2, 0.5, (8, 2))])
    given = {(0, 1, ML): 1.0, (0, 8, CL): 1.0}
    seen = []
    _, history = co_em([X], [given], {}, "constraint-propagation", 0.3, recorder(seen))
    assert seen[0] == (0, closure(*to_arrays(given)))
    labels = (X[:, 0] > 0).astype(int)
    propagated = propagate(X, labels, *to_arrays(seen[0][1]), 0.3)
    assert history[0][0][1] == propagated
    assert seen[1] == (0, resolve_conflicts(max_union([seen[0][1], propagated]), seen[0][1]))
    assert len(seen[1][1]) > 3


def test_co_em_passes_metrics_and_thresholds_to_the_propagation():
    X = np.random.default_rng(4).normal(size=(8, 2))
    labels = np.arange(8) % 2
    metrics = np.array([[1.0, 2.0], [3.0, 1.0]])
    given = {(0, 1, CL): 1.0, (2, 4, ML): 1.0}

    def fit(view, X, pairs, must_link, weights):
        return labels, 0.0, metrics

    _, history = co_em(
        [X, X],
        [given, given],
        {(0, 1): [(i, i) for i in range(6)]},
        "constraint-propagation",
        [0.2, 0.9],
        fit,
        closure="none",
    )
    assert len(history) == 2
    for view, threshold in enumerate([0.2, 0.9]):
        assert history[0][view][1] == propagate(X, labels, *to_arrays(given), threshold, range(6), metrics)
