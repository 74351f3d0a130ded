"""Constraints are checked, sorted, frozen values, and are drawn fairly from labels."""

import copy
import itertools
import pickle
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from mvcc import Constraints
from mvcc.constraints._map import unify
from mvcc.exceptions import InvalidInputError, MvccError
from tests.reference import constraint_sets
from tests.reference.multiview import resolve_conflicts
from tests.strategies import as_dict, assert_holds, constraint_lists, labellings, seeds

# values


@given(constraint_lists(n_rows=5))
def test_constraints_are_sorted_by_pair_then_type_then_weight_and_nothing_is_lost(listed):
    expected = sorted(
        ((min(pair), max(pair), must, w) for pair, must, w in zip(*listed, strict=True)),
        key=lambda row: (row[0], row[1], not row[2], -row[3]),
    )
    c = Constraints(*listed)
    assert list(c.rows()) == expected
    assert len(c) == len(listed[0])


@pytest.mark.parametrize(
    ("pairs", "kinds", "weights"),
    [
        ([(3, 1), (0, 2)], [True, False], [2, 3]),
        (((3, 1), (0, 2)), (1, 0), (2.0, 3.0)),
        (np.uint8([[3, 1], [0, 2]]), np.int8([1, 0]), np.float32([2, 3])),
        (np.array([[3, 1], [0, 2]]), np.array([True, False]), np.array([2, 3])),
        *[[np.array(one, object) for one in ([[3, 1], [0, 2]], [True, False], [2, 3.0])]],
    ],
    ids=["lists", "tuples", "small-types", "arrays", "objects"],
)
def test_any_array_like_becomes_arrays_of_one_dtype(pairs, kinds, weights):
    c = Constraints(pairs, kinds, weights)
    assert list(c.rows()) == [(0, 2, False, 3.0), (1, 3, True, 2.0)]
    assert (c.pairs.dtype, c.must_link.dtype, c.weights.dtype) == (np.int64, np.bool_, np.float64)


def test_constraints_and_what_pickle_makes_of_them_are_frozen():
    given = Constraints([(0, 1), (1, 2)], [True, False], [1, 2])
    for c in (given, pickle.loads(pickle.dumps(given))):
        for name in ("pairs", "must_link", "weights"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(c, name)[...] = 0
            with pytest.raises(AttributeError):
                setattr(c, name, getattr(c, name))
        with pytest.raises(AttributeError):
            c.note = "no other attributes"


def test_the_arrays_given_are_neither_changed_nor_shared():
    pairs, kinds, weights = np.array([[0, 1], [2, 3]]), np.array([True, False]), np.array([1.0, 2])
    c = Constraints(pairs, kinds, weights)
    pairs[:], kinds[:], weights[:] = 9, False, 7.0
    assert list(c.rows()) == [(0, 1, True, 1.0), (2, 3, False, 2.0)]


def test_a_copy_is_equal_and_still_knows_the_lines_that_constraints_were_read_from(tmp_path):
    (tmp_path / "pairs.csv").write_text("i,j,kind\n3,4,cannot-link\n0,1,must-link\n")
    read = Constraints.read_csv(tmp_path / "pairs.csv")
    for other in (pickle.loads(pickle.dumps(read)), copy.deepcopy(read)):
        assert other == read
        assert [other.source_of(place) for place in range(2)] == [
            "line 3 of pairs.csv",
            "line 2 of pairs.csv",
        ]


def test_equality_looks_at_pairs_types_and_weights():
    c = Constraints([(0, 1), (1, 2)], [True, False], [1, 2])
    assert c == Constraints([(2, 1), (1, 0)], [False, True], [2, 1])
    assert c != Constraints([(0, 1), (1, 3)], [True, False], [1, 2])
    assert c != Constraints([(0, 1), (1, 2)], [True, True], [1, 2])
    assert c != Constraints([(0, 1), (1, 2)], [True, False], [1, 3])
    assert c != Constraints([(0, 1)], [True])
    assert c != Constraints([(0, 1), (0, 1), (1, 2)], [True, True, False], [1, 1, 2])
    assert c != [(0, 1), (1, 2)]
    with pytest.raises(TypeError, match="unhashable"):
        hash(c)


# what is refused


ONE, TWO = [(0, 1)], [(0, 1), (1, 2)]
NUMBERS = "pairs must be integer row numbers, not"
SHAPE = r"pairs must have shape \(m, 2\), two row numbers per constraint, not"
KINDS = r"must_link must have one value per pair, shape"
WEIGHTS = r"weights must have one value per pair, shape"
FINITE = "a weight must be finite and 0 or more"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([(0, 1), (2, 2)], [True, True]), r"pairs\[1\] = \[2, 2\] links a row with itself"),
        (([(0, 1), (2, -1)], [True, True]), r"pairs\[1\] = \[2, -1\] links .* 0 … 2147483647"),
        (([(0, 1), (2**31, 1)], [True, True]), r"pairs\[1\] = \[2147483648, 1\] links"),
        (([(0, 1), (2**70, 1)], [True, True]), f"{NUMBERS} object"),
        (([(0.0, 1.0)], [True]), f"{NUMBERS} float64"),
        (([("0", "1")], [True]), f"{NUMBERS} <U1"),
        (([(False, True)], [True]), f"{NUMBERS} bool"),
        (([0, 1], [True]), rf"{SHAPE} \(2,\)"),
        (([(0, 1), (2,)], [True, True]), "pairs"),
        (([(0, 1, 2)], [True]), rf"{SHAPE} \(1, 3\)"),
        ((ONE, []), rf"{KINDS} \(1,\), not \(0,\)"),
        (([], [True]), rf"{KINDS} \(0,\), not \(1,\)"),
        ((ONE, True), rf"{KINDS} \(1,\), not \(\)"),
        ((TWO, [[True, False], True]), "must_link"),
        ((ONE, [2]), "must_link must be True .* or False"),
        ((ONE, np.array([None])), "must_link must be True .* or False"),
        ((ONE, [1.0]), "must_link must be True .* or False"),
        ((ONE, ["must-link"]), "must_link must be True .* or False"),
        ((TWO, [True, True], [1, -0.5]), rf"weights\[1\] = -0\.5: {FINITE}"),
        ((TWO, [True, True], [1, np.nan]), rf"weights\[1\] = nan: {FINITE}"),
        ((TWO, [True, True], [np.inf, 1]), rf"weights\[0\] = inf: {FINITE}"),
        ((ONE, [True], [1, 2]), rf"{WEIGHTS} \(1,\), not \(2,\)"),
        ((ONE, [True], 1.0), rf"{WEIGHTS} \(1,\), not \(\)"),
        ((ONE, [True], ["heavy"]), "weights must be numbers"),
        ((ONE, [True], [[1, 2], [3]]), "weights is not an array"),
    ],
)
def test_bad_constraints_are_refused_with_the_place(arguments, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        Constraints(*arguments)
    assert isinstance(caught.value, MvccError)
    assert isinstance(caught.value, ValueError)


# drawn from labels


def limits(y):
    """Count the pairs of equal and of different labels, and the most that half and half allows."""
    equal = [a == b for a, b in itertools.combinations(y, 2)]
    together, apart = sum(equal), len(equal) - sum(equal)
    return together, apart, 2 * together if together <= apart else 2 * apart + 1


@given(labellings(max_size=8), seeds, st.data())
def test_half_are_must_links_and_the_odd_one_too_and_all_agree_with_the_labels(y, seed, data):
    n = data.draw(st.integers(0, limits(y)[2]))
    c = Constraints.from_labels(y, n, seed)
    assert len(c) == n
    assert c.must_link.sum() == (n + 1) // 2
    assert c.weights.tolist() == [1.0] * n
    assert len({*map(tuple, c.pairs.tolist())}) == n  # no repetition
    for i, j, must, _ in c.rows():
        assert (y[i] == y[j]) == must


@given(labellings(max_size=8), seeds)
def test_all_pairs_of_the_rarer_type_can_be_drawn_and_not_one_more(y, seed):
    together, apart, most = limits(y)
    c = Constraints.from_labels(y, most, seed)
    assert (c.must_link.sum() == together) or ((~c.must_link).sum() == apart)
    number, kind = (together, "must-link") if together <= apart else (apart, "cannot-link")
    message = f"{number + 1} {kind} .* allow only {number}"
    with pytest.raises(InvalidInputError, match=message):
        Constraints.from_labels(y, most + 1, seed)


@given(labellings(min_size=4, max_size=25), seeds)
def test_for_one_seed_more_constraints_contain_the_fewer(y, seed):
    most = min(limits(y)[2], 40)
    drawn = [as_dict(Constraints.from_labels(y, n, seed)).keys() for n in range(most + 1)]
    for fewer, more in itertools.pairwise(drawn):
        assert fewer < more


def test_every_set_of_pairs_is_equally_likely():
    y = [0, 1, 0, 1, 0]  # 4 must-link pairs and 6 cannot-link pairs, of each two are drawn
    together, apart = Counter(), Counter()
    for seed in range(1500):
        c = Constraints.from_labels(y, 4, seed)
        together[tuple(map(tuple, c.pairs[c.must_link].tolist()))] += 1
        apart[tuple(map(tuple, c.pairs[~c.must_link].tolist()))] += 1
    assert (len(together), len(apart)) == (6, 15)
    for counts in (together, apart):
        assert stats.chisquare([*counts.values()]).pvalue > 1e-3


def test_a_million_rows_are_drawn_from_without_listing_their_pairs():
    y = np.arange(1_000_000) % 2
    tracemalloc.start()
    try:
        c = Constraints.from_labels(y, 100, 0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(c) == 100
    assert ((y[c.pairs[:, 0]] == y[c.pairs[:, 1]]) == c.must_link).all()
    assert peak < 250 * len(y)  # bytes: some numbers per row, whereas the rows have 5·10¹¹ pairs
    assert c.pairs.max() > 900_000
    assert c.pairs.min() < 100_000


@pytest.mark.parametrize(
    ("y", "n", "message"),
    [
        ([0, 0, 0, 0], 2, "1 cannot-link constraints were asked for, but the labels allow only 0"),
        ([], 1, "1 must-link constraints were asked for, but the labels allow only 0"),
        ([[0, 1]], 1, r"y must hold one label per row, shape \(n,\), not \(1, 2\)"),
        (0, 1, r"y must hold one label per row, shape \(n,\), not \(\)"),
        (["a", np.nan, "b", np.nan], 2, r"y has no label \(NaN\) in row 1"),
        ([0, 0, 1], -1, "n_constraints must be an integer of at least 0, got -1"),
    ],
)
def test_a_draw_that_cannot_be_made_is_refused(y, n, message):
    with pytest.raises(InvalidInputError, match=message):
        Constraints.from_labels(y, n, 0)


# max-union (Eq. 13) and the unified set (Eq. 14)

lists = constraint_lists(n_rows=4, max_size=10)


@given(lists, lists)
def test_max_union_keeps_the_heaviest_of_each_pair_and_type(first, second):
    expected = constraint_sets.max_union([constraint_sets.to_dict(*c) for c in (first, second)])
    assert_holds(Constraints(*first).max_union(Constraints(*second)), expected)


TIE, NONE = ([(0, 1)] * 2, [True, False], [0.0, 0.0]), ([], [], [])


@given(lists, lists)
@example(TIE, NONE)
@example(NONE, TIE)
@example(([(0, 1)], [False], [0.0]), ([(0, 1)], [True], [5.0]))  # what is given wins, too
def test_unify_equals_the_reference(given_list, transferred_list):
    own, received = constraint_sets.to_dict(*given_list), constraint_sets.to_dict(*transferred_list)
    expected = resolve_conflicts(constraint_sets.max_union([own, received]), own)
    unified = unify(Constraints(*given_list), Constraints(*transferred_list))
    assert_holds(unified, expected)
    assert len(np.unique(unified.pairs, axis=0)) == len(unified)


# CSV files


@pytest.mark.parametrize(
    "content",
    [
        b"i,j,kind,weight\n4,1,must-link,1\n0,2,cannot-link,1e0\n",
        b"i,j,kind\n4,1,must-link\n0,2,cannot-link\n",
        # the mark that spreadsheets put first
        b"\xef\xbb\xbfi,j,kind\n4,1,must-link\n0,2,cannot-link\n",
        b"i,j,kind\r\n4,1,must-link\r\n0,2,cannot-link\r\n",
        b"i, j, kind, weight\n\n4, 1, must-link, 1.0\n\n0, 2, cannot-link, 1.0",
        b'"i","j","kind"\n"4","1","must-link"\n"0","2","cannot-link"\n',
        b"i;j;kind;weight\n4;1;must-link;1.0\n0;2;cannot-link;1\n",
        b"i\tj\tkind\n4\t1\tmust-link\n0\t2\tcannot-link\n",
    ],
    ids=["weights", "none", "byte order mark", "crlf", "spaces", "quotes", "semicolons", "tabs"],
)
def test_csv_files_of_other_programs_are_read(tmp_path, content):
    path = tmp_path / "constraints.csv"
    path.write_bytes(content)
    assert Constraints.read_csv(path) == Constraints.from_pairs([(1, 4)], [(0, 2)])


BARE, HEAD = "i,j,kind\n0,1,must-link\n", "i,j,kind,weight\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: the columns must be i,j,kind or i,j,kind,weight, not "),
        ("i,j,weight,kind\n", ":1: the columns must be .* not i,j,weight,kind"),
        ("0,1,must-link\n", ":1: the columns must be .* not 0,1,must-link"),
        (f"{BARE}0,2\n", ":3: 2 values where 3 are expected: 0,2"),
        (f"{HEAD}0,1,must-link\n", ":2: 3 values where 4 are expected"),
        (f"{BARE}\n0,x,must-link\n", ":4: i and j must be integers .* 0,x,must-link"),
        (f"{BARE}0,1.0,must-link\n", ":3: i and j must be integers"),
        (f"{HEAD}0,1,must-link,heavy\n", ":2: .* and weight a number: .*heavy"),
        (f"{BARE}0,2,mustlink\n", ":3: kind must be must-link or cannot-link, not 'mustlink'"),
        (f"{BARE}\n2,2,must-link\n", ":4: '2' is linked with itself"),
        (f"{BARE}0,-2,must-link\n", ":3: .*row numbers must lie in"),
        (f"{BARE}0,99999999999999999999,must-link\n", ":3: .*row numbers"),
        (f"{HEAD}0,1,must-link,-1\n", f":2: .*{FINITE}"),
        (f"{HEAD}0,1,must-link,nan\n", f":2: .*{FINITE}"),
        (f"{HEAD}0,1,must-link,inf\n", f":2: .*{FINITE}"),
    ],
)
def test_a_bad_csv_file_is_refused_with_file_and_line(tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(InvalidInputError, match=r"bad\.csv" + message):
        Constraints.read_csv(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    for name, content, message in (
        ("absent.csv", None, r"absent\.csv: cannot be read as a CSV file of constraints"),
        ("latin.csv", b"i,j,kind\n0,1,\x81\n", r"latin\.csv:2: this is not UTF-8 text"),
    ):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(InvalidInputError, match=message):
            Constraints.read_csv(tmp_path / name)
