"""Laws that closures, unions, transfers, propagation and scores obey, whatever the constraints are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mvcc import Constraints, close_views, pairwise_f_measure, propagate_constraints, weighted_precision
from mvcc.constraints._constraints import unify
from mvcc.constraints._map import ConstraintMap
from mvcc.exceptions import ConstraintConflictError
from tests.strategies import (
    as_dict,
    consistent_constraints,
    constraint_lists,
    labellings,
    related_views,
    relation_lists,
    seeds,
)

ONE = st.just(1.0)
lists = constraint_lists(n_rows=5)
scales = st.sampled_from([0.25, 0.5, 2.0, 8.0])  # powers of two change no digit


def weighing(c, factor):
    return Constraints(c.pairs, c.must_link, factor * c.weights)


def turned_round(c):
    """Make every must-link a cannot-link and the other way round."""
    return Constraints(c.pairs, ~c.must_link, c.weights)


def renamed(c, names):
    return Constraints(np.asarray(names)[c.pairs], c.must_link, c.weights)


def assert_contains(larger, smaller, known=()):
    """Check that all of the smaller are in the larger, no lighter but where they are known with another weight."""
    found = as_dict(larger)
    for key, weight in as_dict(smaller).items():
        assert key in found
        assert found[key] >= weight or key in known


# ---- closure


@given(labellings(2, 9), st.data())
def test_more_constraints_never_imply_fewer_or_lighter_ones(y, data):
    some, more = (Constraints(*data.draw(constraint_lists(labels=y))) for _ in range(2))
    closed = some.max_union(more).closure()
    for part in (some, more):
        given_ones = as_dict(some.max_union(more))  # these keep the weight they are given
        assert_contains(closed, part.closure(), given_ones)


@given(consistent_constraints(max_rows=7, weight=ONE))
def test_a_constraint_follows_just_when_its_opposite_contradicts(listed):
    c = Constraints(*listed)
    closed = as_dict(c.closure())
    for i in range(7):
        for j in range(i):
            for must in (True, False):
                opposite = c.max_union(Constraints([(j, i)], [not must]))
                if (j, i, must) in closed:
                    with pytest.raises(ConstraintConflictError):
                        opposite.closure()
                else:
                    opposite.closure()


@given(consistent_constraints())
def test_no_pair_of_a_closure_is_of_both_kinds(listed):
    pairs = Constraints(*listed).closure().pairs
    assert len(np.unique(pairs, axis=0)) == len(pairs)


@given(consistent_constraints(), consistent_constraints())
def test_what_has_no_row_in_common_is_closed_apart(here, there):
    one, other = Constraints(*here), renamed(Constraints(*there), np.arange(9) + 100)
    assert one.max_union(other).closure() == one.closure().max_union(other.closure())


@given(consistent_constraints(), scales)
def test_a_closure_scales_with_its_weights(listed, factor):
    c = Constraints(*listed)
    assert weighing(c, factor).closure() == weighing(c.closure(), factor)


# ---- closure over views


@given(related_views(n_views=3), st.permutations(range(3)))
def test_views_are_closed_in_any_order(case, order):
    listed, relations = case
    constraints = [Constraints(*each) for each in listed]
    expected, related = close_views(constraints, relations)
    place = {view: number for number, view in enumerate(order)}
    found, turned = close_views(
        [constraints[view] for view in order], {(place[u], place[v]): rows for (u, v), rows in relations.items()}
    )
    assert found == [expected[view] for view in order]
    back = {
        (u, v): turned[place[u], place[v]] if place[u] < place[v] else turned[place[v], place[u]][:, ::-1]
        for u, v in related
    }
    assert len(turned) == len(related)
    for key, rows in related.items():
        assert sorted(back[key].tolist()) == rows.tolist()


@given(related_views(weight=st.floats(0, 1)))  # what follows from relations alone weighs 1
def test_fewer_relations_imply_nothing_more(case):
    listed, relations = case
    constraints = [Constraints(*each) for each in listed]
    all_closed, _ = close_views(constraints, relations)
    closed, _ = close_views(constraints, {key: rows[::2] for key, rows in relations.items()})
    for large, small, c in zip(all_closed, closed, constraints, strict=True):
        assert_contains(large, small, as_dict(c.max_union(c)))


@given(labellings(2, 7), st.data(), st.permutations(range(7)))
def test_views_that_are_wholly_related_one_to_one_are_closed_as_one(y, data, names):
    names = np.argsort(np.argsort(names[: len(y)]))  # row of the second view of each row of the first
    here, there = (Constraints(*data.draw(constraint_lists(labels=y))) for _ in range(2))
    relations = {(0, 1): np.column_stack((np.arange(len(y)), names))}
    (first, second), related = close_views([here, renamed(there, names)], relations)
    joined = as_dict(here.max_union(there).closure())
    given_ones = [as_dict(c.max_union(c)) for c in (here, there)]
    for found, own in zip((as_dict(first), as_dict(renamed(second, np.argsort(names)))), given_ones, strict=True):
        assert found.keys() == joined.keys()
        for key, weight in found.items():
            if not any(key in known for known in given_ones):
                assert weight == joined[key]
            elif key in own:
                assert weight == own[key]
    together = [(i, j) for i, j, must in joined if must]
    same = {(i, i) for i in range(len(y))}.union(together, [(j, i) for i, j in together])
    assert related[0, 1].tolist() == sorted([i, names[j]] for i, j in same)


# ---- union


@given(constraint_lists(n_rows=5, max_size=8), lists)
def test_a_unified_set_has_one_kind_for_each_pair_and_takes_no_more_in(own, transferred):
    given_ones, others = Constraints(*own), Constraints(*transferred)
    found = unify(given_ones, others)
    assert len(np.unique(found.pairs, axis=0)) == len(found)
    assert_contains(given_ones.max_union(others), found)
    assert unify(found, found) == found
    assert unify(found, Constraints([], [])) == found


# ---- transfer to another view


@given(lists, lists, relation_lists())
def test_transferring_a_union_is_uniting_what_is_transferred(one, other, relations):
    transfer = ConstraintMap(relations)
    first, second = Constraints(*one), Constraints(*other)
    assert transfer(first.max_union(second)) == transfer(first).max_union(transfer(second))


@given(constraint_lists(n_rows=6), relation_lists(6, 5), relation_lists(5, 4))
def test_a_transfer_through_a_view_is_part_of_the_direct_one(listed, first, second):
    """It lacks only what meets in one row on the way."""
    c = Constraints(*listed)
    direct = {(i, j) for i, row in first.tolist() for other, j in second.tolist() if row == other}
    composed = ConstraintMap(np.array(sorted(direct), dtype=np.int64).reshape(-1, 2))(c)
    through = ConstraintMap(second)(ConstraintMap(first)(c))
    assert_contains(composed, through)
    if len(np.unique(first[:, 1])) == len(first):
        assert composed == through


@given(constraint_lists(n_rows=6), relation_lists(), scales)
def test_a_transfer_scales_with_the_weights_and_does_not_tell_kinds_apart(listed, relations, factor):
    c, transfer = Constraints(*listed), ConstraintMap(relations)
    assert transfer(weighing(c, factor)) == weighing(transfer(c), factor)
    assert transfer(turned_round(c)) == turned_round(transfer(c))


# ---- propagation


@st.composite
def scenes(draw):
    """Draw clusters, constraints with weights up to 2 and a threshold that is none of the weights."""
    rng = np.random.default_rng(draw(seeds))
    n, d, k = draw(st.integers(4, 20)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    labels = rng.integers(k, size=n)
    X = rng.normal(size=(n, d)) + 3 * rng.normal(size=(k, d))[labels]
    found = []
    for _ in range(2):
        pairs = rng.integers(n, size=(draw(st.integers(0, 8)), 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        found.append(Constraints(pairs, rng.random(len(pairs)) < 0.5, rng.choice([0.5, 0.9, 1.0, 2.0], len(pairs))))
    return X, labels, *found, draw(st.sampled_from([0.1, 0.4, 0.7, 0.95]))


def propagate(X, labels, c, threshold, **options):
    return propagate_constraints(X, labels, c, threshold, **{"regularization": 1e-3} | options)


@given(scenes(), seeds)
def test_propagated_constraints_lie_between_candidates_and_weigh_at_least_the_threshold(scene, seed):
    X, labels, c, _, threshold = scene
    candidates = np.flatnonzero(np.random.default_rng(seed).random(len(X)) < 0.5)
    found = propagate(X, labels, c, threshold, candidates=candidates)
    assert set(found.pairs.ravel().tolist()) <= set(candidates.tolist())
    everywhere = as_dict(propagate(X, labels, c, threshold))
    inside = {key: w for key, w in everywhere.items() if np.isin(key[:2], candidates).all()}
    assert as_dict(found) == inside  # candidates choose among what is propagated, and change no weight
    for (_, _, must), weight in everywhere.items():
        assert threshold <= weight <= c.weights[c.must_link == must].max()


@given(scenes())
def test_propagating_a_union_is_uniting_what_is_propagated(scene):
    X, labels, c, other, threshold = scene
    parts = [propagate(X, labels, part, threshold) for part in (c, other)]
    assert propagate(X, labels, c.max_union(other), threshold) == parts[0].max_union(parts[1])


@given(scenes(), st.sampled_from([0.25, 0.5, 1.0]))
def test_propagation_scales_with_weights_and_threshold_and_does_not_tell_kinds_apart(scene, factor):
    X, labels, c, _, threshold = scene
    expected = weighing(propagate(X, labels, c, threshold), factor)
    assert propagate(X, labels, weighing(c, factor), factor * threshold) == expected
    assert propagate(X, labels, turned_round(c), threshold) == turned_round(propagate(X, labels, c, threshold))


@given(scenes(), seeds)
def test_numbers_of_clusters_do_not_matter_to_propagation(scene, seed):
    X, labels, c, _, threshold = scene
    names = np.random.default_rng(seed).permutation(5)  # of which some stay empty
    assert propagate(X, names[labels], c, threshold) == propagate(X, labels, c, threshold)


@given(scenes(), seeds, st.sampled_from([0.01, 1.0, 30.0]))
def test_propagation_does_not_depend_on_origin_axes_and_unit(scene, seed, unit):
    X, labels, c, _, threshold = scene
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(X.shape[1], X.shape[1])))[0]
    moved = unit * (X @ axes + rng.normal(size=X.shape[1]))
    expected = as_dict(propagate(X, labels, c, threshold))
    found = as_dict(propagate(moved, labels, c, threshold, regularization=1e-3 * unit**2))
    for key in found.keys() | expected.keys():  # one that is just at the threshold may be in one of them alone
        assert found.get(key, threshold) == pytest.approx(expected.get(key, threshold), rel=1e-6)


# ---- scores


@given(labellings(2, 8), st.data())
def test_f_is_1_for_the_same_partition_alone(y, data):
    other = data.draw(st.lists(st.integers(0, 2), min_size=len(y), max_size=len(y)) | st.permutations(y))
    together = [np.equal.outer(labels, labels) for labels in (y, other)]
    assume(any(matrix.sum() > len(y) for matrix in together))
    assert (pairwise_f_measure(y, other) == 1) == np.array_equal(*together)


@given(constraint_lists(n_rows=6), st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_what_is_right_is_wrong_when_turned_round_and_stays_right_when_closed(listed, y):
    c = Constraints(*listed)
    assume(c.weights.sum() > 0)
    assert weighted_precision(turned_round(c), y) == pytest.approx(1 - weighted_precision(c, y))
    right = np.equal(*np.array(y)[c.pairs.T]) == c.must_link
    closed = Constraints(c.pairs[right], c.must_link[right]).closure()
    assert not len(closed) or weighted_precision(closed, y) == 1
