"""A run on the workers of a dask scheduler gives the bytes of a run without, whichever workers and files are lost."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading

import dask
import distributed  # noqa: F401  its defaults must be there before any of them is set and put back
import joblib
import pytest

from mvcc.exceptions import ConfigError, WorkerError
from mvcc.experiments import _dask as dask_module
from mvcc.experiments import connect_to_dask, load_config, plan_run, run_experiment
from mvcc.experiments._errand import attempt_away
from tests.experiments.dask_fleet import connected, fleet, free_port, wait_until
from tests.experiments.test_trial import small_config

pytestmark = [pytest.mark.slow, pytest.mark.compiled]  # as plain Python, trials take minutes

CONFIG = small_config(trials=8, multi_view={"mapped": (0.4,), "constraints": (10,)})
PROTEIN = "trials=3", "multi_view.mapped=[0.4]", "multi_view.constraints=[25]", "single_view.constraints=[25]"
WITHOUT_FILES = """\
from pathlib import Path
from mvcc.datasets import _files
def none(*_): raise OSError("no network")
_files.cache_folder = lambda: Path("no-such-folder")
_files.download = none
"""
OTHER_VERSION = "import mvcc._version; mvcc._version.__version__ = '99.0'"
OTHER_NUMPY = """\
from importlib.metadata import version
from mvcc import _environment
_environment.version = lambda name: "0.1" if name == "numpy" else version(name)
"""
NO_MVCC = "import sys; sys.modules['mvcc'] = None"


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("expected")
    run_experiment(CONFIG, folder, n_jobs=1)
    return (folder / "curves.csv").read_bytes()


def run_on(address, folder, config=CONFIG, **options):
    with connect_to_dask(address) as client, joblib.parallel_config(backend="dask", client=client):
        return run_experiment(config, folder, **options)


def preload(tmp_path, content):
    path = tmp_path / "preload.py"
    path.write_text(content)
    return "--preload", str(path)


def test_a_worker_killed_in_the_middle_loses_nothing_and_changes_no_byte(expected, tmp_path, tried, monkeypatch):
    monkeypatch.setattr(dask_module, "_LOOK_EVERY", 0.01)
    notes = []
    with fleet(tmp_path, 2) as started:

        def kill_one(trial, ok):
            started.workers[0].kill()
            wait_until(lambda: len(connected(started.address)) == 1)

        report = run_on(started.address, tmp_path / "out", on_trial=kill_one, on_note=notes.append)
    assert (report.computed, report.failed) == (8, {})
    assert (tmp_path / "out/curves.csv").read_bytes() == expected
    (note,) = notes
    assert re.fullmatch(r"Gone: worker tcp://127\.0\.0\.1:\d+; 1 left, to which its trials go\.", note)
    tried("dask worker killed", 1)
    tried("same bytes computed in another way", 1)


def test_a_run_without_any_worker_left_waits_for_new_ones(expected, tmp_path, tried, monkeypatch):
    monkeypatch.setattr(dask_module, "_LOOK_EVERY", 0.01)
    notes = []
    with fleet(tmp_path, 2) as started:

        def note(text):
            notes.append(text)
            if text.startswith("Waiting for workers"):
                started.add_worker()

        def kill_all(trial, ok):
            if not notes:
                for worker in started.workers:
                    worker.kill()

        report = run_on(started.address, tmp_path / "out", on_trial=kill_all, on_note=note)
    assert (report.computed, report.failed) == (8, {})
    assert (tmp_path / "out/curves.csv").read_bytes() == expected
    assert any(text.startswith("New: worker tcp://") for text in notes)
    tried("dask worker killed", 2)


def test_numbers_that_are_lost_with_all_workers_before_they_were_fetched_are_computed_again(
    expected, tmp_path, monkeypatch, tried
):
    monkeypatch.setattr(dask_module, "_LOOK_EVERY", 0.01)
    monkeypatch.setattr(dask_module, "_FETCH", 1)
    fetch, killed = dask_module._outcome, []
    with fleet(tmp_path, 2) as started:

        def kill_before(*arguments):
            if not killed:
                killed.extend(started.workers)
                for worker in killed:
                    worker.kill()
                wait_until(lambda: not connected(started.address))
            return fetch(*arguments)

        def note(text):
            if text.startswith("Waiting for workers"):
                started.add_worker()

        monkeypatch.setattr(dask_module, "_outcome", kill_before)
        report = run_on(started.address, tmp_path / "out", on_note=note)
    assert (report.computed, report.failed) == (8, {})
    assert (tmp_path / "out/curves.csv").read_bytes() == expected
    tried("dask worker killed", 2)


def test_a_killed_scheduler_ends_the_run_with_a_word_and_what_is_finished_is_stored(tmp_path, tried):
    gone = pytest.raises(WorkerError, match=r"The scheduler is gone.*trials are left; what is finished is stored")
    with fleet(tmp_path, 2) as started, gone:
        run_on(started.address, tmp_path / "out", on_trial=lambda trial, ok: started.scheduler.kill())
    plan = plan_run(CONFIG, tmp_path / "out")
    assert plan.kept >= 1
    assert plan.damaged == {}
    tried("dask scheduler killed", 1)


@pytest.mark.reliability
def test_a_trial_that_kills_every_worker_fails_and_the_others_are_stored(tmp_path, monkeypatch):
    real = attempt_away

    def kills(errand, trial):
        if trial == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(errand, trial)

    monkeypatch.setattr(dask_module, "attempt_away", kills)
    with fleet(tmp_path, 1) as started:

        def note(text):
            if text.startswith("Waiting for workers"):
                started.add_worker()

        report = run_on(started.address, tmp_path / "out", on_note=note, n_jobs=1)
    assert report.computed == 7
    assert "Its workers were killed again and again" in report.failed[3].read_text()


@pytest.mark.data
def test_workers_need_no_data_files(tmp_path, tried):
    config = load_config("configs/protein.yaml", PROTEIN)
    run_experiment(config, tmp_path / "here", n_jobs=1)
    with fleet(tmp_path, 0) as started:
        started.add_worker(*preload(tmp_path, WITHOUT_FILES))
        started.add_worker(*preload(tmp_path, WITHOUT_FILES))
        started.wait()
        report = run_on(started.address, tmp_path / "away", config)
    assert (report.computed, report.failed) == (3, {})
    assert (tmp_path / "away/curves.csv").read_bytes() == (tmp_path / "here/curves.csv").read_bytes()
    tried("same bytes computed in another way", 1)


@pytest.mark.reliability
def test_a_worker_with_several_threads_gives_the_same_bytes(expected, tmp_path, tried):
    with fleet(tmp_path, 0) as started:
        started.add_worker("--nthreads", "3")
        started.wait()
        run_on(started.address, tmp_path / "out")
    assert (tmp_path / "out/curves.csv").read_bytes() == expected
    tried("same bytes computed in another way", 1)


def test_a_worker_with_another_version_is_refused_before_anything_is_written(tmp_path):
    with fleet(tmp_path, 0) as started:
        started.add_worker(*preload(tmp_path, OTHER_VERSION))
        started.wait()
        with pytest.raises(WorkerError, match=r"The worker tcp://.* has mvcc 99\.0, this is"):
            run_on(started.address, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_worker_without_mvcc_is_refused_before_anything_is_written(tmp_path):
    with fleet(tmp_path, 0) as started:
        started.add_worker(*preload(tmp_path, NO_MVCC))
        started.wait()
        with pytest.raises(WorkerError, match=r"The worker tcp://.* cannot run trials.*Install mvcc"):
            run_on(started.address, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.reliability
def test_a_worker_with_another_version_that_comes_later_is_refused(tmp_path):
    with fleet(tmp_path, 1) as started:
        started_late = threading.Event()

        def add(trial, ok):
            if not started_late.is_set():
                started_late.set()
                started.add_worker(*preload(tmp_path, OTHER_VERSION))

        config = CONFIG.model_copy(update={"trials": 10_000})
        with pytest.raises(WorkerError, match=r"99\.0"):
            run_on(started.address, tmp_path / "out", config, on_trial=add)


def test_other_libraries_on_a_worker_are_named(expected, tmp_path):
    notes = []
    with fleet(tmp_path, 0) as started:
        started.add_worker(*preload(tmp_path, OTHER_NUMPY))
        started.wait()
        run_on(started.address, tmp_path / "out", on_note=notes.append)
    (text,) = notes
    assert text.startswith("Other than here is on worker tcp://")
    assert "so that bits may differ:\n  numpy: " in text
    assert text.endswith(" and 0.1")


def test_a_scheduler_without_workers_is_refused(tmp_path):
    refused = pytest.raises(WorkerError, match=r"No worker is connected .*`dask worker tcp://127")
    with fleet(tmp_path, 0) as started, refused:
        run_on(started.address, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_address_that_nobody_answers_at_is_refused(tmp_path):
    with pytest.raises(WorkerError, match="No dask scheduler answers at"):
        run_on(f"tcp://127.0.0.1:{free_port()}", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("address", ["", "nothing", "carrier://pigeon:1", "tcp://host:port", "tcp://"])
def test_what_is_no_address_is_refused(tmp_path, address):
    with pytest.raises(ConfigError, match="is no address of a dask scheduler"):
        run_on(address, tmp_path / "out")


@pytest.mark.parametrize(
    ("address", "settings", "message"),
    [
        ("tls://127.0.0.1:1", {}, "needs certificates, and dask's configuration names none"),
        (
            "tls://127.0.0.1:1",
            {"tls.ca-file": "no.pem", "tls.client.cert": "no.pem", "tls.client.key": "no.pem"},
            "cannot use the certificates that its configuration names, no.pem, no.pem, no.pem: .*No such file",
        ),
        ("tcp://127.0.0.1:1", {"require-encryption": True}, "requires encryption, which tcp://127.* has none of"),
    ],
    ids=["none", "missing", "required"],
)
def test_certificates_that_are_missing_are_named_before_anything_is_tried(address, settings, message):
    with (
        dask.config.set({f"distributed.comm.{name}": value for name, value in settings.items()}),
        pytest.raises(ConfigError, match=message),
        connect_to_dask(address),
    ):
        pass


def test_without_dask_the_message_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match="pip install dask distributed"), connect_to_dask("tcp://127.0.0.1:1"):
        pass


@pytest.mark.reliability
def test_an_interrupted_run_says_so_and_its_workers_serve_the_next_one(expected, tmp_path):
    config = tmp_path / "small.yaml"
    config.write_text(as_yaml(CONFIG))
    command = [sys.executable, "-m", "mvcc", "run", str(config), "--out", str(tmp_path / "out"), "--backend", "dask"]
    with fleet(tmp_path, 2) as started:
        command += ["--scheduler", started.address]
        with subprocess.Popen(
            [*command, "--trials", "10000"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which shells ignore in the background
        ) as process:
            try:
                wait_until(lambda: list((tmp_path / "out").glob("trials/*.csv.gz")), seconds=120)
                process.send_signal(signal.SIGINT)
                _, said = process.communicate(timeout=120)
            finally:
                process.kill()
        assert process.returncode == 130
        assert said.splitlines()[-1].startswith(b"mvcc: interrupted; what is finished is stored")
        assert b"Traceback" not in said
        done = subprocess.run([*command, "--fresh", "--trials", "8"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "8/8 trials done" in done.stderr
    assert (tmp_path / "out/curves.csv").read_bytes() == expected


def as_yaml(config):
    import yaml

    return yaml.safe_dump(config.model_dump(mode="json", exclude_unset=True))
