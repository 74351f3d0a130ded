"""Breast Cancer: the columns of scikit-learn's table of cell nuclei in two views."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer

from mvcc.datasets._dataset import Dataset
from mvcc.datasets._split_table import split_table


def load(rng: np.random.Generator) -> Dataset:
    """Draw samples; means and standard errors of what was measured are one view, the worst values the other."""
    cancer = load_breast_cancer()
    return split_table(rng, (cancer.data[:, :20], cancer.data[:, 20:]), cancer.target, ("mean", "worst"))
