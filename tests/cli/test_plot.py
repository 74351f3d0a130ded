"""`mvcc plot` draws what it finds, prints what it wrote, and refuses figures it does not know."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from mvcc.cli._experiments import plot as command
from mvcc.exceptions import StoreError
from mvcc.reporting import FIGURES
from mvcc.results._format import CELL, MEASURES

CURVES = """\
base,method,threshold,mapped,n_constraints,mean,standard_error,trials
pck-means,constraint-propagation,0.5,1.0,20,0.70,0.01,5
pck-means,constraint-propagation,0.5,1.0,40,0.80,0.01,5
pck-means,single-view,,,20,0.60,0.01,5
pck-means,single-view,,,40,0.65,0.01,5
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    (folder / "protein").mkdir(parents=True)
    curves = pd.read_csv(StringIO(CURVES)).assign(
        experiment="multi-view", dataset="protein", closure="full"
    )
    columns = [*CELL, "mean", "standard_error", "trials", *MEASURES]
    curves.reindex(columns=columns).to_csv(folder / "protein" / "curves.csv", index=False)
    scores = curves.assign(trial=0, f_measure=curves["mean"]).reindex(
        columns=["trial", *CELL, "f_measure", *MEASURES]
    )
    scores.to_csv(folder / "protein" / "scores.csv.gz", index=False)
    manifest = {"config": {"study": "main", "features": {"method": "spectral"}}}
    (folder / "protein" / "manifest.json").write_text(json.dumps(manifest))
    return folder


def run(*arguments: object):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_the_paths_written_are_printed(results):
    result = run(results)
    assert result.exit_code == 0
    paths = [Path(line) for line in result.stdout.splitlines()]
    assert paths == [results / "figures" / "figure_04.png", results / "figures" / "figure_04.pdf"]
    assert all(path.is_file() for path in paths)


def test_out_and_json(results, tmp_path):
    result = run(results / "protein", "--figure", 4, "--out", tmp_path / "here", "--json")
    assert result.exit_code == 0
    files = [str(tmp_path / "here" / f"figure_04.{extension}") for extension in ("png", "pdf")]
    assert json.loads(result.stdout) == {"figures": {"4": files}}


def test_nothing_is_written_through_a_linked_folder_of_figures(results, tmp_path):
    others = tmp_path / "others"
    others.mkdir()
    (results / "figures").symlink_to(others)
    result = run(results)
    assert isinstance(result.exception, StoreError)
    assert "figures is a link, and mvcc would write to where it leads" in str(result.exception)
    assert list(others.iterdir()) == []


def test_several_figures_may_be_named(results):
    result = run(results, "--figure", 4, "--figure", "thresholds")
    assert isinstance(result.exception, StoreError)
    assert "the figure 'thresholds'" in str(result.exception)
    assert not (results / "figures").exists(), "all or nothing"


@pytest.mark.parametrize("name", ["3.5", "11", "differences"])
def test_an_unknown_figure_is_a_usage_error(results, name):
    result = run(results, "--figure", name)
    assert result.exit_code == 2
    assert all(f"'{known}'" in result.stderr for known in FIGURES)
    assert not (results / "figures").exists()


def test_no_results_is_an_error_of_the_store(tmp_path):
    result = run(tmp_path)
    assert isinstance(result.exception, StoreError)
    assert result.stdout == ""


def test_help_shows_an_example():
    result = run("--help")
    assert result.exit_code == 0
    assert "mvcc plot results --figure 4" in result.stdout
