"""A newsgroup is used only if its documents are the expected ones, wherever they come from, and is read but once."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from mvcc.datasets import _files, _newsgroups, fetch, file_checksums, find_file
from mvcc.exceptions import DataError
from tests.datasets.conftest import TINY_GROUP


@pytest.fixture
def folder(tmp_path):
    """Make a folder that holds the newsgroup."""

    def make(name, documents=TINY_GROUP):
        group = tmp_path / name / "20newsgroups" / "rec.autos"
        group.mkdir(parents=True)
        for number, content in documents.items():
            (group / number).write_bytes(content)
        return tmp_path / name

    return make


@pytest.fixture
def serve(monkeypatch):
    """Stand in for scikit-learn's download: deliver these documents, half for training and half for testing."""
    asked = []

    def start(documents, error=None):
        def fetch_20newsgroups(**options):
            asked.append(options)
            if error is not None:
                raise error
            numbers = sorted(documents, reverse=True)
            parts = ["train" if i % 2 else "test" for i in range(len(numbers))]
            return Bunch(
                data=[documents[number].decode("latin1") for number in numbers],
                filenames=[f"/far/20news-bydate-{p}/rec.autos/{n}" for p, n in zip(parts, numbers, strict=True)],
            )

        monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", fetch_20newsgroups)
        return asked

    return start


def test_documents_come_in_the_order_of_their_names_as_text_and_other_files_are_none(folder):
    group = folder("own") / "20newsgroups" / "rec.autos"
    for name in ("README", ".DS_Store"):
        (group / name).touch()
    assert [path.name for path in _newsgroups.documents(group)] == ["10", "11", "9"]


def test_the_order_is_data_dir_environment_cache(sandbox, folder, monkeypatch):
    own, environment, cache = folder("own"), folder("environment"), folder("cache")
    monkeypatch.setenv("MVCC_DATA", str(environment))
    for expected in (own, environment, cache):
        group = expected / "20newsgroups" / "rec.autos"
        assert find_file(sandbox.group, own) == group
        group.rename(expected / "away")
    assert find_file(sandbox.group, own) is None


@pytest.mark.parametrize(
    "documents",
    [
        {**TINY_GROUP, "9": b"From: you\n\nThree!\n"},
        {**TINY_GROUP, "12": b"From: a fourth"},
        {"10": TINY_GROUP["10"], "9": TINY_GROUP["9"]},
        {"9": TINY_GROUP["10"], "10": TINY_GROUP["11"], "11": TINY_GROUP["9"]},
        {},
    ],
    ids=["changed", "one more", "one less", "renumbered", "none"],
)
def test_other_documents_end_the_search(sandbox, folder, serve, documents):
    asked = serve(TINY_GROUP)
    folder("cache")
    own = folder("own", documents)
    with pytest.raises(DataError, match="is not the expected folder: the sha256 of its documents is") as caught:
        fetch("news", own)
    for part in (str(own / "20newsgroups" / "rec.autos"), sandbox.group.sha256, f"{sandbox.group.size} bytes"):
        assert part in str(caught.value)
    assert not asked


def test_a_file_in_place_of_the_folder_is_an_error(sandbox, tmp_path):
    (tmp_path / "20newsgroups").mkdir()
    (tmp_path / "20newsgroups" / "rec.autos").touch()
    with pytest.raises(DataError, match="is not the expected folder"):
        find_file(sandbox.group, tmp_path)


def test_a_folder_in_place_of_a_document_is_an_error(sandbox, folder):
    own = folder("own")
    (own / "20newsgroups" / "rec.autos" / "12").mkdir()
    with pytest.raises(DataError, match=r"rec\.autos cannot be read: Is a directory"):
        find_file(sandbox.group, own)


def test_documents_are_verified_again_only_when_one_comes_or_goes(sandbox, folder, monkeypatch):
    own = folder("own")
    assert find_file(sandbox.group, own)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} is read again"))
        assert find_file(sandbox.group, own)
    (own / "20newsgroups" / "rec.autos" / "12").write_bytes(b"new")
    with pytest.raises(DataError, match="is not the expected folder"):
        find_file(sandbox.group, own)


def test_a_missing_group_is_downloaded_once_into_the_cache(sandbox, serve):
    asked = serve(TINY_GROUP)
    group = sandbox.cache / "20newsgroups" / "rec.autos"
    for _ in range(2):
        assert fetch("news") == {"20newsgroups/rec.autos": group}
    assert asked == [{"subset": "all", "categories": ["rec.autos"], "shuffle": False, "remove": ()}]
    assert {path.name: path.read_bytes() for path in group.iterdir()} == TINY_GROUP
    assert list(group.parent.iterdir()) == [group]
    assert file_checksums("news") == {"20newsgroups/rec.autos": sandbox.group.sha256}


def test_a_download_with_other_documents_leaves_nothing(sandbox, serve):
    serve({**TINY_GROUP, "12": b"new"})
    with pytest.raises(DataError, match="did not deliver the expected") as caught:
        fetch("news")
    for part in (sandbox.group.name, sandbox.group.sha256, str(sandbox.cache), "--data-dir"):
        assert part in str(caught.value)
    assert not list((sandbox.cache / "20newsgroups").iterdir())


def test_a_download_that_fails_leaves_nothing_and_says_how_to_proceed(sandbox, serve):
    serve(TINY_GROUP, OSError("no route"))
    with pytest.raises(DataError, match=r"20newsgroups/rec\.autos is missing.*mvcc data fetch.*MVCC_DATA.*no route"):
        fetch("news")
    assert not list((sandbox.cache / "20newsgroups").iterdir())


def test_only_https_is_downloaded(sandbox, serve, monkeypatch):
    asked = serve(TINY_GROUP)
    plain = dataclasses.replace(sandbox.group, url="http://example.org/20news.tar.gz")
    info = dataclasses.replace(_files.dataset_info("news"), files=(plain,))
    monkeypatch.setattr(_files, "dataset_info", lambda name: info)
    with pytest.raises(DataError, match="only https"):
        fetch("news")
    assert not asked
