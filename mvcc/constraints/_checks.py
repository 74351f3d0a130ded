"""Checks of the arrays that constraints are made from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mvcc._utils.validation import as_array, as_floats
from mvcc.exceptions import InvalidInputError

MAX_ROW = 2**31 - 1


def check_pairs(pairs: ArrayLike) -> NDArray[np.int64]:
    """Return (m, 2) row numbers, the smaller one of each pair first."""
    checked = as_array(pairs, "pairs")
    if checked.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if checked.ndim != 2 or checked.shape[1] != 2:
        raise InvalidInputError(f"pairs must have shape (m, 2), two row numbers per constraint, not {checked.shape}.")
    if checked.dtype.kind not in "iu":
        hint = "" if checked.dtype.kind in "fcb" else "; `fit` takes ids in a DataFrame with the columns i, j and kind"
        raise InvalidInputError(f"pairs must be integer row numbers, not {checked.dtype}{hint}.")
    if checked.min() < 0 or checked.max() > MAX_ROW:
        bad = int(np.flatnonzero(((checked < 0) | (checked > MAX_ROW)).any(axis=1))[0])
        raise InvalidInputError(f"pairs[{bad}] = {checked[bad].tolist()}: row numbers must lie in 0 … {MAX_ROW}.")
    same = np.flatnonzero(checked[:, 0] == checked[:, 1])
    if same.size:
        raise InvalidInputError(
            f"pairs[{same[0]}] = {checked[same[0]].tolist()} links a row with itself; remove this constraint."
        )
    return np.sort(checked.astype(np.int64), axis=1)


def check_kinds(must_link: ArrayLike, n: int) -> NDArray[np.bool_]:
    """Return whether each of n constraints is a must-link."""
    kinds = as_array(must_link, "must_link")
    if kinds.shape != (n,):
        raise InvalidInputError(f"must_link must have one value per pair, shape ({n},), not {kinds.shape}.")
    if n and kinds.dtype.kind != "b" and not (kinds.dtype.kind in "iu" and np.isin(kinds, (0, 1)).all()):
        raise InvalidInputError("must_link must be True (must-link) or False (cannot-link) for every pair.")
    return kinds.astype(np.bool_)


def check_weights(weights: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Return the weights of n constraints, 1 where none are given."""
    if weights is None:
        return np.ones(n)
    checked = as_floats(weights, "weights")
    if checked.dtype.kind not in "iuf" and checked.size:
        raise InvalidInputError(f"weights must be numbers, not {checked.dtype}; each must be finite and 0 or more.")
    checked = checked.astype(np.float64)
    if checked.shape != (n,):
        raise InvalidInputError(f"weights must have one value per pair, shape ({n},), not {checked.shape}.")
    bad = np.flatnonzero(~(np.isfinite(checked) & (checked >= 0)))
    if bad.size:
        raise InvalidInputError(f"weights[{bad[0]}] = {checked[bad[0]]}: a weight must be finite and 0 or more.")
    return checked
