"""Answers of several people are merged: what they dispute is listed, settled, and never lost."""

import json
import shutil
from pathlib import Path

import pytest

from mvcc.cli._outcome import print_outcome
from mvcc.exceptions import ConstraintConflictError, DataError, InvalidInputError
from mvcc.results import read_facts
from mvcc.tables import (
    ReviewSession,
    check_clustering,
    cluster_job,
    load_job,
)
from tests.command_line import mvcc
from tests.tables.problems import (
    K,
    answer_by,
    cluster,
    keep_rows,
    kinds_in,
    moved,
    read_csv,
    session_of,
    with_pairs,
    with_values,
    write_csv,
    write_pairs,
    write_problem,
)
from tests.tables.test_asked import WHEN, asking, log, matches, read_answered


@pytest.fixture
def options(tmp_path):
    return write_problem(tmp_path, n=40, n_matches=30, judged=())


def ids_by_kind(folder):
    """Return the ids of matched rows of the first view by their kinds."""
    kinds, found = kinds_in(folder), {}
    for one, _ in matches(folder):
        found.setdefault(kinds[f"view0:{one}"].split()[1], []).append(one)
    return found


@pytest.fixture
def ids(tmp_path, options):
    return ids_by_kind(tmp_path)


def answered(folder, answers):
    """Write a log of what somebody answered about rows of the first view."""
    return log(folder, *(f"view0:{one},{says}" for one, says in answers.items()))


def kinds_of(ids, first, last, names="kind {}"):
    """Answer some rows of each kind by its name."""
    return {one: names.format(kind) for kind, own in ids.items() for one in own[first:last]}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Cluster by the answers of two people, who dispute a row that is kind 0 and fits nowhere."""
    folder = tmp_path_factory.mktemp("made")
    options = write_problem(folder, n=40, n_matches=30, judged=())
    ids = ids_by_kind(folder)
    (strange, disputed), kinds = ids["0"][4:6], sorted(ids)
    anna = kinds_of(ids, 0, 4) | {disputed: "kind 0", strange: "outlier"}
    ben = kinds_of(ids, 2, 4) | {disputed: f"kind {kinds[1]}", strange: "kind 0"}
    folders = [answered(folder / who, own) for who, own in (("anna", anna), ("ben", ben))]
    facts = cluster(asking(options, *folders, n_clusters="auto"), folder / "out")
    return folder, options, facts, disputed, strange


@pytest.fixture
def by_two(made, tmp_path):
    """Return the facts, the disputed and the strange row, beside a copy of all files."""
    folder, options, *found = made
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return moved(options, folder, tmp_path), *found


@pytest.mark.parametrize(("n_all_rows", "is_offered"), [(None, True), (500, False)])
def test_disputes_are_settled_in_a_review_which_takes_no_samples(
    made, capsys, n_all_rows, is_offered
):
    facts = read_facts(made[0] / "out")
    views = tuple(view.model_copy(update={"n_all_rows": n_all_rows}) for view in facts.views)
    print_outcome(facts.model_copy(update={"views": views}), Path("out"))
    assert ("\nTo settle them: mvcc review out\n" in capsys.readouterr().out) == is_offered


def test_what_nobody_disputes_is_clustered_by_and_the_rest_is_listed(tmp_path, by_two):
    _, facts, disputed, strange = by_two
    ids = ids_by_kind(tmp_path)
    assert facts["n_clusters"] == K
    assert set(facts["names"]) == {f"kind {kind}" for kind in ids}
    assert not any(view["outliers"] for view in facts["views"])
    first = facts["views"][0]
    given = {first["ids"][row] for link in first["given"] for row in link[:2]}
    assert given == set(kinds_of(ids, 0, 4))
    assert len(first["given"]) == 4 * K - K + K * (K - 1) / 2
    (agreed,) = facts["together"]["agreements"]
    assert (agreed["n_objects"], agreed["n_same"]) == (2 * K + 2, 2 * K)
    partner = dict(matches(tmp_path))
    lines = read_csv(tmp_path / "out/disputed.csv")
    both = [("anna", "kind 0", ""), ("ben", "kind 1", "")]
    said = [(row["id"], row["who"], row["answer"], row["settled"]) for row in lines[:4]]
    names = f"view0:{disputed}", f"view1:{partner[disputed]}"
    assert said == [(name, *one) for name in names for one in both]
    assert lines[4]["id"] == f"view0:{strange}"
    logs = {who: read_csv(tmp_path / who / "asked.csv") for who in ("anna", "ben")}
    said = [
        row | {"who": who, "rows": f"{row['id']}\nview1:{partner[row['id'].split(':')[1]]}"}
        for who, rows in logs.items()
        for row in rows
    ]
    assert read_csv(tmp_path / "out/answers.csv") == said
    report = (tmp_path / "out/report.html").read_text()
    assert "anna and ben agree about 6 of 8 objects that both answered (κ = 0.6" in report
    assert check_clustering(tmp_path / "out")[1:] == ([], [])


def test_disputes_are_settled_in_a_review_and_stay_settled(tmp_path, by_two):
    options, facts, disputed, strange = by_two
    shown = json.loads(mvcc("review", tmp_path / "out", "--json").stdout)["disputed"]
    assert [one["id"].split("\n")[0] for one in shown] == [f"view0:{disputed}", f"view0:{strange}"]
    number = facts["names"].index("kind 1")
    assert shown[0]["said"] == [
        {"who": "anna", "answer": "kind 0", "cluster": facts["names"].index("kind 0")},
        {"who": "ben", "answer": "kind 1", "cluster": number},
    ]
    assert shown[1]["said"][0] == {"who": "anna", "answer": "outlier", "cluster": None}
    said = [["id", "answer"], [shown[0]["id"], "kind 1"], [shown[1]["id"], "outlier"]]
    table = write_csv(tmp_path / "settled.csv", said)
    assert mvcc("review", tmp_path / "out", "--answers", table).returncode == 0
    for folder in ("out", "again"):
        settled = [row["settled"] for row in read_csv(tmp_path / folder / "disputed.csv")]
        assert settled == [str(number)] * 4 + ["-1"] * 4
        with ReviewSession(tmp_path / folder) as session:
            assert session.document(9)["disputed"] == []
            assert session.draft.decided_cluster([f"view0:{disputed}"]) == number
        assert "; 2 settled in" in list(read_facts(tmp_path / folder).together.in_words())[-1]
        if folder == "out":
            cluster(with_values(options, continues=str(tmp_path / "out")), tmp_path / "again")
    with ReviewSession(tmp_path / "out") as session:
        session.record([("", "undo")])
        assert [one["id"] for one in session.disputes()] == [shown[1]["id"]]
        session.record([("", "undo"), (str(number), "rename:of another name")])
        assert session.disputes() == shown


def test_nobodys_answer_is_lost_when_folders_are_gone_and_new_answers_count(tmp_path, by_two):
    options, facts, disputed, strange = by_two
    gone = ["ben"]
    shutil.move(tmp_path / "ben", tmp_path / "away")
    with open(tmp_path / "anna/asked.csv", "a") as file:
        file.write(f"view0:{disputed},kind 1,{WHEN}\n")
    for former, name in (("out", "june"), ("june", "july")):
        again = cluster(with_values(options, continues=str(tmp_path / former)), tmp_path / name)
        assert [who for who, _ in again["together"]["people"]] == ["anna", "ben"]
        assert len(again["together"]["disputed"]) == 1  # anna has changed her mind
        assert again["names"] == facts["names"]
        notes = [warning for warning in again["warnings"] if "is not there; " in warning]
        assert [Path(note.split()[0]).name for note in notes] == gone
        lines = read_csv(tmp_path / name / "answers.csv")
        assert len(lines) == 1 + len(read_csv(tmp_path / "out/answers.csv"))
        assert check_clustering(tmp_path / name)[1:] == ([], [])
        if name == "june":
            shutil.rmtree(tmp_path / "anna")
            gone = ["anna", "ben"]
    shutil.move(tmp_path / "away", tmp_path / "ben")
    with open(tmp_path / "ben/asked.csv", "a") as file:
        file.write(f"view0:{strange},outlier,{WHEN}\n")
    options = with_values(options, continues=str(tmp_path / "july"))
    assert cluster(options, tmp_path / "august")["together"]["disputed"] == []
    (tmp_path / "july/answers.csv").unlink()
    assert check_clustering(tmp_path / "july")[1] == ["answers.csv: it is missing."]


def test_answers_about_rows_that_are_gone_have_no_effect_and_are_counted(tmp_path, by_two):
    options, _, disputed, _ = by_two
    partners = dict(matches(tmp_path))
    keep_rows(tmp_path / "view0.csv", lambda row: row["id"] != disputed)
    keep_rows(tmp_path / "view1.csv", lambda row: row["id"] != partners[disputed])
    values = {"continues": str(tmp_path / "out"), "unknown": "skip", "n_clusters": "auto"}
    facts = cluster(with_values(options, **values), tmp_path / "june")
    assert [one["said"][0][1] for one in facts["together"]["disputed"]] == ["outlier"]
    assert "1 answered row of " in " ".join(facts["warnings"])


@pytest.mark.parametrize("by", ["review", "tables"])
def test_answers_are_used_again_when_a_match_of_an_answered_row_is_gone(tmp_path, by_two, by):
    options, facts, *_ = by_two
    pairs, one, other = matches(tmp_path), *ids_by_kind(tmp_path)["0"][:2]
    link = [dict(pairs)[one], dict(pairs)[other]]
    write_pairs(tmp_path / "anna/view1.csv", [*link, "must-link"])
    if by == "review":
        with ReviewSession(tmp_path / "out") as session:
            session.record([(f"view0:{one}\nview1:{link[0]}", "no match")])
    else:
        keep_rows(tmp_path / "view0-view1.csv", lambda row: row["view0"] != one)
    options = with_values(options, continues=str(tmp_path / "out"), n_clusters="auto")
    again = cluster(options, tmp_path / "june")
    assert again["together"]["people"] == facts["together"]["people"]
    assert len(again["views"][0]["given"]) == len(facts["views"][0]["given"])
    told = f"anna/view1.csv: 1 row that it names, such as '{link[0]}', is of no object that is"
    assert told in " ".join(again["warnings"])
    rerun = cluster_job(load_job(tmp_path / "june/cluster.yaml"), tmp_path / "again")
    assert rerun.together.people == read_facts(tmp_path / "june").together.people


@pytest.mark.parametrize("people", [["anna"], ["anna", "ben"]])
def test_groups_whose_rows_are_all_gone_do_not_count(tmp_path, options, ids, people):
    folders = [answered(tmp_path / who, kinds_of(ids, 0, 2)) for who in people]
    groups = [[f"kind {kind}", "\n".join(f"view0:{one}" for one in ids[kind][:2])] for kind in ids]
    for folder in folders:
        write_csv(folder / "groups.csv", [["name", "members"], *groups])
    keep_rows(tmp_path / "view0.csv", lambda row: row["id"] not in ids["0"][:2])
    answers = read_answered(options, *folders, unknown="skip").answers
    assert set(answers.groups) == {"kind 1", "kind 2"}
    assert answers.n_counted == 2


def test_groups_of_only_one_person_are_named_and_not_told_apart(tmp_path, options, ids):
    anna = answered(tmp_path / "anna", kinds_of(ids, 0, 2))
    ben = answered(tmp_path / "ben", kinds_of(ids, 2, 4, "Art {}"))
    inputs = read_answered(options, anna, ben)
    assert sum(row[2] for row in inputs.constraints[0].rows()) == 2 * K
    assert len(inputs.constraints[0]) == 2 * K + 2 * (K * (K - 1) // 2)
    told = list(inputs.answers.together.in_words())
    assert told[-1].startswith("Groups that only one person has: “kind ")
    assert "anna and ben agree about 0 of 0 objects that both answered." in told
    ben = answered(tmp_path / "ben", kinds_of(ids, 0, 2, "Art {}"))
    told = list(read_answered(options, anna, ben).answers.together.in_words())
    both = "“kind 0” of anna and “Art 0” of ben are one group, “kind 0”"
    assert f"{both}: most of their objects are common." in told


def test_what_sessions_have_written_is_merged_as_it_was_answered(tmp_path, options, ids):
    """One person alone, in two folders, is clustered by as if it were one folder."""
    for who, seen in (("anna", 6), ("ben", 12)):
        with session_of(options, tmp_path / who, n_clusters="auto") as session:
            answer_by(kinds_in(tmp_path).get, session, seen)
            constraints = session._questions.constraints
    answers = read_answered(options, tmp_path / "anna", tmp_path / "ben")
    assert answers.constraints == constraints


@pytest.mark.parametrize(
    ("folders", "message"),
    [
        (["anna", "ben/../anna"], r"anna is named twice \(--asked\)"),
        (["nobody"], r"nobody: there is no asked\.csv in it; name the folder that `mvcc ask` has"),
        (["anna", "named"], r"anna/asked\.csv and .*answers\.csv both have answers of 'anna', and"),
        (["anna", "by hand"], r"by hand/view0\.csv: it names '\w+', about which .* no answer"),
        (["anna", "foreign"], r"foreign/asked\.csv:2: view0 .* has no row with the id 'zz'"),
    ],
)
def test_folders_that_do_not_go_together_are_refused(tmp_path, options, ids, folders, message):
    answers = kinds_of(ids, 0, 2)
    for who in ("anna", "ben", "by hand"):
        answered(tmp_path / who, answers)
    answered(tmp_path / "foreign", {"zz": "kind 0"})
    others = [row["id"] for row in read_csv(tmp_path / "view0.csv") if row["id"] not in answers]
    write_pairs(tmp_path / "by hand/view0.csv", [*others[:2], "must-link"])
    lines = [[f"view0:{one}", "kind 9", WHEN, "anna"] for one in answers]
    write_csv(tmp_path / "named/answers.csv", [["id", "answer", "when", "who"], *lines])
    with pytest.raises((DataError, InvalidInputError), match=message):
        read_answered(options, *(tmp_path / folder for folder in folders))


def test_people_are_named_by_as_much_of_their_folders_as_tells_them_apart(tmp_path, options, ids):
    folders = [answered(tmp_path / who / "asked", kinds_of(ids, 0, 2)) for who in ("anna", "ben")]
    facts = cluster(asking(options, *folders), tmp_path / "out")
    assert facts["together"]["people"] == [["anna/asked", 2 * K], ["ben/asked", 2 * K]]
    dry = mvcc("cluster", tmp_path / "out/cluster.yaml", "--dry-run").stdout
    assert f"Answers of anna/asked ({2 * K}) and ben/asked ({2 * K}).\n" in dry
    again = cluster_job(load_job(tmp_path / "out/cluster.yaml"), tmp_path / "again")
    assert again.together.people == ((("anna/asked", 2 * K)), ("ben/asked", 2 * K))


def test_a_folder_that_is_not_as_deep_as_the_others_gives_its_whole_path(tmp_path, options, ids):
    deep = "/".join("1234567890")
    paths = [tmp_path / "ann", *(tmp_path / who / deep / "bob" for who in "xy")]
    folders = [answered(path, kinds_of(ids, 0, 2)) for path in paths]
    facts = cluster(asking(options, *folders), tmp_path / "out")
    names = [name for name, _ in facts["together"]["people"]]
    assert names == [f"/{paths[0]}", f"x/{deep}/bob", f"y/{deep}/bob"]


def test_people_keep_their_names_when_the_folder_of_another_is_gone(tmp_path, options, ids):
    folders = [answered(tmp_path / who / "anna", kinds_of(ids, 0, 2)) for who in "xy"]
    cluster(asking(options, *folders), tmp_path / "out")
    shutil.rmtree(folders[1])
    for former, name in (("out", "june"), ("june", "july")):
        facts = cluster(with_values(options, continues=str(tmp_path / former)), tmp_path / name)
        assert facts["together"]["people"] == [["x/anna", 2 * K], ["y/anna", 2 * K]]


def test_a_config_of_several_people_does_not_tell_whose_answers_new_ones_are(tmp_path, options):
    job = load_job(None, with_values(options, asked=["anna", "ben"]))
    config = tmp_path / "cluster.yaml"
    config.write_text(json.dumps(job.settings()))
    done = mvcc("ask", config, "--json")
    assert done.returncode == 2
    assert "say with --out which are yours" in done.stderr


def test_a_contradiction_names_the_line_of_the_answer(tmp_path, options, ids):
    said = kinds_of(ids, 0, 2)
    folders = [answered(tmp_path / who, said) for who in ("anna", "ben")]
    options = with_pairs(options, tmp_path / "pairs.csv", [*list(said)[:2], "cannot-link"])
    both = r"\(must-link, line 3 of anna/asked\.csv\).*\(cannot-link, line 2 of pairs\.csv\)"
    with pytest.raises(ConstraintConflictError, match=both):
        cluster(asking(options, *folders), tmp_path / "out")
