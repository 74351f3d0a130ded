"""The closure of a graph of links: neighborhoods or pairs, and the chain of a contradiction."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mvcc._utils.messages import called
from mvcc._utils.types import Bools, Floats, Ints
from mvcc.constraints._arrays import pairs_of_spans, spans
from mvcc.constraints._kernels.closure import closed_pairs, components
from mvcc.exceptions import ConstraintConflictError

# (neighborhood of every row, start, rival, weight) as the kernels of the clusterers take them
Groups = tuple[Ints, Ints, Ints, float]


@dataclass(frozen=True)
class Neighborhoods:
    """Neighborhoods of must-linked rows; those of neighborhoods apart are cannot-linked."""

    rows: Ints  # (m,): the rows of all neighborhoods, ascending
    # (m,): number of the neighborhood of each, counted by first row. It may have a single row
    group: Ints
    # (p, 2): numbers of neighborhoods that are apart, smaller one first, sorted and distinct
    apart: Ints
    weight: float  # of every constraint, above 0

    @classmethod
    def of(
        cls, rows: Ints, names: Ints, n_names: int, first: Ints, second: Ints, weight: float
    ) -> Neighborhoods:
        """Make neighborhoods from ascending rows, their names, and the pairs of names apart."""
        used, place = np.unique(names, return_index=True)
        number = np.full(n_names, -1)
        number[used[np.argsort(place)]] = np.arange(len(used))
        apart = distinct_pairs(number[first], number[second], n_names)
        return cls(rows, number[names], apart, weight)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Neighborhoods):
            return NotImplemented
        mine, theirs = (((one.rows, one.group, one.apart), one.weight) for one in (self, other))
        return mine[1] == theirs[1] and all(map(np.array_equal, mine[0], theirs[0]))

    __hash__ = None  # type: ignore[assignment]

    def count(self) -> tuple[int, int]:
        """Return how many must-links and how many cannot-links follow."""
        size = np.bincount(self.group)
        return int((size * (size - 1) // 2).sum()), int(size[self.apart].prod(axis=1).sum())

    def keys(self) -> Ints:
        """Return all constraints as sorted keys: smaller row, larger row, 1 for cannot-links."""
        members = self.rows[np.argsort(self.group, kind="stable")]
        size = np.bincount(self.group)
        end = np.cumsum(size)
        following = np.arange(1, len(members) + 1)
        one, other = spans(following, np.repeat(end, size) - following)
        together = (members[one] << 32) | (members[other] << 1)
        _, one, other = pairs_of_spans(end - size, size, self.apart)
        ends = np.sort(np.column_stack((members[one], members[other])), axis=1)
        apart = (ends[:, 0] << 32) | (ends[:, 1] << 1) | 1
        return np.sort(np.concatenate((together, apart)))

    def links(self) -> tuple[Ints, Ints]:
        """Return as few must-links and cannot-links, (m, 2) rows each, as all follow from."""
        order = np.argsort(self.group, kind="stable")
        start = np.flatnonzero(np.diff(self.group[order], prepend=-1))
        follows = np.delete(np.arange(len(order)), start)
        together = np.column_stack((self.rows[order[follows - 1]], self.rows[order[follows]]))
        return together, self.rows[order[start]][self.apart]

    def kinds_of(self, pairs: Ints) -> tuple[Bools, Bools]:
        """Tell of each pair whether a must-link, and whether a cannot-link, of these joins it."""
        n_groups = len(np.bincount(self.group))
        place = np.minimum(np.searchsorted(self.rows, pairs), len(self.rows) - 1)
        known = (self.rows[place] == pairs).all(axis=1)
        ends = np.sort(self.group[place], axis=1)
        apart = np.isin(
            ends[:, 0] * n_groups + ends[:, 1], self.apart[:, 0] * n_groups + self.apart[:, 1]
        )
        return known & (ends[:, 0] == ends[:, 1]), known & apart

    def groups(self, n: int) -> Groups:
        """Return them for n rows of data, with the rivals of every neighborhood side by side."""
        member = np.full(n, -1)
        member[self.rows] = self.group
        ends = np.concatenate((self.apart, self.apart[:, ::-1]))
        order = np.argsort(ends[:, 0], kind="stable")
        start = np.searchsorted(ends[order, 0], np.arange(len(np.bincount(self.group)) + 1))
        return member, start, np.ascontiguousarray(ends[order, 1]), self.weight


def distinct_pairs(first: Ints, second: Ints, base: int) -> Ints:
    """Return the distinct pairs of numbers below the base, smaller first; none with a negative."""
    known = (first >= 0) & (second >= 0)
    keys = np.unique((np.minimum(first, second) * base + np.maximum(first, second))[known])
    return np.column_stack((keys // base, keys % base))


_MOST_VISITS = 10**6  # nodes in the search for the shortest contradiction


class Graph:
    """Links between nodes, any non-negative numbers; ``explain`` makes the error of a
    contradiction.

    It takes the nodes of the shortest chain of must-links and its links, the cannot-link last.
    """

    def __init__(
        self, nodes: Ints, must_link: Bools, explain: Callable[[list[int], list[int]], Exception]
    ) -> None:
        self.ids = np.unique(nodes)
        self.ends = np.searchsorted(self.ids, nodes)
        self.must_link = must_link
        first, second = self.ends.T
        self.root = components(len(self.ids), first[must_link], second[must_link])
        broken = np.flatnonzero(~must_link & (self.root[first] == self.root[second]))
        if broken.size:
            chain, links = shortest_contradiction(self.ends, must_link, broken)
            raise explain([int(self.ids[node]) for node in chain], links)

    def closed(self, view: Ints, weights: Floats) -> tuple[Ints, Bools, Floats]:
        """Return all pairs within views that follow, smaller node first, with kind and weight.

        `view` (m, 2) has the views of the links. Relations weigh ``inf``, and so do pairs that
        relations alone imply.
        """
        view_of = np.zeros(len(self.ids), dtype=np.int64)
        view_of[self.ends] = view
        order = np.lexsort((~self.must_link, -weights))
        first, second = self.ends[order].T
        pairs, kind, weight = closed_pairs(
            len(self.ids), view_of, first, second, self.must_link[order], weights[order]
        )
        return self.ids[pairs], kind, weight

    def chained(self, weights: Floats) -> tuple[Ints, Floats]:
        """Return all pairs that must-links and relations put together, smaller node first, and
        strengths.

        The strength is the weakest link of the strongest chain; ``inf`` where relations alone imply
        it.
        """
        strongest_first = np.flatnonzero(self.must_link)
        strongest_first = strongest_first[np.argsort(-weights[strongest_first], kind="stable")]
        first, second = self.ends[strongest_first].T
        nowhere = np.zeros(len(self.ids), dtype=np.int64)
        together = np.ones(len(strongest_first), dtype=np.bool_)
        pairs, _, strengths = closed_pairs(
            len(self.ids), nowhere, first, second, together, weights[strongest_first]
        )
        return self.ids[pairs], strengths

    def neighborhoods(self, low: int, high: int, weight: float) -> Neighborhoods:
        """Return what follows among the nodes ``low`` … ``high`` − 1, counted from ``low``."""
        span = slice(*np.searchsorted(self.ids, (low, high)))
        first, second = self.root[self.ends[~self.must_link]].T
        return Neighborhoods.of(
            self.ids[span] - low, self.root[span], len(self.ids), first, second, weight
        )

    def joined(self, one: tuple[int, int], other: tuple[int, int]) -> Ints:
        """Return the must-links between two spans of nodes, each counted from its first, sorted."""
        here, there = (slice(*np.searchsorted(self.ids, span)) for span in (one, other))
        order = np.argsort(self.root[there], kind="stable")
        first, last = (
            np.searchsorted(self.root[there][order], self.root[here], side)
            for side in ("left", "right")
        )
        which, place = spans(first, last - first)
        partner = order[place]
        return np.column_stack(
            (self.ids[here][which] - one[0], self.ids[there][partner] - other[0])
        )


def shortest_contradiction(
    ends: Ints, must_link: Bools, broken: Ints
) -> tuple[list[int], list[int]]:
    """Find the shortest chain of must-links with a cannot-link between its ends: nodes and links.

    If the search would take seconds, it is the shortest of the chains that were looked at.
    """
    neighbors: dict[int, list[tuple[int, int]]] = {}
    for link in np.flatnonzero(must_link).tolist():
        i, j = ends[link].tolist()
        neighbors.setdefault(i, []).append((j, link))
        neighbors.setdefault(j, []).append((i, link))
    best: tuple[list[int], list[int]] = [], []
    visits = 0
    for index in broken.tolist():
        start, goal = ends[index].tolist()
        chain, links, seen = _shortest_path(neighbors, start, goal, len(best[0]))
        visits += seen
        if chain:
            best = chain, [*links, index]
        if visits > _MOST_VISITS:
            break
    return best


def _shortest_path(
    neighbors: dict[int, list[tuple[int, int]]], start: int, goal: int, limit: int
) -> tuple[list[int], list[int], int]:
    """Return nodes and links from start to goal, fewer than ``limit``, and the nodes visited."""
    came_from = {start: (start, -1)}
    depth = {start: 1}
    queue = deque([start])
    while queue and goal not in came_from:
        node = queue.popleft()
        if limit and depth[node] + 1 >= limit:
            return [], [], len(depth)
        for neighbor, link in neighbors[node]:
            if neighbor not in came_from:
                came_from[neighbor] = node, link
                depth[neighbor] = depth[node] + 1
                queue.append(neighbor)
    path, links = [goal], []
    while path[-1] != start:
        node, link = came_from[path[-1]]
        path.append(node)
        links.append(link)
    return path[::-1], links[::-1], len(depth)


CallRow = Callable[[int, int], str]  # view, row → what a message calls the row

_MOST_STEPS = 20  # of a chain that are shown
_REMEDY = (
    "Correct or remove one of these, or have drop_conflicts (--on-conflict drop) leave out the "
    "weakest."
)


def call_rows(names: Sequence[str] | None = None) -> CallRow:
    """Return a function that calls a row by its number and the name, if any, of its view."""
    return lambda view, row: f"row {row} of view {called(view, names)}"


CALL_BY_NUMBER = call_rows()


def conflict(
    names: Sequence[str], kinds: Sequence[str], lines: Sequence[str]
) -> ConstraintConflictError:
    """Say how constraints, and relations, contradict each other.

    ``names`` and ``kinds`` are the rows and links of the shortest chain; ``lines`` has where each
    link was read, the cannot-link last, empty where unknown.
    """
    what = "constraints and relations" if "relation" in kinds else "constraints"
    steps = [
        f"= {name} ({', '.join(filter(None, (kind, line)))})"
        for name, kind, line in zip(names[1:], kinds, lines, strict=False)
    ]
    last = ", ".join(filter(None, ("cannot-link", lines[-1])))
    chain = " ".join(_shortened([names[0], *steps]))
    return ConstraintConflictError(
        f"The {what} contradict each other: {chain}, but {names[0]} ≠ {names[-1]} ({last}). "
        f"{_REMEDY}"
    )


def _shortened(steps: list[str]) -> list[str]:
    """Leave out the middle of a chain that nobody would read to its end."""
    if len(steps) <= _MOST_STEPS:
        return steps
    half = _MOST_STEPS // 2
    return [*steps[:half], f"… {len(steps) - 2 * half} more …", *steps[-half:]]


def without_conflicts(ends: Ints, must_link: Bools, weights: Floats) -> Bools:
    """Tell which links to keep, from the heaviest on, so that none contradicts the others.

    Among equal weights, must-links and earlier ones come first. A link of infinite weight is kept
    unless infinite ones contradict each other.
    """
    together: dict[int, int] = {}  # the parent of a node, where it has one
    apart: dict[int, set[int]] = {}  # by root: the roots that it must stay apart from

    def root(node: int) -> int:
        while (above := together.get(node, node)) != node:
            together[node] = together.get(above, above)
            node = above
        return node

    keep = np.zeros(len(ends), np.bool_)
    for link in np.lexsort((~must_link, -weights)).tolist():
        a, b = sorted(map(root, ends[link].tolist()), key=lambda node: len(apart.get(node, ())))
        if must_link[link]:
            keep[link] = b not in apart.get(a, ())
            if keep[link] and a != b:
                together[a] = b
                for other in apart.pop(a, set()):
                    apart[other].remove(a)
                    apart[other].add(b)
                    apart.setdefault(b, set()).add(other)
        elif a != b:
            keep[link] = True
            apart.setdefault(a, set()).add(b)
            apart.setdefault(b, set()).add(a)
    return keep
