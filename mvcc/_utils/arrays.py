"""The kinds of arrays that all rooms share, rows made block by block, and far values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

BLOCK_ROWS = 2**14
BLOCK_ENTRIES = 2**22  # numbers that are in memory at a time, 32 MB
TINY = 1e-12  # instead of a divisor that may be 0, or less by rounding


def blocks_of(n: int, size: int = BLOCK_ROWS) -> list[slice]:
    """Return n rows as slices of at most ``size``."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def blocks_by_width(n: int, width: int) -> list[slice]:
    """Return n rows, each of so many numbers, as slices of ``BLOCK_ENTRIES``."""
    return blocks_of(n, max(1, BLOCK_ENTRIES // max(width, 1)))


def quotient(parts: Any, wholes: Floats) -> Floats:
    """Return parts of wholes, 0 where a whole is 0."""
    shape = np.broadcast_shapes(np.shape(parts), wholes.shape)
    return np.divide(parts, wholes, out=np.zeros(shape), where=wholes > 0)


def places_among(some: Ints | list[int], n: int) -> Ints:
    """Return the place of each of n numbers among some, −1 for the others."""
    places = np.full(n, -1)
    places[some] = np.arange(len(some))
    return places


class LazyRows:
    """Rows that are made block by block when they are looked at: ``rows[some]``."""

    def __init__(self, n: int, made: Callable[[Any], NDArray[Any]]) -> None:
        self._n, self._made = n, made

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, some: slice | Ints) -> NDArray[Any]:
        indices = np.arange(*some.indices(self._n)) if isinstance(some, slice) else some
        first_block = self._made(indices[:BLOCK_ROWS])
        if len(indices) <= BLOCK_ROWS:
            return first_block
        # joined blocks would take the memory twice
        rows = np.empty((len(indices), *first_block.shape[1:]), first_block.dtype)
        rows[:BLOCK_ROWS] = first_block
        for block in blocks_of(len(indices))[1:]:
            rows[block] = self._made(indices[block])
        return rows


def far_values(X: Floats) -> dict[int, float]:
    """Return a value of each column that lies farther from all others than their whole range."""
    # Such as -99 beside 1 to 5, which may stand for none. Three rows have it, and less than half;
    # the others are three different values at least. NaN does not count.
    value_of_column = {}
    n_there = np.count_nonzero(~np.isnan(X), axis=0)
    for sign in (-1, 1):
        ends = np.fmax.reduce(sign * X, axis=0)
        n_far = np.count_nonzero(sign * X == ends, axis=0)
        for column in np.flatnonzero((n_far > 2) & (n_far < n_there / 2)).tolist():
            others = sign * X[:, column]
            others = others[others < ends[column]]
            least, most = others.min(), others.max()
            with np.errstate(over="ignore"):
                is_far = ends[column] - most > most - least
            if is_far and ((least < others) & (others < most)).any():
                value_of_column[column] = sign * float(ends[column])
    return value_of_column
