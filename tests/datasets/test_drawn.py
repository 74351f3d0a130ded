"""Half-Moons and Rings have their curves and do not touch; tables are split into two views."""

from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from mvcc import load_dataset
from mvcc.exceptions import InvalidInputError

SHAPES = ["half_moons", "rings"]
TABLES = {"digits_halves": load_digits, "wine": load_wine, "breast_cancer": load_breast_cancer}


@pytest.mark.parametrize(
    ("name", "n"),
    [*product(SHAPES, (2, 60, 200)), *product(["four_quadrants"], (100, 200, np.int32(4)))],
)
def test_sizes_classes_and_relations(name, n):
    data = load_dataset(name, random_state=0, instances_per_view=n)
    assert data.names == ("A", "B")
    assert data.labels[0] is not data.labels[1]
    assert (data.views[0] != data.views[1]).all()
    for view, labels in zip(data.views, data.labels, strict=True):
        assert view.shape == (n, 2)
        assert view.dtype == np.float64
        assert labels.dtype == np.int64
        assert np.bincount(labels).tolist() == [n // 2, n // 2]
    pairs = data.relations[0, 1]
    assert pairs.dtype == np.int64
    assert (pairs[:, 0] == np.arange(n)).all()
    assert (np.sort(pairs[:, 1]) == np.arange(n)).all()
    assert (data.labels[0][pairs[:, 0]] == data.labels[1][pairs[:, 1]]).all()


@pytest.mark.parametrize("name", ["rings", "digits_halves"])
def test_partners_are_drawn_not_given_by_the_place_on_the_curve_or_the_order_of_the_rows(name):
    pairs = load_dataset(name, random_state=0).relations[0, 1]
    assert (pairs[:, 0] == pairs[:, 1]).mean() < 0.1


@pytest.mark.parametrize("name", SHAPES)
def test_the_views_are_drawn_alike(name):
    first, second = load_dataset(name, random_state=1).views
    difference = first - second
    # five standard deviations
    np.testing.assert_allclose(difference.std(axis=0), 0.05 * np.sqrt(2), rtol=0.25)
    np.testing.assert_allclose(difference.mean(axis=0), 0, atol=0.025)


def test_without_noise_rings_are_circles_half_a_radius_apart():
    data = load_dataset("rings", random_state=2, noise=0)
    for view, labels in zip(data.views, data.labels, strict=True):
        np.testing.assert_allclose(np.linalg.norm(view, axis=1), np.where(labels == 0, 1.0, 0.5))


@pytest.mark.parametrize("name", SHAPES)
def test_the_classes_do_not_touch_with_the_default_noise(name):
    for seed in range(20):
        data = load_dataset(name, random_state=seed)
        for view, labels in zip(data.views, data.labels, strict=True):
            assert cdist(view[labels == 0], view[labels == 1]).min() > 0.15


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("instances_per_view", n) for n in (0, 7, True, 4.0)),
        *(("noise", value) for value in (-0.1, np.nan, "0.1")),
    ],
)
def test_impossible_options_say_what_is_allowed(name, option, value):
    with pytest.raises(InvalidInputError, match=f"^{option} must be .*, got {value!r}"):
        load_dataset(name, **{option: value})


def together(name, views):
    """Put the columns of both views beside each other as the table has them."""
    if name == "digits_halves":
        return np.concatenate([half.reshape(-1, 8, 4) for half in views], axis=2).reshape(-1, 64)
    return np.hstack(views)


@pytest.mark.parametrize("name", TABLES)
def test_related_rows_are_one_row_of_the_table_and_of_its_class(name):
    table, data = TABLES[name](), load_dataset(name, random_state=0)
    related = data.relations[0, 1]
    rows = together(name, [X[of_view] for X, of_view in zip(data.views, related.T, strict=True)])
    known = {
        (*row, label) for row, label in zip(table.data.tolist(), table.target.tolist(), strict=True)
    }
    for y, of_view in zip(data.labels, related.T, strict=True):
        assert {
            (*row, label) for row, label in zip(rows.tolist(), y[of_view].tolist(), strict=True)
        } <= known
