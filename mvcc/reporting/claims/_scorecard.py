"""Put all claims to the test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mvcc.reporting.claims._beyond import BEYOND_CLAIMS
from mvcc.reporting.claims._checks import Claim
from mvcc.reporting.claims._evidence import READINGS, Evidence, read_evidence
from mvcc.reporting.claims._means import Means, find_means
from mvcc.reporting.claims._paper import CLAIMS
from mvcc.reporting.claims._result import ClaimResult, Side, Verdict, write_p
from mvcc.results import BEYOND, BEYOND_PEERS, Results


@dataclass(frozen=True)
class Experiment:
    """What was run: a study on a data set, and in how many trials."""

    study: str
    dataset: str
    trials: int


@dataclass(frozen=True)
class ClaimRow:
    """One row of the scorecard: a claim, its result, and how its figures are written."""

    number: int
    claim: Claim
    result: ClaimResult

    @property
    def counts(self) -> str:
        """Numbers of cells on each side."""
        return (
            " / ".join(str(self.result.count(side)) for side in Side) if self.result.cells else "–"
        )

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
    experiments: tuple[Experiment, ...]  # what they rest on
    beyond: Scorecard | None = None  # what is claimed beyond the paper, where its study was run
    means: tuple[Means, ...] = ()  # what it rests on, cell by cell

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


def _experiments(evidence: Evidence) -> tuple[Experiment, ...]:
    trials = evidence.scores.groupby(["study", "dataset"])["trial"].nunique().reset_index()
    return tuple(Experiment(*row) for row in trials.itertuples(index=False, name=None))


def _test(claims: Mapping[int, Claim], evidence: Evidence) -> tuple[ClaimRow, ...]:
    return tuple(ClaimRow(number, claim, claim.check(evidence)) for number, claim in claims.items())
