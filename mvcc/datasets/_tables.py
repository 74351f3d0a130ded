"""Protein, Letters/Digits (§6.1) and the benchmarks of multi-view clustering: tables in files.

Their checksums are verified, so that nothing else is checked here.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.reading import content_of
from mvcc._utils.text import decoded, nominal_values, parse_arff
from mvcc.datasets._dataset import Dataset, check_choice, pair_at_random
from mvcc.datasets._registry import registry
from mvcc.exceptions import DataError


def read_arff(path: Path) -> tuple[Floats, Ints]:
    """Read features, and the last attribute as classes, numbered as declared, from an ARFF file."""
    attributes, rows, _ = parse_arff(decoded(content_of(path), str(path), DataError), str(path))
    classes = nominal_values(attributes[-1])
    labels = [classes.index(row.pop()) for row in rows]
    return np.array(rows, dtype=np.float64), np.array(labels, dtype=np.int64)


def protein(rng: np.random.Generator, proteins: Path, *, n_views: int = 2) -> Dataset:
    """Load Protein: classes c1, c2, c3 in one view, paired with c4, c5, c6 in the other."""
    # In three views (§5.3) there are c1 and c2, c3 and c4, c5 and c6; c1, c3, c5 are joined, and
    # c2, c4, c6. These have 35, 47 and 34 rows, and 33 relations between any two.
    count = check_choice(n_views, "n_views", (2, 3))
    X, y = read_arff(proteins)
    size = 6 // count  # classes of a view
    view_of_row, classes = np.divmod(y, size)
    labels = [classes[view_of_row == view] for view in range(count)]
    views = [X[view_of_row == view] for view in range(count)]
    names = tuple(f"c{size * view + 1}-c{size * (view + 1)}" for view in range(count))
    return Dataset(views, labels, pair_at_random(labels, rng), names)


def letters_digits(rng: np.random.Generator, letters: Path, digits: Path) -> Dataset:
    """Load Letters/Digits; I & 3, J & 8, L & 9 are paired, as the files list their classes."""
    (X_letters, y_letters), (X_digits, y_digits) = read_arff(letters), read_arff(digits)
    labels = [y_letters, y_digits]
    relations = pair_at_random(labels, rng)
    return Dataset([X_letters, X_digits], labels, relations, ("letters", "digits"))


def field(rng: np.random.Generator, file: Path) -> Dataset:
    """Read all tables of a Matlab file, whose rows match where they are of the same object."""
    # Files have ``X`` and ``y``, objects as rows, or ``data`` and ``truelabel``, objects as
    # columns. ``index`` has the numbers, from 1, of the objects that each table has.
    from scipy.io import loadmat

    content = loadmat(file)
    if "X" in content:
        tables, classes = list(content["X"].ravel()), content["y"].ravel()
    else:
        tables = [columns.T for columns in content["data"].ravel()]
        classes = content["truelabel"].ravel()[0].ravel()
    seen = [np.arange(len(classes))] * len(tables)
    if "X" not in content and "index" in content:
        seen = [index.ravel().astype(np.int64) - 1 for index in content["index"].ravel()]
    y = np.unique(classes, return_inverse=True)[1].astype(np.int64)
    matches = {}
    for u, v in combinations(range(len(tables)), 2):
        _, *rows = np.intersect1d(seen[u], seen[v], assume_unique=True, return_indices=True)
        matches[u, v] = np.column_stack(rows).astype(np.int64)
    infos = {Path(f.name).name: info for info in registry().values() for f in info.files}
    views = [np.array(X[rows], np.float64, order="C") for X, rows in zip(tables, seen, strict=True)]
    names = tuple(view.name for view in infos[file.name].views)
    return Dataset(views, [y[rows] for rows in seen], matches, names)
