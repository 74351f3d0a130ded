"""The transitive closure of weighted must-links and cannot-links over one graph of nodes.

The graph is that of one view, or of all views at once with the relations as links (Algorithm 2, steps 1–2).
An inferred constraint weighs as much as the weakest link of its strongest chain. Taking the links from the
heaviest to the lightest (Kruskal's order) therefore meets every pair for the first time at just its weight.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mvcc._kernels.closure import closed_pairs, components

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def close(
    nodes: Ints, view: Ints, must_link: Bools, weights: Floats, explain: Callable[[list[int], int], Exception]
) -> tuple[Ints, Bools, Floats]:
    """Close a graph of links.

    Parameters
    ----------
    nodes : (m, 2) array
        The two nodes of every link, any non-negative numbers.
    view : (m, 2) array
        The view of either node.
    must_link, weights : (m,) arrays
        Type and weight of every link; ``inf`` marks a relation, which weakens no chain.
    explain : callable
        Makes the exception for a contradiction from the nodes of the shortest chain of must-links and the index
        of the cannot-link that contradicts it.

    Returns
    -------
    pairs : (c, 2) array of nodes, smaller node first
    must_link, weights : (c,) arrays
        ``weights`` is ``inf`` where relations alone imply the pair.
    """
    ids, flat = np.unique(nodes, return_inverse=True)
    ends = flat.reshape(-1, 2)
    view_of = np.zeros(len(ids), dtype=np.int64)
    view_of[ends] = view
    root = components(len(ids), ends[must_link, 0], ends[must_link, 1])
    broken = np.flatnonzero(~must_link & (root[ends[:, 0]] == root[ends[:, 1]]))
    if broken.size:
        chain, culprit = shortest_contradiction(ends, must_link, broken)
        raise explain([int(ids[node]) for node in chain], culprit)
    order = np.lexsort((~must_link, -weights))
    first, second, kind, weight = closed_pairs(
        len(ids), view_of, ends[order, 0], ends[order, 1], must_link[order], weights[order]
    )
    return ids[np.column_stack((first, second))], kind, weight


def shortest_contradiction(ends: Ints, must_link: Bools, broken: Ints) -> tuple[list[int], int]:
    """Find the shortest chain of must-links whose two ends a cannot-link keeps apart (breadth-first)."""
    neighbours: dict[int, list[int]] = {}
    for i, j in ends[must_link].tolist():
        neighbours.setdefault(i, []).append(j)
        neighbours.setdefault(j, []).append(i)
    best: list[int] = []
    culprit = -1
    for index in broken.tolist():
        start, goal = ends[index].tolist()
        chain = _shortest_path(neighbours, start, goal, len(best))
        if chain and (not best or len(chain) < len(best)):
            best, culprit = chain, index
    return best, culprit


def _shortest_path(neighbours: dict[int, list[int]], start: int, goal: int, limit: int) -> list[int]:
    """Return the nodes from start to goal, or nothing when the path has ``limit`` nodes or more (0: no limit)."""
    came_from = {start: start}
    depth = {start: 1}
    queue = deque([start])
    while queue and goal not in came_from:
        node = queue.popleft()
        if limit and depth[node] + 1 >= limit:
            return []
        for neighbour in neighbours[node]:
            if neighbour not in came_from:
                came_from[neighbour] = node
                depth[neighbour] = depth[node] + 1
                queue.append(neighbour)
    path = [goal]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]
