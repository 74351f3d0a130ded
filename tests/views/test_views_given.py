"""Views, constraints and relations mean the same in every form that they may be given in."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from mvcc import (
    ConstraintPropagation,
    Constraints,
    DirectMapping,
    MPCKMeans,
    MultiViewConstrainedClustering,
    PairMetric,
    PCKMeans,
)
from mvcc.exceptions import ConstraintConflictError, InvalidInputError
from mvcc.views._given import GivenViews
from tests.robustness.cases import answer, many
from tests.robustness.spoiling import odd_objects, odd_values

RNG = np.random.default_rng(0)
TEXTS = pd.DataFrame(RNG.normal(size=(6, 2)), index=list("abcdef"), columns=["length", "words"])
IMAGES = pd.DataFrame(
    RNG.normal(size=(5, 3)), index=["i1", "i2", "i3", "i4", "i5"], columns=["r", "g", "b"]
)
SOUNDS = RNG.normal(size=(4, 1))
VIEWS = {"texts": TEXTS, "images": IMAGES, "sounds": SOUNDS}
PAIRS = np.array([(0, 0), (2, 1), (2, 3), (5, 4)])


def fit(views=VIEWS, constraints=None, mappings=None, **options):
    model = MultiViewConstrainedClustering(PCKMeans(2), DirectMapping(), random_state=0, **options)
    return model.fit(views, constraints=constraints, mappings=mappings)


def labels(model):
    return [found.tolist() for found in model.labels_]


def relations(given, key=("texts", "images"), views=VIEWS):
    return GivenViews.of(views).relations({key: given})


def judged(frame, view="texts", views=VIEWS):
    return GivenViews.of(views).constraints({view: frame})


# ---- views


def test_names_and_tables_change_no_bit_of_the_clustering():
    known = Constraints.from_pairs([(0, 1)], [(0, 2), (3, 5)])
    plain = fit([TEXTS.to_numpy(), IMAGES.to_numpy(), SOUNDS], [known, None, None], {(0, 1): PAIRS})
    named = fit(VIEWS, {"texts": known}, {("texts", "images"): PAIRS})
    assert labels(plain) == labels(named)
    assert [len(p) for p in plain.propagated_] == [len(p) for p in named.propagated_]
    for one, other in zip(plain.clusterers_, named.clusterers_, strict=True):
        np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)


def test_a_fit_keeps_the_names_of_views_and_features():
    model = fit()
    assert model.view_names_ == ["texts", "images", "sounds"]
    assert model.n_features_in_ == [2, 3, 1]
    texts, images, sounds = model.feature_names_in_
    assert (texts.tolist(), images.tolist(), sounds) == (["length", "words"], ["r", "g", "b"], None)


def test_a_fit_of_a_list_forgets_the_names_of_the_fit_before():
    model = fit()
    model.fit([SOUNDS, TEXTS.set_axis([0, 1], axis="columns")])
    assert model.view_names_ is None
    assert model.feature_names_in_ == [None, None]


def test_a_view_may_be_named_by_number_where_it_has_a_name():
    known = Constraints.from_pairs([(0, 1)])
    assert judged(known, 1)[1] is judged(known, "images")[1] is known
    np.testing.assert_array_equal(relations(PAIRS, (0, "images"))[0, 1], PAIRS)


@pytest.mark.parametrize("dtype", [bool, "Int64", "float32", "uint8"])
def test_columns_of_every_numeric_type_are_taken(dtype):
    fit([pd.DataFrame({"a": pd.Series([0, 1, 1, 0], dtype=dtype)})])


@pytest.mark.parametrize(
    ("views", "message"),
    [
        ({}, "views is empty"),
        (TEXTS, r"views must be a list .*, or a dict.*for a single view give \[views\]"),
        (SOUNDS, r"not an array of shape \(4, 1\); for a single view give \[views\]"),
        ({3: TEXTS}, "3 is not a name of a view; names are texts"),
        ({"t": TEXTS.assign(name="x")}, r"views\['t'\] has columns .* numeric: 'name'.*set_index"),
        ([TEXTS.assign(day=pd.Timestamp(0), kind="x")], r"views\[0\].*numeric: 'day', 'kind'"),
        ({"t": TEXTS.set_axis(["w", "w"], axis=1)}, r"views\['t'\] has several columns 'w'"),
        ({"texts": TEXTS.replace(TEXTS.iloc[0, 0], np.nan)}, r"views\['texts'\].*NaN"),
        ({"texts": TEXTS[[]]}, r"views\['texts'\] has no columns"),
        ({"texts": "abc"}, r"views\['texts'\]"),
    ],
)
def test_views_that_cannot_be_are_named(views, message):
    with pytest.raises(InvalidInputError, match=message):
        fit(views)


# ---- relations

IDS = pd.DataFrame({"texts": ["a", "c", "c", "f"], "images": ["i1", "i2", "i4", "i5"]})
SWAPPED = IDS[["images", "texts"]]
MATRIX = sparse.coo_array((np.full(4, 2.5), PAIRS.T), shape=(6, 5))
FORMS = {
    "list": PAIRS.tolist(),
    "objects": PAIRS.astype(object),
    "dict": {0: 0, 2: [1, 3], 5: (4,)},
    "dict of arrays": {0: np.array([0]), 2: np.array([3, 1]), np.int64(5): {4}},
    "dict of pairs": {0: [0], 2: pd.Series([1, 3]), 5: range(4, 5)},
    "dict of an index and numbers": {0: np.array(0), 2: pd.Index([1, 3]), 5: np.array([4])},
    "coo array": MATRIX,
    "csr matrix": sparse.csr_matrix(MATRIX.astype(bool)),
    "csc array": MATRIX.tocsc(),
    "lil matrix": sparse.lil_matrix(MATRIX),
    "ids": IDS,
    "ids in the other order": SWAPPED,
    "ids of which one name says the order": SWAPPED.set_axis(["images", "text_id"], axis=1),
    "ids of which the other name says it": SWAPPED.set_axis([0, "texts"], axis=1),
    "ids under numbers that mean nothing": IDS.set_axis([1, 2], axis=1),
    "ids under no names": IDS.set_axis([0, 1], axis=1),
    "ids as pandas calls those of an index that was reset": IDS.set_axis(["index", 0], axis=1),
    "ids under other names": IDS.set_axis(["first", "second"], axis="columns"),
    "ids of other types": IDS.astype("category"),
    "ids of another library": pa.table(SWAPPED.to_dict("list")),
}


@pytest.mark.parametrize("form", FORMS)
def test_relations_mean_the_same_in_every_form(form):
    np.testing.assert_array_equal(relations(FORMS[form])[0, 1], PAIRS)


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 4))), st.booleans(), st.randoms())
def test_any_relations_mean_the_same_in_every_form(related, turned, random):
    pairs = sorted(related)
    random.shuffle(pairs)
    u, v = (1, 0) if turned else (0, 1)
    ends = [(j, i) if turned else (i, j) for i, j in pairs]
    sizes = (5, 6) if turned else (6, 5)
    by_row = {i: [there for here, there in ends if here == i] for i, _ in ends}
    matrix = np.zeros(sizes)
    for i, j in ends:
        matrix[i, j] = -1
    frame = pd.DataFrame(
        {"texts": [TEXTS.index[i] for i, _ in pairs], "images": [IMAGES.index[j] for _, j in pairs]}
    )
    expected = np.array(sorted(related), dtype=np.int64).reshape(-1, 2)
    for form in (ends, {*ends}, iter(ends), by_row, sparse.csr_array(matrix), frame):
        np.testing.assert_array_equal(relations(form, (u, v))[0, 1], expected)


def test_zeros_that_a_sparse_matrix_stores_relate_nothing():
    stored = sparse.coo_array(([1.0, 0.0, 2.0, -2.0], ([0, 1, 3, 3], [0, 1, 2, 2])), shape=(6, 5))
    assert relations(stored)[0, 1].tolist() == [[0, 0]]


def test_rows_without_a_dataframe_have_their_numbers_as_ids():
    frame = pd.DataFrame({"sounds": [3, 0], "texts": ["b", "a"]})
    assert relations(frame, ("texts", "sounds"))[0, 2].tolist() == [[0, 0], [1, 3]]
    assert relations(frame, ("sounds", "texts"))[0, 2].tolist() == [[0, 0], [1, 3]]


def test_numbers_as_ids_are_looked_up_not_counted():
    views = [TEXTS.set_axis(range(10, 16)), SOUNDS]
    assert relations(pd.DataFrame({"u": [12.0, 10.0], "v": [0, 1]}), (0, 1), views)[
        0, 1
    ].tolist() == [[0, 1], [2, 0]]


def test_a_repeated_id_that_nobody_names_does_no_harm():
    views = {"texts": TEXTS.set_axis(list("bbacdf")), "images": IMAGES}
    assert relations(IDS, views=views)[0, 1].tolist() == [[2, 0], [3, 1], [3, 3], [5, 4]]


def renamed(*columns):
    return IDS.set_axis(columns, axis=1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([(0, 9)], r"\['texts', 'images'\]\[0\] names row 9 of view 'images', .* rows 0 … 4"),
        (MATRIX.T, r"has shape \(5, 6\).*\(6, 5\)"),
        (MATRIX * np.nan, "holds NaN"),
        (
            {"a": "i1"},
            r"'a' is not a row number; a dict relates rows by number.*DataFrame with two columns",
        ),
        ({0: [[1]]}, r"\[1\] is not a row number"),
        ({0: 7}, "names row 7 of view 'images'"),
        ({0: np.array("a")}, r"'a'.* is not a row number"),
        (renamed("first", "sounds"), "column 'sounds' is called like a view that the key does not"),
        (renamed(1, 0), r"called \[1, 0\], .* the other way round"),
        (renamed("texts", "texts"), "both columns are called 'texts'; give one"),
        (IDS.assign(sure=1), r"two columns of ids, one for each view, not 3.*'sure'"),
        (IDS.replace("c", "cc"), "column 'texts': 'cc' of row 1 is not in the row index"),
        (IDS.replace("i1", "I1"), "'I1' of row 0 is not in .* Did you mean 'i1'"),
        (IDS.replace("i1", "i10"), r"'i10' of row 0 is not in the row index of view 'images'\.$"),
        (IDS.replace("i1", None), "column 'images': row 0 has no id"),
        (
            pd.DataFrame({"u": [["a"]], "v": ["i1"]}),
            "u.*single number or text|not in the row index",
        ),
    ],
)
def test_relations_that_cannot_be_say_where_and_what_is_allowed(given, message):
    with pytest.raises(InvalidInputError, match=message):
        fit(mappings={("texts", "images"): given})


@pytest.mark.parametrize(
    ("texts", "hint"),
    [
        (
            TEXTS.rename(index=str.upper),
            "hyphens, blanks, zeros, case or an ending, such as 'a' for 'A'",
        ),
        (
            TEXTS.T,
            "Most of them are columns of view 'texts': write its columns as rows, as table.T",
        ),
        (
            TEXTS.reset_index(names="who"),
            r"in the column 'who': name the rows by set_index\('who'\)",
        ),
    ],
)
def test_ids_that_are_elsewhere_or_written_otherwise_have_a_hint(texts, hint):
    views = {"texts": texts, "images": IMAGES}
    with pytest.raises(InvalidInputError, match=hint):
        relations(IDS, views=views)
    pairs = pd.DataFrame({"i": ["a", "c"], "j": ["b", "d"], "kind": ["ML", "CL"]})
    with pytest.raises(InvalidInputError, match=hint):
        judged(pairs, views=views)


OF_SOUNDS, TURNED = pd.DataFrame({"u": ["a"], "v": ["3"]}), renamed("u", "v")


@pytest.mark.parametrize(
    ("mappings", "message"),
    [
        (5, "mappings must be a dict"),
        ([PAIRS], "mappings must be a dict"),
        ({("text", "images"): PAIRS}, "no view 'text'; .* 'sounds'. Did you mean 'texts'"),
        ({(0, 3): PAIRS}, "no view 3; the views are 'texts'"),
        ({"texts": PAIRS}, "the key 'texts' is not a pair of views; the views are"),
        ({("texts", "texts"): PAIRS}, "does not name two different views"),
        (
            {("texts", "images"): PAIRS, (0, 1): PAIRS},
            "names two views that another key names, too",
        ),
        ({("texts", "sounds"): OF_SOUNDS}, "row numbers of view 'sounds', 0 … 3."),
        ({("images", "texts"): TURNED}, "column 'u': 'a' of row 0 is .* view 'images'"),
    ],
)
def test_keys_of_relations_that_cannot_be_say_what_is_allowed(mappings, message):
    with pytest.raises(InvalidInputError, match=message):
        fit(mappings=mappings)


def test_columns_without_names_are_in_the_order_of_the_key():
    """What pandas calls 0 and 1 by itself are no numbers of views."""
    bare = pd.DataFrame([(3, "b"), (0, "a")])
    assert relations(bare, ("sounds", "texts"))[0, 2].tolist() == [[0, 0], [1, 3]]
    views = [SOUNDS, TEXTS]
    assert relations(pd.DataFrame([("a", 0), ("b", 3)]), (1, 0), views)[0, 1].tolist() == [
        [0, 0],
        [3, 1],
    ]


@pytest.mark.parametrize(
    ("texts", "relation", "message"),
    [
        (
            TEXTS.set_axis(list("abccef")),
            IDS,
            "'c' of row 1 stands more than once in the row index of view 'texts', in rows 2 and 3",
        ),
        (TEXTS.set_index(["length", "words"], drop=False), IDS, "view 'texts' has 2 levels"),
        (
            TEXTS.set_axis(range(6)),
            pd.DataFrame({"u": ["2"], "v": ["i1"]}),
            r"'2' of row 0 is not in .* Did you mean 2\?",
        ),
    ],
    ids=["twice", "levels", "type"],
)
def test_an_index_that_tells_no_row_is_refused(texts, relation, message):
    with pytest.raises(InvalidInputError, match=message):
        relations(relation, views={"texts": texts, "images": IMAGES})


# ---- constraints

JUDGED = pd.DataFrame(
    {"i": [*"caf"], "j": [*"aba"], "kind": ["must-link", "cannot-link", " cannot-link "]}
)


def test_constraints_may_name_rows_by_id():
    expected = Constraints([(0, 2), (0, 1), (0, 5)], [True, False, False])
    assert judged(JUDGED) == [expected, Constraints([], []), Constraints([], [])]
    weighted = judged(JUDGED.assign(weight=[2, 0.5, 1]))[0]
    assert weighted == Constraints([(0, 2), (0, 1), (0, 5)], [True, False, False], [2, 0.5, 1])
    assert judged(pa.table(JUDGED.to_dict("list")))[0] == expected
    assert judged(JUDGED[["kind", "j", "i"]])[0] == expected


def test_a_table_of_constraints_without_ids_means_what_the_file_means(tmp_path):
    kinds = ["must-link", "cannot-link"]
    frame = pd.DataFrame({"i": [3, 0], "j": [1, 2], "kind": kinds, "weight": [0.25, 3]})
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    expected = Constraints([(1, 3), (0, 2)], [True, False], [0.25, 3])
    assert judged(frame, "sounds")[2] == Constraints.read_csv(tmp_path / "pairs.csv") == expected


NO_PAIRS = "a DataFrame or None, not list; Constraints.from_pairs makes them of pairs of rows"
FAR, TWICE = Constraints.from_pairs([(0, 4)]), "a view that another key names"


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"imges": JUDGED}, r"constraints: there is no view 'imges'; .* Did you mean 'images'"),
        ({"texts": JUDGED, 0: JUDGED}, f"constraints: 0 is {TWICE}"),
        ({"texts": JUDGED, 0: None}, f"constraints: 0 is {TWICE}"),
        ({0: None, "texts": JUDGED}, f"constraints: 'texts' is {TWICE}"),
        (JUDGED, "constraints must say which view they are of: give {view: DataFrame}; the views"),
        ([JUDGED], "constraints has 1 entries for 3 views"),
        ({"texts": [(0, 1)]}, f"must be mvcc.Constraints, {NO_PAIRS}"),
        ({"sounds": FAR}, r"\['sounds'\] names row 4, but view 'sounds' has rows 0 … 3"),
        *(
            ({"texts": table}, rf"constraints\['texts'\]{message}")
            for table, message in [
                (JUDGED[["i", "j"]], r": the columns must be .*not \['i', 'j'\]"),
                (JUDGED.replace("must-link", "mustlink"), ", row 0: kind must be .*not 'mustlink'"),
                (JUDGED.replace("must-link", None), ".*kind must be must-link or cannot-link, not"),
                (JUDGED.replace("f", "g"), ", column i: 'g' of row 2 is not in the"),
                (JUDGED.assign(weight=-1.0), r": weights\[0\] = -1.0"),
                (JUDGED.assign(weight="heavy"), ": weights must be numbers"),
                (JUDGED.assign(j=JUDGED.i), ": .*links a row with itself"),
            ]
        ),
    ],
)
def test_constraints_that_cannot_be_say_where_and_what_is_allowed(constraints, message):
    with pytest.raises(InvalidInputError, match=message):
        fit(constraints=constraints)


@pytest.mark.parametrize("table", [TEXTS, TEXTS.to_numpy()], ids=["ids", "numbers"])
@pytest.mark.parametrize(
    "estimator", [PCKMeans(2, random_state=0), MPCKMeans(2, random_state=0), PairMetric()]
)
def test_estimators_of_one_view_take_constraints_by_id_too(estimator, table):
    numbers = {end: JUDGED[end].map("abcdef".index) for end in "ij"}
    rows = JUDGED if isinstance(table, pd.DataFrame) else JUDGED.assign(**numbers)
    expected = clone(estimator).fit(table, constraints=judged(JUDGED)[0])
    found = clone(estimator).fit(table, constraints=rows)
    learned = "metric_" if isinstance(estimator, PairMetric) else "cluster_centers_"
    np.testing.assert_array_equal(getattr(found, learned), getattr(expected, learned))
    of_other_library = clone(estimator).fit(table, constraints=pa.table(rows.to_dict("list")))
    np.testing.assert_array_equal(getattr(of_other_library, learned), getattr(expected, learned))
    message = r"constraints, column i: .* of row 0 is not in the row"
    with pytest.raises(InvalidInputError, match=message):
        clone(estimator).fit(table, constraints=rows.replace(rows.i[0], 77))
    with pytest.raises(InvalidInputError, match=NO_PAIRS):
        clone(estimator).fit(table, constraints=[(0, 1)])


# ---- three and more views


def test_a_view_without_relations_is_clustered_by_itself():
    known = Constraints.from_pairs([(0, 1)], [(0, 2), (3, 5)])
    apart = fit(VIEWS, {"texts": known}, {("texts", "sounds"): [(0, 0), (2, 1), (5, 3)]})
    np.testing.assert_array_equal(apart.labels_[1], fit().labels_[1])
    assert len(apart.propagated_[0])
    assert not len(apart.propagated_[1])


@pytest.mark.parametrize("closed", [True, False])
def test_a_ring_that_contradicts_itself_is_named_by_its_views(closed):
    """Going round the ring, row 0 of a comes back as row 1 of a."""
    ring = {("a", "b"): [(0, 0)], ("b", "c"): [(0, 0)], ("c", "a"): [(0, 1)]}
    views = dict.fromkeys("abc", np.arange(6.0).reshape(3, 2))
    apart = {"a": Constraints.from_pairs(cannot_link=[(0, 1)])}
    if not closed:
        fit(views, apart, {key: rows for key, rows in ring.items() if key != ("c", "a")})
        return
    with pytest.raises(ConstraintConflictError) as caught:
        fit(views, apart, ring)
    places = re.findall(r"row (\d) of view '(\w)'", str(caught.value))
    assert set(places) == {("0", "a"), ("0", "b"), ("0", "c"), ("1", "a")}
    assert str(caught.value).count("(relation)") == 3


# ---- errors inside of a fit


@pytest.mark.parametrize(
    ("views", "place"),
    [(VIEWS, "'sounds'"), (list(VIEWS.values()), "2")],
    ids=["by name", "by number"],
)
def test_an_error_of_the_clustering_says_which_view_it_is_of(views, place):
    few = MultiViewConstrainedClustering(PCKMeans(5), random_state=0)
    message = f"^view {place}: n_samples=4 should be >= n_clusters=5; ask for fewer"
    with pytest.raises(InvalidInputError, match=message):
        few.fit(views)


def test_an_error_of_the_transfer_says_which_view_it_is_of():
    flat = MultiViewConstrainedClustering(
        PCKMeans(2), ConstraintPropagation(0.5, regularization=0), random_state=0
    )
    views = {"texts": TEXTS, "images": np.repeat(IMAGES.to_numpy(), 2, axis=1)}
    judged = {"images": Constraints.from_pairs([(0, 1)])}  # the texts have none to propagate
    message = r"^view 'images': The covariance of cluster . .* must be larger"
    with pytest.raises(InvalidInputError, match=message):
        flat.fit(views, constraints=judged, mappings={(0, 1): [(0, 2)]})


class Failing(PCKMeans):
    """Fails with an error that is not of mvcc."""

    def fit(self, X, y=None, *, constraints=None):
        if X.shape[1] == 3:
            raise ZeroDivisionError("no luck")
        return super().fit(X, constraints=constraints)


def test_an_error_of_another_package_keeps_its_words_and_says_the_view_beside_them():
    with pytest.raises(ZeroDivisionError, match="no luck") as caught:
        MultiViewConstrainedClustering(Failing(2), DirectMapping(), random_state=0).fit(VIEWS)
    assert (str(caught.value), caught.value.__notes__) == (
        "no luck",
        ["This is about view 'images'."],
    )


# ---- bad input of every kind

ids_given = st.lists(
    st.sampled_from(["a", "c", "f", "i1", 0, 1, 2.0, None, "zz"]) | odd_values, max_size=4
)
frames = st.builds(
    lambda columns, names: pd.DataFrame(
        {
            name: pd.Series(values[: min(map(len, columns))], dtype=object)
            for name, values in zip(names, columns, strict=False)
        }
    ),
    st.lists(ids_given, min_size=1, max_size=4),
    st.lists(
        st.sampled_from(["i", "j", "kind", "weight", "texts", "images", "x", 0]),
        min_size=1,
        max_size=4,
        unique=True,
    ),
)
dicts = st.dictionaries(
    st.integers(-1, 6) | st.sampled_from(["a", None, 1.5]),
    st.integers(-1, 6) | odd_objects,
    max_size=3,
)
forms = frames | dicts | st.just(MATRIX) | st.just(MATRIX.T) | odd_objects
view_keys = st.sampled_from(
    ["texts", "images", "sounds", "", "x" * 5000, "\x1b[31m", 0, 1, -1, 7, True, None, 1.0, (0,)]
)


@example(given={("texts", "images"): MATRIX})
@many(
    120,
    given=st.dictionaries(st.tuples(view_keys, view_keys) | view_keys, forms, max_size=2) | forms,
)
def test_relations_of_every_form_are_understood_or_refused(given):
    known = GivenViews.of(VIEWS)
    if given is not None:
        found = answer(lambda: known.relations(given), "mappings")
        assert found is None or all(rows.dtype == np.int64 for rows in found.values())


@many(
    120,
    given=st.dictionaries(view_keys, forms, max_size=2)
    | forms
    | st.lists(forms, min_size=3, max_size=3),
)
def test_constraints_of_every_form_are_understood_or_refused(given):
    found = answer(lambda: GivenViews.of(VIEWS).constraints(given), "constraints")
    assert found is None or len(found) == 3


@many(60, given=st.dictionaries(view_keys, odd_objects | frames | st.just(TEXTS), max_size=2))
def test_views_of_every_form_are_understood_or_refused(given):
    found = answer(lambda: GivenViews.of(given).arrays(), "views")
    assert found is None or all(X.ndim == 2 for X in found)
