"""Clusters take over the numbers of those that they share most rows with, and changes are named."""

import numpy as np
import pytest

from mvcc.results import Changes
from mvcc.tables.output._continued import renumbered, rows_in_both


@pytest.mark.parametrize(("counts", "numbers", "kept", "changes"), [
    ([[0, 9], [8, 1]], [1, 0], "17 of 18", []),
    ([[10, 0, 0], [0, 6, 4]], [0, 1, 2], "16 of 20", ["Cluster 1 was split into 1 and 2."]),
    ([[10, 0], [5, 0], [0, 7]], [0, 2], "17 of 22", ["Clusters 0 and 1 were merged into 0."]),
    ([[10, 0, 0], [0, 8, 0]], [0, 1, 2], "18 of 18", ["Clusters that are new: 2."]),
    ([[10], [0]], [0], "10 of 10", ["Clusters that have vanished: 1."]),
    ([[0], [0]], [2], "0 of 0",
     ["Clusters that are new: 2.", "Clusters that have vanished: 0 and 1."]),
    (  # cluster 2 scatters: it leaves its number to nobody, though one cluster lacks a number
        [[20, 0, 3], [0, 9, 11], [2, 2, 2]],
        [0, 3, 1],
        "31 of 49",
        ["Cluster 1 was split into 1 and 3.", "Clusters that have vanished: 2."],
    ),
])  # fmt: skip
def test_clusters_take_over_numbers_and_words_say_what_changed(counts, numbers, kept, changes):
    found, told = renumbered(np.array(counts), np.arange(len(counts)))
    assert found.tolist() == numbers
    said = list(Changes(views=("texts",), **told).in_words())
    assert said == [f"{kept} rows kept their cluster.", *changes]


def test_rows_without_a_cluster_do_not_count():
    counts = rows_in_both(np.array([-1, 0, 1]), np.array([0, -1, 1]), (2, 2))
    assert counts.tolist() == [[0, 0], [0, 1]]


def test_long_lists_are_cut():
    changes = Changes(views=("v",), shared=0, kept=0, new=tuple(range(20)))
    assert list(changes.in_words())[1].endswith("10, 11 and 8 more.")
