"""f_{U→V} of Eq. 12: constraints on rows of one view become those on their counterparts (§5.2)."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import numpy as np

from mvcc._utils.types import Bools, Floats, Ints
from mvcc.constraints._constraints import Constraints
from mvcc.constraints._kernels.merging import mapped_constraints


class ConstraintMap:
    """f_{U→V}, prepared once for many lists of constraints.

    Relations (r, 2) are distinct rows of U and V. A constraint goes to every pair of counterparts,
    and the heaviest of each pair and type stays. ``strengths`` (r,) cap its weight: a relation has
    that of the weakest must-link which it follows from.
    """

    def __init__(self, relations: Ints, strengths: Floats | None = None) -> None:
        if strengths is None:
            strengths = np.full(len(relations), np.inf)
        caps = np.unique(np.append(strengths, np.inf))[::-1]
        self._caps = [*caps.tolist(), -1.0]
        self._by = [_StrongMap(relations[strengths >= cap]) for cap in caps]

    def __call__(self, constraints: Constraints) -> Constraints:
        """Return the constraints, given in rows of U, in rows of V."""
        listed = constraints.listed()
        if len(self._by) == 1:
            return self._by[0](*listed)
        parts = []
        # by ever more relations; what does not exceed the next cap loses nothing by waiting for
        # it
        for by, (cap, below) in zip(self._by, pairwise(self._caps), strict=True):
            pairs, must_link, weights = (array[constraints.weights > below] for array in listed)
            parts.append(by(pairs, must_link, np.minimum(weights, cap)))
        return reduce(Constraints.max_union, parts)


class _StrongMap:
    """f_{U→V} by relations that take no weight away."""

    def __init__(self, relations: Ints) -> None:
        order = np.lexsort((relations[:, 1], relations[:, 0]))
        rows, self._start, self._size = np.unique(
            relations[order, 0], return_index=True, return_counts=True
        )
        self._images = relations[order, 1]
        # rows with the same counterparts are one place: after a full closure whole neighborhoods
        # are
        first: dict[bytes, int] = {}
        everything = self._images.tobytes()
        bounds = self._images.itemsize * np.append(self._start, len(self._images))
        counterparts = [everything[begin:end] for begin, end in pairwise(bounds.tolist())]
        self._place = np.full(int(rows.max(initial=-1)) + 1, -1)
        self._place[rows] = [
            first.setdefault(images, number) for number, images in enumerate(counterparts)
        ]

    def __call__(self, pairs: Ints, must_link: Bools, weights: Floats) -> Constraints:
        return Constraints.from_sorted(
            *mapped_constraints(
                pairs, must_link, weights, self._place, self._start, self._size, self._images
            )
        )
