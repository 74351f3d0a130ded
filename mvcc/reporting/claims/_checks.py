"""The tests that claims are put to: each takes the evidence and gives an result."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd
import yaml

from mvcc._utils.types import Floats
from mvcc.reporting.claims import _bars
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
    write_place,
)
from mvcc.reporting.claims._sources import Rows, Source, Values
from mvcc.reporting.claims._statistics import (
    LEVEL,
    Estimate,
    bootstrap_means,
    holm,
    mean_estimate,
    percentile_estimate,
    pool,
    r_squared,
    signed_rank,
)
from mvcc.results import BEYOND_PEERS

# The smallest p-value that a signed-rank test can give is then 2 / 2¹⁰ = .002, which survives Holm
# over 25 cells; with fewer trials hardly any cell could ever be decided, and an interval over them
# means little.
MIN_TRIALS = 10


class Check(Protocol):
    """Something that puts the evidence to a test."""

    def __call__(self, evidence: Evidence) -> ClaimResult: ...


@dataclass(frozen=True)
class Claim:
    """One statement and its test."""

    title: str  # a few words for a table
    says: str  # what the paper says, nearly verbatim
    test: str  # what is tested, in words
    check: Check
    section: str = ""  # where the paper says it
    # whether it is tested under other readings of the closure, too; the others have runs of their
    # own
    depends_on_closure: bool = False


def described(source: str, checks: Mapping[int, Check]) -> Mapping[int, Claim]:
    """Join tests with the words of their claims in `claims.yaml`, where {NAME} stands for a bar."""
    texts = yaml.safe_load(Path(__file__).with_name("claims.yaml").read_text("utf-8"))[source]
    claims = {}
    for (number, words), (same, check) in zip(texts.items(), checks.items(), strict=True):
        assert number == same, f"claim {number} of claims.yaml is {same} here"
        words |= {name: words[name].format_map(vars(_bars)) for name in ("title", "says", "test")}
        claims[number] = Claim(**words, check=check)
    return claims


@dataclass(frozen=True)
class Positive:
    """A difference is above 0: no cell significantly below, and the pooled interval above 0."""

    of: Source
    unit: Unit = F_DIFFERENCE
    # says of a cell's place whether the paper excepts it; such cells are shown, but not judged
    excepted: Callable[[dict[str, str | float]], bool] | None = None

    def __call__(self, evidence: Evidence) -> ClaimResult:
        everything = self.of.table(evidence)
        is_excepted = np.array(
            [self.excepted is not None and self.excepted(dict(p)) for p in _places(everything)],
            bool,
        )
        excepted, table = everything.loc[:, is_excepted], everything.loc[:, ~is_excepted]
        if why := shortage(table, self.of.rows):
            return not_enough_data(why)
        result = _pooled_result(table, self.unit, self._cells(table), lambda effect: effect.low > 0)
        return replace(result, excepted=self._cells(excepted))

    def _cells(self, table: pd.DataFrame) -> tuple[CellResult, ...]:
        columns = _columns(table)
        tests = [signed_rank(values) for values in columns]
        sides = []
        for values, (_, side), p in zip(
            columns, tests, ps := holm([p for p, _ in tests]), strict=True
        ):
            # where few large differences outweigh many small ones, mean and ranks disagree: that
            # decides nothing
            decided = len(values) >= MIN_TRIALS and p < LEVEL and np.sign(values.mean()) == side
            sides.append(
                (Side.BETTER if side > 0 else Side.REVERSED) if decided else Side.UNDECIDED
            )
        return _cells(table, ps, sides, self.unit)


@dataclass(frozen=True)
class Somewhere:
    """A difference is above 0 in some cases: in at least one cell, significantly."""

    of: Positive

    def __call__(self, evidence: Evidence) -> ClaimResult:
        result = self.of(evidence)
        if result.verdict is Verdict.NOT_ENOUGH_DATA:
            return result
        found = [cell for cell in result.cells if cell.side is Side.BETTER]
        where = "; ".join(
            f"{write_place(cell.place)}: {cell.unit.write(cell.mean)}" for cell in found
        )
        details = (
            f"It is so in {len(found)} of {len(result.cells)} cells{': ' * bool(found)}{where}.",
        )
        return replace(
            result,
            verdict=Verdict.HOLDS if found else Verdict.DOES_NOT_HOLD,
            details=(*result.details, *details),
        )


@dataclass(frozen=True)
class Level:
    """A mean reaches a bar of ours: pooled, and in no cell significantly beyond it."""

    of: Source
    unit: Unit
    at_least: float | None = None
    at_most: float | None = None

    def __call__(self, evidence: Evidence) -> ClaimResult:
        table = self.of.table(evidence)
        if why := shortage(table, self.of.rows):
            return not_enough_data(why)
        columns = _columns(table)
        estimates = [mean_estimate(values) for values in columns]
        ps = holm([estimate.p_value(self._bar) for estimate in estimates])
        sides = [
            Side.UNDECIDED
            if len(values) < MIN_TRIALS
            else (
                Side.BETTER
                if self._reached(estimate)
                else Side.REVERSED
                if p < LEVEL
                else Side.UNDECIDED
            )
            for values, estimate, p in zip(columns, estimates, ps, strict=True)
        ]
        cells = _cells(table, ps, sides, self.unit)
        return _pooled_result(
            table, self.unit, cells, self._reached, lambda effect: effect.p_value(self._bar)
        )

    @property
    def _bar(self) -> float:
        bar = self.at_most if self.at_least is None else self.at_least
        assert bar is not None, "a Level needs a bar"
        return bar

    def _reached(self, estimate: Estimate) -> bool:
        return (
            estimate.mean >= self._bar if self.at_least is not None else estimate.mean <= self._bar
        )


@dataclass(frozen=True)
class Within:
    """A difference is within a margin of ours.

    The pooled interval inside, and no cell's interval wholly outside.
    """

    of: Source
    unit: Unit
    low: float
    high: float = np.inf

    def __call__(self, evidence: Evidence) -> ClaimResult:
        table = self.of.table(evidence)
        if why := shortage(table, self.of.rows):
            return not_enough_data(why)
        sides = [
            self._side(mean_estimate(values)) if len(values) >= MIN_TRIALS else Side.UNDECIDED
            for values in _columns(table)
        ]
        cells = _cells(table, [None] * len(sides), sides, self.unit)
        return _pooled_result(
            table,
            self.unit,
            cells,
            lambda effect: self._side(effect) is Side.BETTER,
            lambda effect: max(
                effect.p_above(self.low), effect.p_below(self.high)
            ),  # two one-sided tests
        )

    def _side(self, estimate: Estimate) -> Side:
        if self.low <= estimate.low and estimate.high <= self.high:
            return Side.BETTER
        return (
            Side.REVERSED
            if estimate.high < self.low or estimate.low > self.high
            else Side.UNDECIDED
        )


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
        cells, resampled, slopes = [], [], []
        streams: dict[Hashable, int] = {}
        for column, curve in table.T.groupby(level=list(self.per)):
            place = place_at(self.per, column)
            if len(curve) < 3:  # two points are always on a line
                continue
            # the cells of one data set share their draws, and so their resampled trials
            stream = streams.setdefault(_group_of(dict(place)), len(streams))
            numbers = curve.index.get_level_values("n_constraints").to_numpy(dtype=float)
            counts = curve.dropna(axis=1).to_numpy().T
            cell, again = self._cell(place, numbers, counts, stream)
            cells.append(cell)
            resampled.append(again)
            slopes.append(_log_slope(numbers, counts.mean(axis=0)))
        if not cells:
            return not_enough_data(
                "A line needs at least three numbers of constraints. " + _what_to_run((self.of,))
            )
        effect = percentile_estimate(
            float(np.mean([cell.mean for cell in cells])), np.mean(resampled, axis=0)
        )
        details = (
            f"On log-log axes the slopes range from {min(slopes):.2f} to {max(slopes):.2f}; 1 "
            "would be proportional.",
        )
        return ClaimResult(
            judge(cells, effect.mean >= self.bar),
            tuple(cells),
            Effect(effect, None, R_SQUARED),
            details,
        )

    def _cell(
        self, place: Place, numbers: Floats, counts: Floats, stream: int
    ) -> tuple[CellResult, Floats]:
        fit = float(r_squared(numbers, counts.mean(axis=0)[np.newaxis])[0])
        again = r_squared(numbers, bootstrap_means(counts, stream))
        below = percentile_estimate(fit, again).high < self.bar
        side = Side.BETTER if fit >= self.bar else Side.REVERSED if below else Side.UNDECIDED
        return CellResult(place, fit, None, side, R_SQUARED), again


@dataclass(frozen=True)
class All:
    """A claim of several parts: as good as its worst part; the effect is that of the first."""

    parts: Mapping[str, Check]

    def __call__(self, evidence: Evidence) -> ClaimResult:
        results = [(name, check(evidence)) for name, check in self.parts.items()]
        details = []
        for name, result in results:
            effect = f", {result.effect.with_unit()}" if result.effect else ""
            details.append(" ".join([f"Part “{name}”: {result.verdict}{effect}.", *result.details]))
        return ClaimResult(
            min((result.verdict for _, result in results), key=list(Verdict).index),
            tuple(
                replace(cell, place=(*cell.place, ("part", name)))
                for name, result in results
                for cell in result.cells
            ),
            results[0][1].effect,
            tuple(details),
        )


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
        return replace(
            result, details=(*result.details, f"{self.title}: {_by_group(table, self.unit)}.")
        )


def shortage(table: pd.DataFrame, rows: Sequence[Rows]) -> str | None:
    """Say why a table of trials × cells does not suffice for a verdict, and what to run.

    None where it does.
    """
    if table.empty:
        return f"There are no such runs. {_what_to_run(rows)}"
    groups = _groups(table)
    for group in dict.fromkeys(groups):
        trials = int(table.loc[:, [other == group for other in groups]].notna().any(axis=1).sum())
        if trials < MIN_TRIALS:
            needed = f"{MIN_TRIALS} trials that a verdict needs"
            return f"{_title(group)} has {trials} of the {needed}. {_what_to_run(rows)}"
    return None


def _what_to_run(rows: Sequence[Rows]) -> str:
    studies = dict.fromkeys(one.study for one in rows)
    if BEYOND_PEERS in studies:
        return "Run `python -m scripts.peers`."
    configs = " and ".join(
        "configs/<data set>.yaml" if s == "main" else f"configs/{s}_<data set>.yaml"
        for s in studies
    )
    return f"Run `mvcc run {configs}`, or `make reproduce` for all."


def _places(table: pd.DataFrame) -> list[Place]:
    return [place_at(table.columns.names, column) for column in table.columns]


def _columns(table: pd.DataFrame) -> list[Floats]:
    return [column.dropna().to_numpy(dtype=float) for _, column in table.items()]


def _cells(
    table: pd.DataFrame, ps: Iterable[float | None], sides: Iterable[Side], unit: Unit
) -> tuple[CellResult, ...]:
    return tuple(
        CellResult(place, float(values.mean()), None if p is None else float(p), side, unit)
        for place, values, p, side in zip(_places(table), _columns(table), ps, sides, strict=True)
    )


def _pooled_result(
    table: pd.DataFrame,
    unit: Unit,
    cells: tuple[CellResult, ...],
    passes: Callable[[Estimate], bool],
    p_value: Callable[[Estimate], float] = Estimate.p_value,
) -> ClaimResult:
    """Give the result of judged cells, with the effect pooled over them and over each data set."""
    groups = _groups(table)
    effect = pool(table.to_numpy(dtype=float), groups)
    details = (f"By data set: {_by_group(table, unit)}.",) if len(set(groups)) > 1 else ()
    return ClaimResult(
        judge(cells, passes(effect)), cells, Effect(effect, p_value(effect), unit), details
    )


def _group_of(place: dict[str, str | float]) -> tuple[str, str]:
    """Return whose trials a cell is made of: those of a data set, or of one view of it."""
    return str(place["dataset"]), str(place.get("view", ""))


def _groups(table: pd.DataFrame) -> list[tuple[str, str]]:
    return [_group_of(dict(place)) for place in _places(table)]


def _title(group: tuple[str, str]) -> str:
    return write_place((("dataset", group[0]), *((("view", group[1]),) if group[1] else ())))


def _by_group(table: pd.DataFrame, unit: Unit) -> str:
    groups = _groups(table)
    effects = []
    for group in dict.fromkeys(groups):
        of_group = [other == group for other in groups]
        part = table.loc[:, of_group]
        effects.append(
            f"{_title(group)} {Effect(pool(part.to_numpy(dtype=float), _groups(part)), None, unit)}"
        )
    return ", ".join(effects)


def _log_slope(numbers: Floats, counts: Floats) -> float:
    some = counts > 0
    return (
        float(np.polyfit(np.log(numbers[some]), np.log(counts[some]), 1)[0])
        if some.sum() > 1
        else 0.0
    )
