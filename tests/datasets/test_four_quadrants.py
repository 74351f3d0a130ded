"""Four Quadrants has the paper's Gaussians and clusters, and relations of least total distance
within quadrants.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mvcc import load_dataset
from mvcc.exceptions import InvalidInputError


@pytest.mark.parametrize(
    ("options", "n"),
    [({}, 200), ({"instances_per_view": 100}, 100), ({"instances_per_view": 4}, 4)],
)
def test_sizes_and_clusters(options, n):
    data = load_dataset("four_quadrants", random_state=0, **options)
    assert data.names == ("A", "B")
    for view, labels in zip(data.views, data.labels, strict=True):
        assert view.shape == (n, 2)
        assert view.dtype == np.float64
        assert labels.dtype == np.int64
        assert np.bincount(labels).tolist() == [n // 2, n // 2]
    assert data.relations[0, 1].shape == (n, 2)
    assert data.relations[0, 1].dtype == np.int64


def test_each_quadrant_is_a_gaussian_with_identity_covariance():
    data = load_dataset("four_quadrants", random_state=1, instances_per_view=4 * 500)
    for view, labels in zip(data.views, data.labels, strict=True):
        for rows, center, cluster in zip(
            np.split(np.arange(2000), 4),
            [(3, 3), (-3, 3), (-3, -3), (3, -3)],
            [0, 1, 1, 0],
            strict=True,
        ):
            np.testing.assert_allclose(view[rows].mean(axis=0), center, atol=0.25)
            np.testing.assert_allclose(np.cov(view[rows].T), np.eye(2), atol=0.35)
            assert (labels[rows] == cluster).all()


def test_relations_are_one_to_one_within_quadrants():
    relations = load_dataset("four_quadrants", random_state=2).relations[0, 1]
    assert (relations[:, 0] == np.arange(200)).all()
    assert (np.sort(relations[:, 1]) == np.arange(200)).all()
    assert (relations // 50 == np.arange(200)[:, None] // 50).all()


def test_relations_have_the_least_total_distance():
    data = load_dataset("four_quadrants", random_state=3, instances_per_view=20)
    relations = data.relations[0, 1]
    distances = np.linalg.norm(data.views[0][:, None] - data.views[1][None], axis=2)
    for quadrant in range(4):
        rows = np.arange(5) + 5 * quadrant
        chosen = relations[np.isin(relations[:, 0], rows)]
        best = min(distances[rows, list(order)].sum() for order in itertools.permutations(rows))
        assert distances[chosen[:, 0], chosen[:, 1]].sum() == pytest.approx(best, rel=1e-12)


def test_a_third_view_leaves_the_other_two_as_they_are():
    two, three = (load_dataset("four_quadrants", random_state=5, n_views=count) for count in (2, 3))
    assert three.names == ("A", "B", "C")
    assert [view.shape for view in three.views] == [(200, 2)] * 3
    assert all((a == b).all() for a, b in zip(two.views, three.views, strict=False))
    assert (two.relations[0, 1] == three.relations[0, 1]).all()
    assert (three.views[2] != three.views[0]).all()
    assert all((labels == two.labels[0]).all() for labels in three.labels)


def test_in_three_views_partners_of_one_instance_are_partners():
    data = load_dataset("four_quadrants", random_state=6, n_views=3)
    assert list(data.relations) == [(0, 1), (0, 2), (1, 2)]
    to_second, to_third = dict(data.relations[0, 1].tolist()), dict(data.relations[0, 2].tolist())
    assert {to_second[row]: to_third[row] for row in range(200)} == dict(
        data.relations[1, 2].tolist()
    )
    for relations in data.relations.values():
        assert (relations[:, 0] == np.arange(200)).all()
        assert (relations // 50 == np.arange(200)[:, None] // 50).all()


def test_the_third_view_is_matched_to_the_first_by_the_least_total_distance():
    data = load_dataset("four_quadrants", random_state=7, instances_per_view=20, n_views=3)
    distances = np.linalg.norm(data.views[0][:, None] - data.views[2][None], axis=2)
    for rows in np.split(np.arange(20), 4):
        chosen = data.relations[0, 2][rows]
        best = min(distances[rows, list(order)].sum() for order in itertools.permutations(rows))
        assert distances[chosen[:, 0], chosen[:, 1]].sum() == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("count", [1, 4, True, "3", None, 2.5])
def test_there_are_two_or_three_views(count):
    with pytest.raises(InvalidInputError, match=r"n_views must be one of 2, 3, got "):
        load_dataset("four_quadrants", n_views=count)


def test_the_views_are_drawn_apart():
    data = load_dataset("four_quadrants", random_state=4)
    assert (data.views[0] != data.views[1]).all()
    assert data.labels[0] is not data.labels[1]


@pytest.mark.parametrize("n", [0, -4, 6, 201, 100.0, "100", None, True, np.nan])
def test_the_number_of_instances_must_be_a_positive_multiple_of_four(n):
    with pytest.raises(
        InvalidInputError, match="instances_per_view must be a positive multiple of 4, not"
    ):
        load_dataset("four_quadrants", instances_per_view=n)


def test_numpy_integers_are_numbers():
    assert len(load_dataset("four_quadrants", instances_per_view=np.int32(8)).views[0]) == 8
