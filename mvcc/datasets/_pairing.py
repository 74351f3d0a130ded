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

    The smallest class of those that are joined is used up. Which instances of the larger ones stay isolated is drawn
    as well; they are isolated from every other view, even where two views have some left.

    Parameters
    ----------
    labels : sequence of ndarray of shape (n_v,)
        The classes of the instances of each view; classes that are joined have the same number.
    rng : Generator
        Draws the super-instances.

    Returns
    -------
    dict of {(int, int): ndarray of shape (r, 2), int64}
        Related rows of views u < v, sorted by the row in view u; r is the sum of the smallest class sizes.
    """
    joined = []
    for label in reduce(np.intersect1d, labels):
        rows = [np.flatnonzero(y == label) for y in labels]
        smallest = min(map(len, rows))
        joined.append(np.column_stack([rng.choice(r, size=smallest, replace=False) for r in rows]))
    return relate(np.concatenate(joined))


def relate(super_instances: NDArray[np.int64]) -> dict[tuple[int, int], NDArray[np.int64]]:
    """List the relations between every two views, given super-instances as rows: one column per view.

    Parameters
    ----------
    super_instances : ndarray of shape (r, n_views), int64
        The row of each super-instance in each view; no row of a view occurs twice.

    Returns
    -------
    dict of {(int, int): ndarray of shape (r, 2), int64}
        Related rows of views u < v, sorted by the row in view u.
    """
    return {
        (u, v): super_instances[np.argsort(super_instances[:, u])][:, [u, v]]
        for u, v in combinations(range(super_instances.shape[1]), 2)
    }
