"""Next month's tables: clusters keep their numbers and names, and what changes is named."""

import shutil
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from mvcc import cluster_views, load_model
from mvcc.exceptions import ConfigError, DataError, MvccError, StoreError
from mvcc.results import Clustering, found_in_words, listed_clusters, read_facts
from mvcc.tables import ReviewSession, check_clustering, check_job, load_job, try_numbers
from tests.tables.problems import (
    QUICK,
    by_co_em,
    cluster,
    options_of,
    outputs,
    read_csv,
    with_values,
    write_csv,
    write_problem,
)
from tests.tables.test_asked import answer_truly, asking, log, matches

ENDINGS = (".csv", ".json", ".html", ".skops", ".yaml")
CENTERS = np.array([[0, 0], [14, 0], [0, 14], [14, 14], [28, 7]])


def blobs(sizes, first=0, seed=0):
    """Return rows of clusters at the corners of a square, with ids that go on from the first."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    points = CENTERS[truth] + rng.normal(size=(len(truth), 2))
    ids = [f"r{first + n}" for n in range(len(truth))]
    return pd.DataFrame(points, columns=["x", "y"], index=ids)


def two_tables():
    """Return two tables of the same points, and matches of all rows."""
    first, second = blobs([30, 30, 30]), blobs([30, 30, 30]).rename(index=lambda id: f"s{id}")
    return first, second, {("a", "b"): [(row, row) for row in range(90)]}


def job(folder, name, frame, k, **values):
    """Return the options that cluster a frame, which is written to a file."""
    folder.mkdir(exist_ok=True)
    frame.to_csv(folder / f"{name}.csv", index_label="id")
    return options_of({"things": folder / f"{name}.csv"}, n_clusters=k, **values)


def clusters(folder):
    return {row["id"]: row["cluster"] for row in read_csv(folder / "things" / "labels.csv")}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    cluster(job(folder, "may", blobs([30, 30, 30]), 3), folder / "may")
    return folder


@pytest.fixture
def may(made, tmp_path):
    """Return the result of May, with the clusters 0 to 2."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "may"


def go_on(folder, former, frame, k, name, **values):
    return cluster(job(folder, name, frame, k, continues=str(former), **values), folder / name)


@pytest.mark.parametrize("by", [with_values, by_co_em], ids=["joint", "co-em"])
def test_rows_that_stay_keep_their_cluster_and_a_new_one_gets_a_new_number(tmp_path, may, by):
    frame = pd.concat([blobs([30, 30, 30]).iloc[10:], blobs([5, 5, 5, 25], 100, seed=1)])
    before = outputs(may, *ENDINGS)
    options = job(tmp_path, "june", frame, 4, continues=str(may), seed=7)
    facts = cluster(by(options), tmp_path / "june")
    then, now = clusters(may), clusters(tmp_path / "june")
    assert all(now[name] == then[name] for name in frame.index if name in then)
    assert sum(cluster == "3" for cluster in now.values()) == 25
    (changes,) = facts["continued"]["changes"]
    assert changes["new"] == [3]
    assert (changes["shared"], changes["kept"]) == (80, 80)
    assert facts["continued"]["former"] == str(may)
    assert "continues: ../may\n" in (tmp_path / "june" / "cluster.yaml").read_text()
    assert outputs(may, *ENDINGS) == before


def test_a_cluster_that_is_split_and_one_that_is_merged_are_named(tmp_path):
    four = blobs([30, 20, 20, 20])
    cluster(job(tmp_path, "four", four, 4), tmp_path / "four")
    facts = go_on(tmp_path, tmp_path / "four", four, 3, "three")
    (changes,) = facts["continued"]["changes"]
    (merged,) = changes["merged"]
    assert merged[0] in merged[1]
    assert len(merged[1]) == 2
    assert not changes["vanished"]
    facts = go_on(tmp_path, tmp_path / "three", four, 4, "again")
    (split,) = facts["continued"]["changes"][0]["split"]
    assert split == [merged[0], [merged[0], 4]]
    report = (tmp_path / "again" / "report.html").read_text()
    assert f"Cluster {merged[0]} was split into {merged[0]} and 4." in report


def test_few_shared_rows_say_which_cluster_is_which_where_the_stored_model_cannot(may):
    later = blobs([30, 30, 30]).rename(columns={"y": "z"})
    later.index = [*later.index[:6], *(f"s{n}" for n in range(84))]
    after = cluster_views({"things": later}, n_clusters=3, continues=may, **QUICK)
    (changes,) = after.facts["continued"]["changes"]
    assert (changes["shared"], changes["kept"], changes["by_model"]) == (6, 6, False)


def test_without_shared_rows_the_stored_model_says_which_cluster_is_which(tmp_path, may):
    later = blobs([20, 20, 20], 500, seed=3)
    facts = go_on(tmp_path, may, later, 3, "june", seed=5)
    (changes,) = facts["continued"]["changes"]
    assert changes["by_model"]
    assert (changes["shared"], changes["kept"]) == (60, 60)
    predicted = load_model(may).predict(later, "things")
    now = clusters(tmp_path / "june")
    assert [int(now[name]) for name in later.index] == predicted.tolist()


@pytest.mark.parametrize("varies", [(False, True), (True, False)])
@pytest.mark.parametrize("values", [[1.0, 2.0], ["red", "blue"]])
def test_a_column_that_was_or_is_constant_is_none_of_another_kind(varies, values):
    z = [values * 20 if one else values[0] for one in varies]
    may, june = blobs([20, 20]).assign(z=z[0]), blobs([20, 20], 500).assign(z=z[1])
    found = cluster_views({"things": may}, n_clusters=2, **QUICK)
    after = cluster_views({"things": june}, n_clusters=2, continues=found, **QUICK)
    assert after.facts["continued"]["changes"][0]["shared"] == 40


@pytest.mark.parametrize(
    ("then", "now"), [("number", "category"), ("category", "number"), ("category", "text")]
)
def test_a_column_of_another_kind_now_is_read_as_the_stored_model_does(then, now):
    may, june = (blobs([20, 20], n * 500, n).assign(shop=["3", "11"] * 20) for n in range(2))
    views, of_june = {"things": may}, {"columns": {"things": {"shop": now}}}
    found = cluster_views(views, n_clusters=2, columns={"things": {"shop": then}}, **QUICK)
    after = cluster_views({"things": june}, n_clusters=2, continues=found, **of_june, **QUICK)
    (changes,) = after.facts["continued"]["changes"]
    n_kept = int((after.labels["things"] == found.predict(june, "things")).sum())
    assert (changes["by_model"], changes["kept"]) == (True, n_kept)


def test_numbers_of_rows_are_no_ids(tmp_path):
    """The first row of June is not the first one of May, also if one of them is left out."""
    asked = str(log(tmp_path / "asked", "things:7,outlier"))
    for name, seed in (("may", 0), ("june", 1)):
        frame = blobs([30, 30, 30], seed=seed).reset_index(drop=True)
        options = job(tmp_path, name, frame, 3, asked=asked)
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        if name == "june":
            options = with_values(options, continues=str(tmp_path / "may"))
        facts = cluster(options, tmp_path / name)
    assert facts["continued"]["changes"][0]["by_model"]
    assert facts["continued"]["changes"][0]["kept"] == 89


@pytest.mark.parametrize("later", ["customer", "kunde", "prefixed"])
def test_the_column_of_ids_that_was_asked_for_names_the_rows_again(tmp_path, later):
    frame = blobs([30, 30, 30]).reset_index(names="customer").assign(customer=range(101, 191))
    frame = frame.sample(frac=1, random_state=0)  # ids in no order are no ids by themselves
    frame.to_csv(tmp_path / "may.csv", index=False)
    view = {"path": str(tmp_path / "may.csv"), "id_column": "customer"}
    cluster(options_of({"things": view}, n_clusters=3), tmp_path / "may")
    if later == "kunde":
        frame = frame.rename(columns={"customer": "kunde"})
    elif later == "prefixed":
        frame["customer"] = [f"C-{id}" for id in frame["customer"]]
    frame.to_csv(tmp_path / "june.csv", index=False)
    options = options_of({"things": tmp_path / "june.csv"}, n_clusters=3)
    facts = cluster(with_values(options, continues=str(tmp_path / "may")), tmp_path / "june")
    first = str(frame.iloc[0, 0])
    warned = [one for one in facts["warnings"] if "has none of the 90 ids that" in one]
    if later == "customer":
        (changes,) = facts["continued"]["changes"]
        assert (facts["views"][0]["ids"][0], changes["by_model"], warned) == (first, False, [])
        with ReviewSession(tmp_path / "june") as session:
            assert not session.facts.corrections
    else:
        here, there = (first if later == "prefixed" else "0"), first.removeprefix("C-")
        there = there if later == "prefixed" else str(frame["kunde"].iloc[0])
        assert [f"'{here}' here, '{there}' there" in one for one in warned] == [True]
        column = "'customer' here and 'customer'" if later == "prefixed" else "'customer'"
        assert f" The column of ids is {column} there. If" in warned[0]
        remedy = "write their ids as they were" if later == "prefixed" else "name the column of"
        assert f" If its rows are the same ones, {remedy}" in warned[0]


def test_ids_that_are_only_spelled_otherwise_are_named(tmp_path, may):
    facts = go_on(tmp_path, may, blobs([30, 30, 30]).rename(str.upper), 3, "june")
    spelled = (
        f"are ids of {may} but for hyphens, blanks, zeros, case or an ending, such as 'R0' for"
    )
    (warned,) = (one for one in facts["warnings"] if "has none of the 90 ids that" in one)
    assert warned.endswith(f" there. Most of them {spelled} 'r0': write both alike.")


@pytest.mark.parametrize(("n_shared", "said"), [(0, "none"), (8, "8"), (9, "")])
def test_another_column_with_few_of_the_former_ids_is_named(tmp_path, may, n_shared, said):
    frame = blobs([30, 30, 30])
    frame.index = [*frame.index[:n_shared], *(f"s{n}" for n in range(n_shared, 90))]
    frame.to_csv(tmp_path / "june.csv", index_label="serial")
    view = {"path": str(tmp_path / "june.csv"), "id_column": "serial"}
    options = options_of({"things": view}, n_clusters=3, continues=str(may))
    facts = cluster(options, tmp_path / "june")
    warned = [one for one in facts["warnings"] if "The column of ids is" in one]
    assert len(warned) == bool(said)
    for one in warned:
        assert one.startswith(f"things has {said} of the 90 ids ")
        assert "is 'serial' here and 'id' there." in one


@pytest.mark.parametrize("are_others", [True, False])
def test_ids_that_begin_anew_are_named_since_they_mean_other_rows(tmp_path, may, are_others):
    june = blobs([30, 30, 30], seed=int(are_others))
    facts = go_on(tmp_path, may, june, 3, "june")
    said = f"things shares 90 ids with {may}, but these rows agree with its clusters only by chance"
    assert [one.startswith(said) for one in facts["warnings"]].count(True) == are_others


@pytest.mark.parametrize("are_others", [True, False])
def test_ids_are_in_no_doubt_where_the_stored_model_puts_their_rows_where_they_were(are_others):
    """In June rows differ most by y, which says nothing of the clusters of May."""
    rng = np.random.default_rng(0)
    x, y = np.repeat([0, 14], 30), np.tile([0, 14], 30)
    may = pd.DataFrame({"x": x, "y": 0}, [f"r{n}" for n in range(60)]) + rng.normal(size=(60, 2))
    june = pd.DataFrame({"x": x, "y": y}, may.index) + rng.normal(size=(60, 2)) * [4, 1]
    if are_others:
        june.index = np.roll(may.index, 15)
    found = cluster_views({"things": may}, n_clusters=2, **QUICK)
    after = cluster_views({"things": june}, n_clusters=2, continues=found, **QUICK)
    assert sum("only by chance" in one for one in after.facts["warnings"]) == are_others


OF_OTHERS = "by their numbers, which may be those of other rows now: the table is not the one that"


@pytest.mark.parametrize(
    ("lines", "files", "rows"),
    [
        (["a:7,outlier", "a:8,new:one", "a:9,one"], {}, "3 rows of a"),
        (["a:7,outlier", "a:7,undo"], {}, ""),
        (["a:7,new:one", "a:7,unsure"], {}, ""),
        (["a:55,outlier"], {}, ""),
        (["b:s7,outlier"], {}, ""),
        (["b:s7,new:one"], {"groups": [["name", "members"], ["one", "b:s7\na:8"]]}, "1 row of a"),
        (["b:s7,new:one"], {"b": [["i", "j", "kind"], ["7", "8", "must-link"]]}, "2 rows of a"),
    ],
)
def test_answers_that_stand_are_never_silently_about_other_rows(tmp_path, lines, files, rows):
    """Rows of a have numbers, and those of b have ids."""
    asked, frame = log(tmp_path / "asked", *lines), blobs([20, 20, 20])
    for name, content in files.items():
        write_csv(asked / f"{name}.csv", content)
    views = {name: tmp_path / f"{name}.csv" for name in "ab"}
    frame.rename(index=lambda id: f"s{id[1:]}").to_csv(views["b"], index_label="id")
    options = options_of(views, n_clusters=3, asked=str(asked))
    frame.to_csv(views["a"], index=False)
    cluster(options, tmp_path / "may")
    again = options_of(views, n_clusters=3, continues=str(tmp_path / "may"))
    config = load_job(tmp_path / "may/cluster.yaml").asked
    assert config == (str(tmp_path / "may/../asked"),)

    def noted(options):
        return [one for one in check_job(load_job(None, options)).notes if "by their numb" in one]

    assert not noted(again)
    frame.iloc[[3, *range(50)]].to_csv(views["a"], index=False)
    named = with_values(again, asked=config[0])
    told = f"There are answers about {rows} {OF_OTHERS} {tmp_path / 'may'} was made of."
    assert noted(named) == ([told] if rows else [])
    refusal = pytest.raises(DataError, match=f"may has answers about {rows} by their numbers")
    with refusal if rows else nullcontext():
        noted(again)


def test_groups_beside_constraints_that_are_given_anew_are_the_users_own(tmp_path):
    path, frame = tmp_path / "rows.csv", blobs([20, 20, 20])
    pairs = write_csv(tmp_path / "g/things.csv", [["i", "j", "kind"], ["0", "1", "cannot-link"]])
    write_csv(tmp_path / "g/groups.csv", [["name", "members"], ["one", "things:0"]])
    options = options_of({"things": path}, n_clusters=3, constraints={"things": pairs})
    frame.to_csv(path, index=False)
    cluster(options, tmp_path / "may")
    frame.iloc[[3, *range(60)]].to_csv(path, index=False)
    facts = cluster(with_values(options, continues=str(tmp_path / "may")), tmp_path / "june")
    assert "one" in facts["names"]


def test_answers_about_a_view_that_was_away_are_used_again(tmp_path):
    views = {name: tmp_path / f"{name}.csv" for name in "ab"}
    for path in views.values():
        blobs([20, 20, 20]).to_csv(path, index=False)
    options = options_of(views, n_clusters=3)
    cluster(with_values(options, asked=str(log(tmp_path / "x", "b:7,outlier"))), tmp_path / "may")
    alone = options_of({"a": views["a"]}, n_clusters=3, continues=str(tmp_path / "may"))
    cluster(alone, tmp_path / "june")
    facts = cluster(with_values(options, continues=str(tmp_path / "june")), tmp_path / "july")
    assert facts["views"][1]["outliers"] == ["7"]


@pytest.mark.parametrize("later", ["the same file", "a row on top", "another sheet", "names"])
def test_corrections_of_numbered_rows_hold_only_for_the_same_file(tmp_path, later):
    frame, path = blobs([30, 30, 31]), tmp_path / "rows.xlsx"
    view = {"path": str(path), "sheet": "May"}

    def write_may(first):
        with pd.ExcelWriter(path) as book:
            first.to_excel(book, sheet_name="May", index=False)
            frame.to_excel(book, sheet_name="June", index=False)

    write_may(frame.iloc[1:])
    cluster(options_of({"things": view}, n_clusters=3), tmp_path / "may")
    with ReviewSession(tmp_path / "may") as session:
        session.record([("things:0", "outlier"), ("0", "rename:zero"), ("things:4\nthings:9", "0")])
    if later == "a row on top":
        write_may(frame)
    elif later == "another sheet":
        view["sheet"] = "June"
    elif later == "names":
        write_may(frame.iloc[1:].assign(id=range(1, 91)))
    options = options_of({"things": view}, n_clusters=3)
    facts = cluster(with_values(options, continues=str(tmp_path / "may")), tmp_path / "june")
    is_same = later == "the same file"
    assert facts["names"][0] == "zero"
    assert ("0" in facts["views"][0]["ids"]) == (not is_same and later != "names")
    lost = "Without effect: 2 corrections of things, by numbers of rows that may be other ones now."
    assert [one for one in facts["warnings"] if "correction" in one] == [lost] * (not is_same)
    assert len(facts["corrected"]["sentences"]) == (3 if is_same else 1)
    assert facts["continued"]["changes"][0]["by_model"]


@pytest.mark.parametrize(
    ("may", "june"), [("{:04}", "{}"), ("{}", "{:04}"), ("{}.0", "{}"), ("{}", "{}.0")]
)
def test_corrections_and_answers_hold_however_a_file_writes_numbers(tmp_path, may, june):
    frame = blobs([30, 30, 30])
    lines = [f"things:{may.format(n)},{'new:' * (n < 3)}kind {n % 2}" for n in (1, 2, 3, 4)]
    former = {"asked": (str(log(tmp_path / "anna", *lines)),)}
    for name, own in (("may", may), ("june", june)):
        table = frame.set_axis([own.format(n) for n in range(90)])
        facts = cluster(job(tmp_path, name, table, 3, **former), tmp_path / name)
        if name == "may":
            with ReviewSession(tmp_path / "may") as session:
                session.record([(f"things:{may.format(7)}\nthings:{may.format(8)}", "new:odd")])
        former = {"continues": str(tmp_path / "may")}
    (changes,) = facts["continued"]["changes"]
    assert (changes["kept"], changes["by_model"]) == (90, False)
    assert not [one for one in facts["warnings"] if "correction" in one or "answered" in one]
    assert [len(facts["views"][0]["given"]), facts["views"][0]["names"][-1]] == [3, "odd"]
    with ReviewSession(tmp_path / "june") as session:
        (line,) = session.record([(f"things:{may.format(9)}", "outlier")])
    assert line.id == f"things:{june.format(9)}"


def test_the_number_of_a_vanished_cluster_is_never_used_again(tmp_path, may):
    gone = clusters(may)[blobs([30, 30, 30]).index[0]]
    left = [name for name, number in clusters(may).items() if number != gone]
    frame = pd.concat([blobs([30, 30, 30]).loc[left], blobs([0, 0, 0, 0, 25], 100, seed=1)])
    facts = go_on(tmp_path, may, frame, 3, "june", comparison=True, stability_runs=2)
    assert facts["continued"]["retired"] == [int(gone)]
    assert facts["continued"]["changes"][0]["vanished"] == [int(gone)]
    assert set(clusters(tmp_path / "june").values()) == {"0", "1", "2", "3"} - {gone}
    assert check_clustering(tmp_path / "june")[1] == []
    predicted = load_model(tmp_path / "june").predict(frame, "things")
    assert predicted.tolist() == facts["views"][0]["labels"]
    # it comes back in July, after it has vanished in June
    facts = go_on(tmp_path, tmp_path / "june", pd.concat([frame, blobs([30], 200)]), 4, "july")
    assert set(clusters(tmp_path / "july").values()) == ({"0", "1", "2", "3"} - {gone}) | {"4"}
    assert facts["continued"]["retired"] == [int(gone)]
    assert facts["n_clusters"] == 5


def test_comparison_and_matches_have_the_numbers_of_the_result():
    """Where numbers have a gap, tables of held-out matches have it, too."""
    first, second, _ = two_tables()
    matches = pd.DataFrame({"a": first.index[:40], "b": second.index[:40]})
    views = {"a": first, "b": second}
    settings = {"stability_runs": 2, "matches": {("a", "b"): matches}}
    found = cluster_views(views, n_clusters=3, **settings)
    kept = found.labels["a"] != found.labels["a"].iloc[0]
    rows = {"a": first[kept.to_numpy()], "b": second[kept.to_numpy()]}
    views = {
        name: pd.concat([own, blobs([0, 0, 0, 0, 25], 100 + 50 * place, seed=place)])
        for place, (name, own) in enumerate(rows.items())
    }
    settings["matches"] = {("a", "b"): matches[matches["a"].isin(views["a"].index)]}
    after = cluster_views(views, n_clusters=3, continues=found, **settings)
    gone = int(found.labels["a"].iloc[0])
    assert after.facts["continued"]["retired"] == [gone]
    assert gone not in after.sizes().index
    assert after.probabilities["a"].idxmax(axis=1).equals(after.labels["a"].astype("int64"))
    table = np.array(after.facts["relations"][0]["held_out"]["table"])
    assert table.shape == (4, 4)
    assert not table[gone].any()
    assert after.labels["a"][rows["a"].index].equals(found.labels["a"][rows["a"].index])


def test_a_table_that_joins_by_matches_gets_the_names_and_is_not_counted(tmp_path):
    first, second, matches = two_tables()
    folder = log(tmp_path / "asked", "a:r0,new:zero", "a:r1,zero")
    write_csv(folder / "groups.csv", [["name", "members"], ["zero", "a:r0\na:r1"]])
    may = cluster_views({"a": first}, n_clusters=3, asked=str(folder), **QUICK)
    assert any(may.facts["names"])
    views = {"a": first, "b": second}
    june = cluster_views(views, n_clusters=3, matches=matches, continues=may, **QUICK)
    names = [view["names"] for view in june.facts["views"]]
    assert names == [may.facts["names"]] * 2
    (changes,) = june.facts["continued"]["changes"]
    assert (changes["views"], changes["shared"]) == (["a"], 90)
    july = cluster_views({"a": first, "c": second}, n_clusters=3, continues=june, **QUICK)
    told = f"New here: c. Only in {july.facts['continued']['former']}: b."
    said = [one for one in july.facts["warnings"] if "New" in one]
    assert said == [f"{told} A table that is the same needs its former name."]


def test_clusters_without_a_row_of_a_view_that_is_numbered_apart_are_not_listed():
    first, second, matches = two_tables()
    settings = {"n_clusters": 3, **QUICK}
    may = cluster_views({"a": first, "b": second}, matches=matches, **settings)
    second["x"] = np.random.default_rng(0).permutation(second["x"]) * 9
    june = cluster_views({"a": first, "b": second}, continues=may, **settings)
    facts = Clustering.model_validate(june.facts)
    assert max(june.labels["b"]) > max(june.labels["a"]) == 2
    listed = [one.id for one in listed_clusters(facts, facts.numbered_as_one)]
    assert listed == [f"{view}:{n}" for view in "ab" for n in np.unique(june.labels[view])]
    assert found_in_words(facts) == "3 clusters in a (90 rows) and b (90 rows)."


def answered(folder, frame):
    """Cluster a frame by answers that name two rows of each of three clusters, and an outlier."""
    lines = []
    for n, center in enumerate(CENTERS[:3]):
        one, two = frame.index[np.argsort(np.linalg.norm(frame - center, axis=1))[:2]]
        lines += [f"things:{one},new:kind {n}", f"things:{two},kind {n}"]
    asked = log(folder / "asked", *lines, f"things:{frame.index[-1]},outlier")
    cluster(job(folder, "may", frame, 3, asked=str(asked)), folder / "may")
    return asked


def test_answers_and_names_carry_over_to_the_rows_that_are_still_there(tmp_path):
    frame, may = blobs([30, 30, 30]), tmp_path / "may"
    folder = answered(tmp_path, frame)
    (gone, *_), *_ = (row["id"].split(":")[1:] for row in read_csv(folder / "asked.csv"))
    left = frame.drop(index=gone)
    facts = go_on(tmp_path, may, left, 3, "june")
    assert facts["names"] == read_facts(may).to_dict()["names"]
    assert facts["views"][0]["outliers"] == [frame.index[-1]]
    assert len(facts["views"][0]["given"]) == 5  # all but the must-link of the row that is gone
    assert "1 answered row of" in " ".join(facts["warnings"])
    # the folder of answers moves away: the result has them, if it is of this version
    elsewhere = shutil.move(folder, tmp_path / "elsewhere")
    again = go_on(tmp_path, may, left, 3, "again")
    for name in ("names", "labels"):
        assert again["views"][0][name] == facts["views"][0][name]
    (may / "answers.csv").unlink()
    with pytest.raises(DataError, match="is not there any more"):
        go_on(tmp_path, may, left, 3, "july")
    named = go_on(tmp_path, may, left, 3, "july", asked=str(elsewhere))
    assert named["names"] == facts["names"]


class Months:
    """Samples that are named anew each month, of patients whose ids stay; 6 samples were asked."""

    def __init__(self, folder):
        self.folder = folder
        self.samples, self.patients, _ = two_tables()
        points = enumerate(CENTERS[:3])
        nearest = {n: np.linalg.norm(self.samples - center, axis=1) for n, center in points}
        kinds = {n: self.samples.index[np.argsort(far)[:2]] for n, far in nearest.items()}
        self.kinds = {id: f"kind {n}" for n, ids in kinds.items() for id in ids}
        lines = [f"a:{id},{kind}" for id, kind in self.kinds.items()]
        self.asked = str(log(folder / "asked", *lines))

    def made(self, month, **values):
        """Cluster the samples of a month by the answers in a folder."""
        now = self.samples.rename(index=lambda id: f"{id}{month}")
        tables = {"a": now, "b": self.patients}
        for name, frame in tables.items():
            frame.to_csv(self.folder / f"{name}.csv", index_label="id")
        pairs = pd.DataFrame({"a": now.index, "b": self.patients.index})
        pairs.to_csv(self.folder / "a-b.csv", index=False)
        views = {name: self.folder / f"{name}.csv" for name in tables}
        options = options_of(views, {"a:b": self.folder / "a-b.csv"}, n_clusters=3, **values)
        return cluster(options, self.folder / f"made{month}")

    def cluster_names(self, facts):
        """Return the name of the cluster of each answered patient."""
        view = facts["views"][1]
        rows = [view["ids"].index(f"s{id}") for id in self.kinds]
        return [facts["names"][view["labels"][row]] for row in rows]


def test_answers_outlive_their_rows_by_those_that_these_were_matched_with(tmp_path):
    months = Months(tmp_path)
    first = next(iter(months.kinds))
    n_given = len(months.made("", asked=months.asked)["views"][0]["given"])
    for former, month in (("made", "-june"), ("made-june", "-july")):
        facts = months.made(month, continues=str(tmp_path / former))
        assert months.cluster_names(facts) == [*months.kinds.values()]
        assert len(facts["views"][0]["given"]) == n_given
        told = f"holds for rows that were matched with them, such as 'b:s{first}' for 'a:{first}'."
        assert told in " ".join(facts["warnings"])
        rows = [row["rows"].split("\n") for row in read_csv(tmp_path / f"made{month}/answers.csv")]
        assert rows[0][:2] == [f"a:{first}{month}", f"b:s{first}"]
        assert f"a:{first}" in rows[0] or month == "-june"


def test_answers_of_rows_that_are_gone_follow_no_match_that_a_review_has_refused(tmp_path):
    months = Months(tmp_path)
    first = next(iter(months.kinds))
    n_given = len(months.made("", asked=months.asked)["views"][0]["given"])
    with ReviewSession(tmp_path / "made") as session:
        session.record([(f"a:{first}\nb:s{first}", "no match")])
    facts = months.made("-june", continues=str(tmp_path / "made"))
    assert len(facts["views"][0]["given"]) < n_given
    assert "1 answered row of " in " ".join(facts["warnings"])


def test_answers_of_a_result_in_memory_follow_its_matches(tmp_path):
    months = Months(tmp_path)

    def month(suffix, **values):
        now = months.samples.rename(index=lambda id: f"{id}{suffix}")
        pairs = {("a", "b"): pd.DataFrame({"a": now.index, "b": months.patients.index})}
        views = {"a": now, "b": months.patients}
        return cluster_views(views, n_clusters=3, matches=pairs, **values, **QUICK)

    may = month("", asked=[months.asked])
    june = month("-june", continues=may)
    july = month("-july", continues=june)
    assert months.cluster_names(july.facts) == [*months.kinds.values()]
    assert len(july.facts["views"][0]["given"]) == len(may.facts["views"][0]["given"])


def test_two_folders_that_continue_each_other_in_turn_keep_the_answers_that_are_gone(tmp_path):
    frame = blobs([30, 30, 30])
    shutil.rmtree(answered(tmp_path, frame))
    for former, name in [("may", "june"), ("june", "may")] * 2 + [("may", "july")]:
        options = job(tmp_path, "again", frame, 3, continues=str(tmp_path / former))
        facts = cluster(options, tmp_path / name, fresh=True)
        assert sorted(facts["names"]) == ["kind 0", "kind 1", "kind 2"]
        assert {row["who"] for row in read_csv(tmp_path / name / "answers.csv")} == {"asked"}


@pytest.mark.parametrize("itself", [".", "../may", "../link"])
def test_a_result_that_names_itself_is_continued_by_the_answers_that_it_has(tmp_path, itself):
    (tmp_path / "link").symlink_to("may")
    frame = blobs([30, 30, 30])
    answered(tmp_path, frame)
    path = tmp_path / "may/cluster.yaml"
    path.write_text(path.read_text().replace("../asked", itself))
    for former, name in (("may", "june"), ("june", "july")):
        facts = go_on(tmp_path, tmp_path / former, frame, 3, name)
        assert sorted(facts["names"]) == ["kind 0", "kind 1", "kind 2"]
        assert {row["who"] for row in read_csv(tmp_path / name / "answers.csv")} == {"asked"}


def test_numbers_of_clusters_are_tried_with_the_answers_and_matches_of_the_former_result(tmp_path):
    options = write_problem(tmp_path, n=40, n_matches=30, judged=())
    options = asking(options, answer_truly(tmp_path)[0])
    cluster(options, tmp_path / "may")
    wrong = matches(tmp_path)[-1]
    with ReviewSession(tmp_path / "may") as session:
        session.record([("\n".join(f"view{n}:{row}" for n, row in enumerate(wrong)), "no match")])

    def tried(name, options):
        return try_numbers(load_job(None, options), range(3, 4), tmp_path / name)

    again = [option for option in options if option[0] != ("asked",)]
    found = tried("continued", with_values(again, continues=str(tmp_path / "may")))
    left = [["view0", "view1"], *map(list, matches(tmp_path)[:-1])]
    write_csv(tmp_path / "view0-view1.csv", left)
    assert found == tried("given", options)


def test_answers_are_about_the_objects_that_corrected_matches_leave(tmp_path):
    views = {"a": blobs([30, 30, 30]), "b": blobs([30, 30, 30])}
    matches = {("a", "b"): [*((n, n) for n in range(40)), (41, 0)]}

    def clustered(*folders, **more):
        asked = {"asked": tuple(map(str, folders))} if folders else {}
        return cluster_views(views, n_clusters=3, matches=matches, **QUICK, **asked, **more)

    before = clustered().match({"a": "r41", "b": "r0"}, same=False)
    anna, ben = log(tmp_path / "anna", "a:r0,new:one"), log(tmp_path / "ben", "a:r41,new:two")
    after = clustered(anna, ben, continues=before)
    assert not after.facts["together"]["disputed"]
    log(anna, "a:r0,outlier")
    after = clustered(anna, continues=before)
    assert after.facts["views"][0]["outliers"] == after.facts["views"][1]["outliers"] == ["r0"]
    left_out = clustered(anna)
    assert left_out.facts["views"][0]["outliers"] == ["r0", "r41"]


def edit_labels(folder):
    path = folder / "things" / "labels.csv"
    path.write_text(path.read_text().replace("r5,", "r5000,"))


def cut_model(folder):
    (folder / "model.skops").write_bytes((folder / "model.skops").read_bytes()[:-9])


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (edit_labels, "things/labels.csv: it is missing, or is not what clustering.json says"),
        (cut_model, "model.skops: "),
        (lambda folder: (folder / "cluster.yaml").unlink(), "cluster.yaml: it is missing"),
        (shutil.rmtree, "holds no clustering"),
    ],
)
def test_a_folder_that_is_damaged_changed_or_gone_is_refused(tmp_path, may, harm, message):
    harm(may)
    with pytest.raises(StoreError, match=message) as error:
        go_on(tmp_path, may, blobs([30, 30, 30]), 3, "june")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "june").exists()


@pytest.mark.parametrize(("name", "column", "error", "message"), [
    ("people", "y", StoreError, r"things, and none of them is .*the tables their former names\.$"),
    ("things", "z", DataError, "no row is in both, and things has no number column 'y'"),
    ("things", "y", DataError, "no row is in both, and things has rows with missing values"),
])  # fmt: skip
def test_a_folder_of_other_views_or_columns_is_refused(may, name, column, error, message):
    later = blobs([30, 30, 30], 500).rename(columns={"y": column})
    later.iloc[7, 0] = np.nan
    with pytest.raises(error, match=message):
        cluster_views({name: later}, n_clusters=3, continues=may)


@pytest.mark.parametrize("out", ["may", "may/june"])
def test_nothing_is_written_into_the_former_folder(tmp_path, may, out):
    options = job(tmp_path, "june", blobs([30, 30, 30]), 3, continues=str(may))
    before = outputs(may, *ENDINGS)
    with pytest.raises(MvccError, match=r"which is read|lies in"):
        cluster(options, tmp_path / out, fresh=True)
    assert outputs(may, *ENDINGS) == before


def test_a_former_result_of_another_type_is_refused():
    with pytest.raises(ConfigError, match="continues"):
        cluster_views({"things": blobs([9, 9])}, n_clusters=2, continues="")
