"""Protein, §6.1: six classes of proteins, three in each of two views or two in each of three."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mvcc.datasets._arff import read_arff
from mvcc.datasets._dataset import Dataset
from mvcc.datasets._options import check_choice
from mvcc.datasets._pairing import pair_at_random


def load(rng: np.random.Generator, proteins: Path, *, n_views: int = 2) -> Dataset:
    """Load Protein: classes c1, c2, c3 in one view, paired with c4, c5, c6 in the other.

    In three views (§5.3) there are c1 and c2, c3 and c4, c5 and c6; c1, c3, c5 are joined, and c2, c4, c6. These have
    35, 47 and 34 rows, and 33 relations between any two.
    """
    count = check_choice(n_views, "n_views", (2, 3))
    X, y = read_arff(proteins)
    size = 6 // count  # classes of a view
    homes, classes = np.divmod(y, size)
    labels = [classes[homes == view] for view in range(count)]
    return Dataset(
        views=[X[homes == view] for view in range(count)],
        labels=labels,
        relations=pair_at_random(labels, rng),
        names=tuple(f"c{size * view + 1}-c{size * (view + 1)}" for view in range(count)),
    )
