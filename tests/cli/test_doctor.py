"""`mvcc doctor` finds what is missing, says what to do about it, and tells by its exit code if anything is wrong."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import mvcc
from mvcc.cli import _doctor as doctor


@pytest.fixture(autouse=True)
def without_data(monkeypatch, tmp_path):
    monkeypatch.delenv("MVCC_DATA", raising=False)
    monkeypatch.chdir(tmp_path)


def findings(*words, code=0):
    done = CliRunner().invoke(doctor.command, [*words, "--json"], catch_exceptions=False)
    assert done.exit_code == code, done.output
    document = json.loads(done.stdout)
    assert document["problems"] == sum(line["status"] == "problem" for line in document["findings"])
    found = {}
    for line in document["findings"]:
        found.setdefault(line["topic"], line)
        if line["status"] != "ok":
            assert line["advice"], line
            found[line["topic"]] = line
    return found


def test_every_part_is_looked_at():
    topics = findings()
    for topic in ("mvcc", "python", "libraries", "extra dask", "data", "data protein", "kernels", "threads", "results"):
        assert topics[topic]["status"] in ("ok", "note")
    assert "numpy " in topics["libraries"]["found"]


def test_nothing_is_written(tmp_path):
    findings()
    assert not list(tmp_path.iterdir())


def test_missing_data_are_a_note_with_the_command_that_fetches_them(tmp_path, monkeypatch):
    monkeypatch.setattr("mvcc.datasets._files.cache_folder", lambda: tmp_path)
    line = findings()["data protein"]
    assert (line["status"], line["advice"]) == ("note", "mvcc data fetch protein")
    assert "protein.arff" in line["found"]


def test_a_damaged_file_is_a_problem(tmp_path):
    (tmp_path / "protein.arff").write_text("cut off")
    line = findings("--data-dir", str(tmp_path), code=1)["data protein"]
    assert (line["status"], line["advice"]) == ("problem", "mvcc data fetch protein")


def test_a_data_folder_that_does_not_exist_is_a_problem(monkeypatch):
    monkeypatch.setenv("MVCC_DATA", "/nowhere/at/all")
    line = findings(code=1)["data"]
    assert "MVCC_DATA must name a folder" in line["found"]


def test_a_missing_extra_is_a_note_with_the_line_that_installs_it(monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    line = findings()["extra dask"]
    assert (line["status"], line["advice"]) == ("note", "pip install dask distributed")


def test_a_missing_library_is_a_problem(monkeypatch):
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: ["no-such-library>=2", 'not-asked; extra == "dask"'])
    line = findings(code=1)["libraries"]
    assert (line["found"], line["advice"]) == ("missing: no-such-library", "pip install no-such-library")


def test_a_package_that_is_used_from_its_folder_is_installed_from_there(monkeypatch):
    def requires(name):
        raise doctor.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(doctor.metadata, "requires", requires)
    *command, folder = shlex.split(findings()["mvcc"]["advice"])
    assert command == ["pip", "install"]
    assert (Path(folder) / "pyproject.toml").is_file()


def test_results_that_cannot_be_written_are_a_problem(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    assert findings("--out", "file/results", code=1)["results"]["found"].endswith("file is a file")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "is not writable" in findings(code=1)["results"]["found"]


def lines_on_kernels(environment):
    command = [sys.executable, "-m", "mvcc", "doctor", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=True)
    return [line for line in json.loads(done.stdout)["findings"] if line["topic"] == "kernels"]


@pytest.mark.slow
@pytest.mark.compiled
def test_kernels_that_are_not_compiled_are_a_note_with_their_folders(tmp_path):
    lines = lines_on_kernels({"NUMBA_CACHE_DIR": str(tmp_path / "cache")})
    (line,) = lines
    below, _, folders = line["found"].removeprefix("not compiled yet in ").partition(": ")
    assert below == str(tmp_path / "cache")
    assert sorted(folders.split(", ")) == sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert "mvcc doctor --compile" in line["advice"]


@pytest.fixture
def cannot_be_written(tmp_path):
    """Copy the program to a place where no folder can be made beside the sources of kernels."""
    ignored = shutil.ignore_patterns("__pycache__")
    package = Path(shutil.copytree(Path(mvcc.__file__).parent, tmp_path / "mvcc", ignore=ignored))
    for folder in package.rglob("*kernels"):
        (folder / "__pycache__").touch()
    return package


@pytest.mark.slow
@pytest.mark.compiled
def test_where_the_program_cannot_be_written_the_kernels_lie_in_the_users_folder(cannot_be_written, tmp_path):
    user = str(tmp_path / "user")
    lines = lines_on_kernels({"XDG_CACHE_HOME": user, "HOME": user, "NUMBA_CACHE_DIR": ""})
    assert [line["status"] for line in lines] == ["note"]
    assert user in lines[0]["found"]


@pytest.mark.compiled
def test_kernels_are_compiled_when_asked_for():
    assert findings("--compile")["kernels"]["found"].startswith("ready after ")


def test_a_full_disk_and_little_memory_are_said(monkeypatch):
    monkeypatch.setattr(doctor, "_LEAST_DISK", 2**70)
    monkeypatch.setattr(doctor, "_free_memory", lambda: 10**6)
    found = findings(code=1)
    assert (found["disk"]["status"], found["memory"]["status"]) == ("problem", "note")


@pytest.mark.slow
@pytest.mark.compiled
def test_where_numba_finds_no_place_for_its_cache_there_is_a_line_and_no_traceback(cannot_be_written, tmp_path):
    nowhere = str(cannot_be_written / "cluster/_kernels/__pycache__/cache")
    environment = os.environ | dict.fromkeys(("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"), nowhere)
    command = [sys.executable, "-m", "mvcc", "doctor"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert "no folder for compiled kernels" in done.stdout
    assert "set NUMBA_CACHE_DIR to a folder" in done.stdout
    assert "Traceback" not in done.stderr
