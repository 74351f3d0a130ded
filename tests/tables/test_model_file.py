"""A model predicts anywhere, is made only of what mvcc writes, and a changed one is noticed."""

import json
import pickle
import subprocess
import sys
import warnings
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import FunctionTransformer

from mvcc import __version__, load_model
from mvcc._utils import reading
from mvcc.embedding import Anchors
from mvcc.exceptions import InvalidInputError, StoreError
from mvcc.multiview import NearestAnchors
from mvcc.tables.model import _file
from mvcc.tables.model._file import model_bytes, read_model
from mvcc.tables.reading._column import Written
from tests.tables.problems import by_co_em, cluster, read_csv, rezipped, write_problem


@pytest.fixture
def folder(models):
    return models["joint"]


@pytest.fixture
def model(folder):
    """Give the file of a model, and put it back as it was."""
    path = folder / "out/model.skops"
    content = path.read_bytes()
    yield path
    path.write_bytes(content)


def changed_head(content, **values):
    """Return a model whose format or version says something else."""

    def changed(name, entry):
        return json.dumps(json.loads(entry) | values) if name == "mvcc.json" else entry

    return rezipped(content, changed)


def by_skops(views):
    """Return what skops writes of a model, with our head."""
    head = {"format": _file.FORMAT, "version": __version__}
    return rezipped(skops.io.dumps(views), more={"mvcc.json": json.dumps(head)})


class Evil:
    """What a pickle could run; and a type that is none of ours."""

    ran = False

    def __reduce__(self):
        return (setattr, (Evil, "ran", True))


PRINTS = FunctionTransformer(print)
EVIL = "holds types that mvcc never writes: .*Evil.*do not load it"
NEWER = r"is of format 9, written by mvcc 9\.9; "
DAMAGED = "is damaged, or no model"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content[: len(content) // 2], DAMAGED),
        (lambda content: pickle.dumps(Evil()), DAMAGED),
        (lambda content: content.replace(b"PK\x01\x02", b"PK\x01\x03", 1), DAMAGED),
        (lambda content: skops.io.dumps([]), f"{DAMAGED} .*mvcc.json"),
        (lambda content: changed_head(content, format=9, version="9.9"), NEWER),
        (lambda content: model_bytes([Evil]), EVIL),
        (lambda content: by_skops([{"transformer": PRINTS}]), "types .*never writes: .*print"),
        (lambda content: model_bytes("views"), "it holds no views"),
        (lambda content: model_bytes([{"name": "view0"}]), f"{DAMAGED} .*used"),
    ],
    ids=range(9),
)
def test_what_is_no_model_is_refused_with_and_without_its_checksum(folder, model, change, message):
    content = change(model.read_bytes())
    model.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(StoreError, match=message):
            load_model(model)
    with pytest.raises(StoreError, match=r"model\.skops: it was changed since it was written"):
        load_model(folder / "out")
    assert not Evil.ran


def test_a_file_that_unpacks_to_too_much_is_refused(monkeypatch):
    content = model_bytes([{"numbers": np.zeros(10**6)}])
    assert read_model(content, "m")[0]["numbers"].shape == (10**6,)
    monkeypatch.setattr(reading, "MOST_UNPACKED", 2**20)
    with pytest.raises(StoreError, match="more than 100 times its size"):
        read_model(content, "m")


def test_folders_without_a_model_say_so(folder, tmp_path):
    with pytest.raises(StoreError, match="holds no clustering"):
        load_model(tmp_path)
    message = r"none\.skops: the model cannot be read: No such file or directory\. Name a folder"
    with pytest.raises(StoreError, match=message):
        load_model(tmp_path / "none.skops")
    (tmp_path / "clustering.json").write_bytes((folder / "out/clustering.json").read_bytes())
    with pytest.raises(StoreError, match=r"skops: the model cannot be read: .* Cluster again"):
        load_model(tmp_path)


def test_the_types_that_are_read_are_those_that_are_written(contents):
    """Whoever changes what one of these classes holds has to raise `FORMAT`."""
    kinds = (skops.io.get_untrusted_types(data=content) for content in contents.values())
    written = {kind for own in kinds for kind in own}
    assert written | {"numpy.dtype"} == _file._TYPES
    assert (_file.FORMAT, len(_file._TYPES)) == (4, 12)


def test_a_model_of_the_former_format_is_read(folder, model):
    expected = load_model(model).views
    views = [{one.name: getattr(view, one.name) for one in fields(view)} for view in expected]
    notes = ["with decimal commas", "day.month.year, 9999-12-31 is a date", "constant"]
    for view in views:
        view["used"] = [
            {"name": column.name, "kind": column.kind, "note": note, "n_missing": 0}
            for column, note in zip(view["used"], notes, strict=True)
        ]
    model.write_bytes(changed_head(_file.model_bytes(views), format=3))
    found = load_model(model).views
    assert [view.columns for view in found] == [view.columns for view in expected]
    written = [Written.DECIMAL_COMMAS, Written.DOTS, Written.PLAIN]
    assert [column.written for column in found[0].used] == written


def test_a_model_whose_new_rows_go_to_the_nearest_center_is_read(folder, model):
    views = read_model(model.read_bytes(), "m")
    rng = np.random.default_rng(0)
    X, centers = rng.normal(size=(200, 3)), rng.normal(size=(len(views[0]["numbers"]), 2))
    (anchors, _), coordinates = Anchors.among(X, 20, rng), rng.normal(size=(20, 2))
    for view in views:
        view["predictor"] = NearestAnchors(anchors, coordinates, centers)
    model.write_bytes(model_bytes(views))
    found = load_model(model).views[0].predictor.predict(X)
    places = anchors.ties(X) @ coordinates
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    nearest = np.linalg.norm(places[:, None] - centers, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(found, nearest)
    assert len(np.unique(found)) > 1


def test_what_is_no_part_of_a_model_is_not_written():
    with pytest.raises(TypeError, match="bytes is not a part of a model"):
        model_bytes([{"name": b"x"}])


# new rows


@pytest.fixture(params=["joint", "spectral", "pca", "none"])
def saved(request, models):
    return models[request.param]  # without constraints a row is always nearest to its own cluster


def clusters(out, view):
    return [int(row["cluster"]) for row in read_csv(out / view / "labels.csv")]


def test_rows_that_were_clustered_get_their_clusters_again(saved, tmp_path):
    load_model(saved / "out").save(tmp_path / "copy.skops")
    model = load_model(tmp_path / "copy.skops")
    assert model.names == ["view0", "view1"]
    for name in model.names:
        expected = clusters(saved / "out", name)
        table = pd.read_csv(saved / f"{name}.csv")
        values = table[["x", "y", "z"]].to_numpy()
        for rows in (table, table[["z", "kind", "y", "id", "x"]], values):
            assert model.predict(rows, view=name).tolist() == expected
        assert model.predict(values[:1], view=name).tolist() == expected[:1]


@pytest.mark.slow
@pytest.mark.parametrize("saved", ["joint", "spectral"], indirect=True)
def test_a_fresh_process_loads_it(saved):
    found = "mvcc.load_model('out').predict(pd.read_csv('view1.csv'), 'view1').tolist()"
    command = [sys.executable, "-c", f"import pandas as pd, mvcc; print({found})"]
    done = subprocess.run(command, cwd=saved, stdout=subprocess.PIPE, check=True)
    assert json.loads(done.stdout) == clusters(saved / "out", "view1")


@pytest.mark.parametrize(
    ("X", "view", "message"),
    [
        (np.eye(3), "view2", r"no view 'view2'; did you mean 'view\d'\? Known: view0, view1\."),
        (np.eye(3), 0, "there is no view 0"),
        (np.zeros((2, 2)), "view0", r"X has 2 columns; view0 was clustered by 3"),
        (np.full((2, 3), np.nan), "view0", "X: row 0 has no value in the column 'x'"),
        (pd.DataFrame({"x": [1.0], "z": [2.0]}), "view0", r"X has no column 'y'"),
        (pd.DataFrame([[*"abc"]], columns=[*"xyz"]), "view0", "X: row 0 has 'a', which is not a f"),
        (None, "view0", "X has 0 columns; view0 was clustered by 3"),
        ("new.csv", "view0", r"X must be a table, got the path 'new\.csv'\. Read the file first"),
        (7, "view0", r"X is not a table: 7"),
        (pd.Series([1.0, 2.0, 3.0]), "view0", r"X has 1 column; .* such as table\.iloc\[\[0\]\]"),
        (pd.DataFrame(np.eye(4), columns=list("xyzx")), "view0", r"X has several columns 'x'; ren"),
    ],
    ids=range(11),
)
def test_rows_that_do_not_fit_are_refused(folder, X, view, message):
    with pytest.raises(InvalidInputError, match=message):
        load_model(folder / "out").predict(X, view=view)


@pytest.mark.parametrize("base", ["pck-means", "mpck-means", None])
def test_new_rows_get_clusters_as_true_as_those_that_were_clustered(tmp_path, base):
    options = write_problem(tmp_path, n=90, n_judged=20)
    cluster(options if base is None else by_co_em(options, base=base), tmp_path / "out")
    model = load_model(tmp_path / "out")
    rng = np.random.default_rng(0)
    for name in model.names:
        table = pd.read_csv(tmp_path / f"{name}.csv")
        centers = table.groupby("kind")[["x", "y", "z"]].mean()
        kinds = rng.integers(len(centers), size=200)
        new = pd.DataFrame(centers.to_numpy()[kinds] + rng.normal(size=(200, 3)), columns=[*"xyz"])
        of_new = adjusted_rand_score(kinds, model.predict(new, view=name))
        of_rows = adjusted_rand_score(table["kind"], clusters(tmp_path / "out", name))
        assert of_new > max(0.8, of_rows - 0.1)
