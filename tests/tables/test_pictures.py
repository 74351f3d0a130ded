"""Pictures in the report, if `show` names a column of picture files, and as features."""

import io
import os
import shutil
from base64 import b64decode
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from mvcc.embedding import MixedFeatures
from mvcc.exceptions import DataError
from mvcc.tables import cluster_job, write_example
from mvcc.tables._job import Job, View
from mvcc.tables.explaining import _shown_rows
from mvcc.tables.explaining._shown_rows import add_pictures
from mvcc.tables.reading import _pictures as reading
from tests.command_line import mvcc
from tests.tables.problems import read_table


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
    said = "2 pictures of photos cannot be read, and the report lacks them: 1.png, since it is not"
    assert warning == f"{said} a PNG, JPEG, GIF or WEBP file."
    for module, limit, most, told in (
        (reading, "_LARGEST", 9, "it has more than 0 MB"),
        (reading, "_MOST_PIXELS", 9, "it has more than 9 pixels"),
        (Image, "MAX_IMAGE_PIXELS", 20, "it has more than 67,108,864 pixels"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, limit, most)
            assert told in found(folder, texts, [[0]])[1][0]
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 40)  # where Pillow only warns
    assert found(folder, texts, [[0]])[1] == []


def test_only_files_below_the_folder_of_the_table_are_pictures(folder):
    Image.new("RGB", (8, 8)).save(folder.parent / "secret.png")
    os.symlink(folder.parent / "secret.png", folder / "link.png")
    texts = ["../secret.png", str(folder / "0.png"), "link.png", "none.png", "https://x/0.png"]
    texts.append("\0.png")
    assert found(folder, texts, [list(range(4)), [4, 5]]) == ({}, [])


def test_a_report_has_room_for_so_many_pictures(folder, monkeypatch):
    texts = [f"{number}.png" for number in range(8)]
    (_, source), *_ = found(folder, texts, [[0]])[0]["pictures"]
    monkeypatch.setattr(_shown_rows, "_ROOM", 2 * len(source) + 10)
    assert [row for row, _ in found(folder, texts, [[0, 1], [4]])[0]["pictures"]] == [0, 4]


# ---- as features


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    write_example(folder := tmp_path_factory.mktemp("example"))
    return folder


@pytest.fixture
def museum(example, tmp_path):
    """Write sixty photographs of the bundled example, with nothing but their pictures."""
    photos = pd.read_csv(example / "photos.csv", dtype=str)[["id", "file"]].head(60)
    photos.to_csv(tmp_path / "photos.csv", index=False)
    (tmp_path / "pictures").mkdir()
    for name in photos["file"]:
        shutil.copy(example / name, tmp_path / name)
    return tmp_path


def read_photos(folder, table=None, kind="picture"):
    if table is not None:
        table.to_csv(folder / "photos.csv", index=False)
    columns = None if kind is None else {"file": kind}
    return read_table("photos", View(path=str(folder / "photos.csv"), columns=columns))


def shape_of(path):
    """Return which pixels of a picture are not background: the same for all objects of a kind."""
    pixels = np.asarray(Image.open(path).convert("RGB"), dtype=int)
    return ((pixels != pixels[0, 0]).any(axis=2)).tobytes()


def test_features_of_pictures_tell_what_they_show(museum):
    X = MixedFeatures(["picture"]).fit_transform(read_photos(museum).X)
    found = KMeans(5, n_init=5, random_state=0).fit_predict(X)
    shapes = [shape_of(museum / name) for name in pd.read_csv(museum / "photos.csv")["file"]]
    assert adjusted_rand_score([shapes.index(shape) for shape in shapes], found) > 0.9


def test_new_pictures_are_measured_as_those_that_were_clustered(museum):
    table = pd.read_csv(museum / "photos.csv", dtype=str)
    table.loc[3, "file"] = None
    table.to_csv(museum / "photos.csv", index=False)
    view = {"path": str(museum / "photos.csv"), "columns": {"file": "picture"}}
    job = Job(views={"photos": view}, n_clusters=3, stability_runs=0, comparison=False)
    facts = cluster_job(job, museum / "out")
    (column,) = [one for one in facts.views[0].columns if one.name == "file"]
    assert (column.kind, column.note, column.n_missing) == ("picture", "colors and edges", 1)
    mvcc("predict", "out", "--view", "photos=photos.csv", "--out", "new.csv", cwd=museum)
    assert pd.read_csv(museum / "new.csv")["cluster"].tolist() == [*facts.views[0].labels]


def test_names_of_pictures_are_features_only_when_a_config_says_so(museum):
    advice = r"In a config, columns: \{file: picture\} clusters by colors and edges\."
    message = rf"no column is left to cluster: .* 'file': names of pictures\. {advice}"
    with pytest.raises(DataError, match=message):
        read_photos(museum, kind=None)
    photos = pd.read_csv(museum / "photos.csv").rename(columns={"file": "file: 1"})
    photos.to_csv(museum / "asked.csv", index=False)
    asked = View(path=str(museum / "asked.csv"), columns=["file: 1"])
    (note,) = read_table("photos", asked).notes
    assert "the column 'file: 1' names pictures, and only these names were clustered." in note
    assert note.endswith("columns: {'file: 1': picture} clusters by colors and edges.")
    assert read_photos(museum).notes == ()
    photos = pd.read_csv(museum / "photos.csv").assign(x=[n**2 for n in range(60)])
    photos.to_csv(museum / "photos.csv", index=False)
    mvcc("init", "--from", "photos.csv", "--out", "new.yaml", cwd=museum)
    drafted = (museum / "new.yaml").read_text()
    assert "names of pictures; write picture to use colors and edges" in drafted


def test_pictures_that_are_not_there_or_damaged_are_one_message(museum):
    table = pd.read_csv(museum / "photos.csv", dtype=str)
    content = (museum / table["file"][5]).read_bytes()
    (museum / table["file"][5]).write_bytes(content[: len(content) // 2])
    outside = museum.parent / "outside.png"
    outside.write_bytes(content)
    (museum / "pictures/link.png").symlink_to(outside)
    table.loc[7, "file"], table.loc[8, "file"] = "pictures/link.png", "../outside.png"
    with pytest.raises(DataError) as error:
        read_photos(museum, table)
    assert ":7: line 7 has 'pictures/photo-005.png', which cannot be read" in str(error.value)
    assert "in the column 'file'; 3 values are like that. Correct it" in str(error.value)
