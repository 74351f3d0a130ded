"""The threshold t_V of Constraint Propagation, chosen by cross-validation over the constrained instances (§6.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mvcc._co_em import CoEM
from mvcc._kernels.closure import components
from mvcc.constraints import Constraints
from mvcc.exceptions import InvalidInputError
from mvcc.mapping import Relations
from mvcc.transfer import ConstraintPropagation

GRID = (0.05, 0.3, 0.5, 0.75, 0.9, 0.95, 0.99)  # the thresholds of Table 1, and others on both sides
N_FOLDS = 10  # a cannot-link has two ends: with fewer folds far fewer of them are left to train on
MAX_ITER = 4  # of co-EM in these fits: it hardly changes later on, but may go round in cycles


def choose_threshold(
    co_em: CoEM,
    constraints: list[Constraints],
    relations: Relations,
    transfer: ConstraintPropagation,
    rng: np.random.Generator,
) -> float:
    """Return the threshold of ``GRID`` whose clusterings satisfy most of the constraints that they have not seen.

    In turn each fold of neighbourhoods is held out: all constraints with an end in it. The rest is closed anew, so
    that nothing of what is held out is seen through the closure. Of equally good thresholds the largest one is
    chosen, which infers the fewest constraints.

    Parameters
    ----------
    co_em : CoEM
        How the views are clustered.
    constraints : list of Constraints
        The given ones of every view, not closed.
    relations : dict
    transfer : ConstraintPropagation
        What else it is told but the threshold.
    rng : numpy Generator
        Draws the folds.

    Raises
    ------
    InvalidInputError
        When the constrained instances form fewer than two neighbourhoods, so that none can be held out.
    """
    brief = replace(co_em, max_iter=min(co_em.max_iter, MAX_ITER))
    folds = neighborhood_folds(constraints, relations, [len(X) for X in co_em.views], rng)
    satisfied = np.zeros(len(GRID), dtype=np.int64)
    for fold in range(1 + max(int(numbers.max()) for numbers in folds)):
        touched = in_fold(constraints, folds, fold)
        seen = [c._select(~mask) for c, mask in zip(constraints, touched, strict=True)]
        held_out = [c._select(mask) for c, mask in zip(constraints, touched, strict=True)]
        for place, threshold in enumerate(GRID):
            outcome = brief.run(seen, relations, clone(transfer).set_params(threshold=threshold))
            satisfied[place] += sum(map(n_satisfied, held_out, (found.labels_ for found in outcome.clusterers)))
    return GRID[np.flatnonzero(satisfied == satisfied.max())[-1]]


def neighborhood_folds(
    constraints: list[Constraints],
    relations: Relations,
    sizes: Sequence[int],
    rng: np.random.Generator,
    n_folds: int = N_FOLDS,
) -> list[NDArray[np.int64]]:
    """Divide the constrained instances into folds at random, whole neighbourhoods together.

    A neighbourhood is what must-links and relations connect over all views: were it divided, the training part would
    tell of the held-out part by transitivity. Fewer neighbourhoods than ``n_folds`` make as many folds.

    Returns
    -------
    list of (n_v,) arrays
        Number of the fold of every row, per view; −1 for rows without constraints.

    Raises
    ------
    InvalidInputError
        When there are fewer than two neighbourhoods.
    """
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    links = [c.pairs[c.must_link] + offsets[view] for view, c in enumerate(constraints)]
    links += [rows + offsets[list(key)] for key, rows in relations.items()]
    first, second = np.concatenate(links).T
    root = components(int(offsets[-1]), first, second)
    constrained = np.unique(np.concatenate([c.pairs.ravel() + offsets[view] for view, c in enumerate(constraints)]))
    found, neighborhood = np.unique(root[constrained], return_inverse=True)
    if len(found) < 2:
        raise InvalidInputError(
            f"Cross-validation holds out whole neighbourhoods of constrained instances in turn and needs at least two; "
            f"the constraints have {len(found)}. Give more constraints, or a number in (0, 1] as threshold."
        )
    folds = np.full(offsets[-1], -1)
    folds[constrained] = (rng.permutation(len(found)) % n_folds)[neighborhood]
    return np.split(folds, offsets[1:-1])


def in_fold(constraints: list[Constraints], folds: list[NDArray[np.int64]], fold: int) -> list[NDArray[np.bool_]]:
    """Tell, per view, which constraints have an end in a fold of ``neighborhood_folds``."""
    return [(numbers[c.pairs] == fold).any(axis=1) for c, numbers in zip(constraints, folds, strict=True)]


def n_satisfied(constraints: Constraints, labels: NDArray[np.int64]) -> int:
    """Return how many constraints a clustering satisfies."""
    i, j = constraints.pairs.T
    return int(np.sum((labels[i] == labels[j]) == constraints.must_link))
