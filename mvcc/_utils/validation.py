"""Checks of arguments that more than one module needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.messages import in_brief, shown
from mvcc.exceptions import InvalidInputError

MAX = 2**62  # of an integer: one more is still one
MAX_ENTRIES = 2**28  # of matrices, two gibibytes
LARGEST_SQUARE = 1e300  # sums of squared distances stay within the range of floats

RandomState = int | np.random.SeedSequence | np.random.Generator | np.random.RandomState | None

_SEEDS = (int, np.integer, np.random.SeedSequence, np.random.BitGenerator, np.random.Generator)


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Turn whatever scikit-learn users call a random state into a NumPy generator."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(np.iinfo(np.int32).max))
    with suppress(ValueError):  # a negative number
        # of other types numpy understands some, and one crashes it
        if random_state is None or isinstance(random_state, _SEEDS):
            return np.random.default_rng(random_state)
    raise InvalidInputError(
        "random_state must be a non-negative integer, a seed sequence, a generator or None, got"
        f" {shown(random_state)}."
    )


def as_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """Turn an array-like into an array, or say why it is none."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InvalidInputError(f"{name} has masked values; leave such rows out.")
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(f"{name} is not an array: {in_brief(error, 500)}") from error


def as_labels(values: ArrayLike, name: str) -> NDArray[Any]:
    """Turn labels into an array; texts stay objects, so that NaN among them is not a text."""
    array = as_array(values, name)
    return np.asarray(values, dtype=object) if array.dtype.kind in "US" else array


def as_numbers(values: ArrayLike, name: str) -> NDArray[Any]:
    """Turn an array-like into an array, of numbers if it holds objects that are numbers."""
    array = as_array(values, name)
    if array.dtype.kind != "O":
        return array
    numbers = as_array(array.tolist(), name)
    return numbers if numbers.dtype.kind in "iuf" else array


def as_floats(values: ArrayLike, name: str) -> NDArray[Any]:
    """Turn an array-like into an array, of doubles if it holds numbers; inf beyond doubles."""
    array = as_numbers(values, name)
    if array.dtype.kind not in "iuf":
        return array
    with np.errstate(over="ignore"):
        return array.astype(np.float64, copy=False)


def as_list(values: Any, name: str) -> list[Any]:
    """Return the entries of a list that has one for each view, or say what was expected."""
    with suppress(TypeError):
        if not isinstance(values, Mapping):
            return list(values)
    raise InvalidInputError(
        f"{name} must be a list with one entry for each view, not {type(values).__name__}."
    )


def as_pandas(table: Any) -> Any:
    """Return a table of another library, such as polars or dask, as a DataFrame of pandas."""
    if hasattr(table, "columns") and hasattr(table, "compute"):  # of dask
        return table.compute()
    return table.to_pandas() if hasattr(table, "to_pandas") else table


class _InvalidTypeError(InvalidInputError, TypeError):
    """Sparse data, or objects that are no numbers: scikit-learn promises a TypeError for them."""


def is_clean(X: ArrayLike) -> TypeGuard[Floats]:
    """Tell in one fast pass whether X is C-ordered (n, d) finite floats, not too large."""
    if type(X) is not np.ndarray or X.dtype != np.float64 or X.ndim != 2:
        return False
    return bool(X.flags.c_contiguous and X.size) and _within_range(X)


def _within_range(X: Floats) -> bool:
    """Tell whether squared distances can be added up, which NaN and infinity forbid."""
    with np.errstate(over="ignore", invalid="ignore"):
        # not by BLAS, which waits for its threads where a machine is busy
        return bool(np.einsum("ij,ij->", X, X) <= LARGEST_SQUARE)


def check_data(X: ArrayLike, name: str = "X", *, sparse: bool = False) -> Floats:
    """Return X as C-ordered (n, d) finite floats, or, if ``sparse`` allows it, as sparse rows."""
    if is_clean(X):
        return X
    # what only reads constraints or makes random numbers needs no scikit-learn, which takes a
    # second to import
    from scipy.sparse import csr_array, issparse
    from sklearn.utils import check_array

    checked = checked_by(check_array, X, name, input_name=name, accept_sparse=sparse and "csr")
    return csr_array(checked) if issparse(checked) else checked


def checked_by(
    check: Callable[..., Any], X: ArrayLike, name: str, *, squared: bool = True, **options: Any
) -> Floats:
    """Return X, to be ``squared`` or not, as a check of scikit-learn does, or say what is wrong."""
    from sklearn import config_context

    if isinstance(X, np.ma.MaskedArray):  # else scikit-learn takes what the mask hides
        X = np.ma.filled(X.astype(np.float64), np.nan)
    try:
        # numpy warns of what scikit-learn refuses: infinities that are added up, numbers too large
        # for a float
        with np.errstate(over="ignore", invalid="ignore"), config_context(assume_finite=False):
            checked: Floats = check(X, **({"dtype": np.float64, "order": "C"} | options))
    except TypeError as error:
        where = _not_finite(X, error) if "NAType" in str(error) else ""
        raise _InvalidTypeError(f"{name}: {where or in_brief(error, 500)}") from error
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"{name}: {_not_finite(X, error) or in_brief(error, 500)}"
        ) from error
    if not squared:
        return checked
    values: Any = checked
    values = values.data[None] if hasattr(values, "indptr") else values  # a sparse matrix
    if not _within_range(values):
        raise InvalidInputError(
            f"{name}: values of up to {np.abs(values).max():.3g} are too large, their squares add"
            f" up to more than {LARGEST_SQUARE:g}; scale the data."
        )
    return checked


def _not_finite(X: Any, error: Exception) -> str:
    """Say where a table of numbers has the first value that is missing or infinite."""
    with suppress(TypeError, ValueError, OverflowError, IndexError):
        message = f"{str(error).splitlines()[0].removesuffix('.')}. The first one is in row"
        if hasattr(X, "tocsr"):
            cells = X.tocsr().tocoo()
            first = np.flatnonzero(~np.isfinite(cells.data))[0]
            return f"{message} {cells.row[first]}, column {cells.col[first]}."
        array = np.asarray(X)
        if array.dtype.kind == "O":
            import pandas as pd  # whose NA does not become one

            array = np.where(pd.isna(array), np.nan, array).astype(np.float64)
        if array.dtype.kind == "f" and array.ndim == 2 and not np.isfinite(array).all():
            row, column = np.argwhere(~np.isfinite(array))[0]
            column_name = shown(X.columns[column]) if hasattr(X, "columns") else column
            return f"{message} {row}, column {column_name}."
    return ""


def check_labels(labels: ArrayLike, n: int, name: str) -> Ints:
    """Return integer cluster labels of n rows, all 0 or more."""
    checked = as_array(labels, name)
    if (
        checked.shape != (n,)
        or checked.dtype.kind not in "iu"
        or (n and not 0 <= checked.min() <= checked.max() < MAX)
    ):
        raise InvalidInputError(f"{name} must be {n} integers of 0 or more, one per row of X.")
    return checked.astype(np.int64, copy=False)


def check_metrics(metrics: ArrayLike | None, d: int, largest_label: int) -> Floats | None:
    """Return the metric of every cluster, shape (k, d) or (k, d, d), finite; None without any."""
    if metrics is None:
        return None
    learned = as_floats(metrics, "metrics")
    if (
        learned.shape[1:] not in ((d,), (d, d))
        or len(learned) <= largest_label
        or learned.dtype != np.float64
        or not np.isfinite(learned).all()
        or (learned.ndim == 2 and not (learned > 0).all())
    ):
        raise InvalidInputError(
            f"metrics must be finite and positive, of shape (k, {d}) or (k, {d}, {d}) with k >"
            f" {largest_label}, the largest label; their shape is {learned.shape}."
        )
    return learned


def check_matrices(k: int, d: int) -> None:
    """Refuse as many matrices as fill the memory, before they are made."""
    if k * d * d > MAX_ENTRIES:
        raise InvalidInputError(
            f"{k} clusters in {d} dimensions need {k} matrices of {d} × {d} numbers, more than"
            f" {MAX_ENTRIES} in all; use fewer features of X, such as those of spectral_features or"
            " of sklearn.decomposition.PCA, or fewer labels."
        )


def class_codes(labels: NDArray[Any], name: str) -> Ints:
    """Replace labels by the numbers of the distinct ones, from 0."""
    import pandas as pd  # .2 s, which commands without labels do without

    missing = np.asarray(pd.isna(labels))
    if missing.any():
        raise InvalidInputError(
            f"{name} has no label (NaN) in row {int(missing.argmax())}; leave such rows out."
        )
    try:
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{name} mixes labels that cannot be compared: {in_brief(error, 500)}"
        ) from error


def check_alike(first: Any, second: Any, sizes: tuple[int, int], counts: str, names: str) -> None:
    """Refuse two of other sizes, or tables of pandas with their ids in other orders."""
    if sizes[0] != sizes[1]:
        raise InvalidInputError(f"{counts.format(*sizes)}; they must be as many.")
    check_order(first, second, names)


def check_order(first: Any, second: Any, names: str) -> None:
    """Refuse tables of pandas with the same ids in other orders, as rows go by place."""
    if not (hasattr(first, "iloc") and hasattr(second, "iloc")) or first.index.equals(second.index):
        return
    is_counted = "RangeIndex" in (type(first.index).__name__, type(second.index).__name__)
    if not is_counted and first.index.is_unique and {*first.index} == {*second.index}:
        raise InvalidInputError(
            f"{names} have the same row index in another order; bring one into the order of the"
            " other, as by one.loc[other.index]."
        )


def label_codes(labels: ArrayLike, name: str) -> Ints:
    """Return the class of every row as 0 … classes − 1, or say why these are no labels of rows."""
    array = as_labels(labels, name)
    if array.ndim != 1:
        raise InvalidInputError(
            f"{name} must hold one label per row, shape (n,), not {array.shape}."
        )
    return class_codes(array, name)


def check_number(
    value: Any, name: str, *, high: float = np.inf, zero_included: bool = True
) -> float:
    """Return a finite number from 0, or above it, to ``high``, or say what is allowed."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        with suppress(OverflowError):  # an integer beyond all floats
            number = float(value)
            if 0 <= number <= high and np.isfinite(number) and (zero_included or number > 0):
                return number
    interval = f"[0, {high:g}]"
    if not zero_included:
        interval = interval.replace("[", "(")
    if high == np.inf:
        interval = interval.replace("]", ")")
    raise InvalidInputError(f"{name} must be a number in {interval}, got {shown(value)}.")


def is_integer(value: Any) -> TypeGuard[int]:
    """Tell whether a value is an integer, of NumPy perhaps, and not a truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_count(value: Any, name: str, low: int = 1) -> int:
    """Return an integer of at least ``low``, or say what is allowed."""
    if not is_integer(value) or value < low:
        raise InvalidInputError(f"{name} must be an integer of at least {low}, got {shown(value)}.")
    if value >= MAX:
        raise InvalidInputError(f"{name} must be less than 2^62, got {shown(value)}.")
    return int(value)


def check_choice(value: Any, name: str, choices: Sequence[str]) -> None:
    """Refuse what is none of some words."""
    if not isinstance(value, str) or value not in choices:
        *first, last = map(repr, choices)
        raise InvalidInputError(f"{name} must be {', '.join(first)} or {last}, got {shown(value)}.")


def check_flag(value: Any, name: str) -> bool:
    """Return True or False, and refuse anything else."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidInputError(f"{name} must be True or False, got {shown(value)}.")
    return bool(value)
