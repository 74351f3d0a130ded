"""In plain words, why two rows are constrained: the chain of what was said and matched that it follows from."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mvcc.constraints import Constraints
from mvcc.mapping import Relations

_MOST_STEPS = 6  # of a chain that are named
_SLACK = 1e-12

Node = tuple[int, int]  # view, row


class _Link(NamedTuple):
    """One step from a node: where it leads, how heavy it is, whether it is a cannot-link, and where it was said."""

    to: Node
    weight: float
    apart: bool
    where: str


@dataclass
class Reasons:
    """The given constraints and matches of all views as a graph, and the chains in it.

    Attributes
    ----------
    ids : list of list of str
        Name of every row, per view.
    given : list of Constraints
    relations : dict {(u, v): (r, 2) array}
    """

    ids: Sequence[Sequence[str]]
    given: Sequence[Constraints]
    relations: Relations
    _links: dict[Node, list[_Link]] = field(default_factory=dict)
    _known: dict[tuple[Node, Node, bool, float], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for view, constraints in enumerate(self.given):
            rows = zip(constraints.pairs.tolist(), constraints.must_link, constraints.weights.tolist(), strict=True)
            for position, ((i, j), must_link, weight) in enumerate(rows):
                self._join((view, i), (view, j), weight, not must_link, constraints.where(position))
        for (u, v), related in self.relations.items():
            for i, j in related.tolist():
                self._join((u, i), (v, j), float("inf"), False, "")

    def _join(self, one: Node, other: Node, weight: float, apart: bool, where: str) -> None:
        self._links.setdefault(one, []).append(_Link(other, weight, apart, where))
        self._links.setdefault(other, []).append(_Link(one, weight, apart, where))

    def of(self, view: int, i: int, j: int, must_link: bool, weight: float) -> str:
        """Say why rows i and j of a view are constrained by this weight; nothing where it does not follow.

        Of several chains it is the shortest one whose weakest link is as heavy.
        """
        key = (view, i), (view, j), must_link, weight
        if key not in self._known:
            chain = self._chain(*key)
            steps = [self._say(*step) for step in chain]
            if len(steps) > _MOST_STEPS:
                steps[_MOST_STEPS - 1 : -1] = [f"… {len(steps) - _MOST_STEPS} more steps …"]
            self._known[key] = f"because {', '.join(steps)}" if steps else ""
        return self._known[key]

    def _chain(self, start: Node, goal: Node, must_link: bool, weight: float) -> list[tuple[Node, _Link]]:
        """Search breadth first; a state is a node and whether a cannot-link was crossed on the way to it."""
        begin, end = (start, False), (goal, not must_link)
        came: dict[tuple[Node, bool], tuple[tuple[Node, bool], _Link] | None] = {begin: None}
        queue = deque([begin])
        while queue and end not in came:
            node, crossed = state = queue.popleft()
            for link in self._links.get(node, ()):
                then = link.to, crossed or link.apart
                usable = link.weight >= weight * (1 - _SLACK) and not (link.apart and (crossed or must_link))
                if usable and then not in came:
                    came[then] = state, link
                    queue.append(then)
        steps = []
        here = end
        while (step := came.get(here)) is not None:
            here, link = step
            steps.append((here[0], link))
        return steps[::-1]

    def _say(self, node: Node, link: _Link) -> str:
        names = [self.ids[view][row] for view, row in (node, link.to)]
        where = f" ({link.where})" if link.where else ""
        if node[0] != link.to[0]:
            return f"{names[0]} is matched with {names[1]}"
        return f"{names[0]} and {names[1]} were said to {'be apart' if link.apart else 'belong together'}{where}"
