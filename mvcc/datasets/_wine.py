"""Wine: the columns of scikit-learn's table of wines in two views."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_wine

from mvcc.datasets._dataset import Dataset
from mvcc.datasets._split_table import split_table


def load(rng: np.random.Generator) -> Dataset:
    """Draw wines; their first six columns, alcohol to phenols, are one view, flavanoids to proline the other."""
    wine = load_wine()
    return split_table(rng, (wine.data[:, :6], wine.data[:, 6:]), wine.target, ("first", "second"))
