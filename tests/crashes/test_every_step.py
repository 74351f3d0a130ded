"""A run that is killed or finds the disk full, at any step, loses nothing."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from mvcc.experiments import check_results, run_experiment
from tests.crashes.steps import CONFIG, REFUSED

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
# how many steps from one that is disturbed to the next
every_so_often = pytest.mark.parametrize(
    "stride", [7, pytest.param(1, marks=pytest.mark.reliability)]
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    run_experiment(CONFIG, folder, n_jobs=1)
    return hashlib.sha256((folder / "curves.csv").read_bytes()).hexdigest()


def disturb(what, root, stride):
    # a process of its own: it forks, which this one, full of threads, must not
    command = [sys.executable, "-m", "tests.crashes.steps", what, str(root), "1", str(stride)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *disturbed, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert last["ended"] == 0, "the steps go on until the run ends by itself"
    assert len(disturbed) >= 70 // stride
    return disturbed


@every_so_often
def test_killed_at_any_step_a_run_goes_on_and_gives_the_same_bytes(
    tmp_path, undisturbed, tried, stride
):
    outcomes = disturb("kill", tmp_path, stride)
    for outcome in outcomes:
        assert outcome["ended"] == -9
        assert outcome["again"] == 0, outcome["log"]
        assert outcome["sha256"] == undisturbed
        # one trial is in flight: whatever was finished before is kept
        assert outcome["stored"] - outcome["reported"] in (0, 1)
        assert not outcome["parts"], "nothing half written stays"
        assert not outcome["set_aside"], "whatever a killed run leaves is either good or not there"
        if 0 < outcome["stored"] < CONFIG.trials:
            assert "ended without a word. Going on from what it stored." in outcome["log"]
        findings, _ = check_results([tmp_path / str(outcome["step"])])
        assert [finding.status for finding in findings] == ["ok"]
    tried("killed at a step on the disk", len(outcomes))


@every_so_often
def test_a_disk_that_is_full_from_any_step_on_is_a_clear_error_and_loses_nothing(
    tmp_path, undisturbed, tried, stride
):
    outcomes = disturb("full", tmp_path, stride)
    for outcome in outcomes:
        assert outcome["ended"] == REFUSED, outcome["log"]
        assert "cannot be written: No space left on device." in outcome["log"]
        assert "what was stored before is intact." in outcome["log"]
        assert outcome["again"] == 0, outcome["log"]
        assert outcome["sha256"] == undisturbed
        assert outcome["stored"] - outcome["reported"] in (0, 1)
        assert not outcome["parts"] + outcome["set_aside"]
    tried("disk full from a step on", len(outcomes))
