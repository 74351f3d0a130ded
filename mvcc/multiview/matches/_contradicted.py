"""Matches that the matches of other views contradict: a few would chain many objects.

If i of view u is matched with k of view w, and k with j of view v, then i and j are the same
object.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvcc._utils.types import Bools, Ints
from mvcc.constraints import Relations
from mvcc.embedding import find_objects


def contradicted_matches(sizes: list[int], relations: Relations) -> dict[tuple[int, int], Bools]:
    """Tell which matches more views contradict than confirm; the most contradicted ones go first.

    View w confirms the match of i and j where both are matched with the same row of w. It
    contradicts it where a row that is matched with one of them is matched with a row of the other's
    view that is not its partner. If no object has two rows of one view, all matches agree.
    """
    found = {key: np.zeros(len(rows), np.bool_) for key, rows in relations.items()}
    if len(relations) < 3 or not _chained(sizes, relations):
        return found
    while True:
        excess = _excess(sizes, {key: rows[~found[key]] for key, rows in relations.items()})
        most = max(part.max(initial=0) for part in excess.values())
        if most == 0:
            return found
        for key, part in excess.items():
            kept = np.flatnonzero(~found[key])
            found[key][kept[part == most]] = True


def _excess(sizes: list[int], relations: Relations) -> dict[tuple[int, int], Ints]:
    """Return how many more views contradict every match than confirm it."""
    tables: dict[tuple[int, int], sp.csr_array] = {}
    for (u, v), rows in relations.items():
        table = sp.csr_array(
            (np.ones(len(rows)), (rows[:, 0], rows[:, 1])), shape=(sizes[u], sizes[v])
        )
        tables[u, v], tables[v, u] = table, table.T.tocsr()
    excess = {key: np.zeros(len(rows), np.int64) for key, rows in relations.items()}
    for (u, v), rows in relations.items():
        for w in range(len(sizes)):
            if (u, w) in tables and (w, v) in tables:
                excess[u, v] += _said(tables[u, w] @ tables[w, v], tables[u, v], rows)
    return excess


def _chained(sizes: list[int], relations: Relations) -> bool:
    """Tell whether an object has two rows of one view."""
    _, objects = find_objects(sizes, relations)
    return any(len(np.unique(own)) < len(own) for own in objects)


def _said(paths: sp.csr_array, table: sp.csr_array, rows: Ints) -> Ints:
    """Return 1 for matches that paths through one view contradict, −1 for confirmed, else 0.

    A row may have several partners; paths that lead to any of them contradict nothing.
    """
    i, j = rows.T
    stray = paths - paths * table
    elsewhere = (stray.sum(axis=1)[i] > 0) | (stray.sum(axis=0)[j] > 0)
    return np.where(paths[i, j] > 0, -1, elsewhere.astype(np.int64))
