"""Of the file of a model nothing is made but what mvcc writes, and a changed file is told from a
whole one.
"""

import io
import json
import pickle
import re
import warnings
import zipfile
from dataclasses import fields

import numpy as np
import pytest
import skops.io
from sklearn.preprocessing import FunctionTransformer

from mvcc import __version__, load_model
from mvcc._utils import reading
from mvcc.exceptions import StoreError
from mvcc.tables.model import _file
from mvcc.tables.model._file import model_bytes, read_model
from mvcc.tables.reading._column import Written
from tests.tables.problems import cluster, rezipped, write_problem


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    cluster(write_problem(folder, judged=()), folder / "out")
    return folder


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
    """Return what skops writes of a model, its objects numbered and its classes public."""
    entries, new = zipfile.ZipFile(io.BytesIO(skops.io.dumps(views))), io.BytesIO()
    schema = entries.read("schema.json").decode()
    address = r'(?<="__id__": )\d+|(?<="file": ")\d+(?=\.)'
    distinct = dict.fromkeys(re.findall(address, schema))
    numbers = {one: str(number) for number, one in enumerate(distinct)}
    schema = re.sub(address, lambda found: numbers[found[0]], schema)
    schema = re.sub(r'(?<="__module__": "mvcc\.)(\w+)(?:\.\w+)*\._\w+(?=")', r"\1", schema)
    arrays = set(entries.namelist()) - {"schema.json"}
    files = {f"{numbers[name[:-4]]}.npy": entries.read(name) for name in arrays}
    head = json.dumps({"format": _file.FORMAT, "version": __version__})
    with zipfile.ZipFile(new, "w") as archive:
        for name, content in sorted({"schema.json": schema, "mvcc.json": head, **files}.items()):
            archive.writestr(name, content)
    return new.getvalue()


def entries_of(content):
    archive = zipfile.ZipFile(io.BytesIO(content))
    entries = {name: archive.read(name) for name in archive.namelist()}
    return entries | {name: json.loads(entries[name]) for name in entries if name.endswith("json")}


class Evil:
    """What a pickle could run; and a type that is none of ours."""

    ran = False

    def __reduce__(self):
        return (setattr, (Evil, "ran", True))


def of_types(content):
    return skops.io.get_untrusted_types(data=content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content[: len(content) // 2], "is damaged, or no model"),
        (lambda content: b"", "is damaged, or no model"),
        (lambda content: pickle.dumps(Evil()), "is damaged, or no model"),
        (
            lambda content: content.replace(b"PK\x01\x02", b"PK\x01\x03", 1),
            "is damaged, or no model",
        ),
        (lambda content: skops.io.dumps([]), "is damaged, or no model .*mvcc.json"),
        (
            lambda content: changed_head(content, format=9, version="9.9"),
            r"is of format 9, written by mvcc 9\.9; ",
        ),
        (
            lambda content: model_bytes([Evil]),
            "holds types that mvcc never writes: .*Evil.*do not load it",
        ),
        (
            lambda content: by_skops([{"transformer": FunctionTransformer(print)}]),
            "types .*never writes: .*print",
        ),
        (lambda content: model_bytes("views"), "it holds no views"),
        (lambda content: model_bytes([{"name": "view0"}]), "is damaged, or no model .*used"),
    ],
    ids=range(10),
)
def test_a_file_that_is_no_model_is_refused_with_and_without_its_checksum(
    folder, model, change, message
):
    content = change(model.read_bytes())
    model.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(StoreError, match=message):
            load_model(model)
    with pytest.raises(StoreError, match=r"model\.skops: it was changed since it was written"):
        load_model(folder / "out")
    assert not Evil.ran


def test_every_single_byte_that_is_changed_is_an_error_or_without_effect(model):
    content = model.read_bytes()
    expected = load_model(model).views
    for place in np.linspace(0, len(content) - 1, 60, dtype=int):
        model.write_bytes(content[:place] + bytes([content[place] ^ 0x41]) + content[place + 1 :])
        try:
            found = load_model(model).views
        except StoreError:
            continue
        for one, other in zip(found, expected, strict=True):
            assert (one.name, one.columns, one.numbers.tolist()) == (
                other.name,
                other.columns,
                other.numbers.tolist(),
            )


def test_a_file_that_unpacks_to_too_much_is_refused(monkeypatch):
    content = model_bytes([{"numbers": np.zeros(10**6)}])
    assert read_model(content, "m")[0]["numbers"].shape == (10**6,)
    monkeypatch.setattr(reading, "MOST_UNPACKED", 2**20)
    with pytest.raises(StoreError, match="more than 100 times its size"):
        read_model(content, "m")


def test_folders_without_a_model_say_so(folder, tmp_path):
    with pytest.raises(StoreError, match="holds no clustering"):
        load_model(tmp_path)
    with pytest.raises(StoreError, match=r"none\.skops: the model cannot be read: No such file"):
        load_model(tmp_path / "none.skops")
    (tmp_path / "clustering.json").write_bytes((folder / "out/clustering.json").read_bytes())
    (tmp_path / "model.joblib").write_bytes(b"")
    message = r"model\.joblib was written by an earlier mvcc and is not read\. Cluster again"
    with pytest.raises(StoreError, match=message):
        load_model(tmp_path)


def test_the_types_that_are_read_are_those_that_are_written(models):
    """Whoever changes what one of these classes holds has to raise `FORMAT`."""
    written = {kind for content, _ in models.values() for kind in of_types(content)}
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


def test_models_are_written_as_skops_writes_them(models):
    for content, _ in models.values():
        views = read_model(content, "m")
        assert entries_of(model_bytes(views)) == entries_of(by_skops(views))
    with pytest.raises(TypeError, match="bytes is not a part of a model"):
        model_bytes([{"name": b"x"}])


def test_a_saved_model_is_the_same_again(folder, tmp_path):
    model = load_model(folder / "out")
    model.save(tmp_path / "copy.skops")
    rows = np.random.default_rng(0).normal(size=(50, 3)) * 4
    for name in model.names:
        assert (
            load_model(tmp_path / "copy.skops").predict(rows, name).tolist()
            == model.predict(rows, name).tolist()
        )
