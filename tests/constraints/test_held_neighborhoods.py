"""Constraints that hold neighborhoods are counted, shown and sent to other processes without making
their pairs.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from mvcc import Constraints
from mvcc.constraints import mapped_rows, relations_between
from mvcc.constraints._closure import Neighborhoods
from mvcc.constraints._constraints import unify


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


def test_lists_are_sent_as_lists():
    listed = Constraints([[1, 0], [2, 1]], [True, False], [1.0, 2.0])
    copy = pickle.loads(pickle.dumps(listed))
    assert copy == listed
    assert not copy.pairs.flags.writeable


def test_the_largest_row_is_found_in_either_part_and_there_is_none_in_an_empty_list(held):
    assert held.largest_row() == 9
    assert unify(held, Constraints([], [])).largest_row() == 9
    assert Constraints([], []).largest_row() == -1
    assert Constraints.from_pairs([(0, 41), (3, 4)]).largest_row() == 41


def test_neighborhoods_equal_neighborhoods_alone(held):
    neighborhoods, _ = held._parts
    assert neighborhoods != "neighborhoods"
    assert neighborhoods == Neighborhoods(
        neighborhoods.rows.copy(),
        neighborhoods.group.copy(),
        neighborhoods.apart.copy(),
        neighborhoods.weight,
    )
    assert neighborhoods != Neighborhoods(
        neighborhoods.rows, neighborhoods.group, neighborhoods.apart, 2.0
    )


def test_the_lines_of_a_file_follow_the_order_of_its_constraints(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text(
        "i,j,kind,weight\n4,3,must-link,1\n1,0,cannot-link,9\n0,1,must-link,2\n1,0,must-link,3\n0,1,cannot-link,9\n"
    )
    read = Constraints.read_csv(path)
    assert [read.source_of(position) for position in range(5)] == [
        f"line {line} of judged.csv" for line in (5, 4, 3, 6, 2)
    ]
    assert read.weights.tolist() == [3, 2, 9, 9, 1]


def test_no_relations_map_no_rows():
    assert mapped_rows({}, 0).tolist() == []
    assert mapped_rows({}, 0).dtype == np.int64
    assert relations_between({}, 1, 0).shape == (0, 2)


def test_the_spanning_constraints_of_many_rows_name_the_smaller_row_first(monkeypatch):
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", -1)
    y = np.random.default_rng(0).integers(3, size=300)
    rows = [np.flatnonzero(y == kind).tolist() for kind in range(3)]
    chains = [
        (one, other) for members in rows for one, other in zip(members[1:], members, strict=False)
    ]
    held = Constraints.from_pairs(
        chains, [(rows[0][0], rows[1][0]), (rows[1][5], rows[2][7])]
    ).closure()
    pairs, must_link, _ = held.spanning()
    assert (pairs[must_link][:, 0] < pairs[must_link][:, 1]).all()
    assert must_link.sum() == 297
    assert Constraints(*held.spanning()).closure() == held


@pytest.mark.parametrize("kind", [True, False], ids=["must-link", "cannot-link"])
@pytest.mark.parametrize("weight", [0.5, 1.0, 2.0])
def test_only_a_heavier_constraint_of_a_pair_that_follows_makes_the_list(held, kind, weight):
    known, new = [[0, 2], [0, 5]], [[20, 21], [0, 20]]
    for pairs in (known, new):
        united = unify(held, Constraints(pairs, [kind, kind], [weight, weight]))
        assert (united._parts is None) == (pairs is known and weight > 1)
        given = Constraints(held.pairs, held.must_link, held.weights)
        assert united == unify(given, Constraints(pairs, [kind, kind], [weight, weight]))
        held._listed = None


@pytest.mark.parametrize(("most_listed", "is_listed"), [(9, False), (10, True), (11, True)])
def test_a_closure_is_listed_up_to_the_given_number_of_pairs(monkeypatch, most_listed, is_listed):
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", most_listed)
    closed = Constraints.from_pairs([(0, 1), (1, 2), (5, 6)], [(2, 5)]).closure()
    assert len(closed) == 10
    assert (closed._parts is None) == is_listed
