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
from mvcc.results import Sureness, sureness_of
from mvcc.tables.explaining._distinguishing import (
    distinguishing_columns,
    distinguishing_words,
)
from mvcc.tables.explaining._names import name_of
from mvcc.tables.fitting._fit import Fit
from mvcc.tables.fitting._method import Method
from mvcc.tables.reading._table import Table

MOST_ROWS = 5  # of each kind

Profile = dict[str, Any]


def all_profiles(
    facts: dict[str, Any], tables: list[Table], method: Method, fit: Fit
) -> list[list[Profile]]:
    """Describe every cluster of every view."""
    views = zip(tables, fit.labels, facts["views"], strict=True)
    return [
        profiles_of(
            table,
            method.space(number)[:],  # of one view at a time, which may take much memory
            labels,
            np.array(view["fit"]),
            *_doubts(view),
            view["names"],
            fit.n_numbers,
        )
        for number, (table, labels, view) in enumerate(views)
    ]


def _doubts(view: dict[str, Any]) -> tuple[list[Sureness], list[int]]:
    """Return how sure the cluster of every row is, and its second choice."""
    told = (view[name] for name in ("fit", "stability", "probability", "second_probability"))
    return sureness_of(*told), view["second"]


def profiles_of(
    table: Table,
    X: Floats,
    labels: Ints,
    fit: Floats,
    sureness: Sequence[Sureness],
    second: Sequence[int],
    names: list[str],
    k: int,
) -> list[Profile]:
    """Describe every cluster of a view.

    Shapes: `labels, fit` (n,).

    `table`: its columns, as they were read.
    `X` (n, m): the space in which the rows were clustered.
    `sureness` (n,): how sure the cluster of every row is.
    `second` (n,): the second choice of every row; if empty, that with the nearest other center.
    `names`: of the clusters, where a person gave them; empty, or empty where there is none.
    Returns: size, name, distinguishing columns and words; ``typical`` rows, the sure ones that
    are nearest to the center; ``borderline`` rows, between two clusters, each with the other one;
    and ``misfits``, which fit nowhere. No row is in two of these lists.
    """
    columns, words = (
        distinguishing_columns(table, labels, k),
        distinguishing_words(table, labels, k),
    )
    own, silhouette, nearest = _places(X, labels, k)
    other = np.array(second) if len(second) else nearest
    sure, between, nowhere = (np.array([kind is one for one in sureness]) for kind in Sureness)
    profiles = []
    for cluster in range(k):
        rows = np.flatnonzero(labels == cluster)
        typical, border, bad = (rows[kind[rows]] for kind in (sure, between, nowhere))
        border = border[np.argsort(silhouette[border], kind="stable")][:MOST_ROWS]
        given = names[cluster] if names else ""
        profiles.append(
            {
                "size": len(rows),
                "name": given or name_of(columns[cluster], words[cluster]),
                "columns": columns[cluster],
                "words": words[cluster],
                "typical": typical[np.argsort(own[typical], kind="stable")][:MOST_ROWS].tolist(),
                "borderline": np.column_stack((border, other[border])).tolist(),
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
