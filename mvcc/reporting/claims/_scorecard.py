"""Put all claims to the test; the means of the joint graph and the alternatives, cell by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from mvcc.reporting.claims._claims import BEYOND_CLAIMS, CLAIMS, Claim
from mvcc.reporting.claims._evidence import READINGS, Evidence, read_evidence
from mvcc.reporting.claims._result import (
    CellResult,
    ClaimResult,
    Side,
    Verdict,
    write_p,
    write_place,
)
from mvcc.reporting.figures import METHODS, PEERS, dataset_title, in_order
from mvcc.results import BASES, BEYOND, BEYOND_PEERS, JOINT, K_MEANS, Results

# of each mapped fraction: its lines, with a data set, a number of pairs, and the best by their kind
Means = dict[float, list[dict[str, Any]]]
_KINDS = dict.fromkeys(METHODS, "the paper's best") | {K_MEANS: "k-means", JOINT: "joint"}


def find_means(scores: pd.DataFrame) -> Means:
    """Return the best in hindsight of each kind of method: mean, standard error ``sem``, name."""
    cell = ["mapped", "dataset", "n_constraints"]
    scores = scores.assign(
        base=scores["base"].fillna(""),
        kind=scores["method"].map(_KINDS).where(scores["study"] == BEYOND, "best peer"),
    )
    by_method = scores.groupby(["kind", "base", "method", *cell], dropna=False)["f_measure"]
    means = by_method.agg(["mean", "sem"]).reset_index()
    titles = BASES | {name: style.title for name, style in (METHODS | PEERS).items()}
    means["name"] = [
        " ".join(titles[part] for part in parts if part in titles)
        for parts in means[["base", "method"]].to_numpy()
    ]
    ranked = means.sort_values(["mean", "base", "method"])
    joint = means[means["kind"] == "joint"]
    found: Means = {}
    for mapped in sorted(set(joint["mapped"])):
        here = ranked[ranked["mapped"].isna() | (ranked["mapped"] == mapped)]
        best = here.drop_duplicates(["dataset", "n_constraints", "kind"], keep="last")
        found[mapped] = [
            {
                "dataset": dataset_title(dataset),
                "n": int(n),
                "best": line.set_index("kind").to_dict("index"),
            }
            for dataset in in_order(joint["dataset"])
            for n, line in best[best["dataset"] == dataset].groupby("n_constraints")
        ]
    return found


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
    def reversed(self) -> list[CellResult]:
        return [cell for cell in self.result.cells if cell.side is Side.REVERSED]

    @property
    def reversed_on(self) -> str:
        """The data sets with reversed cells, and how many of theirs are."""
        cells = Counter(cell.place[:1] for cell in self.result.cells)
        against = Counter(cell.place[:1] for cell in self.reversed)
        named = [f"{write_place(one)} ({against[one]} of {cells[one]})" for one in cells & against]
        return ", ".join(named) or "–"

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
    means: Means = field(default_factory=dict)  # what that rests on, by cell

    def count(self, verdict: Verdict) -> int:
        return sum(row.result.verdict is verdict for row in self.rows)

    @property
    def by_reading(self) -> Iterator[tuple[ClaimRow, ...]]:
        """The rows of each claim that depends on the closure, in the order of `READINGS`."""
        return zip(*(self.readings[name] for name in READINGS), strict=True)

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
