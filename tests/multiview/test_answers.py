"""Groups of answers, and how they are spread over the graph and predicted from columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from mvcc import Constraints, JointGraphClustering
from mvcc.embedding import JointGraph, _scaling, raw_columns
from mvcc.multiview.joint._constrained_objects import (
    ROUNDS,
    MustLinkGroups,
    evidence,
    first_step,
    predicted_by_columns,
    shares_of_classes,
    spread,
    with_all_clusters,
)
from tests.reference import joint as slow
from tests.strategies import as_dict, assert_holds, seeds


def star(*groups):
    """Place objects into groups: members with the first one, first members apart."""
    together = [(group[0], other) for group in groups for other in group[1:]]
    apart = [(one[0], other[0]) for n, one in enumerate(groups) for other in groups[:n]]
    return Constraints.from_pairs(together, apart)


def test_answers_that_keep_all_groups_apart_are_groups():
    groups = MustLinkGroups.among(9, star([0, 1, 2], [4, 5], [7]))
    assert groups.of.tolist() == [0, 0, 0, -1, 1, 1, -1, 2, -1]
    assert groups.complete
    assert [members.tolist() for members in groups.largest_first()] == [[0, 1, 2], [4, 5], [7]]
    fewer = Constraints.from_pairs([(0, 1), (0, 2), (4, 5)], [(0, 4), (0, 7)])
    assert not MustLinkGroups.among(9, fewer).complete
    torn = Constraints.from_pairs([(0, 1), (0, 2), (4, 5)], [(0, 4), (1, 2)])
    for pairs in (Constraints([], []), Constraints([(0, 1)], [True]), torn):
        assert not MustLinkGroups.among(9, pairs).complete


PATH = [(i, i + 1) for i in range(6)]  # of 7 objects; 21 pairs join them
# 8 of 14 follow from the others
DENSE = [*PATH, *((i, i + 2) for i in range(5)), *((i, i + 3) for i in range(3))]


@pytest.mark.parametrize(
    ("together", "apart", "weights", "n_closed"),
    [
        (DENSE, [], 1, 21),
        (DENSE[:-1], [], 1, 13),
        (DENSE[:-1], [(0, 7)], 1, 14),
        (DENSE[:-1], [(0, 7), (5, 7)], 1, 21 + 7),
        (PATH, [(i, 7) for i in range(7)], 1, 13),
        (DENSE, [(0, 6)], 1, 15),
        (DENSE, [], [1, 2] * 7, 21),
        (DENSE, [], [0.99, *[1] * 13], 14),
        ([], [], 1, 0),
    ],
)
def test_dense_pairs_that_bear_each_other_out_are_closed(together, apart, weights, n_closed):
    judged = Constraints.from_pairs(together, apart)
    judged = Constraints(judged.pairs, judged.must_link, np.broadcast_to(weights, len(judged)))
    closed = MustLinkGroups.among(9, judged).closed(judged)
    assert len(closed) == n_closed
    assert_holds(closed, slow.closed_where_dense(as_dict(judged)))


@given(seeds, st.sampled_from([0.0, 0.1]))
def test_what_is_closed_is_what_the_definition_says(seed, wrong):
    rng = np.random.default_rng(seed)
    pairs = np.column_stack(np.triu_indices(8, 1))[rng.random(28) < rng.choice([0.5, 0.9])]
    same = np.equal(*rng.integers(3, size=8)[pairs].T) ^ (rng.random(len(pairs)) < wrong)
    judged = Constraints(pairs, same, rng.choice([1.0, 2.0, 3.0], len(pairs)))
    closed = MustLinkGroups.among(8, judged).closed(judged)
    assert_holds(closed, slow.closed_where_dense(as_dict(judged)))


def test_a_closure_of_millions_of_pairs_is_not_made():
    judged = star(range(1500)).max_union(Constraints.from_pairs([(i, i + 1) for i in range(1, 9)]))
    assert MustLinkGroups.among(1500, judged).closed(judged) is judged


def test_large_groups_get_a_cluster_of_their_own_and_small_ones_do_not():
    groups = MustLinkGroups.among(14, star(range(5), range(5, 10), [10, 11]))
    labels = np.array([0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 2, 2, 2])
    assert groups.classes(labels, 3).tolist() == [0] * 5 + [1] * 5 + [0, 2, -1, -1]
    pairs = MustLinkGroups.among(14, Constraints.from_pairs([(0, 4)], [(4, 5), (9, 12)]))
    assert pairs.classes(labels, 3).tolist() == [0, -1, -1, -1, 1, 0, -1, -1, -1, 1, -1, -1, 2, -1]


def test_starts_are_the_means_of_the_largest_groups():
    rows = np.arange(12.0)[:, None]
    groups = MustLinkGroups.among(12, star([0, 1], [3, 4, 5], [9]))
    assert [start.ravel().tolist() for start in groups.starts(rows, 2)] == [[4.0, 0.5]]
    assert [start.ravel().tolist() for start in groups.starts(rows, 4)] == [[4.0, 0.5, 9.0]] * 5
    assert MustLinkGroups.among(12, Constraints([(0, 1)], [True])).starts(rows, 2) == []


def test_shares_are_those_of_the_judged_in_a_cluster():
    shares = shares_of_classes(np.array([0, 0, 0, 1, 2]), np.array([0, 2, -1, -1, 1]), 3)
    np.testing.assert_allclose(shares, [[0.5, 0, 0.5]] * 3 + [[0, 1, 0], [0, 1, 0]])


def answers(seed, n=20, k=3, given=True):
    rng = np.random.default_rng(seed)
    W = rng.random((n, n)) * (rng.random((n, n)) < 0.3)
    labels = np.append(np.arange(k), rng.integers(k, size=n - k))
    classes = np.where(rng.random(n) < 0.4, labels, -1)
    classes[:k] = np.arange(k)
    classes = classes if given else np.full(n, -1)
    return W + W.T, labels, classes, rng.uniform(0.1, 1, n), rng


def graph_of(W):
    return JointGraph([], sp.csr_array(W), None, [], np.eye(1), 10)


@given(seeds, st.booleans())
def test_spreading_is_the_sum_of_all_steps(seed, judged):
    W, labels, classes, weights, _ = answers(seed, given=judged)
    shares = shares_of_classes(labels, classes, 3)
    found = spread(graph_of(W), first_step(classes, weights, shares))
    expected = slow.spread(slow.normalized(W**2), classes, weights, shares.copy())
    np.testing.assert_allclose(found, expected, atol=1e-10)


@given(seeds, st.booleans())
def test_columns_predict_by_the_ridge_that_leaves_out_best(seed, judged_there):
    _, labels, classes, _, rng = answers(seed)
    objects = [np.arange(12), np.append(np.arange(12, 20), [0, 5, 5])]
    if not judged_there:  # nobody is judged in the second view
        classes[[0, 5, *range(12, 20)]] = -1
    shares = shares_of_classes(labels, classes, 3)
    views = [rng.normal(size=(12, 2)) + labels[:12, None], rng.normal(size=(11, 4))]
    found = predicted_by_columns([raw_columns(X) for X in views], objects, classes, shares)
    expected = slow.predicted_by_columns(views, objects, classes, shares)
    np.testing.assert_allclose(found, expected, atol=1e-8)


@given(seeds, st.booleans())
def test_evidence_is_spread_and_predicted_in_two_rounds(seed, judged):
    W, labels, classes, weights, rng = answers(seed, given=judged)
    shares = shares_of_classes(labels, classes, 3)
    views, objects = [rng.normal(size=(20, 2)) + labels[:, None]], [np.arange(20)]
    columns = [raw_columns(X) for X in views]
    found = evidence(graph_of(W), columns, objects, classes, weights, shares, ROUNDS)
    expected = slow.evidence(slow.normalized(W**2), views, objects, classes, weights, shares)
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_no_cluster_is_lost_by_spreading():
    clusters, reached = np.array([0, 1, 1, 2, -1]), np.array([0, 0, 2, 2, 2])
    free = np.full(5, -1)
    assert with_all_clusters(reached, free, clusters).tolist() == [0, 1, 1, 2, 2]
    np.testing.assert_array_equal(with_all_clusters(reached, free, reached), reached)
    rows = np.random.default_rng(195).normal(size=(14, 2))
    for k in range(2, 8):
        found = JointGraphClustering(k, random_state=0).fit([rows]).labels_[0]
        assert len(np.unique(found)) == k


@pytest.mark.parametrize(
    ("reached", "classes", "clusters", "expected"),
    [
        ([1, 2, 2, 2], [-1] * 4, [0, 1, 2, 2], [0, 1, 2, 2]),
        ([0, 0, 0, 0], [-1, 0, -1, 0], [0, 1, 1, 2], [0, 0, 1, 2]),
    ],
    ids=["a cluster that returns empties no other one", "constrained objects return last"],
)
def test_clusters_that_nothing_reached_return(reached, classes, clusters, expected):
    assert with_all_clusters(*map(np.array, (reached, classes, clusters))).tolist() == expected


def test_raw_columns_are_centered_and_of_unit_length(monkeypatch):
    X = np.random.default_rng(0).normal(size=(50, 4)) * [1e3, 1, 1, 1] + 5
    rows = raw_columns(X)
    np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-12)
    assert (rows**2).sum(axis=1).mean() == pytest.approx(1)
    assert not raw_columns(np.full((5, 2), 0.1)).any()
    np.testing.assert_allclose(raw_columns(X * 1e140), rows, atol=1e-12)
    monkeypatch.setattr(_scaling, "_SINGLE_FROM", 50)
    assert raw_columns(X).dtype == np.float32
    np.testing.assert_allclose(raw_columns(X), rows, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("d", [300, 2001])
def test_wide_views_are_turned_to_their_principal_components(d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 20)) @ rng.normal(size=(20, d))
    with threadpool_limits(1):
        rows = raw_columns(X)
    centered = X - X.mean(axis=0)
    centered /= np.sqrt((centered**2).sum(axis=1).mean())
    assert rows.shape == (400, 256)
    np.testing.assert_allclose(rows @ rows.T, centered @ centered.T, atol=1e-6)
