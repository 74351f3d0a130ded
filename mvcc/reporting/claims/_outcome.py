"""What a test of a claim gives: cells, an effect with its interval, a verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Any

from mvcc.reporting.claims._statistics import Estimate

Place = tuple[tuple[str, str | float], ...]  # where a cell lies: (("dataset", "protein"), ("base", "pck-means"), ...)


class Verdict(StrEnum):
    """What is said of a claim in the end; `order` puts the worst first."""

    NOT_ENOUGH_DATA = "not enough data"
    DOES_NOT_HOLD = "does not hold"
    HOLDS_IN_PART = "holds in part"
    HOLDS = "holds"

    @property
    def order(self) -> int:
        return list(Verdict).index(self)

    @property
    def failed(self) -> bool:
        """Tell whether the claim was put to the test and did not pass it everywhere."""
        return self in (Verdict.DOES_NOT_HOLD, Verdict.HOLDS_IN_PART)


class Side(StrEnum):
    """On which side of the claim one cell is."""

    BETTER = "better"
    UNDECIDED = "undecided"
    REVERSED = "reversed"


@dataclass(frozen=True)
class Unit:
    """What an effect is measured in, how many digits of it mean something, and its bounds if it has any."""

    name: str
    spec: str
    low: float = -inf
    high: float = inf

    def write(self, value: float) -> str:
        """Write a value; the interval of a share may be symmetric, but ends with what a share can be."""
        return format(min(max(value, self.low), self.high), self.spec).replace("-", "−")


@dataclass(frozen=True)
class Cell:
    """One cell of a claim: its place, its mean over the trials, its p-value after Holm, its side."""

    place: Place
    mean: float
    p: float | None
    side: Side
    unit: Unit


@dataclass(frozen=True)
class Effect:
    """The pooled effect of a claim with its 95 % interval."""

    estimate: Estimate
    p: float | None
    unit: Unit

    def __str__(self) -> str:
        write, one = self.unit.write, self.estimate
        return f"{write(one.mean)} [{write(one.low)}, {write(one.high)}]"


@dataclass(frozen=True)
class Outcome:
    """The outcome of one test.

    Parameters
    ----------
    verdict : Verdict
        What the cells and the effect say together.
    cells : tuple of Cell
        The cells that were judged; none where a claim is one statement.
    effect : Effect, optional
        The effect pooled over the cells.
    details : tuple of str
        What else a reader wants to know, one sentence each.
    excepted : tuple of Cell
        Cells that the paper excepts from its claim: shown, but not judged.
    """

    verdict: Verdict
    cells: tuple[Cell, ...] = ()
    effect: Effect | None = None
    details: tuple[str, ...] = ()
    excepted: tuple[Cell, ...] = ()

    def count(self, side: Side) -> int:
        return sum(cell.side is side for cell in self.cells)


def place_at(names: Iterable[Any], values: Any) -> Place:
    """Name the values of a row or column label of a table."""
    return tuple((str(name), value) for name, value in zip(names, values, strict=True))


def judge(cells: Iterable[Cell], passes: bool) -> Verdict:
    """Give the verdict: the pooled effect passes or not, and cells are reversed or not."""
    if not passes:
        return Verdict.DOES_NOT_HOLD
    any_reversed = any(cell.side is Side.REVERSED for cell in cells)
    return Verdict.HOLDS_IN_PART if any_reversed else Verdict.HOLDS


def not_enough_data(why: str) -> Outcome:
    """Give the outcome of a claim that cannot be tested yet."""
    return Outcome(Verdict.NOT_ENOUGH_DATA, details=(why,))
