"""Corrections of a result in its folder: stored at once, all that follows from them is written."""

import json
import os
import random
import re
import shutil
import signal
from contextlib import nullcontext
from functools import partial
from itertools import count

import pytest

from mvcc import load_model
from mvcc._utils import files
from mvcc.exceptions import MvccError, StoreError
from mvcc.multiview import Answer
from mvcc.results import Clustering, left_out_in_words, parse_facts, read_facts
from mvcc.tables import (
    ReviewSession,
    check_clustering,
    cluster_job,
    compare_clusterings,
    export_tables,
    load_job,
    record_table,
)
from mvcc.tables.asking import _pages, _review
from mvcc.tables.asking._pages import ReviewPage
from mvcc.tables.correcting import _corrected
from mvcc.tables.correcting._corrected import Reviewed
from mvcc.tables.correcting._draft import Draft
from mvcc.tables.reading._read_inputs import read_inputs
from tests.crashes import steps
from tests.tables.problems import (
    cluster,
    continuing,
    outputs,
    read_csv,
    with_pairs,
    with_values,
    with_wrong_matches,
    write_problem,
)

ALL = (".csv", ".json", ".yaml", ".skops", ".html")
SAID = [
    ("0", "rename:the first"),
    ("1", "merge:2"),
    ("view0:a3", "0"),
    ("2", "split"),
    ("view0:a5\nview0:a6", "new:two of them"),
    ("view1:b7", "outlier"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    options = write_problem(folder, n=40, n_matches=25, judged=())
    cluster(with_values(options, n_clusters=3, stability_runs=2), folder / "results")
    return folder


@pytest.fixture
def results(made, tmp_path):
    """Return a folder with a result, whose tables are where its config looks for them."""
    shutil.copytree(made, tmp_path / "made")
    return tmp_path / "made" / "results"


@pytest.fixture
def session(results):
    with ReviewSession(results) as session:
        yield session


def ids_of(facts, pair):
    """Return both rows of a match as "view:id"."""
    return [f"{view.name}:{view.ids[row]}" for view, row in zip(facts.views, pair, strict=False)]


def names(rows):
    return {f"{row['view']}:{row['id']}" for row in rows}


def unmatched(facts):
    """Return the number of a row of the first view without a match."""
    return min({*range(40)} - {pair.i for pair in facts.relations[0].pairs})


def labels(folder):
    return {
        f"{view.name}:{row['id']}": int(row["cluster"])
        for view in read_facts(folder).views
        for row in read_csv(folder / view.name / "labels.csv")
    }


def test_what_is_corrected_is_in_all_files_and_undone_to_the_byte(results):
    before, facts = outputs(results, *ALL), read_facts(results)
    with ReviewSession(results) as session:
        session.record(SAID)
        left_out = [f"{view.name}:{id}" for view in session.facts.views for id in view.outliers]
        inside = {one["id"]: one["cluster"] for one in session.entries(lambda *row: True)}
        assert labels(results) == inside | dict.fromkeys(left_out, -1)
    assert check_clustering(results)[1:] == ([], [])
    after = read_facts(results)
    first = "Cluster 0 is now called the first.", "Cluster 1 was merged into 2."
    assert after.corrected.sentences[:2] == first
    assert after.clusters == [0, 2, 3, 4]
    assert after.titles[4] == "two of them"
    assert all(text in (results / "report.html").read_text() for text in after.corrected.sentences)
    new = read_csv(results.parent / "view0.csv")
    predicted = load_model(results).predict([[row[c] for c in "xyz"] for row in new], "view0")
    assert set(predicted) <= {0, 2}
    exported = map(read_csv, export_tables(results, results.parent / "exported"))
    assert "two of them" in {row["cluster_name"] for rows in exported for row in rows}
    with ReviewSession(results) as session:
        for _ in SAID:
            session.record([("", "undo")])
        assert session.facts == facts
    again = outputs(results, *ALL)
    assert again.keys() - before.keys() == {"corrections.csv", "found.json"}
    assert before.items() <= again.items()
    assert len(read_csv(results / "corrections.csv")) == 2 * len(SAID)


def test_of_many_corrections_at_once_the_facts_are_made_once(results, monkeypatch):
    facts_of, made = _corrected._Rewriting.facts, []
    monkeypatch.setattr(
        _corrected._Rewriting, "facts", lambda *given: made.append(1) or facts_of(*given)
    )
    with ReviewSession(results) as session:
        session.record(SAID)
    assert len(made) == 1


def test_violated_constraints_are_listed_as_the_clusters_are_now(tmp_path):
    pairs = [["a1", "a2", "must-link"], ["a2", "a3", "must-link"], ["a1", "a3", "cannot-link"]]
    lines = {frozenset(pair): f"line {n} of pairs.csv" for n, (*pair, _) in enumerate(pairs, 2)}
    options = with_values(write_problem(tmp_path, judged=()), on_conflict="drop")
    cluster(with_pairs(options, tmp_path / "pairs.csv", *pairs), tmp_path / "out")
    with ReviewSession(tmp_path / "out") as session:
        for answers in ([], [("view0:a1\nview0:a2", "0"), ("view0:a3", "1")]):
            session.record(answers)
            told, now = ReviewPage(session).now()["violated"], labels(session.folder)
            # a correction ends the note on what was found
            assert any("violated" in note for note in session.facts.warnings) == (not answers)
            assert told["n"] == len(told["rows"]) > 0
            for one in told["rows"]:
                rows = one["id"].split("\n")
                assert one["clusters"] == [now[row] for row in rows]
                assert (one["clusters"][0] == one["clusters"][1]) != one["must_link"]
                assert one["source"] == lines[frozenset(row[6:] for row in rows)]
        assert [one["source"] for one in told["rows"]] == ["line 3 of pairs.csv"]


def test_matches_are_listed_while_they_seem_wrong_and_again_after_an_undo(tmp_path, monkeypatch):
    options = write_problem(tmp_path, n=260, n_matches=200, judged=())
    out = tmp_path / "out"
    with_wrong_matches(tmp_path / "view0-view1.csv")
    cluster(options, out)
    before = outputs(out, *ALL)
    with ReviewSession(out) as session:
        doubted = [one["id"] for one in session.doubted_matches()]
        monkeypatch.setattr(_pages, "_MOST_LISTED", 2)
        told = ReviewPage(session).now()["matches"]
        assert (told["n"], [one["id"] for one in told["rows"]]) == (len(doubted), doubted[:2])
        session.record([(id, "match") for id in doubted[1:]])
        assert len(read_csv(out / "view1/suspicious.csv")) == 1
        session.record([(doubted[0], "match")])
    cluster_job(continuing(out), tmp_path / "again")
    for folder in (out, tmp_path / "again"):
        listed = [read_csv(folder / name / "suspicious.csv") for name in ("view0", "view1")]
        assert listed == [[], []]
        assert check_clustering(folder)[1] == []
    with ReviewSession(out) as session:
        session.record([("", "undo")] * len(doubted))
    assert check_clustering(out)[1] == []
    assert before.items() <= outputs(out, *ALL).items()


def test_a_match_that_a_correction_made_is_not_listed_once_that_is_undone(results):
    """A result made anew has taken it over, and it seems wrong, but no file has it."""
    found = read_facts(results)
    pairs = found.relations[0].pairs
    given = pairs[0]
    other = next((given.i, j) for j in range(40) if (given.i, j) not in pairs)
    seem_wrong = [[*given, 0.9, False], [*other, 1.0, False], [*other, 1.0, True]]
    told = found.to_dict()
    told["relations"][0]["suspicious"] = seem_wrong
    told["warnings"] = [left_out_in_words("view0", "view1", 1)]
    facts = Reviewed(Draft(parse_facts(told)), []).facts
    assert [list(one) for one in facts.relations[0].suspicious] == seem_wrong[:1]
    assert facts.warnings == ()


def test_matches_that_were_left_out_are_settled_either_way(results, monkeypatch):
    told = read_facts(results).to_dict()
    right, wrong = told["relations"][0]["pairs"][:2]
    told["relations"][0]["suspicious"] = [[*right, 1.0, True], [*wrong, 0.9, True]]
    two = "2 matches of view0 and view1 seem to be wrong and were left out; see the report."
    told["warnings"] = [two, "view0: a blank line."]
    monkeypatch.setattr(_review, "read_found", lambda folder: parse_facts(told))
    with ReviewSession(results) as session:
        doubted = session.doubted_matches()
        session.record([(doubted[0]["id"], "match")])
        one, other = session.facts.warnings
        assert (one[:13], other) == ("1 match of vi", "view0: a blank line.")
        session.record([(doubted[1]["id"], "no match")])
        assert session.doubted_matches() == []
        assert session.facts.warnings == ("view0: a blank line.",)
        pairs = [list(pair) for pair in session.facts.relations[0].pairs]
        assert right in pairs
        assert wrong not in pairs
        session.record([("", "undo")] * 2)
        assert session.doubted_matches() == doubted


def test_a_clustering_that_continues_it_is_corrected_in_the_same_way_and_so_is_the_next(results):
    with ReviewSession(results) as session:
        session.record(SAID)
    for name, former in (("june", results), ("july", results.parent / "june")):
        cluster_job(continuing(former).model_copy(update={"seed": 3}), results.parent / name)
        assert labels(results.parent / name) == labels(results)
        assert not compare_clusterings(results, results.parent / name)["views"][0]["moved"]
    with ReviewSession(results.parent / "july") as session:
        session.record([("", "undo")])
        assert session.facts.corrections == list(read_facts(results).corrected.sentences[:-1])
    with pytest.raises(StoreError, match=r"results has been corrected .* with --continue"):
        cluster_job(load_job(results / "cluster.yaml"), results, fresh=True)


def test_no_cluster_is_named_after_a_column_that_may_be_labels_once_one_is_corrected(tmp_path):
    options = write_problem(tmp_path, n=40, n_matches=25, judged=(), noise=0.2)
    options = [option for option in options if option[0][2:] != ("labels_column",)]
    facts = cluster(with_values(options, n_clusters=3), tmp_path / "results")
    assert "may be a label" in facts["views"][0]["columns"][1]["note"]
    with ReviewSession(tmp_path / "results") as session:
        session.record([("0", "rename:the first")])
        assert session.facts.titles == ("the first", *facts["titles"][1:])


def test_a_table_of_corrections_may_be_in_the_encoding_of_excel(results, tmp_path):
    table, notes = tmp_path / "said.csv", list[str]()
    table.write_bytes("id;answer\r\n0;rename:Möbel\r\n".encode("cp1252"))
    with ReviewSession(results, notes.append) as session:
        assert [line.answer for line in record_table(session, table)] == ["rename:Möbel"]
    assert [note.split(" If ")[0] for note in notes] == [
        f"{table}: the file is not UTF-8 and was read as Windows-1252, as Excel writes CSV."
    ]


def test_a_table_of_corrections_is_recorded_as_a_whole_or_not_at_all(results, tmp_path):
    table = tmp_path / "said.csv"
    table.write_text('id,answer\n0,merge:1\n"view0:a1\nview0:a2",2\nview0:a99,2\n')
    before = outputs(results, *ALL)
    with ReviewSession(results) as session:
        with pytest.raises(MvccError, match=r"said\.csv:5: view0 has no row with the id 'a99'"):
            record_table(session, table)
        assert outputs(results, *ALL) == before
        table.write_text(table.read_text().replace("a99", "a9"))
        assert [line.answer for line in record_table(session, table)] == ["merge:1", "2", "2"]
        document = session.document(3)
    assert [one["cluster"] for one in document["clusters"]] == [1, 2]
    assert len(document["corrections"]) == 3
    json.dumps(document)


@pytest.mark.parametrize(("lines", "message", "holds"), [
    ([("{pair}", "match"), ("{riap}", "no match")], "'no match' here, and 'match' above",
     "{one} and {other} are not the same."),
    ([("view0:a1\nview0:a2", "1"), ("view0:a2", "0")], "view0:a2: the answer is '0' here, and",
     "view0:a2 was moved to 0."),
    ([("view0:a1", "1"), ("view0:a1", "outlier"), ("", "undo")], "'outlier' here, and '1'",
     "view0:a1 was left out."),
    ([("{one}", "1"), ("{other}", "0")], "{one}: the answer is '0' here, and '1' above",
     "{other} was moved to 0."),
])  # fmt: skip
def test_corrections_of_one_table_may_not_contradict_but_of_two_the_later_holds(
    session, lines, message, holds
):
    one, other = ids_of(session.facts, session.facts.relations[0].pairs[0])
    names = {"pair": f"{one}\n{other}", "riap": f"{other}\n{one}", "one": one, "other": other}
    said = [(id.format(**names), answer) for id, answer in lines]
    with pytest.raises(MvccError, match=message.format(**names)):
        session.record(said)
    assert session.facts.corrections == []
    for line in said[:2]:
        session.record([line])
    assert session.facts.corrections[1:] == [holds.format(**names)]


def test_two_words_for_one_cluster_do_not_contradict_each_other(session):
    first, second = ids_of(session.facts, session.facts.relations[0].pairs[0])
    session.record([("0", "rename:dishes"), (first, "0"), (first, "dishes"), ("", "undo")])
    session.record([(first, "new:pans"), (second, "pans")])
    session.record([(first, "0"), (f"{first}\n{second}", "no match"), (second, "1")])
    assert [labels(session.folder)[row] for row in (first, second)] == [0, 1]


def test_an_interrupt_before_a_table_of_corrections_is_stored_leaves_nothing(results, monkeypatch):
    before = sorted(results.rglob("*"))

    def interrupted(*given):
        raise KeyboardInterrupt

    with ReviewSession(results) as session, monkeypatch.context() as context:
        context.setattr(_corrected._Rewriting, "facts", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.record(SAID[:2])
    assert sorted(results.rglob("*")) == before


def test_a_clustering_that_came_while_the_former_one_was_read_is_kept(results, monkeypatch):
    job, read = load_job(results / "cluster.yaml"), ReviewSession._read

    def read_slowly(session):
        inputs = read(session)
        cluster_job(job.model_copy(update={"n_clusters": 2}), results, fresh=True)
        return inputs

    monkeypatch.setattr(ReviewSession, "_read", read_slowly)
    with pytest.raises(StoreError, match=r"results was clustered anew meanwhile\. Run the command"):
        ReviewSession(results).__enter__()
    assert {*read_facts(results).views[0].labels} == {0, 1}


def test_the_page_shows_clusters_rows_that_are_unsure_first_and_how_a_cluster_may_be_split(session):
    page, now = ReviewPage(session), labels(session.folder)
    state = page.now()
    titles = dict(enumerate(session.facts.titles))
    for number, shown in enumerate(state["clusters"]):
        id, own = str(number), {row for row, label in now.items() if label == number}
        assert (shown["cluster"], shown["name"]) == (number, titles[number])
        assert sum(one["size"] for one in shown["rows"].values()) == len(own)
        typical = [row for one in shown["rows"].values() for row in one["typical"]]
        assert len(typical) == 4
        assert names(state["shown"][row] for row in typical) == {*typical} < own
        rows = page.rows(id)
        assert (rows["n"], names(rows["rows"])) == (len(own), own)
        parts = page.parts(id)["parts"]
        assert sum(part["n"] for part in parts) == len(own)
        assert all(names(part["rows"]) < own for part in parts)
    doubts = [one["id"] for one in session.doubts()]
    assert len(doubts) == sum(state[kind]["n"] for kind in ("between", "nowhere")) > 0
    for kind in ("between", "nowhere"):
        assert all(one["second"] in titles for one in state[kind]["rows"])
    number = str(now[doubts[-1]])
    unsure = [row for row in doubts if str(now[row]) == number]
    first = page.rows(number)["rows"][: len(unsure)]
    assert [f"{row['view']}:{row['id']}" for row in first] == unsure
    with pytest.raises(MvccError, match="nope"):
        page.rows("nope:0")
    page.answer("0", "rename:the first", again=False)
    assert page.now()["clusters"][0]["name"] == "the first"


def test_a_row_is_found_by_its_id_or_title_with_its_cluster_and_matches(session):
    page, pair = ReviewPage(session), ids_of(session.facts, session.facts.relations[0].pairs[0])
    row, id = pair[0], pair[0].partition(":")[2]
    for text in (row, id, f" {id} "):
        found = page.find(text)
        assert (found["n"], found["rows"][0]["cluster"]) == (1, labels(session.folder)[row])
        assert found["matches"]["rows"] == [{"id": "\n".join(pair), "used": True}]
        assert names(found["shown"].values()) == {*pair}
    page.answer(row, "outlier", again=False)
    assert page.find(id)["rows"] == [{"id": row, "cluster": None}]
    table = session._inputs.tables[1]
    table.shown["name"] = ["Ä  jar <b>", *["a bowl"] * 39]
    assert [row["id"] for row in page.find("ä jar")["rows"]] == [f"view1:{table.ids[0]}"]
    assert page.find("A bo")["n"] == 39
    for text, guess in (("A-3", "'a3'"), ("view1:B 3", "'b3'"), ("view9:x", ""), ("", "")):
        with pytest.raises(MvccError, match=f"o row .*{guess}"):
            page.find(text)


def test_lines_that_are_read_again_keep_their_times_and_a_wrong_one_is_named(results):
    log = results / "corrections.csv"
    log.write_text("id,answer,when\n0,rename:first,in May\n")
    with ReviewSession(results) as session:
        session.record([("1", "rename:second")])
    assert read_csv(log)[0]["when"] == "in May"
    log.write_text("id,answer,when\n0,rename:first,in May\n,undo,in May\n,undo,in May\n")
    with pytest.raises(StoreError, match=r"corrections\.csv:4: "), ReviewSession(results):
        pass


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("view0/labels.csv", r"labels\.csv is not replaced: it was changed since"),
        ("report.html", r"report\.html is not replaced: it was changed since"),
        ("clustering.json", "cannot be read"),
        ("corrections.csv", r"corrections\.csv:1: the columns must be id,answer,when"),
        ("../view0.csv", r"view0\.csv has changed since it was clustered"),
    ],
)
def test_a_folder_that_somebody_changed_is_refused_and_left_alone(results, change, message):
    with open(results / change, "a") as file:
        file.write("changed\n")
    before = outputs(results, *ALL)
    with pytest.raises(MvccError, match=message), ReviewSession(results):
        pass
    assert outputs(results, *ALL) == before


@pytest.mark.parametrize("corrected", [False, True])
def test_a_copy_without_hidden_files_is_corrected_unless_it_was_changed(results, corrected):
    if corrected:
        with ReviewSession(results) as session:
            session.record(SAID[:1])
    (results / ".mvcc-files").unlink()
    with open(results / "view0/labels.csv", "a") as file:
        file.write("changed\n")
    refused = r"labels\.csv is not replaced: mvcc did not write it\. Restore it; labels and .* away"
    with pytest.raises(StoreError, match=refused), ReviewSession(results):
        pass
    (results / "view0/labels.csv").unlink()
    with ReviewSession(results) as session:
        session.record([("1", "rename:second")])
    assert check_clustering(results)[1:] == ([], [])


def test_ids_with_a_line_break_are_refused(tmp_path):
    options, table = write_problem(tmp_path, judged=()), tmp_path / "view1.csv"
    table.write_text(table.read_text().replace("\nb3,", '\n"b\n3",'))
    cluster(with_values(options, unknown="skip"), tmp_path / "results")
    message = r"view1\.csv: the id 'b\\n3' contains a line break; rename"
    with pytest.raises(MvccError, match=message):
        ReviewSession(tmp_path / "results")


def test_a_folder_that_was_moved_is_corrected_if_its_tables_are_found(results, tmp_path):
    with ReviewSession(results) as session:
        session.record(SAID[:1])
    shutil.move(results, tmp_path / "elsewhere")
    with pytest.raises(MvccError, match=r"elsewhere was moved, correct its cluster\.yaml"):
        ReviewSession(tmp_path / "elsewhere")
    shutil.move(tmp_path / "made", tmp_path / "all")
    shutil.move(tmp_path / "elsewhere", tmp_path / "all/other")
    with ReviewSession(tmp_path / "all/other") as session:
        assert session.facts.corrections == ["Cluster 0 is now called the first."]


def test_lines_that_name_nothing_stay_in_the_log_without_effect(results):
    (results / "corrections.csv").write_text(
        "id,answer,when\nview0:gone,1,now\n9,merge:0,now\n0,rename:first,now\n8,merge:0,now\n"
    )
    notes = []
    with ReviewSession(results, notes.append) as session:
        assert session.facts.corrections == ["Cluster 0 is now called first."]
        (warning,) = (one for one in session.facts.warnings if "they have no effect" in one)
        assert warning.startswith("3 corrections and 1 row of corrections name what is not in")
    with ReviewSession(results, notes.append) as session:
        assert notes == [f"{results / 'corrections.csv'}: {warning}"]  # told once
        page = ReviewPage(session)
        told = [page.answer("", "undo", again=False)["told"]["said"] for _ in range(3)]
    nothing = "Taken back: a correction without effect."
    assert told == [nothing, "Taken back: Cluster 0 is now called first.", nothing]
    assert len(read_csv(results / "corrections.csv")) == 7


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_a_log_of_corrections_whose_line_ends_were_changed_says_the_same(results, end):
    facts = read_facts(results)
    rows = "\n".join(ids_of(facts, facts.relations[0].pairs[0]))
    with ReviewSession(results) as session:
        session.record([*SAID, (rows, "no match")])
    log, before = results / "corrections.csv", outputs(results, *ALL)
    changed = log.read_bytes().replace(b"\n", end)
    log.write_bytes(changed)
    assert check_clustering(results)[1:] == ([], [])
    with ReviewSession(results):
        assert outputs(results, *ALL) == before | {"corrections.csv": changed}


def full(handle):
    raise OSError(28, "No space left on device")


def test_on_a_full_disk_a_correction_was_not_made(results, session, monkeypatch):
    session.record(SAID[:1])
    before = outputs(results, *ALL)
    with monkeypatch.context() as context:
        context.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match=r"What corrections\.csv holds is kept; run the same"):
            session.record(SAID[1:])
    assert outputs(results, *ALL) == before
    assert len(session.facts.corrections) == 1
    session.record(SAID[1:])


@pytest.mark.parametrize("later", ["append_line", "move"])
def test_a_correction_in_the_log_need_not_be_said_again(results, session, monkeypatch, later):
    """All that needs room comes before the log, whatever else may fail after it."""

    def last(source, target, move=files.move):
        move(source, target)
        if target.name == "corrections.csv":
            context.setattr(files, later, lambda path, _: full(path))

    message = r"labels\.csv cannot .* corrections\.csv has all that was said: do not repeat it"
    with monkeypatch.context() as context:
        context.setattr(files, "move", last)
        fails = later == "move"
        with pytest.raises(StoreError, match=message) if fails else nullcontext():
            session.record(SAID)
    session.__exit__()
    with ReviewSession(results) as again:
        assert len(again.facts.corrections) == len(SAID)


def test_pictures_stay_with_their_rows(results):
    facts = read_facts(results).to_dict()
    pictures = {row: f"data:image/png;base64,{row}" for row in (3, 5, 9)}
    facts["views"][0]["pictures"] = list(map(list, pictures.items()))
    ids = facts["views"][0]["ids"]
    tables = read_inputs(load_job(results / "cluster.yaml")).tables
    reviewed = Reviewed(Draft(Clustering.model_validate(facts)), tables)
    for row in (0, 5):
        reviewed = reviewed.extended(Answer(f"view0:{ids[row]}", "outlier"))
    view = reviewed.facts.views[0]
    left = {ids[row]: pictures[row] for row in (3, 9)}
    assert {view.ids[one.row]: one.source for one in view.pictures} == left


def test_of_views_numbered_apart_a_merge_holds_for_new_rows_and_second_choices(tmp_path):
    options = write_problem(tmp_path, n=40, pairs=(), judged=())
    cluster(with_values(options, n_clusters=3), tmp_path / "results")
    with ReviewSession(tmp_path / "results") as session:
        session.record([("view0:1", "merge:0")])
        first, second = session.facts.views
        assert session.facts.corrections == ["Cluster view0:1 was merged into view0:0."]
        listed = [(one["cluster"], [*one["rows"]]) for one in session.document(9)["clusters"]]
    assert set(first.labels) == {0, 2}
    assert set(first.second) <= {0, 2}
    assert set(second.labels) == {0, 1, 2}
    apart = [("view0", 0), ("view0", 2), ("view1", 0), ("view1", 1), ("view1", 2)]
    assert listed == [(f"{view}:{number}", [view]) for view, number in apart]
    model = load_model(tmp_path / "results")
    rows = [[float(row[name]) for name in "xyz"] for row in read_csv(tmp_path / "view0.csv")]
    assert set(model.predict(rows, "view0").tolist()) == {0, 2}


def test_warnings_of_clusters_that_a_correction_changed_are_dropped(session):
    facts = session.facts
    views = [
        view.model_copy(update={"cautions": (f"{view.name}: one cluster has 40 % of all rows.",)})
        for view in facts.views
    ]
    dropped, kept = (view.cautions[0] for view in views)
    warnings = (dropped, "view0: a blank line.", kept)
    found = facts.model_copy(update={"views": tuple(views), "warnings": warnings})
    reviewed = Reviewed(Draft(found), session._used.tables)
    renamed = reviewed.extended(Answer("0", "rename:x"))
    assert renamed.facts.warnings == found.warnings
    row = unmatched(facts)
    other = str((facts.views[0].labels[row] + 1) % 3)
    moved = renamed.extended(Answer(*ids_of(facts, [row]), other))
    assert moved.facts.warnings == warnings[1:]


def test_the_warning_on_a_name_follows_and_ends_once_the_cluster_is_renamed(session, monkeypatch):
    told = session.facts.to_dict()
    told["views"][0]["names"] = told["names"] = ["wool", "", ""]
    told["warnings"] = ["'wool' is not of 1, 2."]

    def misnamed(view, names, profiles):
        others = [n for n in (1, 2) if profiles[n]["size"]]
        return {0: f"'wool' is not of {str(others)[1:-1]}."} if "wool" in names else {}

    monkeypatch.setattr(_corrected, "misnamed", misnamed)
    reviewed = Reviewed(Draft(parse_facts(told)), session._used.tables)
    other = reviewed.extended(Answer("1", "rename:oak"))
    assert list(other.facts.warnings) == told["warnings"]
    merged = other.extended(Answer("1", "merge:2"))
    assert merged.facts.warnings == ("'wool' is not of 2.",)
    assert other.extended(Answer("0", "rename:chairs")).facts.warnings == ()


def test_a_second_choice_without_rows_is_not_known(session):
    chosen = max(session.facts.views[0].second)
    rows = [row for row, label in labels(session.folder).items() if label == chosen]
    session.record([("\n".join(rows), "new:all of one")])
    for view in session.facts.views:
        assert chosen not in {*view.labels, *view.second}


def test_a_move_without_effect_settles_no_dispute(session):
    draft = Draft.of(session.facts, (Answer("view0:a3", "nobody"),))
    assert draft.lost == [
        "1 correction names what is not in these tables, clusters or matches; it has no effect."
    ]
    assert draft.decided_cluster(["view0:a3"]) is None


def test_a_number_of_a_cluster_that_is_the_name_of_another_one_is_refused(results):
    facts = read_facts(results).to_dict()
    for view in facts["views"]:
        view["names"] = ["first", "2", "third"]  # as groups of questions may be called
    draft = Draft(Clustering.model_validate(facts))
    for line in (Answer("2", "merge:0"), Answer("view0:a3", "2"), Answer("0", "merge:2")):
        with pytest.raises(MvccError, match="'2' is the number of a cluster, and the name of clus"):
            draft.correct(line)
    assert draft.correct(Answer("view0:2", "rename:fourth")).id == "2"
    stored = (Answer("2", "rename:fourth"), Answer("2", "rename:last"))
    draft = Draft.of(draft.found, stored)
    draft.correct(Answer("1", "rename:second"))
    assert draft.correct(Answer("view0:a3", "2")).answer == "2"
    assert draft.names[0] == ["first", "second", "last"]


@pytest.mark.parametrize(
    ("id", "answer", "message"),
    [
        ("0", "rename:split", "'split' must not be the name"),
        ("0", "rename:view0:2", "'view0:2' must not be the name"),
        ("view0:a1", "split:x", "'split:x' has no number of a cluster"),
        ("view0:a1", "split:4:x", "The next cluster is 3, not 4"),
    ],
)
def test_a_name_or_number_that_would_be_another_one_is_refused(session, id, answer, message):
    with pytest.raises(MvccError, match=message):
        session.record([(id, answer)])


@pytest.mark.slow
@pytest.mark.parametrize("stride", [6, pytest.param(1, marks=pytest.mark.reliability)])
def test_killed_at_any_step_it_has_all_corrections_or_none(made, tmp_path, tried, stride):
    def interrupted(step, results):
        with ReviewSession(results) as session:
            steps.killed(step, results)
            session.record(SAID)

    ends = []
    for step in count(1, stride):
        shutil.copytree(made, tmp_path / str(step))
        results = tmp_path / str(step) / "results"
        ends.append(steps.in_child(partial(interrupted, step, results), tmp_path / "log"))
        with ReviewSession(results) as session:
            assert len(session.facts.corrections) in (0, len(SAID))
        assert check_clustering(results)[1:] == ([], [])
        assert not list(results.rglob(".*.part"))
        if not ends[-1]:
            break
    assert ends[-1] == 0
    assert set(ends[:-1]) == {-signal.SIGKILL}
    assert len(session.facts.corrections) == len(SAID)
    tried("corrections of a result killed at a step", len(ends) - 1)


@pytest.mark.parametrize("before", [[], [("view1:b7", "outlier")]])
@pytest.mark.parametrize("said", [SAID, SAID[:1], [("view0:a3", "0"), ("", "undo"), SAID[0]]])
def test_facts_behind_the_log_are_named_until_a_review_writes_them(results, before, said):
    with ReviewSession(results) as session:
        session.record(before)
        stored = (results / "clustering.json").read_bytes()
        session.record([("", "undo")] * len(before) + said)
    after = outputs(results, *ALL)
    (results / "clustering.json").write_bytes(stored)  # it comes last, and a kill was before it
    problem = "corrections.csv: clustering.json does not follow from it."
    assert problem in check_clustering(results)[1]
    with pytest.raises(StoreError, match=r"cannot be continued: .* --json finishes its work"):
        cluster_job(continuing(results), results.parent / "june")
    with ReviewSession(results):
        assert outputs(results, *ALL) == after
    assert check_clustering(results)[1:] == ([], [])


@pytest.mark.parametrize(
    ("n_lines", "lost", "them"),
    [(0, "2 corrections", "them"), (1, "2 corrections", "them"), (2, "1 correction", "it")],
)
def test_corrections_that_the_log_lost_are_never_dropped_in_silence(results, n_lines, lost, them):
    notes, log = [], results / "corrections.csv"
    before = [read_facts(results)] * 2
    with ReviewSession(results) as session:
        session.record(SAID[:1])
        before.append(session.facts)
        session.record([*SAID[2:3], ("", "undo"), *SAID[1:2]])
    lines = log.read_text().splitlines(keepends=True)[:n_lines]
    log.unlink()
    if lines:
        log.write_text("".join(lines))
    problem = f"it lacks {lost} of clustering.json. Restore it, or `mvcc review` drops {them}."
    assert check_clustering(results)[1] == [f"corrections.csv: {problem}"]
    refused = rf"cannot be continued: corrections\.csv: it lacks {lost}"
    with pytest.raises(StoreError, match=refused):
        cluster_job(continuing(results), results.parent / "june")
    with ReviewSession(results, notes.append) as session:
        assert session.facts == read_facts(results) == before[n_lines]
    assert notes == [f"{log} does not have {lost} of clustering.json any more; dropped."]
    assert check_clustering(results)[1:] == ([], [])


def test_without_the_clusters_as_they_were_found_nothing_is_corrected_twice(results):
    with ReviewSession(results) as session:
        session.record(SAID)
    (results / "found.json").unlink()
    before, missing = outputs(results, *ALL), r"found\.json, .* is missing\. Restore it"
    _, (problem,), notes = check_clustering(results)
    assert re.search(missing, problem)
    assert notes == []
    with pytest.raises(StoreError, match=missing):
        ReviewSession(results)
    assert outputs(results, *ALL) == before


# ---- corrections in any order: each is made or refused, and the log gives the same result again


N = 40
RESULTS = {"connected": {}, "unconnected": {"matches": {}}, "co-EM": {"method": "co-em"}}


def any_line(rng, session):
    """Draw a correction, of which some name what there is no longer."""
    view = rng.choice(["view0:a", "view1:b"])
    rows = "\n".join(f"{view}{rng.randrange(N)}" for _ in range(rng.choice([1, 1, 2, 12])))
    cluster, other = (rng.randrange(session.facts.n_clusters) for _ in range(2))
    alike = len(session.facts.numbered_alike) == 1
    named = str(cluster) if alike else f"{view[:5]}:{cluster}"
    two = f"view0:a{rng.randrange(N)}\nview1:b{rng.randrange(N)}"
    of_cluster = [f"rename:{rng.choice('pqr')}", f"merge:{other}", "split"]
    of_rows = [str(other), f"new:{rng.choice('xyz')}", "outlier"]
    answers = {named: of_cluster, rows: of_rows, two: ["match", "no match"], "": ["undo"]}
    return rng.choice([(id, answer) for id, own in answers.items() for answer in own])


@pytest.mark.parametrize("kind", RESULTS)
@pytest.mark.parametrize(
    "n_logs",
    [pytest.param(10, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.reliability)],
)
def test_corrections_in_any_order(tmp_path, tried, kind, n_logs):
    options = write_problem(tmp_path / "given", n=N, n_matches=25, judged=())
    changed = with_values(options, n_clusters=3, stability_runs=2, **RESULTS[kind])
    cluster(changed, tmp_path / "given/results")
    n_made = 0
    for number in range(n_logs):
        results = tmp_path / "made" / "results"
        shutil.copytree(tmp_path / "given", results.parent)
        rng = random.Random(number)
        with ReviewSession(results) as session:
            for _ in range(rng.randint(1, 12)):
                try:
                    session.record([any_line(rng, session)])
                except MvccError:
                    continue
                n_made += 1
        with ReviewSession(results) as again:
            assert again.facts == session.facts
        assert check_clustering(results)[1:] == ([], [])
        shutil.rmtree(results.parent)
    assert n_made > n_logs
    tried("corrections in random order", n_made)
