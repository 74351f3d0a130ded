"""``mvcc predict``: new rows of every format get clusters, or nothing is written."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mvcc import load_model
from mvcc.exceptions import ConfigError, DataError, MvccError
from mvcc.tables import predict_files
from mvcc.tables.reading import _files, _parquet
from tests.command_line import invoke
from tests.tables.problems import (
    by_co_em,
    cluster,
    options_of,
    read_csv,
    write_csv,
    write_problem,
    write_workbook,
)


@pytest.fixture(scope="module")
def joint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("joint")
    options = write_problem(folder, n=40)
    cluster(options, folder / "out")
    cluster(by_co_em(options), folder / "co-em")
    return folder


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(_parquet, "_MOST_VALUES", 40)


def rows():
    new = pd.DataFrame(np.random.default_rng(1).normal(size=(40, 3)) * 4, columns=["z", "x", "y"])
    return new.assign(id=[f"new {number}" for number in range(40)], other="é")


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "txt": lambda frame, path: path.write_text(
        frame.to_csv(index=False, sep=";", quoting=1) + "\n\n"
    ),
    "parquet": lambda frame, path: frame.set_index("id").to_parquet(path),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
}


@pytest.mark.parametrize(
    ("method", "ending", "out"),
    [
        *(("out", ending, "labels.csv") for ending in WRITERS),
        *(("out", ending, "labels.parquet") for ending in ("csv", "parquet")),
        ("co-em", "csv", "labels.csv"),
    ],
)
def test_new_rows_of_a_file_read_a_few_at_a_time_get_clusters_of_the_model(
    joint, tmp_path, small_chunks, method, ending, out
):
    new, path = rows(), tmp_path / f"new.{ending}"
    new.loc[30, "id"] = "new\n30"
    WRITERS[ending](new, path)
    frames = list(_files.read_frames(str(path)))
    assert [len(frame) for frame in frames] == [8] * 5
    assert pd.concat(frames).index.tolist() == list(range(40))
    (found,) = predict_files(joint / method, {"view1": str(path)}, tmp_path / out)
    read = pd.read_csv(tmp_path / out) if out.endswith("csv") else pd.read_parquet(tmp_path / out)
    expected = load_model(joint / method).predict(new, "view1")
    assert read.to_dict("list") == {"id": new["id"].tolist(), "cluster": expected.tolist()}
    assert found.sizes == np.bincount(expected, minlength=3).tolist()
    assert {path.name for path in tmp_path.iterdir()} == {f"new.{ending}", out, ".mvcc-files"}


def test_rows_without_ids_are_numbered_through_all_chunks(joint, tmp_path, small_chunks):
    new = rows().drop(columns="id")
    new.to_csv(tmp_path / "new.csv", index=False)
    new.to_parquet(tmp_path / "new.parquet")
    for ending in ("csv", "parquet"):
        views = {"view0": str(tmp_path / f"new.{ending}")}
        (found,) = predict_files(joint / "out", views, tmp_path / "labels.csv", fresh=True)
        ids = [row["id"] for row in read_csv(tmp_path / "labels.csv")]
        assert ids == [str(n) for n in range(40)]
        assert found.notes == [
            f"{views['view0']} has no column 'id', which named the rows that were clustered: rows"
            " are numbered from 0."
        ]
    rows().rename(columns={"id": "new_id"}).to_parquet(tmp_path / "new.parquet")
    (found,) = predict_files(joint / "out", views, tmp_path / "labels.csv", fresh=True)
    assert found.notes[0].endswith("'new_id' names the rows.")


def test_a_few_rows_of_things_with_several_rows_are_numbered_as_all_rows_are(tmp_path):
    rows = pd.DataFrame({"id": np.arange(40) // 4, "x": np.arange(40) % 2, "y": np.arange(40) / 8})
    for name, some in (("all", rows), ("new", rows[2:6])):
        some.to_csv(tmp_path / f"{name}.csv", index=False)
    cluster(options_of({"visits": tmp_path / "all.csv"}, n_clusters=2), tmp_path / "out")
    new = {"visits": str(tmp_path / "new.csv")}
    predict_files(tmp_path / "out", new, tmp_path / "labels.csv")
    assert [row["id"] for row in read_csv(tmp_path / "labels.csv")] == ["0", "1", "2", "3"]


@pytest.mark.parametrize("name", ["id", "", None])
@pytest.mark.parametrize("end", [",", ",,"])
def test_delimiters_at_the_ends_of_lines_are_no_columns(joint, tmp_path, small_chunks, name, end):
    path = tmp_path / "new.csv"
    frame = rows()[["id", "x", "y", "z"]].rename(columns={"id": name})
    frame = frame[frame.columns.dropna()]
    path.write_text("".join(f"{line}{end}\n" for line in frame.to_csv(index=False).splitlines()))
    predict_files(joint / "out", {"view0": str(path)}, tmp_path / "labels.csv")
    ids = [row["id"] for row in read_csv(tmp_path / "labels.csv")]
    assert ids == [str(n) if name is None else f"new {n}" for n in range(40)]


def test_several_views_are_written_to_a_folder_with_the_names_of_clusters(tmp_path):
    options = write_problem(tmp_path, n=40)
    first = {row["kind"]: row["id"] for row in read_csv(tmp_path / "view0.csv")}
    groups = [[kind, f"view0:{one}", "yes"] for kind, one in first.items()]
    write_csv(tmp_path / "groups.csv", [["name", "members", "counted"], *groups])
    named = cluster(options, tmp_path / "out")["names"]
    assert any(named)
    views = [f"--view={name}={tmp_path / name}.csv" for name in ("view0", "view1")]
    done = invoke("predict --json --out", tmp_path / "new", tmp_path / "out", *views)
    for view in json.loads(done.stdout)["views"]:
        written = read_csv(view["labels"])
        assert view["labels"] == str(tmp_path / "new" / view["name"] / "labels.csv")
        assert [row["name"] for row in written] == [named[int(row["cluster"])] for row in written]
        assert view["rows"] == len(written) == sum(view["sizes"]) == 40
        clustered = read_csv(tmp_path / f"{view['name']}.csv")
        assert [row["id"] for row in written] == [row["id"] for row in clustered]


def at(row, column, value, ending="csv"):
    """Return what writes new rows with another value, and the ending of their file."""

    def write(path):
        new = rows().astype({column: object})
        new.loc[row, column] = value
        WRITERS[ending](new, path)

    return write, ending


def of(change, ending="csv"):
    return lambda path: WRITERS[ending](change(rows()), path), ending


def text(content):
    return lambda path: path.write_bytes(content), "csv"


HEAD, ROW = b"id,x,y,z\n", b"a,1,2,3\n"
NO_NUMBER, LINE_32 = "which is not a finite number", r"new\.csv:32: line 32 has"
MISSING = rf"{LINE_32} no value in the column 'y', but all rows of view0 had one"
NO_COLUMN = r"new\.csv: there is no column 'y'.*view0 was clustered by it"


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (of(lambda new: new.drop(columns="y")), NO_COLUMN),
        (at(30, "y", None), MISSING),
        (at(30, "y", None, "parquet"), r"new\.parquet: row 30 has no value in the column 'y'"),
        (at(30, "x", "red"), rf"{LINE_32} 'red', {NO_NUMBER}, in the column 'x'\. Write"),
        (of(lambda new: new.assign(x="red")), rf"new\.csv:2: line 2 has 'red', {NO_NUMBER}"),
        (at(30, "x", np.inf), rf"{LINE_32} 'inf', {NO_NUMBER}"),
        (at(30, "id", ""), rf"{LINE_32} no id in the column 'id'"),
        (at(39, "id", "new 0"), r"new\.csv: line 41 has the id of line 2; ids must be distinct"),
        (at(1, "id", "new 0"), r"new\.csv:3: line 3 has the id 'new 0', as line 2 has"),
        (of(lambda new: new[:0]), r"new\.csv: there are no rows"),
        (of(lambda new: new[:0], "parquet"), r"new\.parquet: there are no rows"),
        (text(b""), r"new\.csv:1: the first line is empty"),
        (text(HEAD + ROW + b"b,1,2,3,4\n"), r"csv:3: line 3 has 5 values, but there are 4 columns"),
        (text(HEAD + ROW + b"\x81,1,2,3\n"), r"new\.csv:3: this is not UTF-8 text"),
        (text(HEAD + ROW + b"b\0,1,2,3\n"), r"new\.csv:3: this is a binary file"),
        (text(b"id,x,y,z,x\na,1,2,3,4\n"), r"the column 'x' is there more than once"),
        ((lambda path: None, "csv"), r"new\.csv: there is no such file"),
        ((Path.mkdir, ""), r"there are no Parquet files .* Texts or pictures need a table"),
        ((lambda path: None, "doc"), r"the format '\.doc' is not known"),
    ],
    ids=range(19),
)
def test_rows_that_do_not_fit_are_one_message_alone(joint, tmp_path, small_chunks, file, message):
    write, ending = file
    path = (tmp_path / "new").with_suffix(ending and f".{ending}")
    write(path)
    before = sorted(tmp_path.iterdir())
    new = {"view0": str(path), "view1": str(joint / "view1.csv")}
    with pytest.raises(MvccError, match=message) as caught:
        predict_files(joint / "out", new, tmp_path / "labels")
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.iterdir()) == before


UNKNOWN = r"--view view2=…: there is no view 'view2'; did you mean 'view\d'\?"


@pytest.mark.parametrize(
    ("view", "out", "message"),
    [
        ("view2", "labels.csv", UNKNOWN),
        ("view0", "there.csv", r"there\.csv exists\. .* replace it with --fresh"),
        ("view0", "new.csv", r"new\.csv is read and would be overwritten"),
        ("view0", "labels.xlsx", r"labels\.xlsx must end in \.csv or \.parquet"),
        ("view0", "there.csv/labels.csv", r"there\.csv cannot be written: .*choose another --out"),
        ("view0", "{out}/labels.csv", r"out/labels\.csv lies in .*out, which is read: not"),
    ],
)
def test_what_is_there_is_not_written_over(joint, tmp_path, view, out, message):
    WRITERS["csv"](rows(), tmp_path / "new.csv")
    (tmp_path / "there.csv").write_text("mine")
    path = tmp_path / out.replace("{out}", str(joint / "out"))
    words = (joint / "out", f"--view={view}={tmp_path / 'new.csv'}", "--out", path)
    with pytest.raises(MvccError, match=message) as caught:
        invoke("predict", *words)
    assert isinstance(caught.value, ConfigError) == message.startswith(("--view", "labels"))
    assert sorted(os.listdir(tmp_path)) == ["new.csv", "there.csv"]
    assert (tmp_path / "there.csv").read_text() == "mine"


def test_only_what_it_wrote_itself_is_replaced(joint, tmp_path):
    WRITERS["csv"](rows(), tmp_path / "new.csv")
    (tmp_path / "there.csv").write_text("mine")
    words = (joint / "out", f"--view=view0={tmp_path / 'new.csv'}", "--out")
    with pytest.raises(MvccError, match=r"there\.csv is not replaced: mvcc did not write it"):
        invoke("predict --fresh", *words, tmp_path / "there.csv")
    for command in ("predict", "predict --fresh"):
        done = invoke(command, *words, tmp_path / "labels.csv")
    assert len(read_csv(tmp_path / "labels.csv")) == 40
    assert done.stdout.startswith("view0: 40 rows; in clusters 0 to 2: ")


@pytest.mark.parametrize("features", ["auto", "pca"])
def test_a_note_counts_categories_that_were_not_there_if_they_are_most(tmp_path, features):
    words = ["a long text of some words", "another text with a few words more"]
    lines = [f"r{n},{words[n % 2]} {n},{'AB'[n % 2]},{'NS'[n % 2]},{n % 9}\n" for n in range(40)]
    (tmp_path / "old.csv").write_text("".join(["id,title,grade,shop,x\n", *lines]))
    options = options_of({"shop": tmp_path / "old.csv"}, n_clusters=2)
    if features == "pca":
        options = by_co_em(options, features=features)
    columns = (("views", "shop", "columns"), ["title", "grade", "shop", "x"], "--columns")
    cluster([*options, columns], tmp_path / "out")
    (tmp_path / "new.csv").write_text("id,title,grade,shop,x\n1,u,a,N,2\n2,v,,S,3\n3,w,C,new,4\n")
    new = {"shop": str(tmp_path / "new.csv")}
    ((note,),) = (view.notes for view in predict_files(tmp_path / "out", new, tmp_path / "l.csv"))
    said = "2 of 2 values of 'grade' are none of those that were clustered: 'A', 'B'."
    assert note.endswith(said)


def test_none_is_missing_where_it_was_when_the_rows_were_clustered(tmp_path):
    cities = [f"city {n % 50}" if n % 51 else "none" for n in range(400)]
    rows = pd.DataFrame({"city": cities, "x": np.arange(400) % 9})
    rows.to_csv(tmp_path / "t.csv", index=False)
    cluster(options_of({"t": tmp_path / "t.csv"}, n_clusters=2), tmp_path / "out")
    view = load_model(tmp_path / "out").view("t")
    read = view.values_of(rows.head(2).assign(city=["None", "city 1"]), str)
    assert read["city"].isna().tolist() == [True, False]


def test_none_as_a_category_is_known_where_pandas_reads_it_as_missing(tmp_path):
    rows = pd.DataFrame({"alley": ["None", "gravel", "paved"] * 9, "x": np.arange(27) % 9})
    rows.to_csv(tmp_path / "t.csv", index=False)
    cluster(options_of({"t": tmp_path / "t.csv"}, n_clusters=2), tmp_path / "out")
    read = load_model(tmp_path / "out").view("t").values_of(pd.read_csv(tmp_path / "t.csv"), str)
    assert read["alley"].tolist() == rows["alley"].tolist()


def test_new_rows_of_a_workbook_are_read_like_the_rows_that_were_clustered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    values = [n % 2 * 9 + rng.normal() if n % 9 != 5 else "n. r." for n in range(40)]
    old = [["x", "n. r."], ["id", "x"], *([f"r{n}", value] for n, value in enumerate(values))]
    new = [["x", "n. r."], ["id", "x"], ["a", 0.1], ["b", "n. r."], ["c", 9.1]]
    write_workbook("old.xlsx", {"2023": old, "2024": old[:20]})
    write_workbook("new.xlsx", {"2023": new, "2024": new})
    write_workbook("other.xlsx", {"May": new[1:], "June": new[1:]})
    sheet, header = "--sheet old=2023", "--header old=2"
    quick = "-k 2 --stability-runs 0 --no-comparison"
    invoke(f"cluster old.xlsx {sheet} {header} {quick} --missing", "old=n. r.")
    predict = "predict results --view old="
    invoke(f"{predict}new.xlsx --out a.csv")
    invoke(f"{predict}other.xlsx --sheet old=June --header old=1 --out b.csv")
    labels = [row["cluster"] for row in read_csv(tmp_path / "results/old/labels.csv")]
    for path in ("a.csv", "b.csv"):
        clusters = {row["id"]: row["cluster"] for row in read_csv(path)}
        assert [clusters["a"], clusters["c"]] == labels[:2]
    with pytest.raises(DataError, match=r"no sheet '2023' .* The sheets are 'May', 'June'"):
        invoke(f"{predict}other.xlsx --out c.csv")
    write_csv(tmp_path / "new.csv", new[1:3])
    invoke(f"{predict}new.csv --out c.csv")
    with pytest.raises(ConfigError, match=r"^--sheet old=…: no Excel file"):
        invoke(f"{predict}new.csv {sheet} --out d.csv")
