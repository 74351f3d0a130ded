"""``mvcc compare``: clusters, rows, constraints and matches that differ."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from openpyxl import load_workbook
from rich.cells import cell_len

from mvcc.exceptions import StoreError
from mvcc.tables import ReviewSession
from tests.command_line import invoke, mvcc
from tests.tables.problems import (
    by_co_em,
    cluster,
    edit_facts,
    facts_of,
    options_of,
    outputs,
    write_problem,
)


@pytest.fixture(scope="module")
def clustered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")
    options = write_problem(folder)
    cluster(options, folder / "a")
    cluster(by_co_em(options, threshold=0.3), folder / "co-em")
    return folder


@pytest.fixture
def folder(clustered, tmp_path):
    """Return a folder with the clustering `a`, and a copy `b` to be changed."""
    shutil.copytree(clustered, tmp_path, dirs_exist_ok=True)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    return tmp_path


def compare(*words):
    return invoke("compare", *words)


def compared(folder, *words):
    return json.loads(compare(folder / "a", folder / "b", "--json", *words).stdout)


def turned(facts):
    """Renumber the clusters, alike in both views, which are one set."""
    for view in facts["views"]:
        view["labels"] = [(label + 1) % 3 for label in view["labels"]]


def test_the_same_with_other_numbers_is_the_same(folder):
    edit_facts(folder / "b", turned)
    for view in compared(folder)["views"]:
        assert view["numbers"] == [2, 0, 1]
        assert view["adjusted_rand"] == 1
        assert view["moved"] == []
        assert np.array_equal(view["table"], np.diag(np.diagonal(view["table"])))
        assert np.sum(view["table"]) == view["rows"] == 24
        assert view["judgments"] == {"new": [], "gone": []}
    said = compare(folder / "a", folder / "b").stdout
    assert "  B's clusters, as numbered here: 0 is 2, 1 is 0, 2 is 1\n" in said


def test_the_table_of_clusters_is_even_also_with_names_of_wide_letters(folder):
    edit_facts(folder / "a", lambda facts: facts["views"][0].update(names=["", "中文名称", "pot"]))
    said = compare(folder / "a", folder / "b").stdout
    lines = [line for line in said.splitlines() if line.startswith(("  A \\ B", "  1 中", "  2 p"))]
    assert len({cell_len(line) for line in lines[:3]}) == 1


def as_floats(things, folder):
    """Write ids as 1 into a Parquet file, and as 1.0 into a text file, as pandas does."""
    things.to_parquet(folder / "a.parquet")
    things.to_csv(folder / "a.csv", index=False)
    return folder / "a.parquet", folder / "a.csv"


def with_zeros(things, folder):
    """Write two workbooks; one shows its numbers with zeros in front."""
    paths = folder / "shown.xlsx", folder / "bare.xlsx"
    for path in paths:
        things.astype({"id": int}).to_excel(path, index=False)
    book = load_workbook(paths[0])
    for row in range(2, 32):
        book.active.cell(row, 1).number_format = "000"
    book.save(paths[0])
    return paths


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("write", "step", "spelled"),
    [
        (as_floats, 0.5, (["1", "2"], ["1.0", "2.0"])),
        (as_floats, 1.0, (["1", "2"], ["1.0", "2.0"])),
        (with_zeros, 1.0, (["001", "002"], ["1", "2"])),
    ],
)
def test_ids_that_two_formats_spell_in_other_ways_are_the_same(
    tmp_path, write, step, spelled, order
):
    things = pd.DataFrame({"id": 1 + step * np.arange(30), "x": 9.0 * (np.arange(30) % 2)})
    things["x"] += np.random.default_rng(0).normal(size=30)
    paths = write(things, tmp_path)
    things.assign(id=[f"b{row}" for row in range(30)]).to_csv(tmp_path / "b.csv", index=False)
    pairs = pd.DataFrame({"a": things["id"][:9], "b": [f"b{row}" for row in range(9)]})
    pairs.to_csv(tmp_path / "m.csv", index=False)
    (tmp_path / "c.csv").write_text("i,j,kind\n1.0,3.0,must-link\n")
    given = {"a:b": tmp_path / "m.csv"}, {"a": tmp_path / "c.csv"}
    settings = {"n_clusters": 2, "stability_runs": 0}
    for name, path in zip("cd", paths[::order], strict=True):
        views = {"a": path, "b": tmp_path / "b.csv"}
        facts = cluster(options_of(views, *given, **settings), tmp_path / name)
        settings["continues"] = str(tmp_path / "c")
    (changes,) = facts["continued"]["changes"]
    assert (changes["shared"], changes["kept"], changes["by_model"]) == (60, 60, False)
    found = json.loads(compare(tmp_path / "c", tmp_path / "d", "--json").stdout)
    assert [view["only_in"] for view in found["views"]] == [[0, 0], [0, 0]]
    nothing = {"new": [], "gone": []}
    assert found["matches"] == [{"views": ["a", "b"]} | nothing]
    assert [view["judgments"] for view in found["views"]] == [nothing] * 2
    own, other = ("\n".join(f"a:{id}" for id in ids) for ids in spelled)
    with ReviewSession(tmp_path / "cd"[::order][0]) as session:  # which takes both
        (line,) = session.record([(other, "outlier")])
    assert line.id == own
    found = json.loads(compare(tmp_path / "c", tmp_path / "d", "--json").stdout)
    assert found["views"][0]["only_in"] == [0, 0]
    moved = [row["id"] for row in found["views"][0]["moved"]]
    assert moved == spelled[::order][0]  # as the first one has them


@pytest.mark.parametrize(
    ("first", "second", "is_told"),
    [
        (("a.csv", None), ("same.csv", None), False),
        (("a.csv", None), ("rows on top are gone.csv", None), True),
        (("a.csv", None), ("ids.csv", None), True),
        (("two.xlsx", "May"), ("two.xlsx", "June"), True),
        # a sheet that was read, and then named
        (("one.xlsx", None), ("one.xlsx", "May"), False),
    ],
)
def test_a_note_says_where_numbers_of_rows_may_be_those_of_other_rows(
    tmp_path, first, second, is_told
):
    things = pd.DataFrame({"x": 9.0 * (np.arange(30) % 2), "y": range(30)}, dtype=float)
    changed = {"ids.csv": things.assign(id=range(30)), "rows on top are gone.csv": things.iloc[3:]}
    for folder, (name, sheet) in (("a", first), ("b", second)):
        if name.endswith("csv"):
            changed.get(name, things).to_csv(tmp_path / name, index=False)
        elif not (tmp_path / name).exists():  # a book holds the second in which it was written
            with pd.ExcelWriter(tmp_path / name) as book:
                for title in ("May", "June")[: 1 + (name == "two.xlsx")]:
                    things.to_excel(book, sheet_name=title, index=False)
        view = {"path": str(tmp_path / name), "sheet": sheet}
        cluster(options_of({"v": view}, n_clusters=2), tmp_path / folder)
    said = [note for note in compared(tmp_path)["notes"] if "but the tables differ" in note]
    assert len(said) == is_told


def test_judgments_and_matches_that_are_new_or_gone_are_told(folder):
    def judge(facts):
        facts["views"][0]["given"][0][2] ^= True
        facts["views"][1]["given"].append([0, 1, True, 1.0, True, "line 2"])
        facts["relations"][0]["pairs"].pop()

    before = facts_of(folder / "a")
    i, j, must_link = before["views"][0]["given"][0][:3]
    edit_facts(folder / "b", judge)
    found = compared(folder)
    ids = before["views"][0]["ids"]
    kinds = ("must-link", "cannot-link") if must_link else ("cannot-link", "must-link")
    gone, new = ({"i": ids[i], "j": ids[j], "kind": kind} for kind in kinds)
    assert found["views"][0]["judgments"] == {"new": [new], "gone": [gone]}
    ids = before["views"][1]["ids"]
    assert found["views"][1]["judgments"]["new"] == [
        {"i": ids[0], "j": ids[1], "kind": "must-link"}
    ]
    u, v = before["relations"][0]["pairs"][-1]
    lost = {"view0": before["views"][0]["ids"][u], "view1": before["views"][1]["ids"][v]}
    assert found["matches"] == [{"views": ["view0", "view1"], "new": [], "gone": [lost]}]
    said = compare(folder / "a", folder / "b").stdout
    assert f"  gone matches of view0 and view1 (1): {' '.join(lost.values())}" in said


def test_another_method_more_clusters_other_rows_and_outliers_are_compared_where_common(folder):
    def differ(facts):
        facts["n_clusters"], facts["names"], facts["titles"] = 4, [], []
        view = facts["views"][1]
        view["name"] = "other"
        view = facts["views"][0]
        view["labels"][0] = 3
        view["ids"][1] = "new row"
        columns = [view[name] for name in ("labels", "reference", "x", "y", "stability", "fit")]
        for values in (*columns, *(values for _, values in view["values"])):
            del values[2]
        view |= {"outliers": [view["ids"].pop(2)], "n_rows": 23, "given": [], "violated": []}
        facts["relations"] = facts["profiles"] = []

    before = facts_of(folder / "a")["views"][0]
    shutil.copytree(folder / "co-em", folder / "b", dirs_exist_ok=True)
    edit_facts(folder / "b", differ)
    found = compared(folder)
    (view,) = found["views"]
    assert view["rows"] == 23
    assert view["only_in"] == [1, 1]
    assert len(view["clusters"][0]) == 3
    assert view["clusters"][1] == [0, 1, 2, 3, -1]
    moved = {row["id"]: row["to"] for row in view["moved"]}
    assert moved[before["ids"][0]] == 3
    assert moved[before["ids"][2]] == -1
    a, b = folder / "a", folder / "b"
    assert found["notes"] == [
        f"The view view1 is only in {a}.",
        f"The view other is only in {b}.",
        f"view0: 1 row only in {a}.",
        f"view0: 1 row only in {b}.",
    ]
    done = compare(a, b)
    assert done.stdout.startswith(f"{23 - len(moved)} of 23 rows kept their cluster.")
    assert "Note: view0: 1 row only in" in done.stderr
    assert f"{before['ids'][2]} {before['labels'][2]} → none" in done.stdout


def test_a_view_without_a_common_row_is_named(folder):
    edit_facts(folder / "b", lambda facts: unknown({"views": facts["views"][1:]}))
    assert "The view view1 has no row that is in both." in compared(folder)["notes"]


def unknown(facts):
    for view in facts["views"]:
        view["ids"] = [f"other {name}" for name in view["ids"]]


def renamed(facts):
    for view in facts["views"]:
        view["name"] += "_2"


NOTHING_COMMON = r"no view has rows in both \(views: view0, view1 and view0, view1\)"


@pytest.mark.parametrize(
    ("how", "out", "message"),
    [
        (unknown, "new.csv", rf"cannot be compared: {NOTHING_COMMON}"),
        (renamed, "new.csv", r"cannot be compared: .*view0_2"),
        (None, "b/view0/labels.csv", r"labels\.csv exists"),
        (None, "view0.csv", r"view0\.csv is read and would be overwritten"),
        (None, "view0.csv/x.csv", r"cannot be written"),
    ],
)
def test_what_cannot_be_compared_is_told_without_writing(folder, monkeypatch, how, out, message):
    monkeypatch.chdir(folder)
    if how:
        edit_facts(folder / "b", how)
    before = outputs(folder)
    with pytest.raises(StoreError, match=message):
        compare("a", "b", "--out", out)
    assert outputs(folder) == before


def test_words_do_not_get_into_a_table_that_goes_to_standard_output(folder, capfd):
    done = mvcc("compare", folder / "a", folder / "b", "--out", "/dev/stdout")
    assert capfd.readouterr().out == "view,id,from,to,cluster_in_second\n"
    assert done.stdout == ""
    assert done.stderr.endswith("Rows that moved: /dev/stdout\n")
