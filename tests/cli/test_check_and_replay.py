"""``mvcc check`` and ``mvcc replay`` say in a few lines whether results are what they were, and
what to do if not.
"""

from __future__ import annotations

import json
import os
import shutil

import pytest
from click.testing import CliRunner

from mvcc.cli._experiments import check, replay
from mvcc.exceptions import DataError
from mvcc.experiments import _runner as replay_module
from mvcc.experiments import run_experiment
from tests.command_line import mvcc
from tests.experiments.test_check import CONFIG


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "small"
    run_experiment(CONFIG, folder, n_jobs=1)
    return folder


@pytest.fixture
def damaged(folder):
    path = folder / "curves.csv"
    content = path.read_bytes()
    path.write_bytes(content + b"\n")
    yield folder
    path.write_bytes(content)


def run(command, *arguments, code=0):
    done = CliRunner().invoke(command, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


def test_intact_results_are_one_line(folder):
    assert run(check, folder.parent).stdout == f"{folder}  ok          4 files verified; 2 trials\n"


def test_damage_is_named_and_gives_exit_code_1(damaged):
    lines = run(check, damaged, code=1).stdout.splitlines()
    assert lines[0] == f"{damaged}  damaged     3 files verified; 2 trials"
    assert lines[1].strip().startswith("curves.csv: it was changed since it was written")
    outcome = json.loads(run(check, damaged, "--json", code=1).stdout)
    assert outcome["folders"][0]["status"] == "damaged"
    assert outcome["disagreements"] == []


@pytest.fixture(scope="module")
def clustering(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clustering")
    for words in (
        ["init", "data"],
        ["cluster", "data/cluster.yaml", "--stability-runs", "0", "--out", "out"],
    ):
        assert mvcc(*words, cwd=folder).returncode == 0
    return folder


def spoil_labels(folder):
    header, first, *rows = (folder / "out/photos/labels.csv").read_text().splitlines(keepends=True)
    name, cluster, *others = first.split(",")
    first = ",".join([name, str(int(cluster) + 1), *others])
    (folder / "out/photos/labels.csv").write_text("".join([header, first, *rows]))


def pipe_for_model(folder):
    (folder / "out/model.skops").unlink()
    os.mkfifo(folder / "out/model.skops")


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (lambda folder: None, 0, "ok          8 files verified"),
        (spoil_labels, 1, "photos/labels.csv: it is missing, or is not what clustering.json says."),
        (
            lambda folder: (folder / "out/catalog/moved.csv").unlink(),
            1,
            "catalog/moved.csv: it is missing, or",
        ),
        (lambda folder: (folder / "out/model.skops").unlink(), 1, "model.skops: it is missing."),
        (
            pipe_for_model,
            1,
            "model.skops: it cannot be read: this is a named pipe, no regular file",
        ),
        (lambda folder: (folder / "out/clustering.json").write_text("{"), 1, "damaged"),
        (lambda folder: (folder / "out/cluster.yaml").write_text("views: 3"), 1, "problems in"),
        (
            lambda folder: (folder / "data/pairs.csv").write_text(""),
            0,
            "pairs.csv: the input has changed since",
        ),
        (
            lambda folder: (folder / "data/pairs.csv").unlink(),
            0,
            "pairs.csv: the input cannot be read any more.",
        ),
    ],
)
def test_a_clustering_is_verified_by_its_facts_and_its_inputs(
    clustering, tmp_path, change, code, said
):
    shutil.copytree(clustering, tmp_path / "copy")
    change(tmp_path / "copy")
    assert said in run(check, tmp_path / "copy", code=code).stdout


def test_results_of_both_kinds_are_checked_together(clustering, folder):
    lines = run(check, clustering, folder).stdout.splitlines()
    assert [line.split()[1] for line in lines] == ["ok", "ok"]


def test_a_replayed_trial_is_compared_with_the_stored_one(folder):
    assert (
        run(replay, folder, 1).stdout
        == "Trial 1 was computed: 2 rows, equal to the stored ones to the last bit.\n"
    )
    assert (
        "It is not stored, so there is nothing to compare it with" in run(replay, folder, 5).stdout
    )
    assert json.loads(run(replay, folder, 1, "--json").stdout)["differing"] == 0


def test_a_trial_that_differs_gives_exit_code_1(folder, monkeypatch):
    real = replay_module.run_trial
    monkeypatch.setattr(
        replay_module, "run_trial", lambda *arguments: real(*arguments).assign(f_measure=0.5)
    )
    lines = run(replay, folder, 0, code=1).stdout.splitlines()
    assert lines[0].startswith(
        "Trial 0 was computed: 2 rows, 2 of them different from the stored ones; row 1, f_measure:"
    )
    assert lines[1:] == [
        "Differences of this environment:",
        "  nothing that the manifest records: the stored numbers or this program have changed",
    ]


def test_a_failing_trial_shows_its_traceback(folder, monkeypatch):
    def fail(config, trial, data_dir):
        raise ZeroDivisionError("a planted fault")

    monkeypatch.setattr(replay_module, "run_trial", fail)
    done = run(replay, folder, 0, code=1)
    assert done.stderr.startswith("Traceback")
    assert done.stderr.endswith("ZeroDivisionError: a planted fault\n")


def test_a_trial_without_its_data_is_one_message(folder, monkeypatch):
    def fail(config, trial, data_dir):
        raise DataError("texts.csv is missing.")

    monkeypatch.setattr(replay_module, "run_trial", fail)
    assert mvcc("replay", folder, 0) == (1, "", "mvcc: texts.csv is missing.\n")
