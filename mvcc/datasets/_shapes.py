"""Half-Moons and Rings, §6.3: two views of a shape that violates the assumptions of K-Means."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_circles, make_moons

from mvcc._utils.validation import check_number
from mvcc.datasets._dataset import Dataset, check_multiple, pair_at_random


def draw_shape(
    shape: Callable[..., Any], rng: np.random.Generator, instances_per_view: int, noise: float
) -> Dataset:
    """Draw both views alike, and relations at random within the classes, as in §6.1.

    The shape is ``make_moons`` or ``make_circles`` of scikit-learn, and ``noise`` the standard
    deviation of both coordinates. Both classes have the same number of instances, and every
    instance has one partner.
    """
    n = check_multiple(instances_per_view, "instances_per_view", 2, 10**6)
    spread = check_number(noise, "noise", low=0, high=1e100)
    # what scikit-learn takes; it draws from the same stream
    legacy = np.random.RandomState(rng.bit_generator)
    drawn = [shape(n_samples=n, shuffle=False, noise=spread, random_state=legacy) for _ in range(2)]
    labels = [y.astype(np.int64) for _, y in drawn]
    return Dataset([X for X, _ in drawn], labels, pair_at_random(labels, rng), ("A", "B"))


def half_moons(
    rng: np.random.Generator, *, instances_per_view: int = 200, noise: float = 0.05
) -> Dataset:
    """Draw Half-Moons: two half circles of radius 1, each open around an end of the other.

    Without noise the half-moons keep 0.5 from each other. That is ten times the default noise, so
    that they do not touch: what goes wrong is then due to their shape, not to an overlap. The
    options are those of `draw_shape`.
    """
    return draw_shape(make_moons, rng, instances_per_view, noise)


def rings(
    rng: np.random.Generator, *, instances_per_view: int = 200, noise: float = 0.05
) -> Dataset:
    """Draw Rings: circles of radius 1 and 0.5 around the origin, the outer one first.

    Without noise the rings keep 0.5 from each other, as the half-moons do. That is ten times the
    default noise, so that they do not touch: what goes wrong is then due to their shape, not to an
    overlap. The options are those of `draw_shape`.
    """
    return draw_shape(partial(make_circles, factor=0.5), rng, instances_per_view, noise)
