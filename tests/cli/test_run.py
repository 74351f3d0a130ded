"""``mvcc run`` says what it does, where the results are, and whether all went well."""

import json

import pytest

from mvcc.experiments import _trial as attempt
from tests.command_line import invoke

CONFIG = """\
name: tiny
dataset: four_quadrants
dataset_options: {instances_per_view: 20}
trials: 3
multi_view:
  transfers: [constraint-propagation]
  bases: [pck-means]
  threshold: 0.75
  mapped: [1.0]
  constraints: [6]
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG)
    return path


def test_a_run_says_where_its_curves_are_and_what_comes_next(config, tmp_path):
    words = ("run tiny.yaml -j 1 --out", "my run")
    done = invoke(*words)
    assert done.stdout.endswith("\nCurves: my run/curves.csv\nNext: mvcc plot 'my run'\n")
    assert "my run: 3 trials of 1 cell to compute.\n" in done.stderr
    assert "3/3 trials done" in done.stderr
    assert (tmp_path / "my run/curves.csv").exists()
    done = invoke(*words)
    assert "my run: 0 trials of 1 cell to compute, 3 kept from before.\n" in done.stderr
    assert "0 trials computed in 0 s, 3 kept from before." in done.stdout


def test_options_reach_the_run(config, tmp_path):
    words = "--trials 2 --set seed=9 --out there --json"
    done = invoke(f"run tiny.yaml -j 1 {words}")
    outcome = json.loads(done.stdout)
    assert (outcome["computed"], outcome["kept"], outcome["failed"]) == (2, 0, {})
    assert outcome["folder"] == "there"
    manifest = json.loads((tmp_path / "there/manifest.json").read_text())
    assert (manifest["config"]["seed"], manifest["config"]["trials"]) == (9, 2)


def test_a_dry_run_only_says_what_would_be_done(config, tmp_path):
    done = invoke("run tiny.yaml --dry-run")
    assert "Would compute 3 trials of 1 cell into results/tiny; 0 exist already" in done.stdout
    assert json.loads(invoke("run tiny.yaml --dry-run --json").stdout)["missing"] == 3
    assert not (tmp_path / "results").exists()
    invoke("run tiny.yaml -j 1")
    (tmp_path / "results/tiny/trials/0001.csv.gz").write_bytes(b"")
    said = "Would set aside results/tiny/trials/0001.csv.gz: it was changed since it was written"
    assert said in invoke("run tiny.yaml --dry-run").stdout


def test_failed_trials_give_exit_code_4_and_say_where_to_look(config, monkeypatch):
    def fail(config, trial, data_dir):
        raise ZeroDivisionError("a planted fault")

    monkeypatch.setattr(attempt, "draw_trial", fail)
    done = invoke("run tiny.yaml -j 1", code=4)
    assert "Trial 2 failed; its traceback is in results/tiny/trials/0002.error.txt" in done.stderr
    assert "To repeat it: mvcc replay results/tiny 2\n" in done.stderr
    again = "Run the same `mvcc run`, without --fresh, to try failed trials again.\n"
    assert done.stderr.endswith(again)
    done = invoke("run tiny.yaml -j 1 --data-dir .", code=4)
    assert "To repeat it: mvcc replay results/tiny 2 --data-dir .\n" in done.stderr
    assert "Curves" not in done.stdout
