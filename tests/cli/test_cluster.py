"""``mvcc cluster``: tables by options or by a file, what it found, and refusals."""

import json
import os
import re
import shlex
import subprocess
import sys
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from mvcc.cli._outcome import _doubts
from mvcc.exceptions import ConfigError, ConstraintConflictError, DataError, StoreError
from mvcc.reporting import figures
from mvcc.results import parse_facts
from tests.browser.facts import make_facts
from tests.command_line import invoke, mvcc
from tests.tables.problems import facts_of, outputs, read_csv, write_problem, write_workbook

TABLES = "--view texts=texts.csv --view images=images.csv --match texts:images=matches.csv"
COLUMNS = "--labels-column texts=kind --labels-column images=kind"
PAIRS = "--constraints texts=pairs.csv"
OPTIONS = f"{TABLES} {PAIRS} {COLUMNS} -k 3"
N = 120  # rows of each table
CONFIG = """\
views:
  texts: {path: texts.csv, id_column: id, labels_column: kind}
  images: {path: images.csv, labels_column: kind}
matches: {"texts:images": matches.csv}
constraints: {texts: pairs.csv}
n_clusters: 3
"""


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Write two tables, matches, constraints and a config, beside a page of somebody else."""
    write_problem(tmp_path, n=N, n_matches=60, n_judged=40)
    names = {"view0": "texts", "view1": "images", "view0-view1": "matches", "judged0": "pairs"}
    for former, name in names.items():
        (tmp_path / f"{former}.csv").rename(tmp_path / f"{name}.csv")
    pairs = [list(row.values()) for row in read_csv(tmp_path / "matches.csv")]
    write_workbook(tmp_path / "matches.xlsx", [["Text", "Bild"], *pairs])
    (tmp_path / "cluster.yaml").write_text(CONFIG)
    (tmp_path / "README.md").write_text("Two tables and their config.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["mvcc", "cluster"])
    return tmp_path


def run(words, *more, code=0):
    """Run the command, unless it is asked for without the comparison, which takes longest."""
    quick = "" if "--comparison" in words else "--no-comparison"
    return invoke(f"cluster {words} {quick}", *more, code=code)


RANGE = f"{TABLES} {PAIRS} {COLUMNS} --out numbers"


def test_clusters_of_tables_without_matches_are_listed_and_named_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 30)
    for table, width in (("a", 2), ("b", 3)):
        X = pd.DataFrame(9 * y[:, None] + rng.normal(size=(60, width)))
        X.add_prefix(table).rename_axis("id").rename(index="r{}".format).to_csv(f"{table}.csv")
    printed = run("a.csv b.csv -k 2").stdout
    listed = re.findall(r"^  ([ab]):([01])  (.+) \(30 rows\)$", printed, re.MULTILINE)
    assert [(table, number) for table, number, _ in listed] == [*product("ab", "01")]
    for table, _, name in listed:
        assert set(re.findall(r"([ab])[0-9]", name)) == {table}


def test_a_range_of_numbers_shows_what_speaks_for_each_and_is_written_whole(data):
    lines = run(f"{RANGE} -k 2-3").stdout.splitlines()
    columns = "constraints kept,agreement,by chance,stability,smallest,largest"
    assert lines[0].split("  ")[2:] == columns.split(",")
    rows = read_csv("numbers/choosing_k.csv")
    assert [line.split()[0] for line in lines[1:3]] == [row["k"] for row in rows] == ["2", "3"]
    assert [line.split()[1] for line in lines[1:3]] == [f"{float(row['kept']):.2f}" for row in rows]
    assert (data / "numbers/choosing_k.png").read_bytes().startswith(b"\x89PNG")
    assert lines[3:5] == ["Table: numbers/choosing_k.csv", "Curves: numbers/choosing_k.png"]
    assert lines[5].startswith("No number was chosen. ")
    assert shlex.split(lines[6])[:2] == ["mvcc", "ask"]
    before = outputs("numbers", ".csv", ".png")
    with pytest.raises(StoreError, match=r"choosing_k\.csv exists\..* --fresh"):
        run(f"{RANGE} -k 2-3")
    stopped = patch.object(figures, "picture_of_numbers", side_effect=KeyError)
    with stopped, pytest.raises(KeyError):
        run(f"{RANGE} -k 3-4 --fresh")
    assert outputs("numbers", ".csv", ".png") == before
    found = json.loads(run(f"{RANGE} -k 2-3 --fresh --json").stdout)
    assert [(one["k"], one["rows"], one["all_rows"]) for one in found["tried"]] == [
        (k, 2 * N, 2 * N) for k in (2, 3)
    ]
    assert outputs("numbers", ".csv", ".png") == before


def test_a_range_says_where_it_looks_at_a_sample(data, monkeypatch):
    monkeypatch.setattr("mvcc.tables.fitting._comparison._MOST_ROWS", 150)
    monkeypatch.setattr("mvcc.tables.fitting._comparison._ROWS_PER_CLUSTER", 1)
    lines = run(f"{RANGE} -k 2-3").stdout.splitlines()
    found = re.fullmatch(r"These are of a sample: (\d+) of 240 rows\.", lines[3])
    assert 100 < int(found[1]) < 220


ASCEND = "must ascend from 2 or more, such as 2-12, got"
FOREIGN = r"holds README\.md, cluster\.yaml, images\.csv and more, but no clustering"


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ("-k 12-2 --out numbers", ConfigError, f"{ASCEND} 12-2"),
        ("-k 1-3 --out numbers", ConfigError, f"{ASCEND} 1-3"),
        ("-k 4-4 --out numbers", ConfigError, "got 4-4"),
        ("-k 2-121 --out numbers", DataError, "120 rows cannot be put into 121 clusters"),
        ("-k 2- --out numbers", ConfigError, "a whole number from 1 to 10\\^6, or auto"),
        ("-k 2-4 --out . --fresh", StoreError, r"holds README\.md\. Choose another folder"),
        ("-k 4 --out . --fresh", StoreError, FOREIGN),
        ("--id-column texts=kind --dry-run --json", DataError, r"texts\.csv"),
        ("--view images=texts.csv --dry-run --json", DataError, r"texts\.csv"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(data, words, error, message):
    before = sorted(data.rglob("*"))
    with pytest.raises(error, match=message):
        run(f"cluster.yaml {words}")
    assert sorted(data.rglob("*")) == before


def test_a_dry_run_reads_everything_and_writes_nothing(data):
    before = sorted(data.rglob("*"))
    found = json.loads(run("cluster.yaml -k 2-4 --dry-run --out results --json").stdout)
    assert sorted(data.rglob("*")) == before
    counts = [(view["rows"], view["columns"], view["constraints"]) for view in found["views"]]
    assert counts == [(N, 3, 40), (N, 3, 0)]
    assert found["matches"] == [{"views": ["texts", "images"], "matches": 60}]
    Path("matches.csv").write_text("texts,images\na0,b999\n")
    unknown = r"matches\.csv: 1 of 1 match .* 'b999' is not in images"
    with pytest.raises(DataError, match=unknown):
        run("cluster.yaml --dry-run")


def test_a_dry_run_checks_the_matches_that_a_former_result_leaves(data):
    with open("matches.csv", "a") as file:
        file.write("a1,b0\n")
    quick = "cluster.yaml --stability-runs 0"
    n_matches = "texts and images: {} matches"
    assert n_matches.format(61) in run(f"{quick} --dry-run").stdout
    run(f"{quick} --out may")
    Path("said.csv").write_text('id,answer\n"texts:a1\nimages:b0",no match\n')
    invoke("review may --answers said.csv")
    assert n_matches.format(60) in run(f"{quick} --continue may --dry-run").stdout


def test_a_dry_run_ends_as_the_run_would_on_a_contradiction(data):
    Path("pairs.csv").write_text("i,j,kind\na0,a1,must-link\na1,a0,cannot-link\n")
    with pytest.raises(ConstraintConflictError) as foreseen:
        run("cluster.yaml --dry-run")
    with pytest.raises(ConstraintConflictError) as met:
        run("cluster.yaml --out results")
    assert str(foreseen.value) == str(met.value)


def test_an_automatic_number_without_answers_is_refused_with_criteria_and_how_to_be_asked(data):
    tables = [*TABLES.split(), *COLUMNS.split()]
    done = mvcc("cluster", *tables, "-k", "auto", "--out", "results")
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["k", *map(str, range(2, 11)), "best"]
    assert [line[:19].strip() for line in lines[1:3]] == ["agreement of views", "eigengap"]
    assert lines[3:] == [
        "They are right two times in five and one in three; if they agree, three in five."
    ]
    (asking,) = re.findall(r"To be asked:\n  mvcc ask (.*) --out asked\n", done.stderr)
    assert sorted(shlex.split(asking)) == sorted(tables)
    found = json.loads(mvcc("cluster", *tables, "-k", "auto", "--dry-run", "--json").stdout)
    assert found["best"]["eigengap"] == 3
    alone = mvcc("cluster", "texts.csv", "-k", "auto").stdout
    assert alone.endswith("one time in three. Twenty rows matched with others would tell more.\n")
    judged = mvcc("cluster", "cluster.yaml", "-k", "auto", "--out", "results")
    assert (judged.returncode, judged.stdout) == (2, "")
    assert judged.stderr.endswith(
        "which is 0. Name two or more, or give a number. To be asked:\n  mvcc ask cluster.yaml\n"
    )
    assert not (data / "results/cluster.yaml").exists()


def test_one_of_a_kind_is_not_told_in_the_plural(data):
    Path("texts.csv").write_text("id,x\na,1\nb,2\n")
    Path("pairs.csv").write_text("i,j,kind\na,b,must-link\n")
    Path("matches.csv").write_text("a,b0\n")
    lines = run(f"{TABLES} {PAIRS} -k 2 --dry-run").stdout.splitlines()
    assert lines[0] == "texts: 2 rows, 1 of 2 columns used, 1 constraint (texts.csv)"
    assert "texts and images: 1 match" in lines
    printed = run("texts.csv -k 2 --stability-runs 0 --out alone").stdout
    assert printed.count(" (1 row)\n") == 2


def test_dropped_constraints_are_counted_and_many_clusters_cut(data):
    Path("pairs.csv").write_text("i,j,kind\na0,a1,must-link\na1,a0,cannot-link\n")
    words = f"{TABLES} {PAIRS} -k 14 --on-conflict drop --method co-em --stability-runs 0 --out o"
    printed = run(words).stdout
    assert "; 1 constraint given, 0 violated; 1 dropped;" in " ".join(printed.split())
    assert "\n… and 2 more clusters; see the report.\n" in printed


NAMELESS = "'texts' has no name, '=' and value, such as"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "there is nothing to cluster; give a CONFIG file, or tables: mvcc cluster a.csv"),
        ("--view texts=texts.csv", "the number of clusters is missing; give it with -k"),
        ("--view texts -k 2", f"{NAMELESS} --view texts="),
        ("--view =texts.csv -k 2", "'=texts.csv' has no name"),
        ("cluster.yaml --ignore texts", f"{NAMELESS} --ignore texts"),
        (f"{OPTIONS} --view texts=images.csv", "'texts' is given twice; keep one"),
        ("cluster.yaml other.yml", "one CONFIG at most, got cluster.yaml and other.yml"),
        ("a.xlsx --header a=0 -k 2", "a=0 is not a row of a sheet; write a whole number from 1 on"),
        ("cluster.yaml --match m.csv", "name the views: --match VIEW:VIEW=FILE"),
        ("texts.csv images.csv --match a.csv --match b.csv -k 4", "is given twice"),
    ],
)
def test_a_command_that_cannot_be_is_refused_with_exit_code_2(data, words, message):
    done = run(f"{words} --out o", code=2)
    assert message in " ".join(done.stderr.split())
    assert done.stdout == ""
    assert not (data / "o").exists()


@pytest.mark.parametrize(
    "option",
    ["--constraints sounds=pairs.csv", "--match sounds:texts=m.csv", "--ignore sounds=a", "-k few"],
)
def test_an_option_that_cannot_be_is_named_as_typed(data, option):
    with pytest.raises(ConfigError, match=rf"1 problem in cluster\.yaml:\n{option}: "):
        run(f"cluster.yaml {option} --dry-run")


def test_of_a_single_view_the_chosen_threshold_is_told_and_nothing_is_passed_on_or_doubted(data):
    one = "--view texts=texts.csv --labels-column texts=kind -k 3 --stability-runs 0 --method co-em"
    done = run(f"{one} {PAIRS} --base pck-means --threshold cv --out with")
    chosen = facts_of("with")["co_em"]["threshold"]
    assert f"\nThreshold: {chosen:g}, chosen by cross-validation\n" in done.stdout
    said = " ".join(done.stdout.split())
    assert re.search(r"; \d+ propagated, \d+ of them inferred; F against", said)
    done = run(f"{one} --out without")
    assert "propagated" not in done.stdout
    assert "No constraints were given" in done.stderr
    assert "may be wrong" not in done.stderr


def test_the_views_in_which_what_was_inferred_may_be_wrong_are_named():
    facts = make_facts((30, 20, 20))
    for view in facts["views"]:
        view["suspicious"] = True
    facts["views"][1].update(divergence=2.1, closest=[0, 1])
    facts["views"][2]["n_inferred"] = {"must_link": 0, "cannot_link": 0}
    said = "What was inferred for nearby rows of {} may be wrong: {}."
    overlap = "clusters 0 and 1 overlap (separation 2.1; below 5.5 is risky)"
    assert [*_doubts(parse_facts(facts))] == [
        said.format("texts", "the report says why"),
        said.format("images", overlap),
    ]
    facts["co_em"]["propagates"] = False
    assert not [*_doubts(parse_facts(facts))]


@pytest.mark.slow
def test_a_result_folder_repeats_itself_from_elsewhere_on_one_thread(data, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    invoke("cluster cluster.yaml --features texts=pca --stability-runs 1 --out one")
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
    words = f"-m mvcc cluster {data / 'one/cluster.yaml'} --out two"
    environment = os.environ | dict.fromkeys(names, "1")
    subprocess.run([sys.executable, *words.split()], cwd=elsewhere, env=environment, check=True)
    folders = (data / "one", elsewhere / "two")
    assert outputs(folders[0], ".csv") == outputs(folders[1], ".csv")
    one, two = map(facts_of, folders)
    for fact in (one, two):
        for key in ("finished", "seconds", "command", "settings", "inputs"):
            del fact[key]
        for part in (*fact["views"], *fact["relations"]):
            part["source"] = Path(part["source"]).name
    assert one == two
    assert one["n_clusters"] == 3


# tables and matches as they are, without a config and without names


def test_two_tables_and_matches_are_enough(data):
    words = "texts.csv images.csv --match matches.xlsx --constraints pairs.csv -k 3"
    run(f"{words} --stability-runs 0")
    facts = facts_of("results")
    assert [view["name"] for view in facts["views"]] == ["texts", "images"]
    assert [file["rows"] for file in facts["inputs"]] == [N, N, 60, 40]
    run("results/cluster.yaml --dry-run")
    with pytest.raises(StoreError, match=r"^results holds a clustering\. .* with --fresh\.$"):
        run(words)


@pytest.mark.parametrize(
    ("words", "views"),
    [
        ("images.csv --view w=texts.csv --match w:images=matches.xlsx -k 4", ["w", "images"]),
        ("cluster.yaml extra.csv", ["texts", "images", "extra"]),
    ],
)
def test_a_view_and_a_config_go_with_tables(data, words, views):
    (data / "extra.csv").write_text("id,x\na,1\nb,2\nc,3\nd,4\n")
    found = json.loads(run(f"{words} --dry-run --json").stdout)
    assert list(found["settings"]["views"]) == views
    assert found["matches"] == [{"views": views[:2], "matches": 60}]


def test_the_next_command_names_the_tables(data):
    named = "--view texts=texts.csv --view images=images.csv --match texts:images=matches.xlsx"
    with pytest.raises(ConfigError, match=f"mvcc ask {named}"):
        run("texts.csv images.csv --match matches.xlsx -k auto")
