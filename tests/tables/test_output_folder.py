"""The folder of a clustering holds a whole one or does not look like it, and nothing of anybody
else's is lost.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from mvcc.exceptions import ConstraintConflictError, DataError, StoreError
from mvcc.tables import load_job, read_inputs
from mvcc.tables._clustering import clustered
from mvcc.tables.output._folder import results_folder, write_folder
from mvcc.tables.reading import _pairs
from mvcc.tables.reading._answers import with_answers
from tests.crashes import steps
from tests.crashes.rights import rights_of_everybody
from tests.tables.problems import (
    cluster,
    options_of,
    outputs,
    read_csv,
    with_values,
    write_csv,
    write_problem,
)

EVERYTHING = {
    *("clustering.json", "cluster.yaml", "model.skops", "report.html", ".mvcc-files"),
    *(f"view{v}/{name}.csv" for v in (0, 1) for name in ("labels", "moved")),
}


ENDINGS = (".csv", ".json", ".yaml", ".skops", ".html")


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


@pytest.mark.parametrize(
    "there", ["thesis.tex", "view0/labels.csv", "cluster.yaml", ".hidden", "view0/notes.txt"]
)
@pytest.mark.parametrize("fresh", [False, True])
def test_a_folder_of_something_else_is_refused_and_left_alone(options, out, there, fresh):
    (out / there).parent.mkdir(parents=True)
    (out / there).write_text("mine")
    with pytest.raises(
        StoreError, match=r"out holds .*, but no clustering\. Choose another folder with --out"
    ):
        cluster(options, out, fresh=fresh)
    assert names(out) == {there}
    assert (out / there).read_text() == "mine"


@pytest.mark.parametrize("n_clusters", [2, 3], ids=["other settings", "the same settings"])
def test_a_clustering_is_replaced_only_when_told(options, out, n_clusters):
    cluster(options, out)
    before = outputs(out, *ENDINGS)
    again = with_values(options, n_clusters=n_clusters)
    with pytest.raises(
        StoreError,
        match=r"out holds a clustering\. Choose another folder .* replace it with --fresh",
    ):
        cluster(again, out)
    assert outputs(out, *ENDINGS) == before
    cluster(again, out, fresh=True)
    assert len({row["cluster"] for row in read_csv(out / "view0/labels.csv")}) == n_clusters
    assert names(out) == EVERYTHING


MINE = (
    *(
        "texts-2025-backup/labels.csv",
        "old/labels.csv",
        "backup/labels/part.0.parquet",
        ".new/mine.txt",
    ),
    *(
        "view0/.my.part",
        ".my.part",
        ".clustering.part",
        "view0/notes.txt",
        "report-of-mine.html",
        "labels.csv",
    ),
)


def test_files_of_somebody_else_in_the_folder_stay_whatever_they_are_called(options, out):
    cluster(options, out)
    for name in MINE:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(f"my {name}")
    cluster(with_values(options, n_clusters=2), out, fresh=True)
    assert {name: (out / name).read_text() for name in MINE} == {
        name: f"my {name}" for name in MINE
    }
    assert names(out) == EVERYTHING | set(MINE)


@pytest.mark.parametrize(
    "name", ["view0/labels.csv", "report.html", "cluster.yaml", "clustering.json"]
)
def test_results_that_somebody_changed_are_never_replaced(options, out, name):
    cluster(options, out)
    (out / name).write_text((out / name).read_text() + "\n")
    before = outputs(out, *ENDINGS)
    with pytest.raises(
        StoreError, match=rf"{name} is not replaced: it was changed since mvcc wrote it"
    ):
        cluster(options, out, fresh=True)
    assert outputs(out, *ENDINGS) == before


def test_a_clustering_that_was_copied_is_not_replaced(options, out, tmp_path):
    cluster(options, out)
    shutil.copytree(out, tmp_path / "copy", ignore=shutil.ignore_patterns(".mvcc-files"))
    with pytest.raises(
        StoreError, match=r"clustering\.json is not replaced: mvcc did not write it"
    ):
        cluster(options, tmp_path / "copy", fresh=True)


def test_of_a_view_that_is_gone_nothing_stays(options, out):
    cluster(options, out)
    (out / "mine").mkdir()
    (out / "mine/labels.csv").write_text("x")
    (out / "mine/notes.txt").write_text("mine")
    alone = [option for option in options if "view1" not in str(option[0])]
    cluster(alone, out, fresh=True)
    assert {name for name in names(out) if name.startswith("view")} == {
        n for n in EVERYTHING if n.startswith("view0")
    }
    assert names(out) & {"mine/labels.csv", "mine/notes.txt"} == {
        "mine/labels.csv",
        "mine/notes.txt",
    }


@pytest.mark.parametrize("name", ["view0/labels.csv", "gone/labels.csv", "view1/moved.csv"])
def test_inputs_inside_the_folder_are_never_replaced(options, out, name):
    cluster(options, out)
    table = out / name
    table.parent.mkdir(exist_ok=True)
    write_csv(table, [["id", "x"], *([f"r{i}", i] for i in range(5))])
    content = table.read_bytes()
    one = options_of({"view0": table}, n_clusters=2)
    if name.startswith("view0"):
        with pytest.raises(StoreError, match=rf"{name} is read and would be overwritten"):
            cluster(one, out, fresh=True)
    else:
        cluster(one, out, fresh=True)
    assert table.read_bytes() == content


def test_an_unchanged_result_that_is_read_is_never_removed(options, out):
    cluster(options, out)
    table = out / "view1/labels.csv"
    content = table.read_bytes()
    columns = {"cluster": "number", "stability": "number"}
    one = options_of({"view0": {"path": str(table), "columns": columns}}, n_clusters=2)
    with pytest.raises(StoreError, match=r"view1/labels\.csv is read and would be overwritten"):
        cluster(one, out, fresh=True)
    assert table.read_bytes() == content


def test_the_commented_settings_of_the_example_are_never_written_over(tmp_path):
    from mvcc.tables import cluster_job, write_example

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
        match=(
            r"out cannot be written: File exists\. A file is where a folder must be: choose another"
            r" folder with -"
        ),
    ):
        cluster(options, out)
    with pytest.raises(
        StoreError, match=r"cannot be written: Not a directory\. A file is where a folder must be: "
    ):
        cluster(options, out / "below")
    assert out.read_text() == "mine"


def test_a_name_that_is_too_long_is_refused(options, tmp_path):
    with pytest.raises(
        StoreError, match=r"cannot be written: File name too long\. Choose another folder"
    ):
        cluster(options, tmp_path / ("x" * 300))


def test_a_folder_that_nobody_may_write_to_is_refused(options):
    # not below the folder of pytest, which only its owner may enter
    root = Path(tempfile.mkdtemp())
    try:
        root.chmod(0o755)
        data = file_of(options, "views", "view0", "path").parent
        shutil.copytree(data, root / "data")
        moved = [(keys, str(value).replace(str(data), str(root / "data")), label)
                 if isinstance(value, str) else (keys, value, label) for keys, value, label in options]  # fmt: skip
        cluster(moved, root / "done")
        root.chmod(0o555)
        (root / "done").chmod(0o555)
        for name in ("done", "new"):
            with (
                rights_of_everybody(),
                pytest.raises(
                    StoreError,
                    match=r"cannot be written: Permission denied\. Make it writable, or ch",
                ),
            ):
                cluster(moved, root / name)
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("disturb", "before"),
    [
        pytest.param(steps.killed, False, id="killed-new", marks=pytest.mark.reliability),
        pytest.param(steps.killed, True, id="killed-fresh"),
        pytest.param(steps.full, False, id="full-new"),
        pytest.param(steps.full, True, id="full-fresh", marks=pytest.mark.reliability),
    ],
)
def test_a_clustering_that_was_not_finished_never_looks_whole_and_the_same_command_finishes_it(
    tmp_path, options, tried, disturb, before
):
    job = load_job(None, options)
    inputs = with_answers(job, read_inputs(job))
    found = clustered(job, inputs, 0.0, lambda step: None)
    cluster(with_values(options, n_clusters=2), tmp_path / "former")
    (tmp_path / "former/backup/labels").mkdir(parents=True)
    (tmp_path / "former/backup/labels/part.0.parquet").write_text("mine")
    mine = {"backup/labels/part.0.parquet"} if before else set()

    def write(out, fresh):
        with results_folder(out, job, fresh=fresh) as target:
            write_folder(target, job, inputs, found.tables, found.saved, found.reviewed)

    def interrupted(step, out):
        disturb(step, out)
        write(out, before)

    write(tmp_path / "undisturbed", False)
    whole = [outputs(tmp_path / name, *ENDINGS) for name in ("former", "undisturbed")]
    for step in count(1):
        out, log = tmp_path / f"out{step}", tmp_path / f"{step}.log"
        if before:
            shutil.copytree(tmp_path / "former", out)
        log.touch()
        ended = steps.in_child(partial(interrupted, step, out), log)
        left = {
            name: content
            for name, content in outputs(out, *ENDINGS).items()
            if not name.startswith(".")
        }
        assert "clustering.json" not in left or left in whole, "what looks whole is whole"
        assert ended in (
            0,
            steps.REFUSED if disturb is steps.full else -signal.SIGKILL,
        ), log.read_text()
        if ended == steps.REFUSED:
            assert (
                "cannot be written: No space left on device. Make room, or choose another folder"
                in log.read_text()
            )
        write(out, True)
        assert outputs(out, *ENDINGS) == whole[1]
        assert names(out) == EVERYTHING | mine, "no part stays, and nothing of anybody else goes"
        if ended == 0:
            break
    assert step > 40
    what = (
        "clustering killed at a step on the disk"
        if disturb is steps.killed
        else "clustering on a disk full from a step on"
    )
    tried(what, step - 1)


@pytest.mark.slow
def test_of_two_that_cluster_into_one_folder_at_once_one_is_refused_and_the_other_is_whole(
    tmp_path, options, out
):
    config = tmp_path / "job.yaml"
    cluster(options, tmp_path / "whole")
    config.write_text((tmp_path / "whole/cluster.yaml").read_text().replace("../", ""))
    shutil.copytree(tmp_path / "whole", out)
    command = [sys.executable, "-m", "mvcc", "cluster", str(config), "--out", str(out), "--fresh"]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate()[1] for process in both]
    codes = [process.returncode for process in both]
    if codes != [0, 0]:  # else one had ended before the other began
        assert sorted(codes) == [0, 1]
        refused = said[codes.index(1)].strip()
        assert re.fullmatch(
            rf"mvcc: .*out is in use: a run of process {both[codes.index(0)].pid} on .*", refused
        )
    assert outputs(out, ".csv") == outputs(tmp_path / "whole", ".csv")
    assert names(out) == EVERYTHING


def test_a_contradiction_leaves_no_half_clustering(options, out):
    cluster(options, out)
    before = outputs(out, *ENDINGS)
    judged = file_of(options, "constraints", "view0")
    first = read_csv(judged)[0]
    kind = "cannot-link" if first["kind"] == "must-link" else "must-link"
    judged.write_text(judged.read_text() + f"{first['i']},{first['j']},{kind},1\n")
    with pytest.raises(ConstraintConflictError):
        cluster(options, out, fresh=True)
    assert outputs(out, *ENDINGS) == before
