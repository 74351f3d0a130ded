"""Which objects are asked next, and what a question about an object offers."""

from __future__ import annotations

import numpy as np

from mvcc._utils.types import Bools, Ints
from mvcc.multiview.questions._coverage import Coverage
from mvcc.multiview.questions._group_links import GroupLinks
from mvcc.multiview.questions._history import AnswerHistory
from mvcc.multiview.questions._named_objects import NamedObjects
from mvcc.multiview.questions._types import Group, Neighbor, Offer, Question

_EXEMPLARS = 2
_SOUGHT = 10  # answers after which no matched member of a group is sought any longer
_RUNNER_UP = 0.5  # of the likeliest group: an object is undecided if the next group is so likely


class Chooser:
    """Choose objects to ask about, and make the questions; answers come from a history."""

    def __init__(self, objects: NamedObjects, coverage: Coverage) -> None:
        self._objects, self._coverage = objects, coverage
        self._matched = (objects.n_rows > 0).sum(axis=1) > 1

    def next(self, history: AnswerHistory, n: int, later: Ints) -> list[int]:
        """Return up to n objects: first those that connect groups with other views.

        Objects that are to come later are chosen only if no others are left.
        """
        asked = history.asked()
        bridges = self._bridges(history)[:n]
        candidates = self._coverage.candidates
        preferred = ~np.isin(candidates, later)
        if bridges and (preferred & self._matched[candidates]).any():
            preferred &= self._matched[candidates]
        chosen = self._coverage.choose(
            n - len(bridges),
            list(history.members().values()),
            np.concatenate((asked, np.array(bridges, dtype=np.int64))),
            preferred,
        )
        return bridges + chosen

    def question(self, history: AnswerHistory, one: int) -> Question:
        """Return the question about an object."""
        likeness = self.likeness(history, one)
        groups = {group.number: group for group in self.groups(history)}
        members, asked = history.members(), history.asked()
        offers = []
        for number, _ in likeness:
            exemplars = self._exemplars(one, members[number])
            offers.append(Offer(groups[number], tuple(map(self._objects.rows, exemplars))))
        is_undecided = len(offers) > 1 and likeness[1][1] > _RUNNER_UP * likeness[0][1]
        n_rows = self._coverage.speaks_for(one, asked[asked != one])
        return Question(
            self._objects.id(one),
            self._objects.rows(one),
            tuple(offers),
            tuple(map(round, n_rows.tolist())),
            tuple(offer.group.name for offer in offers[:2]) if is_undecided else (),
        )

    def groups(self, history: AnswerHistory) -> list[Group]:
        """Return all groups, in the order in which they were opened."""
        return [
            Group(number, history.names[number], tuple(map(self._objects.id, own.tolist())))
            for number, own in history.members().items()
        ]

    def likeness(self, history: AnswerHistory, one: int) -> list[tuple[int, float]]:
        """Return how like every group an object is, the likeliest first."""
        members = history.members()
        if not members:
            return []
        sums = self._coverage.kernel.sums(np.array([one]), list(members.values()))[0]
        likeness = sums / np.sqrt([len(own) for own in members.values()])
        numbers = list(members)
        order = np.argsort(-likeness, kind="stable").tolist()
        return [(numbers[place], float(likeness[place])) for place in order]

    def nearest(self, history: AnswerHistory, one: int, n: int) -> list[list[Neighbor]]:
        """Return up to n rows of every view that are nearest to an object, the nearest first."""
        near = self._coverage.kernel.near(np.arange(len(self._matched)), np.array([one]))[:, 0]
        near[one] = 0
        neighbors = []
        for of_rows in self._objects.of_rows:
            rows = np.argsort(-near[of_rows], kind="stable")[:n]
            connected = rows[near[of_rows[rows]] > 0].tolist()
            neighbors.append([self._neighbor(history, row, int(of_rows[row])) for row in connected])
        return neighbors

    def links(self, history: AnswerHistory) -> GroupLinks:
        """Return what constraints can say of the groups."""
        members = [(one, says) for one, says in history.answers.items() if isinstance(says, int)]
        rows = {one: self._objects.rows(one) for one, _ in members}
        return GroupLinks(members, rows, self._objects.n_rows.shape[1])

    def _neighbor(self, history: AnswerHistory, row: int, one: int) -> Neighbor:
        group = history.said(one)
        if group is None:
            likeness = self.likeness(history, one)
            group = history.names[likeness[0][0]] if likeness else ""
        return Neighbor(row, group, one in history.answers)

    def _bridges(self, history: AnswerHistory) -> list[int]:
        """Return the nearest object that connects each group with a view its members lack."""
        links, asked = self.links(history), history.asked()
        all_views = set(range(self._objects.n_rows.shape[1]))
        bridges: list[int] = []
        for number, own in history.members().items():
            seen = links.views_of(number)
            if len(asked) - history.opened_at[number] > _SOUGHT:
                continue
            here, there = self._have_rows(seen), self._have_rows(all_views - seen)
            taken = np.concatenate((asked, np.array(bridges, np.int64)))
            left = np.setdiff1d(np.flatnonzero(here & there), taken)
            if len(left):
                near = self._coverage.kernel.near(left, own).max(axis=1)
                bridges.append(int(left[near.argmax()]))
        return bridges

    def _have_rows(self, views: set[int]) -> Bools:
        """Tell for every object whether it has a row in one of some views."""
        return np.asarray(self._objects.n_rows[:, list(views)].any(axis=1))

    def _exemplars(self, one: int, members: Ints) -> list[int]:
        """Return members most like an object, first those in a view of the object, then matched."""
        near = self._coverage.kernel.near(np.array([one]), members)[0]
        n_rows = self._objects.n_rows
        shared = (n_rows[members][:, n_rows[one] > 0] > 0).any(axis=1)
        order = np.lexsort((-near, ~self._matched[members], ~shared, members == one))
        exemplars: list[int] = members[order[:_EXEMPLARS]].tolist()
        return exemplars
