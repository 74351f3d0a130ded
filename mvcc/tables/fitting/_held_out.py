"""Constraints and matches that are held out, and what a clustering that keeps them is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import confusion_matrix

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.messages import for_reader
from mvcc.constraints import Constraints, Relations, in_fold
from mvcc.embedding import find_objects
from mvcc.exceptions import ConstraintConflictError
from mvcc.results import JOINT, K_MEANS
from mvcc.tables.fitting._fit import Labels

FEWEST_CONSTRAINTS = 20
FEWEST_MATCHES = 10
CONSTRAINT_FOLDS = 6  # more would take more than twice the time of the clustering itself
MATCH_FOLDS = 4
_MOST_CLOSED = 1_000  # constrained rows of a view
Key = tuple[int, int]
CO_EM, WITHOUT = "co-em", "without constraints"
_SURE = 2.5  # standard errors; by 2, one in twenty comparisons of equals would find a difference
_CALLED = {JOINT: "the joint method", CO_EM: "the paper's method"}
_SUBJECTS = {
    K_MEANS: "K-means",
    WITHOUT: "The method without constraints",
    CO_EM: "The paper's method",
    JOINT: "The joint method",
}
_BETTER = {**_SUBJECTS, K_MEANS: "K-means on each table"}


class Scores(NamedTuple):
    """What was held out, one after the other, and whether a clustering without it keeps it."""

    # (n,): 1 where it is kept, else 0, or as `Cut.beyond_chance`; or a difference of two of these
    hits: Floats
    kinds: Ints  # (n,): every kind counts alike
    ends: Ints  # (n, 2): the two objects that it is about. What shares one is not independent

    def share(self) -> tuple[float, float]:
        """Return the mean of the kinds, and its standard error, robust to shared objects.

        Each object adds the square of the sum of what is about it, less the pairs, which two add
        (Aronow, Samii and Assenova, "Cluster-Robust Variance Estimation for Dyadic Data", 2015).
        """
        kinds, index, counts = np.unique(self.kinds, return_inverse=True, return_counts=True)
        means = np.bincount(index, self.hits) / counts
        parts = (self.hits - means[index]) / (len(kinds) * counts[index])
        pair = np.unique(self.ends, axis=0, return_inverse=True)[1].ravel()
        alone = (np.bincount(pair, parts) ** 2).sum()
        sharing = (np.bincount(self.ends.ravel(), np.repeat(parts, 2)) ** 2).sum() - alone
        return float(means.mean()), float(np.sqrt(max(alone, sharing)))


def ahead(one: Scores, other: Scores) -> tuple[float, float]:
    """Return how far one clustering is ahead of another on the same, and the standard error."""
    return Scores(one.hits - other.hits, one.kinds, one.ends).share()


class ConstraintFold(NamedTuple):
    """The constraints that a clustering sees, and what is known of objects that it does not."""

    seen: list[Constraints]
    # with what follows from them, so that a constrained row is compared with all of its group
    held_out: list[Constraints]
    ends: list[Ints]  # (m_v, 2): the objects that these are about, in ascending order

    def tested(self, labels: Labels) -> Scores:
        """Tell which of the constraints that were held out the clusters keep."""
        clusters = [of_view[c.pairs] for of_view, c in zip(labels, self.held_out, strict=True)]
        kinds = np.concatenate([c.must_link for c in self.held_out])
        is_same = np.concatenate([pair[:, 0] == pair[:, 1] for pair in clusters])
        hits, ends = (is_same == kinds).astype(float), np.concatenate(self.ends)
        return Scores(hits, kinds.astype(np.int64), ends)


def constraint_folds(
    given: list[Constraints], relations: Relations, sizes: Sequence[int], seed: int
) -> list[ConstraintFold]:
    """Return folds of constrained objects, none where fewer than twenty constraints are given.

    An object is held out with all its constraints, so nothing that is seen tells of it. The rest of
    its group stays: without whole neighborhoods, too little would be left to learn from if they are
    few and large.
    """
    if sum(map(len, given)) < FEWEST_CONSTRAINTS:
        return []
    n_objects, objects = find_objects(sizes, relations)
    ends = [row_objects[c.pairs.ravel()] for row_objects, c in zip(objects, given, strict=True)]
    constrained = np.unique(np.concatenate(ends))
    order = np.random.default_rng(seed).permutation(len(constrained))
    of_object = np.full(n_objects, -1)
    of_object[constrained] = order % CONSTRAINT_FOLDS
    of_row = [of_object[row_objects] for row_objects in objects]
    known = [_closed(c) for c in given]
    folds = []
    for fold in range(CONSTRAINT_FOLDS):
        unseen = in_fold(given, of_row, fold)
        seen = [c.select(~mask) for c, mask in zip(given, unseen, strict=True)]
        unseen = in_fold(known, of_row, fold)
        held_out = [c.select(mask) for c, mask in zip(known, unseen, strict=True)]
        ends = [
            np.sort(row_objects[c.pairs], axis=1)
            for row_objects, c in zip(objects, held_out, strict=True)
        ]
        folds.append(ConstraintFold(seen, held_out, ends))
    return folds


def _closed(given: Constraints) -> Constraints:
    """Return constraints with what follows, or as given where they are many or contradictory."""
    if len(np.unique(given.pairs)) > _MOST_CLOSED:
        return given
    try:
        return given.closure()
    except ConstraintConflictError:  # the job may allow it
        return given


def match_folds(
    relations: Relations, sizes: Sequence[int], seed: int
) -> list[tuple[Relations, Relations]]:
    """Return folds of matches, seen and cut: those of an object at once, those of few never."""
    enough = {key for key, rows in relations.items() if len(rows) >= FEWEST_MATCHES}
    if not enough:
        return []
    n_objects, objects = find_objects(sizes, relations)
    of_object = np.random.default_rng(seed).permutation(n_objects) % MATCH_FOLDS
    of_match = {(u, v): of_object[objects[u][rows[:, 0]]] for (u, v), rows in relations.items()}
    return [
        (
            {key: rows[of_match[key] != fold] for key, rows in relations.items()},
            {key: relations[key][of_match[key] == fold] for key in sorted(enough)},
        )
        for fold in range(MATCH_FOLDS)
    ]


class Cut(NamedTuple):
    """The clusters of matched rows of two views, by clusterings without these matches."""

    first: Ints
    second: Ints

    @property
    def agreement(self) -> float:
        """The share that is in the same cluster."""
        return float((self.first == self.second).mean())

    @property
    def by_chance(self) -> float:
        """The share that would be if the matches were drawn at random."""
        k = 1 + max(int(self.first.max()), int(self.second.max()))
        first, second = (np.bincount(labels, minlength=k) for labels in (self.first, self.second))
        return float(first @ second / len(self.first) ** 2)

    def beyond_chance(self) -> Floats:
        """Return 1 for every match that is kept, and less than 0 for others: 0 by chance."""
        chance = self.by_chance
        return ((self.first == self.second) - chance) / max(1 - chance, 1e-12)

    def facts(self, k: int) -> dict[str, Any]:
        """Return it ready for JSON; the table has a line for every cluster of the first view."""
        return {
            "agreement": self.agreement,
            "by_chance": self.by_chance,
            "n": len(self.first),
            "table": confusion_matrix(self.first, self.second, labels=np.arange(k)).tolist(),
        }


class Outcome(NamedTuple):
    """What a method keeps of what was held out, and how stable it is."""

    kept: Scores | None  # constraints; None where none were held out
    cuts: dict[Key, Cut]  # matches; empty where none were cut
    # mean adjusted Rand index of clusterings that follow each other, each by another seed and, if
    # some were held out, by other constraints
    stability: float

    def tested(self) -> Scores | None:
        """Return what tells best whether the method helps: constraints, else matches."""
        if self.kept or not self.cuts:
            return self.kept
        hits = np.concatenate([cut.beyond_chance() for cut in self.cuts.values()])
        return Scores(hits, np.zeros(len(hits), np.int64), np.arange(2 * len(hits)).reshape(-1, 2))

    def mean(self, what: str) -> float | None:
        """Return the mean ``agreement`` of cut matches, or what it is ``by_chance``."""
        if not self.cuts:
            return None
        sizes = [len(cut.first) for cut in self.cuts.values()]
        values = [getattr(cut, what) for cut in self.cuts.values()]
        return float(np.average(values, weights=sizes))

    def facts(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        kept = error = None
        if self.kept:
            kept, error = self.kept.share()
        return {
            "kept": kept,
            "kept_error": error,
            "agreement": self.mean("agreement"),
            "by_chance": self.mean("by_chance"),
            "stability": self.stability,
        }


def verdict(outcomes: dict[str, Outcome]) -> tuple[dict[str, Any], list[str]]:
    """Return the facts ``sentence`` and ``helps``, and what must not be overlooked.

    The method of the job, which is the first, helps where it is ahead of k-means by more than 2.5
    standard errors, and behind no other method by as much; None where neither is certain.
    """
    name, *others = outcomes
    mine = outcomes[name].tested()
    if mine is None:
        sentence = (
            f"Too little data to tell whether it helps: give {FEWEST_CONSTRAINTS} constraints or"
            f" {FEWEST_MATCHES} matches. Stability is {outcomes[name].stability:.2f} of 1; that of"
            f" k-means {outcomes[K_MEANS].stability:.2f}."
        )
        return {"sentence": sentence, "helps": None}, []
    gaps = {other: ahead(mine, theirs) for other in others if (theirs := outcomes[other].tested())}
    behind = [other for other, (gap, error) in gaps.items() if gap < -_SURE * error]
    gap, error = gaps[K_MEANS]
    key, quantity, better = "kept", "of held-out constraints", "Better than k-means on each table"
    if outcomes[name].kept is None:
        key, quantity = "agreement", "of matched rows together even without their match"
        better = "Matched rows agree better than by k-means on each table"  # and no more is known
    kept = {method: round(100 * outcome.facts()[key]) for method, outcome in outcomes.items()}
    shares = {method: f"{percentage} %" for method, percentage in kept.items()}
    helps: bool | None = None
    if behind:
        helps = False
    elif gap > _SURE * error:
        helps = True
    winner = next(iter(behind), name)
    if gap < 0 and (behind or kept[K_MEANS] > kept[name]):
        winner = K_MEANS
    if winner != name:
        doubt = "" if winner in behind else ", if not clearly"
        does = f"{_BETTER[winner]} does better here{doubt}: it"
    elif helps:
        does = f"{better}: this clustering"
    else:
        does = "Not clearly better than k-means on each table: this clustering"
    called = _CALLED | {name: "this clustering"}
    said = [f"{called.get(other, other)} {shares[other]}" for other in outcomes if other != winner]
    sentence = f"{does} keeps {shares[winner]} {quantity}, {', '.join(said)}."
    return {"sentence": sentence, "helps": helps}, [
        f"{_SUBJECTS[other]} keeps {shares[other]} {quantity}, this clustering"
        f" {shares[name]}, which is less by more than {_SURE:g} standard errors."
        f" {_remedy(other)}"
        for other in behind
    ]


def _remedy(better: str) -> str:
    if better == WITHOUT:
        return "The constraints may contradict each other, or rest on what no column shows."
    if better == K_MEANS:
        columns, k = for_reader("--columns", "columns"), for_reader("-k", "n_clusters")
        return f"Try other columns ({columns}), another number of clusters ({k}), or use k-means."
    method = for_reader(f"--method {better}", f'method="{better}"')
    return f"Compare with {method}."
