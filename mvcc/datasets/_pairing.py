"""Relations between views whose classes are paired."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pair_at_random(first: NDArray[np.int64], second: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Pair the instances of equal class in two views, one to one and at random (§6.1).

    The smaller class of each pair is used up; which instances of the larger one stay isolated is drawn as well.

    Parameters
    ----------
    first, second : ndarray of shape (n_v,)
        The classes of the instances of both views; paired classes have the same number.
    rng : Generator
        Draws the pairs.

    Returns
    -------
    ndarray of shape (r, 2), int64
        Related rows, sorted by the row in the first view; r is the sum of the smaller class sizes.
    """
    pairs = []
    for label in np.intersect1d(first, second):
        rows = [np.flatnonzero(labels == label) for labels in (first, second)]
        smaller = min(map(len, rows))
        pairs.append(np.column_stack([rng.choice(r, size=smaller, replace=False) for r in rows]))
    relations = np.concatenate(pairs)
    return relations[np.argsort(relations[:, 0])]
