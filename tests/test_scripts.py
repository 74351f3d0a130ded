"""Scripts say what they do instead of doing it, and write tables as the pages have them."""

import os
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

from scripts import (
    ablation,
    factors,
    keel,
    number_of_clusters,
    one_table,
    packaged,
    readings,
    two_tables,
)
from scripts.studies import line
from scripts.tables import ROOT, markdown

WORKERS = {"alone.py", "one_fit.py", "peer.py"}  # of the benchmark, with words of their own
NOT_HERE = {"mutants.py"}  # needs what tests do not install
STARTED = [
    path
    for path in sorted((ROOT / "scripts").rglob("*.py"))
    if "\nif __name__" in path.read_text("utf-8")
    and path.name not in WORKERS | NOT_HERE
    and path.parent.name != "compare_packages"
]


@pytest.mark.parametrize("path", STARTED, ids=lambda path: str(path.relative_to(ROOT / "scripts")))
def test_a_script_shows_its_whole_docstring_and_refuses_what_it_does_not_know(
    path, monkeypatch, capsys
):
    monkeypatch.setattr(os, "environ", os.environ.copy())
    for option, code in (("--help", 0), ("--unknown", 2)):
        monkeypatch.setattr(sys, "argv", [path.name, option])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(str(path), run_name="__main__")
        assert end.value.code == code
    about = compile(path.read_text("utf-8"), path.name, "exec").co_consts[0]
    assert about.strip() in capsys.readouterr().out


@pytest.mark.parametrize(
    ("study", "page"),
    [
        (ablation, "rules"),
        (factors, "methods-compared"),
        (keel, "methods-compared"),
        (one_table, "methods-compared"),
        (packaged, "methods-compared"),
    ],
)
def test_the_page_has_the_table_of_the_stored_fits(study, page):
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    rows = pd.read_csv(study.OUT)
    assert not rows.duplicated(study.KEYS).any()
    for shown in study.lines(rows):
        assert shown in text


def test_a_table_has_figures_as_the_pages_write_them():
    shown = line(["co-em"], ["-0.5 ± 0.25", "10.25"])
    assert shown == "| co-em | −.5 ± .25 | 10.25 |"
    table = markdown(["", "n"], [["rows", "1"]])
    assert table == "| | n |\n|---|--:|\n| rows | 1 |"


def test_a_criterion_is_counted_in_the_draws_that_have_it(monkeypatch):
    draws = [{"eigengap": 2}, {"agreement of views": 3, "eigengap": 3}, {"eigengap": 4}]
    monkeypatch.setattr(number_of_clusters, "SETS", [("wine", 0)])
    monkeypatch.setattr(number_of_clusters, "proposed", lambda data, n, seed: (3, draws[seed]))
    assert [*number_of_clusters.lines(3)] == ["| Wine | 3 | 1 (3) | 1 (2 to 4) |"]
    assert [*number_of_clusters.lines(1)] == ["| Wine | 3 | – | 0 (2) |"]


def test_readings_have_each_column_and_what_another_version_read_otherwise(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text("id,age,n\na,40+,7\na,31-40,x\n" + "b,2,3\n" * 20)
    read = pd.DataFrame(readings.lines_of(path))
    assert [*read["kind"]] == ["category", "number", "number", "note", "refused"]
    assert [*read["values"][:3]] == ["a, b", "40+, 31-40, 2", "7, x, 3"]
    assert read["note"][3].startswith("table.csv: most values of the column 'id' stand in several")
    assert read["note"][4].startswith("table.csv:3: line 3 has 'x'")
    former = pd.DataFrame({"table": "shop", "column": ["age", "n"], "kind": "text", "note": ""})
    now = former.assign(kind=["number", "text"])
    changed = readings.differences(now, former)[["which", "column", "kind"]]
    assert sorted(changed.to_numpy().tolist()) == [
        ["former", "age", "text"],
        ["now", "age", "number"],
    ]


def test_documents_of_newsgroups_are_those_of_the_data_set(tmp_path, monkeypatch):
    for name in ("9", "10", "about.txt"):
        (tmp_path / name).write_text(name, "utf-8")
    folders = {"20newsgroups/a": Path(tmp_path)}
    monkeypatch.setattr(two_tables, "fetch", lambda name: folders)
    assert two_tables.texts_of_groups() == [["10", "9"]]
