"""The benchmarks of the field are tables whose rows match where they are of the same object."""

import hashlib

import numpy as np
import pytest
from scipy.io import savemat

from mvcc.datasets import _field, registry
from mvcc.datasets._registry import DataFile, DatasetInfo, ViewInfo
from mvcc.exceptions import DataError

NAMES = [name for name, info in registry().items() if info.loader == "mvcc.datasets._field:load"]
X = np.arange(12).reshape(4, 3)


def cell(*tables):
    found = np.empty((1, len(tables)), object)
    found[0, :] = tables
    return found


@pytest.fixture
def offered(tmp_path, monkeypatch):

    def write(content, *shapes):
        path = tmp_path / "tiny.mat"
        savemat(path, content)
        views = tuple(ViewInfo(str(number), *shape) for number, shape in enumerate(shapes))
        file = DataFile(
            "field/tiny.mat", "https://example.org", hashlib.sha256(b"").hexdigest(), 1, "", ""
        )
        info = DatasetInfo("tiny", "Tiny", "", 2, views, 0, (file,), "")
        monkeypatch.setattr(_field, "registry", lambda: {"tiny": info})
        return _field.load(np.random.default_rng(0), path)

    return write


def test_there_are_eleven():
    assert len(NAMES) == 11
    assert all(file.name.startswith("field/") for name in NAMES for file in registry()[name].files)


def test_objects_may_be_rows(offered):
    data = offered({"X": cell(X, X[:, :2]), "y": [[3], [1], [1], [3]]}, (4, 3), (4, 2))
    assert [view.tolist() for view in data.views] == [X.tolist(), X[:, :2].tolist()]
    assert [labels.tolist() for labels in data.labels] == [[1, 0, 0, 1]] * 2
    assert data.relations[0, 1].tolist() == [[i, i] for i in range(4)]


def test_objects_may_be_columns_with_gaps(offered):
    index = cell(np.array([[1], [2], [4]]), np.array([[2], [3], [4]]))
    classes = cell(*[np.array([[7, 8, 8, 9]])] * 2)
    data = offered({"data": cell(X.T, X.T), "truelabel": classes, "index": index}, (3, 3), (3, 3))
    assert [view.tolist() for view in data.views] == [X[[0, 1, 3]].tolist(), X[[1, 2, 3]].tolist()]
    assert [labels.tolist() for labels in data.labels] == [[0, 1, 2], [1, 1, 2]]
    assert data.relations[0, 1].tolist() == [[1, 0], [2, 2]]


def test_other_tables_than_the_registry_names_are_an_error(offered):
    with pytest.raises(
        DataError,
        match=r"tiny\.mat: its tables have the shapes \[\(4, 3\)\], expected are \[\(4, 2\)",
    ):
        offered({"X": cell(X), "y": [[3], [1], [1], [3]]}, (4, 2))
    with pytest.raises(
        DataError, match=r"tiny\.mat: its tables cannot be read. Reason: KeyError\('data'\)"
    ):
        offered({"Z": X}, (4, 3))


def test_a_file_of_something_else_is_an_error(tmp_path):
    path = tmp_path / "tiny.mat"
    path.write_text("not Matlab's, but long enough to have a header" * 10)
    with pytest.raises(DataError, match=r"tiny\.mat: its tables cannot be read"):
        _field.load(np.random.default_rng(0), path)
