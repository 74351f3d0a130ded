"""Protein, §6.1: six classes of proteins, three in each view."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mvcc.datasets._arff import read_arff
from mvcc.datasets._dataset import Dataset
from mvcc.datasets._pairing import pair_at_random


def load(rng: np.random.Generator, proteins: Path) -> Dataset:
    """Load Protein: classes c1, c2, c3 in one view, paired with c4, c5, c6 in the other.

    Parameters
    ----------
    rng : Generator
        Draws the pairs within the classes.
    proteins : Path
        ``protein.arff``, whose class attribute lists c1 to c6.

    Returns
    -------
    Dataset
        Views of shape (67, 20) and (49, 20), 47 relations.
    """
    X, y = read_arff(proteins)
    first = y < 3
    labels_first, labels_second = y[first], y[~first] - 3
    return Dataset(
        views=[X[first], X[~first]],
        labels=[labels_first, labels_second],
        relations={(0, 1): pair_at_random(labels_first, labels_second, rng)},
        names=("c1-c3", "c4-c6"),
    )
