"""Relations are merged, sampled and rewired; constraints go to all counterparts of their ends."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mvcc import Constraints, close_views
from mvcc.constraints import (
    augment,
    check_mappings,
    relations_between,
    rewire_relations,
    sample_relations,
)
from mvcc.constraints._map import ConstraintMap
from mvcc.exceptions import ConstraintConflictError, InvalidInputError
from tests.reference.closure import relation_strengths
from tests.reference.constraint_sets import to_dict, transfer
from tests.strategies import assert_holds, constraint_lists, related_views, relation_lists, seeds

ML, CL = True, False
NOTHING = Constraints([], [])


# the check


@given(related_views())
def test_checked_relations_are_sorted_and_distinct_under_ascending_keys(case):
    _, mappings = case
    merged: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for (u, v), rows in mappings.items():
        merged.setdefault((min(u, v), max(u, v)), set()).update(
            (i, j) if u < v else (j, i) for i, j in rows
        )
    checked = check_mappings(mappings, [6, 6, 6])
    assert list(checked) == sorted(merged)
    for key, rows in checked.items():
        assert rows.dtype == np.int64
        assert rows.shape == (len(merged[key]), 2)
        assert [tuple(row) for row in rows.tolist()] == sorted(merged[key])


@pytest.mark.parametrize("rows", [[], (), np.empty((0, 2)), np.empty((0, 2), dtype=np.int32)])
def test_there_may_be_no_relations(rows):
    assert check_mappings(None, [3, 3]) == check_mappings({}, [3, 3]) == {}
    checked = check_mappings({(0, 1): rows}, [3, 3])
    assert checked[0, 1].shape == (0, 2)
    assert checked[0, 1].dtype == np.int64


def test_checking_keeps_the_arrays_of_the_caller_apart():
    rows = np.array([[0, 1], [1, 0]])
    checked = check_mappings({(0, 1): rows}, [2, 2])
    checked[0, 1][:] = 9
    assert rows.tolist() == [[0, 1], [1, 0]]
    numbers = {(np.int64(1), np.int32(0)): rows.astype(np.uint8)}
    assert check_mappings(numbers, [2, 2])[0, 1].tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("key", "rows", "message"),
    [
        ((0, 2), [(0, 0)], r": \(0, 2\) does not name two different views of 0 … 1"),
        ((-1, 0), [(0, 0)], r": \(-1, 0\) does not name two different views of 0 … 1"),
        ((1, 1), [(0, 0)], r": \(1, 1\) does not name two different views"),
        ("01", [(0, 0)], r": '01' does not name two different views of 0 … 1 as \(u, v\)"),
        ((0, 1, 2), [(0, 0)], r": \(0, 1, 2\) does not name two different views"),
        ((0.0, 1.0), [(0, 0)], r": \(0\.0, 1\.0\) does not name two different views"),
        (0, [(0, 0)], ": 0 does not name two different views"),
        ((0, 1), [(0, 0), (3, 0)], r"\[1\] names row 3 of view 0, which has rows 0 … 2"),
        ((1, 0), [(0, 2), (0, 3)], r"\[1\] names row 3 of view 0, which has rows 0 … 2"),
        ((0, 1), [(0, 0), (0, -1)], r"\[1\] names row -1 of view 1"),
        ((0, 1), [0, 1], r" must be integer row numbers of shape .*, not int64 of shape \(2,\)"),
        ((0, 1), [(0, 1), (2,)], ""),
        ((0, 1), [(0, 1, 2)], r" must be integer row numbers of shape \(r, 2\)"),
        ((0, 1), [(0.0, 1.0)], " must be integer row numbers .*, not float64 of shape"),
        ((0, 1), [(True, False)], " must be integer row numbers"),
    ],
)
def test_bad_mappings_are_refused_with_the_place(key, rows, message):
    place = "mappings" if message.startswith(":") else re.escape(f"mappings[{key}]")
    with pytest.raises(InvalidInputError, match=place + message):
        check_mappings({key: rows}, [3, 4])


# rows and relations of two views


def test_relations_between_two_views_put_the_source_first():
    relations = check_mappings({(0, 1): [(0, 7), (1, 8)]}, [99] * 3)
    assert relations_between(relations, 0, 1).tolist() == [[0, 7], [1, 8]]
    assert relations_between(relations, 1, 0).tolist() == [[7, 0], [8, 1]]
    for source, target in ((0, 2), (2, 0), (1, 2), (2, 1)):
        assert relations_between(relations, source, target).shape == (0, 2)


# transfer (Eq. 12)


@given(constraint_lists(n_rows=6), relation_lists() | relation_lists(n_target=2, max_size=12))
def test_transfer_equals_the_reference(listed, relations):
    assert_holds(
        ConstraintMap(relations)(Constraints(*listed)), transfer(to_dict(*listed), relations)
    )


@given(constraint_lists(n_rows=6), relation_lists(), st.data())
def test_a_constraint_keeps_no_more_weight_than_the_relations_it_takes(listed, relations, data):
    strengths = np.array(
        [data.draw(st.sampled_from([0, 0.3, 0.5, 1, 2, np.inf])) for _ in relations], dtype=float
    )
    limits = {
        tuple(row): strength
        for row, strength in zip(relations.tolist(), strengths.tolist(), strict=True)
    }
    assert_holds(
        ConstraintMap(relations, strengths)(Constraints(*listed)),
        transfer(to_dict(*listed), relations, limits),
    )


# samples of relations (§6.2)


@given(relation_lists(), st.lists(st.floats(0, 1), max_size=5), seeds)
def test_samples_have_the_size_asked_for_and_larger_contain_smaller(relations, portions, seed):
    r = len(relations)
    samples = sample_relations(relations, portions, np.random.default_rng(seed))
    assert [len(sample) for sample in samples] == [round(portion * r) for portion in portions]
    rows = [{tuple(row) for row in sample.tolist()} for sample in samples]
    for sample, distinct in zip(samples, rows, strict=True):
        assert sample.shape[1:] == (2,)
        assert len(distinct) == len(sample)
        in_order = [row for row in relations.tolist() if tuple(row) in distinct]
        assert sample.tolist() == in_order
    by_size = sorted(rows, key=len)
    assert all(small <= large for small, large in itertools.pairwise(by_size))


def test_every_sample_is_equally_likely_and_the_generator_decides():
    relations = np.array([(0, 3), (1, 2), (2, 1), (3, 0)])
    rng = np.random.default_rng(0)
    counts = Counter(
        tuple(sample_relations(relations, [0.5], rng)[0][:, 0].tolist()) for _ in range(3000)
    )
    assert len(counts) == 6
    assert stats.chisquare([*counts.values()]).pvalue > 1e-3
    one, same = (sample_relations(relations, [0.5], np.random.default_rng(3))[0] for _ in range(2))
    assert one.tolist() == same.tolist()


# rewired relations (§6.3)


ONE_TO_ONE = np.column_stack((np.arange(20), np.arange(20)[::-1] + 100))


def rewired(share, seed=0, relations=ONE_TO_ONE):
    return rewire_relations(relations, share, np.random.default_rng(seed))


@pytest.mark.parametrize(("share", "number"), [(0.0, 0), (0.1, 2), (0.34, 7), (0.5, 10), (1.0, 20)])
def test_just_the_share_gets_another_partner(share, number):
    for seed in range(10):
        found = rewired(share, seed)
        assert (found[:, 0] == ONE_TO_ONE[:, 0]).all()
        assert (found[:, 1] != ONE_TO_ONE[:, 1]).sum() == number


def test_every_row_keeps_its_number_of_relations():
    many = np.array([[0, 5], [0, 6], [1, 5], [2, 7], [2, 5], [3, 8]])
    before = many.copy()
    for seed in range(10):
        found = rewired(0.7, seed, many)
        assert sorted(found[:, 1]) == sorted(many[:, 1])
        assert (found[:, 0] == many[:, 0]).all()
    assert (many == before).all()


def test_a_larger_share_rewires_the_relations_of_the_smaller_too():
    for seed in range(10):
        fewer, more = (rewired(share, seed)[:, 1] != ONE_TO_ONE[:, 1] for share in (0.3, 0.6))
        assert more[fewer].all()
    assert not np.array_equal(rewired(0.5, 0), rewired(0.5, 1))


# the readings of Algorithm 2, steps 1–2


@given(related_views())
def test_full_closes_over_all_views_view_inside_each_and_none_not_at_all(case):
    lists, mappings = case
    constraints = [Constraints(*listed) for listed in lists]
    relations = check_mappings(mappings, [99] * len(constraints))

    closed, related, strengths = augment(constraints, relations, "full")
    expected, expected_relations = close_views(constraints, relations)
    assert closed == expected
    assert related.keys() == expected_relations.keys()
    assert all(np.array_equal(related[key], expected_relations[key]) for key in related)

    if not all((c.weights == 1).all() for c in constraints):  # else nothing can lose weight
        expected_strengths = relation_strengths([to_dict(*listed) for listed in lists], relations)
        assert {
            key: dict(zip(map(tuple, rows.tolist()), strengths[key].tolist(), strict=True))
            for key, rows in related.items()
        } == expected_strengths

    closed, related, strengths = augment(constraints, relations, "view")
    assert not strengths
    assert closed == [c.closure() for c in constraints]
    assert related is relations

    closed, related, strengths = augment(constraints, relations, "none")
    assert not strengths
    assert closed == constraints
    assert related is relations


def test_only_the_reading_that_closes_sees_a_contradiction():
    across = [Constraints.from_pairs([(0, 1)]), Constraints.from_pairs(cannot_link=[(0, 1)])]
    relations = check_mappings({(0, 1): [(0, 0), (1, 1)]}, [2, 2])
    with pytest.raises(ConstraintConflictError):
        augment(across, relations, "full")
    assert augment(across, relations, "view")[0] == across
    inside = [Constraints.from_pairs([(0, 1)], [(0, 1)]), NOTHING]
    message = r": row 0 of view 1 = row 1 of view 1 \(must-link\), but"
    with pytest.raises(ConstraintConflictError, match=message):
        augment(inside[::-1], relations, "view")
    assert augment(inside, relations, "none")[0] == inside
