"""Put all claims to the test; the means of the joint graph and the alternatives, cell by cell."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mvcc.reporting.claims._claims import BEYOND_CLAIMS, CLAIMS, Claim
from mvcc.reporting.claims._evidence import READINGS, Evidence, read_evidence
from mvcc.reporting.claims._result import ClaimResult, Side, Verdict, write_p
from mvcc.reporting.figures import METHODS, PEERS, in_order
from mvcc.results import BASES, BEYOND, BEYOND_PEERS, JOINT, K_MEANS, Results


class Best(NamedTuple):
    """The mean F of a method over the trials, its standard error, and the name of the method."""

    mean: float
    error: float
    name: str


# of each mapped fraction, data set and number of pairs: the best in hindsight of each kind of
# method, None if not run
Means = dict[tuple[float, str, int], dict[str, Best | None]]


def find_means(scores: pd.DataFrame) -> Means:
    """Return the means of all cells, by mapped fraction, data set and number of pairs."""
    ours = scores[scores["study"] == BEYOND]
    joint = ours[ours["method"] == JOINT]
    kinds = {
        "k-means": ours[ours["method"] == K_MEANS],
        "the paper's best": ours[ours["method"].isin(METHODS)],
        "best peer": scores[scores["study"] == BEYOND_PEERS],
        "joint": joint,
    }
    means = {kind: _means(rows) for kind, rows in kinds.items()}
    found: Means = {}
    for mapped in sorted(set(joint["mapped"])):
        for dataset in in_order(joint["dataset"]):
            for n in sorted(set(joint.loc[joint["dataset"] == dataset, "n_constraints"])):
                best = {}
                for kind, table in means.items():
                    here = table[(table["dataset"] == dataset) & (table["n_constraints"] == n)]
                    best[kind] = _best(here[here["mapped"].isna() | (here["mapped"] == mapped)])
                found[float(mapped), dataset, int(n)] = best
    return found


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard error over the trials of each method, sorted by base and method."""
    cell = ["base", "method", "dataset", "n_constraints", "mapped"]
    by_cell = rows.assign(base=rows["base"].fillna("")).groupby(cell, dropna=False)["f_measure"]
    return by_cell.agg(["mean", "sem"]).reset_index()


def _best(means: pd.DataFrame) -> Best | None:
    """Return the method of the largest mean."""
    if means.empty:
        return None
    best = means.sort_values("mean", kind="stable").iloc[-1]
    titles = {name: style.title for name, style in (METHODS | PEERS).items()}
    name = " ".join(filter(None, (BASES.get(best["base"], ""), titles.get(best["method"], ""))))
    return Best(float(best["mean"]), float(best["sem"]), name)


@dataclass(frozen=True)
class ClaimRow:
    """One row of the scorecard: a claim, its result, and how its figures are written."""

    number: int
    claim: Claim
    result: ClaimResult

    @property
    def counts(self) -> str:
        """Numbers of cells on each side."""
        if not self.result.cells:
            return "–"
        return " / ".join(str(self.result.count(side)) for side in Side)

    @property
    def effect(self) -> str:
        return self.result.effect.with_unit() if self.result.effect else "–"

    @property
    def p(self) -> str:
        return write_p(self.result.effect.p if self.result.effect else None)


@dataclass(frozen=True)
class Scorecard:
    """The results of all claims."""

    rows: tuple[ClaimRow, ...]  # the closure is that of Algorithm 2
    # the claims that depend on it under each reading of the closure, by the names in `READINGS`;
    # empty beyond the paper
    readings: Mapping[str, tuple[ClaimRow, ...]]
    # what they rest on: each study, data set and number of trials
    experiments: list[dict[Hashable, Any]]
    beyond: Scorecard | None = None  # what is claimed beyond the paper, where its study was run
    means: Means = field(default_factory=dict)  # what it rests on, cell by cell

    def count(self, verdict: Verdict) -> int:
        return sum(row.result.verdict is verdict for row in self.rows)

    @property
    def all_hold(self) -> bool:
        """Whether no claim that was tested failed, fully or in part."""
        return not any(row.result.verdict.failed for row in self.rows)


def evaluate_claims(results_dir: Path) -> Scorecard:
    """Test every claim on the results of an experiment's folder, or of any folder above some."""
    return evaluate(read_evidence(Results(results_dir)))


def evaluate(evidence: Evidence) -> Scorecard:
    """Test every claim of the paper on evidence at hand, and what is claimed beyond it."""
    is_beyond = evidence.scores["study"].isin([BEYOND, BEYOND_PEERS])
    beyond = replace(evidence, scores=evidence.scores[is_beyond])
    evidence = replace(evidence, scores=evidence.scores[~is_beyond])
    rows = _test(CLAIMS, evidence.reading("full"))
    closed = {number: claim for number, claim in CLAIMS.items() if claim.depends_on_closure}
    readings = {name: _test(closed, evidence.reading(name)) for name in READINGS if name != "full"}
    full = tuple(row for row in rows if row.claim.depends_on_closure)
    scorecard = Scorecard(rows, {"full": full, **readings}, _experiments(evidence))
    if (beyond.scores["study"] == BEYOND).any():
        means = find_means(beyond.scores)
        ours = Scorecard(_test(BEYOND_CLAIMS, beyond), {}, _experiments(beyond), means=means)
        scorecard = replace(scorecard, beyond=ours)
    return scorecard


def _experiments(evidence: Evidence) -> list[dict[Hashable, Any]]:
    trials = evidence.scores.groupby(["study", "dataset"])["trial"].nunique()
    return trials.reset_index(name="trials").to_dict("records")


def _test(claims: Mapping[int, Claim], evidence: Evidence) -> tuple[ClaimRow, ...]:
    return tuple(ClaimRow(number, claim, claim.check(evidence)) for number, claim in claims.items())
