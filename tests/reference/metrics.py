"""Scores over all pairs of instances (§6.2, Eq. 19; §6.3)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from .constraint_sets import rows


def pairwise_f_measure(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Eq. 19, §6.2: harmonic mean of precision and recall of the pairs put into one cluster.

    0 if no pair is correct, but 1 if no pair is predicted and none should be.
    """
    true, predicted = list(y_true), list(y_pred)  # type: ignore[arg-type]
    n_predicted = n_same = n_correct = 0
    for i in range(len(true)):
        for j in range(i + 1, len(true)):
            is_predicted = predicted[i] == predicted[j]
            is_same = true[i] == true[j]
            n_predicted += is_predicted
            n_same += is_same
            n_correct += is_predicted and is_same
    if n_predicted == 0 and n_same == 0:
        return 1.0
    if n_correct == 0:
        return 0.0
    precision = n_correct / n_predicted
    recall = n_correct / n_same
    return 2 * precision * recall / (precision + recall)


def weighted_precision(constraints, y_true, kind=None) -> float:
    """Share of the constraints, by weight, that agree with the true labels (§6.3).

    ``kind`` "must-link" or "cannot-link" looks at one type. NaN if there is no weight at all.
    """
    correct = total = 0.0
    for i, j, is_must_link, w in rows(*constraints):
        if kind is not None and kind != ("must-link" if is_must_link else "cannot-link"):
            continue
        total += w
        if is_must_link == bool(y_true[i] == y_true[j]):
            correct += w
    return correct / total if total > 0 else math.nan
