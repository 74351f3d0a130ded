"""A constraint of weight 0 costs nothing, but counts where lists are united or closed."""

import numpy as np
import pytest

from mvcc import Constraints
from mvcc.constraints._constraints import unify
from mvcc.constraints._map import ConstraintMap

ROW = [[0, 1]]


def weightless(kind, weight=0.0):
    return Constraints(ROW, [kind], [weight])


@pytest.mark.parametrize("kind", [True, False], ids=["must-link", "cannot-link"])
def test_a_given_constraint_wins_over_a_transferred_one_of_the_other_kind(kind):
    assert unify(weightless(kind), weightless(not kind, 5.0)) == weightless(kind)


@pytest.mark.parametrize("kind", [True, False], ids=["must-link", "cannot-link"])
def test_of_two_transferred_ones_the_heavier_wins(kind):
    both = Constraints(ROW * 2, [kind, not kind], [0.0, 0.1])
    assert unify(Constraints([], []), both) == weightless(not kind, 0.1)


def test_two_kinds_of_weight_zero_are_both_dropped():
    both = Constraints(ROW * 2, [True, False], [0.0, 0.0])
    assert len(unify(Constraints([], []), both)) == 0
    assert len(unify(both, Constraints([], []))) == 0


@pytest.mark.parametrize("kind", [True, False], ids=["must-link", "cannot-link"])
def test_it_is_kept_by_a_union_a_closure_and_a_map(kind):
    given = weightless(kind)
    assert given.max_union(Constraints([], [])) == given.max_union(given) == given
    assert given.closure() == given
    assert ConstraintMap(np.array([[0, 0], [1, 1]]))(given) == given
