"""A closure that stays neighborhoods is, to its caller, the list of its pairs."""

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc import Constraints, close_views
from mvcc.constraints._closure import Neighborhoods
from mvcc.constraints._map import unify
from mvcc.exceptions import ConstraintConflictError
from tests.strategies import as_list, random_constraints


def consistent(rng, n, m, weight=1.0):
    home = rng.integers(rng.integers(1, n), size=n)
    pairs = rng.integers(n, size=(m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return Constraints(pairs, home[pairs[:, 0]] == home[pairs[:, 1]], np.full(len(pairs), weight))


def closed_both_ways(make):
    listed = make()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mvcc.constraints._constraints.MOST_LISTED", -1)
        return listed, make()


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.3]))
def test_a_closure_is_the_same_list_or_not(seed, weight):
    rng = np.random.default_rng(seed)
    given_ = consistent(rng, 20, 25, weight)
    listed, held = closed_both_ways(given_.closure)
    if not len(listed):
        return
    assert listed._parts is None
    assert held._parts is not None
    assert len(held) == len(listed)
    assert repr(held) == repr(listed)
    assert held._listed is None
    assert held == listed
    assert listed == held
    assert np.array_equal(held.pairs, listed.pairs)
    assert (held.weights == weight).all()
    assert not held.pairs.flags.writeable


@given(st.integers(0, 2**32 - 1))
def test_closing_again_changes_nothing_and_makes_no_pairs(seed):
    listed, held = closed_both_ways(consistent(np.random.default_rng(seed), 20, 25).closure)
    _, again = closed_both_ways(held.closure)
    assert again == held
    assert again._listed is None is held._listed or not len(listed)
    assert pickle.loads(pickle.dumps(held)) == listed


@given(st.integers(0, 2**32 - 1))
def test_views_close_the_same_list_or_not(seed):
    rng = np.random.default_rng(seed)
    home = rng.integers(6, size=12)
    pairs = rng.integers(12, size=(3, 8, 2))
    given_ = [
        Constraints(p := rows[rows[:, 0] != rows[:, 1]], home[p[:, 0]] == home[p[:, 1]])
        for rows in pairs
    ]
    relations = {}
    for key in ((0, 1), (1, 2)):
        rows = rng.integers(12, size=(rng.integers(1, 10), 2))
        relations[key] = rows[home[rows[:, 0]] == home[rows[:, 1]]]
    (listed, across), (held, across_too) = closed_both_ways(lambda: close_views(given_, relations))
    assert across.keys() == across_too.keys()
    assert all(np.array_equal(across[key], across_too[key]) for key in across)
    assert [len(c) for c in held] == [len(c) for c in listed]
    assert held == listed
    once_more, _ = close_views(held, relations)
    assert once_more == listed


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.6]))
def test_uniting_with_transferred_constraints_is_the_same_list_or_not(seed, weight):
    rng = np.random.default_rng(seed)
    listed, held = closed_both_ways(consistent(rng, 12, 12, weight).closure)
    sent = random_constraints(rng, 14, 30, [0.2, 0.6, 0.9])
    assert unify(held, sent) == unify(listed, sent)
    assert as_list(unify(held, sent)) == unify(listed, sent)
    assert held.max_union(sent) == listed.max_union(sent)


def test_a_contradiction_with_closed_constraints_is_found():
    _, held = closed_both_ways(Constraints.from_pairs([(0, 1), (1, 2)], [(2, 3)]).closure)
    with pytest.raises(ConstraintConflictError, match="row 0"):
        close_views([held, None], {(0, 1): [(3, 0), (0, 0)]})


# ---- with a list of others beside the neighborhoods


@pytest.fixture
def held(monkeypatch):
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", -1)
    closed = Constraints.from_pairs([(0, 1), (1, 2), (5, 6)], [(2, 5)]).closure()
    return unify(
        closed, Constraints([[7, 8], [8, 9], [7, 9]], [True, True, False], [0.25, 0.5, 0.75])
    )


def test_both_parts_are_counted_and_shown(held):
    assert repr(held) == "<Constraints: 6 must-links, 7 cannot-links>"
    assert len(held) == 13
    assert held._listed is None
    assert (len(held.pairs), held.must_link.sum()) == (13, 6)


def test_a_copy_from_another_process_holds_neighborhoods_too(held):
    copy = pickle.loads(pickle.dumps(held))
    assert copy._listed is None
    assert copy == held
    assert copy._listed is held._listed is None
    assert np.array_equal(copy.pairs, held.pairs)


def test_the_largest_row_is_found_in_either_part_and_there_is_none_in_an_empty_list(held):
    assert held.largest_row() == 9
    assert unify(held, Constraints([], [])).largest_row() == 9
    assert Constraints([], []).largest_row() == -1
    assert Constraints.from_pairs([(0, 41), (3, 4)]).largest_row() == 41


def test_neighborhoods_equal_neighborhoods_alone(held):
    neighborhoods, _ = held._parts
    assert neighborhoods != "neighborhoods"
    parts = [neighborhoods.rows, neighborhoods.group, neighborhoods.apart]
    assert neighborhoods == Neighborhoods(*map(np.copy, parts), neighborhoods.weight)
    for changed in ({"rows": parts[0] + 1}, {"apart": parts[2][:0]}, {"weight": 2.0}):
        assert neighborhoods != replace(neighborhoods, **changed)
    assert held != unify(held, Constraints.from_pairs([(20, 21)]))


def test_the_spanning_constraints_of_many_rows_name_the_smaller_row_first(monkeypatch):
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", -1)
    y = np.random.default_rng(0).integers(3, size=300)
    rows = [np.flatnonzero(y == kind).tolist() for kind in range(3)]
    chains = [link[::-1] for members in rows for link in pairwise(members)]
    apart = [(rows[0][0], rows[1][0]), (rows[1][5], rows[2][7])]
    held = Constraints.from_pairs(chains, apart).closure()
    pairs, must_link, _ = held.spanning()
    assert (pairs[must_link][:, 0] < pairs[must_link][:, 1]).all()
    assert must_link.sum() == 297
    assert Constraints(*held.spanning()).closure() == held


@pytest.mark.parametrize("kind", [True, False], ids=["must-link", "cannot-link"])
@pytest.mark.parametrize("weight", [0.5, 1.0, 2.0])
def test_only_a_heavier_constraint_of_a_pair_that_follows_makes_the_list(held, kind, weight):
    known, new = [[0, 2], [0, 5]], [[20, 21], [0, 20]]
    for pairs in (known, new):
        sent = Constraints(pairs, [kind, kind], [weight, weight])
        united = unify(held, sent)
        assert (united._parts is None) == (pairs is known and weight > 1)
        assert united == unify(as_list(held), sent)
        held._listed = None


@pytest.mark.parametrize(("most_listed", "is_listed"), [(9, False), (10, True), (11, True)])
def test_a_closure_is_listed_up_to_the_given_number_of_pairs(monkeypatch, most_listed, is_listed):
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", most_listed)
    closed = Constraints.from_pairs([(0, 1), (1, 2), (5, 6)], [(2, 5)]).closure()
    assert len(closed) == 10
    assert (closed._parts is None) == is_listed
