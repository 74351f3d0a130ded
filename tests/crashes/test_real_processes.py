"""``mvcc run`` as people run it, with workers, killed and interrupted from outside."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.command_line import heed_interrupts, mvcc

TRIALS = 16
CONFIG = f"""\
name: tiny
dataset: four_quadrants
dataset_options: {{instances_per_view: 100}}
trials: {TRIALS}
multi_view:
  transfers: [constraint-propagation, direct-mapping]
  bases: [pck-means, mpck-means]
  threshold: 0.75
  mapped: [0.4]
  constraints: [10, 20]
"""
pytestmark = [pytest.mark.slow, pytest.mark.compiled]  # as plain Python, trials take minutes

PATIENCE = 120  # seconds until a test calls it a hang


def command(folder, *options):
    return ["run", str(folder.parent / "tiny.yaml"), "--out", str(folder), *options]


def start(folder, *options):
    words = [sys.executable, "-m", "mvcc", *command(folder, "-j", "2", *options)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # a process group of its own, as a terminal gives it
    return subprocess.Popen(words, start_new_session=True, preexec_fn=heed_interrupts, **pipes)


def run(folder, *options):
    """Run or go on in this process, which needs no other: exit code, output and errors."""
    return mvcc(*command(folder, "-j", "1", *options))


def finish(process):
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def shards(folder):
    return {path.name: path.read_bytes() for path in folder.glob("trials/[0-9]*.csv.gz")}


def sha256(folder):
    return hashlib.sha256((folder / "curves.csv").read_bytes()).hexdigest()


def wait_for_trials(folder, number, process):
    began = time.monotonic()
    while len(shards(folder)) < number and process.poll() is None:
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.01)


def workers_of(process):
    return psutil.Process(process.pid).children(recursive=True)


def assert_gone(processes):
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE / 4)
    assert not alive, f"these go on working for nobody: {alive}"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tiny.yaml").write_text(CONFIG)
    return tmp_path / "results"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "results"
    (folder.parent / "tiny.yaml").write_text(CONFIG)
    assert run(folder).returncode == 0
    return sha256(folder)


@pytest.mark.parametrize("kills", [2, pytest.param(120, marks=pytest.mark.reliability)])
def test_a_run_killed_again_and_again_gives_the_same_bytes(folder, undisturbed, tried, kills):
    moment, done, kept = random.Random(kills), 0, {}
    while done < kills:
        if len(kept) == TRIALS:  # all done: once more from the beginning, over the former results
            run(folder, "--fresh", "--trials", "1")
            kept = shards(folder)
        process = start(folder)
        if waits := done in (0, kills - 1) or moment.random() < 0.8:
            wait_for_trials(folder, len(kept) + 1, process)
        time.sleep(moment.uniform(0, 0.05 if waits else 0.4))
        workers = workers_of(process) if process.poll() is None else []
        process.kill()
        assert "Traceback" not in finish(process)[2]
        assert_gone(workers)
        found = shards(folder)
        assert kept.items() <= found.items(), "what was finished is neither lost nor computed again"
        kept, done = found, done + 1
    assert json.loads((folder / ".mvcc-lock").read_text())["pid"] == process.pid
    code, out, err = run(folder)
    assert code == 0, err
    assert f"{folder}: a run of process {process.pid} on {os.uname().nodename}, begun 20" in err
    assert "ended without a word. Going on from what it stored." in err
    assert f"{TRIALS - len(kept)} trials computed" in out
    assert f"{len(kept)} kept from before" in out
    assert kept.items() <= shards(folder).items()
    assert sha256(folder) == undisturbed
    tried("run of two workers killed", kills)


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGINT, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, id="terminated", marks=pytest.mark.reliability),
    ],
)
def test_an_interrupted_run_says_so_and_leaves_no_workers(folder, undisturbed, tried, number):
    process = start(folder)
    wait_for_trials(folder, 2, process)
    workers = workers_of(process)
    assert len(workers) >= 2
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # a terminal interrupts the workers, too
    else:
        process.send_signal(number)
    code, _, err = finish(process)
    assert code == 130, err
    stored = "interrupted; finished trials are stored, the same command resumes (without --fresh)"
    assert stored in err
    assert "Traceback" not in err
    assert_gone(workers)
    kept = shards(folder)
    assert kept
    assert not (folder / ".mvcc-lock").exists()
    tried("run interrupted or terminated", 1)
    if number == signal.SIGINT:
        code, out, err = run(folder)
        assert (code, f"{len(kept)} kept from before" in out) == (0, True), err
        assert sha256(folder) == undisturbed


@pytest.mark.reliability
def test_workers_that_were_given_nothing_yet_end_as_well(folder):
    process = start(folder, "--trials", "1")  # the second of two workers has nothing to do
    wait_for_trials(folder, 1, process)
    workers = workers_of(process) if process.poll() is None else []
    process.kill()
    finish(process)
    assert_gone(workers)


def test_a_second_run_is_refused_and_a_killed_worker_ends_nothing(folder, undisturbed, tried):
    process = start(folder)
    wait_for_trials(folder, 2, process)
    process.send_signal(signal.SIGSTOP)  # it holds the folder however fast it is
    code, out, err = run(folder)
    # the helpers of joblib that compute nothing have other command lines
    computing = [one for one in workers_of(process) if "LokyProcess" in " ".join(one.cmdline())]
    assert len(computing) == 2
    computing[0].kill()
    process.send_signal(signal.SIGCONT)
    assert (code, out) == (1, "")
    holder = f"a run of process {process.pid} on {os.uname().nodename}, begun 20"
    assert f"{folder} is in use: {holder}" in err
    assert "Wait until that has ended, or choose another folder." in err
    tried("second run into the same folder", 1)
    code, _, err = finish(process)
    assert code == 0, err
    killed = "The system killed a worker process, most often since memory ran out. Going on with"
    assert killed in err
    assert sha256(folder) == undisturbed
    tried("worker killed by the system", 1)
