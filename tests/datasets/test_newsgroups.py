"""A newsgroup is used only if its documents are the expected ones, and is read but once."""

import dataclasses
import hashlib
from pathlib import Path

import pytest

from mvcc.datasets import _files, fetch, file_checksums, find_file
from mvcc.exceptions import DataError
from tests.datasets.conftest import TINY_GROUP, packed


@pytest.fixture
def folder(tmp_path):

    def make(name, documents=TINY_GROUP):
        group = tmp_path / name / "20newsgroups" / "rec.autos"
        group.mkdir(parents=True)
        for number, content in documents.items():
            (group / number).write_bytes(content)
        return tmp_path / name

    return make


@pytest.fixture
def serve(network, sandbox, monkeypatch):
    """Let the network deliver an archive, which is as registered or not."""

    def start(archive=None, registered=True):
        network.content = packed() if archive is None else archive
        if registered:
            expected = dataclasses.replace(
                sandbox.group, archive_sha256=hashlib.sha256(network.content).hexdigest()
            )
            info = dataclasses.replace(_files.dataset_info("news"), files=(expected,))
            monkeypatch.setattr(_files, "dataset_info", lambda name: info)
        return network

    return start


def test_documents_come_in_the_order_of_their_names_as_text_and_other_files_are_none(folder):
    group = folder("own") / "20newsgroups" / "rec.autos"
    for name in ("README", ".DS_Store"):
        (group / name).touch()
    assert [path.name for path in _files.documents(group)] == ["10", "11", "9"]


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
    asked = serve().asked
    folder("cache")
    own = folder("own", documents)
    with pytest.raises(DataError, match="is not the expected file or folder") as caught:
        fetch("news", own)
    for part in (own / sandbox.group.name, sandbox.group.sha256, f"{sandbox.group.size} bytes"):
        assert str(part) in str(caught.value)
    assert not asked


def test_a_file_for_the_folder_and_a_folder_for_a_document_are_errors(sandbox, folder, tmp_path):
    (tmp_path / "20newsgroups").mkdir()
    (tmp_path / "20newsgroups" / "rec.autos").touch()
    with pytest.raises(DataError, match="is not the expected file or folder"):
        find_file(sandbox.group, tmp_path)
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
    with pytest.raises(DataError, match="is not the expected file or folder"):
        find_file(sandbox.group, own)


def test_a_missing_group_is_downloaded_once_into_the_cache(sandbox, serve):
    asked = serve().asked
    group = sandbox.cache / "20newsgroups" / "rec.autos"
    for _ in range(2):
        assert fetch("news") == {"20newsgroups/rec.autos": group}
    assert asked == [sandbox.group.url]
    assert {path.name: path.read_bytes() for path in group.iterdir()} == TINY_GROUP
    assert sorted(path.name for path in group.parent.iterdir()) == [_files.ARCHIVE, "rec.autos"]
    assert file_checksums("news") == {"20newsgroups/rec.autos": sandbox.group.sha256}


def test_an_archive_with_a_wrong_checksum_is_not_even_opened(sandbox, serve, monkeypatch):
    monkeypatch.setattr(_files, "unpack", lambda *_: pytest.fail("it was opened"))
    serve(packed({"20news-bydate-train/rec.autos/10": b"else"}), registered=False)
    with pytest.raises(DataError, match="did not deliver it into") as caught:
        fetch("news")
    for part in (sandbox.group.name, sandbox.group.archive_sha256, sandbox.cache, "--data-dir"):
        assert str(part) in str(caught.value)
    assert not list((sandbox.cache / "20newsgroups").iterdir())


def in_archive(name):
    return f"20news-bydate-train/rec.autos/{name}"


@pytest.mark.parametrize(
    ("archive", "message"),
    [
        (
            packed({in_archive(n): content[::-1] for n, content in TINY_GROUP.items()}),
            "sha256 of its documents is",
        ),
        (packed({in_archive("10"): TINY_GROUP["10"]}), "sha256 of its documents is"),
        (packed({in_archive("10"): b"x" * 10**6}), "larger than the expected"),
        (b"no archive", "did not deliver it into"),
        (packed()[:-40], "did not deliver it"),
    ],
    ids=["changed", "one less", "too large", "no archive", "cut"],
)
def test_other_documents_in_the_archive_leave_nothing_but_it(sandbox, serve, archive, message):
    serve(archive)
    with pytest.raises(DataError, match=message):
        fetch("news")
    assert [path.name for path in (sandbox.cache / "20newsgroups").iterdir()] == [_files.ARCHIVE]


def test_no_path_in_an_archive_leads_out_of_the_folder(tmp_path):
    group = tmp_path / "inside" / "rec.autos"
    group.mkdir(parents=True)
    above = ["../../../evil", "1/../../2"]
    names = ["/tmp/evil", "../evil", "20news-bydate-train/../rec.autos/1"]
    names += map(in_archive, [*above, "0x7", "3"])
    archive = tmp_path / "archive.tar.gz"
    evil = packed(dict.fromkeys(names, b"x"), links={in_archive("4"): "/etc/passwd"})
    archive.write_bytes(evil)
    _files.unpack(archive, group, 100)
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == [archive, group / "3"]
    assert not Path("/tmp/evil").exists()
