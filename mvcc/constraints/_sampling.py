"""Drawing constraints from known labels (§6.2), without ever listing all pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mvcc._utils.validation import RandomState, as_array, as_generator, check_count, class_codes
from mvcc.exceptions import InvalidInputError


def sample_pairs(
    y: ArrayLike, n_constraints: int, random_state: RandomState
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return pairs of rows and whether each is a must-link, as ``Constraints.from_labels`` describes them.

    Raises
    ------
    InvalidInputError
        When there are too few pairs of either kind.
    """
    n_wanted = check_count(n_constraints, "n_constraints", low=0)
    labels = as_array(y, "y")
    if labels.ndim != 1:
        raise InvalidInputError(f"y must hold one label per row, shape (n,), not {labels.shape}.")
    codes = class_codes(labels, "y")
    rows = np.argsort(codes, kind="stable")
    n = len(rows)
    class_end = np.cumsum(np.bincount(codes, minlength=1))[codes[rows]] if n else rows
    position = np.arange(n)
    # the partners of the row at a position are those behind it, in its own class or behind the class
    spans = ((position + 1, class_end), (class_end, np.full(n, n)))
    wanted = ((n_wanted + 1) // 2, n_wanted // 2)
    available = [np.concatenate((np.zeros(1, np.int64), np.cumsum(high - low))) for low, high in spans]
    for number, cumulative, kind in zip(wanted, available, ("must-link", "cannot-link"), strict=True):
        if number > cumulative[-1]:
            raise InvalidInputError(
                f"{number} {kind} constraints were asked for, but the labels allow only {cumulative[-1]}; "
                f"ask for fewer."
            )
    # must-links and cannot-links take turns in one stream of draws, so that a longer stream extends a shorter
    turn = np.arange(n_wanted)
    totals = np.array([cumulative[-1] for cumulative in available])[turn % 2]
    draws = as_generator(random_state).integers(turn // 2, totals)
    drawn = []
    for kind_of_turn, ((low, _), cumulative) in enumerate(zip(spans, available, strict=True)):
        index = _shuffled(draws[kind_of_turn::2])
        first = np.searchsorted(cumulative, index, side="right") - 1
        drawn.append(np.column_stack((rows[first], rows[low[first] + index - cumulative[first]])))
    return np.concatenate(drawn), np.arange(n_wanted) < wanted[0]


def _shuffled(draws: NDArray[np.int64]) -> NDArray[np.int64]:
    """Make distinct numbers of draws, the t-th of them from t … total − 1.

    This is the shuffle of Fisher and Yates, which keeps only the places that it has touched.
    """
    moved: dict[int, int] = {}
    chosen = []
    for place, draw in enumerate(draws.tolist()):
        chosen.append(moved.get(draw, draw))
        moved[draw] = moved.get(place, place)
    return np.array(chosen, dtype=np.int64)
