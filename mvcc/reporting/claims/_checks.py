"""The tests that claims are put to: each takes the evidence and gives a result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats
from mvcc.reporting.claims import _statistics as stats
from mvcc.reporting.claims._evidence import Evidence
from mvcc.reporting.claims._result import (
    F_DIFFERENCE,
    R_SQUARED,
    CellResult,
    ClaimResult,
    Effect,
    Place,
    Side,
    Unit,
    Verdict,
    judge,
    not_enough_data,
    place_at,
    side_of,
    write_place,
)
from mvcc.reporting.claims._sources import Rows, Source, Values
from mvcc.results import BEYOND_PEERS

# The smallest p-value that a signed-rank test can give is then 2 / 2¹⁰ = .002, which survives Holm
# over 25 cells; with fewer trials hardly any cell could ever be decided, and an interval over them
# means little.
MIN_TRIALS = 10


Check = Callable[[Evidence], ClaimResult]  # puts the evidence to a test


@dataclass(frozen=True)
class _Cellwise(ABC):
    """A test of every cell of a table of trials × cells, and of the effect pooled over them."""

    of: Source
    unit: Unit
    # says of a cell's place whether the paper excepts it; such cells are shown, but not judged
    excepted: Callable[[dict[str, str | float]], bool] = field(
        default=lambda place: False, kw_only=True
    )

    def __call__(self, evidence: Evidence) -> ClaimResult:
        everything = self.of.table(evidence)
        is_excepted = np.array([self.excepted(dict(place)) for place in _places(everything)], bool)
        table = everything.loc[:, ~is_excepted]
        if why := shortage(table, self.of.rows):
            return not_enough_data(why)
        groups, cells = _groups(table), self._cells(table)
        effect = stats.pool(table.to_numpy(dtype=float), groups)
        details = []
        if len(set(groups)) > 1:
            details.append(f"By data set: {_by_group(table, self.unit)}.")
        verdict, p = judge(cells, self._passes(effect)), self._p(effect)
        excepted = self._cells(everything.loc[:, is_excepted])
        return ClaimResult(verdict, cells, Effect(effect, p, self.unit), details, excepted)

    def _cells(self, table: pd.DataFrame) -> tuple[CellResult, ...]:
        columns = [column.dropna().to_numpy(dtype=float) for _, column in table.items()]
        cells = []
        judged = zip(_places(table), columns, self._judged(columns), strict=True)
        for place, values, (p, side) in judged:
            if len(values) < MIN_TRIALS:
                side = Side.UNDECIDED
            cells.append(CellResult(place, float(values.mean()), p, side, self.unit))
        return tuple(cells)

    @abstractmethod
    def _judged(self, columns: list[Floats]) -> Iterator[tuple[float | None, Side]]:
        """Give the p-value of every cell, corrected by Holm, if it has one, and its side."""

    @abstractmethod
    def _passes(self, effect: stats.Estimate) -> bool:
        """Tell whether the pooled effect is as claimed."""

    def _p(self, effect: stats.Estimate) -> float:
        return effect.p_value()


@dataclass(frozen=True)
class Positive(_Cellwise):
    """A difference is above 0: no cell significantly below, and the pooled interval above 0."""

    unit: Unit = F_DIFFERENCE

    def _judged(self, columns: list[Floats]) -> Iterator[tuple[float, Side]]:
        tests = [stats.signed_rank(values) for values in columns]
        p_values = stats.holm([p for p, _ in tests])
        for values, (_, sign), p in zip(columns, tests, p_values, strict=True):
            # where few large differences outweigh many small ones, mean and ranks disagree: that
            # decides nothing
            is_decided = p < stats.LEVEL and np.sign(values.mean()) == sign
            yield p, side_of(is_decided and sign > 0, is_decided and sign < 0)

    def _passes(self, effect: stats.Estimate) -> bool:
        return effect.low > 0


@dataclass(frozen=True)
class Somewhere:
    """A difference is above 0 in some cases: in at least one cell, significantly."""

    of: Positive

    def __call__(self, evidence: Evidence) -> ClaimResult:
        result = self.of(evidence)
        if result.verdict is Verdict.NOT_ENOUGH_DATA:
            return result
        better = [cell for cell in result.cells if cell.side is Side.BETTER]
        listed = [f"{write_place(cell.place)}: {cell.unit.write(cell.mean)}" for cell in better]
        phrases = [f"It is so in {len(better)} of {len(result.cells)} cells", "; ".join(listed)]
        details = [*result.details, ": ".join(filter(None, phrases)) + "."]
        return replace(result, verdict=judge((), bool(better)), details=details)


@dataclass(frozen=True)
class Level(_Cellwise):
    """A mean reaches a bar of ours: pooled, and in no cell significantly beyond it."""

    at_least: float = -np.inf  # one of the two is the bar
    at_most: float = np.inf

    @property
    def _bar(self) -> float:
        return min(self.at_least, self.at_most, key=abs)

    def _judged(self, columns: list[Floats]) -> Iterator[tuple[float, Side]]:
        cells = list(map(stats.mean_estimate, columns))
        p_values = stats.holm([cell.p_value(self._bar) for cell in cells])
        for cell, p in zip(cells, p_values, strict=True):
            yield p, side_of(self._passes(cell), p < stats.LEVEL)

    def _passes(self, effect: stats.Estimate) -> bool:
        return self.at_least <= effect.mean <= self.at_most

    def _p(self, effect: stats.Estimate) -> float:
        return effect.p_value(self._bar)


@dataclass(frozen=True)
class Within(_Cellwise):
    """A difference is within a margin of ours: the pooled interval, and none wholly outside."""

    low: float
    high: float = np.inf

    def _judged(self, columns: list[Floats]) -> Iterator[tuple[None, Side]]:
        for cell in map(stats.mean_estimate, columns):
            is_outside = cell.high < self.low or cell.low > self.high
            yield None, side_of(self._passes(cell), is_outside)

    def _passes(self, effect: stats.Estimate) -> bool:
        return self.low <= effect.low and effect.high <= self.high

    def _p(self, effect: stats.Estimate) -> float:
        return max(effect.p_above(self.low), effect.p_below(self.high))  # two one-sided tests


@dataclass(frozen=True)
class Linear:
    """A mean count grows on a line with the number of constraints: R² reaches a bar of ours."""

    of: Rows
    per: tuple[str, ...]
    measure: str
    bar: float

    def __call__(self, evidence: Evidence) -> ClaimResult:
        source = Values(self.of, (*self.per, "n_constraints"), self.measure)
        table = source.table(evidence)
        if why := shortage(table, source.rows):
            return not_enough_data(why)
        cells, samples, slopes = [], [], []
        streams: dict[Hashable, int] = {}
        for column, curve in table.T.groupby(level=list(self.per)):
            place = place_at(self.per, column)
            if len(curve) < 3:  # two points are always on a line
                continue
            # the cells of one data set share their draws, and so their resampled trials
            stream = streams.setdefault(_group_of(place), len(streams))
            n_constraints = curve.index.get_level_values("n_constraints").to_numpy(dtype=float)
            counts = curve.dropna(axis=1).to_numpy().T
            cell, resampled = self._cell(place, n_constraints, counts, stream)
            cells.append(cell)
            samples.append(resampled)
            slopes.append(_log_slope(n_constraints, counts.mean(axis=0)))
        if not cells:
            return not_enough_data(
                "A line needs at least three numbers of constraints. " + _what_to_run((self.of,))
            )
        fit = float(np.mean([cell.mean for cell in cells]))
        effect = stats.percentile_estimate(fit, np.mean(samples, axis=0))
        details = [
            f"On log-log axes the slopes range from {min(slopes):.2f} to {max(slopes):.2f}; 1 "
            "would be proportional."
        ]
        verdict = judge(cells, effect.mean >= self.bar)
        return ClaimResult(verdict, tuple(cells), Effect(effect, None, R_SQUARED), details)

    def _cell(
        self, place: Place, n_constraints: Floats, counts: Floats, stream: int
    ) -> tuple[CellResult, Floats]:
        fit = float(stats.r_squared(n_constraints, counts.mean(axis=0)[np.newaxis])[0])
        resampled = stats.r_squared(n_constraints, stats.bootstrap_means(counts, stream))
        side = side_of(fit >= self.bar, stats.percentile_estimate(fit, resampled).high < self.bar)
        return CellResult(place, fit, None, side, R_SQUARED), resampled


@dataclass(frozen=True)
class All:
    """A claim of several parts: as good as its worst part."""

    parts: Mapping[str, Check]
    # what has the effect, if not the first part: parts of one measure have theirs together
    pooled: Check | None = None

    def __call__(self, evidence: Evidence) -> ClaimResult:
        results = {name: check(evidence) for name, check in self.parts.items()}
        cells, details = [], []
        for name, result in results.items():
            summary = ", ".join(map(str, filter(None, [result.verdict, result.effect])))
            details.append(" ".join([f"Part “{name}”: {summary}.", *result.details]))
            for cell in result.cells:
                cells.append(replace(cell, place=(*cell.place, ("part", name))))
        verdict = min((result.verdict for result in results.values()), key=list(Verdict).index)
        whole = self.pooled(evidence) if self.pooled is not None else next(iter(results.values()))
        return ClaimResult(verdict, tuple(cells), whole.effect, details)


@dataclass(frozen=True)
class Beside:
    """A test, and a measure to be read beside its result that decides nothing."""

    check: Check
    title: str
    of: Source
    unit: Unit

    def __call__(self, evidence: Evidence) -> ClaimResult:
        result = self.check(evidence)
        table = self.of.table(evidence)
        if result.verdict is Verdict.NOT_ENOUGH_DATA or shortage(table, self.of.rows):
            return result
        beside = f"{self.title}: {_by_group(table, self.unit)}."
        return replace(result, details=[*result.details, beside])


def shortage(table: pd.DataFrame, rows: Sequence[Rows]) -> str | None:
    """Say why a table of trials × cells does not suffice, and what to run; None if it does."""
    if table.empty:
        return f"There are no such runs. {_what_to_run(rows)}"
    for group, part in _parts(table):
        n_trials = int(part.notna().any(axis=1).sum())
        if n_trials < MIN_TRIALS:
            needed = f"{MIN_TRIALS} trials that a verdict needs"
            return f"{write_place(group)} has {n_trials} of the {needed}. {_what_to_run(rows)}"
    return None


def _what_to_run(rows: Sequence[Rows]) -> str:
    studies = dict.fromkeys(selection.study for selection in rows)
    if BEYOND_PEERS in studies:
        return "Run `python -m scripts.peers`."
    configs = [f"configs/{study}_<data set>.yaml".replace("/main_", "/") for study in studies]
    return f"Run `mvcc run {' and '.join(configs)}`, or `make reproduce` for all."


def _places(table: pd.DataFrame) -> list[Place]:
    return [place_at(table.columns.names, column) for column in table.columns]


def _group_of(place: Place) -> Place:
    """Return whose trials a cell is made of: those of a data set, or of one view of it."""
    return tuple(part for part in place if part[0] in ("dataset", "view"))


def _groups(table: pd.DataFrame) -> list[Place]:
    return list(map(_group_of, _places(table)))


def _parts(table: pd.DataFrame) -> Iterator[tuple[Place, pd.DataFrame]]:
    groups = _groups(table)
    for group in dict.fromkeys(groups):
        yield group, table.loc[:, [other == group for other in groups]]


def _by_group(table: pd.DataFrame, unit: Unit) -> str:
    effects = []
    for group, part in _parts(table):
        effect = stats.pool(part.to_numpy(dtype=float), _groups(part))
        effects.append(f"{write_place(group)} {Effect(effect, None, unit).without_unit}")
    return ", ".join(effects)


def _log_slope(n_constraints: Floats, counts: Floats) -> float:
    is_positive = counts > 0
    if is_positive.sum() < 2:
        return 0.0
    return float(np.polyfit(np.log(n_constraints[is_positive]), np.log(counts[is_positive]), 1)[0])
