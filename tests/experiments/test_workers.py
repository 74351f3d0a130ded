"""A worker that dies takes no other trial with it; many that die end the run with a word."""

import os
import signal
import subprocess
import sys
import time

import pytest

from mvcc.exceptions import WorkerError
from mvcc.experiments import _workers as workers
from mvcc.experiments import plan_run, run_experiment
from mvcc.experiments._trial import run_trial
from tests.experiments.test_trial import small_config

pytestmark = pytest.mark.slow

PLAN = {"mapped": (0.4,), "constraints": (10,), "transfers": ("direct-mapping",)}
CONFIG = small_config(trials=4, multi_view=PLAN)


@pytest.fixture
def deadly(monkeypatch, tmp_path):
    """Let a trial kill its worker, as often as told; this code travels to the workers."""

    def plant(trial, times):
        attempt = workers.Attempt

        def kills(config, data_dir, number):
            marks = len(list(tmp_path.glob("killed-*")))
            if number == trial and marks < times:
                (tmp_path / f"killed-{marks}").touch()
                time.sleep(2)  # memory takes a while to fill
                os.kill(os.getpid(), signal.SIGKILL)
            return attempt(number, run_trial(config, number, data_dir))

        monkeypatch.setattr(workers, "attempt", kills)

    return plant


def test_the_trials_of_a_killed_worker_are_taken_over(deadly, tmp_path, tried):
    run_experiment(CONFIG, tmp_path / "whole", n_jobs=1)
    deadly(trial=2, times=1)
    notes = []
    report = run_experiment(CONFIG, tmp_path / "killed", n_jobs=2, on_note=notes.append)
    assert (report.computed, report.failed) == (4, {})
    (note,) = notes
    killed = "The system killed a worker process, most often since memory ran out. Going on with"
    assert killed in note
    assert "fewer workers (-j) need less memory" in note
    whole, killed = ((tmp_path / name / "curves.csv").read_bytes() for name in ("whole", "killed"))
    assert whole == killed
    tried("worker killed by the system", 1)


@pytest.mark.reliability
def test_a_trial_that_kills_all_workers_ends_the_run_and_others_are_stored(deadly, tmp_path, tried):
    deadly(trial=0, times=10**6)
    why = r"again and again.*memory.*1 trials are left.*fewer workers \(-j\)"
    with pytest.raises(WorkerError, match=why):
        run_experiment(CONFIG, tmp_path / "killed", n_jobs=2)
    assert plan_run(CONFIG, tmp_path / "killed").missing == [0]
    tried("worker killed by the system", len(list(tmp_path.glob("killed-*"))))


def test_a_worker_leaves_ctrl_c_to_the_process_that_started_it():
    """A terminal interrupts all of them; a worker that gave way to it would show a traceback."""
    script = (
        "import os, signal\n"
        "from mvcc.experiments._workers import _belong_to\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "_belong_to(os.getppid())\n"
        "signal.raise_signal(signal.SIGINT)\n"
        "print('goes on')\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", "")
