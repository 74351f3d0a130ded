"""Relations between views that cannot be are refused with the entry that is wrong."""

import numpy as np
from hypothesis import example
from hypothesis import strategies as st

from mvcc import Constraints, close_views
from mvcc.constraints import check_mappings
from tests.robustness.cases import answer, many
from tests.robustness.spoiling import any_array, odd_objects, spoilt_rows

SIZES = [8, 6, 5]  # of the views
ROWS = {
    (0, 1): [(0, 0), (1, 1), (7, 5), (7, 5)],
    (2, 0): [(4, 7), (0, 0)],
    (1, 2): [(0, 0), (0, 3), (5, 4)],
}
JUDGED = [
    Constraints.from_pairs([(0, 1)], [(1, 7)]),
    None,
    Constraints.from_pairs(cannot_link=[(0, 4)]),
]
WHERE = ("mappings", "contradict")

keys = st.tuples(st.integers(-1, 3), st.integers(-1, 3)) | st.sampled_from(
    [
        *(*ROWS, (0, 0), (1, 0), (0, 9), (-1, 0), (0,), (0, 1, 2), (0.0, 1.0), ("0", "1")),
        *((None, 0), (True, False), (10**400, 0), (np.int64(0), np.int32(1)), ("x" * 5000, 1)),
        *(0, "01", "\x1b[31m", None, frozenset([0, 1])),
    ]
)
entries = any_array(st.sampled_from(list(ROWS.values())).flatmap(spoilt_rows)) | st.sampled_from(
    [np.zeros((0, 3)), np.ones((2, 2, 2), int), np.eye(5)]
)


@many(200, mappings=st.dictionaries(keys, entries, max_size=3) | odd_objects)
@example(mappings={(0, 1): [(0, 2**63)]})
@example(mappings={(0, 1): np.array([(0, 2**63)], dtype=np.uint64)})
@example(mappings={(0, 1): [(0, 0), (1, 0), (0, 5)], (1, 2): [(0, 0), (5, 4)]})
def test_relations_are_closed_or_refused(mappings):
    of_fit = answer(lambda: check_mappings(mappings, SIZES), *WHERE) or {}
    assert all((rows < [SIZES[u], SIZES[v]]).all() for (u, v), rows in of_fit.items())
    closed = answer(lambda: close_views(JUDGED, mappings), *WHERE)
    relations = {} if closed is None else closed[1]
    for (u, v), rows in (*of_fit.items(), *relations.items()):
        assert 0 <= u < v <= 2
        assert rows.dtype == np.int64
        assert rows.shape == (len(np.unique(rows, axis=0)), 2)
        assert (rows >= 0).all()
