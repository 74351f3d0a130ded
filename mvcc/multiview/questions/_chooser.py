"""Which objects are asked next or again, what a question offers, and which groups count."""

from __future__ import annotations

import numpy as np

from mvcc._utils.types import Bools, Ints
from mvcc.multiview.questions._coverage import Coverage
from mvcc.multiview.questions._group_links import GroupLinks
from mvcc.multiview.questions._history import FEWEST_MEMBERS, MANY_ANSWERS, AnswerHistory
from mvcc.multiview.questions._objects import Group, NamedObjects, Neighbor, Offer, Question

_EXEMPLARS = 2
_SOUGHT = 10  # answers after which no matched member of a group is sought any longer
_RUNNER_UP = 0.5  # of the likeliest group: an object is undecided if the next group is so likely
# share of the evidence for another group: with less for its own, an answer is looked at again
_DOUBT = 0.2
_LONELY = 20  # answers after which a group of one member is looked at again
_FEWEST_ROWS = 1 / 3  # of the mean over all groups


class Chooser:
    """Choose objects to ask about by the answers so far, and make the questions."""

    def __init__(self, objects: NamedObjects, coverage: Coverage) -> None:
        self._objects, self._coverage = objects, coverage
        self._history = AnswerHistory()
        self._matched = (objects.n_rows > 0).sum(axis=1) > 1

    @property
    def groups(self) -> list[Group]:
        """All groups, in the order in which they were opened."""
        names, id = self._history.names, self._objects.id
        return [
            Group(number, names[number], tuple(map(id, own.tolist())))
            for number, own in self._history.members().items()
        ]

    def _next(self, n: int, later: Ints) -> list[int]:
        """Return up to n objects: first those that connect groups with other views.

        Objects that are to come later are chosen only if no others are left.
        """
        asked = self._history.asked()
        bridges = self._bridges()[:n]
        candidates = self._coverage.candidates
        preferred = ~np.isin(candidates, later)
        if bridges and (preferred & self._matched[candidates]).any():
            preferred &= self._matched[candidates]
        chosen = self._coverage.choose(
            n - len(bridges),
            list(self._history.members().values()),
            np.concatenate((asked, np.array(bridges, dtype=np.int64))),
            preferred,
        )
        return bridges + chosen

    def _question(self, one: int) -> Question:
        """Return the question about an object."""
        likeness = self._likeness(one)
        groups = {group.number: group for group in self.groups}
        members, asked = self._history.members(), self._history.asked()
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

    def _likeness(self, one: int) -> list[tuple[int, float]]:
        """Return how like every group an object is, the likeliest first."""
        members = self._history.members()
        if not members:
            return []
        sums = self._coverage.kernel.sums(np.array([one]), list(members.values()))[0]
        likeness = sums / np.sqrt([len(own) for own in members.values()])
        numbers = list(members)
        order = np.argsort(-likeness, kind="stable").tolist()
        return [(numbers[place], float(likeness[place])) for place in order]

    def _neighbor(self, row: int, one: int) -> Neighbor:
        history = self._history
        group = history.said(one) or ""
        if not group and history.names:
            group = history.names[self._likeness(one)[0][0]]
        return Neighbor(row, group, one in history.answers)

    def _links(self) -> GroupLinks:
        """Return what constraints can say of the groups."""
        rows = {one: self._objects.rows(one) for one in self._history.answers}
        return GroupLinks(self._history, rows, self._objects.n_rows.shape[1])

    def _bridges(self) -> list[int]:
        """Return the nearest object that connects each group with a view its members lack."""
        links, asked = self._links(), self._history.asked()
        all_views = set(range(self._objects.n_rows.shape[1]))
        bridges: list[int] = []
        for number, own in self._history.members().items():
            seen = links.views_of(number)
            if len(asked) - self._history.opened_at[number] > _SOUGHT:
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

    def _contradicted(self) -> list[tuple[int, int]]:
        """Return the objects to look at again, each with the group that what is near says.

        That group is 0 for an object that has long been alone in its group.
        """
        history = self._history
        members = history.members()
        numbers = list(members)
        says = history.answers.items()
        grouped = [(one, numbers.index(group)) for one, group in says if isinstance(group, int)]
        if not grouped:
            return []
        objects, groups = np.array(grouped).T
        sizes = np.array([len(own) for own in members.values()])
        # members but for the object itself
        others = sizes - (groups[:, None] == np.arange(len(numbers)))
        sums = self._coverage.kernel.sums(objects, list(members.values()), others_only=True)
        likeness = sums / np.sqrt(np.maximum(others, 1))
        looks = []
        for (one, group), n_others, like in zip(grouped, others, likeness, strict=True):
            if one in history.looked_at:
                continue
            nearest = int(like.argmax())
            n_since_opened = len(history.answers) - history.opened_at[numbers[group]]
            if n_others[group] == 0 and n_since_opened > _LONELY:
                looks.append((one, 0))
            elif n_others[group] > 0 and like[group] < _DOUBT * like[nearest]:
                looks.append((one, numbers[nearest]))
        return looks

    def _counted(self) -> list[int]:
        """Return the groups that count as clusters.

        After many answers, small groups count only if they are nearest to many rows.
        """
        members = self._history.members()
        if len(self._history.answers) < MANY_ANSWERS or not members:
            return list(members)
        places, weights = self._coverage.nearest_of(list(members.values()))
        rows = np.bincount(places, weights, minlength=len(members))
        least = _FEWEST_ROWS * weights.sum() / len(members)
        return [
            number
            for (number, own), near in zip(members.items(), rows, strict=True)
            if len(own) >= FEWEST_MEMBERS or near >= least
        ]
