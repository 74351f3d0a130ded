"""Relations between views that cannot be are refused with the entry that is wrong."""

from functools import partial

import numpy as np
from hypothesis import example
from hypothesis import strategies as st

from mvcc import Constraints, DirectMapping, MultiViewConstrainedClustering, PCKMeans, close_views
from tests.robustness.cases import answer, many
from tests.robustness.spoiling import ODD_OBJECTS, any_array, spoilt_rows

VIEWS = [np.arange(16.0).reshape(8, 2) ** 2, np.arange(6.0).reshape(6, 1), np.eye(5)]
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
    [np.zeros((0, 3)), np.ones((2, 2, 2), int), VIEWS[0]]
)
mappings = st.dictionaries(keys, entries, max_size=3)


@many(90, mappings=mappings, closure=st.sampled_from(["full", "view", "none"]))
@example(mappings={(0, 1): [(0, 2**63)]}, closure="full")
@example(mappings={(0, 1): np.array([(0, 2**63)], dtype=np.uint64)}, closure="none")
def test_views_are_related_or_refused(mappings, closure):
    model = MultiViewConstrainedClustering(
        PCKMeans(2), DirectMapping(), closure=closure, random_state=0
    )
    fitted = answer(lambda: model.fit(VIEWS, constraints=JUDGED, mappings=mappings), *WHERE)
    if fitted is not None:
        assert [len(labels) for labels in fitted.labels_] == [8, 6, 5]
        assert all(set(labels) <= {0, 1} for labels in fitted.labels_)


@many(110, mappings=mappings)
@example(mappings={(0, 1): [(0, 0), (1, 0), (0, 5)], (1, 2): [(0, 0), (5, 4)]})
def test_relations_are_closed_or_refused(mappings):
    closed = answer(lambda: close_views(JUDGED, mappings), *WHERE)
    if closed is not None:
        _, relations = closed
        for (u, v), rows in relations.items():
            assert 0 <= u < v <= 2
            assert rows.dtype == np.int64
            assert rows.shape == (len(np.unique(rows, axis=0)), 2)
            assert (rows >= 0).all()


def test_what_is_no_dict_is_refused():
    model = MultiViewConstrainedClustering(PCKMeans(2), DirectMapping(), random_state=0)
    for given in ODD_OBJECTS[1:]:  # None, which comes first, stands for no mappings
        is_dict = given == {}
        assert (answer(partial(close_views, JUDGED, given), *WHERE) is not None) == is_dict
        assert (answer(partial(model.fit, VIEWS, mappings=given), *WHERE) is not None) == is_dict
