"""Containers that hold no constraints, views or relations are refused by name, in brief."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from mvcc import Constraints, MultiViewConstrainedClustering, PCKMeans, close_views, drop_conflicts
from mvcc.exceptions import ConstraintConflictError, InvalidInputError

JUDGED = Constraints.from_pairs([(0, 1)])
LONG, HUGE = "x" * 10**6, 10**5000
BAD_PAIRS = [5, None, np.array(3), "ab", {"a": 1}, object()]
IDS = pd.DataFrame({"i": [0], "j": [1], "kind": ["must-link"]})
BAD_CONSTRAINTS = [None, 5, JUDGED, [5, None], np.array(3.0), [[(0, 1)]], []]
BAD_KEYS = [(HUGE, 0), LONG, (0, 0), (0, 7)]
BAD_CLOSURES = [LONG, np.array([1, 2]), None, HUGE]
OF_CONSTRAINTS = r"constraints(\[0\])? must be|constraints is empty"
OF_IDS = r"constraints\[0\] must be mvcc.Constraints or None, not DataFrame"
OF_CLOSURE = "closure must be 'full', 'view' or 'none', got"


def related(key):
    return close_views([JUDGED, None], {key: [(0, 0)]})


def closed(closure):
    return MultiViewConstrainedClustering(PCKMeans(2), closure=closure).fit([np.eye(4)] * 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((partial(Constraints.from_pairs, pairs), "pairs must") for pairs in BAD_PAIRS),
        *((partial(close_views, bad, {}), OF_CONSTRAINTS) for bad in BAD_CONSTRAINTS),
        *((partial(drop_conflicts, bad, {}), OF_CONSTRAINTS) for bad in BAD_CONSTRAINTS),
        *((partial(of, [IDS], {}), OF_IDS) for of in (close_views, drop_conflicts)),
        *((partial(related, key), "mappings: ") for key in BAD_KEYS),
        *((partial(closed, bad), OF_CLOSURE) for bad in BAD_CLOSURES),
    ],
)
def test_what_holds_nothing_is_refused_by_name_in_brief(call, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        call()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "pairs",
    [[(0, 1)], ((0, 1),), {(0, 1)}, {(0, 1): "why"}.keys(), iter([(1, 0)]), np.array([[0, 1]])],
)
def test_pairs_may_come_in_any_container(pairs):
    assert Constraints.from_pairs(must_link=pairs) == JUDGED


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_is_shown_by_its_ends():
    n = 100_000
    chain = [(i, i + 1) for i in range(n)]
    message = r": row 0 = row 1 .* … \d+ more … .* = row 100000 "
    with pytest.raises(ConstraintConflictError, match=message) as caught:
        Constraints.from_pairs(chain, [(0, n)]).closure()
    assert len(str(caught.value)) < 1000
    message = r"row 0 of view 0 .* … \d+ more … .* = row 100000 of view 0"
    with pytest.raises(ConstraintConflictError, match=message):
        close_views([Constraints.from_pairs(chain, [(0, n)])], {})


def test_thousands_of_contradictions_far_apart_are_no_hang():
    n = 20_000
    apart = [(i, n - i) for i in range(n // 2 - 100)]
    with pytest.raises(ConstraintConflictError, match="contradict each other"):
        Constraints.from_pairs([(i, i + 1) for i in range(n)], apart).closure()
