"""Scores of a clustering and of propagated constraints against known labels (§6.2, §6.3)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mvcc._utils.messages import shown
from mvcc._utils.validation import as_array, class_codes
from mvcc.constraints import Constraints
from mvcc.exceptions import InvalidInputError


def pairwise_f_measure(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Pairwise F-measure of a clustering (Eq. 19, §6.2), over all pairs of rows.

    Computed from the contingency table in O(n + clusters), exactly.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels; their names do not matter.

    Returns
    -------
    float
        In [0, 1]. 1 when neither labelling puts any two rows together, 0 when no pair is correct.

    Raises
    ------
    InvalidInputError
        When the two do not have one label for each row.
    """
    truth, predicted = (_codes(labels, name) for labels, name in ((y_true, "y_true"), (y_pred, "y_pred")))
    if len(truth) != len(predicted):
        raise InvalidInputError(f"y_true has {len(truth)} labels and y_pred {len(predicted)}; they must be as many.")
    both = np.unique(truth * (predicted.max(initial=0) + 1) + predicted, return_counts=True)[1]
    correct, same, found = (_n_pairs(sizes) for sizes in (both, np.bincount(truth), np.bincount(predicted)))
    return 2 * correct / (same + found) if same + found else 1.0


def weighted_precision(
    constraints: Constraints, y_true: ArrayLike, kind: Literal["must-link", "cannot-link"] | None = None
) -> float:
    """Share of the weight of constraints that agrees with the true labels (§6.3, Fig. 7).

    Parameters
    ----------
    constraints : Constraints
    y_true : array-like of shape (n,)
        True labels of the rows.
    kind : {"must-link", "cannot-link"} or None, default=None
        Count only constraints of this kind.

    Returns
    -------
    float
        In [0, 1]; NaN when there is no weight to count.

    Raises
    ------
    InvalidInputError
        For an unknown kind, or constraints on rows that y_true does not have.
    """
    if not isinstance(kind, str | None) or kind not in ("must-link", "cannot-link", None):
        raise InvalidInputError(f"kind must be 'must-link', 'cannot-link' or None, got {shown(kind)}.")
    if not isinstance(constraints, Constraints):
        raise InvalidInputError(f"constraints must be mvcc.Constraints, not {type(constraints).__name__}.")
    labels = _codes(y_true, "y_true")
    largest = constraints.largest_row()
    if largest >= len(labels):
        raise InvalidInputError(f"A constraint names row {largest}, but y_true has only {len(labels)} labels.")
    counted = np.ones(len(constraints), np.bool_) if kind is None else constraints.must_link == (kind == "must-link")
    weights = constraints.weights[counted]
    with np.errstate(over="ignore"):
        if np.isinf(weights.sum()):
            weights = weights / weights.max()
    i, j = constraints.pairs[counted].T
    correct = (labels[i] == labels[j]) == constraints.must_link[counted]
    right, wrong = float(weights[correct].sum()), float(weights[~correct].sum())
    return right / (right + wrong) if right + wrong else float("nan")


def _codes(labels: ArrayLike, name: str) -> NDArray[np.int64]:
    array = as_array(labels, name)
    if array.ndim != 1:
        raise InvalidInputError(f"{name} must hold one label per row, shape (n,), not {array.shape}.")
    if array.dtype.kind in "iu" and array.size and array.min() >= 0 and array.max() <= 4 * array.size:
        return array.astype(np.int64, copy=False)
    return class_codes(array, name)


def _n_pairs(sizes: NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1)).sum()) // 2
