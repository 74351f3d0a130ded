"""Put all claims to the test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mvcc.reporting._results import Results
from mvcc.reporting.claims._evidence import READINGS, Evidence, read_evidence
from mvcc.reporting.claims._outcome import Outcome, Verdict
from mvcc.reporting.claims._scorecard import CLAIMS, CLOSURE_CLAIMS, Claim


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
        The claims that depend on it under each reading of the closure, by the names in `READINGS`.
    experiments : tuple of Experiment
        What they rest on.
    """

    outcomes: tuple[tuple[Claim, Outcome], ...]
    readings: Mapping[str, tuple[tuple[Claim, Outcome], ...]]
    experiments: tuple[Experiment, ...]

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
    """Test every claim of the paper on evidence at hand."""
    scores = evidence.scores
    trials = scores.groupby(["study", "dataset"])["trial"].nunique().reset_index()
    experiments = tuple(Experiment(*row) for row in trials.itertuples(index=False, name=None))
    outcomes = _test(CLAIMS, evidence.reading("full"))
    others = {name: _test(CLOSURE_CLAIMS, evidence.reading(name)) for name in READINGS if name != "full"}
    full = tuple((claim, outcome) for claim, outcome in outcomes if claim in CLOSURE_CLAIMS)
    return Scorecard(outcomes, {"full": full, **others}, experiments)


def _test(claims: tuple[Claim, ...], evidence: Evidence) -> tuple[tuple[Claim, Outcome], ...]:
    return tuple((claim, claim.check(evidence)) for claim in claims)
