"""Matches of three views or more that contradict each other, and what is left without them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mvcc._utils.arrays import Bools, Ints
from mvcc.constraints import Relations
from mvcc.embedding import find_objects

ViewPair = tuple[int, int]  # their numbers


def contradicted_matches(sizes: list[int], relations: Relations) -> dict[ViewPair, Bools]:
    """Tell which matches more views contradict than confirm; the most contradicted go first."""
    # View w confirms the match of i and j where both are matched with the same row of w. It
    # contradicts it where a row that is matched with one of them is matched with a row of the
    # other's view that is not its partner: a few of these would chain many objects. If no object
    # has two rows of one view, all matches agree.
    contradicted = {key: np.zeros(len(rows), np.bool_) for key, rows in relations.items()}
    if len(relations) < 3:
        return contradicted
    _, objects = find_objects(sizes, relations)
    if all(len(np.unique(row_objects)) == len(row_objects) for row_objects in objects):
        return contradicted
    while True:
        excess = _excess(sizes, {key: rows[~contradicted[key]] for key, rows in relations.items()})
        most = max(of_pair.max(initial=0) for of_pair in excess.values())
        if most == 0:
            return contradicted
        for key, of_pair in excess.items():
            kept = np.flatnonzero(~contradicted[key])
            contradicted[key][kept[of_pair == most]] = True


def _excess(sizes: list[int], relations: Relations) -> dict[ViewPair, Ints]:
    """Return how many more views contradict every match than confirm it."""
    tables: dict[ViewPair, sp.csr_array] = {}
    for (u, v), rows in relations.items():
        table = sp.csr_array(
            (np.ones(len(rows)), (rows[:, 0], rows[:, 1])), shape=(sizes[u], sizes[v])
        )
        tables[u, v], tables[v, u] = table, table.T.tocsr()
    excess = {key: np.zeros(len(rows), np.int64) for key, rows in relations.items()}
    for (u, v), rows in relations.items():
        for w in range(len(sizes)):
            if len(rows) and (u, w) in tables and (w, v) in tables:
                excess[u, v] += _contradiction(tables[u, w] @ tables[w, v], tables[u, v], rows)
    return excess


def _contradiction(paths: sp.csr_array, table: sp.csr_array, rows: Ints) -> Ints:
    """Return 1 for matches that paths through one view contradict, −1 for confirmed, else 0."""
    # a row may have several partners; paths that lead to any of them contradict nothing
    i, j = rows.T
    stray = paths - paths * table
    elsewhere = (stray.sum(axis=1)[i] > 0) | (stray.sum(axis=0)[j] > 0)
    return np.where(paths[i, j] > 0, -1, elsewhere.astype(np.int64))


def without(dropped: dict[ViewPair, Bools], relations: Relations) -> Relations:
    """Return the matches that are not dropped."""
    return {key: rows[~dropped[key]] for key, rows in relations.items()}


def put_back(values: NDArray[Any], contradicted: Bools) -> NDArray[Any]:
    """Return what was found of confirmed matches, and 1 for those that others contradict."""
    all_values = np.ones(len(contradicted), values.dtype)
    all_values[~contradicted] = values
    return all_values
