"""A trial that kills its workers ends the run with a word; Ctrl-C does not end a worker."""

import os
import signal
import time

import pytest

from mvcc.exceptions import WorkerError
from mvcc.experiments import _workers as workers
from mvcc.experiments import plan_run, run_experiment
from tests.crashes import steps
from tests.experiments.test_trial import small_config

pytestmark = pytest.mark.slow

PLAN = {"mapped": (0.4,), "constraints": (10,), "transfers": ("direct-mapping",)}
CONFIG = small_config(trials=4, multi_view=PLAN)


@pytest.mark.reliability
def test_a_trial_that_kills_all_workers_ends_the_run_and_others_are_stored(
    monkeypatch, tmp_path, tried
):
    attempt, killed = workers.attempt, tmp_path / "killed"

    def kills(config, data_dir, number):  # this code travels to the workers
        if number == 0:
            with killed.open("a") as file:
                file.write("x")
            time.sleep(2)  # memory takes a while to fill
            os.kill(os.getpid(), signal.SIGKILL)
        return attempt(config, data_dir, number)

    monkeypatch.setattr(workers, "attempt", kills)
    why = r"again and again.*memory.*1 trials are left.*fewer workers \(-j\)"
    with pytest.raises(WorkerError, match=why):
        run_experiment(CONFIG, tmp_path / "results", n_jobs=2)
    assert plan_run(CONFIG, tmp_path / "results").missing == [0]
    tried("worker killed by the system", killed.stat().st_size)


def test_a_worker_leaves_ctrl_c_to_the_process_that_started_it(tmp_path):
    """A terminal interrupts all of them; a worker that gave way to it would show a traceback."""

    def interrupted():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        workers._belong_to(os.getppid())
        signal.raise_signal(signal.SIGINT)

    assert steps.in_child(interrupted, tmp_path / "log") == 0
