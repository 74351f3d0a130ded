"""A closure that stays neighborhoods is the same constraints to its caller as the list of its
pairs.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc import Constraints, close_views
from mvcc.constraints._constraints import unify
from mvcc.exceptions import ConstraintConflictError
from tests.strategies import random_constraints


def as_list(constraints):
    return Constraints(constraints.pairs, constraints.must_link, constraints.weights)


def consistent(rng, n, m, weight=1.0):
    """Draw constraints that do not contradict each other."""
    home = rng.integers(rng.integers(1, n), size=n)
    pairs = rng.integers(n, size=(m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return Constraints(pairs, home[pairs[:, 0]] == home[pairs[:, 1]], np.full(len(pairs), weight))


def closed_both_ways(make):
    """Return a closure as a list and as neighborhoods."""
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


def test_equality_of_neighborhoods_needs_no_pairs():
    make = Constraints.from_pairs([(0, 1), (1, 2)], [(2, 3)]).closure
    _, one = closed_both_ways(make)
    _, other = closed_both_ways(make)
    _, apart = closed_both_ways(Constraints.from_pairs([(0, 1), (1, 2)], [(2, 4)]).closure)
    assert one == other
    assert one._listed is None
    assert one != apart
    assert one != unify(other, Constraints.from_pairs([(5, 6)]))


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
