"""``mvcc init`` writes an example that runs as it is, and nothing over anything."""

import errno
import json
import os
import shlex
import shutil
from contextlib import chdir
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from mvcc.exceptions import StoreError
from scripts.example import drawn
from tests.command_line import invoke, mvcc

LEDGER = ".mvcc-files"
TABLES = {"catalog.csv", "photos.csv", "matches.csv", "pairs.csv", "answers.csv"}
ROOT = Path(__file__).parents[2]
FILES = TABLES | {"cluster.yaml", "asked.yaml", "README.md"}


def run(*words):
    return invoke("init", *words).stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Write the example once, into a folder like an option; return that and what was printed."""
    folder = tmp_path_factory.mktemp("made")
    with chdir(folder):
        return folder / "-my data", run("--", "-my data").splitlines()


def test_it_names_its_files_and_the_next_command(made):
    folder, (*files, pictures, last) = made
    assert {Path(path).name for path in files} == FILES
    assert pictures == "-my data/pictures (420 pictures)"
    assert {path.name for path in folder.iterdir()} == {*FILES, "pictures", LEDGER}
    assert last == "Next: mvcc cluster './-my data/cluster.yaml' --out results"


@pytest.mark.exact_bits
def test_what_is_stored_is_what_the_script_draws(made):
    folder, _ = made
    drawn_again = drawn()
    assert {name for name in drawn_again if not name.startswith("pictures")} == TABLES
    for name, content in drawn_again.items():
        if name in TABLES:
            assert (folder / name).read_bytes() == content
        else:  # libraries pack pixels differently
            with Image.open(folder / name) as picture, Image.open(BytesIO(content)) as again:
                assert picture.convert("RGB").tobytes() == again.convert("RGB").tobytes()


@pytest.mark.parametrize("there", sorted(FILES))
def test_nothing_is_written_over(tmp_path, there):
    (tmp_path / there).write_text("mine")
    with pytest.raises(StoreError, match=rf"{there} exists\. Choose another folder\.$"):
        run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text() == "mine"


def test_the_same_command_finishes_an_example_that_was_interrupted(made, tmp_path):
    shutil.copytree(made[0], tmp_path / "example")
    (tmp_path / "example/README.md").unlink()
    run(tmp_path / "example")
    assert (tmp_path / "example/README.md").read_bytes() == (made[0] / "README.md").read_bytes()


@pytest.mark.parametrize("folder", ["file", "file/below", "x" * 300])
def test_a_folder_that_cannot_be_is_refused(tmp_path, folder):
    (tmp_path / "file").write_text("mine")
    message = r"cannot be written: .*(\. C|where a folder must be: c)hoose another folder"
    with pytest.raises(StoreError, match=message):
        run(tmp_path / folder)


def test_on_a_full_disk_nothing_half_stays_and_where_there_is_room_all_is_the_same(
    made, tmp_path, monkeypatch
):
    written = Path.write_bytes

    def full(path, content):
        if "pairs.csv" in path.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return written(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    message = r"cannot be written: No space left on device\. Make room, or ch"
    with pytest.raises(StoreError, match=message):
        run(tmp_path / "my-data")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    paths = [Path(path) for path in json.loads(run(tmp_path / "my-data", "--json"))["files"]]
    assert {path.name for path in paths if path.parent.name == "my-data"} == FILES
    for name in FILES:
        assert (made[0] / name).read_bytes() == (tmp_path / "my-data" / name).read_bytes()


def test_the_example_runs_as_it_is_and_as_its_page_says(made, tmp_path):
    folder = Path(shutil.copytree(made[0], tmp_path / "my-data"))
    page = (folder / "README.md").read_text("utf-8")
    commands = [line.strip() for line in page.splitlines() if line.startswith("    mvcc ")]
    assert commands[0] == "mvcc cluster cluster.yaml --out results"
    for line in commands:
        done = mvcc(*shlex.split(line)[1:], cwd=folder)
        assert done.returncode == 0, (line, done.stderr)
    facts = json.loads((folder / "ten-answers/clustering.json").read_text("utf-8"))
    methods = {one["method"]: one for one in facts["comparison"]["methods"]}
    order = [methods[name] for name in ("k-means", "without constraints", "joint")]
    assert [one["agreement"] for one in order] == sorted(one["agreement"] for one in order)
    k_means, without, ten_answers = (one["reference_f"][0] for one in order)
    assert k_means < 0.5 < 0.85 < without < ten_answers
    first_page = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert f"F of {k_means:.2f} ".replace("0.", ".") in first_page
    assert f"without the pairs {without:.2f} ".replace("0.", ".") in first_page
    assert f"instead {ten_answers:.2f} ".replace("0.", ".") in first_page
    named = {line.split("|")[1] for line in page.splitlines() if line.startswith("| `")}
    assert {name.strip("` ") for names in named for name in names.split(", ")} <= {
        str(path.relative_to(folder / "results")) for path in (folder / "results").rglob("*")
    }
    lines = (folder / "cluster.yaml").read_text().splitlines()
    _, *comments = [line.removeprefix("#   ") for line in lines if line.startswith("#   mvcc")]
    assert len(comments) == 2
    for comment in comments:
        done = mvcc(*shlex.split(comment.split("  ")[0])[1:], "--dry-run", cwd=folder)
        assert done.returncode == 0, (comment, done.stderr)
