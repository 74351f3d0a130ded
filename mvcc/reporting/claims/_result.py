"""What a test of a claim gives, cells, an effect and a verdict, and how these are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from math import inf
from typing import Any

from mvcc.reporting.claims._statistics import Estimate
from mvcc.reporting.figures import dataset_title, method_styles, percent
from mvcc.results import BASES

# where a cell lies: (("dataset", "protein"), ("base", "pck-means"), ...)
Place = tuple[tuple[str, str | float], ...]


class Verdict(StrEnum):
    """The verdicts on a claim, the worst first."""

    NOT_ENOUGH_DATA = "not enough data"
    DOES_NOT_HOLD = "does not hold"
    HOLDS_IN_PART = "holds in part"
    HOLDS = "holds"

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
    """What an effect is measured in, how many of its digits mean something, and its bounds."""

    name: str
    spec: str
    low: float = -inf
    high: float = inf

    def write(self, value: float) -> str:
        """Write a value; the interval of a share ends with what a share can be."""
        return format(min(max(value, self.low), self.high), self.spec).replace("-", "−")


# z: what rounds to zero has no minus
F_DIFFERENCE = Unit("F", "+z.3f")
GAIN = Unit("of F", "+z.1%")
COUNT_DIFFERENCE = Unit("constraints", "+z,.0f")
PRECISION = Unit("precision", ".4f", 0, 1)
PRECISION_DIFFERENCE = Unit("precision", "+z.4f")
R_SQUARED = Unit("R²", ".3f")
ITERATIONS = Unit("iterations", ".2f")
SHARE = Unit("", ".1%", 0, 1)
WEIGHT = Unit("weight", ".3f", 0, 1)
THRESHOLD = Unit("t_V", ".2f")


@dataclass(frozen=True)
class CellResult:
    """One cell of a claim: place, mean over the trials, p-value after Holm, side."""

    place: Place
    mean: float
    p: float | None
    side: Side
    unit: Unit

    def __str__(self) -> str:
        text = f"{write_place(self.place)}: {self.unit.write(self.mean)}"
        if self.p is not None:
            text += f" ({write_equation(self.p)})"
        return text


@dataclass(frozen=True)
class Effect:
    """The pooled effect of a claim with its 95 % interval."""

    estimate: Estimate
    p: float | None
    unit: Unit

    def __str__(self) -> str:
        return f"{self.without_unit} {self.unit.name}".rstrip()

    @property
    def without_unit(self) -> str:
        return f"{self.mean} {self.interval}"

    @property
    def mean(self) -> str:
        return self.unit.write(self.estimate.mean)

    @property
    def interval(self) -> str:
        return f"[{self.unit.write(self.estimate.low)}, {self.unit.write(self.estimate.high)}]"


@dataclass(frozen=True)
class ClaimResult:
    verdict: Verdict  # what the cells and the effect say together
    # the cells that were judged; none where a claim is one statement
    cells: tuple[CellResult, ...] = ()
    effect: Effect | None = None  # the effect pooled over the cells
    details: Sequence[str] = ()  # what else a reader wants to know, one sentence each
    # cells that the paper excepts from its claim: shown, but not judged
    excepted: tuple[CellResult, ...] = ()

    def count(self, side: Side) -> int:
        return sum(cell.side is side for cell in self.cells)


def place_at(names: Iterable[Any], values: Any) -> Place:
    """Name the values of a row or column label of a table."""
    return tuple((str(name), value) for name, value in zip(names, values, strict=True))


def side_of(better: bool, against: bool) -> Side:
    """Return on which side a cell is that may be on one of both."""
    if better:
        return Side.BETTER
    if against:
        return Side.REVERSED
    return Side.UNDECIDED


def judge(cells: Iterable[CellResult], passes: bool) -> Verdict:
    """Give the verdict: the pooled effect passes or not, and cells are reversed or not."""
    if not passes:
        return Verdict.DOES_NOT_HOLD
    if any(cell.side is Side.REVERSED for cell in cells):
        return Verdict.HOLDS_IN_PART
    return Verdict.HOLDS


def not_enough_data(why: str) -> ClaimResult:
    return ClaimResult(Verdict.NOT_ENOUGH_DATA, details=[why])


def write_place(place: Place) -> str:
    """Name a cell: "Protein, PCK-Means, 40 % mapped, n = 50"."""
    return ", ".join(_write_part(name, value) for name, value in place).replace(", (", " (")


@cache
def _write_part(name: str, value: str | float) -> str:
    match name:
        case "dataset":
            return dataset_title(str(value))
        case "view":
            return f"({value})".replace("(all)", "(all classes)")
        case "base":
            return BASES.get(str(value), str(value))
        case "method":
            return method_styles([str(value)])[str(value)].title
        case "against":
            return f"against {_write_part('method', value)}"
        case "mapped" | "rewired":
            return f"{percent(float(value))} {name}"
        case "step":
            return f"{value} mapped"
        case "step_of_pairs":
            return f"n = {value}"
        case "n_constraints":
            return f"n = {value:g}"
        case "kind":
            return f"{value}s"
        case _:
            return str(value)


def write_p(p: float | None) -> str:
    """Write a p-value with three digits, and never as 0."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def write_equation(p: float) -> str:
    """Write a p-value with its name: "p = 0.041"."""
    return f"p = {write_p(p)}".replace("= <", "<")
