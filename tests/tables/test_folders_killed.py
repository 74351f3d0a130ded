"""Killed workers, schedulers and jobs that label a folder: no row is lost or there twice."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import psutil
import pytest

from mvcc._utils import progress
from mvcc.exceptions import WorkerError
from mvcc.tables import check_clustering, cluster_job, load_job
from tests.command_line import heed_interrupts, mvcc
from tests.experiments.test_dask_scheduler import OTHER_VERSION, pool, wait_until
from tests.tables.problems import options_of

pytestmark = [
    *(pytest.mark.slow, pytest.mark.compiled),
    pytest.mark.filterwarnings("ignore:::dask"),  # seen since workers are in this process
]
N, N_FILES = 16_000, 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    (folder / "rows").mkdir()
    for number in range(N_FILES):
        kind = rng.integers(3, size=N // N_FILES)
        frame = pd.DataFrame(rng.normal(size=(len(kind), 6)) + 4 * kind[:, None]).add_prefix("x")
        frame.insert(0, "id", np.arange(len(kind)) + number * len(kind))
        frame.assign(kind=kind).to_parquet(folder / "rows" / f"{number:02}.parquet", index=False)
    return folder


@pytest.fixture
def job(folder):
    rows = {"path": str(folder / "rows"), "labels_column": "kind"}
    options = options_of({"rows": rows}, n_clusters=3, sample=800)
    return load_job(None, options)


@pytest.fixture(autouse=True)
def every_step_is_told(monkeypatch):
    monkeypatch.setattr(progress, "_PAUSE", 0)


def disturbed(job, out, then, scheduler=None):
    """Cluster, and do something once, when some of the labels are there."""
    done = []

    def on_step(step):
        if step.startswith("labels of all rows of rows:") and not done:
            done.append(step)
            then()

    return cluster_job(job, out, scheduler=scheduler, on_step=on_step)


def start(*words):
    """Start a command as a terminal does, in a process group of its own."""
    how = {"start_new_session": True, "text": True, "preexec_fn": heed_interrupts}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *map(str, words)], **how, **pipes)


def stop(process, by):
    """Stop a process; Ctrl-C reaches its workers, too. Return its exit code, and what it said."""
    if by == signal.SIGINT:
        os.killpg(process.pid, by)
    else:
        process.send_signal(by)
    said = process.communicate(timeout=60)[1]
    return process.returncode, said


def refuse_lost_rows(out):
    found = pd.read_parquet(out / "rows/labels")
    assert sorted(found["id"].astype(int)) == list(range(N))
    assert check_clustering(out) == (5, [], [])


@pytest.mark.reliability
def test_rows_of_a_worker_that_is_killed_go_to_the_others(job, tmp_path):
    with pool(tmp_path, "", "") as started:
        facts = disturbed(job, tmp_path / "out", started.workers[0].kill, started.address)
        assert started.workers[0].wait() == -signal.SIGKILL
        assert started.connected() == 1
    refuse_lost_rows(tmp_path / "out")
    assert facts.views[0].all_f > 0.99


def test_a_killed_process_of_this_machine_is_started_again(job, tmp_path):
    # a browser of other tests is a child of this process, too
    former, killed = psutil.Process().children(), []

    def kill_one():
        children = [one for one in psutil.Process().children() if one not in former]
        living = [one for one in children if one.status() != psutil.STATUS_ZOMBIE]
        # where setproctitle is installed, dask gives its processes other command lines
        workers = [one for one in living if "resource_tracker" not in " ".join(one.cmdline())]
        killed.append(workers[0].pid)
        workers[0].kill()

    disturbed(job, tmp_path / "out", kill_one)
    assert killed
    refuse_lost_rows(tmp_path / "out")


@pytest.mark.reliability
def test_when_all_workers_are_gone_the_job_waits_for_another(job, tmp_path):
    with pool(tmp_path, "") as started:

        def replace_worker():
            started.workers[0].kill()
            started.workers[0].wait()
            wait_until(lambda: started.connected() == 0)
            started.add_worker()

        disturbed(job, tmp_path / "out", replace_worker, started.address)
    refuse_lost_rows(tmp_path / "out")


def test_a_scheduler_that_is_killed_ends_the_job_with_a_word_and_nothing_is_written(job, tmp_path):
    gone = pytest.raises(WorkerError, match=r"The scheduler is gone; nothing was written\.")
    with pool(tmp_path, "") as started, gone:
        disturbed(job, tmp_path / "out", started.scheduler.kill, started.address)
    assert not (tmp_path / "out").exists()


def test_workers_with_another_mvcc_are_refused_also_those_that_join_later(job, tmp_path):
    with pool(tmp_path, OTHER_VERSION) as started:
        with pytest.raises(WorkerError, match=r"The worker \S+ has mvcc 99\.0\. Install mvcc"):
            cluster_job(job, tmp_path / "out", scheduler=started.address)
        assert not (tmp_path / "out").exists()
        started.workers[0].kill()
        started.add_worker()
        wait_until(lambda: started.connected() == 1)

        def replace_worker(step):
            if step == "features":
                started.workers[1].kill()
                started.add_worker(OTHER_VERSION)

        with pytest.raises(WorkerError, match=r"A worker has mvcc 99\.0, but the job"):
            cluster_job(job, tmp_path / "out", scheduler=started.address, on_step=replace_worker)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("by", "code"),
    [
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.reliability),
        (signal.SIGTERM, 130),
        pytest.param(signal.SIGKILL, -9, marks=pytest.mark.reliability),
    ],
)
def test_a_stopped_job_takes_its_workers_along_and_can_be_repeated(
    folder, address, tmp_path, by, code
):
    words = f"--view rows={folder}/rows -k 3 --sample 800 --out {tmp_path}/out"
    command = ["cluster", *words.split(), *"--stability-runs 0 --no-comparison".split()]
    process = start("-m", "mvcc", *command)
    wait_until(lambda: list(tmp_path.glob("out/.clustering.*.part/rows/labels/*")))
    workers = psutil.Process(process.pid).children(recursive=True)
    ended, said = stop(process, by)
    assert ended == code
    assert "KeyboardInterrupt" not in said
    wait_until(lambda: not any(one.is_running() for one in workers))
    assert not (tmp_path / "out/clustering.json").exists()
    assert by == signal.SIGKILL or not (tmp_path / "out").exists()
    assert mvcc(*command, "--scheduler", address).returncode == 0
    refuse_lost_rows(tmp_path / "out")


TELLS_WHEN_WORKERS_START = """if True:
    import sys
    from mvcc.cli import main
    from mvcc._utils import scheduler
    start = scheduler.local_workers
    scheduler.local_workers = lambda: print("starting", flush=True) or start()
    sys.argv = ["mvcc", *sys.argv[1:]]
    main()
"""


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("seconds", [0.05, 1.5])
def test_a_job_stopped_while_workers_start_says_so_in_one_line(folder, tmp_path, by, seconds):
    words = f"cluster --view rows={folder}/rows -k 3 --out {tmp_path}/out"
    process = start("-c", TELLS_WHEN_WORKERS_START, *words.split())
    assert process.stdout.readline() == "starting\n"
    time.sleep(seconds)
    ended, said = stop(process, by)
    told = "mvcc: interrupted; complete results stay, the same command starts over."
    assert (ended, said.strip()) == (130, told)
