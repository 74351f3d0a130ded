"""A run that is killed or finds the disk full, at any step, loses nothing."""

import hashlib
from multiprocessing import get_context

import pytest

from mvcc.experiments import check_results, run_experiment
from tests.crashes.steps import CONFIG, REFUSED, full, killed, outcomes

pytestmark = pytest.mark.slow

# how many steps from one that is disturbed to the next
every_so_often = pytest.mark.parametrize(
    "stride", [7, pytest.param(1, marks=pytest.mark.reliability)]
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    run_experiment(CONFIG, folder, n_jobs=1)
    return hashlib.sha256((folder / "curves.csv").read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def disturbed():
    """Start a process of its own: it forks, which this one, full of threads, must not."""

    def found(by, root, stride):
        *disturbed, last = fresh.apply(outcomes, (by, root, stride))
        assert last["ended"] == 0, "the steps go on until the run ends by itself"
        assert len(disturbed) >= 70 // stride
        return disturbed

    with get_context("spawn").Pool(1) as fresh:
        yield found


@every_so_often
def test_a_run_killed_at_any_step_goes_on_to_the_same_bytes(
    tmp_path, undisturbed, disturbed, tried, stride
):
    found = disturbed(killed, tmp_path, stride)
    for outcome in found:
        assert outcome["ended"] == -9
        assert outcome["again"] == 0, outcome["log"]
        assert outcome["sha256"] == undisturbed
        # one trial is in flight: whatever was finished before is kept
        assert outcome["stored"] - outcome["reported"] in (0, 1)
        assert not outcome["parts"], "nothing half written stays"
        assert not outcome["set_aside"], "whatever a killed run leaves is either good or not there"
        if 0 < outcome["stored"] < CONFIG.trials:
            assert "ended without a word. Going on from what it stored." in outcome["log"]
        findings, _ = check_results([outcome["folder"]])
        assert [finding.status for finding in findings] == ["ok"]
    tried("killed at a step on the disk", len(found))


@every_so_often
def test_a_disk_full_from_a_step_on_is_an_error_and_loses_nothing(
    tmp_path, undisturbed, disturbed, tried, stride
):
    found = disturbed(full, tmp_path, stride)
    for outcome in found:
        assert outcome["ended"] == REFUSED, outcome["log"]
        assert "cannot be written: No space left on device." in outcome["log"]
        assert "what was stored before is intact." in outcome["log"]
        assert outcome["again"] == 0, outcome["log"]
        assert outcome["sha256"] == undisturbed
        assert outcome["stored"] - outcome["reported"] in (0, 1)
        assert not outcome["parts"] + outcome["set_aside"]
    tried("disk full from a step on", len(found))
