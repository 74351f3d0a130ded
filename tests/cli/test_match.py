"""``mvcc match`` proposes counterparts of unmatched rows, in a table that --match reads."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from mvcc.exceptions import ConfigError, DataError
from tests.command_line import invoke, mvcc
from tests.tables.problems import edit_facts, facts_of, read_csv, write_csv
from tests.tables.test_asked import log

N, KNOWN = 90, 60
COLUMNS = ["left", "right", "rank", "probability", "score"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two views of ninety things, sixty matched, and a third of forty; ids tell the thing."""
    rng = np.random.default_rng(0)
    things = rng.normal(size=(N, 2)) + 4 * (np.arange(N) % 2)[:, None]
    for name, width in (("left", 4), ("right", 3), ("third", 3)):
        X = things @ rng.normal(size=(2, width)) + 0.05 * rng.normal(size=(N, width))
        ids = rng.permutation(N if name != "third" else 40)
        rows = [[f"{name[0]}{n}", f"=title {n}", *X[n].round(6)] for n in ids]
        header = ["id", "title", *(f"x{d}" for d in range(width))]
        write_csv(tmp_path / f"{name}.csv", [header, *rows])
        if name != "left":
            pairs = [[f"l{n}", f"{name[0]}{n}"] for n in range(KNOWN if name == "right" else 19)]
            write_csv(tmp_path / f"{name}-matches.csv", [["left", name], *pairs])
    (tmp_path / "job.yaml").write_text(
        "views: {left: {path: left.csv, ignore: title}, right: {path: right.csv, ignore: title}}\n"
        "matches: {left:right: right-matches.csv}\n"
        "n_clusters: 2\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def thing(name):
    return int(name[1:])


def test_proposals_are_a_table_that_match_reads(folder):
    done = invoke("match job.yaml --out proposals.csv -n 20")
    first, second, third = done.stdout.splitlines()
    assert first == "60 matches; without one are 30 of left and 30 of right"
    assert second.startswith("Known matches that were cut for a test: found first ")
    assert third == "Proposals: proposals.csv (20 lines)"
    assert done.stderr.startswith("Next: delete the wrong lines, and add the rest to your matches")
    rows = read_csv("proposals.csv")
    assert list(rows[0]) == COLUMNS
    assert len(rows) == len({row["left"] for row in rows}) == 20
    assert min(thing(row[view]) for row in rows for view in ("left", "right")) >= KNOWN
    assert np.mean([thing(row["left"]) == thing(row["right"]) for row in rows]) > 0.6
    assert len({row["right"] for row in rows}) == 20
    probabilities = [float(row["probability"]) for row in rows]
    assert probabilities == sorted(probabilities, reverse=True)
    right = [row for row in rows if thing(row["left"]) == thing(row["right"])]
    write_csv(folder / "confirmed.csv", [COLUMNS, *(row.values() for row in right)])
    done = invoke("cluster job.yaml --match left:right=confirmed.csv --dry-run")
    assert f"left and right: {len(right)} matches" in done.stdout


def test_with_the_known_ones_they_take_the_place_of_the_matches(folder):
    show = "--show left=title --show right=title"
    done = invoke(f"match job.yaml {show} --out all.csv -n 4 --candidates 2 --with-known")
    assert "Proposals: all.csv (8 lines)" in done.stdout
    assert "--match left:right=all.csv takes the rest" in done.stderr
    rows = read_csv("all.csv")
    assert [row["rank"] for row in rows] == ["1", "2"] * 4 + ["known"] * KNOWN
    assert [row["probability"] == "" for row in rows[:8]] == [False, True] * 4
    assert all(len(row["probability"]) <= len("0.1234") for row in rows)
    for row in rows:
        assert row["left.title"] == f"'=title {thing(row['left'])}"
        assert row["right.title"] == f"'=title {thing(row['right'])}"
    done = invoke("cluster job.yaml --match left:right=all.csv --dry-run")
    assert "left and right: 68 matches" in done.stdout
    invoke("match job.yaml --out all.csv -n 2 --fresh")
    assert len(read_csv("all.csv")) == 2


def test_of_a_clustering_the_clusters_are_told_and_what_it_left_out_is_not_learned_from(folder):
    invoke("cluster job.yaml --no-comparison --stability-runs 0 --out results -q")
    found = json.loads(invoke("match --from results --json -n 30").stdout)
    assert found["columns"] == [*COLUMNS, "left.cluster", "right.cluster"]
    rows = [row for view in ("left", "right") for row in read_csv(f"results/{view}/labels.csv")]
    labels = {row["id"]: int(row["cluster"]) for row in rows}
    for row in found["rows"]:
        assert row[-2:] == [labels[row[0]], labels[row[1]]]
    facts = facts_of("results")
    i, j = facts["relations"][0]["pairs"][0]
    doubted = {"suspicious": [[i, j, 0.9, True]]}
    edit_facts("results", lambda facts: facts["relations"][0].update(doubted))
    without = json.loads(invoke("match --from results --json -n 99").stdout)
    assert without["n_matches"] == found["n_matches"] - 1
    assert facts["views"][0]["ids"][i] in [row[0] for row in without["rows"]]


def test_what_a_review_left_out_is_neither_known_nor_proposed(folder):
    invoke("cluster job.yaml --no-comparison --stability-runs 0 --out results -q")
    wrong = "left:l0\nleft:l0\nright:r0"
    lines = [["id", "answer"], [wrong, "no match"], ["left:l80", "outlier"]]
    write_csv(folder / "said.csv", lines)
    invoke("review results --answers said.csv")
    found = json.loads(invoke("match --from results --json -n 99 --with-known").stdout)
    assert ["l0", "r0"] not in [row[:2] for row in found["rows"]]
    assert found["n_matches"] == KNOWN - 1
    assert found["n_unmatched"] == [N - KNOWN, N - KNOWN + 1]
    assert "l80" not in {row[0] for row in found["rows"]}


def test_answers_are_about_the_objects_that_a_review_leaves(folder):
    log(folder / "asked", "left:l0,outlier")
    with open("right-matches.csv", "a") as file:
        file.write("l80,r0\n")
    invoke("cluster job.yaml --no-comparison --stability-runs 0 --out before -q")
    write_csv(folder / "said.csv", [["id", "answer"], ["left:l80\nright:r0", "no match"]])
    invoke("review before --answers said.csv")
    invoke("cluster job.yaml --no-comparison --out results --continue before --asked asked -q")
    found = json.loads(invoke("match --from results --json -n 99 --with-known").stdout)
    named = {name for row in found["rows"] for name in row[:2]}
    assert "l80" in named
    assert not {"l0", "r0"} & named


def test_a_table_of_numbered_rows_that_has_changed_is_refused(folder):
    frames = {name: pd.read_csv(f"{name}.csv", index_col="id") for name in ("left", "right")}
    numbers = [
        frame.index.get_indexer([f"{name[0]}{n}" for n in range(30)])
        for name, frame in frames.items()
    ]
    for name, frame in frames.items():
        frame.to_csv(f"{name}.csv", index=False)
    write_csv(folder / "right-matches.csv", [["left", "right"], *zip(*numbers, strict=True)])
    invoke("cluster job.yaml --no-comparison --stability-runs 0 --out results -q")
    invoke("match --from results --json")
    frames["left"].iloc[::-1].to_csv("left.csv", index=False)
    again = "cluster results/cluster.yaml --continue results --out NEW"
    with pytest.raises(DataError, match=rf"left\.csv has changed since .* anew: mvcc {again}$"):
        invoke("match --from results --json")
    invoke(f"{again} -q")


def test_in_place_of_a_refused_match_the_next_one_is_proposed(folder):
    invoke("cluster job.yaml --no-comparison --stability-runs 0 --out results -q")

    def proposed(n, candidates=1, *words):
        listed = f"match --from results --json -n {n} --candidates {candidates}"
        return json.loads(invoke(listed, *words).stdout)["rows"]

    ((first, *_),) = proposed(1)
    for _ in range(3):
        ((left, right, *_),) = proposed(1)
        line = [f"left:{left}\nright:{right}", "no match"]
        write_csv(folder / "said.csv", [["id", "answer"], line])
        invoke("review results --answers said.csv")
    assert [len(proposed(n)) for n in (1, 20)] == [1, 20]
    refused = {row["id"] for row in read_csv("results/corrections.csv")}
    assert len(refused) == 3
    for turned in ((), ("--between", "right:left")):
        rows = proposed(N, 4, *turned)
        assert [row[2] for row in rows] == [*range(1, 5)] * (len(rows) // 4)
        names = ["left:{0}\nright:{1}", "left:{1}\nright:{0}"][bool(turned)]
        assert not refused & {names.format(*row) for row in rows}
        assert first in {row[bool(turned)] for row in rows}


def test_two_of_three_views_may_be_chosen_in_either_order(folder):
    views = [f"--view={name}={name}.csv" for name in ("left", "right", "third")]
    matches = [f"--match=left:{name}={name}-matches.csv" for name in ("right", "third")]
    ignored = [f"--ignore={name}=title" for name in ("left", "right", "third")]
    words = ("match --json -n 3", *views, *matches, *ignored)
    message = r"known of left:right, left:third; choose one with --between"
    with pytest.raises(ConfigError, match=message):
        invoke(*words)
    there, back = (
        json.loads(invoke(*words, "--between", pair).stdout)
        for pair in ("left:right", "right:left")
    )
    assert there["columns"][:2] == ["left", "right"]
    assert back["columns"][:2] == ["right", "left"]
    assert there["n_unmatched"] == back["n_unmatched"] == [30, 30]
    with pytest.raises(DataError, match=r"left and third have 19 matches; 20 or more are needed"):
        invoke(*words, "--between", "left:third")


def test_where_nothing_is_left_to_propose_nothing_is_measured(folder):
    all_known = ([f"l{n}", f"r{n}"] for n in range(N))
    write_csv(folder / "right-matches.csv", [["left", "right"], *all_known])
    done = invoke("match job.yaml --json")
    assert "NaN" not in done.stdout
    assert json.loads(done.stdout)["found_first"] is None
    assert "was not measured" in invoke("match job.yaml --out none.csv").stdout


def test_what_takes_too_long_is_not_measured(folder, monkeypatch):
    monkeypatch.setattr("mvcc.tables.output._match._MOST_MEASURED", 899)
    done = invoke("match job.yaml --out proposals.csv")
    assert "was not measured" in done.stdout
    assert {row["probability"] for row in read_csv("proposals.csv")} == {""}
    assert "Proposals: proposals.csv (30 lines)" in done.stdout


NO_PAIR = "Matches are known of left:right; choose one with --between, not 'left:nothing'"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("", 2, "there are no tables"),
        ("job.yaml", 2, "the output file is missing"),
        ("job.yaml --from results --json", 2, "leave out CONFIG, or --from"),
        ("--from nowhere --json", 1, "nowhere holds no clustering: .* Name a folder"),
        ("--from job.yaml --json", 1, "job.yaml holds no clustering: .* Name a folder"),
        ("job.yaml --between left:nothing --json", 2, NO_PAIR),
        ("--view a=left.csv --json", 2, "known of no two views; .* give some with --match"),
        ("job.yaml --out right-matches.csv", 1, "would be overwritten"),
        ("job.yaml --out left.csv/x.csv", 1, "cannot be written"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(folder, words, code, message):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    done = mvcc("match", *words.split())
    assert (done.returncode, done.stdout) == (code, "")
    assert re.search(message, " ".join(done.stderr.split()))
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
