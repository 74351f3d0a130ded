"""Put all claims to the test; the means of the joint graph and the alternatives, cell by cell."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from mvcc.reporting.claims._claims import BEYOND_CLAIMS, CLAIMS, Claim
from mvcc.reporting.claims._evidence import READINGS, Evidence, read_evidence
from mvcc.reporting.claims._result import ClaimResult, Side, Verdict, write_p
from mvcc.reporting.figures import METHODS, PEERS
from mvcc.results import BASES, BEYOND, BEYOND_PEERS, JOINT, K_MEANS, Results


def find_means(scores: pd.DataFrame) -> pd.DataFrame:
    """Return mean F and its standard error, ``sem``, of the best in hindsight of each kind.

    A row is a kind of method at one mapped fraction, data set and number of pairs, with the
    ``name`` of the method if there are several; what uses no matches is at every fraction.
    """
    cell = ["mapped", "dataset", "n_constraints"]
    method = [scores["study"], scores["base"].fillna(""), scores["method"]]
    by_method = scores.groupby([*method, *cell], dropna=False)["f_measure"]
    means = by_method.agg(["mean", "sem"]).reset_index()
    titles = BASES | {name: style.title for name, style in (METHODS | PEERS).items()}
    means["name"] = [
        " ".join(titles[part] for part in parts if part in titles)
        for parts in means[["base", "method"]].to_numpy()
    ]
    places = means.loc[means["method"] == JOINT, cell]
    kinds = {
        "k-means": means["method"] == K_MEANS,
        "the paper's best": means["method"].isin(METHODS),
        "best peer": means["study"] == BEYOND_PEERS,
        "joint": means["method"] == JOINT,
    }
    found = []
    for kind, chosen in kinds.items():
        rows = means[chosen]
        everywhere = rows[rows["mapped"].isna()].drop(columns="mapped").merge(places)
        rows = pd.concat([rows.merge(places, on=cell), everywhere]).sort_values(
            ["mean", "base", "method"]
        )
        found.append(rows.drop_duplicates(cell, keep="last").assign(kind=kind))
    return pd.concat(found)


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
    means: pd.DataFrame | None = None  # what that rests on, cell by cell

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
        ours = Scorecard(_test(BEYOND_CLAIMS, beyond), {}, _experiments(beyond))
        scorecard = replace(scorecard, beyond=replace(ours, means=find_means(beyond.scores)))
    return scorecard


def _experiments(evidence: Evidence) -> list[dict[Hashable, Any]]:
    trials = evidence.scores.groupby(["study", "dataset"])["trial"].nunique()
    return trials.reset_index(name="trials").to_dict("records")


def _test(claims: Mapping[int, Claim], evidence: Evidence) -> tuple[ClaimRow, ...]:
    return tuple(ClaimRow(number, claim, claim.check(evidence)) for number, claim in claims.items())
