"""The folder of a clustering holds a whole one or looks unfinished; nothing of others is lost."""

import re
import shutil
import signal
from contextlib import chdir, nullcontext
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from mvcc.exceptions import DataError, StoreError
from mvcc.reporting.html import REPORT
from mvcc.tables import load_job, read_inputs
from mvcc.tables._clustering import clustered
from mvcc.tables._layout import MODEL
from mvcc.tables.output._folder import results_folder, write_folder
from mvcc.tables.reading import _read_inputs
from mvcc.tables.reading._answers import with_answers
from tests.crashes import steps
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


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Return the options of a job, and a folder that it has clustered into."""
    folder = tmp_path_factory.mktemp("made")
    options = write_problem(folder / "data")
    cluster(options, folder / "out")
    return options, folder / "out"


@pytest.fixture
def options(data):
    return data[0]


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def done(data, out):
    """Return a folder that holds a clustering."""
    return Path(shutil.copytree(data[1], out))


def names(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("there", "fresh"),
    [("thesis.tex", False), ("view0/labels.csv", True), ("cluster.yaml", True), (".hidden", False)],
)
def test_a_folder_of_something_else_is_refused_and_left_alone(options, out, there, fresh):
    (out / there).parent.mkdir(parents=True)
    (out / there).write_text("mine")
    refused = r"out holds .*, but no clustering\. Choose another folder with --out"
    with pytest.raises(StoreError, match=refused):
        cluster(options, out, fresh=fresh)
    assert names(out) == {there}
    assert (out / there).read_text() == "mine"


@pytest.mark.parametrize("n_clusters", [2, 3], ids=["other settings", "the same settings"])
def test_a_clustering_is_replaced_only_when_told(options, done, n_clusters):
    before = outputs(done, *ENDINGS)
    again = with_values(options, n_clusters=n_clusters)
    refused = r"out holds a clustering\. Choose another folder .* replace it with --fresh"
    with pytest.raises(StoreError, match=refused):
        cluster(again, done)
    assert outputs(done, *ENDINGS) == before
    cluster(again, done, fresh=True)
    assert len({row["cluster"] for row in read_csv(done / "view0/labels.csv")}) == n_clusters
    assert names(done) == EVERYTHING


MINE = """texts-2025-backup/labels.csv backup/labels/part.0.parquet .new/mine.txt view0/.my.part
.clustering.part view0/notes.txt report-of-mine.html labels.csv""".split()


def test_files_of_somebody_else_in_the_folder_stay_whatever_they_are_called(options, done):
    for name in MINE:
        (done / name).parent.mkdir(parents=True, exist_ok=True)
        (done / name).write_text(f"my {name}")
    cluster([option for option in options if "view1" not in str(option[0])], done, fresh=True)
    assert all((done / name).read_text() == f"my {name}" for name in MINE)
    of_this_view = {name for name in EVERYTHING if not name.startswith("view1")}
    assert names(done) == of_this_view | {*MINE}, "nothing stays of a view that is gone"


@pytest.mark.parametrize(
    "name", ["view0/labels.csv", "report.html", "cluster.yaml", "clustering.json"]
)
def test_results_that_somebody_changed_are_never_replaced(options, done, name):
    (done / name).write_text((done / name).read_text() + "\n")
    before = outputs(done, *ENDINGS)
    refused = rf"{name} is not replaced: it was changed since mvcc wrote it"
    with pytest.raises(StoreError, match=refused):
        cluster(options, done, fresh=True)
    assert outputs(done, *ENDINGS) == before


@pytest.mark.parametrize("name", ["line\nbreak", "M\udcfcller"])
def test_a_folder_whose_path_its_own_config_could_not_have_is_refused(options, out, name):
    out.mkdir()
    why = f"^{re.escape(ascii(name))}: not all characters of the path can be printed"
    with chdir(out), pytest.raises(StoreError, match=why):
        cluster(options, Path(name))
    assert not any(out.iterdir())


@pytest.mark.parametrize(
    ("name", "is_mine", "is_refused"),
    [
        ("view0/labels.csv", True, True),
        ("gone/labels.csv", True, False),
        ("view1/moved.csv", True, False),
        ("view1/labels.csv", False, True),
    ],
)
def test_inputs_inside_the_folder_are_never_replaced_or_removed(done, name, is_mine, is_refused):
    table, columns = done / name, {"cluster": "number", "fit": "number"}
    if is_mine:
        write_csv(table, [["cluster", "fit"], *([i, -i] for i in range(5))])
    content = table.read_bytes()
    one = options_of({"view0": {"path": str(table), "columns": columns}}, n_clusters=2)
    refusal = pytest.raises(StoreError, match=f"{name} is read and would be overwritten")
    with refusal if is_refused else nullcontext():
        cluster(one, done, fresh=True)
    assert table.read_bytes() == content


def test_an_input_that_vanishes_while_it_is_read_is_a_clear_error(tmp_path, monkeypatch):
    options, read = write_problem(tmp_path), _read_inputs.read_matches

    def gone(*arguments):
        (tmp_path / "view0.csv").unlink()
        return read(*arguments)

    monkeypatch.setattr(_read_inputs, "read_matches", gone)
    with pytest.raises(DataError, match=r"view0\.csv: cannot be read any more: No such file"):
        cluster(options, tmp_path / "out")


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
    tmp_path, monkeypatch, options, tried, disturb, before
):
    job = load_job(None, options)
    inputs = with_answers(job, read_inputs(job))
    found = clustered(job, inputs, 0.0, lambda step: None, None)
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
    # the contents that take longest are made once; each step writes them anew
    model, page = ((tmp_path / "undisturbed" / name).read_bytes() for name in (MODEL, REPORT))
    monkeypatch.setattr(type(found.saved), "to_bytes", lambda saved: model)
    monkeypatch.setattr("mvcc.reporting.html.clustering_page", lambda facts: page)
    whole = [outputs(tmp_path / name, *ENDINGS) for name in ("former", "undisturbed")]
    for step in count(1):
        out, log = tmp_path / f"out{step}", tmp_path / f"{step}.log"
        if before:
            shutil.copytree(tmp_path / "former", out)
        log.touch()
        ended = steps.in_child(partial(interrupted, step, out), log)
        left, told = outputs(out, *ENDINGS), log.read_text()
        left = {name: content for name, content in left.items() if not name.startswith(".")}
        assert "clustering.json" not in left or left in whole, "what looks whole is whole"
        assert ended in (0, steps.REFUSED if disturb is steps.full else -signal.SIGKILL), told
        if ended == steps.REFUSED:
            full = "No space left on device. Make room, or choose another folder"
            assert f"cannot be written: {full}" in told
        write(out, True)
        assert outputs(out, *ENDINGS) == whole[1]
        assert names(out) == EVERYTHING | mine, "no part stays, and nothing of anybody else goes"
        if ended == 0:
            break
    assert step > 40
    how = {
        steps.killed: "killed at a step on the disk",
        steps.full: "on a disk full from a step on",
    }
    tried(f"clustering {how[disturb]}", step - 1)
