"""Groups of objects as constraints of the views, as few as say the same."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from mvcc.constraints import Constraints
from mvcc.multiview.questions._history import AnswerHistory
from mvcc.multiview.questions._question import Rows

_Link = tuple[list[int], bool, str]  # two rows, whether they belong together, and its source


@dataclass(eq=False)
class _Component:
    """Members of a group that constraints and matches hold together."""

    first: int  # the object that was the first of them
    first_rows: dict[int, int]  # of each view that it has rows of
    # those that a cannot-link of either tells apart from this one
    apart: set[_Component] = field(default_factory=set)

    def take(self, other: _Component) -> None:
        """Become one component with a younger one."""
        self.first_rows = other.first_rows | self.first_rows
        for third in other.apart:
            third.apart.discard(other)
            third.apart.add(self)
        self.apart |= other.apart


class GroupLinks:
    """What constraints can say of the members of groups.

    A member is must-linked to the first member of its group in a view that both have; the first
    members of two groups are cannot-linked once, in the first view that they share. While two
    components of a group, or two groups, have no view in common, nothing can be said of them.

    `rows` are those of each answered object; `apart` are the pairs of groups that are told apart,
    by default all. The source of a constraint is where the last answer was read that it needs.
    """

    def __init__(
        self,
        history: AnswerHistory,
        rows: dict[int, Rows],
        n_views: int,
        apart: Collection[frozenset[int]] | None = None,
    ) -> None:
        self._told_apart = apart
        self._links: list[list[_Link]] = [[] for _ in range(n_views)]
        self._components: dict[int, list[_Component]] = {}
        sources = {line.object: line.where for line in history.standing}
        for obj, group in history.answers.items():
            if isinstance(group, int):
                first_rows = {view: of_view[0] for view, of_view in enumerate(rows[obj]) if of_view}
                self._add(_Component(obj, first_rows), group, sources[obj])

    @property
    def constraints(self) -> list[Constraints]:
        """The constraints of every view, in its rows."""
        constraints = []
        for links in self._links:
            pairs = np.array([rows for rows, _, _ in links], np.int64).reshape(-1, 2)
            must_link = np.array([kind for _, kind, _ in links], np.bool_)
            listed = pairs, must_link, np.ones(len(links))
            constraints.append(Constraints.from_lines(listed, [source for _, _, source in links]))
        return constraints

    @property
    def untold(self) -> list[tuple[bool, int, int]]:
        """What no constraint says: whether two objects belong together, and the objects."""
        together = [
            (True, components[0].first, other.first)
            for components in self._components.values()
            for other in components[1:]
        ]
        apart = [
            (False, components[0].first, others[0].first)
            for components, others in combinations(self._components.values(), 2)
            if not any(component.apart & set(others) for component in components)
        ]
        return together + apart

    def views_of(self, group: int) -> set[int]:
        """Return the views that the first component of a group has rows of."""
        return set(self._components[group][0].first_rows)

    def _add(self, new: _Component, group: int, source: str) -> None:
        """Add a member, whose answer is the source of all constraints that it brings."""
        components = self._components.setdefault(group, [])
        touched = [old for old in components if self._link(old, new, source, must_link=True)]
        if not touched:
            components.append(new)
            self._cannot_link(new, group, source)
            return
        joined, *others = [*touched, new]
        n_views = len(joined.first_rows)
        for old in others:
            joined.take(old)
        components[:] = [old for old in components if old not in others]
        if len(joined.first_rows) > n_views:
            self._cannot_link(joined, group, source)

    def _cannot_link(self, joined: _Component, group: int, source: str) -> None:
        for other_group, others in self._components.items():
            pair = frozenset((group, other_group))
            if len(pair) == 1 or not (self._told_apart is None or pair in self._told_apart):
                continue
            for other in others:
                if other not in joined.apart and self._link(other, joined, source, must_link=False):
                    joined.apart.add(other)
                    other.apart.add(joined)

    def _link(self, left: _Component, right: _Component, source: str, *, must_link: bool) -> bool:
        """Add a link in the first view that both have rows of; return whether there is one."""
        shared = left.first_rows.keys() & right.first_rows.keys()
        if shared:
            view = min(shared)
            rows = sorted((left.first_rows[view], right.first_rows[view]))
            self._links[view].append((rows, must_link, source))
        return bool(shared)
