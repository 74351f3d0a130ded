"""The benchmarks of multi-view clustering: tables of the same objects, in Matlab files."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mvcc._utils.arrays import Ints
from mvcc.datasets._dataset import Dataset
from mvcc.datasets._registry import registry
from mvcc.exceptions import DataError


def load(rng: np.random.Generator, file: Path) -> Dataset:
    """Read all tables of a file; nothing is drawn.

    Files have ``X`` and ``y``, objects as rows, or ``data`` and ``truelabel``, objects as columns.
    ``index`` has the numbers, from 1, of the objects that each table has.
    """
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        tables, classes, seen = _parts(loadmat(file))
    except (MatReadError, ValueError, KeyError, IndexError) as error:
        raise DataError(f"{file}: its tables cannot be read. Reason: {error!r}") from error
    known = {Path(f.name).name: info for info in registry().values() for f in info.files}
    info = known[file.name]
    expected = [(view.instances, view.features) for view in info.views]
    views = [np.array(X[rows], np.float64, order="C") for X, rows in zip(tables, seen, strict=True)]
    if [X.shape for X in views] != expected:
        raise DataError(
            f"{file}: its tables have the shapes {[X.shape for X in views]}, expected are "
            f"{expected}."
        )
    y = np.unique(classes, return_inverse=True)[1].astype(np.int64)
    matches = {}
    for u, v in combinations(range(len(views)), 2):
        _, *rows = np.intersect1d(seen[u], seen[v], assume_unique=True, return_indices=True)
        matches[u, v] = np.column_stack(rows).astype(np.int64)
    names = tuple(view.name for view in info.views)
    return Dataset(views, [y[rows] for rows in seen], matches, names)


def _parts(content: dict[str, Any]) -> tuple[list[NDArray[Any]], NDArray[Any], list[Ints]]:
    """Return the tables of a file, the classes of all objects, and the objects of each table."""
    if "X" in content:
        tables, classes = list(content["X"].ravel()), content["y"].ravel()
    else:
        tables = [columns.T for columns in content["data"].ravel()]
        classes = content["truelabel"].ravel()[0].ravel()
    seen = [np.arange(len(classes))] * len(tables)
    if "X" not in content and "index" in content:
        seen = [numbers.ravel().astype(np.int64) - 1 for numbers in content["index"].ravel()]
    return tables, classes, seen
