"""The co-EM loop over the views (Algorithm 2, steps 3–13), and how t_V is chosen (§6.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from itertools import permutations
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import called, naming, shown
from mvcc.constraints import (
    ConstraintMap,
    Constraints,
    Relations,
    Strengths,
    augment,
    call_rows,
    in_fold,
    mapped_rows,
    n_satisfied,
    neighborhood_folds,
    relations_between,
    unify,
)
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.co_em._transfer import ConstraintPropagation, TransferMethod, ViewState

# the thresholds of Table 1, and others on both sides
GRID = (0.05, 0.3, 0.5, 0.75, 0.9, 0.95, 0.99)
MAX_ITER = 4  # of co-EM in these fits: it hardly changes later on, but may go round in cycles


@dataclass(frozen=True)
class ViewRecord:
    """One view in one iteration of co-EM."""

    objective: float  # the value of Eq. 1 that the M-step reached
    propagated: Constraints  # P^V, what the view passes on, in its own rows


@dataclass(frozen=True)
class Outcome:
    """What co-EM ends with, and what was given, closed (`augment`)."""

    clusterers: list[Any]  # the fitted clustering of every view
    history: list[list[ViewRecord]]  # per iteration and view
    period: int | None  # of the cycle met; 0 means convergence, None that the limit came first
    constraints: list[Constraints]
    relations: Relations
    strengths: Strengths


@dataclass(frozen=True)
class CoEM:
    """Views and how to cluster them: what is the same for all constraints and transfer methods."""

    views: list[Floats]  # (n_v, d_v)
    base: Any  # cloned for every view
    seeds: list[int]  # the random state of the clustering of every view
    closure: Literal["full", "view", "none"]
    max_iter: int
    tol: float
    names: list[str] | None = None  # what messages call the views

    def run(
        self, constraints: list[Constraints], relations: Relations, transfer: TransferMethod
    ) -> Outcome:
        """Run Algorithm 2 on given constraints and relations."""
        if not transfer.uses_relations:
            relations = {}
        closed, relations, strengths = augment(
            constraints, relations, self.closure, call_rows(self.names)
        )
        loops = []
        for v, (X, c, seed) in enumerate(zip(self.views, closed, self.seeds, strict=True)):
            mapped = np.arange(len(X)) if len(closed) == 1 else mapped_rows(relations, v)
            clusterer = clone(self.base)
            if "random_state" in clusterer.get_params():
                clusterer.set_params(random_state=seed)
            state = ViewState(v, len(closed), X, c, mapped, clusterer)
            loops.append(_ViewLoop(state, transfer, self.names))
        for source, target in permutations(loops, 2):
            u, v = source.state.number, target.state.number
            weights = strengths.get((min(u, v), max(u, v)))
            across_views = ConstraintMap(relations_between(relations, u, v), weights)
            target.sources.append((source, across_views))
        history, period = _co_em(loops, self.max_iter, self.tol)
        clusterers = [loop.state.clusterer for loop in loops]
        return Outcome(clusterers, history, period, closed, relations, strengths)


class _ViewLoop:
    """The changing state of one view during co-EM."""

    def __init__(self, state: ViewState, transfer: TransferMethod, names: list[str] | None) -> None:
        self.state, self.transfer, self.names = state, transfer, names
        self.sources: list[tuple[_ViewLoop, ConstraintMap]] = []  # all other views
        self.unified: Constraints | None = None
        self.propagated = Constraints.empty()

    def update(self) -> ViewRecord:
        """Take the M-step and the E-step, but for the same constraints as before."""
        unified = unify(self.state.constraints, self._transferred())
        if unified != self.unified:
            self.unified = unified
            with naming(self.state.number, self.names):
                self.state.clusterer.fit(self.state.X, constraints=unified)
                inferred = self.transfer.infer(self.state)
            self.propagated = self._checked(inferred, f"{type(self.transfer).__name__}.infer()")
        return ViewRecord(float(self.state.clusterer.objective_), self.propagated)

    def _transferred(self) -> Constraints:
        """Return what all other views pass on, in rows of this one (Eq. 12 and 14)."""
        if not self.sources:
            return self.propagated
        return reduce(Constraints.max_union, (map_(view.propagated) for view, map_ in self.sources))

    def _checked(self, inferred: Any, by: str) -> Constraints:
        """Return what a method, which may be anybody's, infers, if it is of mapped rows."""
        view = self.state
        if not isinstance(inferred, Constraints):
            raise InvalidInputError(
                f"{by} returned {shown(inferred)}; mvcc.Constraints are needed."
            )
        outside = ~np.isin(inferred.pairs, view.mapped)
        if outside.any():
            raise InvalidInputError(
                f"{by} returned a constraint on row {inferred.pairs[outside][0]} of view"
                f" {called(view.number, self.names)}, which is not in view.mapped; constraints"
                " between rows of view.mapped are needed."
            )
        return inferred


def _co_em(
    loops: list[_ViewLoop], max_iter: int, tol: float
) -> tuple[list[list[ViewRecord]], int | None]:
    """Iterate until every view has converged (steps 6–13); return the history and the period."""
    # that of the cycle met: 0 if converged, None at the limit
    history: list[list[ViewRecord]] = []
    for iteration in range(max_iter):
        history.append([loop.update() for loop in loops])
        if iteration and all(
            abs(now.objective - before.objective) <= tol
            for now, before in zip(*history[:-3:-1], strict=True)
        ):
            return history, 0
        if (period := period_of(history)) is not None:
            return history, period
    return history, None


def period_of(history: list[list[ViewRecord]]) -> int | None:
    """Return after how many iterations the last one comes again, or None."""
    # what the views pass on determines all that follows, so that its return means an endless cycle
    *before, last = [[record.propagated for record in records] for records in history]
    for former in range(len(before) - 2, -1, -1):
        if before[former] == last:
            return len(before) - former
    return None


def choose_threshold(
    co_em: CoEM,
    constraints: list[Constraints],
    relations: Relations,
    transfer: ConstraintPropagation,
    rng: np.random.Generator,
) -> float:
    """Return the threshold of ``GRID`` that satisfies most of the held-out constraints."""
    # In turn all constraints with an end in a fold of neighborhoods are held out. The given ones
    # are not closed, so that nothing of these is seen through the closure. The largest of equally
    # good thresholds infers the fewest constraints.
    brief = replace(co_em, max_iter=min(co_em.max_iter, MAX_ITER))
    folds = neighborhood_folds(constraints, relations, [len(X) for X in co_em.views], rng)
    satisfied = np.zeros(len(GRID), dtype=np.int64)
    for fold in range(1 + max(int(fold_numbers.max()) for fold_numbers in folds)):
        touched = in_fold(constraints, folds, fold)
        seen = [c.select(~mask) for c, mask in zip(constraints, touched, strict=True)]
        held_out = [c.select(mask) for c, mask in zip(constraints, touched, strict=True)]
        for index, threshold in enumerate(GRID):
            outcome = brief.run(seen, relations, clone(transfer).set_params(threshold=threshold))
            satisfied[index] += sum(
                map(n_satisfied, held_out, (clusterer.labels_ for clusterer in outcome.clusterers))
            )
    return GRID[np.flatnonzero(satisfied == satisfied.max())[-1]]
