"""``mvcc cluster`` takes tables and matches as they are, without a config and without names."""

from __future__ import annotations

import json

import openpyxl
import pytest
from click.testing import CliRunner

from mvcc.cli import cli
from mvcc.exceptions import ConfigError, StoreError
from tests.tables.problems import read_csv, write_csv
from tests.texts_and_images import write_texts_and_images


@pytest.fixture
def data(tmp_path, monkeypatch):
    write_texts_and_images(tmp_path)
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    for record in [["Text", "Bild"], *(list(row.values()) for row in read_csv("matches.csv"))]:
        book.active.append(record)
    book.save("Paare.xlsx")
    return tmp_path


def run(*arguments, code=0):
    done = CliRunner().invoke(cli, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


QUICK = ("-k", 4, "--no-comparison", "--stability-runs", 0)


def test_two_tables_and_matches_are_enough(data):
    run("cluster", "texts.csv", "images.csv", "--match", "Paare.xlsx", *QUICK)
    facts = json.loads((data / "results" / "clustering.json").read_text())
    assert [view["name"] for view in facts["views"]] == ["texts", "images"]
    assert [file["rows"] for file in facts["inputs"]] == [240, 320, 60]
    assert run("cluster", "results/cluster.yaml", "--dry-run").exit_code == 0
    with pytest.raises(StoreError, match=r"^results holds a clustering\. .* with --fresh\.$"):
        run("cluster", "texts.csv", "images.csv", "--match", "Paare.xlsx", *QUICK)


def test_files_of_all_kinds_are_told_apart(data):
    write_csv(data / "sounds.csv", [["id", "loud"], *([f"s{n}", n % 7] for n in range(30))])
    write_csv(
        data / "more.csv", [["sounds", "images"], *([f"s{n}", f"image-00{n}"] for n in range(9))]
    )
    files = ("texts.csv", "images.csv", "sounds.csv", "Paare.xlsx", "more.csv", "pairs.csv")
    done = json.loads(run("cluster", *files, "-k", 4, "--dry-run", "--json").stdout)
    assert [view["constraints"] for view in done["views"]] == [40, 0, 0]
    assert done["settings"]["matches"] == {
        "texts:images": "Paare.xlsx", "sounds:images": "more.csv"
    }  # fmt: skip
    with_options = ("--match", "more.csv", "--constraints", "pairs.csv", "--match", "Paare.xlsx")
    same = run("cluster", *files[:3], *with_options, "-k", 4, "--dry-run", "--json").stdout
    assert json.loads(same)["views"] == done["views"]


def test_a_view_and_a_config_go_with_tables(data):
    done = run("cluster", "images.csv", "--view", "words=texts.csv", "-k", 4, "--dry-run", "--json")
    assert list(json.loads(done.stdout)["settings"]["views"]) == ["words", "images"]
    (data / "extra.csv").write_text("id,x\na,1\nb,2\nc,3\nd,4\n")
    done = run("cluster", "cluster.yaml", "extra.csv", "--dry-run", "--json")
    assert list(json.loads(done.stdout)["settings"]["views"]) == ["texts", "images", "extra"]


@pytest.mark.parametrize(("arguments", "message"), [
    (["cluster.yaml", "other.yml"], "one CONFIG at most, got cluster.yaml and other.yml"),
    (["cluster.yaml", "--match", "m.csv"], "name the views: --match VIEW:VIEW=FILE"),
    (["texts.csv", "images.csv", "--match", "a.csv", "--match", "b.csv"], "is given twice"),
])  # fmt: skip
def test_what_cannot_be_is_refused(data, arguments, message):
    assert message in run("cluster", *arguments, "-k", 4, code=2).output


def test_the_next_command_names_the_tables(data):
    named = "--view texts=texts.csv --view images=images.csv --match texts:images=Paare.xlsx"
    with pytest.raises(ConfigError, match=f"mvcc ask {named}"):
        run("cluster", "texts.csv", "images.csv", "--match", "Paare.xlsx", "-k", "auto")
