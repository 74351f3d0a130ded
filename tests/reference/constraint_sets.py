"""Constraints as rows, as a dict, and the max-union of two dicts (Eq. 13, §5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Key = tuple[int, int, bool]
"""(i, j, is_must_link) with i < j."""
ConstraintDict = dict[Key, float]
"""One weight per pair and type."""


def rows(pairs, must_link, weights) -> list[tuple[int, int, bool, float]]:
    """List the constraints as plain tuples (i, j, is_must_link, weight), in the order given,
    repeated rows included.
    """
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
    """Turn a dict into (pairs, must_link, weights), sorted by pair, cannot-link before must-
    link.
    """
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
