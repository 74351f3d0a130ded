"""What was answered to questions becomes constraints, names of clusters, their number, and rows
that are left out.
"""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from mvcc.exceptions import ConstraintConflictError, DataError, InvalidInputError
from mvcc.tables import (
    AskSession,
    UnknownNumberError,
    check_clustering,
    cluster_job,
    load_job,
    number_criteria,
    read_inputs,
)
from mvcc.tables.explaining._profiles import name_clusters, nameless
from mvcc.tables.reading._answers import Answers, with_answers
from tests.golden.jobs import HERE as GIVEN
from tests.reports import write_clustering_report
from tests.tables.problems import (
    K,
    by_co_em,
    cluster,
    options_of,
    read_csv,
    with_values,
    write_csv,
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


def answer_truly(tmp_path, n=12, outliers=(), name="kind {}"):
    """Answer the first matched rows by their true kind, and those at some places as outliers."""
    kinds = {
        row["id"]: name.format(row["kind"].split()[1]) for row in read_csv(tmp_path / "view0.csv")
    }
    asked = matches(tmp_path)[:n]
    lines, groups = [], {}
    for place, (one, other) in enumerate(asked):
        if place in outliers:
            lines.append(f"view0:{one},outlier")
            continue
        lines.append(f"view0:{one},{'' if kinds[one] in groups else 'new:'}{kinds[one]}")
        groups.setdefault(kinds[one], []).append((one, other))
    folder = log(tmp_path / "asked", *lines)
    listed = [
        [group, "\n".join(f"view0:{one}" for one, _ in own), "yes"] for group, own in groups.items()
    ]
    write_csv(folder / "groups.csv", [["name", "members", "counted"], *listed])
    for view in (0, 1):
        links = [
            [own[0][view], pair[view], "must-link"] for own in groups.values() for pair in own[1:]
        ]
        write_csv(folder / f"view{view}.csv", [["i", "j", "kind"], *links])
    return folder, groups


def asking(options, folder, **values):
    return with_values(options, asked=str(folder), **values)


@pytest.mark.parametrize("by", [with_values, by_co_em], ids=["joint", "co-em"])
def test_answers_become_constraints_names_the_number_of_clusters_and_rows_left_out(
    tmp_path, options, by
):
    folder, groups = answer_truly(tmp_path, 20, outliers=(1, 4))
    facts = cluster(by(asking(options, folder, n_clusters="auto")), tmp_path / "out")
    assert facts["n_clusters"] == len(groups) == K
    assert facts["settings"]["n_clusters"] == "auto"
    by_cluster = zip(*(view["names"] for view in facts["views"]), strict=True)
    assert facts["names"] == [" / ".join(dict.fromkeys(names)) for names in by_cluster]
    gone = [matches(tmp_path)[place] for place in (1, 4)]
    for number, view in enumerate(facts["views"]):
        rows = read_csv(tmp_path / "out" / view["name"] / "labels.csv")
        assert [row["id"] for row in rows] == [
            row["id"] for row in read_csv(tmp_path / f"{view['name']}.csv")
        ]
        left = [row for row in rows if row["cluster"] == "-1"]
        assert (
            {row["id"] for row in left} == set(view["outliers"]) == {pair[number] for pair in gone}
        )
        assert all(
            row["name"] == row["fit"] == row["stability"] == "" != row["label"] for row in left
        )
        used = [row for row in rows if row["cluster"] != "-1"]
        assert [int(row["cluster"]) for row in used] == view["labels"]
        assert [row["name"] for row in used] == [view["names"][label] for label in view["labels"]]
        named = {row["id"]: row["name"] for row in used}
        assert all(named[pair[number]] == group for group, own in groups.items() for pair in own)
        assert {row[5] for row in view["given"]} <= {
            f"line {n} of {view['name']}.csv" for n in range(2, 40)
        }
        assert len(view["given"]) == sum(len(own) - 1 for own in groups.values())
    assert (
        "Left out as 2 outliers: 2 rows of view0, 2 rows of view1, 0 constraints and 2 matches."
        in facts["warnings"]
    )
    read = [one["path"] for one in facts["inputs"]]
    assert read[3:] == [
        str(folder / name) for name in ("asked.csv", "groups.csv", "view0.csv", "view1.csv")
    ]
    write_clustering_report(facts, tmp_path / "out/report.html")
    assert check_clustering(tmp_path / "out")[1:] == ([], [])
    (folder / "groups.csv").unlink()
    log(folder, f"view0:{gone[0][0]},unsure")
    notes = check_clustering(tmp_path / "out")[2]
    assert [note.split(": ", 1)[1] for note in notes] == [
        "the input has changed since; cluster it again.", "the input cannot be read any more."]  # fmt: skip


def test_the_settings_repeat_the_run_and_other_numbers_of_clusters_may_be_given(tmp_path, options):
    folder, _ = answer_truly(tmp_path, outliers=(2,))
    cluster(asking(options, folder, n_clusters="auto"), tmp_path / "deep/one")
    cluster_job(load_job(tmp_path / "deep/one/cluster.yaml"), tmp_path / "two")
    for name in ("view0/labels.csv", "view1/labels.csv", "view0/moved.csv"):
        assert (tmp_path / "deep/one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    facts = cluster(asking(options, folder, n_clusters=2), tmp_path / "fewer")
    assert facts["n_clusters"] == 2
    assert [text for text in facts["warnings"] if "No cluster is named after 'kind" in text]
    assert all(len(set(view["names"])) == 2 for view in facts["views"])


def test_what_touches_an_outlier_is_left_out_and_counted(tmp_path, options):
    one, other = matches(tmp_path)[0]
    pairs = [["i", "j", "kind"], [one, matches(tmp_path)[1][0], "must-link"]]
    options = [
        *options,
        (("constraints", "view0"), write_csv(tmp_path / "pairs.csv", pairs), "--constraints"),
    ]
    job = load_job(None, asking(options, log(tmp_path / "asked", f"view1:{other},outlier")))
    inputs = read_inputs(job)
    used = with_answers(job, inputs)
    assert used.notes == (
        "Left out as 1 outlier: 1 row of view0, 1 row of view1, 1 constraint and 1 match.",
    )
    assert not any(map(len, used.constraints))
    for number, (table, name) in enumerate(zip(used.tables, (one, other), strict=True)):
        kept = [row for row in inputs.tables[number].ids if row != name]
        assert table.ids == kept
        assert np.array_equal(
            table.X, inputs.tables[number].X[[inputs.tables[number].row[row] for row in kept]]
        )
    before, after = (
        [(one.tables[0].ids[i], one.tables[1].ids[j]) for i, j in one.relations[0, 1].tolist()]
        for one in (inputs, used)
    )
    assert after == [pair for pair in before if pair != (one, other)]


@pytest.mark.parametrize(
    ("lines", "outliers"),
    [
        (["{a},outlier"], "a"),
        (["{a},outlier", "{a},outlier"], "a"),
        (["{a},new:x", "{a},outlier"], "a"),
        (["{a},outlier", "{a},new:x"], ""),
        (["{a},outlier", "{b},outlier", "{b},undo"], "a"),
        (["{a},outlier", "{b},outlier", ",undo", ",undo"], ""),
        (["{a},new:x", "{a},outlier", ",undo", "{b},unsure"], ""),
        (["{a},outlier", "{a},new:x", ",undo"], "a"),
        (
            ["{a},new:x", "{b},new:y", "y,merge:x", "x,rename:outlier 2", ",undo", "{b},outlier"],
            "b",
        ),
        (["{a},outlier", "x,rename:y", ",undo"], "a"),
        (["{partner of a},outlier", "{a},unsure"], ""),
        (["{partner of a},outlier"], "a"),
    ],
)
def test_the_last_answer_to_an_object_counts_unless_it_is_undone(
    tmp_path, options, lines, outliers
):
    (a, partner), (b, _), *_ = matches(tmp_path)
    ids = {"a": f"view0:{a}", "b": f"view0:{b}", "partner of a": f"view1:{partner}"}
    job = load_job(
        None, asking(options, log(tmp_path / "asked", *(line.format(**ids) for line in lines)))
    )
    used = with_answers(job, read_inputs(job))
    assert used.answers.outlier_ids()[0] == sorted({"a": [a], "b": [b], "": []}[outliers])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "asked.csv",
            "id,answer,when\nview0:a1,x,t\nview9:a1,x,t\n",
            r"asked\.csv:3: 'view9:a1' is of no view that is",
        ),
        (
            "asked.csv",
            "id,answer,when\nview0:zz,x,t\n",
            r"asked\.csv:2: view0 \(.*\) has no row with the id 'zz'",
        ),
        (
            "asked.csv",
            "id,answer,when\nview0:zz,x,t\n,undo,t\n",
            r"asked\.csv:2: view0 .* no row with the id 'zz'",
        ),
        ("asked.csv", "id,answer,when\n,undo,t\n", r"asked\.csv:2: There is nothing to undo"),
        (
            "asked.csv",
            "id,answer,when\nview0:a1,,t\n",
            r"asked\.csv:2: there is no answer for 'view0:a1'",
        ),
        (
            "asked.csv",
            "id,answer,when\nview0:a1,x\n",
            r"asked\.csv:2: there must be 3 values, got 2: view0:a1,x",
        ),
        (
            "asked.csv",
            "i,j,kind\n",
            r"asked\.csv:1: the columns must be id,answer,when, got i,j,kind",
        ),
        ("asked.csv", "", r"asked\.csv:1: the columns must be id,answer,when, got nothing"),
        ("asked.csv", "id,answer,when\n\0\n", r"asked\.csv:2: this is a binary file"),
        (
            "groups.csv",
            "id,group\n",
            r"groups\.csv:1: the columns must be name,members,counted, got id,group",
        ),
        (
            "groups.csv",
            "name,members,counted\nx,view0:zz,yes\n",
            r"groups\.csv:2: view0 .* no row with the id 'zz'",
        ),
        (
            "groups.csv",
            "name,members,counted\nx,,maybe\n",
            r"groups\.csv:2: counted must be yes or no, got 'maybe'",
        ),
        (
            "groups.csv",
            "name,members,counted\nx,,yes\nx,,no\n",
            r"groups\.csv:3: 'x' is there already",
        ),
        (
            "groups.csv",
            "name,members,counted\n\x1b[2J,,yes\n",
            r"groups\.csv:2: '\\x1b\[2J' is not a valid name of a group",
        ),
        (
            "groups.csv",
            "name,members,counted\nx,yes\n",
            r"groups\.csv:2: there must be 3 values, got 2",
        ),
        (
            "view1.csv",
            "i,j,kind\nzz,yy,must-link\n",
            r"view1\.csv: 1 of 1 constraint .*line 2: 'zz' is not in view1",
        ),
        ("view1.csv", "a,b\n", r"view1\.csv:1: the columns must be i,j,kind or i,j,kind,weight"),
    ],
)
def test_what_is_wrong_in_a_folder_of_answers_is_told_with_file_and_line(
    tmp_path, options, name, content, message
):
    folder = log(tmp_path / "asked")
    (folder / name).write_text(content)
    with pytest.raises((DataError, InvalidInputError), match=message):
        cluster(asking(options, folder), tmp_path / "out")


def test_a_folder_without_answers_is_refused(tmp_path, options):
    with pytest.raises(
        DataError,
        match=r"nowhere: there is no asked\.csv in it; name the folder that `mvcc ask` has",
    ):
        cluster(asking(options, tmp_path / "nowhere"), tmp_path / "out")


def test_a_last_line_that_is_cut_off_is_left_out_with_a_note(tmp_path, options):
    folder = log(tmp_path / "asked", f"view0:{matches(tmp_path)[0][0]},outlier", end="\nview0:")
    with (folder / "asked.csv").open("ab") as file:
        file.write("ä".encode()[:1])
    facts = cluster(asking(options, folder), tmp_path / "out")
    assert (
        f"{folder / 'asked.csv'}:3: the last line is cut off, and was not used."
        in facts["warnings"]
    )
    assert len(facts["views"][0]["outliers"]) == 1


def test_answers_may_not_leave_nothing_to_cluster_nor_contradict_what_was_given(tmp_path, options):
    ids = [row["id"] for row in read_csv(tmp_path / "view0.csv")]
    folder = log(tmp_path / "asked", *(f"view0:{name},outlier" for name in ids))
    with pytest.raises(
        DataError, match=r"view0\.csv: of 40 rows, only 0 are not marked as an outlier"
    ):
        cluster(asking(options, folder), tmp_path / "out")
    log(folder, *(f"view0:{name},outlier" for name in ids[2:]))
    with pytest.raises(DataError, match=r"view0\.csv: 2 rows cannot be put into 3 clusters \(-k\)"):
        cluster(asking(options, folder), tmp_path / "out")
    log(folder)
    write_csv(folder / "view0.csv", [["i", "j", "kind"], [ids[0], ids[1], "must-link"]])
    pairs = write_csv(tmp_path / "pairs.csv", [["i", "j", "kind"], [ids[1], ids[0], "cannot-link"]])
    with pytest.raises(
        ConstraintConflictError,
        match=r"(?s)line 2 of pairs\.csv.*line 2 of view0\.csv|line 2 of view0",
    ):
        cluster(
            [*asking(options, folder), (("constraints", "view0"), pairs, "--constraints")],
            tmp_path / "out",
        )


def test_groups_beside_given_constraints_name_clusters_and_give_their_number(tmp_path, options):
    folder, groups = answer_truly(tmp_path)
    log(folder, "view0:nobody,outlier")  # only the folder itself is asked for this
    options = [*options, (("constraints", "view0"), str(folder / "view0.csv"), "--constraints")]
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
    given = (("constraints", "view0"), str(folder / "view0.csv"), "--constraints")
    twice = cluster([*asking(options, folder), given], tmp_path / "out")
    assert len(twice["views"][0]["given"]) == sum(len(own) - 1 for own in groups.values())


@pytest.mark.parametrize(("in_a_row", "settled"), [(9, False), (10, True)])
def test_the_number_of_groups_is_cautioned_until_ten_answers_in_a_row_open_none(
    tmp_path, options, in_a_row, settled
):
    folder, _ = answer_truly(tmp_path)
    ids = [one for one, _ in matches(tmp_path)]
    opened = [f"view0:{ids[0]},new:x", f"view0:{ids[1]},new:newest"]
    log(
        folder,
        *opened,
        *(f"view0:{name},newest" for name in ids[2 : 2 + in_a_row]),
        f"view0:{ids[20]},unsure",
    )
    facts = cluster(asking(options, folder, n_clusters="auto"), tmp_path / "out")
    said = [
        text for text in facts["warnings"] if "not settled: 9 answers named a group since" in text
    ]
    assert len(said) == (not settled)
    assert not any(
        "settled" in text
        for text in cluster(asking(options, folder), tmp_path / "given")["warnings"]
    )


def test_a_group_that_does_not_count_is_no_cluster(tmp_path, options):
    folder, groups = answer_truly(tmp_path)
    content = (folder / "groups.csv").read_text()
    (folder / "groups.csv").write_text(content[::-1].replace("yes"[::-1], "no"[::-1], 1)[::-1])
    assert (
        cluster(asking(options, folder, n_clusters="auto"), tmp_path / "out")["n_clusters"]
        == len(groups) - 1
    )


def test_without_two_groups_an_automatic_number_is_refused(tmp_path, options):
    with pytest.raises(UnknownNumberError, match="there are no answers") as nothing:
        cluster(with_values(options, n_clusters="auto"), tmp_path / "out")
    assert nothing.value.inputs is not None
    folder, _ = answer_truly(tmp_path, 1)
    with pytest.raises(
        UnknownNumberError, match=r"answers name, and 1 was named\. Name two or more, or give"
    ) as one:
        cluster(asking(options, folder, n_clusters="auto"), tmp_path / "out")
    assert one.value.inputs is None
    (folder / "groups.csv").unlink()
    with pytest.raises(UnknownNumberError, match="and none were named"):
        cluster(asking(options, folder, n_clusters="auto"), tmp_path / "out")
    assert not (tmp_path / "out/cluster.yaml").exists()


def answers_of(groups, n=6):
    tables = [type("Table", (), {"ids": [str(row) for row in range(n)]})()] * 2
    empty = np.empty(0, np.int64)
    groups = {
        name: [np.array(rows, np.int64) for rows in of_views] for name, of_views in groups.items()
    }
    return Answers(groups, len(groups), None, [np.array([5]), empty], "groups.csv", tables, [])


def test_each_group_names_the_cluster_with_most_of_its_members_one_to_one():
    labels = [np.array([0, 0, 1, 1, 2]), np.array([1, 1, 0, 0, 2, 2])]
    answers = answers_of(
        {"b": [[0], []], "a": [[0, 1], []], "c": [[2, 5], [4, 5]], "gone": [[5], []]}
    )
    assert name_clusters(answers, labels, [[0], [1]], 3) == [["a", "c", ""], ["", "", "c"]]
    assert nameless(answers, [["a", "c", ""], ["", "", "c"]]) == [
        "No cluster is named after 'b', 'gone': clusters of other groups hold the members."
    ]
    assert name_clusters(answers, labels, [[0, 1]], 3) == [["a", "", "c"]] * 2


def test_criteria_agree_on_separate_blobs_and_are_the_same_again(tmp_path):
    job = load_job(
        None,
        with_values(
            write_problem(tmp_path, n=60, n_matches=40, noise=0.3, judged=()), n_clusters="auto"
        ),
    )
    found = number_criteria(job, read_inputs(job))
    assert found["k"] == list(range(2, 11))
    assert found["best"]["eigengap"] == K
    assert all(
        len(values) == 9 and np.isfinite(values).all() for values in found["criteria"].values()
    )
    assert found == number_criteria(job, read_inputs(job)) == json.loads(json.dumps(found))


@pytest.mark.parametrize("rows", [[[1, 2], [3, 4]], [[1, 2]] * 5 + [[3, 4]], [[0], [1], [2], [3]]])
def test_criteria_of_few_or_equal_rows_are_as_many_as_there_can_be(tmp_path, rows):
    path = write_csv(tmp_path / "a.csv", [[f"x{place}" for place in range(len(rows[0]))], *rows])
    job = load_job(None, options_of({"a": path}, n_clusters="auto"))
    found = number_criteria(job, read_inputs(job))
    assert found["k"] == list(range(2, len(rows) - 1))
    assert all(np.isfinite(values).all() for values in found["criteria"].values())


def test_criteria_of_many_rows_are_those_of_some(tmp_path):
    options = write_problem(tmp_path, n=1500, n_matches=400, noise=0.3, judged=())
    job = load_job(None, with_values(options, n_clusters="auto"))
    assert number_criteria(job, read_inputs(job))["best"]["eigengap"] == K


def test_what_a_session_has_written_is_what_is_clustered_by(tmp_path, options):
    kinds = {
        f"{view}:{row['id']}": row["kind"]
        for view in ("view0", "view1")
        for row in read_csv(tmp_path / f"{view}.csv")
    }
    job = load_job(None, with_values(options, n_clusters="auto"))
    inputs = read_inputs(job)
    with AskSession(job, inputs, tmp_path / "asked") as session:
        (strange,) = session.next()
        session.answer(strange.id, "outlier")
        for _ in range(24):
            (question,) = session.next()
            name = kinds[question.id].replace("kind", "sort,")
            known = {group.name for group in session.groups}
            session.answer(question.id, name if name in known else f"new:{name}", again=True)
        (last,) = session.next()
        session.answer(last.id, "new:too many")
        session.undo()
        session.rename("sort, 0", "none of these")
        (unsure,) = session.next()
        session.answer(unsure.id, "unsure")
        groups = {group.name: group.members for group in session.groups}
        status, outliers = session.status, session._questions.outliers
        constraints = session._questions.constraints
    used = with_answers(load_job(None, asking(options, tmp_path / "asked")), inputs)
    assert [rows.tolist() for rows in used.answers.outliers] == [rows.tolist() for rows in outliers]
    assert (used.answers.n_counted, used.answers.n_in_a_row >= 10) == (
        status.n_clusters_hint,
        status.settled,
    )
    assert {name: sum(map(len, rows)) for name, rows in used.answers.groups.items()} == {
        name: sum(len(rows) for one in members for rows in session.question(one).rows)
        for name, members in groups.items()
    }
    kept = [np.setdiff1d(np.arange(40), rows) for rows in outliers]
    assert used.constraints == [
        own.on_rows(rows) for own, rows in zip(constraints, kept, strict=True)
    ]
    facts = cluster(asking(options, tmp_path / "asked", n_clusters="auto"), tmp_path / "out")
    assert facts["n_clusters"] == status.n_clusters_hint == K
    assert set(facts["names"]) == set(groups) == {"none of these", "sort, 1", "sort, 2"}
    assert all(view["violated"] == [] for view in facts["views"])
    assert [view["outliers"] for view in facts["views"]] == [
        [table.ids[row] for row in rows]
        for table, rows in zip(inputs.tables, strange.rows, strict=True)
    ]


def test_groups_whose_names_are_words_of_others_are_noted(tmp_path):
    shutil.copytree(GIVEN / "texts" / "given", tmp_path / "given")
    wrong = {"harbor": "kitchen", "oven": "harbor", "rose": "rose"}
    lines = [
        f"notes:{row['id']},{name}"
        for word, name in wrong.items()
        for row in read_csv(tmp_path / "given/notes.csv")
        if row["body"].split().count(word) > 1
    ]
    one, two = (log(tmp_path / who, *own) for who, own in (("a", lines[::2]), ("b", lines[1::2])))
    job = load_job(tmp_path / "given/cluster.yaml").model_copy(
        update={"asked": (str(one), str(two)), "comparison": False, "constraints": {}}
    )
    warnings = " ".join(cluster_job(job, tmp_path / "out").warnings)
    assert "was named 'harbor', which is a word of cluster" in warnings
    assert "'rose'" not in warnings
