"""Half-Moons, §6.3: two nested half-moons, which are not globular."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_moons

from mvcc.datasets._dataset import Dataset
from mvcc.datasets._shapes import draw_shape


def load(rng: np.random.Generator, *, instances_per_view: int = 200, noise: float = 0.05) -> Dataset:
    """Draw Half-Moons: two half circles of radius 1, the open end of each around an end of the other.

    Without noise the half-moons keep 0.5 from each other. That is ten times the default noise, so that they do not
    touch: what goes wrong is then due to their shape, not to an overlap. The options are those of `draw_shape`.
    """
    return draw_shape(make_moons, rng, instances_per_view, noise)
