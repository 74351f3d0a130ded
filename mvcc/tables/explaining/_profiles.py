"""What each cluster is.

Its name, what sets it apart, and which of its rows are typical, borderline or odd.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from mvcc._utils.blocks import blocks_of
from mvcc._utils.types import Floats, Ints
from mvcc.tables.explaining._distinguishing import (
    distinguishing_columns,
    distinguishing_words,
)
from mvcc.tables.explaining._names import name_of
from mvcc.tables.fitting._fit import Fit
from mvcc.tables.reading._table import Table

MOST_ROWS = 5  # of each kind
_BORDERLINE = 0.1  # simplified silhouette; 0 is half way between two centers
_BAD_FIT = 0.1  # a tenth of all rows fits worse

Profile = dict[str, Any]


def all_profiles(
    facts: dict[str, Any], tables: list[Table], spaces: list[Floats], fit: Fit
) -> list[list[Profile]]:
    """Describe every cluster of every view, whose rows are in `spaces` where they were
    clustered.
    """
    stability: Sequence[Floats | None] = fit.stability or [None] * len(tables)
    return [
        profiles_of(table, X, labels, np.array(view["fit"]), stable, view["names"], fit.n_numbers)
        for table, X, labels, stable, view in zip(
            tables, spaces, fit.labels, stability, facts["views"], strict=True
        )
    ]


def profiles_of(
    table: Table,
    X: Floats,
    labels: Ints,
    fit: Floats,
    stability: Floats | None,
    names: list[str],
    k: int,
) -> list[Profile]:
    """Describe every cluster of a view.

    Shapes: `labels, fit` (n,).

    `table`: its columns, as they were read.
    `X` (n, m): the space in which the rows were clustered.
    `stability` (n,): share of the stability runs that put a row into its cluster.
    `names`: of the clusters, where a person gave them; empty, or empty where there is none.
    Returns: size, name, distinguishing columns and words; ``misfits``; ``borderline`` rows, least
    stable or between two centers, each with the other cluster; ``typical`` rows, nearest to the
    center. No row is in two of these lists.
    """
    columns, words = (
        distinguishing_columns(table, labels, k),
        distinguishing_words(table, labels, k),
    )
    own, silhouette, other = _places(X, labels, k)
    stable = np.ones(len(labels)) if stability is None else stability
    profiles = []
    for cluster in range(k):
        rows = np.flatnonzero(labels == cluster)
        is_bad = fit[rows] < _BAD_FIT
        is_between = ~is_bad & ((stable[rows] < 1) | (silhouette[rows] < _BORDERLINE))
        good = rows[~is_bad & ~is_between]
        if not len(good):
            good = rows[is_between]
        typical = good[np.argsort(own[good], kind="stable")][:MOST_ROWS]
        bad = rows[is_bad]
        between = np.setdiff1d(rows[is_between], typical)
        between = between[np.lexsort((silhouette[between], stable[between]))][:MOST_ROWS]
        given = names[cluster] if names else ""
        profiles.append(
            {
                "size": len(rows),
                "name": given or name_of(columns[cluster], words[cluster]),
                "columns": columns[cluster],
                "words": words[cluster],
                "typical": typical.tolist(),
                "borderline": np.column_stack((between, other[between])).tolist(),
                "misfits": bad[np.argsort(fit[bad], kind="stable")][:MOST_ROWS].tolist(),
            }
        )
    return profiles


def _places(X: Floats, labels: Ints, k: int) -> tuple[Floats, Floats, Ints]:
    """Return the distance of every row to its center, its simplified silhouette, and the nearest
    other cluster.

    The simplified silhouette (Hruschka et al. 2004) has distances to centers in place of means of
    distances to rows.
    """
    there = np.unique(labels)
    distances = np.full((len(X), k), np.inf)
    centers = np.stack([X[labels == cluster].mean(axis=0) for cluster in there])
    for block in blocks_of(len(X)):  # which cdist copies to double precision
        distances[block, there] = cdist(X[block], centers)
    every = np.arange(len(X))
    own = distances[every, labels].copy()
    distances[every, labels] = np.inf
    other = distances.argmin(axis=1)
    nearest = distances[every, other]
    if len(there) == 1:
        return own, np.ones(len(X)), other
    larger = np.maximum(own, nearest)
    return own, np.divide(nearest - own, larger, out=np.zeros(len(X)), where=larger > 0), other
