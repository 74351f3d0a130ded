"""Claims that need a test of their own: a gain in percent, equality in every run, counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb

import numpy as np
import pandas as pd

from mvcc._utils.types import Floats
from mvcc.reporting.claims._checks import shortage
from mvcc.reporting.claims._evidence import Evidence
from mvcc.reporting.claims._result import (
    GAIN,
    SHARE,
    CellResult,
    ClaimResult,
    Effect,
    Side,
    Verdict,
    judge,
    not_enough_data,
    place_at,
)
from mvcc.reporting.claims._sources import Difference, Rows, Values
from mvcc.reporting.claims._statistics import bootstrap_means, percentile_estimate


@dataclass(frozen=True)
class Gain:
    """The relative gain of one method over another averages and peaks as the paper says.

    The gain is the quotient of the mean curves, averaged over the numbers of constraints and the
    mapped fractions, as in Figure 5. The paper does not say where its schedule ends: where the
    whole one fails and a shorter one passes, the claim holds in part.
    """

    better: Rows
    worse: Rows
    # the paper's figures; the interval of the average must contain the first, that of the peak must
    # reach the second
    average: float
    peak: float
    shorter: tuple[int, ...]  # other ends of the schedule

    def __call__(self, evidence: Evidence) -> ClaimResult:
        per = ("dataset", "mapped", "n_constraints")
        tables = [Values(rows, per).table(evidence) for rows in (self.better, self.worse)]
        better, worse = (table.dropna() for table in tables)
        for table in (better, worse):
            if why := shortage(table, (self.better, self.worse)):
                return not_enough_data(why)
        better, worse = better.align(worse, join="inner")
        numbers = better.columns.get_level_values("n_constraints").to_numpy()
        most = int(numbers.max())
        ends = [most, *(end for end in self.shorter if numbers.min() <= end < most)]
        results = [
            self._up_to(better.loc[:, numbers <= end], worse.loc[:, numbers <= end], end)
            for end in ends
        ]
        verdict, *others = (one.verdict for one in results)
        if verdict is not Verdict.HOLDS and Verdict.HOLDS in others:
            verdict = Verdict.HOLDS_IN_PART
        details = tuple(detail for one in results for detail in one.details)
        return replace(results[0], verdict=verdict, details=details)

    def _up_to(self, better: pd.DataFrame, worse: pd.DataFrame, end: int) -> ClaimResult:
        # drawn anew together: the trials are paired
        both = np.hstack([better.to_numpy(), worse.to_numpy()])
        again = _gains(bootstrap_means(both))
        gains = _gains(both.mean(axis=0, keepdims=True))[0]
        average = percentile_estimate(float(gains.mean()), again.mean(axis=1))
        peak = percentile_estimate(float(gains.max()), again.max(axis=1))
        holds = average.low <= self.average <= average.high and peak.high >= self.peak
        detail = (
            f"Up to n = {end}: {Effect(average, None, GAIN)} on average, "
            f"{Effect(peak, None, GAIN)} at the peak: {'as' if holds else 'not as'} the paper has "
            "it."
        )
        return ClaimResult(judge((), holds), effect=Effect(average, None, GAIN), details=(detail,))


def _gains(means: Floats) -> Floats:
    """Return the gains of curves that lie beside each other, first those of the better method."""
    better, worse = np.hsplit(means, 2)
    return better / worse - 1


@dataclass(frozen=True)
class Identical:
    """Two methods give exactly the same F in every run.

    Runs in which the first propagated more constraints than the second are counted apart: it copied
    some to exact duplicates of their ends, which no threshold prevents.
    """

    one: Rows
    other: Rows
    per: tuple[str, ...]

    def __call__(self, evidence: Evidence) -> ClaimResult:
        pairs = Difference(self.one, self.other, self.per).pairs(evidence)
        counts = Difference(self.one, self.other, self.per, "propagated").pairs(evidence)
        keys = [name for name in pairs.columns if name not in ("value", "left", "right")]
        runs = pairs.merge(counts[[*keys, "value"]], on=keys, suffixes=("", "_more"))
        table = runs.pivot_table("value", "trial", list(self.per))
        if why := shortage(table, (self.one, self.other)):
            return not_enough_data(why)
        copied = runs["value_more"] > 0
        plain = runs[~copied].assign(value=lambda table: (table["value"] == 0).astype(float))
        if plain.empty:
            return not_enough_data("In every run constraints were copied to exact duplicate rows.")
        cells = _always_or_reversed(plain.groupby(list(self.per))["value"].mean())
        trials = plain.groupby("trial")["value"].mean().to_numpy()[:, np.newaxis]
        equal = percentile_estimate(float(plain["value"].mean()), bootstrap_means(trials))
        same_after_all = int((runs.loc[copied, "value"] == 0).sum())
        details = (
            f"{int(plain['value'].sum())} of {len(plain)} runs are exactly equal.",
            f"Apart: in {int(copied.sum())} runs constraints were copied to exact duplicate rows; "
            f"{same_after_all} of these are equal all the same.",
        )
        everywhere = judge(cells, any(cell.side is Side.BETTER for cell in cells))
        return ClaimResult(everywhere, cells, Effect(equal, None, SHARE), details)


def _always_or_reversed(shares: pd.Series) -> tuple[CellResult, ...]:
    cells = []
    for values, share in shares.items():
        side = Side.BETTER if share == 1 else Side.REVERSED
        cells.append(CellResult(place_at(shares.index.names, values), share, None, side, SHARE))
    return tuple(cells)


@dataclass(frozen=True)
class Evaluations:
    """Memoization needs |X̂| × |X̄| Gaussian evaluations; early stopping cuts some short (§5.4)."""

    def __call__(self, evidence: Evidence) -> ClaimResult:
        runs = evidence.evaluations
        if runs is None or runs.empty:
            return not_enough_data(
                "Run `python scripts/count_evaluations.py results/evaluations.csv`."
            )
        product = runs["memoized"] == runs["candidates"] * runs["endpoints"]
        fewer = (runs["memoized"] < runs["naive"]) & (runs["early_stopped"] < runs["memoized"])
        holds = product & fewer
        cells = _always_or_reversed(holds.groupby([runs["dataset"], runs["base"]]).mean())
        memoized, early = runs["memoized"] / runs["naive"], runs["early_stopped"] / runs["memoized"]
        details = (
            f"In {int(product.sum())} of {len(runs)} counted E-steps memoization takes exactly "
            "|X̂| × |X̄| evaluations.",
            f"That is {memoized.median():.2%} (median) of what is needed without it; of these, "
            f"{early.median():.1%} (median) run to their last term.",
        )
        everywhere = judge(cells, bool(holds.any()))
        return ClaimResult(everywhere, cells, details=details)


@dataclass(frozen=True)
class CountingArgument:
    """How many pairs a must-link, or a cannot-link, can be propagated to correctly (§6.3)."""

    n_instances: int  # of clusters of equal size
    n_clusters: int
    must_links: int  # the paper's figures
    cannot_links: int

    def __call__(self, evidence: Evidence) -> ClaimResult:
        in_one_cluster = comb(self.n_instances // self.n_clusters, 2)
        across = comb(self.n_instances, 2) - self.n_clusters * in_one_cluster
        must_links, cannot_links = in_one_cluster - 1, across - 1  # but the given pair itself
        right = (must_links, cannot_links) == (self.must_links, self.cannot_links)
        counted = f"{must_links:,} other pairs for a must-link, {cannot_links:,} for a cannot-link"
        return ClaimResult(judge((), right), details=(f"Counted: {counted}.",))
