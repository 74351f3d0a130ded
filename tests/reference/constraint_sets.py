"""Constraints as rows, as a dict, their max-union (Eq. 13) and transfer across views (Eq. 12)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Key = tuple[int, int, bool]
"""(i, j, is_must_link) with i < j."""
ConstraintDict = dict[Key, float]
"""One weight per pair and type."""


def rows(pairs, must_link, weights) -> list[tuple[int, int, bool, float]]:
    """List constraints as tuples (i, j, is_must_link, weight), as given, repeated ones included."""
    columns: Iterable[Any] = zip(
        np.asarray(pairs), np.asarray(must_link), np.asarray(weights), strict=True
    )
    return [
        (int(pair[0]), int(pair[1]), bool(is_must_link), float(w))
        for pair, is_must_link, w in columns
    ]


def keep_heaviest(constraints, i, j, is_must_link, w) -> None:
    """Put one constraint into the dict unless a heavier one of its pair and type is there."""
    name = min(i, j), max(i, j), is_must_link
    if name not in constraints or w > constraints[name]:
        constraints[name] = w


def to_dict(pairs: ArrayLike, must_link: ArrayLike, weights: ArrayLike) -> ConstraintDict:
    """Keep the heaviest of the rows of each pair and type."""
    constraints: ConstraintDict = {}
    for i, j, is_must_link, w in rows(pairs, must_link, weights):
        keep_heaviest(constraints, i, j, is_must_link, w)
    return constraints


def to_arrays(constraints) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]]:
    """Turn a dict into (pairs, must_link, weights) by pair, cannot-links before must-links."""
    keys = sorted(constraints)
    pairs = np.array([(i, j) for i, j, _ in keys], dtype=np.int64).reshape(-1, 2)
    must_link = np.array([is_must_link for _, _, is_must_link in keys], dtype=bool)
    weights = np.array([constraints[name] for name in keys], dtype=float)
    return pairs, must_link, weights


def max_union(sets: Sequence[ConstraintDict]) -> ConstraintDict:
    """Union that keeps the heaviest constraint of each pair and type (Eq. 13, §5.2)."""
    union: ConstraintDict = {}
    for constraints in sets:
        for (i, j, is_must_link), w in constraints.items():
            keep_heaviest(union, i, j, is_must_link, w)
    return union


def transfer(constraints, relations, strengths=None) -> ConstraintDict:
    """f_{U→V} of Eq. 12, §5.2: constraints of rows of U, to all pairs of related rows of V.

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
