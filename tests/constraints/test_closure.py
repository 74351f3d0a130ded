"""The closure holds just what follows from the constraints, as strong as the strongest chain, or
names the conflict.
"""

from __future__ import annotations

import itertools
import re
from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc import Constraints, close_views
from mvcc.exceptions import ConstraintConflictError, InvalidInputError
from tests.reference import closure as slow
from tests.strategies import (
    as_dict,
    assert_holds,
    consistent_constraints,
    constraint_lists,
    related_views,
)

ML, CL = True, False
NOTHING = Constraints([], [])


# one view


@given(consistent_constraints())
def test_closure_equals_the_reference(listed):
    assert_holds(Constraints(*listed).closure(), slow.closure(*listed))


@given(constraint_lists(n_rows=6))
def test_contradictions_are_found_just_when_there_are_any(listed):
    try:
        expected = slow.closure(*listed)
    except ValueError:
        with pytest.raises(ConstraintConflictError):
            Constraints(*listed).closure()
    else:
        assert_holds(Constraints(*listed).closure(), expected)


def random_list(rng, labels, m):
    """Draw m constraints that agree with the labels, of few or of many weights, often repeated."""
    first = rng.integers(len(labels), size=m)
    second = (first + rng.integers(1, len(labels), size=m)) % len(labels)
    weights = (
        rng.choice([0.25, 0.5, 1.0, 2.0], m) if rng.random() < 0.5 else rng.uniform(0.1, 2.0, m)
    )
    return np.column_stack((first, second)), labels[first] == labels[second], weights


@pytest.mark.parametrize("m", [20, 40, 80])
def test_closures_of_many_rows_and_constraints_equal_the_reference(m):
    rng = np.random.default_rng(m)
    for _ in range(12):
        listed = random_list(rng, rng.integers(4, size=20), m)
        assert_holds(Constraints(*listed).closure(), slow.closure(*listed))


def test_an_inferred_constraint_weighs_the_weakest_link_of_its_strongest_chain():
    # 0 –.5– 1 –.9– 2 is stronger than 0 –.3– 4 –1– 2; the cannot-link 2 |.7| 3 and 3 –.6– 5
    c = Constraints(
        [(0, 1), (1, 2), (0, 4), (4, 2), (2, 3), (3, 5)],
        [ML, ML, ML, ML, CL, ML],
        [0.5, 0.9, 0.3, 1.0, 0.7, 0.6],
    )
    assert as_dict(c.closure()) == {
        (0, 1, ML): 0.5,
        (0, 2, ML): 0.5,
        (0, 4, ML): 0.3,  # given: 0 – 1 – 2 – 4 is stronger
        (1, 2, ML): 0.9,
        (1, 4, ML): 0.9,
        (2, 4, ML): 1.0,
        (3, 5, ML): 0.6,
        (0, 3, CL): 0.5,
        (1, 3, CL): 0.7,
        (2, 3, CL): 0.7,
        (3, 4, CL): 0.7,
        (0, 5, CL): 0.5,
        (1, 5, CL): 0.6,
        (2, 5, CL): 0.6,
        (4, 5, CL): 0.6,
    }


def test_large_neighborhoods_are_closed_too():
    rng = np.random.default_rng(0)
    n, k = 300, 5
    order = rng.permutation(n)
    chains = np.column_stack((order[:-k], order[k:]))  # k classes, by the place in the order
    walls = np.column_stack((order[:k], np.roll(order[:k], 1)))
    strength = rng.uniform(0.1, 2.0, len(chains))
    c = Constraints(
        np.concatenate((chains, walls)),
        np.arange(n) < n - k,
        np.concatenate((strength, np.full(k, 3.0))),
    )
    closed = c.closure()
    place = np.argsort(order)
    pairs = np.argwhere(np.triu(np.ones((n, n), dtype=bool), 1))
    gap = (place[pairs[:, 0]] - place[pairs[:, 1]]) % k
    wanted = pairs[(gap == 0) | (gap == 1) | (gap == k - 1)]
    assert closed.pairs.tolist() == wanted.tolist()
    assert (closed.must_link == (place[wanted[:, 0]] % k == place[wanted[:, 1]] % k)).all()
    # along a chain the weakest link between two rows decides
    for index in rng.choice(np.flatnonzero(closed.must_link), 200):
        first, last = sorted(place[closed.pairs[index]])
        assert closed.weights[index] == strength[first:last:k].min()
    for index in rng.choice(np.flatnonzero(~closed.must_link), 200):
        ends = place[closed.pairs[index]]
        assert closed.weights[index] == min(
            [3.0, *(strength[end % k : end : k].min(initial=3.0) for end in ends)]
        )


@pytest.mark.parametrize("weight", [0.0, 1e-300, 1e300])
def test_extreme_weights_are_weights_like_others(weight):
    closed = Constraints([(0, 1), (1, 2), (2, 3)], [ML, ML, CL], [weight, 1.0, 0.5]).closure()
    assert as_dict(closed) == {
        (0, 1, ML): weight,
        (0, 2, ML): min(weight, 1.0),
        (1, 2, ML): 1.0,
        (0, 3, CL): min(weight, 0.5),
        (1, 3, CL): 0.5,
        (2, 3, CL): 0.5,
    }


# the conflict that is named


def test_the_shortest_of_two_contradicting_chains_is_named():
    long = [(0, 1), (1, 2), (2, 3), (3, 4)]
    short = [(10, 11), (11, 12)]
    for first, second in ((long, short), (short, long)):
        c = Constraints.from_pairs(first + second, [(0, 4), (10, 12)])
        with pytest.raises(
            ConstraintConflictError,
            match=(
                r"row 10 = row 11 .* = row 12 \(must-link\), but row 10 ≠ row 12 \(cannot-link\)\."
                r" Correct or remove"
            ),
        ):
            c.closure()
    # the same when the shorter one has the smaller rows
    c = Constraints.from_pairs([(0, 1), (1, 2), (5, 6), (6, 7), (7, 8)], [(0, 2), (5, 8)])
    with pytest.raises(
        ConstraintConflictError, match=r"row 0 = row 1 \(must-link\) = row 2 \(must-link\), but"
    ):
        c.closure()


@pytest.mark.parametrize("heavy", [True, False])
@pytest.mark.parametrize(("middle", "detour"), [(5, (1, 2)), (1, (4, 5))])
def test_of_two_chains_between_the_same_rows_the_shorter_is_named_whatever_its_weight(
    middle, detour, heavy
):
    short, long = [(0, middle), (middle, 9)], [(0, detour[0]), detour, (detour[1], 9)]
    weights = [2.0] * 2 + [0.1] * 3 if heavy else [0.1] * 2 + [2.0] * 3
    c = Constraints([*short, *long, (0, 9)], [ML] * 5 + [CL], [*weights, 1.0])
    with pytest.raises(
        ConstraintConflictError, match=rf"row 0 = row {middle} \S+ = row 9 \S+, but row 0 ≠ row 9"
    ):
        c.closure()


def test_a_pair_with_both_types_is_the_shortest_conflict():
    c = Constraints.from_pairs([(0, 1), (1, 2), (3, 4)], [(0, 2), (3, 4)])
    with pytest.raises(
        ConstraintConflictError,
        match=r"row 3 = row 4 \(must-link\), but row 3 ≠ row 4 \(cannot-link\)",
    ):
        c.closure()


def steps_between(links, start, goal):
    """Count the links of the shortest way, by breadth-first search, or infinity."""
    distance = {start: 0}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for link in links:
            if node in link:
                (other,) = link - {node}
                if other not in distance:
                    distance[other] = distance[node] + 1
                    queue.append(other)
    return distance.get(goal, np.inf)


def shortest_conflict(must, cannot):
    """Count the links of the shortest chain that a cannot-link contradicts."""
    return min((steps_between(must, *sorted(pair)) for pair in cannot), default=np.inf)


@given(constraint_lists(n_rows=7, max_size=14))
def test_the_named_chain_is_a_chain_and_there_is_no_shorter_one(listed):
    check_named_chain(listed)


def test_the_shortest_chain_is_named_where_many_lead_to_the_same_rows():
    rng = np.random.default_rng(0)
    for _ in range(60):
        pairs = np.array([rng.choice(12, 2, replace=False) for _ in range(18)]).tolist()
        check_named_chain((pairs, [ML] * 16 + [CL] * 2, rng.random(18).tolist()))


def check_named_chain(listed):
    must = {frozenset(pair) for pair, is_must, _ in zip(*listed, strict=True) if is_must}
    cannot = {frozenset(pair) for pair, is_must, _ in zip(*listed, strict=True) if not is_must}
    shortest = shortest_conflict(must, cannot)
    if shortest == np.inf:
        Constraints(*listed).closure()
        return
    with pytest.raises(ConstraintConflictError) as caught:
        Constraints(*listed).closure()
    assert isinstance(caught.value, InvalidInputError)
    *chain, first, last = [int(row) for row in re.findall(r"\d+", str(caught.value))]
    assert (chain[0], chain[-1]) == (first, last)
    assert {first, last} in cannot
    assert all({*link} in must for link in itertools.pairwise(chain))
    assert len(chain) == shortest + 1


# all views at once (Algorithm 2, steps 1–2)


def without_empty(relations):
    return {key: rows for key, rows in relations.items() if rows}


def assert_views_hold(closed, expected):
    """Compare with the reference.

    Constraints of every view, and relations as sorted, distinct rows.
    """
    constraints, relations = closed
    for c, wanted in zip(constraints, expected[0], strict=True):
        assert_holds(c, wanted)
    wanted = without_empty(expected[1])
    assert relations.keys() == wanted.keys()
    for key, rows in relations.items():
        assert rows.dtype == np.int64
        assert [tuple(row) for row in rows.tolist()] == sorted(wanted[key])


@given(related_views())
def test_close_views_equals_the_reference(case):
    constraints, relations = case
    closed = close_views([Constraints(*c) for c in constraints], relations)
    assert_views_hold(closed, slow.close_views(constraints, relations))


@pytest.mark.parametrize("m", [6, 12, 24])
def test_closures_over_many_rows_of_three_views_equal_the_reference(m):
    rng = np.random.default_rng(m)
    for _ in range(12):
        labels = [rng.integers(4, size=10) for _ in range(3)]
        constraints = [random_list(rng, y, m) for y in labels]
        relations = {
            (u, v): rng.permutation(np.argwhere(labels[u][:, None] == labels[v]))[: rng.integers(8)]
            for u, v in ((0, 1), (2, 1), (0, 2))
        }
        closed = close_views([Constraints(*c) for c in constraints], relations)
        assert_views_hold(closed, slow.close_views(constraints, relations))


@given(related_views(consistent=False))
def test_contradictions_between_views_are_found_just_when_there_are_any(case):
    constraints, relations = case
    views = [Constraints(*c) for c in constraints]
    try:
        expected = slow.close_views(constraints, relations)
    except ValueError:
        with pytest.raises(ConstraintConflictError):
            close_views(views, relations)
    else:
        assert_views_hold(close_views(views, relations), expected)


@given(related_views(consistent=False))
def test_the_named_chain_through_views_is_a_chain_and_there_is_no_shorter_one(case):
    constraints, relations = case
    must = {
        frozenset({(u, int(i)), (v, int(j))}): "relation"
        for (u, v), rows in relations.items()
        for i, j in rows
    }
    cannot = set()
    for view, listed in enumerate(constraints):
        for (i, j), is_must, _ in zip(*listed, strict=True):
            link = frozenset({(view, i), (view, j)})
            if is_must:
                must[link] = "must-link"
            else:
                cannot.add(link)
    shortest = shortest_conflict(must, cannot)
    if shortest == np.inf:
        return
    with pytest.raises(ConstraintConflictError) as caught:
        close_views([Constraints(*c) for c in constraints], relations)
    named = re.findall(
        r"row (\d+) of view (\d+)(?: \((must-link|relation|cannot-link)\))?", str(caught.value)
    )
    *chain, first, last = [(int(view), int(row)) for row, view, _ in named]
    assert (chain[0], chain[-1]) == (first, last)
    assert {first, last} in cannot
    assert len(chain) == shortest + 1
    for link, (_, _, kind) in zip(itertools.pairwise(chain), named[1:], strict=False):
        assert must[frozenset(link)] == kind


def test_a_conflict_through_relations_names_rows_views_and_links():
    views = [Constraints.from_pairs([(3, 4)]), Constraints.from_pairs(cannot_link=[(7, 8)])]
    message = (
        "row 7 of view 1 = row 3 of view 0 (relation) = row 4 of view 0 (must-link) = row 8 of view"
        " 1 (relation), but row 7 of view 1 ≠ row 8 of view 1 (cannot-link). Correct or remove one"
        " of these"
    )
    with pytest.raises(ConstraintConflictError, match=re.escape(message)):
        close_views(views, {(0, 1): [(3, 7), (4, 8)]})


def test_a_conflict_is_named_rightly_behind_an_empty_view():
    views = [None, Constraints.from_pairs([(0, 1)], [(0, 1)]), None]
    with pytest.raises(
        ConstraintConflictError, match=r"row 0 of view 1 = row 1 of view 1 \(must-link\), but row 0"
    ):
        close_views(views, {})


def test_relations_weaken_no_chain():
    first = Constraints([(0, 1), (1, 2)], [ML, CL], [2.0, 3.0])
    constraints, relations = close_views([first, None], {(0, 1): [(0, 10), (1, 11), (2, 12)]})
    assert as_dict(constraints[0]) == {(0, 1, ML): 2.0, (1, 2, CL): 3.0, (0, 2, CL): 2.0}
    assert as_dict(constraints[1]) == {(10, 11, ML): 2.0, (11, 12, CL): 3.0, (10, 12, CL): 2.0}
    assert relations[0, 1].tolist() == [[0, 10], [0, 11], [1, 10], [1, 11], [2, 12]]


def assert_same_views(first, second):
    assert first[0] == second[0]
    assert {key: rows.tolist() for key, rows in first[1].items()} == {
        key: rows.tolist() for key, rows in second[1].items()
    }


@given(
    st.lists(consistent_constraints(), min_size=1, max_size=3),
    st.sampled_from([None, {}, {(0, 1): []}]),
)
def test_without_relations_every_view_is_closed_by_itself(lists, mappings):
    views = [Constraints(*listed) for listed in lists]
    closed, relations = close_views(views, mappings if len(views) > 1 else None)
    assert closed == [c.closure() for c in views]
    assert relations == {}


def test_no_constraints_of_a_view_may_be_none_or_an_empty_list():
    c = Constraints.from_pairs([(0, 1)])
    mappings = {(0, 1): [(0, 3), (1, 4)]}
    assert_same_views(close_views([c, None], mappings), close_views([c, NOTHING], mappings))


@pytest.mark.parametrize("row", [2**31, 2**63 - 1])
def test_rows_that_no_constraint_can_name_are_refused(row):
    # as by the constructor; 3 and this row are the same object, so that a must-link would have to
    # follow
    with pytest.raises(InvalidInputError, match=str(row)):
        close_views([None, None], {(0, 1): [(3, 0), (row, 0)]})


@pytest.mark.parametrize("mappings", [{(0, 2): [(0, 0)]}, {(1, 0): [(0, -1)]}])
def test_views_and_rows_that_are_not_there_are_refused(mappings):
    with pytest.raises(InvalidInputError, match=r"mappings"):
        close_views([NOTHING, NOTHING], mappings)


def test_no_views_are_refused():
    with pytest.raises(InvalidInputError, match="constraints is empty"):
        close_views([], {})
