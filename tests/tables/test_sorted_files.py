"""What people's files are is told by the ids that they hold."""

import re
from pathlib import Path

import pandas as pd
import pytest

from mvcc.exceptions import ConfigError, DataError
from mvcc.tables import sort_files
from tests.tables.problems import write_csv, write_workbook

WINE = [["Nr", "Säure"], *([f"W {n}", n / 4] for n in range(8))]
SOIL = [["Ort", "pH", "Ton"], *([f"ort-{n}", 6 + n / 9, n] for n in range(8))]
AIR = [["key", "rain"], *([100 + n, n] for n in range(8))]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "Weine 2024.csv", WINE, ";")
    write_csv(tmp_path / "böden.csv", SOIL)
    write_csv(tmp_path / "air.csv", AIR)
    write_csv(tmp_path / "paare.csv", [["a", "b"], *([f"W {n}", f"ort-{n}"] for n in range(5))])
    kinds = [["x", "y", "kind"], ["ort-1", "ort-2", "ML"], ["ort-1", "ort-3", "cannot"]]
    write_csv(tmp_path / "urteile.csv", kinds)
    write_workbook("places.xlsx", [["ort", "air"], *([f"ort-{n}", 100 + n] for n in range(4))])
    return ["Weine 2024.csv", "böden.csv", "air.csv", "paare.csv", "urteile.csv", "places.xlsx"]


def test_tables_matches_and_constraints_are_told_apart(files):
    found = sort_files(files)
    assert found.views == {"Weine_2024": files[0], "böden": files[1], "air": files[2]}
    assert found.matches == [("Weine_2024:böden", "paare.csv"), ("böden:air", "places.xlsx")]
    assert found.constraints == [("böden", "urteile.csv")]


def test_files_that_are_said_to_be_matches_are_not_tables(files):
    found = sort_files(files[:3], matches=files[5:], constraints=files[4:5])
    assert (len(found.views), found.matches) == (3, [("böden:air", "places.xlsx")])
    assert found.constraints == [("böden", "urteile.csv")]
    with pytest.raises(ConfigError, match=r"^paare.csv: the first columns, 'a' and 'b', do not ho"):
        sort_files(["air.csv", files[1]], {"v": "places.xlsx"}, matches=["paare.csv"])


def test_columns_of_constraints_are_found_by_name(tmp_path, files):
    rows = [["who", "J", "I", "why", "Kind"], ["me", "ort-1", "ort-2", "so", "ML"]]
    write_csv(tmp_path / "urteile.csv", rows)
    assert sort_files(files).constraints == [("böden", "urteile.csv")]
    found = sort_files(files[:3], constraints=files[4:5])
    assert found.constraints == [("böden", "urteile.csv")]


@pytest.mark.parametrize(
    ("name", "ids", "is_said"),
    [
        ("c", [100, 101, 102, 103, 104], True),
        ("points", [100, 101, 101, 103, 104], False),
        ("Air", [100, 101, 101, 103, 104], True),
        ("key", [100, 101, 101, 103, 104], True),
        ("c", ["L1", "L2", "L2", "L3", "L4"], True),
    ],
)
def test_a_third_column_of_ids_of_matches_has_a_note(tmp_path, files, name, ids, is_said):
    write_csv(tmp_path / "air.csv", [*AIR, *([f"L{n}", n] for n in range(5))])
    rows = [["a", "b", name], *([f"W {n}", f"ort-{n}", id] for n, id in enumerate(ids))]
    write_csv(tmp_path / "paare.csv", rows)
    words = f"paare.csv: the column '{name}' has ids of air.csv, but matches are of two tables."
    for found in (sort_files(files[:4]), sort_files(files[:3], matches=files[3:4])):
        assert found.matches == [("Weine_2024:böden", "paare.csv")]
        assert [note[: len(words)] for note in found.notes] == [words] * is_said


PLACES = [(f"{40 + n / 7:.6f}", f"{8 + n / 9:.6f}") for n in range(20)]
SHARED = {
    "the same ids": {
        name: [["id", "x", "y"], *([n, n**power % 7, n / 3] for n in range(9))]
        for power, name in enumerate("abc", 1)
    },
    "measurements of both": {
        "a": [["id", "north"], *([f"a{n}", north] for n, (north, _) in enumerate(PLACES))],
        "b": [["key", "east"], *([f"b{n}", east] for n, (_, east) in enumerate(PLACES))],
        "c": [["north", "east"], *PLACES],
    },
}


@pytest.mark.parametrize("shared", SHARED)
def test_tables_that_share_values_are_no_matches_of_each_other(tmp_path, shared):
    tables = SHARED[shared].items()
    paths = {name: write_csv(tmp_path / f"{name}.csv", rows) for name, rows in tables}
    assert sort_files([*paths.values()]).views == paths


def test_numbers_of_a_year_and_a_serial_number_name_rows(tmp_path):
    ids = [f"{1980 + n}.{n:04}" for n in range(12)]
    rows = [["number", "x"], *([own, n % 3] for n, own in enumerate(ids))]
    links = [["i", "j", "kind"], *([own, ids[0], "ML"] for own in ids[1:])]
    table, pairs = write_csv(tmp_path / "a.csv", rows), write_csv(tmp_path / "b.csv", links)
    assert sort_files([table], constraints=[pairs]).constraints == [("a", pairs)]


def test_a_file_of_pairs_names_tables_rather_than_other_pairs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, letter in (("people", "p"), ("orders", "p"), ("visits", "v")):
        rows = [["name", "a", "b"], *([f"{letter}{n}", n % 3, n % 3 + 7] for n in range(9))]
        write_csv(tmp_path / f"{name}.csv", rows)
    write_csv(tmp_path / "m1.csv", [["who", "orders"], *([f"p{n}", f"p{n}"] for n in range(5))])
    write_csv(tmp_path / "m2.csv", [["who", "visit"], *([f"p{n}", f"v{n}"] for n in range(5))])
    found = sort_files(["people.csv", "orders.csv", "visits.csv", "m1.csv", "m2.csv"])
    assert found.matches == [("people:orders", "m1.csv"), ("people:visits", "m2.csv")]
    assert list(found.views) == ["people", "orders", "visits"]


def test_pairs_in_other_words_are_of_the_table_that_has_their_ids_as_they_are_written(tmp_path):
    own = [["id", "x"], *([f"BW-{n:04}", n % 7] for n in range(12))]
    numbers = [["id", "y"], *([f"{n:04}", n % 5] for n in range(12))]
    pairs = [["one", "other", "same?"], *([f"BW-{n:04}", f"BW-{11 - n:04}", "ja"] for n in (1, 2))]
    pairs.append(["BW-0003", "BW-0000", "nein"])
    tables = {"own": own, "numbers": numbers, "pairs": pairs}
    found = sort_files([write_csv(tmp_path / f"{name}.csv", rows) for name, rows in tables.items()])
    assert ["two columns have ids of" in note for note in found.notes] == [True]


@pytest.mark.parametrize(
    ("wine", "has"), [("w {}", "'w 0' where Weine"), ("W 0{}", "'W 00' where")]
)
def test_pairs_of_ids_in_another_case_or_with_more_zeros_have_a_note(tmp_path, files, wine, has):
    rows = [["a", "b"], *([wine.format(n), f"ort-{n}"] for n in range(5))]
    write_csv(tmp_path / "paare.csv", rows)
    found = sort_files(files)
    assert "paare" in found.views, "two tables may share ids that one of them writes otherwise"
    (note,) = found.notes
    assert re.match(f"paare.csv: the column 'a' has {has}.* has 'W 0', so it was taken for", note)
    write_csv(tmp_path / "paare.csv", [["a", "b"], *([wine.format(n), n / 3] for n in range(5))])
    found = sort_files(files)
    assert ("paare" in found.views, found.notes) == (True, []), "a table with ids of another one"


def test_ids_of_matches_may_be_written_by_pandas_as_floats(tmp_path, files):
    write_csv(tmp_path / "air.csv", [["key", "rain"], *([100 + n, n / 7] for n in range(8))])
    rows = [["ort", "air", "by"], *([f"ort-{n}", f"{100 + n}.0", "me"] for n in range(5))]
    write_csv(tmp_path / "paare.csv", rows)
    assert sort_files(files[:4]).matches == sort_files(files[:3], matches=files[3:4]).matches
    rows = [["key", "weight", "by"], *([n, f"{100 + n % 7}.0", "me"] for n in range(8))]
    write_csv(tmp_path / "paare.csv", rows)
    assert "paare" in sort_files(files[:4]).views, "a table of numbers"


def test_of_tables_with_the_same_columns_none_is_matches_of_the_others(tmp_path):
    paths = []
    for name, values in {"c": 3, "b": 9, "a": 9}.items():
        rows = [["id", "x"], *([n, n % values] for n in range(9))]
        paths.append(write_csv(tmp_path / f"{name}.csv", rows))
    assert "c" in sort_files(paths).views


@pytest.mark.parametrize("columns", [["air", "böden"], ["KEY", "Ort"], ["Air", "ort"]])
def test_matches_called_like_the_tables_or_their_ids_may_name_a_row_often(tmp_path, files, columns):
    rows = [columns, *([100 + n % 2, f"ort-{n % 4}"] for n in range(8))]
    write_csv(tmp_path / "paare.csv", rows)
    assert sort_files(files[:4]).matches == [("air:böden", "paare.csv")]
    write_csv(tmp_path / "paare.csv", [["key", "c"], *rows[1:]])
    found = sort_files(files[:4])
    assert "paare" in found.views
    advice = "If these are matches, name the columns air and böden."
    said = f"it was taken for a table, though two columns have ids of two tables. {advice}"
    assert found.notes == [f"paare.csv: {said}"]


def test_a_file_called_like_two_tables_is_matches_even_if_its_ids_are_unknown(tmp_path, files):
    write_csv(tmp_path / "paare.csv", [["Böden", "air"], *([f"x{n}", f"y{n}"] for n in range(5))])
    found = sort_files(files[:4])
    assert (found.matches, found.notes) == ([("böden:air", "paare.csv")], [])


@pytest.mark.parametrize("value", [[1.5, 2.5], {"a": 1}])
def test_a_table_may_hold_lists(tmp_path, value):
    rows = pd.DataFrame({"id": range(6), "x": [n % 4 for n in range(6)], "more": [value] * 6})
    rows.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    rows.to_parquet(tmp_path / "b.parquet")
    for path in (str(tmp_path / "a.jsonl"), str(tmp_path / "b.parquet")):
        assert list(sort_files([path]).views.values()) == [path]


def test_names_of_views_are_names_and_distinct(tmp_path):
    rows = [["id", "x", "y", "z", "u"], *([n] * 5 for n in range(3))]
    for path in ("1 a!.csv", "x/y.csv", "---.csv", "Y.csv"):
        write_csv(tmp_path / path, rows)
    paths = [str(tmp_path / f"{name}.csv") for name in ("1 a!", "x/y", "---", "1 a!", "Y")]
    names = ["table_1_a", "y", "table", "table_1_a_2", "Y_2"]
    assert list(sort_files(paths).views) == names, "also where capitals do not count"


def test_of_two_tables_nothing_is_read():
    found = sort_files(["no.csv", "none.xlsx"], matches=["m.csv"])
    assert found.views == {"no": "no.csv", "none": "none.xlsx"}
    assert found.matches == [("no:none", "m.csv")]


@pytest.mark.parametrize("names", ["a", "abc"])
def test_folders_are_tables_without_being_read(tmp_path, names):
    folders = {name: str(tmp_path / name) for name in names}
    for folder in folders.values():
        Path(folder).mkdir()
    assert sort_files([*folders.values()]).views == folders
    (tmp_path / "a" / "cluster.yaml").touch()
    with pytest.raises(DataError, match=r"a: this is a folder\. Name the config in it, .*/a/clust"):
        sort_files([*folders.values()])


def test_where_both_columns_may_be_ids_of_both_tables_the_first_is_of_the_first_table(tmp_path):
    """Zeros are in front of the ids that the second column of matches names."""
    first = [["id", "x", "z"], *([n, -n / 8, n * n] for n in range(1, 7))]
    second = [["code", "id", "y"], *([7 - n, n, n / 8] for n in range(1, 7))]
    pairs = [["left", "right"], *([n, f"{7 - n:03}"] for n in range(1, 5))]
    tables = {"first": first, "second": second, "pairs": pairs}
    paths = [write_csv(tmp_path / f"{name}.csv", rows) for name, rows in tables.items()]
    assert sort_files(list(map(str, paths))).matches == [("first:second", str(paths[2]))]
