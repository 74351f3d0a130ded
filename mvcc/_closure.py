"""The transitive closure of weighted must-links and cannot-links over one graph of nodes.

The graph is that of one view, or of all views at once with the relations as links (Algorithm 2, steps 1–2).
An inferred constraint weighs as much as the weakest link of its strongest chain. Taking the links from the
heaviest to the lightest (Kruskal's order) therefore meets every pair for the first time at just its weight. Where all
weigh the same, the connected components say everything.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mvcc._kernels.closure import closed_pairs, components
from mvcc._neighborhoods import Neighborhoods

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Graph:
    """Links between nodes, which do not contradict each other.

    Parameters
    ----------
    nodes : (m, 2) array
        The two nodes of every link, any non-negative numbers.
    must_link : (m,) array
    explain : callable
        Makes the exception for a contradiction from the nodes of the shortest chain of must-links and the index
        of the cannot-link that contradicts it.
    """

    def __init__(self, nodes: Ints, must_link: Bools, explain: Callable[[list[int], int], Exception]) -> None:
        self.ids = np.unique(nodes)
        self.ends = np.searchsorted(self.ids, nodes)
        self.must_link = must_link
        first, second = self.ends.T
        self.root = components(len(self.ids), first[must_link], second[must_link])
        broken = np.flatnonzero(~must_link & (self.root[first] == self.root[second]))
        if broken.size:
            chain, culprit = shortest_contradiction(self.ends, must_link, broken)
            raise explain([int(self.ids[node]) for node in chain], culprit)

    def closed(self, view: Ints, weights: Floats) -> tuple[Ints, Bools, Floats]:
        """Return all pairs within views that follow.

        Parameters
        ----------
        view : (m, 2) array
            The view of either node.
        weights : (m,) array
            Of every link; ``inf`` marks a relation, which weakens no chain.

        Returns
        -------
        pairs : (c, 2) array of nodes of one view, smaller node first
        must_link, weights : (c,) arrays
            ``weights`` is ``inf`` where relations alone imply the pair.
        """
        view_of = np.zeros(len(self.ids), dtype=np.int64)
        view_of[self.ends] = view
        order = np.lexsort((~self.must_link, -weights))
        first, second = self.ends[order].T
        first, second, kind, weight = closed_pairs(
            len(self.ids), view_of, first, second, self.must_link[order], weights[order]
        )
        return self.ids[np.column_stack((first, second))], kind, weight

    def neighborhoods(self, low: int, high: int, weight: float) -> Neighborhoods:
        """Return what follows among the nodes from ``low`` to before ``high``, counted from ``low``, at one weight."""
        span = slice(*np.searchsorted(self.ids, (low, high)))
        first, second = self.root[self.ends[~self.must_link]].T
        return Neighborhoods.of(self.ids[span] - low, self.root[span], len(self.ids), first, second, weight)

    def joined(self, one: tuple[int, int], other: tuple[int, int]) -> Ints:
        """Return the must-links that follow between two spans of nodes, each counted from its first one, sorted."""
        here, there = (slice(*np.searchsorted(self.ids, span)) for span in (one, other))
        order = np.argsort(self.root[there], kind="stable")
        first, last = (np.searchsorted(self.root[there][order], self.root[here], side) for side in ("left", "right"))
        times = last - first
        which = np.repeat(np.arange(len(times)), times)
        step = np.arange(len(which)) - np.repeat(np.cumsum(times) - times, times)
        partner = order[first[which] + step]
        return np.column_stack((self.ids[here][which] - one[0], self.ids[there][partner] - other[0]))


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
