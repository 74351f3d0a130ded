"""What a comparison says in one sentence, and whether it must not be overlooked."""

from __future__ import annotations

from typing import Any

from mvcc.results import JOINT, K_MEANS
from mvcc.tables.fitting._held_out import FEWEST_JUDGMENTS, FEWEST_MATCHES, Outcome, ahead

CO_EM, WITHOUT = "co-em", "without judgments"
_SURE = 2.5  # standard errors; by 2, one in twenty comparisons of equals would find a difference
_DO = {
    K_MEANS: "Try other columns (--columns), another number of clusters (-k), or use k-means.",
    WITHOUT: "The judgments may contradict each other, or go by what the columns do not show.",
    CO_EM: "Compare with --method co-em.",
    JOINT: "Compare with --method joint.",
}


def verdict(outcomes: dict[str, Outcome]) -> tuple[dict[str, Any], list[str]]:
    """Return the facts ``sentence`` and ``helps``, and what must not be overlooked.

    Judgments tell whether it helps, or matches where no judgments were held out. It does where
    it is ahead of k-means by more than 2.5 standard errors, and behind no other method by as
    much; None where neither is certain.

    `outcomes`: of every method by its name, first that of the job.
    """
    name, *others = outcomes
    mine = outcomes[name].tested()
    if mine is None:
        return {"sentence": _of_stability(outcomes), "helps": None}, []
    gaps = {other: ahead(mine, theirs) for other in others if (theirs := outcomes[other].tested())}
    behind = [other for other, (gap, error) in gaps.items() if gap < -_SURE * error]
    gap, error = gaps[K_MEANS]
    helps = False if behind else True if gap > _SURE * error else None
    judged = outcomes[name].kept is not None
    values = {
        one: outcome.facts()["kept" if judged else "agreement"] for one, outcome in outcomes.items()
    }
    shares = {one: f"{100 * share:.0f} %" for one, share in values.items()}
    what = (
        "of held-out judgments" if judged else "of matched rows together where their match is cut"
    )
    winner = K_MEANS if gap < 0 else behind[0] if behind else name
    said = ", ".join(
        f"{'this clustering' if other == name else _called(other)} {shares[other]}"
        for other in outcomes
        if other != winner
    )
    facts = {
        "sentence": f"{_lead(winner, helps, behind)} keeps {shares[winner]} {what}, {said}.",
        "helps": helps,
    }
    return facts, [
        f"{_called(other).capitalize()} keeps {shares[other]} {what}, this clustering"
        f" {shares[name]}, which is less by more than {_SURE:g} standard errors. {_DO[other]}"
        for other in behind
    ]


def _lead(winner: str, helps: bool | None, behind: list[str]) -> str:
    """Say who is ahead, and begin to say what it keeps."""
    if winner in (JOINT, CO_EM) and winner not in behind:
        how = "Better" if helps else "Not clearly better"
        return f"{how} than k-means on each table: this clustering"
    called = "k-means on each table" if winner == K_MEANS else _called(winner)
    certainty = "" if winner in behind else ", if not clearly"
    return f"{called[0].upper()}{called[1:]} does better here{certainty}: it"


def _of_stability(outcomes: dict[str, Outcome]) -> str:
    name = next(iter(outcomes))
    return (
        f"Whether it helps is not known: {FEWEST_JUDGMENTS} judgments or {FEWEST_MATCHES} matches"
        f" would tell. Stability is {outcomes[name].stability:.2f} of 1; that of k-means"
        f" {outcomes[K_MEANS].stability:.2f}."
    )


def _called(name: str) -> str:
    return {JOINT: "the joint method", CO_EM: "the paper's method"}.get(name, name)
