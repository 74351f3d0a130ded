"""Tables in memory are clustered as the same tables in files."""

import pickle
import re
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn import config_context

from mvcc import Constraints, cluster_views
from mvcc.exceptions import ConstraintConflictError, DataError, InvalidInputError, MvccError
from mvcc.tables import Job
from mvcc.tables.fitting._joint import Joint
from mvcc.tables.reading._from_memory import _BY_VIEW
from tests.tables.problems import QUICK, cluster, options_of

RNG = np.random.default_rng(3)
Y = RNG.integers(3, size=90)
SHOP = pd.DataFrame(
    {
        "price": 20 * Y + RNG.normal(size=90),
        "kind": np.array(["toys", "food", "books"])[np.where(RNG.random(90) < 0.2, 0, Y)],
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(1000, size=90), "D"),
    },
    index=pd.Index([f"s{i}" for i in range(90)], name="id"),
)
SHOP.iloc[5, 0] = np.nan
NUMBERS = pd.Index(np.arange(100, 190), name="id")
SURVEY = pd.DataFrame(4 * np.eye(3)[Y] + RNG.normal(size=(90, 3)), NUMBERS, list("abc"))
VIEWS = {"shop": SHOP, "survey": SURVEY}
MATCHES = {("shop", "survey"): pd.DataFrame({"shop": SHOP.index[:40], "survey": SURVEY.index[:40]})}
PAIRS = Constraints.from_labels(Y, 20, 0)
KINDS = np.where(PAIRS.must_link, "must-link", "cannot-link")
FIRST, SECOND = (SHOP.index[PAIRS.pairs[:, end]] for end in (0, 1))
JUDGED = {"shop": pd.DataFrame({"i": FIRST, "j": SECOND, "kind": KINDS})}
# s7 is together with two rows of another class
PLACED = pd.DataFrame({"i": "s7", "j": ["s0", "s5"], "kind": "must-link"})
MOVING = {"shop": pd.concat([JUDGED["shop"], PLACED])}


def clustered(views=VIEWS, n_clusters=3, **settings):
    usual = {"matches": MATCHES, "constraints": JUDGED, **QUICK}
    return cluster_views(views, n_clusters=n_clusters, **(usual | settings))


@pytest.fixture(scope="module")
def found():
    return clustered()


def test_two_results_are_compared(found):
    fewer = clustered(views=VIEWS | {"shop": SHOP.iloc[:80]}, constraints=None)
    shop, survey = found.compare(fewer)["views"]
    assert (shop["rows"], survey["rows"]) == (80, 90)
    assert len(shop["judgments"]["gone"]) == 20
    assert found.compare(found)["views"][0]["moved"] == []


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        ("compare", [None], "other must be a ClusteringResult, got None"),
        *(
            ("profile", [cluster], r"there is no cluster .*; they are 0, 1 and 2\.")
            for cluster in (1.0, 3, "1", np.arange(2))
        ),
        ("explain", ["shop", "s99"], "shop has no row with the id 's99'."),
        ("explain", ["shp", "s1"], "there is no view 'shp'; did you mean 'shop'"),
        ("explain", ["survey", 7], "survey has no row with the id 7"),
    ],
)
def test_what_is_not_there_is_refused(found, call, given, message):
    with pytest.raises(InvalidInputError, match=message):
        getattr(found, call)(*given)


def test_a_result_tells_how_likely_rows_are_in_each_cluster(found):
    for (name, table), view in zip(VIEWS.items(), found.facts["views"], strict=True):
        shares = found.probabilities[name]
        assert shares.index.equals(table.index)
        assert shares.columns.tolist() == [0, 1, 2]
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert shares.idxmax(axis=1).equals(found.labels[name].rename(None))
        ranked = np.sort(shares)
        assert view["probability"] == pytest.approx(ranked[:, -1], abs=1e-4)
        assert view["second_probability"] == pytest.approx(ranked[:, -2], abs=1e-4)
        assert all(one != other for one, other in zip(view["labels"], view["second"], strict=True))
    assert clustered(n_clusters=1).facts["views"][0]["probability"] == []


def test_only_the_joint_method_tells_how_likely_rows_are():
    found = clustered(method="co-em", transfer="direct-mapping")
    with pytest.raises(InvalidInputError, match="only the joint method"):
        _ = found.probabilities
    with pytest.raises(InvalidInputError, match=r"Not all views are numbered alike, .*'shop:1'"):
        found.merge(0, 1)
    with pytest.raises(InvalidInputError, match=r"Cluster them with this match, .* in matches="):
        cluster_views(VIEWS, n_clusters=2, **QUICK).match({"shop": "s0", "survey": 100})
    view = found.facts["views"][0]
    assert view["probability"] == view["second"] == view["second_probability"] == []


@pytest.mark.parametrize(
    "settings", [{"seed": 4}, {"method": "co-em", "transfer": "direct-mapping"}], ids=str
)
def test_the_result_is_that_of_the_same_tables_in_files(tmp_path, settings):
    for name, frame in VIEWS.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
    JUDGED["shop"].to_csv(tmp_path / "pairs.csv", index=False)
    MATCHES["shop", "survey"].to_csv(tmp_path / "matches.csv", index=False)
    paths = {name: tmp_path / f"{name}.parquet" for name in VIEWS}
    matches, pairs = {"shop:survey": tmp_path / "matches.csv"}, {"shop": tmp_path / "pairs.csv"}
    options = options_of(paths, matches, pairs, n_clusters=3, stability_runs=2, **settings)
    expected = cluster(options, tmp_path / "out")
    found = clustered(stability_runs=2, **settings)
    for view in expected["views"]:
        name = view["name"]
        for what in ("labels", "fit", "stability"):
            series = getattr(found, what)[name]
            assert series.tolist() == view[what]
            assert series.index.equals(VIEWS[name].index)
    assert found.facts["warnings"] == expected["warnings"]


def test_a_result_explains_draws_and_reports(tmp_path):
    found = clustered(constraints=MOVING, stability_runs=2)
    assert found.sizes().sum().tolist() == [90, 90]
    texts = [found.explain("shop", name) for name in SHOP.index]
    cluster = found.labels["shop"]["s7"]
    assert texts[7].startswith(f"s7 of shop is in cluster {cluster}; ")
    moved = [text for text in texts if "Without the constraints it would be in cluster" in text]
    assert len(moved) == found.facts["views"][0]["n_moved"] > 0
    assert "survey" in found.explain("survey", 105)
    np.testing.assert_array_equal(found.predict(SURVEY, "survey"), found.labels["survey"])
    assert [axes.get_title() for axes in found.plot().axes] == ["shop", "survey"]
    found.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "s7" in page
    assert found.facts["settings"]["constraints"] == {"shop": "constraints['shop']"}
    for said, not_said in (("ignore={'shop':", "--ignore"), ("<code>move</code>", "mvcc review"),
                           ("… and ", ".csv"), ("How it was made", "The command")):  # fmt: skip
        assert said in page
        assert not_said not in page
    assert repr(found) == "<ClusteringResult: 3 clusters of shop (90 rows), survey (90 rows)>"
    assert "<th>survey</th>" in found._repr_html_()


def test_a_cluster_is_drawn_alike_in_all_views_and_named_where_only_one_has_it():
    found = clustered()
    survey = found.labels["survey"]
    drawn = found.move({"survey": survey.index[survey == 0]}, 1).plot().axes
    looks = [
        {one.get_label(): one.get_facecolor().tolist() for one in axes.collections}
        for axes in drawn
    ]
    assert len(looks[0]) == 3
    assert looks[1].items() < looks[0].items()
    named = [text.get_text() for text in drawn[1].get_legend().get_texts()]
    assert named == ["cluster 0", "cluster 1", "cluster 2"]
    found.rename(0, "$x^$").plot().canvas.draw()
    figure = found.rename(0, "long name " * 19 + "end").plot()
    figure.canvas.draw()
    last, legend = figure.axes[1], figure.axes[1].get_legend().get_window_extent()
    assert last.get_window_extent().x1 < legend.x0 < legend.x1 < figure.bbox.x1


@pytest.mark.parametrize("settings", [{}, {"method": "co-em"}, {"stability_runs": 1}])
@pytest.mark.filterwarnings("error")
def test_an_empty_list_of_matches_is_none(settings, tmp_path):
    found = clustered(matches={("shop", "survey"): []}, **settings)
    assert found.facts["relations"][0]["agreement"] is None
    found.report(tmp_path / "report.html")


@pytest.mark.parametrize(("wrong", "message"), [
    ({"views": [SHOP]}, "views must be a dict {name: table}, got list"),
    ({"views": VIEWS | {1: SHOP}}, "views: 1 is not a name of a view; names are texts."),
    ({"views": VIEWS | {"survey": SURVEY.set_axis([1] * 90)}},
     "views['survey']: row 1 has the id '1', as row 0 has"),
    *(
        (
            {"views": VIEWS | {"survey": SURVEY.assign(**{name: [[1]] * 90})}},
            "views['survey']: row 0 has a list",
        )
        for name in ("d", "item_id")
    ),
    ({"views": VIEWS | {"survey": SURVEY.assign(a=SURVEY["a"] + 1j)}},
     "views['survey']: row 0 has a complex"),
    ({"n_clusters": 91}, "views['shop']: 90 rows cannot be put into 91 clusters (n_clusters)."),
    ({"n_clusters": "auto"}, "n_clusters: auto takes the number"),
    ({"threshold": 0.5}, 'add `method: co-em` (method="co-em"), or leave it out.'),
    ({"n_cluster": 3}, "unknown key 'n_cluster'; did you mean 'n_clusters'?"),
    ({"label_column": {"shop": "kind"}}, "'label_column'; did you mean 'labels_column'?"),
    ({"id_column": {"shop": "kind"}}, "id_column goes only with files; make the ids the row"),
    ({"missing": {"shop": "-99"}}, "missing goes only with files; write NaN in the place of"),
    ({"ignore": {"shp": ["kind"]}}, "ignore: there is no view 'shp'; did you mean 'shop'?"),
    ({"ignore": {"shop": ["kid"]}},
     "views['shop']: there is no column 'kid'; did you mean 'kind'?"),
    ({"ignore": ["kind"]}, "ignore={'shop': ['kind']} for one view"),
    ({"columns": "price"},
     "columns must be a dict {view: …}, got 'price'; write columns={'shop': 'price'}"),
    ({"views": VIEWS | {"shop": "shop.csv"}},
     "views['shop'] must be a table, got the path 'shop.csv'. Read"),
    ({"views": VIEWS | {"shop": Path("shop.csv")}}, "views['shop'] must be a table, got the"),
    ({"random_state": 3}, "random_state is called seed here"),
    ({"mappings": {}}, "mappings is called matches here; give matches={}"),
    ({"unknown": "skip"}, "unknown goes only with files"),
    ({"sample": 10}, "sample goes only with folders of files; give a sample of the rows"),
    ({"matches": {(0, 1): []}}, "there is no view '0'"),
    ({"matches": {("shop", "survey"): [("s0", 100)]}},
     "matches['shop', 'survey'] must be pairs of row numbers; relate ids by a DataFrame"),
    ({"matches": {"shop:survey": []}}, "matches: the key 'shop:survey' is not a pair of views"),
    ({"matches": {"shop": []}}, "pair of views; write two names, such as ('shop', 'survey')."),
    ({"matches": SURVEY}, "matches must be a dict {(view, view): matches}, got DataFrame"),
    ({"views": VIEWS | {"shop": np.zeros((90, 2, 2))}}, "views['shop'] is not a table: "),
    ({"views": VIEWS | {"shop": 7}}, "views['shop'] is not a table: 7. Give a DataFrame, a Se"),
    ({"constraints": {"shop": JUDGED["shop"].assign(i="s99")}},
     "constraints['shop'], column i: 's99' of row 0"),
    ({"constraints": {"survey": Constraints([(0, 1), (0, 1)], [True, False])}},
     "the weakest left out (on_conflict='drop', drop_conflicts)."),
])  # fmt: skip
def test_what_cannot_be_clustered_is_told(wrong, message):
    with pytest.raises(MvccError, match=re.escape(message)) as raised:
        clustered(**wrong)
    assert isinstance(raised.value, ValueError)
    assert not re.search(r"--|-k", str(raised.value))  # which Python does not have


def test_a_column_that_gives_the_answer_away_is_named_and_names_no_cluster():
    ward = pd.Series(np.array(["A0", "H1", "O2"])[Y], SHOP.index, name="ward")
    found = clustered({"shop": SHOP.assign(ward=ward), "survey": SURVEY})
    first, *others = found.facts["warnings"]
    advice = "If it is a label, cluster without it: labels_column={'shop': 'ward'}"
    said = "views['shop']: the column 'ward' alone tells the cluster of 100 % of the rows."
    assert first == f"{said} {advice}"
    assert not any("ward" in text for text in [*others, *found.facts["titles"]])
    notes = {column["name"]: column["note"] for column in found.facts["views"][0]["columns"]}
    assert notes["ward"] == "may be a label, since the clusters follow it"
    assert notes["kind"] == ""
    assert "ward" in found.profile(0)["shop"]["columns"].index


def test_a_number_that_may_stand_for_none_is_named():
    coded = SURVEY.round(1).astype(object)
    coded.iloc[:9, 1], coded.iloc[5:8, 2] = -99, 999
    (note,) = warned(coded)
    assert note.startswith("views['survey'] has -99 in b (9 rows, all others ")
    assert " and 999 in c (3 rows, all others " in note
    assert note.endswith("). If this means missing, write NaN instead.")
    assert not warned(coded.astype(float).mask(coded.isin([-99, 999])))
    coded.iloc[2:, 1] = SURVEY.iloc[2:, 1]
    assert "-99" not in "".join(warned(coded))  # too few rows for a word


def alone(table, **settings):
    return cluster_views({"survey": table}, n_clusters=3, **settings, **QUICK)


def warned(table):
    return [note for note in alone(table).facts["warnings"] if "missing" in note]


@pytest.mark.parametrize("named", [["low", "none", "high"], ["2", "10", "30"]])
def test_categories_that_have_an_order_are_numbers(named):
    codes = Y.astype(float)
    codes[::9] = np.nan
    by_name = dict(zip(range(3), named, strict=True))
    kind = pd.CategoricalDtype(named, ordered=True)
    table = SURVEY.assign(rank=pd.Series(codes, SURVEY.index).map(by_name).astype(kind))
    found = alone(table)
    (facts,) = found.facts["views"]
    rank = next(column for column in facts["columns"] if column["name"] == "rank")
    assert (rank["kind"], rank["n_missing"]) == ("number", 10)
    number_of = named.index if "low" in named else float
    assert all(number_of(one) == float(used) for one, used in rank["examples"])
    assert found.predict(table, "survey").tolist() == found.labels["survey"].tolist()


def test_a_note_names_settings_of_python():
    noise = {"survey": np.random.default_rng(0).normal(size=(90, 5))}
    settings = {"constraints": [PAIRS], "stability_runs": 3, "comparison": False}
    *_, said = cluster_views(noise, n_clusters=6, **settings).facts["warnings"]
    advice = "Try another number of clusters (n_clusters), or add constraints (Questions)."
    assert said.endswith(advice)


def test_an_id_that_looks_like_an_option_stays_in_messages():
    table = SURVEY.set_axis([f"(-k) {id}" for id in SURVEY.index])
    wrong = {"survey": Constraints([(0, 1), (0, 1)], [True, False])}
    with pytest.raises(ConstraintConflictError, match=r"'\(-k\) 100' of survey"):
        cluster_views({"survey": table}, n_clusters=3, constraints=wrong)


def test_the_docstring_names_all_settings():
    of_files = {"unknown", "sample"}
    settings = {*Job.model_fields, *_BY_VIEW} - signature(cluster_views).parameters.keys()
    listed = cluster_views.__doc__.partition("**settings")[2].partition("Returns")[0]
    assert {*re.findall(r"``(\w+)``", listed)} == settings - of_files


def test_views_of_the_same_ids_without_matches_are_named():
    apart = {"survey": SURVEY, "again": 2 * SURVEY}
    found = cluster_views(apart, n_clusters=3, **QUICK)
    *_, said = found.facts["warnings"]
    assert said.startswith("survey and again share 90 ids, but have no matches")
    assert said.endswith("and give it as matches={('survey', 'again'): …}.")
    assert repr(found).endswith('; 2 notes in facts["warnings"]>')
    counted = {name: one.to_numpy()[: 90 - n] for n, (name, one) in enumerate(apart.items())}
    (said,) = cluster_views(counted, n_clusters=3, **QUICK).facts["warnings"]
    assert said.startswith("No three matches connect")  # numbers of rows may count anything


def test_other_rows_by_the_same_numbers_are_compared_with_a_note():
    numbered = SURVEY.reset_index(drop=True)
    found = alone(numbered)
    (note,) = found.compare(alone(numbered[::-1].reset_index(drop=True)))["notes"]
    assert note.startswith("survey: rows without ids are compared by their numbers, but the tables")
    assert note.endswith("Name a column of ids (set_index), and cluster both again.")
    assert found.compare(alone(numbered[["a", "b"]]))["notes"] == []
    assert alone(SURVEY).compare(alone(SURVEY[::-1]))["notes"] == []


def test_answers_name_rows_by_the_ids_of_the_index(tmp_path):
    other = SURVEY.index[Y[0] != Y][0]
    log = f"id,answer,when\nsurvey:100,new:one,\nsurvey:{other},new:two,\n"
    (tmp_path / "asked.csv").write_text(log)
    found = alone(SURVEY, asked=tmp_path.as_posix())
    corrected = found.move({"survey": 120}, None)
    again = alone(SURVEY + 0.01, asked=tmp_path.as_posix(), continues=corrected)
    assert again.corrections == ["survey:120 was left out."]
    assert again.facts["warnings"] == found.compare(again)["notes"] == []
    unnamed = alone(SURVEY + 0.01, continues=corrected)  # the answers are used again
    assert unnamed.facts["views"][0]["given"] == again.facts["views"][0]["given"] != []
    with pytest.raises(DataError, match=r"has no row with the id '100'\.$"):
        alone(SURVEY[1:], asked=tmp_path.as_posix())
    (said,) = alone(SURVEY[1:], continues=found).facts["warnings"]
    assert said.startswith("1 answered row of")


def test_truth_values_may_be_objects_or_texts_later():
    table = SURVEY.assign(is_first=Y == 0)
    found = alone(table)
    for dtype in ("object", "str", "boolean", "int"):
        later = table.astype({"is_first": dtype})
        assert found.predict(later, "survey").tolist() == found.labels["survey"].tolist()


def test_messages_name_settings_of_python():
    words = ["one", *["1"] * (len(SURVEY) - 1)]
    with pytest.raises(DataError, match=r"or leave the column out \(ignore={'survey': \['n'\]}\)"):
        alone(SURVEY.assign(n=words))
    with pytest.raises(DataError, match=r"columns out: ignore={'survey': \['n', 'm'\]}$"):
        alone(SURVEY.assign(n=[*words[1:], "one"], m=[*words[1:], "two"]))
    (said,) = alone(SURVEY.iloc[:, :2].assign(species=Y % 2)).facts["warnings"]
    names = [*SURVEY.columns[:2], "species"]
    assert "with it (labels_column={'survey': 'species'})" in said
    assert f"by it as well (columns={{'survey': {names}}})" in said


@pytest.mark.parametrize(
    "wrong", [{"n_clusters": "auto"}, {"views": VIEWS | {"survey": SURVEY * np.inf}}]
)
def test_an_error_in_a_worker_says_the_same_elsewhere(wrong):
    with pytest.raises(MvccError) as raised:
        cluster_views(**({"views": VIEWS, "n_clusters": 3} | wrong))
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_periods_are_dates():
    months = pd.period_range("2020-01", periods=len(SURVEY), freq="M")
    (facts,) = alone(SURVEY.assign(month=months)).facts["views"]
    month = next(column for column in facts["columns"] if column["name"] == "month")
    assert (month["kind"], month["examples"][1]) == ("date", ["2020-02", "2020-02-01"])


def test_who_writes_no_number_is_not_told_to_leave_a_cell_empty_that_may_not_be():
    with pytest.raises(InvalidInputError, match="Write a number, or leave the row out"):
        alone(SURVEY).predict(SURVEY.assign(a="dear"), "survey")
    mixed = SURVEY.assign(kind=np.array(["toys", "food", "books"])[Y])
    with pytest.raises(InvalidInputError, match="Write a number, or leave the cell empty"):
        alone(mixed).predict(mixed.assign(a="dear"), "survey")


def test_scikit_learn_may_be_set_to_take_arrays_of_other_libraries(monkeypatch):
    pytest.importorskip("sklearn", minversion="1.7")  # before, it needs another package
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with config_context(array_api_dispatch=True):
        found = clustered(comparison=True)
    assert found.facts["comparison"] is not None


def test_features_may_be_asked_for_by_view_and_the_note_says_how():
    counts = np.random.default_rng(0).poisson(0.1, (60, 150))
    (said,) = alone(counts).facts["warnings"]
    assert said.endswith("(else features={'survey': 'scaled'}).")
    found = alone(counts, features={"survey": "pca"}, n_components={"survey": np.int64(3)})
    assert found.facts["views"][0]["n_components"] == 3
    found = alone(SURVEY, ignore={"survey": SURVEY.columns[:1]})
    assert found.facts["views"][0]["n_components"] == 2
    with pytest.raises(MvccError, match="features: there is no view 'shop'"):
        alone(counts, features={"shop": "pca"})


def test_a_table_of_dask_keeps_ids_and_names():
    dask = pytest.importorskip("dask.dataframe")
    found, wanted = alone(dask.from_pandas(SURVEY, npartitions=2)), alone(SURVEY)
    assert found.facts["views"] == wanted.facts["views"]


NOTED = SURVEY.copy()  # pandas keeps notes beside it, which say nothing of how it was read
NOTED.attrs = {"notes": "of 2020", "index": "a", "beside": True, "header": 3, "lines": None}
TEXTUAL = SURVEY.assign(kind=["red", "green"] * 45)
BYTES = TEXTUAL.assign(kind=TEXTUAL["kind"].str.encode("utf-8"))
COUNTS = np.random.default_rng(0).poisson(2 * np.eye(3, 12)[Y[:60]] + 0.1).astype(float)
HALVES = np.tile(COUNTS.T, 2).ravel() / 2, np.tile(range(60), 24), range(0, 1441, 120)
SPARSE = [getattr(scipy.sparse, form)(COUNTS) for form in ("csr_matrix", "csr_array", "coo_array")]
SPARSE.append(scipy.sparse.csc_array(HALVES, COUNTS.shape))  # with two values for each cell


@pytest.mark.parametrize(
    ("table", "same"), [(NOTED, SURVEY), (BYTES, TEXTUAL), *((one, COUNTS) for one in SPARSE)]
)
def test_a_table_in_another_form_is_taken_as_it_is_and_left_as_it_was(table, same):
    found, wanted = alone(table), alone(same)
    for what in ("views", "warnings"):
        assert found.facts[what] == wanted.facts[what]
    predicted = found.predict(table, "survey")
    np.testing.assert_array_equal(predicted, wanted.predict(same, "survey"))
    assert isinstance(BYTES["kind"].iloc[0], bytes)
    assert SPARSE[-1].nnz == 2 * COUNTS.size


@pytest.mark.parametrize(
    "asked",
    [
        {"columns": {"survey": [0, 1]}},
        {"columns": {"survey": {0, 1}}},
        {"columns": {"survey": {0: "number", 1: "number", 2: "ignore"}}},
        {"ignore": {"survey": (2,)}},
        {"labels_column": {"survey": 2}},
    ],
    ids=str,
)
def test_columns_of_an_array_are_named_by_their_numbers(asked):
    found = alone(SURVEY.to_numpy(), **asked, show={"survey": ["2"]})
    (facts,) = found.facts["views"]
    assert [one["name"] for one in facts["columns"] if one["kind"]] == ["0", "1"]
    assert facts["values"][0][0] == "2"  # is shown first


THINGS = "red wool carpet", "green glass bottle", "oak chair"
TEXTS = [f"{THINGS[k]} {i}" for i, k in enumerate(Y)]
TABLE = SURVEY.reset_index(drop=True)
CLUSTERED = {
    "numbers as names": TABLE.set_axis(range(3), axis=1),
    "names of two levels": TABLE.set_axis(pd.MultiIndex.from_product([["u"], list("abc")]), axis=1),
    "texts": pd.Series(TEXTS),
    "an array with a column that is left out": TABLE.assign(c=1).to_numpy(),
    "an array of bytes": np.array(TEXTS)[:, None].astype("S"),
    "an array of objects": TABLE.assign(d=TEXTS).to_numpy(),
    "a sparse matrix": scipy.sparse.csr_array(np.maximum(TABLE, 0)),
    "a table of another library": pa.table(TABLE.assign(d=TEXTS).to_dict("list")),
}


@pytest.mark.parametrize("form", CLUSTERED)
def test_a_table_that_was_clustered_gets_its_clusters_again(form):
    table = CLUSTERED[form]
    settings = {"stability_runs": np.int64(0), "comparison": np.bool_(False)}
    found = cluster_views({"a": table}, n_clusters=np.int64(3), **settings)
    assert found.predict(table, "a").tolist() == found.labels["a"].tolist()
    with pytest.raises(InvalidInputError, match="X has no rows"):
        found.predict(table[:0], "a")


def test_clusterings_that_overlap_in_threads_leave_warnings_as_they_were(monkeypatch):
    first_is_in, both_are_in, first_is_out = (threading.Event() for _ in range(3))

    def slow_fit(method, fit=Joint.fit):
        if method.job.k == 2:
            first_is_in.set()
            both_are_in.wait(60)
        else:
            both_are_in.set()
            first_is_out.wait(60)
        return fit(method)

    monkeypatch.setattr(Joint, "fit", slow_fit)
    before = [*warnings.filters]
    with ThreadPoolExecutor() as threads:
        first = threads.submit(clustered, n_clusters=2)
        first.add_done_callback(lambda _: first_is_out.set())
        first_is_in.wait(60)
        threads.submit(clustered)
    assert [*warnings.filters] == before
