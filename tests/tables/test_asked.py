"""What was answered becomes constraints, names of clusters, their number, and rows left out."""

import json
import re
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from mvcc.exceptions import ConstraintConflictError, DataError, InvalidInputError
from mvcc.tables import (
    ReviewSession,
    UnknownNumberError,
    check_clustering,
    cluster_job,
    load_job,
    number_criteria,
    read_inputs,
)
from mvcc.tables.explaining._profiles import misnamed, name_clusters, nameless
from mvcc.tables.fitting import _number_of_clusters
from mvcc.tables.fitting._features import features_before_clusters
from mvcc.tables.reading._answers import with_answers
from mvcc.tables.reading._inputs import Answers
from tests.golden.jobs import HERE as GIVEN
from tests.reports import write_clustering_report
from tests.tables.problems import (
    K,
    answer_by,
    by_co_em,
    cluster,
    keep_rows,
    kinds_in,
    options_of,
    outputs,
    read_csv,
    session_of,
    with_pairs,
    with_values,
    write_csv,
    write_pairs,
    write_problem,
)

WHEN = "2026-11-22T22:00:00+00:00"


@pytest.fixture
def options(tmp_path):
    return write_problem(tmp_path, n=40, n_matches=30, judged=())


def matches(tmp_path):
    return [(row["view0"], row["view1"]) for row in read_csv(tmp_path / "view0-view1.csv")]


def log(folder, *lines, end="\n"):
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(["id,answer,when", *(f"{line},{WHEN}" for line in lines)]) + end
    (folder / "asked.csv").write_text(text, encoding="utf-8")
    return folder


def answer_truly(tmp_path, n=12, outliers=()):
    """Answer the first matched rows by their true kind, and those at some places as outliers."""
    kinds, lines, groups = kinds_in(tmp_path), [], {}
    for place, (one, other) in enumerate(matches(tmp_path)[:n]):
        kind = kinds[f"view0:{one}"]
        if place in outliers:
            lines.append(f"view0:{one},outlier")
            continue
        lines.append(f"view0:{one},{'' if kind in groups else 'new:'}{kind}")
        groups.setdefault(kind, []).append((one, other))
    folder = log(tmp_path / "asked", *lines)
    members = {kind: "\n".join(f"view0:{one}" for one, _ in own) for kind, own in groups.items()}
    listed = [[kind, own, "yes"] for kind, own in members.items()]
    write_csv(folder / "groups.csv", [["name", "members", "counted"], *listed])
    for view in (0, 1):
        pairs = [(own[0][view], pair[view]) for own in groups.values() for pair in own[1:]]
        write_pairs(folder / f"view{view}.csv", *([*pair, "must-link"] for pair in pairs))
    return folder, groups


def asking(options, *folders, **values):
    asked = list(map(str, folders))
    return with_values(options, asked=asked if len(asked) > 1 else asked[0], **values)


def read_answered(options, *folders, **values):
    """Return the inputs of a job with what was answered."""
    job = load_job(None, asking(options, *folders, **values))
    return with_answers(job, read_inputs(job))


@pytest.mark.parametrize("by", [with_values, by_co_em], ids=["joint", "co-em"])
def test_answers_become_constraints_names_a_number_of_clusters_and_lost_rows(tmp_path, options, by):
    folder, groups = answer_truly(tmp_path, 20, outliers=(1, 4))
    options = by(asking(options, folder, n_clusters="auto", stability_runs=2))
    facts = cluster(options, tmp_path / "out")
    assert facts["n_clusters"] == len(groups) == K
    assert facts["settings"]["n_clusters"] == "auto"
    by_cluster = zip(*(view["names"] for view in facts["views"]), strict=True)
    assert facts["names"] == [" / ".join(dict.fromkeys(names)) for names in by_cluster]
    gone = [matches(tmp_path)[place] for place in (1, 4)]
    for number, view in enumerate(facts["views"]):
        name = view["name"]
        rows, own = (
            read_csv(tmp_path / path) for path in (f"out/{name}/labels.csv", f"{name}.csv")
        )
        assert [row["id"] for row in rows] == [row["id"] for row in own]
        left = [row for row in rows if row["cluster"] == "-1"]
        assert {row["id"] for row in left} == {pair[number] for pair in gone}
        assert set(view["outliers"]) == {pair[number] for pair in gone}
        for row in left:
            assert row["name"] == row["fit"] == row["stability"] == "" != row["label"]
        used = [row for row in rows if row["cluster"] != "-1"]
        assert [int(row["cluster"]) for row in used] == view["labels"]
        assert [row["name"] for row in used] == [view["names"][label] for label in view["labels"]]
        named = {row["id"]: row["name"] for row in used}
        assert all(named[pair[number]] == group for group, own in groups.items() for pair in own)
        assert {row[5] for row in view["given"]} <= {
            f"line {n} of asked/{name}.csv" for n in range(2, 40)
        }
        assert len(view["given"]) == sum(len(own) - 1 for own in groups.values())
    left_out = "2 rows of view0, 2 rows of view1, 0 constraints and 2 matches."
    assert f"Left out as 2 outliers: {left_out}" in facts["warnings"]
    read = [one["path"] for one in facts["inputs"][3:]]
    assert read == [str(folder / f"{name}.csv") for name in ("asked", "groups", "view0", "view1")]
    write_clustering_report(facts, tmp_path / "out/report.html")
    assert check_clustering(tmp_path / "out")[1:] == ([], [])
    refusal = pytest.raises(InvalidInputError, match="was answered to be an outlier, and has no cl")
    with ReviewSession(tmp_path / "out") as session, refusal:
        session.record([(f"view0:{gone[0][0]}", "0")])
    (folder / "groups.csv").unlink()
    log(folder, f"view0:{gone[0][0]},unsure")
    notes = check_clustering(tmp_path / "out")[2]
    changed, gone = "has changed since; cluster it again.", "cannot be read any more."
    assert [note.split(": the input ")[1] for note in notes] == [changed, gone]


def test_the_number_of_a_row_that_is_not_there_is_told_with_how_rows_get_ids(tmp_path):
    options = options_of({"v": write_csv(tmp_path / "v.csv", [["x"], [1], [2], [4]])}, n_clusters=2)
    message = r"v \(.*\) has no row with the id '3'\. v \(.*\) has no id column, so its rows are"
    with pytest.raises(DataError, match=message):
        read_answered(options, log(tmp_path / "asked", "v:3,new:x"))


def test_the_settings_repeat_the_run_and_other_numbers_of_clusters_may_be_given(tmp_path, options):
    folder, _ = answer_truly(tmp_path, outliers=(2,))
    cluster(asking(options, folder, n_clusters="auto"), tmp_path / "deep/one")
    cluster_job(load_job(tmp_path / "deep/one/cluster.yaml"), tmp_path / "two")
    assert outputs(tmp_path / "deep/one", ".csv") == outputs(tmp_path / "two", ".csv")
    facts = cluster(asking(options, folder, n_clusters=2), tmp_path / "fewer")
    assert facts["n_clusters"] == 2
    assert [text for text in facts["warnings"] if "No cluster is named after 'kind" in text]
    assert all(len(set(view["names"])) == 2 for view in facts["views"])


def test_what_touches_an_outlier_is_left_out_and_counted(tmp_path, options):
    one, other = matches(tmp_path)[0]
    pair = [one, matches(tmp_path)[1][0], "must-link"]
    options = with_pairs(options, tmp_path / "pairs.csv", pair)
    inputs = read_inputs(load_job(None, options))
    used = read_answered(options, log(tmp_path / "asked", f"view1:{other},outlier"))
    assert used.notes == (
        "Left out as 1 outlier: 1 row of view0, 1 row of view1, 1 constraint and 1 match.",
    )
    assert not any(map(len, used.constraints))
    for table, before, name in zip(used.tables, inputs.tables, (one, other), strict=True):
        kept = [row for row in before.ids if row != name]
        assert table.ids == kept
        assert np.array_equal(table.X, before.X[[before.row[row] for row in kept]])
    before, after = (
        [(read.tables[0].ids[i], read.tables[1].ids[j]) for i, j in read.relations[0, 1].tolist()]
        for read in (inputs, used)
    )
    assert after == [pair for pair in before if pair != (one, other)]


@pytest.mark.parametrize(
    ("lines", "outliers"),
    [
        (["{a},outlier", "{a},new:x"], ""),
        (["{a},outlier", "{b},outlier", ",undo"], "a"),
        (["{a},new:x", "x,rename:y", ",undo", "{b},outlier"], "b"),
        (["{partner},outlier", "{a},unsure"], ""),
        (["{partner},outlier"], "a"),
    ],
)
def test_the_last_answer_to_an_object_counts_unless_undone(tmp_path, options, lines, outliers):
    (a, partner), (b, _), *_ = matches(tmp_path)
    ids = {"a": f"view0:{a}", "b": f"view0:{b}", "partner": f"view1:{partner}"}
    folder = log(tmp_path / "asked", *(line.format(**ids) for line in lines))
    found = read_answered(options, folder).answers.outlier_ids()[0]
    assert found == {"a": [a], "b": [b], "": []}[outliers]


ASKED, GROUPS = "id,answer,when\n", "name,members,counted\n"


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("asked.csv", f"{ASKED}view0:a1,x,t\nview9:a1,x,t\n", 3, "an id must be a view and a row"),
        ("asked.csv", f"{ASKED}view0:zz,x,t\n", 2, r"view0 \(.*\) has no row with the id 'zz'"),
        ("asked.csv", f"{ASKED}view0:zz,x,t\n,undo,t\n", 2, "view0 .* no row with the id 'zz'"),
        ("asked.csv", f"{ASKED},undo,t\n", 2, "There is nothing to undo"),
        ("asked.csv", f"{ASKED}view0:a1,,t\n", 2, "there is no answer for 'view0:a1'"),
        ("asked.csv", f"{ASKED}view0:a1,x\n", 2, "there must be 3 values, got 2: view0:a1,x"),
        ("asked.csv", "i,j,kind\n", 1, "the columns must be id,answer,when, got i,j,kind"),
        ("asked.csv", "", 1, "the columns must be id,answer,when, got nothing"),
        ("asked.csv", f"{ASKED}\0\n", 2, "this is a binary file"),
        ("groups.csv", "id,group\n", 1, "the columns must be name,members,counted, got id,group"),
        ("groups.csv", f"{GROUPS}x,view0:zz,yes\n", 2, "view0 .* no row with the id 'zz'"),
        ("groups.csv", f"{GROUPS}x,,maybe\n", 2, "counted must be yes or no, got 'maybe'"),
        ("groups.csv", f"{GROUPS}x,,yes\nx,,no\n", 3, "'x' is there already"),
        ("groups.csv", f"{GROUPS}\x1b[2J,,yes\n", 2, r"'\\x1b\[2J' is not a valid name of a group"),
        ("groups.csv", f"{GROUPS}x,yes\n", 2, "there must be 3 values, got 2"),
        ("view1.csv", "a,b\n", 1, "the columns must be i,j,kind or i,j,kind,weight"),
        ("view1.csv", "i,j,kind\nzz,yy,ML\n", None, "1 of 1 .*line 2: 'zz' is not in view1"),
    ],
)
def test_mistakes_in_answers_are_told_with_line(tmp_path, options, name, content, line, message):
    folder = log(tmp_path / "asked")
    (folder / name).write_text(content)
    place = name if line is None else f"{name}:{line}"
    with pytest.raises((DataError, InvalidInputError), match=f"{re.escape(place)}: {message}"):
        read_answered(options, folder)


def test_a_last_line_that_is_cut_off_is_left_out_with_a_note(tmp_path, options):
    folder = log(tmp_path / "asked", f"view0:{matches(tmp_path)[0][0]},outlier", end="\nview0:")
    with (folder / "asked.csv").open("ab") as file:
        file.write("ä".encode()[:1])
    inputs = read_answered(options, folder)
    cut = f"{folder / 'asked.csv'}:3: the last line, 'view0:�', is cut off; it was not used."
    assert cut in inputs.notes
    assert len(inputs.answers.outliers[0]) == 1


def test_answers_may_not_leave_nothing_to_cluster_nor_contradict_what_was_given(tmp_path, options):
    ids = [row["id"] for row in read_csv(tmp_path / "view0.csv")]
    for left, message in (
        (0, r"view0\.csv: of 40 rows, only 0 are not marked as an outlier"),
        (2, r"view0\.csv: 2 rows cannot be put into 3 clusters \(-k\)"),
    ):
        folder = log(tmp_path / "asked", *(f"view0:{name},outlier" for name in ids[left:]))
        with pytest.raises(DataError, match=message):
            cluster(asking(options, folder), tmp_path / "out")
    log(folder)
    write_pairs(folder / "view0.csv", [ids[0], ids[1], "must-link"])
    options = with_pairs(options, tmp_path / "pairs.csv", [ids[1], ids[0], "cannot-link"])
    both = r"\(must-link, line 2 of asked/view0\.csv\), .* \(cannot-link, line 2 of pairs\.csv\)"
    with pytest.raises(ConstraintConflictError, match=both):
        cluster(asking(options, folder), tmp_path / "out")


def test_groups_beside_given_constraints_name_clusters_and_give_their_number(tmp_path, options):
    folder, groups = answer_truly(tmp_path)
    log(folder, "view0:nobody,outlier")  # only the folder itself is asked for this
    options = with_pairs(options, folder / "view0.csv")
    facts = cluster(with_values(options, n_clusters="auto"), tmp_path / "out")
    assert facts["names_from"] == str(folder / "groups.csv") == facts["inputs"][-1]["path"]
    assert facts["warnings"] == []
    assert set(facts["views"][0]["names"]) == set(groups)
    (folder / "groups.csv").write_text("team,city\nred,Rome\n")  # somebody else's
    facts = cluster(options, tmp_path / "other")
    assert facts["names_from"] == ""
    assert "name" not in read_csv(tmp_path / "other/view0/labels.csv")[0]


def test_a_file_that_is_given_and_answered_counts_once(tmp_path, options):
    folder, groups = answer_truly(tmp_path)
    twice = cluster(asking(with_pairs(options, folder / "view0.csv"), folder), tmp_path / "out")
    assert len(twice["views"][0]["given"]) == sum(len(own) - 1 for own in groups.values())


@pytest.mark.parametrize(
    ("in_a_row", "n_clusters", "cautions"), [(9, "auto", 1), (10, "auto", 0), (9, K, 0)]
)
def test_the_number_of_groups_is_cautioned_until_ten_answers_in_a_row_open_none(
    tmp_path, options, in_a_row, n_clusters, cautions
):
    folder, _ = answer_truly(tmp_path)
    first, second, *others = (one for one, _ in matches(tmp_path))
    opened = [f"view0:{first},new:x", f"view0:{second},new:newest"]
    joined = [f"view0:{name},newest" for name in others[:in_a_row]]
    log(folder, *opened, *joined, f"view0:{others[18]},unsure")
    options = asking(options, folder, n_clusters=n_clusters)
    said = [text for text in cluster(options, tmp_path / "out")["warnings"] if "settled" in text]
    assert len(said) == cautions
    assert all("not settled: 9 answers named a group since" in text for text in said)


def test_a_group_that_does_not_count_is_no_cluster(tmp_path, options):
    folder, groups = answer_truly(tmp_path)
    before, _, after = (folder / "groups.csv").read_text().rpartition("yes")
    (folder / "groups.csv").write_text(f"{before}no{after}")
    facts = cluster(asking(options, folder, n_clusters="auto"), tmp_path / "out")
    assert facts["n_clusters"] == len(groups) - 1


def test_without_two_groups_an_automatic_number_is_refused(tmp_path, options):
    options = with_values(options, n_clusters="auto")

    def refused(options, n):
        message = f"answers name by rows of these tables, which is {n}. Name two or more, or give"
        with pytest.raises(UnknownNumberError, match=message) as error:
            cluster(options, tmp_path / "out")
        return error.value

    assert refused(options, 0).inputs is not None
    folder, _ = answer_truly(tmp_path, 1)
    assert refused(asking(options, folder), 1).inputs is None
    (folder / "groups.csv").unlink()  # the log names it, too
    refused(asking(options, folder), 1)
    log(folder, "view0:nobody,new:x")
    refused(asking(options, folder, unknown="skip"), 0)
    log(folder)
    refused(asking(options, folder), 0)
    assert not (tmp_path / "out/cluster.yaml").exists()


def test_each_group_names_the_cluster_with_most_of_its_members_one_to_one():
    labels = [np.array([0, 0, 1, 1, 2]), np.array([1, 1, 0, 0, 2, 2])]
    members = {"b": [[0], []], "a": [[0, 1], []], "c": [[2, 5], [4, 5]], "gone": [[5], []]}
    groups = {name: [np.array(rows, np.int64) for rows in own] for name, own in members.items()}
    tables = [SimpleNamespace(ids=list("012345"))] * 2
    outliers = [np.array([5]), np.empty(0, np.int64)]
    answers = Answers(groups, len(groups), None, outliers, "groups.csv", tables, [], {})
    assert name_clusters(answers, labels, [[0], [1]], 3) == [["a", "c", ""], ["", "", "c"]]
    assert [*nameless(answers, [["a", "c", ""], ["", "", "c"]])] == [
        "No cluster is named after 'b', 'gone': clusters of other groups hold the members."
    ]
    assert name_clusters(answers, labels, [[0, 1]], 3) == [["a", "", "c"]] * 2


def test_criteria_agree_on_separate_blobs_and_are_the_same_again(tmp_path):
    options = write_problem(tmp_path, n=60, n_matches=40, noise=0.3, judged=())
    job = load_job(None, with_values(options, n_clusters="auto"))
    found = number_criteria(job, read_inputs(job))
    assert found["k"] == list(range(2, 11))
    assert found["best"] == {"agreement of views": K, "eigengap": K}
    for values in found["criteria"].values():
        assert len(values) == 9
        assert np.isfinite(values).all()
    assert found == number_criteria(job, read_inputs(job)) == json.loads(json.dumps(found))


def test_units_of_columns_do_not_decide_what_criteria_propose(tmp_path):
    X = np.random.default_rng(0).normal(size=(300, 3)) + 8 * np.eye(3).repeat(100, axis=0)
    for place, units in enumerate(([1e3, 1, 1e-3], [1e-3, 1e3, 1])):
        path = write_csv(tmp_path / f"{place}.csv", [["a", "b", "c"], *(X * units).tolist()])
        job = load_job(None, options_of({"a": path}, n_clusters="auto"))
        assert number_criteria(job, read_inputs(job))["best"] == {"eigengap": 3}


@pytest.mark.parametrize("rows", [[[1, 2], [3, 4]], [[1, 2]] * 5 + [[3, 4]], [[0], [1], [2], [3]]])
def test_criteria_of_few_or_equal_rows_are_as_many_as_there_can_be(tmp_path, rows):
    path = write_csv(tmp_path / "a.csv", [[f"x{place}" for place in range(len(rows[0]))], *rows])
    job = load_job(None, options_of({"a": path}, n_clusters="auto"))
    found = number_criteria(job, read_inputs(job))
    assert found["k"] == list(range(2, len(rows) - 1))
    assert all(np.isfinite(values).all() for values in found["criteria"].values())


def test_criteria_of_many_rows_are_those_of_some_with_all_of_each_object(tmp_path, monkeypatch):
    graph, drawn = _number_of_clusters._graph, []

    def counted(inputs, rng):
        drawn.append(inputs)
        return graph(inputs, rng)

    monkeypatch.setattr(_number_of_clusters, "_graph", counted)
    monkeypatch.setattr(_number_of_clusters, "_MOST_ROWS", 120)
    options = write_problem(tmp_path, n=150, n_matches=60, noise=0.3, judged=())
    job = load_job(None, with_values(options, n_clusters="auto"))
    assert number_criteria(job, read_inputs(job))["best"]["eigengap"] == K
    (some,) = drawn
    first, second = ({*table.ids} for table in some.tables)
    assert 100 < len(first) + len(second) < 140
    assert 0 < len(some.relations[0, 1]) < 60
    assert all((one in first) == (other in second) for one, other in matches(tmp_path))


def test_questions_use_the_features_of_the_joint_method_unless_others_are_named(tmp_path):
    options = write_problem(tmp_path, n=60, n_matches=40, judged=())
    words = []
    for more in ({"method": "joint"}, {"method": "co-em"}, {"method": "co-em", "features": "pca"}):
        job = load_job(None, with_values(options, n_clusters="auto", **more))
        tables = read_inputs(job).tables
        words.append([one.words for one in features_before_clusters(tables, job)])
    assert words[0] == words[1] != words[2]


def held(tmp_path, options, n=15):
    """Hold a session about rows of both tables; return its folder and its groups."""
    with session_of(options, tmp_path / "asked", n_clusters="auto") as session:
        answer_by(kinds_in(tmp_path).get, session, n)
        return tmp_path / "asked", [group.members for group in session.groups]


def noted(inputs):
    return [note for note in inputs.notes if "do not say the same" in note]


def test_groups_that_the_log_contradicts_are_noted_and_count(tmp_path, options):
    folder, _ = held(tmp_path, options)
    with session_of(options, folder, n_clusters="auto") as session:
        (question,) = session.next()
        name = session.groups[0].name
        session.answer(question.id, "unsure")
    before, _, when = (folder / "asked.csv").read_text().rpartition(",unsure,")
    for said in ("unsure", "outlier", name):
        (folder / "asked.csv").write_text(f"{before},{said},{when}")
        notes = noted(read_answered(options, folder))
        assert len(notes) == (said == name)
    assert notes[0].startswith(str(folder / "groups.csv"))
    assert "asked.csv about 1 answered object, and count as they are" in notes[0]


def test_links_by_a_row_that_is_gone_are_those_of_the_log(tmp_path):
    options = write_problem(tmp_path, n=16, n_matches=8, judged=())
    folder, _ = held(tmp_path, options, 22)
    links = read_csv(folder / "view1.csv")
    linked = {row["i"] for row in links}
    first = next(first for first, second in matches(tmp_path) if second in linked)
    for name in ("view0", "view0-view1"):
        keep_rows(tmp_path / f"{name}.csv", lambda row: first not in row.values())
    read = read_answered(options, folder, unknown="skip")
    assert not noted(read)
    (note,) = [note for note in read.notes if note.startswith("1 answered row of")]
    assert note.endswith("cannot be found in these tables; what was answered of it has no effect.")
    (tmp_path / "solo").mkdir()
    shutil.copy(folder / "asked.csv", tmp_path / "solo")
    solo = read_answered(options, tmp_path / "solo", unknown="skip")
    for own, of_log in zip(read.constraints, solo.constraints, strict=True):
        assert of_log.is_among(own).all()
        assert len(set(own.rows())) == len(own)
    row_of, pairs = read.tables[1].row, {frozenset(own[:2]) for own in read.constraints[1].rows()}
    # also those of the row that it was matched with
    assert {frozenset((row_of[row["i"]], row_of[row["j"]])) for row in links} <= pairs


@pytest.mark.parametrize("kind", ["must-link", "cannot-link"])
def test_an_own_constraint_is_no_difference_between_the_files_of_answers(tmp_path, options, kind):
    folder, groups = held(tmp_path, options)
    of_view = [[one.partition(":")[2] for one in own if one.startswith("view0:")] for own in groups]
    one, two, *_ = sorted(of_view, key=len)[::-1]
    link = [one[0], two[0] if kind == "must-link" else one[1], kind]
    before = read_answered(options, folder).constraints[0]
    own = with_pairs(options, tmp_path / "own.csv", link)
    read = read_answered(own, folder, on_conflict="drop")
    assert not noted(read)
    assert len(read.constraints[0]) == len(before) + 1
    links = read_csv(folder / "view0.csv")
    other = "cannot-link" if links[0]["kind"] == "must-link" else "must-link"
    changed = [[*list(links[0].values())[:2], other], *(list(row.values()) for row in links[1:])]
    own = with_pairs(options, folder / "view0.csv", *changed)
    (note,) = noted(read_answered(own, folder))
    assert "asked.csv about 2 answered objects, and count" in note


def test_groups_whose_names_are_words_of_others_are_noted(tmp_path):
    shutil.copytree(GIVEN / "texts" / "given", tmp_path / "given")
    wrong = {"harbor": "kitchen", "oven": "harbor", "rose": "rose"}
    rows = [(row["id"], row["body"].split()) for row in read_csv(tmp_path / "given/notes.csv")]
    said = [(id, name) for word, name in wrong.items() for id, body in rows if body.count(word) > 1]
    lines = [f"notes:{id},{name}" for id, name in said]
    one, two = (log(tmp_path / who, *own) for who, own in (("a", lines[::2]), ("b", lines[1::2])))
    job = load_job(tmp_path / "given/cluster.yaml").model_copy(
        update={"asked": (str(one), str(two)), "comparison": False, "constraints": {}}
    )
    warnings = " ".join(cluster_job(job, tmp_path / "out").warnings)
    assert "was named 'harbor', which is a word of cluster" in warnings
    assert "'rose'" not in warnings
    told = [{"words": [(word,)]} for word in ("oak", "light")]
    assert misnamed("v", ["light", "red"], told)
    assert not misnamed("v", ["light white", "light red"], told)
