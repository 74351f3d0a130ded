"""Transfer of constraints across views (§5.2, Eq. 12)."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .constraint_sets import ConstraintDict, keep_heaviest


def transfer(constraints, relations, strengths=None) -> ConstraintDict:
    """f_{U→V} of Eq. 12, §5.2.

    Every constraint between rows of U to all pairs of rows of V related to its ends.

    ``relations`` are pairs (row of U, row of V), many-to-many. Pairs of a row with itself are
    dropped; the heaviest of each pair and type is kept. A constraint weighs at most as much as the
    ``strengths`` of the two relations it takes.
    """
    if strengths is None:
        strengths = defaultdict(lambda: np.inf)
    related = [(int(row_of_u), int(row_of_v)) for row_of_u, row_of_v in relations]
    mapped: ConstraintDict = {}
    for (i, j, is_must_link), w in constraints.items():
        for a in [row_of_v for row_of_u, row_of_v in related if row_of_u == i]:
            for b in [row_of_v for row_of_u, row_of_v in related if row_of_u == j]:
                if a != b:
                    keep_heaviest(
                        mapped, a, b, is_must_link, min(w, strengths[i, a], strengths[j, b])
                    )
    return mapped
