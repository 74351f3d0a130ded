"""Folds of constraints: whole neighborhoods over all views are held out in turn (§6.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mvcc._utils.types import Bools, Ints
from mvcc.constraints._constraints import Constraints
from mvcc.constraints._kernels.closure import components
from mvcc.constraints._relations import Relations
from mvcc.exceptions import InvalidInputError

N_FOLDS = 10  # a cannot-link has two ends: with fewer folds far fewer of them are left to train on


def neighborhood_folds(
    constraints: list[Constraints],
    relations: Relations,
    sizes: Sequence[int],
    rng: np.random.Generator,
    n_folds: int = N_FOLDS,
) -> list[Ints]:
    """Give every row of every view the number of its random fold, −1 without constraints.

    Neighborhoods, over all views, stay together: a divided one would tell of what is held out.
    Fewer than ``n_folds`` make as many folds; fewer than two are an error.
    """
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    links = [c.pairs[c.must_link] + offsets[view] for view, c in enumerate(constraints)]
    links += [rows + offsets[list(key)] for key, rows in relations.items()]
    first, second = np.concatenate(links).T
    root = components(int(offsets[-1]), first, second)
    constrained = np.unique(
        np.concatenate([c.pairs.ravel() + offsets[view] for view, c in enumerate(constraints)])
    )
    found, neighborhood = np.unique(root[constrained], return_inverse=True)
    if len(found) < 2:
        raise InvalidInputError(
            "Cross-validation holds out whole neighborhoods of constrained instances in turn and "
            f"needs at least two; the constraints have {len(found)}. Give more constraints, or a "
            "number in (0, 1] as threshold."
        )
    folds = np.full(offsets[-1], -1)
    folds[constrained] = (rng.permutation(len(found)) % n_folds)[neighborhood]
    return np.split(folds, offsets[1:-1])


def in_fold(constraints: list[Constraints], folds: list[Ints], fold: int) -> list[Bools]:
    """Tell, per view, which constraints have an end in a fold of ``neighborhood_folds``."""
    return [
        (numbers[c.pairs] == fold).any(axis=1)
        for c, numbers in zip(constraints, folds, strict=True)
    ]


def n_satisfied(constraints: Constraints, labels: Ints) -> int:
    """Return how many constraints a clustering satisfies."""
    i, j = constraints.pairs.T
    return int(np.sum((labels[i] == labels[j]) == constraints.must_link))
