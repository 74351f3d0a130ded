"""Stored results of a module's ``ORIGINAL``: one run for all tests, and a copy for each."""

import json
from shutil import copytree

import pytest

from mvcc.experiments import run_experiment


@pytest.fixture(scope="module")
def original(request, tmp_path_factory):
    """Results that no test changes."""
    folder = tmp_path_factory.mktemp("original") / "small"
    run_experiment(request.module.ORIGINAL, folder, n_jobs=1)
    return folder


@pytest.fixture
def folder(original, tmp_path):
    return copytree(original, tmp_path / "small")


def edit_manifest(folder, change):
    """Change the manifest of results as somebody might."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))
