"""Four Quadrants has the paper's Gaussians and clusters, and the nearest partners."""

import itertools

import numpy as np
import pytest

from mvcc import load_dataset
from mvcc.exceptions import InvalidInputError


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


@pytest.mark.parametrize(("view", "n_views"), [(1, 2), (1, 3), (2, 3)])
def test_relations_with_the_first_view_have_the_least_total_distance(view, n_views):
    data = load_dataset("four_quadrants", random_state=3, instances_per_view=20, n_views=n_views)
    distances = np.linalg.norm(data.views[0][:, None] - data.views[view][None], axis=2)
    for rows in np.split(np.arange(20), 4):
        first, second = data.relations[0, view][rows].T
        assert first.tolist() == rows.tolist()
        best = min(distances[rows, list(order)].sum() for order in itertools.permutations(rows))
        assert distances[first, second].sum() == pytest.approx(best, rel=1e-12)


def test_a_third_view_leaves_the_other_two_as_they_are():
    two, three = (load_dataset("four_quadrants", random_state=5, n_views=count) for count in (2, 3))
    assert three.names == ("A", "B", "C")
    assert [view.shape for view in three.views] == [(200, 2)] * 3
    assert all((a == b).all() for a, b in zip(two.views, three.views, strict=False))
    assert (two.relations[0, 1] == three.relations[0, 1]).all()
    assert (three.views[2] != three.views[0]).all()
    assert all((labels == two.labels[0]).all() for labels in three.labels)


SIZES = [0, -4, 6, 201, 100.0, "100", None, True, np.nan, 10**9]


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        *(("n_views", count, "one of 2, 3, got ") for count in [1, 4, True, "3", None, 2.5]),
        *(("instances_per_view", n, "a.* of (at least|4)") for n in SIZES),
    ],
)
def test_impossible_numbers_are_refused_with_what_is_allowed(option, value, allowed):
    with pytest.raises(InvalidInputError, match=rf"^{option} must be {allowed}"):
        load_dataset("four_quadrants", **{option: value})
