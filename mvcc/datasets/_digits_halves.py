"""Digits Halves: the left and the right halves of the handwritten digits that come with scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from mvcc.datasets._dataset import Dataset
from mvcc.datasets._split_table import split_table


def load(rng: np.random.Generator) -> Dataset:
    """Draw images of 8 × 8 pixels and cut them in the middle."""
    digits = load_digits()
    halves = tuple(half.reshape(len(half), -1) for half in (digits.images[:, :, :4], digits.images[:, :, 4:]))
    return split_table(rng, (halves[0], halves[1]), digits.target, ("left", "right"))
