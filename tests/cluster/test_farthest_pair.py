"""The farthest pair is found among more points than are measured at once, wherever they lie."""

from __future__ import annotations

import numpy as np
import pytest

from mvcc.cluster._kernels.geometry import LANES, OUTERMOST, _quickselect, farthest_pair, in_lanes


def found_pair(X, metric, center=None):
    lanes, center = in_lanes(X, np.arange(len(X))), X.mean(axis=0) if center is None else center
    return farthest_pair(X, lanes, center[np.newaxis], metric[np.newaxis], 0)


def test_rows_in_lanes_are_filled_up_with_zeros():
    X = np.arange(2.0 * (LANES + 3)).reshape(-1, 2)
    rows = np.arange(LANES + 2)[::-1]
    lanes = in_lanes(X, rows)
    assert lanes.shape == (2, 2, LANES)
    together = lanes.transpose(0, 2, 1).reshape(-1, 2)
    assert np.array_equal(together[: len(rows)], X[rows])
    assert not together[len(rows) :].any()
    assert in_lanes(X, np.arange(0)).shape == (0, 2, LANES)


def ring(n, radius, first_axis):
    """Return n points spaced evenly on a circle around the origin of a space of four dimensions."""
    angles = 2 * np.pi * np.arange(n) / n
    X = np.zeros((n, 4))
    X[:, first_axis], X[:, first_axis + 1] = radius * np.cos(angles), radius * np.sin(angles)
    return X


@pytest.mark.parametrize("shift", [0, 1000])
def test_no_pair_can_be_left_out_of_an_odd_ring(shift):
    X = ring(101, 1.0, 0) + shift
    i, j = found_pair(X, np.ones(4))
    assert np.linalg.norm(X[i] - X[j]) == pytest.approx(2 * np.cos(np.pi / 202), rel=1e-12)


def test_points_that_only_the_outermost_could_be_far_from_are_passed_over():
    """The farthest pair is in the ring of ten.

    The hundred reach it with a point of the triangle at best.
    """
    X = np.vstack((ring(3, 1.04, 2), ring(10, 1.0, 0), ring(101, 0.97, 0)))
    i, j = found_pair(X, np.ones(4))
    assert 3 <= i < j < 13
    assert np.linalg.norm(X[i] - X[j]) == pytest.approx(2)


def test_of_equally_distant_points_the_first_ones_are_looked_at():
    """The searches from point to point hardly meet the only two points that lie on opposite
    sides.
    """
    X = np.random.default_rng(0).choice([-1.0, 1.0], (OUTERMOST + 100, 64))
    X[6] = -X[5]
    assert found_pair(X, np.ones(64), np.zeros(64)) == (5, 6)


def first_of_equal_pairs(X):
    """Return the pair to be found about the origin, and whether the two searches from point to
    point end with it.
    """
    distances, radius = ((X[:, np.newaxis] - X) ** 2).sum(axis=2), (X**2).sum(axis=1)
    end = np.argmax(distances[np.argmax(radius)])
    other = np.argmax(distances[end])
    if distances[end, other] == distances.max():
        return (min(end, other), max(end, other)), True
    order = np.argsort(-radius, kind="stable")
    inner, outer = np.argwhere(np.tril(distances[np.ix_(order, order)] == distances.max()))[0]
    return tuple(sorted((order[inner], order[outer]))), False


@pytest.mark.compiled  # numba sorts few equal numbers as they are, NumPy does not
def test_of_equally_long_pairs_the_inner_point_of_the_first_is_the_outermost():
    n_others = 0
    for seed in range(3000):
        rng = np.random.default_rng(seed)
        X = rng.integers(-3, 4, (int(rng.integers(2, 16)), int(rng.integers(2, 5)))) * 1.0
        expected, by_searches = first_of_equal_pairs(X)
        assert found_pair(X, np.ones(X.shape[1]), np.zeros(X.shape[1])) == expected, seed
        n_others += not by_searches
    assert n_others > 100


def test_of_very_many_points_the_outermost_are_looked_at():
    """As far as distances from the center say, a large ring could be in the farthest pair, but it
    is not.
    """
    filler, n_others = ring(2 * OUTERMOST, 0.98, 0), 0
    for seed in range(1000):
        few = np.zeros((15, 4))
        few[:, 2:] = np.random.default_rng(seed).integers(-3, 4, (15, 2))
        (i, j), by_searches = first_of_equal_pairs(few)
        longest, radii = np.linalg.norm(few[i] - few[j]), np.linalg.norm(few, axis=1)
        radius = min(
            longest / 2, np.sqrt(max(longest**2 - radii.max() ** 2, 0)), radii[i], radii[j]
        )
        if by_searches or 0.98 * radius + radii.max() < longest:
            continue
        n_others += 1
        X = np.vstack((radius * filler, few))
        i, j = found_pair(X, np.ones(4), np.zeros(4))
        assert np.linalg.norm(X[i] - X[j]) == longest, seed
    assert n_others > 10


def test_what_is_in_order_at_a_place_is_that_of_a_sort():
    for seed in range(2000):
        rng = np.random.default_rng(seed)
        # many of them equal
        values = rng.integers(0, int(rng.integers(1, 40)), int(rng.integers(1, 60))) * 1.0
        place = int(rng.integers(len(values)))
        ordered = np.sort(values)
        assert _quickselect(values, place) == ordered[place], seed
        np.testing.assert_array_equal(np.sort(values), ordered)  # none is lost
