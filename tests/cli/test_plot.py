"""`mvcc plot` draws what it finds, prints what it wrote, and refuses figures it does not know."""

import json
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from mvcc.exceptions import StoreError
from mvcc.reporting import FIGURES
from mvcc.results._format import CELL, MEASURES
from tests.command_line import invoke

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


def test_the_paths_written_are_printed(results):
    paths = [Path(line) for line in invoke("plot", results).stdout.splitlines()]
    assert paths == [results / "figures" / "figure_04.png", results / "figures" / "figure_04.pdf"]
    assert all(path.is_file() for path in paths)


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


def test_several_figures_may_be_named(results):
    with pytest.raises(StoreError, match="the figure 'thresholds'"):
        invoke("plot --figure 4 --figure thresholds", results)
    assert not (results / "figures").exists(), "all or nothing"


@pytest.mark.parametrize("name", ["3.5", "differences"])
def test_an_unknown_figure_is_a_usage_error(results, name):
    result = invoke("plot --figure", name, results, code=2)
    assert all(f"'{known}'" in result.stderr for known in FIGURES)
    assert not (results / "figures").exists()


def test_no_results_is_an_error_of_the_store(tmp_path):
    with pytest.raises(StoreError):
        invoke("plot", tmp_path)
