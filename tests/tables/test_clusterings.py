"""Any views, matches, constraints: every table, and the facts of the report, say the same."""

import html
import json
import shutil
import warnings

import numpy as np
import pytest

from mvcc.exceptions import DataError
from mvcc.metrics import pairwise_f_measure
from mvcc.multiview import MultiViewConstrainedClustering
from mvcc.results import Clustering, found_in_words
from mvcc.tables import (
    ReviewSession,
    _clustering,
    check_clustering,
    cluster_job,
    export_tables,
    load_job,
    read_inputs,
)
from mvcc.tables.fitting._joint import Joint
from tests.reports import report_of, write_clustering_report
from tests.tables.problems import (
    K,
    by_co_em,
    cluster,
    options_of,
    read_csv,
    with_values,
    with_wrong_matches,
    write_csv,
    write_problem,
)

UNMATCHED = {"n_views": 3, "pairs": [("view2", "view0")], "judged": (0, 1)}
PROBLEMS = {
    "one view": {"n_views": 1, "pairs": ()},
    "two views": {"noise": 4.0},  # constraints move rows, and one is violated
    "no matches": {"pairs": ()},
    "no constraints": {"judged": ()},
    "constraints in the second view alone": {"judged": (1,)},
    "three views, one that nobody matches": UNMATCHED,
    "three views in a chain": {"n_views": 3, "pairs": [("view0", "view1"), ("view2", "view1")]},
    "five views": {"n_views": 5, "judged": (0, 3), "n": 16},
}


@pytest.mark.parametrize(
    ("name", "transfer"),
    [
        *((name, None) for name in PROBLEMS),
        ("one view", "constraint-propagation"),
        ("two views", "single-view"),
        ("no matches", "direct-mapping"),
        ("no constraints", "cluster-membership"),
        ("constraints in the second view alone", "direct-mapping"),
        ("three views, one that nobody matches", "cluster-membership"),
        ("three views in a chain", "constraint-propagation"),
    ],
)
def test_tables_and_facts_say_the_same(tmp_path, name, transfer):
    options = with_values(write_problem(tmp_path, **PROBLEMS[name]), stability_runs=2)
    if transfer is not None:
        options = by_co_em(options, transfer=transfer)
    out = tmp_path / "out"
    facts = cluster(options, out)
    assert facts == json.loads((out / "clustering.json").read_text(encoding="utf-8"))
    assert check_clustering(out)[1:] == ([], [])  # labels.csv of every view
    assert facts["comparison"] is None
    inputs = read_inputs(load_job(None, options))
    read = zip(inputs.tables, inputs.constraints, facts["views"], strict=True)
    for table, constraints, view in read:
        assert (view["name"], view["ids"]) == (table.name, table.ids)
        assert set(view["stability"]) <= {0, 0.5, 1}
        assert view["reference"] == table.reference
        assert view["reference_f"] == pairwise_f_measure(view["reference"], view["labels"])
        labels = view["labels"]
        assert len(view["given"]) == len(constraints)
        for i, j, must_link, _, is_satisfied, _ in view["given"]:
            assert is_satisfied == ((labels[i] == labels[j]) == must_link)
        assert view["violated"] == [[*row[:4], row[5]] for row in view["given"] if not row[4]]
        if transfer is None:
            assert view["n_moved"] == len(view["moved"]) >= (name == "two views")
            assert all(view["labels"][row] != without for row, without, _ in view["moved"])
        for kind in () if transfer is None else ("propagated", "received"):
            listed = read_csv(out / table.name / f"{kind}.csv")
            assert sum(view[f"n_{kind}"].values()) == len(listed)
            told = {(table.ids[i], table.ids[j], weight) for i, j, _, weight, _ in view[kind]}
            assert told == {(row["i"], row["j"], float(row["weight"])) for row in listed}
    for relation in facts["relations"]:
        u, v = relation["views"]
        here, there = facts["views"][u]["labels"], facts["views"][v]["labels"]
        same = [here[i] == there[j] for i, j in relation["pairs"]]
        differing = [pair for pair, ok in zip(relation["pairs"], same, strict=True) if not ok]
        assert relation["differing"] == differing
        assert relation["pairs"] == inputs.relations[u, v].tolist()
        if transfer is None:
            assert all(same)
            assert relation["agreement"] is relation["by_chance"] is None
        else:
            assert relation["agreement"] == pytest.approx(np.mean(same))
    write_clustering_report(facts, tmp_path / "report.html")


def test_true_labels_change_nothing_but_the_comparison(tmp_path):
    options = write_problem(tmp_path)
    ignored = [
        ((*keys[:-1], "ignore") if keys[-1] == "labels_column" else keys, *rest)
        for keys, *rest in options
    ]
    known, unknown = (
        cluster(one, tmp_path / name)["views"] for name, one in (("a", options), ("b", ignored))
    )
    assert {view["reference"] for view in unknown} == {None}
    # the last two say what the column of labels was used as
    told = {"reference", "reference_f", "reference_ari", "columns", "unused"}
    for one, other in zip(known, unknown, strict=True):
        assert {key for key in one | other if one.get(key) != other.get(key)} == told


@pytest.mark.parametrize(("problem", "values", "warning"), [
    ({"judged": ()}, {}, "No constraints were given"),
    ({"pairs": ()}, {}, "No matches were used between the views: each was clustered by itself"),
    ({}, {"threshold": 1.0}, "Nothing was inferred for rows near constrained ones"),
    ({"n_matches": 1}, {"threshold": 1.0}, "No constraint was transferred: none reached two r"),
    ({"n_matches": 1}, {"transfer": "direct-mapping"},
     "No constraint was transferred: no constrained pair has both rows matched"),
    ({"n_views": 3, "pairs": [("view0", "view2")]}, {},
     "view1: no row is matched with one of another view; it was clustered by itself."),
])  # fmt: skip
def test_warnings_name_what_must_not_be_overlooked(tmp_path, problem, values, warning):
    options = by_co_em(write_problem(tmp_path, **problem), **values)
    told = cluster(options, tmp_path / "out")["warnings"]
    assert [one[: len(warning)] for one in told if "itself" in one or warning in one] == [warning]


def test_warnings_of_other_libraries_come_as_they_are(tmp_path, monkeypatch):
    fit = Joint.fit

    def warned(method):
        warnings.warn("of a library", FutureWarning, stacklevel=1)
        return fit(method)

    monkeypatch.setattr(Joint, "fit", warned)
    with pytest.warns(FutureWarning, match="of a library"):
        assert cluster(write_problem(tmp_path), tmp_path / "out")["warnings"] == []


def test_a_note_says_that_co_em_has_not_converged(tmp_path, monkeypatch):
    monkeypatch.setitem(MultiViewConstrainedClustering.__init__.__kwdefaults__, "max_iter", 1)
    facts = cluster(by_co_em(write_problem(tmp_path)), tmp_path / "out")
    told = " ".join(facts["warnings"])
    assert "co-EM did not converge: it stopped at its limit max_iter=1." in told


def test_empty_clusters_are_counted(tmp_path):
    copies = one_table(tmp_path, [[0, 0]] * 3 + [[5, 5]] * 3, n_clusters=3, features="none")
    facts = cluster(by_co_em(copies), tmp_path / "out")
    assert "a: 1 of the 3 clusters is empty." in facts["warnings"]


def test_two_clusters_that_exchange_rows_are_named():
    labels = np.repeat([0, 1, 2], [10, 20, 70])
    exchanged = np.array([[0, 2.5, 0], [2, 0, 1], [0, 1, 0]])
    assert list(_clustering._overlap("a", exchanged, labels)) == [
        "a: clusters 0 and 1 overlap: 15 % of their rows change between them in the stability runs."
    ]
    assert list(_clustering._overlap("a", exchanged / 2, labels)) == []


def test_views_that_no_matches_connect_have_numbers_that_mean_nothing_to_each_other(tmp_path):
    options = write_problem(tmp_path, n_views=3, pairs=[("view0", "view2")])
    facts = cluster(options, tmp_path / "apart")
    assert facts["joint"]["connected"] == [[0, 2], [1]]
    assert facts["warnings"] == [
        "No three matches connect view0 and view2 with view1: each was clustered by itself, and the"
        " numbers of their clusters mean nothing to each other."
    ]
    page = report_of(facts, tmp_path)
    assert "the same cluster in tables that matches connect" in page
    assert not any(html.escape(title) in page for title in facts["titles"])
    assert cluster(write_problem(tmp_path / "all"), tmp_path / "together")["warnings"] == []


def test_matches_that_seem_wrong_are_told_and_listed(tmp_path):
    options = write_problem(tmp_path, n=260, n_matches=200)
    # one in five of them is wrong, and a third of these share their kind
    matches, changed = with_wrong_matches(tmp_path / "view0-view1.csv")
    facts = cluster(options, tmp_path / "out")
    (relation,), (one, other) = facts["relations"], facts["views"]
    listed = [(one["ids"][i], other["ids"][j]) for i, j, *_ in relation["suspicious"]]
    *_, suspicions, dropped = zip(*relation["suspicious"], strict=True)
    assert len((set(changed) - set(matches)) & set(listed)) > 0.5 * len(listed) > 0
    assert list(suspicions) == sorted(suspicions, reverse=True)
    said = f"{sum(dropped)} matches of view0 and view1 seem to be wrong and were left out"
    assert facts["warnings"][0] == f"{said}; see the report."
    for name, ids in (("view0", listed), ("view1", [match[::-1] for match in listed])):
        table = read_csv(tmp_path / "out" / name / "suspicious.csv")
        assert [(row["id"], row["matched_id"]) for row in table] == ids
        assert [row["left_out"] == "yes" for row in table] == list(dropped)
        assert min(float(row["suspicion"]) for row in table) > 0.4
    (tmp_path / "out/view1/suspicious.csv").unlink()
    missing = check_clustering(tmp_path / "out")[1]
    assert missing[0].startswith("view1/suspicious.csv: it is missing")
    page = report_of(facts, tmp_path)
    assert f"Matches that seem to be wrong ({len(listed)})" in page
    assert f"each of {200 - sum(dropped)} matches is one object" in page


def test_matches_that_join_many_rows_into_one_object_are_told(tmp_path):
    options = write_problem(tmp_path, n=100)
    here, there = ([row["id"] for row in read_csv(tmp_path / f"view{v}.csv")][:25] for v in (0, 1))
    chain = [*zip(here, there, strict=True), *zip(here[1:], there[:-1], strict=True)]
    write_csv(tmp_path / "view0-view1.csv", [["view0", "view1"], *chain])
    assert (
        "Matches join 25 rows of view0 and 25 rows of view1 into one object, which is in one"
        " cluster: match rows of the same object only, or take the method co-EM."
    ) in cluster(options, tmp_path / "out")["warnings"]


def test_the_headline_does_not_count_more_matched_rows_together_than_the_result_has(tmp_path):
    options = with_values(write_problem(tmp_path), comparison=True)
    facts = Clustering.model_validate(cluster(options, tmp_path / "out"))
    assert "share their cluster even without their match" in found_in_words(facts)
    one, other = facts.views
    moved = one.model_copy(update={"labels": [(label + 1) % K for label in one.labels]})
    facts = facts.model_copy(update={"views": (moved, other)})
    assert "; 0 % of 12 matched rows share their cluster (" in found_in_words(facts)


def test_tables_that_agree_little_are_told_and_no_match_is_suspicious(tmp_path):
    facts = cluster(write_problem(tmp_path, n=260, n_matches=200, noise=60.0), tmp_path / "out")
    (relation,) = facts["relations"]
    assert relation["suspicious"] == []
    said = "view0 and view1 agree little on which single rows are alike, so wrong matches cannot be"
    assert facts["warnings"][0] == f"{said} told from right ones."
    page = report_of(facts, tmp_path)
    assert "These two tables agree little on which single rows are alike" in page
    assert "Matches that seem to be wrong" not in page


@pytest.mark.parametrize("n_light", [3, 8])
def test_constraints_that_are_lighter_than_the_threshold_are_counted(tmp_path, n_light):
    options, path = by_co_em(write_problem(tmp_path)), tmp_path / "judged0.csv"
    pairs = [[row["i"], row["j"], row["kind"]] for row in read_csv(path)]
    weights = np.repeat([0.5, 1.0], [n_light, 8 - n_light]).tolist()
    judged = [[*pair, weight] for pair, weight in zip(pairs, weights, strict=True)]
    write_csv(path, [["i", "j", "kind", "weight"], *judged])
    told, *others = cluster(options, tmp_path / "out")["warnings"]
    assert told == (
        f"{n_light} of the 8 constraints weigh less than the threshold 0.75: they count in their"
        " own view, but nothing is inferred from them or transferred. Give them more weight, or"
        " lower the threshold (--threshold)."
    )
    assert n_light < 8 or not others


def one_table(tmp_path, rows, **values):
    path = write_csv(tmp_path / "a.csv", [["x", "y"], *rows])
    return options_of({"a": path}, stability_runs=2, comparison=True, **values)


def test_one_row_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"a\.csv: there is one row only; nothing can be clustered"):
        cluster(one_table(tmp_path, [[1, 2]], n_clusters=1), tmp_path / "out")


@pytest.mark.parametrize("features", ["auto", "spectral", "pca", "none"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_rows_and_the_largest_values_that_are_taken_are_clustered(tmp_path, features):
    values = {"n_clusters": 2, "features": features}
    facts = cluster(one_table(tmp_path, [[1, 2], [3, 4]], **values), tmp_path / "few")
    assert set(facts["views"][0]["labels"]) == {0, 1}
    rows = [[1e100, 2], [-1e100, 4], [9, 7], [5, 5]]
    facts = cluster(one_table(tmp_path, rows, **values), tmp_path / "large")
    first, *others = facts["views"][0]["labels"]
    assert others == [1 - first] * 3


@pytest.mark.parametrize(("features", "most"), [("spectral", 23), ("pca", 3)])
def test_more_components_than_there_are_are_refused(tmp_path, features, most):
    options = with_values(write_problem(tmp_path), features=features, n_components=most + 1)
    message = rf"view0\.csv: 24 rows of 3 columns have at most {most} components, not {most + 1}"
    with pytest.raises(DataError, match=message):
        cluster(options, tmp_path / "out")


# repetition


def test_the_settings_hold_where_the_output_is_behind_a_link(tmp_path):
    options = write_problem(tmp_path / "data")
    (tmp_path / "far/away").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far/away")
    cluster(options, tmp_path / "link")
    assert read_inputs(load_job(tmp_path / "link/cluster.yaml")).tables[0].name == "view0"


def test_tables_that_are_links_to_files_without_an_ending_are_found_by_their_own_names(tmp_path):
    options = write_problem(tmp_path / "data")
    (tmp_path / "store").mkdir()
    for number, path in enumerate(sorted((tmp_path / "data").iterdir())):
        path.rename(tmp_path / f"store/{number}")
        path.symlink_to(tmp_path / f"store/{number}")
    out = tmp_path / "out"
    cluster(options, out)
    cluster_job(load_job(out / "cluster.yaml"), tmp_path / "again")
    assert len(export_tables(out, tmp_path / "exported")) == 2
    assert check_clustering(out)[1:] == ([], [])
    with ReviewSession(out) as session:
        assert session.folders["view0"] == str(out / "../data")  # of pictures


def test_ids_come_back_from_the_tables_as_they_went_in(tmp_path):
    odd = ["=cmd()", "</script>", 'a"b', "a,b", "a\nb", "a\rb", "a\r\nb", "\u202e\u2028é\x00.", "-"]
    odd.append("x" * 10_000)
    path = tmp_path / "odd.npz"
    n = np.arange(len(odd))
    np.savez(path, X=np.random.default_rng(0).normal(size=(len(n), 2)), id=np.array(odd), n=n, m=n)
    facts = cluster(options_of({"odd": path}, n_clusters=2), tmp_path / "out")
    assert f"{path}: n and m lie beside the array and were not used." in facts["warnings"]
    write_clustering_report(facts, tmp_path / "out/report.html")
    assert [row["id"] for row in read_csv(tmp_path / "out/odd/labels.csv")] == odd
    page = (tmp_path / "out/report.html").read_text("utf-8")
    assert "</script><" not in page.split("application/json")[-1][: 10**6]
    shutil.rmtree(tmp_path / "out")


def test_rows_too_many_for_spectral_features_get_principal_components(tmp_path, monkeypatch):
    monkeypatch.setattr("mvcc.tables.fitting._features.MAX_ROWS", 10)
    facts = cluster(with_values(write_problem(tmp_path), features="spectral"), tmp_path / "out")
    assert all("3 principal components of" in view["features"] for view in facts["views"])
    (said,) = (text for text in facts["warnings"] if "view0: more than 10 rows" in text)
    assert "features view0=pca" in said


@pytest.mark.parametrize("method", ["joint", "co-em"])
def test_a_single_cluster_is_found_and_reported_without_a_warning(tmp_path, method):
    values = {"n_clusters": 1, "method": method, "comparison": True, "stability_runs": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        facts = cluster(with_values(write_problem(tmp_path, judged=()), **values), tmp_path / "out")
        write_clustering_report(facts, tmp_path / "report.html")
    assert {label for view in facts["views"] for label in view["labels"]} == {0}
    assert not [said for said in facts["warnings"] if "one cluster has" in said]
