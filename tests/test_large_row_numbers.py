"""The largest row numbers are told apart to the last bit, in lists and in neighborhoods."""

import numpy as np
import pytest

from mvcc import Constraints, close_views
from mvcc.constraints import check_mappings
from mvcc.constraints._arrays import MAX_ROW
from mvcc.constraints._closure import distinct_pairs
from mvcc.constraints._map import unify

LAST = [MAX_ROW - step for step in range(5)]


@pytest.mark.parametrize("most_listed", [2**20, -1], ids=["listed", "neighborhoods"])
@pytest.mark.parametrize("weight", [1.0, None], ids=["equal weights", "different weights"])
def test_closures_hold_the_same_pairs_as_with_small_numbers(monkeypatch, most_listed, weight):
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", most_listed)
    pairs, kinds = np.array([[4, 3], [3, 2], [1, 2], [1, 0]]), [True, True, False, True]
    weights = np.full(4, weight) if weight else np.arange(1.0, 5.0)
    small, large = (
        Constraints(shift + pairs, kinds, weights).closure() for shift in (0, MAX_ROW - 4)
    )
    assert len(small) == len(large) == 10
    assert np.array_equal(small.pairs + MAX_ROW - 4, large.pairs)
    assert np.array_equal(small.must_link, large.must_link)
    assert np.array_equal(small.weights, large.weights)


def test_lists_are_sorted_united_and_unified():
    listed = Constraints([LAST[:2], LAST[1:3], [0, LAST[0]]], [True, False, True])
    assert listed.pairs.tolist() == [[0, LAST[0]], LAST[2:0:-1], LAST[1::-1]]
    assert listed.max_union(listed) == unify(listed, listed) == listed


def test_relations_are_sorted_and_distinct():
    rows = [[LAST[0], LAST[1]], [LAST[0], LAST[2]], [LAST[1], LAST[0]], [LAST[0], LAST[2]]]
    found = check_mappings({(0, 1): rows}, [MAX_ROW + 1] * 2)
    assert found[0, 1].tolist() == [[LAST[1], LAST[0]], [LAST[0], LAST[2]], [LAST[0], LAST[1]]]


def test_views_are_closed_over_the_last_rows():
    closed, relations = close_views(
        [Constraints.from_pairs([(LAST[0], LAST[1])]), None],
        {(0, 1): [[LAST[0], LAST[0]], [LAST[1], LAST[1]]]},
    )
    assert closed[1].pairs.tolist() == [LAST[1::-1]]
    assert len(relations[0, 1]) == 4


def test_pairs_of_neighborhoods_are_distinct_to_the_last_bit():
    first, second = (
        np.array([LAST[0], LAST[0], LAST[1], -1, 0]),
        np.array([LAST[1], LAST[2], LAST[0], 3, -1]),
    )
    assert distinct_pairs(first, second, MAX_ROW + 1).tolist() == [LAST[2::-2], LAST[1::-1]]
