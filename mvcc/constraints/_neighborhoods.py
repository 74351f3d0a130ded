"""Closed constraints of equal weight: kept as neighborhoods of rows, which pairs are made from only when asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mvcc.constraints._kernels.neighborhoods import count_links, numbered, pair_keys

Ints = NDArray[np.int64]

# (neighborhood of every row, start, rival, weight) as the kernels of the clusterers take them
Groups = tuple[Ints, Ints, Ints, float]


@dataclass(frozen=True)
class Neighborhoods:
    """Every two rows of one neighborhood are must-linked, and every two of neighborhoods apart are cannot-linked.

    Attributes
    ----------
    rows : (m,) array
        The rows of all neighborhoods, ascending.
    group : (m,) array
        Number of the neighborhood of each, counted by first row. It may have a single row.
    apart : (p, 2) array
        Numbers of neighborhoods that are apart, smaller one first, sorted and distinct.
    weight : float
        Of every constraint, above 0.
    """

    rows: Ints
    group: Ints
    apart: Ints
    weight: float

    @classmethod
    def of(cls, rows: Ints, names: Ints, n_names: int, first: Ints, second: Ints, weight: float) -> Neighborhoods:
        """Make neighborhoods from ascending rows, a number as name for each, and the names that are apart.

        A name that no row has is passed over.
        """
        number = numbered(names, n_names)
        apart = distinct_pairs(number[first], number[second], n_names)
        return cls(rows, number[names], apart, weight)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Neighborhoods):
            return NotImplemented
        mine, theirs = (((one.rows, one.group, one.apart), one.weight) for one in (self, other))
        return mine[1] == theirs[1] and all(map(np.array_equal, mine[0], theirs[0]))

    __hash__ = None  # type: ignore[assignment]

    def count(self) -> tuple[int, int]:
        """Return how many must-links and how many cannot-links follow."""
        must_links, cannot_links = count_links(self.group, self.apart)
        return must_links, cannot_links

    def keys(self) -> Ints:
        """Return all constraints as sorted keys: the smaller row, the larger one, and a bit for cannot-links."""
        keys: Ints = pair_keys(self.rows, self.group, self.apart, sum(self.count()))
        keys.sort()
        return keys

    def links(self) -> tuple[Ints, Ints]:
        """Return as few must-links and cannot-links, (m, 2) rows each, as all follow from."""
        order = np.argsort(self.group, kind="stable")
        start = np.flatnonzero(np.diff(self.group[order], prepend=-1))
        follows = np.delete(np.arange(len(order)), start)
        together = np.column_stack((self.rows[order[follows - 1]], self.rows[order[follows]]))
        return together, self.rows[order[start]][self.apart]

    def kinds_of(self, pairs: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell of each pair of rows whether a must-link, and whether a cannot-link, of these joins it."""
        n_groups = len(np.bincount(self.group))
        place = np.minimum(np.searchsorted(self.rows, pairs), len(self.rows) - 1)
        known = (self.rows[place] == pairs).all(axis=1)
        ends = np.sort(self.group[place], axis=1)
        apart = np.isin(ends[:, 0] * n_groups + ends[:, 1], self.apart[:, 0] * n_groups + self.apart[:, 1])
        return known & (ends[:, 0] == ends[:, 1]), known & apart

    def groups(self, n: int) -> Groups:
        """Return them for n rows of data, with the rivals of every neighborhood side by side."""
        member = np.full(n, -1)
        member[self.rows] = self.group
        ends = np.concatenate((self.apart, self.apart[:, ::-1]))
        order = np.argsort(ends[:, 0], kind="stable")
        start = np.searchsorted(ends[order, 0], np.arange(len(np.bincount(self.group)) + 1))
        return member, start, np.ascontiguousarray(ends[order, 1]), self.weight


def distinct_pairs(first: Ints, second: Ints, base: int) -> Ints:
    """Return the distinct pairs of numbers below the base, smaller one first, sorted; none with a negative number."""
    known = (first >= 0) & (second >= 0)
    keys = np.unique((np.minimum(first, second) * base + np.maximum(first, second))[known])
    return np.column_stack((keys // base, keys % base))
