"""How constraints are kept: sorted arrays, or neighborhoods that make them on demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc.constraints._arrays import Listed, concatenated, heaviest, in_order, keys_of
from mvcc.constraints._closure import Neighborhoods
from mvcc.constraints._csv import Row

Source = NDArray[np.object_]  # the line and the file where each constraint was read


class PairList:
    """A frozen, sorted list of weighted pairs, or the neighborhoods that make it on demand."""

    __slots__ = ("_listed", "_parts", "_source")

    def _keep(
        self, pairs: Ints, must_link: Bools, weights: Floats, source: Source | None = None
    ) -> None:
        for array in (pairs, must_link, weights):
            array.flags.writeable = False
        self._listed: Listed | None = (pairs, must_link, weights)
        self._parts: tuple[Neighborhoods, Self] | None = None
        self._source = source

    @classmethod
    def from_lines(cls, listed: Listed, source: list[str]) -> Self:
        """Make constraints from trusted arrays (i < j), and where each one was read."""
        return cls.from_sorted(*in_order(*listed, np.array(source, object)))

    @classmethod
    def from_repeated(cls, pairs: Ints, must_link: Bools, weights: Floats) -> Self:
        """Make constraints from trusted arrays (i < j), the heaviest of each pair and type."""
        return cls.from_sorted(*heaviest(pairs, must_link, weights))

    @classmethod
    def from_sorted(
        cls, pairs: Ints, must_link: Bools, weights: Floats, source: Source | None = None
    ) -> Self:
        """Make constraints from trusted arrays that are sorted already."""
        made = cls.__new__(cls)
        made._keep(pairs, must_link, weights, source)
        return made

    @classmethod
    def from_neighborhoods(cls, neighborhoods: Neighborhoods, others: Self) -> Self:
        """Make constraints from neighborhoods and a list of others, on other pairs."""
        made = cls.__new__(cls)
        made._listed, made._parts, made._source = None, (neighborhoods, others), None
        return made

    def listed(self) -> Listed:
        """Return pairs, must_link and weights, and keep them."""
        if self._listed is None:
            assert self._parts is not None
            neighborhoods, others = self._parts
            both = concatenated(neighborhoods.listed(), others.listed())
            self._listed = self.from_repeated(*both).listed()
        return self._listed

    def spanning(self) -> Listed:
        """Return as few constraints as these follow from, neighborhoods as chains."""
        if self._parts is None:
            return self.listed()
        neighborhoods, others = self._parts
        return concatenated(neighborhoods.spanning(), others.listed())

    def largest_row(self) -> int:
        """Return the largest row number, −1 where there is none."""
        return int(self.spanning()[0].max(initial=-1))

    def select(self, rows: NDArray[Any]) -> Self:
        """Return the constraints at the given ascending positions (or under a mask)."""
        pairs, must_link, weights = (array[rows] for array in self.listed())
        source = None if self._source is None else self._source[rows]
        return self.from_sorted(pairs, must_link, weights, source)

    def of_some_weight(self) -> Self:
        """Return the constraints without those of weight 0, which neighborhoods have none of."""
        return self.select(self.weights > 0) if self._parts is None else self

    def on_rows(self, rows: Ints) -> Self:
        """Return the constraints between ascending rows, which are numbered anew."""
        kept = self.select(np.flatnonzero(np.isin(self.pairs, rows).all(axis=1)))
        pairs = np.searchsorted(rows, kept.pairs)
        return self.from_sorted(pairs, kept.must_link, kept.weights, kept._source)

    def joined(self, other: Self) -> Self:
        """Return the constraints of two files as one list, with all repeated ones."""
        arrays = (
            (*c.listed(), np.full(len(c), "") if c._source is None else c._source)
            for c in (self, other)
        )
        return self.from_sorted(*in_order(*concatenated(*arrays)))

    def rows(self) -> Iterator[Row]:
        """Give (i, j, is must-link, weight) of every constraint."""
        return zip(
            *self.pairs.T.tolist(), self.must_link.tolist(), self.weights.tolist(), strict=True
        )

    def is_among(self, others: Self) -> Bools:
        """Tell which of these are among others, whatever they weigh."""
        return np.isin(keys_of(self.pairs, self.must_link), keys_of(others.pairs, others.must_link))

    def source_of(self, position: int) -> str:
        """Tell where a constraint was read.

        Parameters
        ----------
        position : int
            Its place in ``pairs``.

        Returns
        -------
        str
            The line and the file; empty where it was not read from a file.
        """
        return "" if self._source is None else str(self._source[position])

    @property
    def pairs(self) -> Ints:
        """Row numbers, shape (m, 2), smaller one first; sorted."""
        return self.listed()[0]

    @property
    def must_link(self) -> Bools:
        """True for must-links, False for cannot-links, shape (m,)."""
        return self.listed()[1]

    @property
    def weights(self) -> Floats:
        """Weights w >= 0, shape (m,)."""
        return self.listed()[2]

    def n_must_links(self) -> int:
        """Return how many of them are must-links."""
        if self._parts is None:
            return int(self.must_link.sum())
        return self._parts[0].count()[0] + self._parts[1].n_must_links()

    def __len__(self) -> int:
        if self._parts is None:
            return len(self.pairs)
        return sum(self._parts[0].count()) + len(self._parts[1])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairList):
            return NotImplemented
        if len(self) != len(other):
            return False
        if self._parts and other._parts and self._parts[0] == other._parts[0]:
            return self._parts[1] == other._parts[1]
        return all(map(np.array_equal, self.listed(), other.listed()))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        state = (None, {"_source": self._source})
        if self._parts is None:
            return type(self), self.listed(), state
        return self.from_neighborhoods, self._parts, state

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        for name, value in state[1].items():
            setattr(self, name, value)
        for array in self._listed or ():  # skops makes others
            array.flags.writeable = False
