"""The threshold t_V of Constraint Propagation, chosen by cross-validation (§6.3)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.base import clone

from mvcc.constraints import Constraints, Relations, in_fold, n_satisfied, neighborhood_folds
from mvcc.multiview.co_em._loop import CoEM
from mvcc.multiview.co_em._transfer import ConstraintPropagation

# the thresholds of Table 1, and others on both sides
GRID = (0.05, 0.3, 0.5, 0.75, 0.9, 0.95, 0.99)
MAX_ITER = 4  # of co-EM in these fits: it hardly changes later on, but may go round in cycles


def choose_threshold(
    co_em: CoEM,
    constraints: list[Constraints],
    relations: Relations,
    transfer: ConstraintPropagation,
    rng: np.random.Generator,
) -> float:
    """Return the threshold of ``GRID`` that satisfies most of the held-out constraints.

    In turn each fold of neighborhoods is held out: all constraints with an end in it. The rest
    is closed anew, so that nothing of what is held out is seen through the closure; the
    constraints are therefore the given ones, not closed. Among equally good thresholds the
    largest one is chosen, which infers the fewest constraints.

    Raises InvalidInputError: when the constrained instances form fewer than two neighborhoods,
    so that none can be held out.
    """
    brief = replace(co_em, max_iter=min(co_em.max_iter, MAX_ITER))
    folds = neighborhood_folds(constraints, relations, [len(X) for X in co_em.views], rng)
    satisfied = np.zeros(len(GRID), dtype=np.int64)
    for fold in range(1 + max(int(numbers.max()) for numbers in folds)):
        touched = in_fold(constraints, folds, fold)
        seen = [c.select(~mask) for c, mask in zip(constraints, touched, strict=True)]
        held_out = [c.select(mask) for c, mask in zip(constraints, touched, strict=True)]
        for place, threshold in enumerate(GRID):
            outcome = brief.run(seen, relations, clone(transfer).set_params(threshold=threshold))
            satisfied[place] += sum(
                map(n_satisfied, held_out, (found.labels_ for found in outcome.clusterers))
            )
    return GRID[np.flatnonzero(satisfied == satisfied.max())[-1]]
