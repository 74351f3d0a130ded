"""The arrays that constraints are made from: checked, sorted, or drawn from known labels (§6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.validation import (
    RandomState,
    as_array,
    as_floats,
    as_generator,
    as_numbers,
    check_count,
    label_codes,
)
from mvcc.exceptions import InvalidInputError

MAX_ROW = 2**31 - 1

Listed = tuple[Ints, Bools, Floats]  # pairs, whether each is a must-link, and weights


def check_pairs(pairs: ArrayLike) -> Ints:
    """Return (m, 2) row numbers, the smaller one of each pair first."""
    checked = as_numbers(pairs, "pairs")
    if checked.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if checked.ndim != 2 or checked.shape[1] != 2:
        raise InvalidInputError(
            f"pairs must have shape (m, 2), two row numbers per constraint, not {checked.shape}."
        )
    if checked.dtype.kind not in "iu":
        raise InvalidInputError(
            f"pairs must be integer row numbers, not {checked.dtype}; `fit` takes ids in a "
            "DataFrame with the columns i, j and kind."
        )
    outside = ((checked < 0) | (checked > MAX_ROW)).any(axis=1)
    bad = np.flatnonzero(outside | (checked[:, 0] == checked[:, 1]))
    if bad.size:
        raise InvalidInputError(
            f"pairs[{bad[0]}] = {checked[bad[0]].tolist()} links a row with itself, or no row of "
            f"0 … {MAX_ROW}; remove this constraint."
        )
    return np.sort(checked.astype(np.int64), axis=1)


def check_kinds(must_link: ArrayLike, n: int) -> Bools:
    kinds = as_array(must_link, "must_link")
    if kinds.dtype.kind == "O":  # truth values, it may be
        kinds = as_array(kinds.tolist(), "must_link")
    if kinds.shape != (n,):
        raise InvalidInputError(
            f"must_link must have one value per pair, shape ({n},), not {kinds.shape}."
        )
    if n and not (kinds.dtype.kind in "biu" and np.isin(kinds, (0, 1)).all()):
        raise InvalidInputError(
            "must_link must be True (must-link) or False (cannot-link) for every pair."
        )
    return kinds.astype(np.bool_)


def check_weights(weights: ArrayLike | None, n: int) -> Floats:
    """Return the weights of n constraints, 1 where none are given."""
    if weights is None:
        return np.ones(n)
    checked = as_floats(weights, "weights")
    if checked.dtype.kind not in "iuf" and checked.size:
        raise InvalidInputError(
            f"weights must be numbers, not {checked.dtype}; each must be finite and 0 or more."
        )
    checked = checked.astype(np.float64)
    if checked.shape != (n,):
        raise InvalidInputError(
            f"weights must have one value per pair, shape ({n},), not {checked.shape}."
        )
    bad = np.flatnonzero(~(np.isfinite(checked) & (checked >= 0)))
    if bad.size:
        raise InvalidInputError(
            f"weights[{bad[0]}] = {checked[bad[0]]}: a weight must be finite and 0 or more."
        )
    return checked


def concatenated(*several: Sequence[NDArray[Any]]) -> Any:
    return tuple(map(np.concatenate, zip(*several, strict=True)))


def keys_of(pairs: Ints, must_link: Bools) -> Ints:
    """Return a sortable integer per constraint: the pair, then must-link before cannot-link."""
    return (pairs[:, 0] << 32) | (pairs[:, 1] << 1) | ~must_link


def in_order(pairs: Ints, must_link: Bools, weights: Floats, *more: Any) -> Any:
    """Return arrays of constraints sorted by their keys, the heaviest of equal ones first."""
    order = np.lexsort((-weights, keys_of(pairs, must_link)))
    return (array[order] for array in (pairs, must_link, weights, *more))


def heaviest(pairs: Ints, must_link: Bools, weights: Floats) -> tuple[Ints, Bools, Floats]:
    """Return arrays of constraints sorted, only the heaviest of each pair and type."""
    keys = keys_of(pairs, must_link)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    most = np.maximum.reduceat(weights[order], starts)
    order = order[starts]
    return pairs[order], must_link[order], most


def sample_pairs(y: ArrayLike, n_constraints: int, random_state: RandomState) -> tuple[Ints, Bools]:
    """Draw pairs of rows, must-links or not, as ``Constraints.from_labels`` describes them."""
    n_wanted = check_count(n_constraints, "n_constraints", low=0)
    codes = label_codes(y, "y")
    rows = np.argsort(codes, kind="stable")
    n = len(rows)
    class_end = np.cumsum(np.bincount(codes))[codes[rows]]
    position = np.arange(n)
    # partners of the row at a position are those behind it, in its class, or behind the class
    spans = ((position + 1, class_end), (class_end, np.full(n, n)))
    n_per_kind = ((n_wanted + 1) // 2, n_wanted // 2)
    available = [np.append(0, np.cumsum(high - low)) for low, high in spans]
    kinds = ("must-link", "cannot-link")
    for n_asked, cumulative, kind in zip(n_per_kind, available, kinds, strict=True):
        if n_asked > cumulative[-1]:
            raise InvalidInputError(
                f"{n_asked} {kind} constraints were asked for, but the labels allow only "
                f"{cumulative[-1]}; ask for fewer."
            )
    # both kinds take turns in one stream of draws, so that a longer stream extends a shorter
    turn = np.arange(n_wanted)
    totals = np.array([cumulative[-1] for cumulative in available])[turn % 2]
    draws = as_generator(random_state).integers(turn // 2, totals)
    drawn = []
    for kind_of_turn, ((low, _), cumulative) in enumerate(zip(spans, available, strict=True)):
        index = _shuffled(draws[kind_of_turn::2])
        first = np.searchsorted(cumulative, index, side="right") - 1
        drawn.append(np.column_stack((rows[first], rows[low[first] + index - cumulative[first]])))
    return np.concatenate(drawn), np.arange(n_wanted) < n_per_kind[0]


def spans(start: Ints, size: Ints) -> tuple[Ints, Ints]:
    """Return the places in spans, one span after the other, each with the number of its span."""
    which = np.repeat(np.arange(len(size)), size)
    return which, np.arange(len(which)) + np.repeat(start - np.cumsum(size) + size, size)


def pairs_of_spans(start: Ints, size: Ints, pairs: Ints) -> tuple[Ints, Ints, Ints]:
    """Return all places in pairs of spans: the number of the pair, the place in either span."""
    first, second = pairs.T
    which, in_first = spans(start[first], size[first])
    row, in_second = spans(start[second][which], size[second][which])
    return which[row], in_first[row], in_second


def _shuffled(draws: Ints) -> Ints:
    """Make distinct numbers of draws, the t-th from t … total − 1, by Fisher and Yates' shuffle."""
    moved: dict[int, int] = {}
    chosen = []
    for position, draw in enumerate(draws.tolist()):
        chosen.append(moved.get(draw, draw))
        moved[draw] = moved.get(position, position)
    return np.array(chosen, dtype=np.int64)
