"""Objects of several views: rows that matches make one, and the views that they connect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mvcc._utils.arrays import Ints
from mvcc.constraints import Relations

_FEWEST_MATCHES = 3  # that connect two views
_FEWEST_MATCHED_OBJECTS = 20


def connected_views(n_views: int, relations: Relations) -> list[tuple[list[int], Relations]]:
    """Return the sets of views that relations connect, each with its relations, renumbered."""
    # one or two matches connect no views: one of them would have no clusters of its own
    linked = [key for key, rows in relations.items() if len(rows) >= _FEWEST_MATCHES]
    n_sets, set_of_view = pieces(n_views, np.array(linked, dtype=np.int64).reshape(-1, 2))
    connected = []
    for index in range(n_sets):
        views = np.flatnonzero(set_of_view == index).tolist()
        inside = {
            (views.index(u), views.index(v)): rows
            for (u, v), rows in relations.items()
            if u in views and v in views
        }
        connected.append((views, {key: rows for key, rows in inside.items() if len(rows)}))
    return connected


def find_objects(sizes: Sequence[int], relations: Relations) -> tuple[int, list[Ints]]:
    """Return the number of objects, components of related rows, and that of every row, per view."""
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    links = [rows + offsets[[u, v]] for (u, v), rows in relations.items()]
    all_links = np.concatenate([np.empty((0, 2), np.int64), *links])
    n_objects, object_of_row = pieces(int(offsets[-1]), all_links)
    return n_objects, np.split(object_of_row, offsets[1:-1])


def seen_in_all(objects: list[Ints], n_objects: int) -> Ints:
    """Return the objects of which every view has a row; none where they are fewer than 20."""
    seen = [np.bincount(row_objects, minlength=n_objects) > 0 for row_objects in objects]
    common = np.flatnonzero(np.all(seen, axis=0))
    return common[:0] if len(objects) < 2 or len(common) < _FEWEST_MATCHED_OBJECTS else common


def seen_in_several(objects: list[Ints], n_objects: int) -> Ints:
    """Return the objects of which two views or more have a row."""
    seen = sum((np.bincount(own, minlength=n_objects) > 0).astype(np.int64) for own in objects)
    return np.flatnonzero(np.asarray(seen) >= 2)


def membership(objects: Ints, n_objects: int) -> sp.csr_array:
    """Return P_v, (n_objects, n_v): 1 where a row is of an object."""
    n = len(objects)
    return sp.csr_array((np.ones(n), (objects, np.arange(n))), shape=(n_objects, n))


def pieces(n: int, links: Ints) -> tuple[int, Ints]:
    """Return how many pieces n nodes are by links (m, 2), and the piece of every node, (n,)."""
    graph = sp.coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n, n))
    n_pieces, piece = connected_components(graph, directed=False)
    return int(n_pieces), piece.astype(np.int64)
