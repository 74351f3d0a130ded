"""``mvcc cluster`` takes tables and matches as they are, without a config and without names."""

import json

import openpyxl
import pytest

from mvcc.exceptions import ConfigError, StoreError
from tests.command_line import invoke
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


QUICK = "-k 4 --no-comparison --stability-runs 0"


def test_two_tables_and_matches_are_enough(data):
    words = f"cluster texts.csv images.csv --match Paare.xlsx {QUICK}"
    invoke(words)
    facts = json.loads((data / "results" / "clustering.json").read_text())
    assert [view["name"] for view in facts["views"]] == ["texts", "images"]
    assert [file["rows"] for file in facts["inputs"]] == [240, 320, 60]
    invoke("cluster results/cluster.yaml --dry-run")
    with pytest.raises(StoreError, match=r"^results holds a clustering\. .* with --fresh\.$"):
        invoke(words)


def test_files_of_all_kinds_are_told_apart(data):
    write_csv(data / "sounds.csv", [["id", "loud"], *([f"s{n}", n % 7] for n in range(30))])
    write_csv(
        data / "more.csv", [["sounds", "images"], *([f"s{n}", f"image-00{n}"] for n in range(9))]
    )
    tables, pairs = "cluster -k 4 --dry-run --json texts.csv images.csv sounds.csv", "pairs.csv"
    done = json.loads(invoke(f"{tables} Paare.xlsx more.csv {pairs}").stdout)
    assert [view["constraints"] for view in done["views"]] == [40, 0, 0]
    matches = {"texts:images": "Paare.xlsx", "sounds:images": "more.csv"}
    assert done["settings"]["matches"] == matches
    options = f"--match more.csv --constraints {pairs} --match Paare.xlsx"
    assert json.loads(invoke(f"{tables} {options}").stdout)["views"] == done["views"]


def test_a_view_and_a_config_go_with_tables(data):
    (data / "extra.csv").write_text("id,x\na,1\nb,2\nc,3\nd,4\n")
    for words, views in (
        ("images.csv --view words=texts.csv -k 4", ["words", "images"]),
        ("cluster.yaml extra.csv", ["texts", "images", "extra"]),
    ):
        done = invoke(f"cluster {words} --dry-run --json")
        assert list(json.loads(done.stdout)["settings"]["views"]) == views


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("cluster.yaml other.yml", "one CONFIG at most, got cluster.yaml and other.yml"),
        ("cluster.yaml --match m.csv", "name the views: --match VIEW:VIEW=FILE"),
        ("texts.csv images.csv --match a.csv --match b.csv", "is given twice"),
    ],
)
def test_what_cannot_be_is_refused(data, words, message):
    assert message in invoke(f"cluster {words} -k 4", code=2).output


def test_the_next_command_names_the_tables(data):
    named = "--view texts=texts.csv --view images=images.csv --match texts:images=Paare.xlsx"
    with pytest.raises(ConfigError, match=f"mvcc ask {named}"):
        invoke("cluster texts.csv images.csv --match Paare.xlsx -k auto")
