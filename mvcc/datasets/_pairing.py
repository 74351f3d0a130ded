"""Super-instances, §6.1: one instance of every view, and the relations between the views that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations

import numpy as np
from numpy.typing import NDArray


def pair_at_random(
    labels: Sequence[NDArray[np.int64]], rng: np.random.Generator
) -> dict[tuple[int, int], NDArray[np.int64]]:
    """Join the instances of equal class, one of each view, to super-instances at random (§6.1).

    The smallest class of those that are joined is used up. Which instances of the larger ones stay isolated is drawn as
    well; they are isolated from every other view, even where two views have some left.
    """
    joined = []
    for label in reduce(np.intersect1d, labels):
        rows = [np.flatnonzero(y == label) for y in labels]
        smallest = min(map(len, rows))
        joined.append(np.column_stack([rng.choice(r, size=smallest, replace=False) for r in rows]))
    return relate(np.concatenate(joined))


def relate(super_instances: NDArray[np.int64]) -> dict[tuple[int, int], NDArray[np.int64]]:
    """List the related rows of views u < v, sorted by the row in u; super-instances are rows, views are columns."""
    return {
        (u, v): super_instances[np.argsort(super_instances[:, u])][:, [u, v]]
        for u, v in combinations(range(super_instances.shape[1]), 2)
    }
