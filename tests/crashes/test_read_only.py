"""A folder that cannot be written to is an error only where something must be written."""

import shutil
import tempfile
from pathlib import Path

import pytest

from mvcc.exceptions import StoreError
from mvcc.experiments import check_results, replay_trial, run_experiment
from mvcc.results import Results
from tests.crashes.steps import CONFIG, rights_of_everybody


@pytest.fixture
def read_only():
    """Give a folder with a finished run, and then all rights away."""
    # not below the folder of pytest, which only its owner may enter
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    folder = root / "results"
    run_experiment(CONFIG, folder, n_jobs=1)
    places = [root, folder, folder / "trials"]
    for place in places:
        place.chmod(0o555)
    with rights_of_everybody():
        yield folder
    for place in places:
        place.chmod(0o755)
    shutil.rmtree(root)


def test_a_finished_run_is_read_where_nothing_can_be_written(read_only, tried):
    report = run_experiment(CONFIG, read_only, n_jobs=1)
    assert (report.computed, report.kept) == (0, 3)
    assert check_results([read_only])[0][0].status == "ok"
    assert replay_trial(read_only, 1).differing == 0
    assert len(Results(read_only).curves) == 2
    tried("folder read-only", 1)


@pytest.mark.parametrize("where", ["results", "new"])
def test_a_run_that_must_write_says_where_it_cannot(read_only, tried, where):
    more = CONFIG.model_copy(update={"trials": 4})
    denied = r"cannot be written: Permission denied\. Make it writable, or choose another"
    with pytest.raises(StoreError, match=denied):
        run_experiment(more, read_only.parent / where, n_jobs=1)
    assert check_results([read_only])[0][0].status == "ok", "what was there is as it was"
    tried("folder read-only", 1)
