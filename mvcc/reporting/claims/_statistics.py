"""The statistics of the claims: paired tests, Holm's correction, pooled effects, the bootstrap."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import copysign, inf, nan, sqrt

import numpy as np
from scipy import stats

from mvcc._utils.arrays import Floats

LEVEL = 0.05  # of every test, and 1 − LEVEL is the coverage of every interval
RESAMPLES = 2000  # of every bootstrap: a quantile of 2.5 % then rests on 50 of them
SEED = 20100  # of every bootstrap: the same results give the same scorecard
EXACT = 50  # differences up to which the signed-rank test is exact, as in SciPy
# Sums in another order differ in the last bits: differences that small are none, and ties are ties.
DIGITS = 12


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval; one of a bootstrap has no standard error and no p-value."""

    mean: float
    low: float
    high: float
    standard_error: float = nan
    degrees: float = inf

    def p_value(self, null: float = 0.0) -> float:
        """Return the two-sided p-value of ``mean == null``."""
        return min(1.0, 2 * min(self.p_above(null), self.p_below(null)))

    def p_above(self, null: float) -> float:
        """Return the one-sided p-value against a mean of at most ``null``."""
        return float(stats.t.sf(self._distance(null), self.degrees))

    def p_below(self, null: float) -> float:
        """Return the one-sided p-value against a mean of at least ``null``."""
        return float(stats.t.cdf(self._distance(null), self.degrees))

    def _distance(self, null: float) -> float:
        away = self.mean - null
        if away == 0:
            return 0.0
        # without spread the mean is known exactly
        return away / self.standard_error if self.standard_error else copysign(inf, away)


def signed_rank(differences: Floats) -> tuple[float, int]:
    """Return the two-sided p-value of Wilcoxon's signed-rank test, and the side, −1, 0 or 1."""
    # zero differences are left out; the p-value is 1 if there are no others
    away = np.round(differences, DIGITS)
    away = away[away != 0]
    if not len(away):
        return 1.0, 0
    ranks = stats.rankdata(np.abs(away))
    side = int(np.sign(ranks @ np.sign(away)))
    if len(away) > EXACT:
        return float(stats.wilcoxon(away).pvalue), side
    return _exact_p_value(ranks, ranks[away > 0].sum()), side


def _exact_p_value(ranks: Floats, positive: float) -> float:
    """Return how probable a sum of ranks at least as far out is if every sign is a coin's toss."""
    # SciPy is exact without ties only, or by listing all signs, which takes a second for 13
    # differences. Here the distribution grows by one rank at a time; ties make half ranks, so that
    # twice the rank is a whole number.
    twice = np.rint(2 * ranks).astype(int)
    probability = np.ones(1)
    for rank in twice:
        grown = np.zeros(len(probability) + rank)
        grown[: len(probability)] = probability / 2
        grown[rank:] += probability / 2
        probability = grown
    observed = round(2 * positive)
    return float(min(1.0, 2 * min(probability[: observed + 1].sum(), probability[observed:].sum())))


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for their number by Holm's step-down method."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return list(map(float, corrected))


def mean_estimate(values: Floats) -> Estimate:
    """Estimate the mean of independent trials with the interval of the t distribution."""
    return combine([values], [1])


def pool(values: Floats, groups: Sequence[Hashable]) -> Estimate:
    """Estimate the mean over the cells (columns) of trials (rows), NaN where there is no value."""
    # The cells of one trial of a data set, their group, are made from the same constraints and the
    # same mapping: they are averaged first, and the trials of a data set are the independent unit.
    # Data sets weigh as many cells as they have, and the degrees of freedom are those of Welch and
    # Satterthwaite.
    parts, weights = [], []
    for group in dict.fromkeys(groups):
        part = values[:, [other == group for other in groups]]
        weights.append(part.shape[1])
        parts.append(np.nanmean(part[~np.isnan(part).all(axis=1)], axis=1))
    return combine(parts, weights)


def combine(parts: Sequence[Floats], weights: Sequence[float]) -> Estimate:
    """Estimate the weighted mean of the means of independent groups of trials."""
    share = np.asarray(weights, dtype=float) / np.sum(weights)
    mean = float(share @ [part.mean() for part in parts])
    variances = share**2 * [_squared_error(part) for part in parts]
    error = sqrt(variances.sum())
    if error == 0:
        mean = round(mean, DIGITS)
        return Estimate(mean, mean, mean, 0.0)
    squares = sum(v**2 / (len(part) - 1) for v, part in zip(variances, parts, strict=True))
    degrees = float(variances.sum() ** 2 / squares)
    half = float(stats.t.ppf(1 - LEVEL / 2, degrees)) * error
    return Estimate(mean, mean - half, mean + half, error, degrees)


def _squared_error(values: Floats) -> float:
    # equal values have no spread, whatever the rounding of their mean says
    return 0.0 if np.ptp(values) <= 10.0**-DIGITS else float(values.var(ddof=1)) / len(values)


def bootstrap_means(values: Floats, stream: int = 0) -> Floats:
    """Return the means of `RESAMPLES` draws of trials (rows); data sets have different streams."""
    n = len(values)
    drawn = np.random.default_rng([SEED, stream]).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    return drawn @ values / n


def percentile_estimate(mean: float, resampled: Floats) -> Estimate:
    """Give a value the percentile interval of its bootstrap."""
    low, high = np.quantile(resampled, [LEVEL / 2, 1 - LEVEL / 2])
    return Estimate(mean, float(low), float(high))


def r_squared(x: Floats, curves: Floats) -> Floats:
    """Return R² of the least-squares line through each curve (row), 0 for a constant one."""
    dx, dy = x - x.mean(), curves - curves.mean(axis=1, keepdims=True)
    total = (dy**2).sum(axis=1)
    explained = (dy @ dx) ** 2 / (dx @ dx)
    return np.divide(explained, total, out=np.zeros_like(total), where=total > 0)
