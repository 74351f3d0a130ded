"""Commands killed while they write lose nothing, and the same command does the rest."""

import itertools
import os
import random
import re
import shutil
import signal
import time
import traceback
from pathlib import Path

import pytest

from mvcc import load_model
from mvcc._utils import files
from mvcc.exceptions import StoreError
from mvcc.tables import cluster_job, export_tables, load_job, predict_files
from tests.command_line import invoke
from tests.crashes import steps
from tests.tables.problems import outputs, with_values, write_problem

ENDINGS = (".csv", ".json", ".yaml", ".skops", ".html", ".parquet", ".txt")
KILLS = [pytest.param(10, marks=pytest.mark.slow), pytest.param(100, marks=pytest.mark.reliability)]
MINE = {"notes.txt": b"mine", "backup/labels.csv": b"mine", ".my.part": b"mine"}


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    """Give the options of a job, and a folder with its clustering."""
    folder = tmp_path_factory.mktemp("problem")
    options = write_problem(folder / "data", n=40)
    cluster_job(load_job(None, options), folder / "results")
    return options, folder / "results"


def killed_after(seconds, action):
    """Run an action in another process that is killed after a while; return how that ended."""
    if (child := os.fork()) == 0:
        try:
            action()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("step", [3, 4, 9])
def test_what_a_killed_clustering_put_aside_is_told_by_who_reads_and_comes_back_by_who_writes(
    problem, tmp_path, monkeypatch, step
):
    options, results = problem
    folder, view = tmp_path / "results", tmp_path / "data/view0.csv"
    shutil.copytree(results.parent / "data", tmp_path / "data")
    shutil.copytree(results, folder)
    before, moves, move = has_what_is_ours(folder), itertools.count(1), files.move

    def killed(source, target):
        if next(moves) == step:
            os.kill(os.getpid(), signal.SIGKILL)
        move(source, target)

    monkeypatch.setattr(files, "move", killed)
    again = load_job(None, with_values(options, n_clusters=2))
    (tmp_path / "log").touch()
    steps.in_child(lambda: cluster_job(again, folder, fresh=True), tmp_path / "log")
    monkeypatch.setattr(files, "move", move)
    assert not (folder / "clustering.json").exists()
    left = outputs(folder, *ENDINGS)
    tail = f"--out {tmp_path}/new --quiet"
    told = rf"is not there: .* This puts them back: mvcc review {folder} --json"
    for words in (
        f"predict {folder} --view view0={view} --out {tmp_path}/new.csv",
        f"export {folder} --out {tmp_path}/new",
        f"compare {folder} {results}",
        f"compare {results} {folder}",
        f"match --from {folder} --json",
        f"report {folder} --out {tmp_path}/new.html",
        f"cluster {results}/cluster.yaml --continue {folder} {tail}",
        f"cluster {results}/cluster.yaml -k 2-3 --continue {folder} {tail}",
        f"cluster {results}/cluster.yaml --asked {folder} {tail}",
    ):
        with pytest.raises(StoreError, match=told):
            invoke(words)
    assert re.search(told, " ".join(invoke(f"check {folder}").stdout.split()))
    with pytest.raises(StoreError, match=told):
        load_model(folder)
    if not (folder / "cluster.yaml").exists():
        with pytest.raises(StoreError, match=told):
            invoke(f"cluster {folder}/cluster.yaml {tail}")
    assert outputs(folder, *ENDINGS) == left
    assert not [*tmp_path.glob("new*")]
    for number, words in enumerate(
        ["review {} --json", "review {} --parts 0", "report {} --fresh"]
    ):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(folder, copy)
        invoke(words.format(copy))
        now = has_what_is_ours(copy)
        assert {name: now[name] for name in now if name != "report.html"} == {
            name: before[name] for name in before if name != "report.html"
        }
        assert not (copy / ".mvcc-exchange").exists()


def has_what_is_ours(folder):
    found = outputs(folder, *ENDINGS)
    return {name: content for name, content in found.items() if not name.startswith(".")}


def try_kills(kills, folder, action):
    """Kill an action at random moments; return the states of the folder that were seen."""
    action(fresh=os.path.exists(folder / ".mvcc-files"))  # imports what the others have
    began = time.perf_counter()
    action(fresh=True)
    longest = time.perf_counter() - began
    draw = random.Random(kills)
    seen, n_hits = [], 0
    for _ in range(kills):
        ended = killed_after(draw.uniform(0, 1.2 * longest), lambda: action(fresh=True))
        assert ended in (0, -signal.SIGKILL)
        n_hits += ended != 0
        seen.append(has_what_is_ours(folder))
    action(fresh=True)
    assert n_hits > kills / 4
    return seen


def add_mine(folder):
    for name, content in MINE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def check_mine(folder):
    assert {name: (folder / name).read_bytes() for name in MINE} == MINE
    parts = [path for path in folder.rglob(".*.part") if path.name != ".my.part"]
    assert not parts, "the next command removes what a killed one left"


@pytest.mark.parametrize("kills", KILLS)
def test_what_looks_whole_is_whole_after_a_kill_while_a_clustering_is_replaced(
    problem, tmp_path, tried, kills
):
    options, former = problem
    out = tmp_path / "results"
    shutil.copytree(former, out)
    add_mine(out)
    job = load_job(None, with_values(options, n_clusters=2))
    seen = try_kills(kills, out, lambda fresh: cluster_job(job, out, fresh=fresh))
    for state in seen:
        if "clustering.json" in state:
            whole = {"model.skops", "report.html", "view0/labels.csv"}
            assert whole <= set(state), "what looks whole is whole"
    check_mine(out)
    tried("clustering into an existing folder killed", kills)


@pytest.mark.parametrize("kills", KILLS)
@pytest.mark.parametrize("name", ["labels.csv", "labels.parquet"])
def test_former_labels_stay_whole_when_a_prediction_is_killed(
    problem, tmp_path, tried, kills, name
):
    _, results = problem
    new = {"view0": str(results.parent / "data/view0.csv")}
    out = tmp_path / "out"
    add_mine(out)
    seen = try_kills(kills, out, lambda fresh: predict_files(results, new, out / name, fresh=fresh))
    whole = has_what_is_ours(out)
    complete = all(state == whole for state in seen)
    assert complete, "the former file stays until the new one is complete"
    check_mine(out)
    tried("mvcc predict killed", kills)


@pytest.mark.parametrize("kills", KILLS)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_no_exported_table_is_half_written_by_a_killed_export(
    problem, tmp_path, tried, kills, kind
):
    _, results = problem
    out = tmp_path / "out"
    add_mine(out)
    export_tables(results, out, kind)
    ledger = out / ".mvcc-files"
    whole = has_what_is_ours(out)

    def write_anew(fresh):
        for path in Path(out).glob(f"view*.{kind}"):  # else the same bytes would stay
            path.unlink()
        export_tables(results, out, kind, fresh=fresh)

    seen = try_kills(kills, out, write_anew)
    assert all(state.items() <= whole.items() for state in seen), "no file is half written"
    assert has_what_is_ours(out) == whole
    assert ledger.exists()
    check_mine(out)
    tried("mvcc export killed", kills)
