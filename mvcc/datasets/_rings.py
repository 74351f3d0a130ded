"""Rings, §6.3: two concentric rings, which have the same center."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.datasets import make_circles

from mvcc.datasets._dataset import Dataset
from mvcc.datasets._shapes import draw_shape


def load(rng: np.random.Generator, *, instances_per_view: int = 200, noise: float = 0.05) -> Dataset:
    """Draw Rings: circles of radius 1 and 0.5 around the origin, the outer one first.

    Without noise the rings keep 0.5 from each other, as the half-moons do. That is ten times the default noise, so that
    they do not touch: what goes wrong is then due to their shape, not to an overlap. The options are those of
    `draw_shape`.
    """
    return draw_shape(partial(make_circles, factor=0.5), rng, instances_per_view, noise)
