"""The folder of a clustering holds a whole one or does not look like it, and nothing of anybody else's is lost."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from mvcc.exceptions import ConstraintConflictError, DataError, StoreError
from mvcc.jobs import _folder, _pairs, load_job
from tests.jobs.problems import cluster, outputs, read_csv, with_values, write_csv, write_problem

NOBODY = 65534
EVERYTHING = {
    *("clustering.json", "cluster.yaml", "model.skops"),
    *(f"view{v}/{name}.csv" for v in (0, 1) for name in ("labels", "moved")),
}


def file_of(options, *keys):
    return Path({own: value for own, value, _ in options}[keys])


@pytest.fixture
def options(tmp_path):
    return write_problem(tmp_path / "data")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def names(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_everything_is_written_and_nothing_else(options, out):
    cluster(options, out)
    assert names(out) == EVERYTHING


@pytest.mark.parametrize("there", ["thesis.tex", "view0/labels.csv", "cluster.yaml", ".hidden", "view0/notes.txt"])
@pytest.mark.parametrize("fresh", [False, True])
def test_a_folder_of_something_else_is_refused_and_left_alone(options, out, there, fresh):
    (out / there).parent.mkdir(parents=True)
    (out / there).write_text("mine")
    with pytest.raises(StoreError, match=r"out holds .*, but no clustering\. Choose another folder with --out"):
        cluster(options, out, fresh=fresh)
    assert names(out) == {there}
    assert (out / there).read_text() == "mine"


def test_a_clustering_by_other_settings_is_replaced_only_when_told(options, out):
    cluster(options, out)
    before = outputs(out, ".csv", ".json", ".yaml", ".skops")
    other = with_values(options, n_clusters=2)
    with pytest.raises(StoreError, match=r"by other settings, those of .*cluster\.yaml\..* replace it with --fresh"):
        cluster(other, out)
    assert outputs(out, ".csv", ".json", ".yaml", ".skops") == before
    cluster(other, out, fresh=True)
    assert len({row["cluster"] for row in read_csv(out / "view0/labels.csv")}) == 2
    assert names(out) == EVERYTHING


def test_the_same_settings_may_write_again_without_being_told(options, out):
    cluster(options, out)
    before = outputs(out, ".csv", ".yaml")
    cluster(options, out)
    assert outputs(out, ".csv", ".yaml") == before


def test_of_a_view_that_is_gone_nothing_stays(options, out):
    cluster(options, out)
    (out / "mine").mkdir()
    (out / "mine/labels.csv").write_text("x")
    (out / "mine/notes.txt").write_text("mine")
    alone = [option for option in options if "view1" not in str(option[0])]
    cluster(alone, out, fresh=True)
    assert {name for name in names(out) if name.startswith("view")} == {n for n in EVERYTHING if n.startswith("view0")}
    assert names(out) & {"mine/labels.csv", "mine/notes.txt"} == {"mine/labels.csv", "mine/notes.txt"}


def test_inputs_inside_the_folder_are_never_written_over(options, out):
    cluster(options, out)
    for name in ("view0/labels.csv", "gone/labels.csv", "view1/moved.csv"):
        table = out / name
        table.parent.mkdir(exist_ok=True)
        write_csv(table, [["id", "x"], *([f"r{i}", i] for i in range(5))])
        content = table.read_bytes()
        one = [(("views", "view0", "path"), str(table), "--view"), (("n_clusters",), 2, "-k")]
        with pytest.raises(StoreError, match=rf"{name} is read and would be written over"):
            cluster(one, out, fresh=True)
        assert table.read_bytes() == content


def test_the_commented_settings_of_the_example_are_never_written_over(tmp_path):
    from mvcc.jobs import cluster_job, write_example

    write_example(tmp_path / "my-data")
    before = outputs(tmp_path / "my-data", ".yaml", ".csv")
    job = load_job(tmp_path / "my-data/cluster.yaml")
    with pytest.raises(StoreError, match="but no clustering"):
        cluster_job(job, tmp_path / "my-data", fresh=True)
    assert outputs(tmp_path / "my-data", ".yaml", ".csv") == before


def test_a_file_in_place_of_the_folder_is_refused(options, out):
    out.write_text("mine")
    with pytest.raises(
        StoreError,
        match=r"out cannot be written: File exists\. A file is where a folder must be: choose another folder with -",
    ):
        cluster(options, out)
    with pytest.raises(StoreError, match=r"cannot be written: Not a directory\. A file is where a folder must be: "):
        cluster(options, out / "below")
    assert out.read_text() == "mine"


def test_a_name_that_is_too_long_is_refused(options, tmp_path):
    with pytest.raises(StoreError, match=r"cannot be written: File name too long\. Choose another folder"):
        cluster(options, tmp_path / ("x" * 300))


def test_a_folder_that_nobody_may_write_to_is_refused(options):
    root = Path(tempfile.mkdtemp())  # not below the folder of pytest, which only its owner may enter
    try:
        root.chmod(0o755)
        data = file_of(options, "views", "view0", "path").parent
        shutil.copytree(data, root / "data")
        moved = [(keys, str(value).replace(str(data), str(root / "data")), label)
                 if isinstance(value, str) else (keys, value, label) for keys, value, label in options]  # fmt: skip
        cluster(moved, root / "done")
        root.chmod(0o555)
        (root / "done").chmod(0o555)
        administrator = os.geteuid() == 0
        if administrator:
            os.seteuid(NOBODY)
        try:
            for name in ("done", "new"):
                with pytest.raises(StoreError, match=r"cannot be written: Permission denied\. Make it writable, or ch"):
                    cluster(moved, root / name)
        finally:
            if administrator:
                os.seteuid(0)
        assert names(root / "done") == EVERYTHING
    finally:
        root.chmod(0o755)
        (root / "done").chmod(0o755)
        shutil.rmtree(root)


def test_an_input_that_vanishes_while_it_is_read_is_a_clear_error(options, out, monkeypatch):
    read = _pairs.read_matches

    def gone(*arguments):
        file_of(options, "views", "view0", "path").unlink()
        return read(*arguments)

    monkeypatch.setattr(_pairs, "read_matches", gone)
    with pytest.raises(DataError, match=r"view0\.csv: cannot be read any more: No such file"):
        cluster(options, out)


# steps on the disk that fail, or are the last


class Killed(BaseException):
    """Nothing that a program could answer."""


def disturbed(monkeypatch, step, error):
    """Let the given write fail, and all after it where the disk is full."""
    done = []
    write_whole, move = _folder.write_whole, _folder.move

    def counted(path):
        done.append(path)
        if len(done) == step or (len(done) > step and isinstance(error, OSError)):
            raise error

    def write(path, content):
        counted(path)
        write_whole(path, content)

    def install(source, target):
        counted(target)
        move(source, target)

    monkeypatch.setattr(_folder, "move", install)
    monkeypatch.setattr(_folder, "write_whole", write)
    return done


WRITES = 7
STEPS = range(1, 2 * WRITES + 1)  # each file is written, then moved to its place
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.slow
@pytest.mark.parametrize("before", [False, True], ids=["new", "fresh"])
@pytest.mark.parametrize("error", [Killed(), FULL], ids=["killed", "full"])
@pytest.mark.parametrize("step", STEPS)
def test_a_clustering_that_was_not_finished_never_looks_whole_and_the_same_command_finishes_it(
    tmp_path, options, out, monkeypatch, tried, step, error, before
):
    if before:
        cluster(with_values(options, n_clusters=2), out)
        (out / "report.html").write_text("of before")
    former = outputs(out, ".csv", ".json", ".yaml", ".skops", ".html") if before else {}
    killed = isinstance(error, Killed)
    with monkeypatch.context() as patch:
        disturbed(patch, step, error)
        with pytest.raises(Killed if killed else StoreError) as ended:
            cluster(options, out, fresh=before)
    if not killed:
        assert "out cannot be written: No space left on device. Make room, or choose another folder" in str(ended.value)
    if before and step <= WRITES:
        left = outputs(out, ".csv", ".json", ".yaml", ".skops", ".html")
        assert {name: content for name, content in left.items() if ".new" not in str(name)} == former, "nothing is lost"
    else:
        assert not names(out) & {"clustering.json", "report.html"}, "nothing looks whole"
    (out / ".model.skops.77.part").touch()  # as a killed process leaves it
    cluster(options, out, fresh=before)
    assert names(out) == EVERYTHING
    cluster(options, tmp_path / "undisturbed")
    assert outputs(out, ".csv") == outputs(tmp_path / "undisturbed", ".csv")
    tried("clustering killed at a step on the disk" if killed else "clustering on a disk full from a step on", 1)


def test_there_are_as_many_steps_as_are_disturbed(options, out, monkeypatch):
    done = disturbed(monkeypatch, 10**6, Killed())
    cluster(options, out)
    assert len(done) == len(STEPS)


def test_a_contradiction_leaves_no_half_clustering(options, out):
    cluster(options, out)
    before = outputs(out, ".csv", ".json", ".yaml", ".skops")
    judged = file_of(options, "constraints", "view0")
    first = read_csv(judged)[0]
    kind = "cannot-link" if first["kind"] == "must-link" else "must-link"
    judged.write_text(judged.read_text() + f"{first['i']},{first['j']},{kind},1\n")
    with pytest.raises(ConstraintConflictError):
        cluster(options, out)
    assert outputs(out, ".csv", ".json", ".yaml", ".skops") == before


@pytest.mark.reliability
def test_a_process_that_is_killed_at_any_moment_leaves_nothing_that_looks_whole(tmp_path, options, out, tried):
    config = tmp_path / "job.yaml"
    cluster(options, tmp_path / "whole")
    shutil.copy(tmp_path / "whole/cluster.yaml", config)
    config.write_text(config.read_text().replace("../", ""))
    command = [sys.executable, "-m", "mvcc", "cluster", str(config), "--out", str(out)]
    for tenths in range(5, 45, 2):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.communicate(timeout=tenths / 10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        if (out / "clustering.json").exists():
            assert json.loads((out / "clustering.json").read_text("utf-8"))["kind"] == "clustering"
            assert names(out) >= EVERYTHING
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert outputs(out, ".csv") == outputs(tmp_path / "whole", ".csv")
    tried("clustering killed by a signal", 20)
