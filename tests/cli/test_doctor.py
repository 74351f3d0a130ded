"""`mvcc doctor` shows what a report of a problem should contain."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mvcc
from mvcc._utils import kernels
from mvcc.cli import _data as doctor
from tests.command_line import invoke


@pytest.fixture(autouse=True)
def without_data(monkeypatch, tmp_path):
    monkeypatch.delenv("MVCC_DATA", raising=False)
    monkeypatch.chdir(tmp_path)


def facts(*words):
    return json.loads(invoke("doctor --json", *words).stdout)


def test_versions_threads_data_and_kernels_are_shown(tmp_path):
    found = facts()
    assert found["system"]["mvcc"].startswith(mvcc.__version__)
    assert {"numpy", "numba", "dask", "pyarrow"} <= found["libraries"].keys()
    assert "pytest" not in found["libraries"]
    assert found["threads"]["numba"].isdigit()
    assert found["data"]["registry"].isdigit()
    assert "below" in found["kernels"]["compiled"]
    assert re.search(r"\nlibraries:\n +click: \d", invoke("doctor").stdout)
    assert not list(tmp_path.iterdir())  # nothing is written


def test_a_missing_library_comes_with_the_line_that_installs_it(monkeypatch):
    required = ["no-such-library>=2", 'not-asked; extra == "dev"']
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: required)
    assert facts()["libraries"] == {"no-such-library": "not installed; pip install no-such-library"}


def test_from_its_source_folder_and_without_compiler_it_tells_the_rest(monkeypatch):
    def unknown(name):
        raise doctor.metadata.PackageNotFoundError

    monkeypatch.setattr(doctor.metadata, "requires", unknown)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    found = facts()
    assert found["libraries"] == {}
    assert found["kernels"]["compiler"].startswith("disabled by NUMBA_DISABLE_JIT")


@pytest.mark.compiled
def test_kernels_are_compiled_when_asked_for_and_those_that_are_not_counted_as_none(
    tmp_path, monkeypatch
):
    assert facts("--compile")["kernels"]["compiled"].startswith("all, in ")
    monkeypatch.setattr(kernels, "_folders", {tmp_path})
    assert facts()["kernels"] == {"compiled": f"0 below {tmp_path}"}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("words", ["doctor --json", "cluster x.csv -k 2"])
def test_where_numba_finds_no_place_for_its_cache_there_is_a_line_and_no_traceback(tmp_path, words):
    Path("x.csv").write_text("x\n1\n2\n7\n8\n")
    ignored = shutil.ignore_patterns("__pycache__")
    package = Path(shutil.copytree(Path(mvcc.__file__).parent, tmp_path / "mvcc", ignore=ignored))
    for sources in ("*kernels.py", "_kernels/*.py"):
        for source in package.rglob(sources):
            (source.parent / "__pycache__").touch()  # no folder can be made beside the sources
    nowhere = str(package / "cluster/_kernels/__pycache__/cache")
    places = dict.fromkeys(("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"), nowhere)
    command = [sys.executable, "-m", "mvcc", *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | places)
    assert done.returncode == 1
    assert "no folder for compiled kernels" in done.stderr
    assert "Set NUMBA_CACHE_DIR to a folder" in done.stderr
    assert "Traceback" not in done.stderr
