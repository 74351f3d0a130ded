"""Bad constraints, as arrays and as CSV files, and bad relations are refused with their place."""

import numpy as np
import pytest
from hypothesis import example
from hypothesis import strategies as st

from mvcc import (
    Constraints,
    MPCKMeans,
    MultiViewConstrainedClustering,
    PCKMeans,
    close_views,
    propagate_constraints,
    weighted_precision,
)
from mvcc.constraints import check_mappings
from tests.robustness.cases import LABELS, X, answer, assert_clustering, many, with_warnings
from tests.robustness.spoiling import (
    any_array,
    judged,
    odd_objects,
    odd_values,
    spoilt_bytes,
    spoilt_list,
    spoilt_rows,
)

PAIRS = [(0, 1), (1, 2), (3, 4), (0, 3), (2, 4), (5, 6), (5, 7)]
KINDS = [True, True, True, False, False, True, False]
WEIGHTS = [1.0, 0.5, 2.0, 1.0, 1.0, 0.25, 3.0]


def assert_valid(constraints):
    pairs, must_link, weights = constraints.pairs, constraints.must_link, constraints.weights
    assert pairs.shape == (len(constraints), 2)
    assert pairs.dtype == np.int64
    assert must_link.shape == weights.shape == (len(constraints),)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert (pairs >= 0).all()
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()


@many(
    80,
    pairs=st.just(PAIRS) | any_array(spoilt_rows(PAIRS)),
    kinds=st.just(KINDS) | any_array(spoilt_list(KINDS)),
    weights=st.none() | any_array(spoilt_list(WEIGHTS)),
)
@example(pairs=[(0, 10**400)], kinds=[True], weights=None)
@example(pairs=PAIRS, kinds=KINDS, weights=[10**400] * 7)
@example(pairs=PAIRS, kinds=KINDS, weights=np.full(7, np.finfo(np.longdouble).max))
def test_arrays_make_constraints_or_are_refused(pairs, kinds, weights):
    names = ("pairs", "must_link", "weights")
    constraints = answer(lambda: Constraints(pairs, kinds, weights), *names)
    if constraints is not None:
        assert_valid(constraints)


@many(40, together=spoilt_rows(PAIRS), apart=spoilt_rows(PAIRS))
def test_pairs_make_constraints_or_are_refused(together, apart):
    names = ("pairs", "must_link", "cannot_link")
    constraints = answer(lambda: Constraints.from_pairs(together, apart), *names)
    if constraints is not None:
        assert_valid(constraints)


@many(40, y=any_array(spoilt_list(LABELS)), number=odd_values | st.integers(0, 20), seed=odd_values)
@example(y=LABELS, number=10**5000, seed=0)
@example(y=LABELS, number=2, seed=np.array([[1, 2]]).view(np.matrix))
@example(y=LABELS, number=2, seed=[0] * 10**6)
@example(y=np.array([np.zeros(2), np.zeros(3)], dtype=object), number=2, seed=0)
def test_labels_make_constraints_or_are_refused(y, number, seed):
    names = ("y", "n_constraints", "random_state", "labels")
    made = answer(lambda: Constraints.from_labels(y, number, seed), *names)
    if made is not None:
        assert_valid(made)


contradictory = judged(10)  # on rows that X may have or not
constraints_or_not = contradictory | odd_objects
HEAVY = Constraints(PAIRS, KINDS, [1.7e308] * 7)


@many(40, constraints=contradictory, other=constraints_or_not)
def test_constraints_have_a_closure_or_contradict_each_other(constraints, other):
    closed = answer(constraints.closure, "contradict")
    if closed is not None:
        assert_valid(closed)
        assert closed.closure() == closed
    united = answer(lambda: constraints.max_union(other), "other")
    if united is not None:
        assert_valid(united)


CLUSTERERS = [PCKMeans(2, random_state=0), MPCKMeans(2, random_state=0)]
CLUSTERERS.append(MPCKMeans(2, metric="full", random_state=0))


@pytest.mark.compiled
@many(60, clusterer=st.sampled_from(CLUSTERERS), constraints=constraints_or_not)
@example(clusterer=CLUSTERERS[0], constraints=HEAVY)
@example(clusterer=CLUSTERERS[1], constraints=HEAVY)
@example(clusterer=CLUSTERERS[2], constraints=HEAVY)
def test_a_clusterer_takes_constraints_or_refuses_them(clusterer, constraints):
    fitted = answer(lambda: clusterer.fit(X, constraints=constraints), "constraints?")
    if fitted is not None:
        assert_clustering(fitted, len(X))


@with_warnings
@many(
    40,
    constraints=st.lists(constraints_or_not, max_size=3) | odd_objects,
    closure=st.sampled_from(["full", "none"]),
)
def test_views_take_constraints_or_refuse_them(constraints, closure):
    model = MultiViewConstrainedClustering(PCKMeans(2), closure=closure, random_state=0)
    given = {"constraints": constraints, "mappings": {(0, 1): [(0, 0), (3, 3)]}}
    fitted = answer(lambda: model.fit([X, X[:6]], **given), "constraints?")
    if fitted is not None:
        assert [len(labels) for labels in fitted.labels_] == [8, 6]


@many(30, constraints=constraints_or_not, kind=st.sampled_from([None, "must-link"]) | odd_objects)
@example(constraints=HEAVY, kind=None)
@example(constraints=HEAVY, kind=np.array(["must-link", "cannot-link"]))
def test_constraints_are_propagated_and_scored_or_refused(constraints, kind):
    propagated = answer(lambda: propagate_constraints(X, [0] * 8, constraints, 0.5), "constraints?")
    if propagated is not None:
        assert_valid(propagated)
    names = ("constraints?", "kind")
    precision = answer(lambda: weighted_precision(constraints, LABELS, kind), *names)
    if precision is not None:
        assert np.isnan(precision) or 0 <= precision <= 1


# relations between views

SIZES = [8, 6, 5]  # of the views
ROWS = {
    (0, 1): [(0, 0), (1, 1), (7, 5), (7, 5)],
    (2, 0): [(4, 7), (0, 0)],
    (1, 2): [(0, 0), (0, 3), (5, 4)],
}
ONE, OTHER = Constraints.from_pairs([(0, 1)], [(1, 7)]), Constraints.from_pairs([], [(0, 4)])
JUDGED = [ONE, None, OTHER]
ODD_KEYS = [
    *(*ROWS, (0, 0), (1, 0), (0, 9), (-1, 0), (0,), (0, 1, 2), (0.0, 1.0), ("0", "1")),
    *((None, 0), (True, False), (10**400, 0), (np.int64(0), np.int32(1)), ("x" * 5000, 1)),
    *(0, "01", "\x1b[31m", None, frozenset([0, 1])),
]
keys = st.tuples(st.integers(-1, 3), st.integers(-1, 3)) | st.sampled_from(ODD_KEYS)
entries = any_array(st.sampled_from(list(ROWS.values())).flatmap(spoilt_rows))
entries |= st.sampled_from([np.zeros((0, 3)), np.ones((2, 2, 2), int), np.eye(5)])


@many(200, mappings=st.dictionaries(keys, entries, max_size=3) | odd_objects)
@example(mappings={(0, 1): [(0, 2**63)]})
@example(mappings={(0, 1): np.array([(0, 2**63)], dtype=np.uint64)})
@example(mappings={(0, 1): [(0, 0), (1, 0), (0, 5)], (1, 2): [(0, 0), (5, 4)]})
def test_relations_are_closed_or_refused(mappings):
    of_fit = answer(lambda: check_mappings(mappings, SIZES), "mappings", "contradict") or {}
    assert all((rows < [SIZES[u], SIZES[v]]).all() for (u, v), rows in of_fit.items())
    closed = answer(lambda: close_views(JUDGED, mappings), "mappings", "contradict")
    relations = {} if closed is None else closed[1]
    for (u, v), rows in (*of_fit.items(), *relations.items()):
        assert 0 <= u < v <= 2
        assert rows.dtype == np.int64
        assert rows.shape == (len(np.unique(rows, axis=0)), 2)
        assert (rows >= 0).all()


# CSV files

LISTED = """i,j,kind,weight
0,1,must-link,1.0
1,2,must-link,0.5
3,4,must-link,2.0
0,3,cannot-link,1
5,7,cannot-link,3
"""
UNWEIGHED = "i,j,kind\n0,1,must-link\n7,2,cannot-link\n"
WHERE = (
    r"list\.csv:\d+: .",
    r"list\.csv: .*\(line \d+: .",
    r"list\.csv: (cannot be read|this is a binary file|this is not UTF-16)",
    "contradict",
)


@many(250, content=st.sampled_from([LISTED, LISTED, UNWEIGHED]).flatmap(spoilt_bytes))
def test_a_file_is_read_or_refused_with_its_line(tmp_path, content):
    path = tmp_path / "list.csv"
    path.write_bytes(content)
    read = answer(lambda: Constraints.read_csv(path), *WHERE)
    if read is not None:
        assert_valid(read)


MANY = 10**6


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("i,j,kind" + ",x" * MANY, 1),
        (LISTED + "0,1,must-link" + ",1" * MANY, 7),
        (LISTED + '0,1,"must-link' + "x" * MANY, 7),
        (LISTED + '0,1,must-link,"1\n' + "0,1,must-link,1\n" * 1000, 7),
        ('i,j,kind\n0,1,"must\n-link"\n', 2),
        (UNWEIGHED + '"0\n",1,must-link\n0,1,no-link', 6),
        (LISTED + "9" * 5000 + ",1,must-link,1", 7),
        (LISTED + "0,1,must-link," + "9" * 5000, 7),
        (LISTED + f"0,{2**63},must-link,1", 7),
        (LISTED + "0,1,\x1b[31m,1", 7),
        (LISTED.encode("utf-16-le"), 1),
        ("\0" * 100, 1),
    ],
)
def test_the_line_that_is_wrong_is_named(tmp_path, content, line):
    path = tmp_path / "list.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert answer(lambda: Constraints.read_csv(path), rf"list\.csv:{line}: .") is None


@pytest.mark.parametrize(
    "path", [".", "none.csv", "a\0b", "x" * 5000, b"none.csv", None, -1, 2.5, ["a"]]
)
def test_what_is_no_file_is_refused(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    assert answer(lambda: Constraints.read_csv(path), "cannot be read") is None
