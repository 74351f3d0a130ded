"""Tables of scikit-learn in two views: each has some of the columns, and a part of the rows."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from mvcc._utils.types import Floats, Ints
from mvcc.datasets._dataset import Dataset

_PARTS = (0.5, 0.6)  # of the rows of every class, in the first view and in the second


def split_table(
    rng: np.random.Generator, columns: tuple[Floats, Floats], y: Ints, names: tuple[str, str]
) -> Dataset:
    """Draw half of the rows of every class for the first view, and a tenth more for the second."""
    first, second = [], []
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        few, many = (int(part * len(rows)) for part in _PARTS)
        first.append(rows[:few])
        second.append(rng.permutation(rows[:many]))
    drawn = [np.concatenate(rows) for rows in (first, second)]
    _, *related = np.intersect1d(drawn[0], drawn[1], assume_unique=True, return_indices=True)
    pairs = np.column_stack(related)
    return Dataset(
        [np.asarray(X[rows], np.float64) for X, rows in zip(columns, drawn, strict=True)],
        [y[rows].astype(np.int64) for rows in drawn],
        {(0, 1): pairs[np.argsort(pairs[:, 0])]},
        names,
    )


def wine(rng: np.random.Generator) -> Dataset:
    """Draw wines; alcohol to phenols are one view, flavanoids to proline the other."""
    wine = load_wine()
    return split_table(rng, (wine.data[:, :6], wine.data[:, 6:]), wine.target, ("first", "second"))


def breast_cancer(rng: np.random.Generator) -> Dataset:
    """Draw samples; means and standard errors are one view, the worst values the other."""
    cancer = load_breast_cancer()
    return split_table(
        rng, (cancer.data[:, :20], cancer.data[:, 20:]), cancer.target, ("mean", "worst")
    )


def digits_halves(rng: np.random.Generator) -> Dataset:
    """Draw images of 8 × 8 pixels and cut them in the middle."""
    digits = load_digits()
    halves = tuple(
        half.reshape(len(half), -1) for half in (digits.images[:, :, :4], digits.images[:, :, 4:])
    )
    return split_table(rng, (halves[0], halves[1]), digits.target, ("left", "right"))
