"""The farthest pair is found under any metric, among any number of points, wherever they lie."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from mvcc.cluster._kernels.geometry import LANES, OUTERMOST, _quickselect, farthest_pair, in_lanes
from tests.cluster.test_kernels import random_metric
from tests.reference.mpck import squared_distance
from tests.strategies import seeds


def found_pair(X, metric, center=None):
    lanes, center = in_lanes(X, np.arange(len(X))), X.mean(axis=0) if center is None else center
    return farthest_pair(X, lanes, center[np.newaxis], metric[np.newaxis], 0)


SHAPES = {
    "ball": lambda rng, ball: ball,
    "sphere": lambda rng, ball: ball / np.linalg.norm(ball, axis=1, keepdims=True),
    "line": lambda rng, ball: np.outer(rng.normal(size=len(ball)), ball[0]),
    "copies": lambda rng, ball: ball[rng.integers(len(ball), size=len(ball))],
    "heavy-tails": lambda rng, ball: rng.standard_cauchy(ball.shape),
    "lopsided": lambda rng, ball: np.vstack([ball * 0.01, 5 + rng.normal(size=(3, ball.shape[1]))]),
    # differences are exact
    "far-from-the-origin": lambda rng, ball: np.rint(ball * 64) / 64 + 2.0**20,
    "one-far-point": lambda rng, ball: np.vstack([ball, np.full(ball.shape[1], 1e5)]),
    "grid": lambda rng, ball: rng.integers(0, 4, ball.shape) * 1.0,
    "cube": lambda rng, ball: rng.uniform(size=ball.shape),
    "all-the-same": lambda rng, ball: np.tile(ball[0], (len(ball), 1)),
}


@pytest.mark.parametrize("full", [False, True], ids=["diagonal", "full"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_farthest_pair_equals_the_search_over_all_pairs(shape, full):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, d = int(rng.choice([1, 2, 3, LANES - 1, LANES, LANES + 1, 40])), int(rng.integers(1, 5))
        X, metric = shape(rng, rng.normal(size=(n, d))), random_metric(rng, d, full)
        i, j = found_pair(X, metric)
        assert 0 <= i <= j < len(X)
        root = np.linalg.cholesky(metric) if full else np.diag(np.sqrt(metric))
        longest = squareform(pdist((X - X[0]) @ root, "sqeuclidean")).max()
        assert squared_distance(X[i], X[j], metric) == pytest.approx(longest, rel=1e-9), seed


@given(
    seeds, st.integers(2, 30), st.integers(1, 3), st.integers(2, 8), st.sampled_from([None, 0, 50])
)
def test_farthest_pair_is_as_long_as_the_longest_on_a_grid_from_anywhere(seed, n, d, side, center):
    """The bound is the triangle inequality, which holds about any point."""
    rng = np.random.default_rng(seed)
    X, metric = rng.integers(0, side, (n, d)) * 1.0, rng.integers(1, 4, d) * 1.0
    i, j = found_pair(X, metric, None if center is None else np.full(d, 1.0 * center))
    exact = (metric * (X[:, np.newaxis] - X) ** 2).sum(axis=2).max()
    assert squared_distance(X[i], X[j], metric) == exact


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
    """The farthest pair is in the ring of ten; the hundred reach it with the triangle at best."""
    X = np.vstack((ring(3, 1.04, 2), ring(10, 1.0, 0), ring(101, 0.97, 0)))
    i, j = found_pair(X, np.ones(4))
    assert 3 <= i < j < 13
    assert np.linalg.norm(X[i] - X[j]) == pytest.approx(2)


def test_of_equally_distant_points_the_first_ones_are_looked_at():
    """Searches from point to point hardly meet the only two on opposite sides."""
    X = np.random.default_rng(0).choice([-1.0, 1.0], (OUTERMOST + 100, 64))
    X[6] = -X[5]
    assert found_pair(X, np.ones(64), np.zeros(64)) == (5, 6)


def first_of_equal_pairs(X):
    """Return the pair to be found about the origin, and whether both searches end with it."""
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
    """By distances from the center, a large ring could be in the farthest pair; it is not."""
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
