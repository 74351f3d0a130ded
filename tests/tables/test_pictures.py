"""The report has small pictures of typical rows, if `show` names a column of picture files."""

from __future__ import annotations

import io
import os
from base64 import b64decode
from types import SimpleNamespace

import pytest
from PIL import Image

from mvcc.tables.explaining import _pictures
from mvcc.tables.explaining._pictures import add_pictures


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    for number in range(8):
        Image.new("RGB", (8, 8), (number, 0, 0)).save(tmp_path / f"in/{number}.png")
    return tmp_path / "in"


def found(folder, texts, typical):
    """Return the facts of a view with rows of some texts, whose clusters have typical rows."""
    table = SimpleNamespace(
        name="photos", path=str(folder / "photos.csv"), shown={"title": ["x"] * len(texts)}
    )
    table.shown["file"] = texts
    facts = {"views": [{}], "profiles": [[{"typical": rows} for rows in typical]], "warnings": []}
    add_pictures(facts, [table])
    return facts["views"][0], facts["warnings"]


def image_of(source):
    return Image.open(io.BytesIO(b64decode(source.partition("base64,")[2])))


def test_a_small_picture_is_taken_as_it_is_and_one_of_each_cluster_comes_first(folder):
    texts = [f"{number}.png" for number in range(8)]
    view, warnings = found(folder, texts, [[0, 1, 2, 3, 4], [], [7, 6]])
    assert view["picture_column"] == "file"
    assert [row for row, _ in view["pictures"]] == [0, 7, 1, 6, 2, 3]
    for row, source in view["pictures"]:
        assert source.startswith("data:image/png;base64,")
        assert b64decode(source.partition(",")[2]) == (folder / texts[row]).read_bytes()
    assert warnings == []


def test_a_large_picture_is_made_small_upright_and_without_what_a_camera_adds(folder):
    wide = Image.effect_noise((900, 300), 80).convert("RGB")
    exif = Image.Exif()
    exif[274] = 6  # turned by a quarter
    wide.save(folder / "large.jpg", exif=exif)
    clear = Image.effect_noise((300, 300), 80).convert("RGBA")
    clear.putalpha(0)
    clear.save(folder / "clear.webp", lossless=True, exact=True)
    view, _ = found(folder, ["large.jpg", "clear.webp"], [[0, 1]])
    (_, large), (_, white) = view["pictures"]
    assert image_of(large).size == (32, 96)
    assert not image_of(large).getexif()
    assert len(large) < 6000
    assert min(image_of(white).getpixel((40, 40))) > 250


def test_pictures_that_cannot_be_read_are_named_and_the_others_are_there(folder, monkeypatch):
    (folder / "1.png").write_bytes(b"<svg/>")
    (folder / "2.png").write_bytes((folder / "2.png").read_bytes()[:50])
    texts = [f"{number}.png" for number in range(8)]
    view, (warning,) = found(folder, texts, [[0, 1, 2, 3]])
    assert [row for row, _ in view["pictures"]] == [0, 3]
    assert warning == (
        "2 pictures of photos cannot be read, and the report lacks them: 1.png, since it is not a"
        " PNG, JPEG, GIF or WEBP file."
    )
    for limit, told in (("_LARGEST", "it has more than 0 MB"), ("_MOST_PIXELS", "8 × 8 pixels")):
        with monkeypatch.context() as patch:
            patch.setattr(_pictures, limit, 9)
            assert told in found(folder, texts, [[0]])[1][0]


def test_only_files_below_the_folder_of_the_table_are_pictures(folder):
    Image.new("RGB", (8, 8)).save(folder.parent / "secret.png")
    os.symlink(folder.parent / "secret.png", folder / "link.png")
    texts = [
        "../secret.png",
        str(folder / "0.png"),
        "link.png",
        "none.png",
        "https://x/0.png",
        "\0.png",
    ]
    assert found(folder, texts, [list(range(4)), [4, 5]]) == ({}, [])


def test_a_report_has_room_for_so_many_pictures(folder, monkeypatch):
    texts = [f"{number}.png" for number in range(8)]
    (_, source), *_ = found(folder, texts, [[0]])[0]["pictures"]
    monkeypatch.setattr(_pictures, "_ROOM", 2 * len(source) + 10)
    assert [row for row, _ in found(folder, texts, [[0, 1], [4]])[0]["pictures"]] == [0, 4]
