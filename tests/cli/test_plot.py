"""`mvcc plot` draws what it finds, prints what it wrote, and refuses figures it does not know."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mvcc.cli._plot import command
from mvcc.exceptions import StoreError

CURVES = """\
experiment,dataset,base,method,mapped,n_constraints,mean,standard_error,trials
multi-view,protein,pck-means,constraint-propagation,1.0,20,0.70,0.01,5
multi-view,protein,pck-means,constraint-propagation,1.0,40,0.80,0.01,5
multi-view,protein,pck-means,single-view,,20,0.60,0.01,5
multi-view,protein,pck-means,single-view,,40,0.65,0.01,5
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    (folder / "protein").mkdir(parents=True)
    (folder / "protein" / "curves.csv").write_text(CURVES)
    (folder / "protein" / "manifest.json").write_text("{}")
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


def test_an_unknown_figure_is_a_usage_error(results):
    result = run(results, "--figure", 3.5)
    assert result.exit_code == 2
    assert "'4'" in result.stderr
    assert not (results / "figures").exists()


def test_no_results_is_an_error_of_the_store(tmp_path):
    result = run(tmp_path)
    assert isinstance(result.exception, StoreError)
    assert result.stdout == ""


def test_help_shows_an_example():
    result = run("--help")
    assert result.exit_code == 0
    assert "mvcc plot results --figure 4" in result.stdout


def test_the_command_loads_nothing_heavy():
    code = "import sys, mvcc.cli._plot; sys.exit(bool({'numpy', 'pandas', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
