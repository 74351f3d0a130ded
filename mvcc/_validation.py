"""Checks of arguments that more than one module needs."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from mvcc.exceptions import InvalidInputError

RandomState = int | np.random.SeedSequence | np.random.Generator | np.random.RandomState | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Turn whatever scikit-learn users call a random state into a NumPy generator."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(np.iinfo(np.int32).max))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"random_state={random_state!r} is not a non-negative integer, a seed sequence, a generator or None."
        ) from error


def as_array(values: ArrayLike, what: str) -> NDArray[Any]:
    """Turn an array-like into an array, or say why it is none."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InvalidInputError(f"{what} is not an array: {error}") from error


def is_clean(X: ArrayLike) -> TypeGuard[NDArray[np.float64]]:
    """Tell in one fast pass whether X is a C-ordered (n, d) array of finite floats already."""
    if not (type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.flags.c_contiguous and X.size):
        return False
    # a finite sum has finite terms; one that overflows is left to the thorough check
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))


def check_data(X: ArrayLike, what: str = "X") -> NDArray[np.float64]:
    """Return X as a C-ordered (n, d) float array without NaN and infinity."""
    if is_clean(X):
        return X
    try:
        checked: NDArray[np.float64] = check_array(X, dtype=np.float64, order="C", input_name=what)
    except ValueError as error:
        raise InvalidInputError(f"{what}: {error}") from error
    return checked


def check_labels(labels: ArrayLike, n: int, what: str) -> NDArray[np.int64]:
    """Return integer cluster labels of n rows, all 0 or more."""
    checked = as_array(labels, what)
    if checked.shape != (n,) or checked.dtype.kind not in "iu" or (n and checked.min() < 0):
        raise InvalidInputError(f"{what} must be {n} integers of 0 or more, one per row of X.")
    return checked.astype(np.int64, copy=False)


def check_metrics(metrics: ArrayLike, d: int, largest_label: int) -> NDArray[np.float64]:
    """Return the metric of every cluster, shape (k, d) or (k, d, d), finite."""
    learned = as_array(metrics, "metrics")
    if (
        learned.shape[1:] not in ((d,), (d, d))
        or len(learned) <= largest_label
        or learned.dtype.kind not in "iuf"
        or not np.isfinite(learned).all()
    ):
        raise InvalidInputError(
            f"metrics must be finite, of shape (k, {d}) or (k, {d}, {d}) with k > {largest_label}, the largest label; "
            f"their shape is {learned.shape}."
        )
    return learned.astype(np.float64, copy=False)


def class_codes(labels: NDArray[Any], what: str) -> NDArray[np.int64]:
    """Replace labels by the numbers of the distinct ones, from 0."""
    try:
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)
    except TypeError as error:
        raise InvalidInputError(f"{what} mixes labels that cannot be compared: {error}") from error


def check_number(
    value: Any, name: str, *, low: float, high: float = np.inf, low_included: bool = True, high_included: bool = True
) -> float:
    """Return a finite number of the given interval, or say what is allowed."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        above = value >= low if low_included else value > low
        below = value <= high if high_included else value < high
        if above and below and np.isfinite(value):
            return float(value)
    interval = f"{'[' if low_included else '('}{low:g}, {high:g}{']' if high_included and np.isfinite(high) else ')'}"
    raise InvalidInputError(f"{name}={value!r} is not allowed; a number in {interval} is.")


def check_count(value: Any, name: str, low: int = 1) -> int:
    """Return an integer of at least ``low``, or say what is allowed."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < low:
        raise InvalidInputError(f"{name}={value!r} is not allowed; an integer of at least {low} is.")
    return int(value)
