"""The closure of a graph of links: neighborhoods or pairs, and the chain of a contradiction."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mvcc._utils.arrays import Bools, Floats, Ints, places_among
from mvcc._utils.messages import called, for_reader
from mvcc.constraints._arrays import MAX_ROW, Listed, pairs_of_spans, spans
from mvcc.constraints._kernels import closed_pairs, components
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
        used, first_index = np.unique(names, return_index=True)
        group_of = places_among(used[np.argsort(first_index)], n_names)
        apart = distinct_pairs(group_of[first], group_of[second], n_names)
        return cls(rows, group_of[names], apart, weight)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Neighborhoods):
            return NotImplemented
        return all(map(np.array_equal, vars(self).values(), vars(other).values()))

    __hash__ = None  # type: ignore[assignment]

    def count(self) -> tuple[int, int]:
        """Return how many must-links and how many cannot-links follow."""
        size = np.bincount(self.group)
        return int((size * (size - 1) // 2).sum()), int(size[self.apart].prod(axis=1).sum())

    def listed(self) -> Listed:
        """Return all constraints, sorted."""
        members = self.rows[np.argsort(self.group, kind="stable")]
        size = np.bincount(self.group)
        end = np.cumsum(size)
        following = np.arange(1, len(members) + 1)
        first, second = spans(following, np.repeat(end, size) - following)
        together = (members[first] << 32) | (members[second] << 1)
        _, first, second = pairs_of_spans(end - size, size, self.apart)
        ends = np.sort(np.column_stack((members[first], members[second])), axis=1)
        apart = (ends[:, 0] << 32) | (ends[:, 1] << 1) | 1
        keys = np.sort(np.concatenate((together, apart)))
        pairs = np.column_stack((keys >> 32, (keys >> 1) & MAX_ROW))
        return pairs, (keys & 1) == 0, np.full(len(keys), self.weight)

    def spanning(self) -> Listed:
        """Return as few constraints as all follow from, must-links first."""
        order = np.argsort(self.group, kind="stable")
        start = np.flatnonzero(np.diff(self.group[order], prepend=-1))
        follows = np.delete(np.arange(len(order)), start)
        together = np.column_stack((self.rows[order[follows - 1]], self.rows[order[follows]]))
        pairs = np.concatenate((together, self.rows[order[start]][self.apart]))
        return pairs, np.arange(len(pairs)) < len(together), np.full(len(pairs), self.weight)

    def kinds_of(self, pairs: Ints) -> tuple[Bools, Bools]:
        """Tell of each pair whether a must-link, and whether a cannot-link, of these joins it."""
        n_groups = len(np.bincount(self.group))
        position = np.minimum(np.searchsorted(self.rows, pairs), len(self.rows) - 1)
        is_known = (self.rows[position] == pairs).all(axis=1)
        ends = np.sort(self.group[position], axis=1)
        is_apart = np.isin(
            ends[:, 0] * n_groups + ends[:, 1], self.apart[:, 0] * n_groups + self.apart[:, 1]
        )
        return is_known & (ends[:, 0] == ends[:, 1]), is_known & is_apart

    def groups(self, n: int) -> Groups:
        """Return them for n rows of data, with the rivals of every neighborhood side by side."""
        group_of_row = np.full(n, -1)
        group_of_row[self.rows] = self.group
        ends = np.concatenate((self.apart, self.apart[:, ::-1]))
        order = np.argsort(ends[:, 0], kind="stable")
        start = np.searchsorted(ends[order, 0], np.arange(len(np.bincount(self.group)) + 1))
        return group_of_row, start, np.ascontiguousarray(ends[order, 1]), self.weight


def distinct_pairs(first: Ints, second: Ints, base: int) -> Ints:
    """Return the distinct pairs of numbers below the base, smaller first; none with a negative."""
    is_valid = (first >= 0) & (second >= 0)
    keys = np.unique((np.minimum(first, second) * base + np.maximum(first, second))[is_valid])
    return np.column_stack((keys // base, keys % base))


class Graph:
    """Links between nodes, any non-negative numbers."""

    def __init__(
        self, nodes: Ints, must_link: Bools, explain: Callable[[list[int], list[int]], Exception]
    ) -> None:
        # ``explain`` makes the error of a contradiction from the nodes of the shortest chain of
        # must-links and its links, the cannot-link last
        self.ids = np.unique(nodes)
        self.ends = np.searchsorted(self.ids, nodes)
        self.must_link = must_link
        first, second = self.ends.T
        self.root = components(len(self.ids), first[must_link], second[must_link])
        broken = np.flatnonzero(~must_link & (self.root[first] == self.root[second]))
        if broken.size:
            chain, links = _shortest_contradiction(self.ends, must_link, broken)
            raise explain([int(self.ids[node]) for node in chain], links)

    def closed(
        self, weights: Floats, offsets: Ints | None = None, *, together: bool = False
    ) -> tuple[Ints, Bools, Floats]:
        """Return all pairs that follow, smaller node first, with kinds and weights."""
        # With ``offsets``, the first nodes of the views, they are those within views. A pair weighs
        # as much as the weakest link of its strongest chain: ``inf`` if relations alone imply it.
        views = np.zeros(len(self.ids), np.int64)
        if offsets is not None:
            views = np.searchsorted(offsets, self.ids, side="right") - 1
        order = np.lexsort((~self.must_link, -weights))
        if together:
            order = order[self.must_link[order]]
        # contiguous, as those of a single link are: the kernel is compiled for one kind of array
        first, second = np.ascontiguousarray(self.ends[order].T)
        pairs, kinds, pair_weights = closed_pairs(
            len(self.ids), views, first, second, self.must_link[order], weights[order]
        )
        return self.ids[pairs], kinds, pair_weights

    def neighborhoods(self, low: int, high: int, weight: float) -> Neighborhoods:
        """Return what follows among the nodes ``low`` … ``high`` − 1, counted from ``low``."""
        span = slice(*np.searchsorted(self.ids, (low, high)))
        first, second = self.root[self.ends[~self.must_link]].T
        return Neighborhoods.of(
            self.ids[span] - low, self.root[span], len(self.ids), first, second, weight
        )

    def joined(self, span_u: tuple[int, int], span_v: tuple[int, int]) -> Ints:
        """Return the must-links between two spans of nodes, each counted from its first, sorted."""
        nodes_u, nodes_v = (slice(*np.searchsorted(self.ids, span)) for span in (span_u, span_v))
        order = np.argsort(self.root[nodes_v], kind="stable")
        first, last = (
            np.searchsorted(self.root[nodes_v][order], self.root[nodes_u], side)
            for side in ("left", "right")
        )
        which, position = spans(first, last - first)
        partner = order[position]
        return np.column_stack(
            (self.ids[nodes_u][which] - span_u[0], self.ids[nodes_v][partner] - span_v[0])
        )


_MOST_VISITS = 10**6  # nodes in the search for the shortest contradiction


def _shortest_contradiction(
    ends: Ints, must_link: Bools, broken: Ints
) -> tuple[list[int], list[int]]:
    """Find the shortest chain of must-links with a cannot-link between its ends: nodes, links."""
    # if the search would take seconds, it is the shortest of the chains that were looked at
    neighbors: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for link in np.flatnonzero(must_link).tolist():
        i, j = ends[link].tolist()
        neighbors[i].append((j, link))
        neighbors[j].append((i, link))
    best: tuple[list[int], list[int]] = [], []
    visits = 0
    for last in broken.tolist():
        start, end = ends[last].tolist()
        came_from = {start: (start, -1, 1)}  # the node before, the link, the nodes so far
        queue = deque([start])
        while queue and end not in came_from:
            node = queue.popleft()
            length = came_from[node][2] + 1
            if best[0] and length >= len(best[0]):
                break
            for neighbor, link in neighbors[node]:
                if neighbor not in came_from:
                    came_from[neighbor] = node, link, length
                    queue.append(neighbor)
        if end in came_from:
            chain, links = [end], [last]
            while chain[-1] != start:
                node, link, _ = came_from[chain[-1]]
                chain.append(node)
                links.append(link)
            best = chain[::-1], links[::-1]
        visits += len(came_from)
        if visits > _MOST_VISITS:
            break
    return best


CallRow = Callable[[int, int], str]  # view, row → what a message calls the row

_MOST_STEPS = 20  # of a chain that are shown


def call_rows(names: Sequence[str] | None = None) -> CallRow:
    """Return a function that calls a row by its number and the name, if any, of its view."""
    return lambda view, row: f"row {row} of view {called(view, names)}"


CALL_BY_NUMBER = call_rows()


def conflict(
    names: Sequence[str], kinds: Sequence[str], lines: Sequence[str]
) -> ConstraintConflictError:
    """Say by the rows and links of the shortest chain how constraints contradict each other."""
    # ``lines`` has where each link was read, the cannot-link last, empty where unknown
    noun = "constraints and relations" if "relation" in kinds else "constraints"
    steps = [names[0]]
    steps += [
        f"= {name} ({', '.join(filter(None, (kind, line)))})"
        for name, kind, line in zip(names[1:], kinds, lines, strict=False)
    ]
    if len(steps) > _MOST_STEPS:  # nobody would read such a chain to its end
        half = _MOST_STEPS // 2
        steps[half:-half] = [f"… {len(steps) - 2 * half} more …"]
    last = ", ".join(filter(None, ("cannot-link", lines[-1])))
    return ConstraintConflictError(
        f"The {noun} contradict each other: {' '.join(steps)}, but {names[0]} ≠ {names[-1]} "
        f"({last}). Correct or remove one of these, or have the weakest left out "
        f"({for_reader('--on-conflict drop, ', '')}on_conflict='drop', drop_conflicts)."
    )


def without_conflicts(ends: Ints, must_link: Bools, weights: Floats) -> Bools:
    """Tell which links to keep, from the heaviest on, so that none contradicts the others."""
    # Among equal weights, must-links and earlier ones come first. A link of infinite weight is kept
    # unless infinite ones contradict each other.
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
                for rival in apart.pop(a, set()):
                    apart[rival].remove(a)
                    apart[rival].add(b)
                    apart.setdefault(b, set()).add(rival)
        elif a != b:
            keep[link] = True
            apart.setdefault(a, set()).add(b)
            apart.setdefault(b, set()).add(a)
    return keep
