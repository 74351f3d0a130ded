"""Put all claims to the test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mvcc.reporting.claims._beyond import BEYOND_CLAIMS
from mvcc.reporting.claims._evidence import READINGS, Evidence, read_evidence
from mvcc.reporting.claims._means import Means, find_means
from mvcc.reporting.claims._outcome import Outcome, Verdict
from mvcc.reporting.claims._scorecard import CLAIMS, CLOSURE_CLAIMS, Claim
from mvcc.results import BEYOND, BEYOND_PEERS, Results


@dataclass(frozen=True)
class Experiment:
    """What was run: a study on a data set, and in how many trials."""

    study: str
    dataset: str
    trials: int


@dataclass(frozen=True)
class Scorecard:
    """The outcome of every claim.

    Parameters
    ----------
    outcomes : tuple of (Claim, Outcome)
        The closure is that of Algorithm 2.
    readings : mapping of str to tuple of (Claim, Outcome)
        The claims that depend on it under each reading of the closure, by the names in `READINGS`; empty beyond the
        paper.
    experiments : tuple of Experiment
        What they rest on.
    beyond : Scorecard, optional
        The outcome of what is claimed beyond the paper, where its study was run.
    means : tuple of Means
        What it rests on, cell by cell.
    """

    outcomes: tuple[tuple[Claim, Outcome], ...]
    readings: Mapping[str, tuple[tuple[Claim, Outcome], ...]]
    experiments: tuple[Experiment, ...]
    beyond: Scorecard | None = None
    means: tuple[Means, ...] = ()

    def count(self, verdict: Verdict) -> int:
        return sum(outcome.verdict is verdict for _, outcome in self.outcomes)

    @property
    def all_hold(self) -> bool:
        """Whether no claim that was tested failed, fully or in part."""
        return not any(outcome.verdict.failed for _, outcome in self.outcomes)


def evaluate_claims(results_dir: Path) -> Scorecard:
    """Test every claim of the paper on the results below a folder.

    Parameters
    ----------
    results_dir : Path
        The folder of one experiment, or any folder above some.

    Returns
    -------
    Scorecard

    Raises
    ------
    StoreError
        If there are no results, a file is damaged, or two experiments hold the same run.
    """
    return evaluate(read_evidence(Results(results_dir)))


def evaluate(evidence: Evidence) -> Scorecard:
    """Test every claim of the paper on evidence at hand, and what is claimed beyond it."""
    is_beyond = evidence.scores["study"].isin([BEYOND, BEYOND_PEERS])
    beyond = replace(evidence, scores=evidence.scores[is_beyond])
    evidence = replace(evidence, scores=evidence.scores[~is_beyond])
    outcomes = _test(CLAIMS, evidence.reading("full"))
    others = {name: _test(CLOSURE_CLAIMS, evidence.reading(name)) for name in READINGS if name != "full"}
    full = tuple((claim, outcome) for claim, outcome in outcomes if claim in CLOSURE_CLAIMS)
    scorecard = Scorecard(outcomes, {"full": full, **others}, _experiments(evidence))
    if (beyond.scores["study"] == BEYOND).any():
        means = find_means(beyond.scores)
        outcome = Scorecard(_test(BEYOND_CLAIMS, beyond), {}, _experiments(beyond), means=means)
        scorecard = replace(scorecard, beyond=outcome)
    return scorecard


def _experiments(evidence: Evidence) -> tuple[Experiment, ...]:
    trials = evidence.scores.groupby(["study", "dataset"])["trial"].nunique().reset_index()
    return tuple(Experiment(*row) for row in trials.itertuples(index=False, name=None))


def _test(claims: tuple[Claim, ...], evidence: Evidence) -> tuple[tuple[Claim, Outcome], ...]:
    return tuple((claim, claim.check(evidence)) for claim in claims)
