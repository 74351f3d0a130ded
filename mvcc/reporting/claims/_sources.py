"""What claims compare: every source makes a table of trials × cells, NaN without a value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd

from mvcc.reporting.claims._evidence import Evidence, joined

# What one run of a trial is drawn or set up by: two methods are compared where these are the same.
KEYS = ("dataset", "view", "base", "mapped", "rewired", "n_constraints", "kind", "trial")
_ASKED = ("study", "experiment", "dataset", "base", "features", "mapped", "n_constraints")
# Columns that come once per type of constraint.
BY_KIND = {"must-link": "must_link", "cannot-link": "cannot_link"}
# how steps of a column are called in the places of cells, and written
_STEPS = {"mapped": ("step", ".0%"), "n_constraints": ("step_of_pairs", "g")}
PRECISIONS = ("precision", "inferred_precision")


@dataclass(frozen=True)
class Rows:
    """Which rows of the scores are taken; what is None is not asked for."""

    method: str | tuple[str, ...]
    study: str = "main"  # by default the paper's own multi-view experiments
    experiment: str = "multi-view"
    dataset: str | None = None  # one value of that column
    base: str | None = None
    features: str | None = None
    mapped: float | None = None
    n_constraints: int | None = None
    partial: bool = False  # whether only incomplete mappings are taken
    kinds: tuple[str, ...] = tuple(BY_KIND)  # of precisions
    threshold: str | None = None  # a mark of `prepare`: "table_1", "lowest", "best", "one" or "cv"

    def select(self, evidence: Evidence, measure: str) -> pd.DataFrame:
        """Return the columns of `KEYS`, ``method`` and ``value``, the measure, if there is one."""
        table = evidence.scores
        chosen = table["method"].isin(np.atleast_1d(self.method))
        for name in _ASKED:
            if (value := getattr(self, name)) is not None:
                chosen &= table[name] == value
        if self.partial:
            chosen &= table["mapped"] < 1
        if self.threshold is not None:
            chosen &= table[f"threshold_{self.threshold}"]
        table = table[chosen]
        if measure in PRECISIONS:
            table = pd.concat(
                table.assign(kind=kind, value=table[f"{measure}_{BY_KIND[kind]}"])
                for kind in self.kinds
            )
        else:
            table = table.assign(value=table[measure])
        columns = [name for name in (*KEYS, "method", "value") if name in table]
        return table.loc[table["value"].notna(), columns]


@dataclass(frozen=True)
class Source(ABC):
    """Something that makes a table of trials × cells."""

    @property
    def rows(self) -> tuple[Rows, ...]:
        """What must have been run."""
        return tuple(part for part in vars(self).values() if isinstance(part, Rows))

    @abstractmethod
    def table(self, evidence: Evidence) -> pd.DataFrame:
        """Return the values, one row per trial and one column per cell."""


@dataclass(frozen=True)
class Values(Source):
    """A measure as it is, averaged over what ``per`` does not name."""

    of: Rows
    per: tuple[str, ...]
    measure: str = "f_measure"

    def table(self, evidence: Evidence) -> pd.DataFrame:
        return _spread(self.of.select(evidence, self.measure), self.per)


@dataclass(frozen=True)
class Difference(Source):
    """The paired difference of two sides: same trial, same data, same number of constraints."""

    # if ``worse`` takes several methods, each is compared by itself, and ``against`` names it in
    # ``per``
    better: Rows
    worse: Rows
    per: tuple[str, ...]  # what makes a cell; the difference is averaged over the rest
    measure: str = "f_measure"
    # columns in which the two sides differ on purpose. Those that one side does not use need not be
    # named
    apart: tuple[str, ...] = ()
    # the mean over the numbers of constraints, or the mean over all but the smallest and the
    # largest number minus the mean of these two
    over_schedule: Literal["mean", "middle"] = "mean"

    def pairs(self, evidence: Evidence) -> pd.DataFrame:
        """Return every pair of runs with their difference as ``value``."""
        better = self.better.select(evidence, self.measure)
        return _pair(better, self.worse.select(evidence, self.measure), self.apart)

    def table(self, evidence: Evidence) -> pd.DataFrame:
        pairs = self.pairs(evidence)
        if self.over_schedule == "mean":
            return _spread(pairs, self.per)
        by_number = _spread(pairs, (*self.per, "n_constraints"))
        cells = {}
        for cell, curve in by_number.T.groupby(level=list(self.per)):
            if len(curve) > 2:
                cells[cell] = curve.iloc[1:-1].mean() - curve.iloc[[0, -1]].mean()
        if not cells:
            return by_number.iloc[:0]
        return pd.DataFrame(cells, index=by_number.index).rename_axis(columns=list(self.per))


@dataclass(frozen=True)
class Steps(Source):
    """The paired difference between a mapped fraction, or number of constraints, and the next."""

    of: Rows
    per: tuple[str, ...]
    measure: str = "f_measure"
    over: Literal["mapped", "n_constraints"] = "mapped"

    def table(self, evidence: Evidence) -> pd.DataFrame:
        values = self.of.select(evidence, self.measure)
        step, spec = _STEPS[self.over]
        steps = []
        for _, runs in values.groupby(["dataset", "method"]):
            for smaller, larger in pairwise(sorted(runs[self.over].dropna().unique())):
                pairs = _pair(
                    runs[runs[self.over] == larger], runs[runs[self.over] == smaller], (self.over,)
                )
                steps.append(pairs.assign(**{step: f"{smaller:{spec}} → {larger:{spec}}"}))
        if not steps:
            steps = [values.iloc[:0].assign(**{step: ""})]
        return _spread(pd.concat(steps), (*self.per, step))


@dataclass(frozen=True)
class Share(Source):
    """One count as a share of another, both summed over what ``per`` does not name."""

    part: Rows
    whole: Rows
    per: tuple[str, ...]
    measure: str

    def table(self, evidence: Evidence) -> pd.DataFrame:
        pairs = _pair(
            self.part.select(evidence, self.measure), self.whole.select(evidence, self.measure)
        )
        part = _spread(pairs.assign(value=pairs["left"]), self.per)
        # the same runs: means have the quotient of sums
        whole = _spread(pairs.assign(value=pairs["right"]), self.per)
        return (part / whole.where(whole > 0)).dropna(axis=1, how="all")


@dataclass(frozen=True)
class Together(Source):
    """The cells of several sources side by side; ``part`` names the source in their places."""

    parts: Mapping[str, Source]

    @property
    def rows(self) -> tuple[Rows, ...]:
        return tuple(rows for source in self.parts.values() for rows in source.rows)

    def table(self, evidence: Evidence) -> pd.DataFrame:
        tables = {name: source.table(evidence) for name, source in self.parts.items()}
        return pd.concat(tables, axis=1, names=["part"])


def _pair(left: pd.DataFrame, right: pd.DataFrame, apart: tuple[str, ...] = ()) -> pd.DataFrame:
    """Join the runs of two sides, method by method of the right one."""
    if left.empty or right.empty:
        return left.iloc[:0].assign(left=0.0, right=0.0, against="")
    pairs = []
    for method, other in right.groupby("method"):
        filled = {*left.dropna(axis=1, how="all")} & {*other.dropna(axis=1, how="all")}
        keys = [key for key in KEYS if key in filled and key not in apart]
        pair = joined(left, other[[*keys, "value"]], keys).rename(
            columns={"value_of_other": "right"}
        )
        pair = pair.assign(left=pair["value"], against=method)
        pairs.append(pair.assign(value=pair["left"] - pair["right"]))
    return pd.concat(pairs, ignore_index=True)


def _spread(runs: pd.DataFrame, per: tuple[str, ...]) -> pd.DataFrame:
    """Average the runs of each trial and cell and lay them out, trials down and cells across."""
    return runs.groupby(["trial", *per])["value"].mean().unstack(list(per))
