"""``mvcc cluster`` takes tables by options or by a file, says what it found and where it is, and
refuses in words.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from mvcc.cli._cluster import cluster as command
from mvcc.exceptions import (
    ConfigError,
    ConstraintConflictError,
    DataError,
    InvalidInputError,
    StoreError,
)
from tests.command_line import mvcc
from tests.texts_and_images import write_texts_and_images

OPTIONS = [
    *(
        "--view",
        "texts=texts.csv",
        "--view",
        "images=images.csv",
        "--match",
        "texts:images=matches.csv",
    ),
    *(
        "--constraints",
        "texts=pairs.csv",
        "--labels-column",
        "texts=topic",
        "--id-column",
        "texts=id",
        "-k",
        "4",
    ),
]
BY_CO_EM = [*OPTIONS, "--method", "co-em", "--threshold", "0.4"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    write_texts_and_images(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["mvcc", "cluster"])
    return tmp_path


def run(*arguments, code=0):
    """Run the command; unless it is asked for, without the comparison, which takes most of the
    time.
    """
    if "--comparison" not in arguments:
        arguments = (*arguments, "--no-comparison")
    done = CliRunner().invoke(command, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


def outputs(folder, ending=".csv"):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(Path(folder).rglob(f"*{ending}"))
    }


TEXT_COLUMNS = [
    r"  id +left out  names the rows; text-000 \| text-001",
    r"  topic +left out  labels; \w+ \| \w+",
    r"  word_1 … word_12 \(12\)  number    \d \| \d",
]
IMAGE_COLUMNS = [
    r"  id +left out  names the rows; image-000 \| image-001",
    r"  color_1 … color_8 \(8\)  number    [\d.]+ \| [\d.]+",
]


def are_like(lines, patterns):
    return len(lines) == len(patterns) and all(map(re.fullmatch, patterns, lines))


def unbroken(printed):
    """Return the lines of what was printed, with sentences that were broken put together.

    The entries of a list have two spaces between their parts.
    """
    return re.sub(r"\n +(?=\S+(?: \S+)*$)", " ", printed, flags=re.MULTILINE).splitlines()


def test_it_says_what_it_found_and_where_it_is(data):
    printed = run(*OPTIONS, "--stability-runs", 2, "--out", "results").stdout
    assert max(map(len, printed.splitlines())) <= 80
    lines = unbroken(printed)
    assert lines[0] == "4 clusters in texts (240 rows) and images (320 rows)."
    clusters = [
        re.fullmatch(r"  (\d)  .*word_\d.* / .*color_\d.* \((\d+) \+ (\d+) rows\)", line)
        for line in lines[1:5]
    ]
    assert [found[1] for found in clusters] == ["0", "1", "2", "3"]
    assert [sum(int(found[view]) for found in clusters) for view in (2, 3)] == [240, 320]
    said = "texts: 240 rows; 12 of 14 columns used; 40 constraints given, 0 violated; "
    assert lines[5].startswith(said)
    assert "; agreement of stability runs " in lines[5]
    assert "; F against the labels " in lines[5]
    assert are_like(lines[6:9], TEXT_COLUMNS)
    assert re.match(
        r"images: 320 rows; 8 of 9 columns used; 0 constraints given, 0 violated; "
        r"\d+ rows moved by constraints; ",
        lines[9],
    )
    assert are_like(lines[10:12], IMAGE_COLUMNS)
    assert lines[12:] == ["Clusters: results/*/labels.csv", "Report: results/report.html"]
    assert (data / "results/report.html").stat().st_size > 10_000


def test_it_says_first_whether_it_helps(data):
    options = [*OPTIONS, "--stability-runs", 0, "--comparison"]
    lines = unbroken(run(*options, "--out", "results").stdout)
    share = r"\d+ %"
    lead = "Not clearly better than k-means on each table"
    said = f"{lead}: this clustering keeps {share} of held-out constraints"
    others = f"k-means {share}, without constraints {share}"
    assert re.fullmatch(rf"{said}, {others}\.", lines[1])
    more = unbroken(run(*options, "--compare-co-em", "--out", "more").stdout)[1]
    assert re.fullmatch(rf"{said}, {others}, the paper's method {share}\.", more)
    cut = (
        rf"{share} of 60 matched rows share their cluster even without their match \({share} by"
        r" chance\)"
    )
    assert re.fullmatch(rf"4 clusters in .*\); {cut}\.", lines[0])
    assert lines[1] in (data / "results/report.html").read_text(encoding="utf-8").replace(
        "&#39;", "'"
    ).replace("\u00a0", " ")
    again = run("results/cluster.yaml", "--comparison", "--out", "again", "--json").stdout
    assert json.loads(again)["comparison"]["sentence"] == lines[1]
    assert json.loads(run(*OPTIONS, "--out", "off", "--json").stdout)["comparison"] is None


def test_a_range_of_numbers_shows_what_speaks_for_each(data):
    tables = [word for word in OPTIONS if word not in ("-k", "4")]
    lines = run(*tables, "-k", "2-4", "--out", "numbers").stdout.splitlines()
    assert lines[0].split("  ")[2:] == [
        "constraints kept",
        "agreement",
        "by chance",
        "stability",
        "smallest",
        "largest",
    ]
    rows = list(csv.DictReader((data / "numbers/choosing_k.csv").read_text().splitlines()))
    assert [line.split()[0] for line in lines[1:4]] == [row["k"] for row in rows] == ["2", "3", "4"]
    assert [line.split()[1] for line in lines[1:4]] == [f"{float(row['kept']):.2f}" for row in rows]
    assert (data / "numbers/choosing_k.png").read_bytes().startswith(b"\x89PNG")
    assert lines[4:6] == ["Table: numbers/choosing_k.csv", "Curves: numbers/choosing_k.png"]
    assert lines[6].startswith("No number was chosen. ")
    assert shlex.split(lines[7])[:2] == ["mvcc", "ask"]
    before = outputs(data / "numbers")
    with pytest.raises(StoreError, match=r"choosing_k\.csv exists\..* --fresh"):
        run(*tables, "-k", "2-4", "--out", "numbers")
    found = json.loads(run(*tables, "-k", "2-4", "--out", "numbers", "--fresh", "--json").stdout)
    assert [(one["k"], one["rows"], one["all_rows"]) for one in found["tried"]] == [
        (k, 560, 560) for k in (2, 3, 4)
    ]
    assert outputs(data / "numbers") == before


def test_a_range_says_where_it_looks_at_a_sample(data, monkeypatch):
    monkeypatch.setattr("mvcc.tables.fitting._comparison._MOST_ROWS", 300)
    monkeypatch.setattr("mvcc.tables.fitting._comparison._ROWS_PER_CLUSTER", 1)
    tables = [word for word in OPTIONS if word not in ("-k", "4")]
    lines = run(*tables, "-k", "2-3", "--out", "numbers").stdout.splitlines()
    found = re.fullmatch(r"These are of a sample: (\d+) of 560 rows\.", lines[3])
    assert 200 < int(found[1]) < 450


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("12-2", ConfigError, "must ascend from 2 or more, such as 2-12, got 12-2"),
        ("1-3", ConfigError, "must ascend from 2 or more, such as 2-12, got 1-3"),
        ("4-4", ConfigError, "got 4-4"),
        ("2-241", DataError, "240 rows cannot be put into 241 clusters"),
        ("2-", ConfigError, "a whole number from 1 to 10\\^6, or auto"),
    ],
)
def test_a_range_that_cannot_be_is_refused_and_nothing_is_written(data, text, error, words):
    with pytest.raises(error, match=words):
        run("cluster.yaml", "-k", text, "--out", "numbers")
    assert not (data / "numbers").exists()


def test_a_range_is_not_written_beside_other_files(data):
    with pytest.raises(StoreError, match=r"holds README\.md\. Choose another folder"):
        run("cluster.yaml", "-k", "2-4", "--out", ".", "--fresh")


def test_co_em_says_how_many_matched_rows_agree(data):
    lines = unbroken(run(*BY_CO_EM, "--stability-runs", 2, "--out", "results").stdout)
    agree = r"\d+ % of 60 matched rows share their cluster \(\d+ % by chance\)"
    assert re.fullmatch(
        rf"4 clusters in texts \(240 rows\) and images \(320 rows\); {agree}\.", lines[0]
    )
    assert [line.split()[0] for line in lines[1:5]] == ["0", "1", "2", "3"]
    assert lines[5].startswith("texts: 240 rows; 12 of 14 columns used; 40 constraints given, ")
    assert "; agreement of stability runs " in lines[5]
    assert "; F against the labels " in lines[5]
    assert lines[9].startswith("images: 320 rows; 8 of 9 columns used; 0 constraints given, ")
    assert lines[-2:] == ["Clusters: results/*/labels.csv", "Report: results/report.html"]
    assert (data / "results/report.html").stat().st_size > 10_000


def test_options_and_a_file_give_the_same(data):
    run(*OPTIONS, "--out", "one")
    run("cluster.yaml", "--out", "two")
    assert outputs("one") == outputs("two")


OVERRIDES = {
    "n_clusters": ("-k", "3", 3),
    "method": ("--method", "co-em", "co-em"),
    "base": ("--method co-em --base", "pck-means", "pck-means"),
    "transfer": ("--method co-em --transfer", "direct-mapping", "direct-mapping"),
    "threshold": ("--method co-em --threshold", "0.5", 0.5),
    "threshold by cross-validation": ("--method co-em --threshold", "cv", "cv"),
    "closure": ("--method co-em --closure", "view", "view"),
    "on_conflict": ("--on-conflict", "drop", "drop"),
    "features": ("--features", "pca", "pca"),
    "n_components": ("--features pca --components", "2", 2),
    "stability_runs": ("--stability-runs", "0", 0),
    "seed": ("--seed", "9", 9),
    "views.texts.features": ("--features", "texts=none", "none"),
    "views.images.n_components": ("--features images=pca --components", "images=3", 3),
    "views.texts.id_column": ("--id-column", "texts=topic", None),
    "views.texts.labels_column": ("--labels-column", "texts=word_1", "word_1"),
    "views.texts.ignore": ("--ignore", "texts=word_1", ["word_1"]),
    "views.texts.columns": ("--columns", "texts=word_1,word_2", ["word_1", "word_2"]),
    "views.images.path": ("--view", "images=texts.csv", None),
    "matches.texts:images": ("--match", "texts:images=other.csv", "other.csv"),
    "constraints.texts": ("--constraints", "texts=other.csv", "other.csv"),
}


@pytest.mark.parametrize(("key", "option"), OVERRIDES.items(), ids=OVERRIDES)
def test_every_option_replaces_the_value_of_the_file(data, key, option):
    flag, text, expected = option
    for name in ("matches.csv", "pairs.csv"):
        if name in ("matches.csv" if "match" in key else "pairs.csv"):
            Path("other.csv").write_bytes(Path(name).read_bytes())
    if expected is None:  # a value that is understood, and then found to be wrong in the data
        with pytest.raises((DataError, InvalidInputError), match=r"texts\.csv"):
            run("cluster.yaml", *flag.split(), text, "--dry-run", "--json")
        return
    found = json.loads(run("cluster.yaml", *flag.split(), text, "--dry-run", "--json").stdout)[
        "settings"
    ]
    for part in key.split(" ")[0].split("."):
        found = found[part]
    assert found == expected


def test_ignore_may_be_given_for_many_columns(data):
    done = run(
        "cluster.yaml",
        "--ignore",
        "texts=word_1",
        "--ignore",
        "texts=word_2, word_3",
        "--dry-run",
        "--json",
    )
    assert json.loads(done.stdout)["views"][0]["columns"] == 9


def test_a_dry_run_reads_everything_and_writes_nothing(data):
    before = sorted(data.rglob("*"))
    lines = run("cluster.yaml", "--dry-run", "--out", "results").stdout.splitlines()
    patterns = [
        r"texts: 240 rows, 12 of 14 columns used, 40 constraints \(texts\.csv\)",
        *TEXT_COLUMNS,
        "  features: 12 columns, in one unit, as they are",
        r"images: 320 rows, 8 of 9 columns used, 0 constraints \(images\.csv\)",
        *IMAGE_COLUMNS,
        "  features: 8 columns, in one unit, as they are",
        "texts and images: 60 matches",
        "All files are valid. Nothing was written.",
    ]
    assert are_like(lines, patterns), lines
    assert sorted(data.rglob("*")) == before
    Path("matches.csv").write_text("texts,images\ntext-000,image-999\n")
    with pytest.raises(
        DataError, match=r"matches\.csv: 1 of 1 match .* 'image-999' is not in images"
    ):
        run("cluster.yaml", "--dry-run")


def test_a_dry_run_ends_as_the_run_would_on_a_contradiction(data):
    first, second = Path("pairs.csv").read_text().splitlines()[1:3]
    i, j, _, _ = (first if "must-link" in first else second).split(",")
    Path("pairs.csv").write_text(f"i,j,kind\n{i},{j},must-link\n{j},{i},cannot-link\n")
    with pytest.raises(ConstraintConflictError) as foreseen:
        run("cluster.yaml", "--dry-run")
    with pytest.raises(ConstraintConflictError) as met:
        run("cluster.yaml", "--out", "results")
    assert str(foreseen.value) == str(met.value)


def test_answers_name_clusters_and_give_their_number(data):
    topic = {
        row["id"]: row["topic"]
        for row in csv.DictReader(Path("texts.csv").read_text().splitlines())
    }
    matched = [
        row["texts"] for row in csv.DictReader(Path("matches.csv").read_text().splitlines())
    ][:30]
    groups = {
        name: [one for one in matched[1:] if topic[one] == name]
        for name in sorted(set(topic.values()))
    }
    Path("said").mkdir()
    said = [
        *([f"texts:{own[0]},new:{name},t"] for name, own in groups.items()),
        [f"texts:{matched[0]},outlier,t"],
    ]
    Path("said/asked.csv").write_text(
        "\n".join(["id,answer,when", *(line for (line,) in said), ""])
    )
    members = {name: "\n".join(f"texts:{one}" for one in own) for name, own in groups.items()}
    listed = (f'{name},"{own}",yes' for name, own in members.items())
    Path("said/groups.csv").write_text("\n".join(["name,members,counted", *listed, ""]))
    tables = [
        word for word in OPTIONS if word not in ("-k", "4", "--constraints", "texts=pairs.csv")
    ]
    dry = run(*tables, "--asked", "said", "-k", "auto", "--dry-run").stdout
    assert "answers: 4 groups, 2 rows of outliers\n" in dry
    done = run(*tables, "--asked", "said", "-k", "auto", "--stability-runs", 0, "--out", "results")
    names = re.findall(r"^  \d  (\w+) \(\d+ \+ \d+ rows\)$", done.stdout, re.MULTILINE)
    assert sorted(names) == list(groups)
    assert f"\nNames: {Path('said/groups.csv')}\n" in done.stdout
    assert (
        "Note: Left out as 1 outlier: 1 row of texts, 1 row of images, 0 constraints and 1 match."
        in done.stderr
    )
    assert (
        "Note: The number of clusters is not settled: 0 answers named a group since" in done.stderr
    )
    outcome = json.loads(
        run("results/cluster.yaml", "--out", "again", "--stability-runs", 0, "--json").stdout
    )
    assert [(sorted(view["names"]), view["outliers"]) for view in outcome["views"]] == [
        (list(groups), 1)
    ] * 2
    assert outputs(data / "results") == outputs(data / "again")


def test_without_answers_an_automatic_number_is_refused_with_criteria_and_the_command_that_asks(
    data,
):
    tables = [
        word for word in OPTIONS if word not in ("-k", "4", "--constraints", "texts=pairs.csv")
    ]
    done = mvcc("cluster", *tables, "-k", "auto", "--out", "results")
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["k", *map(str, range(2, 11)), "best"]
    assert [line[:19].strip() for line in lines[1:3]] == ["eigengap", "prediction strength"]
    assert lines[3:] == [
        "With four clusters or more, neither is right more than two times in five."
    ]
    (asking,) = re.findall(r"To be asked:\n  mvcc ask (.*) --out asked\n", done.stderr)
    assert sorted(shlex.split(asking)) == sorted(tables)
    found = json.loads(mvcc("cluster", *tables, "-k", "auto", "--dry-run", "--json").stdout)
    assert found["best"]["eigengap"] == 4
    judged = mvcc("cluster", "cluster.yaml", "-k", "auto", "--out", "results")
    assert (judged.returncode, judged.stdout) == (2, "")
    assert judged.stderr.endswith("there are no answers. Name two or more, or give a number. To be asked:\n"
                                  "  mvcc ask cluster.yaml\n")  # fmt: skip
    assert not (data / "results/cluster.yaml").exists()


def test_one_of_a_kind_is_not_told_in_the_plural(data):
    Path("texts.csv").write_text("id,x\na,1\nb,2\n")
    Path("pairs.csv").write_text("i,j,kind\na,b,must-link\n")
    Path("matches.csv").write_text("a,image-000\n")
    options = (
        "--match",
        "texts:images=matches.csv",
        "--constraints",
        "texts=pairs.csv",
        "--view",
        "images=images.csv",
    )
    lines = run("--view", "texts=texts.csv", *options, "-k", 2, "--dry-run").stdout.splitlines()
    assert lines[0] == "texts: 2 rows, 1 of 2 columns used, 1 constraint (texts.csv)"
    assert "texts and images: 1 match" in lines


def test_json_is_one_document_on_standard_output_and_nothing_else(data):
    done = run("cluster.yaml", "--stability-runs", 1, "--out", "results", "--json")
    outcome = json.loads(done.stdout)
    assert outcome["folder"] == "results"
    assert Path(outcome["report"]).exists()
    assert [view["name"] for view in outcome["views"]] == ["texts", "images"]
    assert all(Path(view["labels"]).exists() for view in outcome["views"])
    assert outcome["stability_runs"]["count"] == 1
    dry = json.loads(run("cluster.yaml", "--dry-run", "--json").stdout)
    assert dry["matches"] == [{"views": ["texts", "images"], "matches": 60}]
    assert [(view["rows"], view["columns"], view["constraints"]) for view in dry["views"]] == [
        (240, 12, 40),
        (320, 8, 0),
    ]


def test_quiet_prints_nothing_and_verbose_says_what_is_done(data):
    done = run("cluster.yaml", "--stability-runs", 1, "--out", "results", "--quiet")
    assert (done.stdout, done.stderr) == ("", "")
    done = run("cluster.yaml", "--stability-runs", 1, "--out", "results", "--fresh", "--verbose")
    for step in ("reading …", "clustering …", "stability run 1 of 1 …", "writing …"):
        assert step in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [],
            "there is nothing to cluster; give a CONFIG file, or tables: mvcc cluster a.csv b.csv",
        ),
        (
            ["--view", "texts=texts.csv", "--out", "o"],
            "the number of clusters is missing; give it with -k",
        ),
        (
            ["--view", "texts.csv", "-k", "2", "--out", "o"],
            "'texts.csv' has no name, '=' and value, such as --view texts=",
        ),
        (["--view", "=texts.csv", "-k", "2", "--out", "o"], "'=texts.csv' has no name"),
        (
            ["cluster.yaml", "--ignore", "texts", "--out", "o"],
            "'texts' has no name, '=' and value, such as --ignore texts",
        ),
        (["cluster.yaml", "--thresold", "cv"], "--threshold"),
        (
            [*OPTIONS, "--view", "texts=images.csv", "--out", "o"],
            "'texts' is given twice; keep one",
        ),
        (
            [*OPTIONS, "--constraints", "texts=more.csv", "--out", "o"],
            "'texts' is given twice; keep one",
        ),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "",
)
def test_a_command_that_cannot_be_is_refused_with_exit_code_2(data, arguments, message):
    done = run(*arguments, code=2)
    assert message in " ".join(done.stderr.split())
    assert done.stdout == ""
    assert not (data / "o").exists()


def test_mistakes_of_file_and_options_are_told_together(data):
    Path("cluster.yaml").write_text(
        Path("cluster.yaml").read_text().replace("stability_runs: 10", "stability_runs: many")
    )
    with pytest.raises(
        ConfigError,
        match=(
            r"(?s)3 problems.*cluster\.yaml:\d+: stability_runs: .*--method means: .*-k few:"
            r" n_clusters: "
        ),
    ):
        run("cluster.yaml", "--method", "means", "-k", "few", "--out", "results")


@pytest.mark.parametrize(
    "option",
    [
        *(
            "--constraints sounds=pairs.csv",
            "--match sounds:texts=matches.csv",
            "--features sounds=pca",
        ),
        *(
            "--components sounds=2",
            "--labels-column sounds=topic",
            "--id-column sounds=id",
            "--ignore sounds=topic",
        ),
    ],
)
def test_an_option_that_names_an_unknown_view_is_named_as_typed(data, option):
    with pytest.raises(ConfigError) as refusal:
        run("cluster.yaml", *option.split(), "--dry-run")
    _, line, last = str(refusal.value).splitlines()
    assert line.startswith(f"{option}: ")
    assert line.endswith(": there is no view 'sounds'. Known: texts, images.")
    assert last == "Correct it, then check again with: mvcc cluster cluster.yaml … --dry-run"


def test_a_foreign_folder_is_refused(data):
    with pytest.raises(
        StoreError,
        match=r"holds README\.md, cluster\.yaml, images\.csv and more, but no clustering",
    ):
        run("cluster.yaml", "--out", ".", "--fresh")


def test_warnings_are_notes_on_standard_error(data):
    done = run(
        *OPTIONS[:4], "-k", 4, "--ignore", "texts=topic", "--stability-runs", 0, "--out", "results"
    )
    assert (
        "Note: No three matches connect texts with images: each was clustered by itself"
        in done.stderr
    )
    assert "Note" not in done.stdout


def test_doubts_about_what_was_inferred_are_in_the_json_as_well(data):
    said = json.loads(run(*BY_CO_EM, "--stability-runs", 0, "--out", "results", "--json").stdout)[
        "warnings"
    ]
    facts = json.loads((data / "results/clustering.json").read_text("utf-8"))
    (view,) = (view for view in facts["views"] if view["suspicious"])
    one, other = view["closest"]
    overlap = (
        f"clusters {one} and {other} overlap (separation {view['divergence']:.2g}; below 5.5 is"
        " risky)"
    )
    doubt = f"What was inferred for nearby rows of {view['name']} may be wrong: {overlap}."
    assert said == [*facts["warnings"], doubt]


def test_a_single_view_passes_nothing_on_and_nothing_is_doubted_where_nothing_was_inferred(data):
    one = (
        "--view",
        "texts=texts.csv",
        "--labels-column",
        "texts=topic",
        "-k",
        4,
        "--stability-runs",
        0,
        "--method",
        "co-em",
    )
    done = run(*one, "--constraints", "texts=pairs.csv", "--threshold", "0.4", "--out", "with")
    said = "\n".join(unbroken(done.stdout))
    assert re.search(r"; \d+ propagated, \d+ of them inferred; F against", said)
    done = run(*one, "--out", "without")
    assert "propagated" not in done.stdout
    assert "No constraints were given" in done.stderr
    assert "may be wrong" not in done.stderr


def test_the_threshold_that_cross_validation_chose_is_printed(data):
    done = run(
        *BY_CO_EM[:-1], "cv", "--base", "pck-means", "--stability-runs", 0, "--out", "results"
    )
    chosen = json.loads((data / "results/clustering.json").read_text("utf-8"))["co_em"]["threshold"]
    assert f"\nThreshold: {chosen:g}, chosen by cross-validation\n" in done.stdout


def process(*arguments, cwd, **environment):
    command_line = [sys.executable, "-m", "mvcc", *map(str, arguments)]
    return subprocess.run(
        command_line,
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_ends_with_0_with_1_for_bad_data_and_with_2_for_bad_settings(data):
    assert mvcc("cluster", "cluster.yaml", "--dry-run", cwd=data).returncode == 0
    Path("pairs.csv").write_text("i,j,kind\ntext-000,text-0001,must-link\n")
    for arguments, code, message in (
        (
            (),
            1,
            (
                "mvcc: pairs.csv: 1 of 1 constraint names an unknown row (line 2:"
                " 'text-0001' is not in texts; did you mean 'text-001'?)."
                " Correct this file or texts.csv,"
            ),
        ),
        (("--base", "x"), 2, "mvcc: 1 problem in cluster.yaml:\n--base x: base: "),
        (("--features", "x"), 2, "mvcc: 1 problem in cluster.yaml:\n--features x: features: "),
    ):
        done = mvcc("cluster", "cluster.yaml", "--dry-run", *arguments, cwd=data)
        assert (done.returncode, done.stdout) == (code, "")
        assert done.stderr.startswith(message)


@pytest.mark.slow
def test_a_result_folder_repeats_itself_from_elsewhere_on_another_number_of_threads(
    data, tmp_path_factory
):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    settings = ("--features", "texts=pca", "--stability-runs", "1")
    one = process(
        "cluster", "cluster.yaml", *settings, "--out", "one", cwd=data, OMP_NUM_THREADS="1"
    )
    two = process("cluster", data / "one/cluster.yaml", "--out", "two", cwd=elsewhere, OMP_NUM_THREADS="2",
               OPENBLAS_NUM_THREADS="2", NUMBA_NUM_THREADS="2")  # fmt: skip
    assert (one.returncode, two.returncode) == (0, 0), one.stderr + two.stderr
    assert outputs(data / "one") == outputs(elsewhere / "two")
    facts = [
        json.loads((folder / "clustering.json").read_text("utf-8"))
        for folder in (data / "one", elsewhere / "two")
    ]
    for fact in facts:
        for key in ("finished", "seconds", "command", "settings", "inputs"):
            del fact[key]
        for part in (*fact["views"], *fact["relations"]):
            part["source"] = Path(part["source"]).name
    assert facts[0] == facts[1]
    settings = [
        yaml.safe_load((folder / "cluster.yaml").read_text())
        for folder in (data / "one", elsewhere / "two")
    ]
    assert settings[0]["n_clusters"] == settings[1]["n_clusters"] == 4


@pytest.mark.slow
def test_an_output_folder_whose_name_is_no_text_is_written_to(data):
    done = process(
        "cluster",
        "cluster.yaml",
        "--stability-runs",
        "0",
        "--out",
        b"r\xff".decode("utf-8", "surrogateescape"),
        cwd=data,
    )
    assert done.returncode == 0, done.stderr
    assert (
        json.loads((data / os.fsdecode(b"r\xff") / "clustering.json").read_text("utf-8"))["kind"]
        == "clustering"
    )
