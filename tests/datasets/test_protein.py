"""Protein has three or two classes in a view, and pairs them in their order."""

import pytest

from mvcc import load_dataset
from mvcc.exceptions import InvalidInputError


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


@pytest.mark.parametrize("count", [1, 6, False])
def test_there_are_two_or_three_views(tiny, count):
    with pytest.raises(InvalidInputError, match=r"n_views must be one of 2, 3, got "):
        load_dataset("protein", n_views=count)
