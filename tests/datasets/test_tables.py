"""Tables in files become views: classes are split, renumbered and paired as files list them.

Protein has three or two classes in a view, and pairs them in their order. Letters/Digits holds I,
J, L in one view, 3, 8, 9 in the other, and pairs I & 3, J & 8, L & 9. The benchmarks of the field
are tables whose rows match where they are of the same object.
"""

import numpy as np
import pytest
from scipy.io import savemat

from mvcc import load_dataset
from mvcc.datasets import _loaders
from mvcc.datasets._registry import DataFile, DatasetInfo, ViewInfo
from mvcc.exceptions import InvalidInputError

X = np.arange(12).reshape(4, 3)


def test_classes_are_numbered_in_the_order_of_the_attribute(tmp_path):
    path = tmp_path / "file.arff"
    for text, labels in (
        ("@attribute a NUMERIC\n@attribute k {z,'a',m}\n@data\n1 m\n1 'z'\n1 a\n", [2, 0, 1]),
        ("@attribute a numeric\n@attribute k{'z, y',a}\n@data\n1,a\n1,'z, y'\n", [1, 0]),
    ):
        path.write_text(text)
        features, y = _loaders.read_arff(path)
        assert (features == 1).all()
        assert y.tolist() == labels
        assert (features.dtype, y.dtype) == (np.float64, np.int64)


@pytest.fixture
def tiny(sandbox):
    sandbox.cache.mkdir()
    (sandbox.cache / "protein.arff").write_bytes(sandbox.content)


def test_classes_are_split_and_renumbered(tiny):
    data = load_dataset("protein", random_state=0)
    assert data.views[0].tolist() == [[0.5], [1.5], [2.5], [3.5], [4.5], [5.5]]
    assert data.views[1].tolist() == [[6.5], [7.5], [8.5], [9.5], [10.5]]
    assert data.labels[0].tolist() == [0, 0, 1, 2, 2, 2]
    assert data.labels[1].tolist() == [0, 1, 1, 2, 2]
    assert len(data.relations[0, 1]) == 1 + 1 + 2


def test_three_views_hold_two_classes_each(tiny):
    data = load_dataset("protein", random_state=0, n_views=3)
    assert data.names == ("c1-c2", "c3-c4", "c5-c6")
    assert [view.ravel().tolist() for view in data.views] == [
        [0.5, 1.5, 2.5],
        [3.5, 4.5, 5.5, 6.5],
        [7.5, 8.5, 9.5, 10.5],
    ]
    assert [labels.tolist() for labels in data.labels] == [[0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 1]]
    assert [len(data.relations[key]) for key in ((0, 1), (0, 2), (1, 2))] == [2 + 1] * 3
    with pytest.raises(InvalidInputError, match=r"n_views must be one of 2, 3, got "):
        load_dataset("protein", n_views=6)


def test_classes_are_paired_in_the_order_of_the_files(tmp_path):
    for name, classes, rows in (
        ("letters", "I, J, L", "1,J\n2,I\n3,L\n4,L"),
        ("digits", "3, 8, 9", " 5, 9\n 6, 3\n"),
    ):
        text = f"@relation r\n@attribute x integer\n@attribute class {{{classes}}}\n@data\n{rows}\n"
        (tmp_path / name).write_text(text)
    files = [tmp_path / "letters", tmp_path / "digits"]
    data = _loaders.letters_digits(np.random.default_rng(0), *files)
    assert [labels.tolist() for labels in data.labels] == [[1, 0, 2, 2], [2, 0]]
    pairs = data.relations[0, 1].tolist()
    assert [1, 1] in pairs
    assert len(pairs) == 2
    assert data.names == ("letters", "digits")


def cell(*tables):
    found = np.empty((1, len(tables)), object)
    found[0, :] = tables
    return found


@pytest.fixture
def offered(tmp_path, monkeypatch):

    def write(content):
        path = tmp_path / "tiny.mat"
        savemat(path, content)
        views = (ViewInfo("0", 1, 1), ViewInfo("1", 1, 1))
        file = DataFile("field/tiny.mat", "", "", 1, "", "")
        info = DatasetInfo("tiny", "Tiny", "", 2, views, 0, (file,), "")
        monkeypatch.setattr(_loaders, "registry", lambda: {"tiny": info})
        return _loaders.field(np.random.default_rng(0), path)

    return write


def test_objects_may_be_rows(offered):
    data = offered({"X": cell(X, X[:, :2]), "y": [[3], [1], [1], [3]]})
    assert [view.tolist() for view in data.views] == [X.tolist(), X[:, :2].tolist()]
    assert [labels.tolist() for labels in data.labels] == [[1, 0, 0, 1]] * 2
    assert data.relations[0, 1].tolist() == [[i, i] for i in range(4)]


def test_objects_may_be_columns_with_gaps(offered):
    index = cell(np.array([[1], [2], [4]]), np.array([[2], [3], [4]]))
    classes = cell(*[np.array([[7, 8, 8, 9]])] * 2)
    data = offered({"data": cell(X.T, X.T), "truelabel": classes, "index": index})
    assert [view.tolist() for view in data.views] == [X[[0, 1, 3]].tolist(), X[[1, 2, 3]].tolist()]
    assert [labels.tolist() for labels in data.labels] == [[0, 1, 2], [1, 1, 2]]
    assert data.relations[0, 1].tolist() == [[1, 0], [2, 2]]
