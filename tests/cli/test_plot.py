"""`mvcc plot` draws what it finds, prints what it wrote, and refuses figures it does not know."""

import json
from pathlib import Path

import pytest

from mvcc.exceptions import StoreError
from mvcc.reporting.figures import FIGURES
from tests.command_line import invoke
from tests.experiments.conftest import edit_manifest
from tests.reports import few_claims


@pytest.fixture
def results(tmp_path, curves, finish):
    """Write a run with complete matches."""
    table = curves("protein", bases=("pck-means",), fractions=(1.0,))
    return finish(tmp_path / "results/protein", table).parent


def test_the_paths_written_are_printed(results):
    figures = results / "figures"
    paths = [Path(line) for line in invoke("plot", results).stdout.splitlines()]
    assert {figures / "figure_04.png", figures / "figure_04.pdf"} <= set(paths)
    assert sorted(paths) == sorted(figures.glob("[!.]*"))


def test_trials_that_are_missing_are_noted_beside_figures_and_claims_and_in_the_report(results):
    edit_manifest(results / "protein", lambda manifest: manifest["config"].update(trials=99))
    with few_claims(26):
        notes = [invoke(name, results).stderr for name in ("plot --figure 4", "claims")]
        invoke("report", results)
        found = json.loads(invoke("claims --json", results).stdout)
    pages = [(results / name).read_text(encoding="utf-8") for name in ("report.html", "claims.md")]
    said = (*notes, *pages, *found["gaps"])
    assert all("protein has 12 of 99 trials; the same" in text for text in said)
    assert len(said) == 5


def test_out_and_json(results, tmp_path):
    words = ("--out", tmp_path / "here", "--json")
    done = invoke("plot --figure 4", results / "protein", *words)
    files = [str(tmp_path / "here" / f"figure_04.{extension}") for extension in ("png", "pdf")]
    assert json.loads(done.stdout) == {"figures": {"4": files}}


def test_nothing_is_written_through_a_linked_folder_of_figures(results, tmp_path):
    others = tmp_path / "others"
    others.mkdir()
    (results / "figures").symlink_to(others)
    link = "figures is a link, and mvcc would write to where it leads"
    with pytest.raises(StoreError, match=link):
        invoke("plot", results)
    assert list(others.iterdir()) == []


@pytest.mark.parametrize("name", ["3.5", "differences"])
def test_an_unknown_figure_is_a_usage_error(results, name):
    result = invoke("plot --figure", name, results, code=2)
    assert all(f"'{known}'" in result.stderr for known in FIGURES)
    assert not (results / "figures").exists()
