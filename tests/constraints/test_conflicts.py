"""A contradiction is shown as the shortest chain with its lines; the heaviest that agree stay."""

import re

import numpy as np
import pytest
from hypothesis import given

from mvcc import Constraints, close_views, drop_conflicts
from mvcc.exceptions import ConstraintConflictError
from tests.reference import closure as reference
from tests.strategies import constraint_lists, related_views

CONTRADICTORY = "i,j,kind\n3,9,must-link\n0,1,cannot-link\n20,21,must-link\n\n12,9,must-link\n12,3,cannot-link\n"


def rows_of(constraints):
    return sorted(constraints.rows())


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(CONTRADICTORY)
    return Constraints.read_csv(path)


# ---- explained


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
        " (cannot-link, line 3 of texts.csv)"
    )
    with pytest.raises(ConstraintConflictError, match=re.escape(message)):
        close_views([texts, images], relations)
    with pytest.raises(ConstraintConflictError, match=r"line 2 of pairs\.csv"):
        close_views([None, judged, texts], {(1, 2): [(3, 4), (9, 5)]})


# ---- dropped


def taken_one_by_one(constraints, relations):
    """Keep what the slow closure accepts with all that was kept before, the heaviest first."""
    rows = [(view, row) for view, c in enumerate(constraints) for row in rows_of(c)]
    order = sorted(range(len(rows)), key=lambda n: (-rows[n][1][3], not rows[n][1][2], n))
    kept = [[] for _ in constraints]
    for view, row in (rows[number] for number in order):
        tried = [[*kept_here, *[row] * (here == view)] for here, kept_here in enumerate(kept)]
        try:
            reference.close_views([as_arrays(rows_here) for rows_here in tried], relations)
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


def test_what_is_dropped_keeps_its_line(judged):
    _, dropped = judged.drop_conflicts()
    assert dropped.pairs.tolist() == [[3, 12]]
    assert dropped.source_of(0) == "line 7 of pairs.csv"


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
