"""Letters/Digits, §6.1: the letters I, J, L in one view, the digits 3, 8, 9 in the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mvcc.datasets._arff import read_arff
from mvcc.datasets._dataset import Dataset
from mvcc.datasets._pairing import pair_at_random


def load(rng: np.random.Generator, letters: Path, digits: Path) -> Dataset:
    """Load Letters/Digits, with I & 3, J & 8, L & 9 paired.

    The class attributes of the files list I, J, L and 3, 8, 9 in this order, so that paired classes have the same
    number.
    """
    (X_letters, y_letters), (X_digits, y_digits) = read_arff(letters), read_arff(digits)
    labels = [y_letters, y_digits]
    return Dataset(
        views=[X_letters, X_digits],
        labels=labels,
        relations=pair_at_random(labels, rng),
        names=("letters", "digits"),
    )
