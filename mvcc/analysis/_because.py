"""In plain words, why two rows are constrained: the chain of what was said and matched that it follows from."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import starmap
from math import inf
from typing import NamedTuple

from mvcc.constraints import Constraints
from mvcc.mapping import Relations

_MOST_STEPS = 6  # of a chain that are named in full

Node = tuple[int, int]  # view, row


class Link(NamedTuple):
    """Where a step leads, how heavy it is (a match: inf), whether it is a cannot-link, and where it was said."""

    to: Node
    weight: float
    apart: bool
    where: str


Chain = list[tuple[Node, Link]]
"""Steps, each from a node along a link."""


@dataclass
class Reasons:
    """The given constraints and matches of all views, and the chains of them that a closure adds a constraint for.

    Attributes
    ----------
    ids : list of list of str
        Name of every row, per view.
    given : list of Constraints
    relations : dict {(u, v): (r, 2) array}
    closure : {"full", "view", "none"}
        Chains run through all views, inside each, or there are none.
    """

    ids: Sequence[Sequence[str]]
    given: Sequence[Constraints]
    relations: Relations
    closure: str
    _single: dict[tuple[Node, Node, bool, float], Link] = field(default_factory=dict)
    _links: dict[Node, list[Link]] = field(default_factory=lambda: defaultdict(list))
    _known: dict[tuple[Node, Node, bool, float], Chain] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for view, constraints in enumerate(self.given):
            for position, (i, j, must_link, weight) in enumerate(constraints._rows()):
                where = constraints.where(position)
                self._join((view, i), (view, j), weight, not must_link, where, self.closure != "none")
        for (u, v), related in self.relations.items():
            for i, j in related.tolist():
                self._join((u, i), (v, j), inf, False, "", self.closure == "full")

    def _join(self, one: Node, other: Node, weight: float, apart: bool, where: str, chained: bool) -> None:
        for start, goal in ((one, other), (other, one)):
            link = Link(goal, weight, apart, where)
            self._single.setdefault((start, goal, apart, weight), link)
            if chained:
                self._links[start].append(link)

    def chain(self, start: Node, goal: Node, apart: bool, weight: float) -> Chain:
        """Return the steps that put two rows apart, or else together, by this weight; none where it does not follow.

        What was given itself is a single step, for it keeps its own weight. Of several chains it is the shortest one
        whose weakest link is as heavy.

        Parameters
        ----------
        start, goal : (int, int)
            View and row. In different views it is a relation that is explained.
        apart : bool
        weight : float
            ``inf`` for a relation that is as sure as can be.
        """
        key = start, goal, apart, weight
        if key not in self._known:
            self._known[key] = self._found(*key)
        return self._known[key]

    def _found(self, start: Node, goal: Node, apart: bool, weight: float) -> Chain:
        if (link := self._single.get((start, goal, apart, weight))) is not None:
            return [(start, link)]
        # matches weaken no chain, and what follows from them alone weighs 1
        lightest = 1.0 if weight == inf else weight
        by_matches = self._search(start, goal, apart, inf) if lightest == 1 and not apart else []
        return by_matches or self._search(start, goal, apart, lightest)

    def _search(self, start: Node, goal: Node, apart: bool, lightest: float) -> Chain:
        """Search breadth first; a state is a node and whether a cannot-link was crossed on the way to it."""
        begin, end = (start, False), (goal, apart)
        came: dict[tuple[Node, bool], tuple[tuple[Node, bool], Link] | None] = {begin: None}
        queue = deque([begin])
        while queue and end not in came:
            node, crossed = state = queue.popleft()
            for link in self._links.get(node, ()):
                then = link.to, crossed or link.apart
                usable = link.weight >= lightest and not (link.apart and (crossed or not apart))
                if usable and then not in came:
                    came[then] = state, link
                    queue.append(then)
        steps = []
        here = end
        while (step := came.get(here)) is not None:
            here, link = step
            steps.append((here[0], link))
        return steps[::-1]

    def name(self, view: int, i: int, j: int) -> str:
        """Name two rows."""
        return f"{self.ids[view][i]} and {self.ids[view][j]}"

    def words(self, chain: Chain) -> str:
        """Name every step of a chain; of a long one, only the lines of those in its middle."""
        if len(chain) <= _MOST_STEPS + 1:  # to leave out a single step would save nothing
            return ", ".join(starmap(self._say, chain))
        head, middle, last = chain[: _MOST_STEPS - 1], chain[_MOST_STEPS - 1 : -1], chain[-1]
        lines = _lines([link.where for _, link in middle if link.where])
        gap = f"… {len(middle)} more steps{f' ({lines})' if lines else ''} …"
        return ", ".join([*starmap(self._say, head), gap, self._say(*last)])

    def _say(self, node: Node, link: Link) -> str:
        names = [self.ids[view][row] for view, row in (node, link.to)]
        where = f" ({link.where})" if link.where else ""
        if node[0] != link.to[0]:
            return f"{names[0]} is matched with {names[1]}"
        return f"{names[0]} and {names[1]} were said to {'be apart' if link.apart else 'belong together'}{where}"


def _lines(places: list[str]) -> str:
    """Put "line 3 of a.csv" and "line 5 of a.csv" together: "lines 3, 5 of a.csv"."""
    numbers = defaultdict(list)
    for place in places:
        line, _, file = place.removeprefix("line ").partition(" of ")
        numbers[file].append(line)
    return ", ".join(f"line{'s' if len(of) > 1 else ''} {', '.join(of)} of {file}" for file, of in numbers.items())


def reverse(chain: Chain) -> Chain:
    """Return the chain from its last node to its first one."""
    return [(link.to, link._replace(to=node)) for node, link in reversed(chain)]


def without_loops(chain: Chain) -> Chain:
    """Leave out all steps between two visits of a node."""
    kept: dict[Node, Link] = {}
    for node, link in chain:
        kept[node] = link
        if link.to in kept:
            while kept.popitem()[0] != link.to:
                pass
    return list(kept.items())


def weight_of(chain: Chain) -> float:
    """Return what a closure lets a chain weigh: as much as its weakest link, and 1 where it is of matches alone."""
    weight = min(link.weight for _, link in chain)
    return 1.0 if weight == inf else weight
