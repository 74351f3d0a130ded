"""Runs on dask give the same bytes, whichever workers are lost; with real processes."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import dask
import distributed
import joblib
import pytest
import yaml

from mvcc.exceptions import ConfigError, WorkerError
from mvcc.experiments import _workers as dask_module
from mvcc.experiments import connect_to_dask, plan_run, run_experiment
from tests.command_line import heed_interrupts
from tests.experiments.test_trial import small_config

pytestmark = [pytest.mark.slow, pytest.mark.compiled]  # as plain Python, trials take minutes

CONFIG = small_config(trials=8, multi_view={"mapped": (0.4,), "constraints": (10,)})
OTHER_VERSION = "import mvcc._version; mvcc._version.__version__ = '99.0'"
NO_MVCC = "import sys; sys.modules['mvcc'] = None"
OTHER_NUMPY = """\
from importlib.metadata import version
from mvcc._utils import environment
environment.version = lambda name: "0.1" if name == "numpy" else version(name)
"""


class WorkerPool:
    """A scheduler and workers as a user starts them: processes with another folder and home."""

    def __init__(self, folder):
        self._folder, self.workers = folder, []
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self.scheduler = self._start(
            "dask_scheduler", "--host=127.0.0.1", f"--port={port}", "--dashboard-address=:0"
        )

    def add_worker(self, preload=""):
        (self._folder / "preload.py").write_text(preload)
        options = ("--nthreads=1", "--no-dashboard", "--no-nanny", "--preload")
        preloaded = str(self._folder / "preload.py")
        self.workers.append(self._start("dask_worker", self.address, *options, preloaded))

    def connected(self):
        with distributed.Client(self.address, set_as_default=False) as client:
            return len(client.nthreads())

    def _start(self, module, *arguments):
        home = self._folder / f"home-{len(self.workers)}"
        home.mkdir(exist_ok=True)
        command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{module}", *arguments]
        with (home / f"{module}.log").open("wb") as log:
            environment = os.environ | {"HOME": str(home), "TMPDIR": str(home)}
            return subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=log)


@contextmanager
def pool(folder, *preloads):
    started = WorkerPool(folder)
    try:
        for preload in preloads:
            started.add_worker(preload)
        wait_until(lambda: started.connected() == len(preloads))
        yield started
    finally:
        for process in (*started.workers, started.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """Start a scheduler without workers, which every test leaves as it was."""
    with pool(tmp_path_factory.mktemp("pool")) as started:
        yield started


@contextmanager
def worker(scheduler, preload):
    scheduler.add_worker(preload)
    try:
        wait_until(lambda: scheduler.connected() == 1)
        yield
    finally:
        scheduler.workers[-1].kill()
        scheduler.workers[-1].wait()
        wait_until(lambda: scheduler.connected() == 0)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(holds):
    end = time.monotonic() + 180
    while not holds():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.1)


def run_on(address, folder, config=CONFIG, **options):
    with connect_to_dask(address) as client, joblib.parallel_config(backend="dask", client=client):
        return run_experiment(config, folder, **options)


def test_workers_that_die_and_workers_that_come_later_change_no_byte(tmp_path, tried):
    run_experiment(CONFIG, tmp_path / "expected", n_jobs=1)
    finished = []
    with pool(tmp_path, "", "") as started:

        def lose_workers(trial, ok):
            finished.append(trial)
            if len(finished) in (1, 3):  # first one of two, then all that there are
                for worker in started.workers[len(finished) // 2 :][:1]:
                    worker.kill()
                    worker.wait()
            if len(finished) == 3:
                wait_until(lambda: started.connected() == 0)
                started.add_worker()

        report = run_on(started.address, tmp_path / "out", on_trial=lose_workers)
    assert (report.computed, report.failed) == (8, {})
    found, expected = (tmp_path / name / "curves.csv" for name in ("out", "expected"))
    assert found.read_bytes() == expected.read_bytes()
    tried("dask worker killed", 2)
    tried("same bytes computed in another way", 1)


@pytest.mark.parametrize("n_jobs", [-1, pytest.param(1, marks=pytest.mark.reliability)])
def test_a_killed_scheduler_ends_the_run_and_what_is_finished_is_stored(tmp_path, tried, n_jobs):
    gone = pytest.raises(WorkerError, match=r"The scheduler is gone.*what is finished is stored")
    with pool(tmp_path, "") as started, gone:
        options = {"n_jobs": n_jobs, "on_trial": lambda *_: started.scheduler.kill()}
        run_on(started.address, tmp_path / "out", **options)
    plan = plan_run(CONFIG, tmp_path / "out")
    assert plan.kept >= 1
    assert plan.damaged == {}
    tried("dask scheduler killed", 1)


@pytest.mark.reliability
def test_a_trial_that_kills_every_worker_fails_and_the_others_are_stored(tmp_path, monkeypatch):
    real = dask_module._attempt_away

    def kills(version, config, data_dir, trial):
        if trial == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(version, config, data_dir, trial)

    monkeypatch.setattr(dask_module, "_attempt_away", kills)
    with pool(tmp_path, *[""] * 5) as started:
        report = run_on(started.address, tmp_path / "out", n_jobs=1)
    assert report.computed == 7
    assert "Its workers were killed again and again" in report.failed[3].read_text()


@pytest.mark.parametrize(
    ("preload", "message"),
    [(OTHER_VERSION, r"it has mvcc 99\.0\. Install"), (NO_MVCC, "ModuleNotFoundError")],
)
def test_a_worker_that_cannot_run_trials_is_refused_at_once(scheduler, tmp_path, preload, message):
    refused = rf"The worker tcp://.* cannot run trials: .*{message}"
    with worker(scheduler, preload), pytest.raises(WorkerError, match=refused):
        run_on(scheduler.address, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.reliability
def test_an_interrupted_run_says_so_and_takes_its_trials_back(tmp_path):
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(CONFIG.resolved()))
    command = [sys.executable, "-m", "mvcc", "run", "small.yaml", "--trials", "10000"]
    with pool(tmp_path, "", "") as started:
        command += ["--out", "out", "--backend", "dask", "--scheduler", started.address]
        options = {"stderr": subprocess.PIPE, "preexec_fn": heed_interrupts}
        with subprocess.Popen(command, cwd=tmp_path, **options) as process:
            wait_until(lambda: list((tmp_path / "out").glob("trials/*.csv.gz")))
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        with distributed.Client(started.address, set_as_default=False) as client:
            wait_until(lambda: not any(client.processing().values()))
    assert process.returncode == 130
    assert said.splitlines()[-1].startswith(b"mvcc: interrupted; finished trials are stored")
    assert b"Traceback" not in said


@pytest.mark.reliability
def test_a_worker_with_another_version_that_comes_later_ends_the_run(tmp_path):
    config = CONFIG.model_copy(update={"trials": 10_000})
    late, refused = iter([OTHER_VERSION]), r"A worker cannot run trials.*99\.0"
    with pool(tmp_path, "") as started:
        options = {"on_trial": lambda *_: [*map(started.add_worker, late)]}
        with pytest.raises(WorkerError, match=refused):
            run_on(started.address, tmp_path / "out", config, **options)


def test_other_libraries_on_a_worker_are_named(scheduler, tmp_path):
    notes, config = [], CONFIG.model_copy(update={"trials": 1})
    with worker(scheduler, OTHER_NUMPY):
        run_on(scheduler.address, tmp_path / "out", config, on_note=notes.append)
    (text,) = notes
    assert text.startswith("Other than here is on worker tcp://")
    assert "so that bits may differ:\n  numpy: " in text
    assert text.endswith(" and 0.1")


def test_a_scheduler_without_workers_is_refused(scheduler, tmp_path, monkeypatch):
    monkeypatch.setattr("mvcc._utils.scheduler._FIRST_WORKER", 1)
    with pytest.raises(WorkerError, match=r"No worker is connected .*`dask worker tcp://127"):
        run_on(scheduler.address, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def refuse(address, message):
    with pytest.raises(ConfigError, match=message), connect_to_dask(address):
        pass


@pytest.mark.parametrize(
    "address", ["", "nothing", "carrier://pigeon:1", "tcp://host:port", "tcp://"]
)
def test_what_is_no_address_is_refused(address):
    refuse(address, "is not the address of a dask scheduler")


FILES = {"tls.ca-file": "no.pem", "tls.client.cert": "no.pem", "tls.client.key": "no.pem"}
UNUSABLE = "certificates in dask's configuration cannot be used: .*No such file"


@pytest.mark.parametrize(
    ("address", "settings", "message"),
    [
        ("tls://127.0.0.1:1", {}, "which names no certificates"),
        ("tls://127.0.0.1:1", FILES, UNUSABLE),
        ("tcp://127.0.0.1:1", {"require-encryption": True}, "which requires encryption"),
    ],
    ids=["none", "missing", "required"],
)
def test_missing_certificates_are_named_before_anything_is_tried(address, settings, message):
    settings = {f"distributed.comm.{name}": value for name, value in settings.items()}
    with dask.config.set(settings):
        refuse(address, message)


def test_without_dask_the_message_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    refuse("tcp://127.0.0.1:1", "pip install dask distributed")
