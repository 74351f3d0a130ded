"""Containers that hold no constraints, views or relations are refused by name, in brief."""

import numpy as np
import pytest

from mvcc import Constraints, MultiViewConstrainedClustering, PCKMeans, close_views, drop_conflicts
from mvcc.exceptions import ConstraintConflictError, InvalidInputError

JUDGED = Constraints.from_pairs([(0, 1)])
VIEWS = [np.eye(4), np.eye(4)]


@pytest.mark.parametrize("pairs", [5, None, np.array(3), "ab", {"a": 1}, object()])
def test_pairs_that_are_none_are_refused(pairs):
    with pytest.raises(InvalidInputError, match="pairs must"):
        Constraints.from_pairs(must_link=pairs)


@pytest.mark.parametrize(
    "pairs",
    [[(0, 1)], ((0, 1),), {(0, 1)}, {(0, 1): "why"}.keys(), iter([(1, 0)]), np.array([[0, 1]])],
)
def test_pairs_may_come_in_any_container(pairs):
    assert Constraints.from_pairs(must_link=pairs) == JUDGED


@pytest.mark.parametrize("close", [close_views, drop_conflicts])
@pytest.mark.parametrize(
    "constraints", [None, 5, JUDGED, [5, None], np.array(3.0), [[(0, 1)]]], ids=str
)
def test_constraints_of_views_are_a_list_of_constraints(close, constraints):
    with pytest.raises(InvalidInputError, match=r"constraints(\[0\])? must be"):
        close(constraints, {})


@pytest.mark.parametrize(
    "key", [(10**5000, 0), "x" * 10**6, (0, 0), (0, 7)], ids=["huge", "long", "same", "no view"]
)
def test_keys_of_relations_are_named_in_brief(key):
    with pytest.raises(InvalidInputError, match="mappings: ") as caught:
        close_views([JUDGED, None], {key: [(0, 0)]})
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "closure",
    ["x" * 10**6, np.array([1, 2]), None, 10**5000],
    ids=["long", "array", "none", "huge"],
)
def test_an_unknown_closure_is_named_in_brief(closure):
    with pytest.raises(
        InvalidInputError, match=r"closure must be 'full', 'view' or 'none', got"
    ) as caught:
        MultiViewConstrainedClustering(PCKMeans(2), closure=closure).fit(VIEWS)
    assert len(str(caught.value)) < 300


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_is_shown_by_its_ends():
    n = 100_000
    chain = [(i, i + 1) for i in range(n)]
    with pytest.raises(
        ConstraintConflictError, match=r": row 0 = row 1 .* … \d+ more … .* = row 100000 "
    ) as caught:
        Constraints.from_pairs(chain, [(0, n)]).closure()
    assert len(str(caught.value)) < 1000
    with pytest.raises(
        ConstraintConflictError, match=r"row 0 of view 0 .* … \d+ more … .* = row 100000 of view 0"
    ):
        close_views([Constraints.from_pairs(chain, [(0, n)])], {})


def test_thousands_of_contradictions_far_apart_are_no_hang():
    n = 20_000
    apart = [(i, n - i) for i in range(n // 2 - 100)]
    with pytest.raises(ConstraintConflictError, match="contradict each other"):
        Constraints.from_pairs([(i, i + 1) for i in range(n)], apart).closure()
