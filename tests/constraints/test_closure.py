"""The closure holds just what follows, as strong as the strongest chain, or names the conflict."""

import itertools
import re
from collections import deque

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mvcc import Constraints, close_views, drop_conflicts
from mvcc.constraints._kernels import closed_pairs
from mvcc.exceptions import ConstraintConflictError, InvalidInputError
from tests.reference import closure as slow
from tests.strategies import (
    as_dict,
    assert_holds,
    consistent_constraints,
    constraint_lists,
    related_views,
    seeds,
)

ML, CL = True, False


@given(consistent_constraints())
def test_closure_equals_the_reference(listed):
    assert_holds(Constraints(*listed).closure(), slow.closure(*listed))


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


@given(seeds, st.integers(2, 14), st.integers(0, 45), st.sampled_from([1, 2, 100]))
@example(0, 60, 90, 100)
@example(1, 60, 90, 2)
@example(2, 30, 90, 100)
def test_every_pair_in_a_view_that_follows_comes_once_with_its_weight(seed, n, n_links, n_weights):
    rng = np.random.default_rng(seed)
    home = rng.integers(1 + rng.integers(n), size=n)
    ends = rng.integers(n, size=(n_links, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    kinds = home[ends[:, 0]] == home[ends[:, 1]]
    weights = rng.integers(1, 1 + n_weights, len(ends)) / 7
    view = rng.integers(rng.integers(1, 4), size=n)
    heaviest_first = np.lexsort((~kinds, -weights))
    # contiguous, as the closure gives them: others would be compiled for this test alone
    first, second = np.ascontiguousarray(ends[heaviest_first].T)
    found_pairs, together, found = closed_pairs(
        n, view, first, second, kinds[heaviest_first], weights[heaviest_first]
    )

    def listed(of_kind):
        rows = zip(ends[kinds == of_kind].tolist(), weights[kinds == of_kind].tolist(), strict=True)
        return [(i, j, w) for (i, j), w in rows]

    chains = slow.strongest_chains(n, listed(True))
    expected = {True: chains, False: slow.strongest_cannot_links(chains, listed(False))}
    wanted = {
        (i, j, kind): expected[kind][i, j]
        for j in range(n)
        for i in range(j)
        for kind in (True, False)
        if view[i] == view[j] and expected[kind][i, j] > slow.NO_CHAIN
    }
    keys = list(zip(*found_pairs.T.tolist(), together.tolist(), strict=True))
    assert len(keys) == len(set(keys))
    assert dict(zip(keys, found.tolist(), strict=True)) == wanted


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


# all views at once (Algorithm 2, steps 1–2)


def assert_views_hold(closed, expected):
    """Compare constraints of every view, and relations as sorted, distinct rows."""
    constraints, relations = closed
    for c, wanted in zip(constraints, expected[0], strict=True):
        assert_holds(c, wanted)
    wanted = {key: rows for key, rows in expected[1].items() if rows}
    assert relations.keys() == wanted.keys()
    for key, rows in relations.items():
        assert rows.dtype == np.int64
        assert [tuple(row) for row in rows.tolist()] == sorted(wanted[key])


@given(related_views())
def test_close_views_equals_the_reference(case):
    constraints, relations = case
    closed = close_views([Constraints(*c) for c in constraints], relations)
    assert_views_hold(closed, slow.close_views(constraints, relations))


@given(related_views(consistent=False))
def test_a_contradiction_is_named_by_a_chain_and_there_is_no_shorter_one(case):
    check_named_chain(*case)


def test_the_shortest_chain_is_named_where_many_lead_to_the_same_rows():
    rng = np.random.default_rng(0)
    for _ in range(60):
        pairs = np.array([rng.choice(12, 2, replace=False) for _ in range(18)]).tolist()
        check_named_chain([(pairs, [ML] * 16 + [CL] * 2, rng.random(18).tolist())], {})


def check_named_chain(constraints, relations):
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
    shortest = min((steps_between(must, *sorted(pair)) for pair in cannot), default=np.inf)
    views = [Constraints(*listed) for listed in constraints]
    if shortest == np.inf:
        close_views(views, relations)
        return
    with pytest.raises(ConstraintConflictError) as caught:
        close_views(views, relations)
    assert isinstance(caught.value, InvalidInputError)
    named = re.findall(
        r"row (\d+) of view (\d+)(?: \((must-link|relation|cannot-link)\))?", str(caught.value)
    )
    *chain, first, last = [(int(view), int(row)) for row, view, _ in named]
    assert (chain[0], chain[-1]) == (first, last)
    assert {first, last} in cannot
    assert len(chain) == shortest + 1
    for link, (_, _, kind) in zip(itertools.pairwise(chain), named[1:], strict=False):
        assert must[frozenset(link)] == kind


@pytest.mark.parametrize("row", [2**31, 2**63 - 1])
def test_rows_that_no_constraint_can_name_are_refused(row):
    # as by the constructor; 3 and this row are the same object, so that a must-link would have to
    # follow
    with pytest.raises(InvalidInputError, match=str(row)):
        close_views([None, None], {(0, 1): [(3, 0), (row, 0)]})


CONTRADICTORY = (
    "i,j,kind\n3,9,must-link\n0,1,cannot-link\n20,21,must-link\n"
    "\n12,9,must-link\n12,3,cannot-link\n"
)


def rows_of(constraints):
    return sorted(constraints.rows())


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(CONTRADICTORY)
    return Constraints.read_csv(path)


def test_the_chain_is_shown_with_the_lines_of_its_constraints(judged):
    message = (
        "The constraints contradict each other: row 3 = row 9 (must-link, line 2 of pairs.csv) ="
        " row 12 (must-link, line 6 of pairs.csv), but row 3 ≠ row 12 (cannot-link, line 7 of"
        " pairs.csv)."
    )
    with pytest.raises(ConstraintConflictError, match=re.escape(message)):
        judged.closure()


def test_the_chain_over_views_is_shown_with_the_lines_of_its_constraints(judged, tmp_path):
    (tmp_path / "texts.csv").write_text("i,j,kind\n5,6,must-link\n4,5,cannot-link\n")
    texts = Constraints.read_csv(tmp_path / "texts.csv")
    images, _ = judged.drop_conflicts()
    relations = {(0, 1): [(4, 3), (5, 9)]}
    message = (
        "row 4 of view 0 = row 3 of view 1 (relation) = row 9 of view 1 (must-link, line 2 of"
        " pairs.csv) = row 5 of view 0 (relation), but row 4 of view 0 ≠ row 5 of view 0"
        " (cannot-link, line 3 of texts.csv). Correct or remove one of these"
    )
    with pytest.raises(ConstraintConflictError, match=re.escape(message)):
        close_views([texts, images], relations)
    with pytest.raises(ConstraintConflictError, match=r"line 2 of pairs\.csv"):
        close_views([None, judged, texts], {(1, 2): [(3, 4), (9, 5)]})


# dropped: the heaviest that agree stay


def taken_one_by_one(constraints, relations):
    """Keep what the slow closure accepts with all that was kept before, the heaviest first."""
    rows = [(view, row) for view, c in enumerate(constraints) for row in rows_of(c)]
    order = sorted(range(len(rows)), key=lambda n: (-rows[n][1][3], not rows[n][1][2], n))
    kept = [[] for _ in constraints]
    for view, row in (rows[number] for number in order):
        tried = [[*kept_here, *[row] * (here == view)] for here, kept_here in enumerate(kept)]
        try:
            slow.close_views([as_arrays(rows_here) for rows_here in tried], relations)
        except ValueError:
            continue
        kept = tried
    return [sorted(rows_here) for rows_here in kept]


def as_arrays(rows):
    return [row[:2] for row in rows], [row[2] for row in rows], [row[3] for row in rows]


@given(constraint_lists(n_rows=6) | constraint_lists(n_rows=12, max_size=36))
def test_what_is_kept_is_what_agrees_with_all_heavier_ones(listed):
    constraints = Constraints(*listed)
    kept, dropped = constraints.drop_conflicts()
    kept.closure()
    assert [rows_of(kept)] == taken_one_by_one([constraints], {})
    assert sorted(rows_of(kept) + rows_of(dropped)) == rows_of(constraints)


@given(related_views(consistent=False))
def test_over_views_relations_are_never_dropped(case):
    listed, relations = case
    constraints = [Constraints(*of_view) for of_view in listed]
    kept, dropped = drop_conflicts([*constraints, None], relations)
    assert (len(kept.pop()), len(dropped.pop())) == (0, 0)
    close_views(kept, relations)
    assert [rows_of(c) for c in kept] == taken_one_by_one(constraints, relations)
    for before, one, other in zip(constraints, kept, dropped, strict=True):
        assert sorted(rows_of(one) + rows_of(other)) == rows_of(before)


def test_a_closure_held_as_neighborhoods_is_dropped_from_like_a_list(monkeypatch):
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", -1)
    chains = [(i, i + 1) for i in range(199) if i != 99]
    closed = Constraints.from_pairs(chains, [(0, 100)]).closure()
    assert closed._parts is not None
    kept, dropped = drop_conflicts([closed, None], {(0, 1): [(0, 0), (100, 0)]})
    assert not dropped[0].must_link.any()
    assert len(dropped[0]) == 100**2
    assert len(kept[0]) + len(dropped[0]) == len(closed)


def test_a_hundred_thousand_contradictory_constraints_are_sorted_out():
    rng = np.random.default_rng(0)
    pairs = rng.integers(20_000, size=(100_000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    judged = Constraints(pairs, rng.random(len(pairs)) < 0.5, rng.random(len(pairs)))
    kept, dropped = judged.drop_conflicts()
    assert len(kept) + len(dropped) == len(judged)
    assert len(dropped) > 10_000
    Constraints(kept.pairs, kept.must_link).closure()
