"""Clusters of related rows get the same number in all views, and nothing else changes."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc import match_clusters
from mvcc.exceptions import InvalidInputError


def agreeing(labels, mappings):
    return sum(
        int(np.sum(labels[u][rows[:, 0]] == labels[v][rows[:, 1]]))
        for (u, v), rows in mappings.items()
    )


def renumbered(labels, numbers):
    return [new[y] for new, y in zip(numbers, labels, strict=True)]


@st.composite
def clusterings(draw, n_views=2):
    k = draw(st.integers(1, 4))
    labels = [
        np.array(draw(st.lists(st.integers(0, k - 1), min_size=1, max_size=8)))
        for _ in range(n_views)
    ]
    mappings = {}
    for u, v in combinations(range(n_views), 2):
        ends = st.tuples(st.integers(0, len(labels[u]) - 1), st.integers(0, len(labels[v]) - 1))
        related = draw(st.lists(ends, unique=True, max_size=10))
        mappings[u, v] = np.array(related, dtype=np.int64).reshape(-1, 2)
    return k, labels, mappings


@given(clusterings())
def test_of_all_numberings_of_two_views_none_agrees_with_more_relations(drawn):
    k, labels, mappings = drawn
    first, second = match_clusters(labels, mappings, k)
    assert first.tolist() == list(range(k))
    numberings = [(first, np.array(new)) for new in permutations(range(k))]
    best = max(agreeing(renumbered(labels, numbers), mappings) for numbers in numberings)
    assert agreeing(renumbered(labels, [first, second]), mappings) == best


@given(clusterings(3))
def test_every_view_keeps_its_clusters_under_new_numbers(drawn):
    k, labels, mappings = drawn
    numbers = match_clusters(labels, mappings, k)
    assert [sorted(new.tolist()) for new in numbers] == [list(range(k))] * 3
    again = match_clusters(renumbered(labels, numbers), mappings, k)
    assert [new.tolist() for new in again] == [list(range(k))] * 3  # what is matched stays


@pytest.mark.parametrize(
    "edges", [[(0, 1), (1, 2), (2, 3)], [(0, 3), (1, 3), (2, 3)], [(2, 3), (1, 2), (0, 1), (0, 3)]]
)
def test_clusters_are_matched_through_other_views(edges):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 5
    shuffled = [rng.permutation(5)[y] for _ in range(4)]
    mappings = {edge: np.column_stack((np.arange(40), np.arange(40))) for edge in edges}
    for matched in renumbered(shuffled, match_clusters(shuffled, mappings, 5)):
        np.testing.assert_array_equal(matched, shuffled[0])


def test_the_views_with_the_most_relations_are_matched_first():
    """Two wrong relations to the first view do not outweigh ten right ones to the second."""
    labels = [np.arange(12) % 2] * 3
    every = np.arange(12)
    mappings = {
        (0, 1): np.column_stack((every, every)),
        (1, 2): np.column_stack((every, every)),
        (0, 2): [(0, 1), (1, 0)],
    }
    assert [new.tolist() for new in match_clusters(labels, mappings, 2)] == [[0, 1]] * 3


def test_clusters_that_no_relation_touches_keep_their_numbers_where_those_are_free():
    for first, second in product(range(4), repeat=2):
        (_, numbers) = match_clusters([[first], [second]], {(0, 1): [(0, 0)]}, 4)
        assert numbers[second] == first
        assert all(numbers[other] == other for other in range(4) if other not in (first, second))


def test_without_relations_every_view_keeps_its_numbers():
    for mappings in (None, {}, {(0, 1): []}):
        numbers = match_clusters([[0, 1], [2, 0, 0]], mappings, 3)
        assert [new.tolist() for new in numbers] == [[0, 1, 2]] * 2
    assert [new.tolist() for new in match_clusters([[1], []], None, 2)] == [[0, 1]] * 2
    assert match_clusters([], None, 2) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 3]], None, 3), r"labels\[0\] holds cluster 3, but n_clusters=3 allows 0 … 2"),
        (([[0], [-1]], None, 3), r"labels\[1\] must be 1 integers of 0 or more"),
        (([[0.5]], None, 3), r"labels\[0\] must be 1 integers"),
        (([[[0]]], None, 3), r"labels\[0\] must be 1 integers"),
        ((5, None, 3), "labels must be a list"),
        (({"texts": [0]}, None, 3), "labels must be a list .*, not dict"),
        (([[0], [0]], {(0, 1): [(0, 1)]}, 3), "names row 1 of view 1"),
        (([[0]], None, 0), "n_clusters must be .*, got 0"),
        (([[0]], None, 10**6), "n_clusters=1000000 is too many"),
    ],
)
def test_labels_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        match_clusters(*arguments)
