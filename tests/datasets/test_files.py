"""A file is used only with the right checksum; a download is whole or nothing."""

import dataclasses
import os
from pathlib import Path

import pooch
import pytest
import requests

from mvcc._utils.files import sha256_of
from mvcc.datasets import _files as files_module
from mvcc.datasets import cache_folder, fetch, file_checksums, find_file, search_folders
from mvcc.exceptions import DataError
from tests.datasets.conftest import TINY_PROTEIN


@pytest.fixture
def serve(network):
    """Let the network deliver these bytes, and then raise this error."""

    def start(content, error=None):
        network.content, network.error = content, error
        return network.asked

    return start


@pytest.fixture
def folder(tmp_path, sandbox):
    """Make a folder that holds the file, or a file of that name with other content."""

    def make(name, content=None):
        path = tmp_path / name
        path.mkdir()
        (path / sandbox.file.name).write_bytes(sandbox.content if content is None else content)
        return path

    return make


def test_the_order_is_data_dir_environment_cache(sandbox, folder, monkeypatch):
    own, environment = folder("own"), folder("environment")
    folder("cache")
    monkeypatch.setenv("MVCC_DATA", str(environment))
    assert search_folders(own) == [own, environment, sandbox.cache]
    for expected in (own, environment, sandbox.cache):
        assert find_file(sandbox.file, own) == expected / "protein.arff"
        (expected / "protein.arff").unlink()
    assert find_file(sandbox.file, own) is None


def test_an_empty_environment_variable_is_none_and_a_tilde_the_home(sandbox, folder, monkeypatch):
    monkeypatch.setenv("MVCC_DATA", "")
    assert search_folders() == [sandbox.cache]
    own = folder("own")
    monkeypatch.setenv("HOME", str(own.parent))
    assert find_file(sandbox.file, "~/own") == own / "protein.arff"


@pytest.mark.parametrize("cut", [0, 10, -1])
@pytest.mark.parametrize("place", ["own", "cache"])
def test_a_wrong_checksum_ends_the_search_and_replaces_nothing(sandbox, folder, serve, place, cut):
    asked = serve(sandbox.content)
    whole = {"own": "cache", "cache": "elsewhere"}[place]
    folders = {place: folder(place, sandbox.content[:cut]), whole: folder(whole)}
    damaged = folders[place] / "protein.arff"
    with pytest.raises(DataError, match="is not the expected file") as caught:
        fetch("protein", folders.get("own"))
    for part in (damaged, sandbox.file.sha256, sandbox.file.size, "mvcc data fetch"):
        assert str(part) in str(caught.value)
    assert not asked
    assert damaged.read_bytes() == sandbox.content[:cut]


def test_a_folder_instead_and_an_unreadable_file_are_errors(sandbox, folder, tmp_path, monkeypatch):
    (tmp_path / "protein.arff").mkdir()
    with pytest.raises(DataError, match=r"protein\.arff cannot be read: Is a directory"):
        find_file(sandbox.file, tmp_path)

    def refuse(path, flags):
        raise PermissionError(13, "Permission denied", str(path))

    own = folder("own")
    monkeypatch.setattr(os, "open", refuse)  # permissions do not stop the superuser
    with pytest.raises(DataError, match=r"own.protein\.arff cannot be read: Permission denied"):
        find_file(sandbox.file, own)


@pytest.mark.parametrize("name", ["none", "registry.yaml"])
def test_a_search_folder_must_be_a_folder(sandbox, tmp_path, monkeypatch, name):
    with pytest.raises(DataError, match=rf"^data_dir \(--data-dir\) must .*{name} is none"):
        fetch("protein", tmp_path / name)
    monkeypatch.setenv("MVCC_DATA", str(tmp_path / name))
    with pytest.raises(DataError, match=rf"^MVCC_DATA must .*{name} is none"):
        fetch("protein")


def test_a_missing_file_is_downloaded_once_into_the_cache(sandbox, serve, tmp_path):
    asked = serve(sandbox.content)
    own = tmp_path / "own"
    own.mkdir()
    for _ in range(2):
        assert fetch("protein", own) == {"protein.arff": sandbox.cache / "protein.arff"}
    assert asked == ["https://example.org/protein.arff"]
    assert [path.name for path in sandbox.cache.iterdir()] == ["protein.arff"]
    assert (sandbox.cache / "protein.arff").read_bytes() == sandbox.content
    assert not list(own.iterdir())


@pytest.mark.parametrize(
    ("content", "error", "reason"),
    [
        (TINY_PROTEIN[:20], requests.ConnectionError("no route"), "no route"),
        (b"<html>Please log in</html>", None, sha256_of(TINY_PROTEIN)),
        (TINY_PROTEIN + b"x" * 10**7, None, f"larger than the expected {len(TINY_PROTEIN)} bytes"),
    ],
    ids=["broken off", "something else", "endless"],
)
def test_a_download_of_less_else_or_more_leaves_nothing_and_says_how_to_proceed(
    sandbox, serve, content, error, reason
):
    serve(content, error)
    message = r"protein\.arff is missing.* did not deliver it into .*mvcc data fetch"
    with pytest.raises(DataError, match=message) as caught:
        fetch("protein")
    for part in (str(sandbox.cache), sandbox.file.url, "--data-dir", "MVCC_DATA", reason):
        assert part in str(caught.value)
    assert not list(sandbox.cache.iterdir())


def test_a_cache_that_cannot_be_made_is_an_error(sandbox, serve):
    serve(sandbox.content)
    sandbox.cache.write_text("a file where the folder should be")
    with pytest.raises(DataError, match=r"Reason: .*Error"):
        fetch("protein")


@pytest.mark.parametrize("scheme", ["http", "ftp", "file"])
def test_only_https_is_downloaded(sandbox, serve, monkeypatch, scheme):
    asked = serve(sandbox.content)
    plain = dataclasses.replace(sandbox.file, url=f"{scheme}://example.org/protein.arff")
    info = dataclasses.replace(files_module.dataset_info("protein"), files=(plain,))
    monkeypatch.setattr(files_module, "dataset_info", lambda name: info)
    with pytest.raises(DataError, match="only https"):
        fetch("protein")
    assert not asked


def test_redirections_are_followed_within_https_alone(sandbox, network):
    network.content = sandbox.content
    network.redirects = {sandbox.file.url: "http://example.org/protein.arff"}
    with pytest.raises(DataError, match=r"Reason: InvalidSchema.*http://example\.org"):
        fetch("protein")
    assert network.asked == [sandbox.file.url]
    assert not list(sandbox.cache.iterdir())
    network.redirects = {sandbox.file.url: "https://example.com/mirror"}
    fetch("protein")
    assert network.asked[1:] == [sandbox.file.url, "https://example.com/mirror"]


def test_checksums_are_those_of_verified_files(sandbox, folder):
    assert file_checksums("protein", folder("own")) == {"protein.arff": sandbox.file.sha256}
    with pytest.raises(DataError):
        file_checksums("protein", folder("damaged", b""))


def test_the_cache_is_data_in_a_checkout_and_the_users_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "mvcc" / "datasets").mkdir(parents=True)
    monkeypatch.setattr(files_module, "__file__", str(tmp_path / "mvcc" / "datasets" / "_files.py"))
    assert cache_folder() == Path(pooch.os_cache("mvcc"))
    (tmp_path / "pyproject.toml").touch()
    assert cache_folder() == tmp_path / "data"
