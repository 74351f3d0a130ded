"""What a comparison says in one sentence, and whether it must not be overlooked."""

from __future__ import annotations

from typing import Any

from mvcc.results import JOINT, K_MEANS
from mvcc.tables.fitting._held_out import FEWEST_CONSTRAINTS, FEWEST_MATCHES, Outcome, ahead

CO_EM, WITHOUT = "co-em", "without constraints"
_SURE = 2.5  # standard errors; by 2, one in twenty comparisons of equals would find a difference
_DO = {
    K_MEANS: "Try other columns (--columns), another number of clusters (-k), or use k-means.",
    WITHOUT: "The constraints may contradict each other, or rest on what no column shows.",
    CO_EM: "Compare with --method co-em.",
    JOINT: "Compare with --method joint.",
}


def verdict(outcomes: dict[str, Outcome]) -> tuple[dict[str, Any], list[str]]:
    """Return the facts ``sentence`` and ``helps``, and what must not be overlooked.

    Constraints tell whether it helps, or matches where no constraints were held out. It does where
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
    by_constraints = outcomes[name].kept is not None
    values = {
        one: outcome.facts()["kept" if by_constraints else "agreement"]
        for one, outcome in outcomes.items()
    }
    shares = {one: f"{100 * share:.0f} %" for one, share in values.items()}
    what = (
        "of held-out constraints"
        if by_constraints
        else "of matched rows together even without their match"
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
        f"{_as_subject(other)} keeps {shares[other]} {what}, this clustering"
        f" {shares[name]}, which is less by more than {_SURE:g} standard errors. {_DO[other]}"
        for other in behind
    ]


def _lead(winner: str, helps: bool | None, behind: list[str]) -> str:
    """Say who is ahead, and begin to say what it keeps."""
    if winner in (JOINT, CO_EM) and winner not in behind:
        how = "Better" if helps else "Not clearly better"
        return f"{how} than k-means on each table: this clustering"
    called = "K-means on each table" if winner == K_MEANS else _as_subject(winner)
    certainty = "" if winner in behind else ", if not clearly"
    return f"{called} does better here{certainty}: it"


def _of_stability(outcomes: dict[str, Outcome]) -> str:
    name = next(iter(outcomes))
    return (
        f"Too little data to tell whether it helps: give {FEWEST_CONSTRAINTS} constraints or"
        f" {FEWEST_MATCHES} matches. Stability is {outcomes[name].stability:.2f} of 1; that of"
        f" k-means {outcomes[K_MEANS].stability:.2f}."
    )


def _as_subject(name: str) -> str:
    called = "the method without constraints" if name == WITHOUT else _called(name)
    return called[0].upper() + called[1:]


def _called(name: str) -> str:
    return {JOINT: "the joint method", CO_EM: "the paper's method"}.get(name, name)
