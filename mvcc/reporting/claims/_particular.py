"""Claims that need a test of their own: a gain in percent, equality in every run, counts."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats
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
    side_of,
)
from mvcc.reporting.claims._sources import Difference, Rows, Values
from mvcc.reporting.claims._statistics import bootstrap_means, percentile_estimate
from mvcc.results import DIRECT_MAPPING, PROPAGATION

# the paper's figures; the interval of the average must contain the first, that of the peak must
# reach the second
_AVERAGE, _PEAK = 0.213, 0.30
_SHORTER = (50, 100)  # other ends of the schedule
_SWEEP = (
    Rows(PROPAGATION, study="thresholds", threshold="one"),
    Rows(DIRECT_MAPPING, study="thresholds"),
)
_PER_BASE = ("dataset", "base")


def gain_on_four_quadrants(evidence: Evidence) -> ClaimResult:
    """Test whether the relative gain over Direct Mapping averages and peaks as the paper says."""
    # The gain is the quotient of the mean curves, averaged over the numbers of constraints and the
    # mapped fractions, as in Figure 5. The paper does not say where its schedule ends: where the
    # whole one fails and a shorter one passes, the claim holds in part.
    per = ("dataset", "mapped", "n_constraints")
    sides = [
        Rows(method, dataset="four_quadrants", base="pck-means")
        for method in (PROPAGATION, DIRECT_MAPPING)
    ]
    better, worse = (Values(rows, per).table(evidence).dropna() for rows in sides)
    for table in (better, worse):
        if why := shortage(table, sides):
            return not_enough_data(why)
    better, worse = better.align(worse, join="inner")
    n_constraints = better.columns.get_level_values("n_constraints").to_numpy()
    most = int(n_constraints.max())
    ends = [most, *(end for end in _SHORTER if n_constraints.min() <= end < most)]
    results = [
        _gain_up_to(end, better.loc[:, n_constraints <= end], worse.loc[:, n_constraints <= end])
        for end in ends
    ]
    verdict, *others = (result.verdict for result in results)
    if verdict is not Verdict.HOLDS and Verdict.HOLDS in others:
        verdict = Verdict.HOLDS_IN_PART
    details = [detail for result in results for detail in result.details]
    return replace(results[0], verdict=verdict, details=details)


def _gain_up_to(end: int, better: pd.DataFrame, worse: pd.DataFrame) -> ClaimResult:
    # drawn anew together: the trials are paired
    paired = np.hstack([better.to_numpy(), worse.to_numpy()])
    resampled = _gains(bootstrap_means(paired))
    gains = _gains(paired.mean(axis=0, keepdims=True))[0]
    average = percentile_estimate(float(gains.mean()), resampled.mean(axis=1))
    peak = percentile_estimate(float(gains.max()), resampled.max(axis=1))
    holds = average.low <= _AVERAGE <= average.high and peak.high >= _PEAK
    effect = Effect(average, None, GAIN)
    as_claimed = "as the paper has it."
    if not holds:
        as_claimed = f"not {as_claimed}"
    detail = (
        f"Up to n = {end}: {effect.without_unit} on average, "
        f"{Effect(peak, None, GAIN).without_unit} at the peak: {as_claimed}"
    )
    return ClaimResult(judge((), holds), effect=effect, details=[detail])


def _gains(means: Floats) -> Floats:
    """Return the gains of curves that lie beside each other, first those of the better method."""
    better, worse = np.hsplit(means, 2)
    return better / worse - 1


def equal_at_one(evidence: Evidence) -> ClaimResult:
    """Test whether Constraint Propagation at t_V = 1 gives just Direct Mapping's F in every run."""
    # runs in which it propagated more constraints are counted apart: it copied some to exact
    # duplicates of their ends, which no threshold prevents
    pairs = Difference(*_SWEEP, _PER_BASE).pairs(evidence)
    counts = Difference(*_SWEEP, _PER_BASE, "propagated").pairs(evidence)
    keys = [name for name in pairs.columns if name not in ("value", "left", "right")]
    runs = pairs.merge(counts[[*keys, "value"]], on=keys, suffixes=("", "_more"))
    if why := shortage(runs.pivot_table("value", "trial", list(_PER_BASE)), _SWEEP):
        return not_enough_data(why)
    copied = runs["value_more"] > 0
    is_equal = runs["value"] == 0
    plain = runs.assign(value=is_equal.astype(float))[~copied]
    if plain.empty:
        return not_enough_data("In every run constraints were copied to exact duplicate rows.")
    cells = _always_or_reversed(plain.groupby(list(_PER_BASE))["value"].mean())
    trials = plain.groupby("trial")["value"].mean().to_numpy()[:, np.newaxis]
    equal = percentile_estimate(float(plain["value"].mean()), bootstrap_means(trials))
    details = (
        f"{int(plain['value'].sum())} of {len(plain)} runs are exactly equal.",
        f"Apart: in {int(copied.sum())} runs constraints were copied to exact duplicate rows; "
        f"{int((copied & is_equal).sum())} of these are equal all the same.",
    )
    verdict = judge(cells, any(cell.side is Side.BETTER for cell in cells))
    return ClaimResult(verdict, cells, Effect(equal, None, SHARE), details)


def _always_or_reversed(shares: pd.Series) -> tuple[CellResult, ...]:
    cells = []
    for values, share in shares.items():
        place, side = place_at(shares.index.names, values), side_of(share == 1, share < 1)
        cells.append(CellResult(place, share, None, side, SHARE))
    return tuple(cells)


def counted_evaluations(evidence: Evidence) -> ClaimResult:
    """Memoization needs |X̂| × |X̄| Gaussian evaluations; early stopping cuts some short (§5.4)."""
    runs = evidence.evaluations
    if runs is None or runs.empty:
        return not_enough_data("Run `python -m scripts.count_evaluations results/evaluations.csv`.")
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
    return ClaimResult(judge(cells, bool(holds.any())), cells, details=details)


def counting_argument(_: Evidence) -> ClaimResult:
    """Count the pairs that a must-link, or a cannot-link, can be propagated to correctly (§6.3)."""
    # there are 1,000 instances in ten clusters of equal size
    in_one_cluster = comb(100, 2)
    across = comb(1000, 2) - 10 * in_one_cluster
    must_links, cannot_links = in_one_cluster - 1, across - 1  # but the given pair itself
    right = (must_links, cannot_links) == (4949, 449_999)  # the paper's figures
    counted = f"{must_links:,} other pairs for a must-link, {cannot_links:,} for a cannot-link"
    return ClaimResult(judge((), right), details=[f"Counted: {counted}."])
