"""``mvcc export`` writes the user's tables as they are, with the clusters beside."""

import csv
import gc
import json
import shutil
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import openpyxl
import pandas as pd
import pytest

from mvcc.exceptions import ConfigError, DataError, StoreError
from mvcc.tables import load_job, read_inputs
from mvcc.tables.output._export_formats import workbook_bytes
from mvcc.tables.output._former import read_former
from tests.command_line import invoke
from tests.tables.problems import cluster, edit_facts, options_of, outputs, read_csv, write_csv

COLUMNS = ("id", "code", "fit", "note", "=x", "y", "price")
NOTES = (
    *("=1+1", "+49 30 1", "-", "@SUM(A1)", "\tx", "\n=1"),
    *("-1,5", "+2.5e-3", "-5 %", "a;b", "", 'say "é"'),
)
SURE = ["probability", "second", "second_probability"]


@pytest.fixture(scope="module")
def clustered(tmp_path_factory):
    """Cluster a table of decimal commas, and one of Parquet with missing values."""
    folder = tmp_path_factory.mktemp("export")
    rng = np.random.default_rng(0)
    rows = [list(COLUMNS)]
    for n in range(24):
        note = NOTES[n % len(NOTES)]
        x, y = rng.normal(size=2) + n % 2 * 9
        numbers = (str(round(z, 3)).replace(".", ",") for z in (x, y))
        rows.append([f"r{n}", f"0{n:02}", f"fit {n}", note, *numbers, n])
    write_csv(folder / "one.csv", rows, ";")
    count = pd.array([None, *range(1, 24)], dtype="Float64")
    pd.DataFrame({"id": range(24), "x": rng.normal(size=24), "count": count}).to_parquet(
        folder / "two.parquet"
    )
    views = {"one": {"path": str(folder / "one.csv"), "ignore": ["code", "fit", "note"]}}
    cluster(options_of(views, n_clusters=2), folder / "alone")
    views["two"] = folder / "two.parquet"
    cluster(options_of(views, n_clusters=2, stability_runs=2), folder / "results")
    return folder


@pytest.fixture
def folder(clustered, tmp_path):
    """Copy the folder, so that its files may be changed."""
    return Path(shutil.copytree(clustered, tmp_path / "copy"))


def export(*words):
    return invoke("export", *words).stdout


def read_semicolons(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_a_folder_has_a_file_of_each_view_in_which_numbers_are_numbers(folder, tmp_path, ending):
    words = (folder / "results", "--out", tmp_path / "out", "--format", ending, "--json")
    files = json.loads(export(*words))["files"]
    assert [file["path"] for file in files] == [
        str(tmp_path / f"out/{name}.{ending}") for name in ("one", "two")
    ]
    read = pd.read_parquet if ending == "parquet" else pd.read_excel
    one = read(tmp_path / f"out/one.{ending}")
    assert list(one.columns) == [*COLUMNS, "cluster", *SURE, "stability", "fit_2"]
    before = read_semicolons(folder / "one.csv")
    assert one["=x"].tolist() == [float(row["=x"].replace(",", ".")) for row in before]
    assert one["price"].tolist() == list(range(24))
    assert one["cluster"].tolist() == [
        int(row["cluster"]) for row in read_csv(folder / "results/one/labels.csv")
    ]


def test_a_workbook_has_a_sheet_for_each_view_and_no_formulas(folder, tmp_path):
    export(folder / "results", "--out", tmp_path / "all.xlsx")
    book = openpyxl.load_workbook(tmp_path / "all.xlsx")
    assert book.sheetnames == ["one", "two"]
    assert {sheet.freeze_panes for sheet in book} == {"A2"}
    assert book["one"].column_dimensions["A"].width == 5
    cells = [cell for row in book["one"].iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    assert {cell.value for cell in cells if cell.quotePrefix} == {"=x", "=1+1"}
    with ZipFile(tmp_path / "all.xlsx") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}, "no time is kept"
        assert b"W3CDTF" not in archive.read("docProps/core.xml")


@pytest.mark.parametrize(
    ("called", "named"),
    [("a", [f"no {n}" for n in range(24)]), ("who", [24 - n for n in range(24)])],
    ids=["the matches named", "the matches called so, though another has the same"],
)
def test_the_ids_are_those_of_the_column_that(tmp_path, called, named):
    rows = [["id", "who", "x"], *([n + 1, one, n % 2 * 9 + n / 99] for n, one in enumerate(named))]
    views = {name: write_csv(tmp_path / f"{name}.csv", rows) for name in ("one", "two")}
    pairs = write_csv(tmp_path / "m.csv", [[called, "b"], *([one] * 2 for one in named[12:21])])
    cluster(options_of(views, {"one:two": pairs}, n_clusters=2), tmp_path / "results")
    export(tmp_path / "results", "--out", tmp_path / "out")
    labels = read_csv(tmp_path / "results" / "one" / "labels.csv")
    exported = read_csv(tmp_path / "out" / "one.csv")
    assert [row["id"] for row in labels] == [row["who"] for row in exported]
    assert [row["cluster"] for row in labels] == [row["cluster"] for row in exported]


def test_numbers_of_rows_below_one_without_a_value_are_the_same_everywhere(tmp_path):
    rows = [["x", "y"], *([n % 2 * 9 + n / 99, n % 2] for n in range(24))]
    rows[4] = ["", ""]  # the row 3
    views = {name: write_csv(tmp_path / f"{name}.csv", rows) for name in ("one", "two")}
    pairs = write_csv(tmp_path / "m.csv", [["one", "two"], *([n, n] for n in range(4, 24))])
    options = options_of(views, {"one:two": pairs}, n_clusters=2)
    cluster(options, tmp_path / "old")
    named = [str(n) for n in range(24) if n != 3]
    labels = read_csv(tmp_path / "old/one/labels.csv")
    assert [row["id"] for row in labels] == named
    invoke(
        "predict", tmp_path / "old", "--view", f"one={views['one']}", "--out", tmp_path / "p.csv"
    )
    assert [row["id"] for row in read_csv(tmp_path / "p.csv")] == named
    export(tmp_path / "old", "--out", tmp_path / "out.xlsx")
    exported = pd.read_excel(tmp_path / "out.xlsx", "one")
    assert exported["cluster"].tolist() == [int(row["cluster"]) for row in labels]
    job = load_job(None, [*options, (("continues",), str(tmp_path / "old"), "--continue")])
    job, former = read_former(job)
    assert former.strange(read_inputs(job)) == set(), "the table is the same"


def test_a_row_of_units_gets_no_cluster(tmp_path):
    rows = [["id", "x", "y"], ["", "kg", "mm"], *([f"r{n}", n % 2 * 9, n] for n in range(9))]
    path = write_csv(tmp_path / "one.csv", rows)
    cluster(options_of({"one": path}, {}, n_clusters=2), tmp_path / "old")
    export(tmp_path / "old", "--out", tmp_path / "out.csv")
    labels, exported = (read_csv(tmp_path / name) for name in ("old/one/labels.csv", "out.csv"))
    assert [row["id"] for row in exported] == [f"r{n}" for n in range(9)]
    assert [row["cluster"] for row in exported] == [row["cluster"] for row in labels]


def test_one_view_may_be_one_file_without_stability_and_with_names_and_outliers(folder, tmp_path):
    def name_and_leave_out(facts):
        view = facts["views"][0]
        view["names"] = ["=HYPERLINK()", "b"]
        for key in ("labels", "x", "y", "stability", "fit", *SURE):
            del view[key][5]
        for _, values in view["values"]:
            del values[5]
        view |= {"outliers": [view["ids"].pop(5)], "n_rows": 23}
        facts["profiles"] = []

    export(folder / "alone", "--out", tmp_path / "before.csv")
    assert list(read_semicolons(tmp_path / "before.csv")[0])[-5:] == ["cluster", *SURE, "fit_2"]
    edit_facts(folder / "alone", name_and_leave_out)
    export(folder / "alone", "--out", tmp_path / "mine.csv")
    rows = read_semicolons(tmp_path / "mine.csv")
    assert {row["cluster_name"] for row in rows} == {"'=HYPERLINK()", "b", ""}
    assert [rows[5][name] for name in ("cluster", "cluster_name", "fit_2")] == ["-1", "", ""]
    export(folder / "alone", "--out", tmp_path / "mine.parquet")
    assert pd.read_parquet(tmp_path / "mine.parquet")["fit_2"].isna().sum() == 1


def change_table(folder):
    path = folder / "one.csv"
    path.write_text(path.read_text().replace("r7;", "r77;"))


def changed(change):
    """Return what changes the facts of the first view."""
    return lambda folder: edit_facts(folder / "results", lambda facts: change(facts["views"][0]))


ANOTHER_NAME = changed(lambda view: view.update(name="another"))
ANOTHER_ID = changed(lambda view: view["ids"].__setitem__(3, "another"))
AGAIN = r".*mvcc cluster .*cluster\.yaml --continue .* --out NEW"
OTHER_VIEWS = r"cluster\.yaml does not have the views of clustering\.json: another, two"
LOST = r"two\.parquet: there is no such file\. If results was moved, correct its cluster\.yaml"
ONE_TABLE = r"out\.csv holds one table, and there are 2 views\. Name a folder"
ENDING = r"the ending '\.tsv' is none of \.csv, \.parquet, \.xlsx"
NO_FOLDER = r"cannot be written: .*where a folder must be"


def nothing(folder):
    pass


def lose_table(folder):
    (folder / "two.parquet").unlink()


@pytest.mark.parametrize(
    ("change", "words", "error", "message"),
    [
        (ANOTHER_NAME, "out", StoreError, OTHER_VIEWS),
        (change_table, "out", DataError, rf"one\.csv has changed since {AGAIN}"),
        (ANOTHER_ID, "out", DataError, r"one\.csv is as it was clustered, .* --out NEW"),
        (lose_table, "out", DataError, LOST),
        (nothing, "out.csv", ConfigError, ONE_TABLE),
        (nothing, "out.tsv", ConfigError, ENDING),
        (nothing, "out.xlsx --format csv", ConfigError, r"--format csv does not fit"),
        (nothing, "results/model.skops/x.xlsx", StoreError, NO_FOLDER),
        (nothing, ".", StoreError, r"one\.csv is read and would be overwritten"),
    ],
)
def test_what_cannot_be_exported_is_told_and_nothing_is_written(
    folder, monkeypatch, change, words, error, message
):
    monkeypatch.chdir(folder)
    change(folder)
    before = outputs(folder)
    with pytest.raises(error, match=message):
        export("results", "--out", *words.split())
    assert outputs(folder) == before


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("MOST_ROWS", 24, r"a sheet has at most 23 rows .*; one has 24"),
        ("_MOST_CHARACTERS", 5, r"cannot be in a workbook.* at most 5 others"),
    ],
)
def test_what_no_workbook_can_hold_is_told(folder, tmp_path, monkeypatch, name, value, message):
    monkeypatch.setattr(f"mvcc.tables.output._export_formats.{name}", value)
    with pytest.raises(DataError, match=message):
        export(folder / "results", "--out", tmp_path / "all.xlsx")
    assert not (tmp_path / "all.xlsx").exists()


def test_a_cell_that_is_refused_leaves_no_open_sheet(monkeypatch):
    """Or Python tells of an error of openpyxl below the message, whenever it finds the sheet."""
    ignored = []
    monkeypatch.setattr("sys.unraisablehook", ignored.append)
    with pytest.raises(DataError, match="cannot be in a workbook"):
        workbook_bytes({"one": pd.DataFrame({"x": ["fine", "\x01"]})}, "a.xlsx")
    gc.collect()
    assert not ignored
