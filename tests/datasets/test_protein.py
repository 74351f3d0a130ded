"""Protein holds classes 1 to 3 in one view, 4 to 6 in the other, and pairs 1 & 4, 2 & 5, 3 & 6."""

from __future__ import annotations

import numpy as np
import pytest

from mvcc import load_dataset


def test_classes_are_split_and_renumbered(sandbox):
    sandbox.cache.mkdir()
    (sandbox.cache / "protein.arff").write_bytes(sandbox.content)
    data = load_dataset("protein", random_state=0)
    assert data.views[0].tolist() == [[0.5], [1.5], [2.5], [3.5], [4.5], [5.5]]
    assert data.views[1].tolist() == [[6.5], [7.5], [8.5], [9.5], [10.5]]
    assert data.labels[0].tolist() == [0, 0, 1, 2, 2, 2]
    assert data.labels[1].tolist() == [0, 1, 1, 2, 2]
    assert len(data.relations[0, 1]) == 1 + 1 + 2


@pytest.mark.data
def test_table_1():
    data = load_dataset("protein", random_state=0)
    assert [view.shape for view in data.views] == [(67, 20), (49, 20)]
    assert [np.bincount(labels).tolist() for labels in data.labels] == [[19, 16, 32], [15, 18, 16]]
    pairs = data.relations[0, 1]
    assert np.bincount(data.labels[0][pairs[:, 0]]).tolist() == [15, 16, 16]
    assert (data.labels[0][pairs[:, 0]] == data.labels[1][pairs[:, 1]]).all()
    assert all(len(np.unique(column)) == 47 for column in pairs.T)
    assert data.views[0][0, :3].tolist() == [14.1, 0.7, 7.4]
