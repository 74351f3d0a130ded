"""``mvcc data`` says what is where and what is wrong, and fails when a file is bad."""

import json
from pathlib import Path

import pooch
import pytest

from mvcc import datasets
from mvcc.datasets import _files, registry
from mvcc.exceptions import DataError, UnknownDatasetError
from tests.command_line import invoke


def run(words, *more, status=0):
    return invoke(f"data {words}", *more, code=status)


@pytest.fixture
def no_files(tmp_path, monkeypatch):
    """Give an empty cache and no MVCC_DATA."""
    cache = tmp_path / "cache"
    monkeypatch.delenv("MVCC_DATA", raising=False)
    monkeypatch.setattr(_files, "cache_folder", lambda: cache)
    return cache


def test_list_shows_every_data_set(no_files):
    lines = run("list").stdout.splitlines()
    assert lines[0].split() == "NAME TITLE VIEWS RELATIONS OPTIONS FILE STATUS PATH".split()
    by_name = {line.split()[0]: line for line in lines[1:]}
    assert by_name.keys() >= registry().keys()
    assert "Letters/Digits" in by_name["letters_digits"]
    assert "letters 227 x 16, digits 317 x 16" in by_name["letters_digits"]
    assert " instances_per_view=200, noise=0.05 " in by_name["rings"]
    assert by_name["protein"].endswith("missing")
    assert by_name["four_quadrants"].endswith("generated")


def test_list_as_json_has_all_the_registry_knows(no_files):
    entries = {entry["name"]: entry for entry in json.loads(run("list --json").stdout)}
    assert list(entries) == list(registry())
    assert entries["rings"]["options"] == {"instances_per_view": "200", "noise": "0.05"}
    assert entries["wine"]["options"] == {}
    protein = entries["protein"]
    assert protein["views"][1] == {"name": "c4-c6", "instances": 49, "features": 20}
    file, registered = protein["files"][0], registry()["protein"].files[0]
    assert {key: file[key] for key in vars(registered)} == vars(registered)
    assert (file["status"], file["path"]) == ("missing", None)


def test_list_goes_on_past_a_damaged_file(no_files, tmp_path):
    (tmp_path / "protein.arff").write_text("damaged")
    result = run("list --json", "--data-dir", tmp_path)
    entries = json.loads(result.stdout)
    statuses = {file["name"]: file["status"] for entry in entries for file in entry["files"]}
    assert statuses["protein.arff"] == "bad"
    assert statuses["letter-0.1-IJL.arff"] == "missing"
    assert "is not the expected file" in result.stderr


def test_check_fails_when_files_are_missing_and_says_what_to_do(no_files):
    result = run("check", status=1)
    assert "four_quadrants ok" in " ".join(result.stdout.split())
    assert "protein.arff: run `mvcc data fetch protein`" in result.stdout
    assert not no_files.exists()


def test_check_reports_each_bad_data_set(no_files, tmp_path):
    (tmp_path / "protein.arff").write_text("damaged")
    (tmp_path / "letter-0.1-IJL.arff").mkdir()
    entries = json.loads(run("check --json --data-dir", tmp_path, status=1).stdout)
    found = {entry["name"]: (entry["status"], entry["detail"]) for entry in entries}
    assert found["four_quadrants"][0] == "ok"
    assert found["protein"][0] == found["letters_digits"][0] == "bad"
    assert "sha256" in found["protein"][1]
    assert "Is a directory" in found["letters_digits"][1]


def test_check_of_chosen_data_sets_leaves_the_others_out(no_files):
    entries = json.loads(run("check four_quadrants four_quadrants --json").stdout)
    assert [(entry["name"], entry["status"]) for entry in entries] == [("four_quadrants", "ok")]


def test_fetch_downloads_into_the_cache(no_files, monkeypatch):
    asked = []

    def retrieve(url, known_hash, fname, path, downloader):
        asked.append((url, known_hash))
        return str(Path(path) / fname)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    monkeypatch.setattr(_files, "_documents", lambda file, folder: folder / file.name)
    assert json.loads(run("fetch protein --json").stdout) == [
        {"name": "protein", "files": {"protein.arff": str(no_files / "protein.arff")}}
    ]
    file = registry()["protein"].files[0]
    assert asked == [(file.url, f"sha256:{file.sha256}")]
    table = run("fetch").stdout
    assert "digits-0.1-389.arff" in table
    assert str(no_files / "20newsgroups" / "talk.politics.guns") in table
    assert "generated, no files" in table


@pytest.mark.parametrize("name", ["fetch", "check"])
def test_unknown_names_are_refused_before_anything_is_done(no_files, monkeypatch, name):
    monkeypatch.setattr(datasets, "fetch", pytest.fail)
    monkeypatch.setattr(datasets, "load_dataset", pytest.fail)
    with pytest.raises(UnknownDatasetError, match="Did you mean 'protein'"):
        run(f"{name} four_quadrants protien")


@pytest.mark.parametrize("name", ["list", "check", "fetch"])
def test_a_folder_that_does_not_exist_is_an_error(no_files, tmp_path, monkeypatch, name):
    with pytest.raises(DataError, match="--data-dir"):
        run(f"{name} --data-dir", tmp_path / "none")
    monkeypatch.setenv("MVCC_DATA", str(tmp_path / "none"))
    with pytest.raises(DataError, match="MVCC_DATA"):
        run(name)


@pytest.mark.data
def test_the_real_files_are_found_and_good():
    table = run("check protein letters_digits rec_talk").stdout
    assert "letters 227 x 16, digits 317 x 16; 227 relations" in table
    assert "c1-c3 67 x 20, c4-c6 49 x 20; 47 relations" in table
    assert "rec 100 x 50, talk 94 x 50; 94 relations" in table
    files = [file for entry in json.loads(run("list --json").stdout) for file in entry["files"]]
    assert all(file["status"] == "found" and Path(file["path"]).exists() for file in files)
    assert "protein.arff" in run("fetch protein").stdout
