"""Which objects are asked about, by the answers so far, and what these leave open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.contexts import one_thread
from mvcc._utils.messages import nearest_id, row_name, shown
from mvcc._utils.validation import RandomState, as_generator, check_count, is_integer
from mvcc.embedding import any_graph, connecting_relations
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.questions._coverage import Coverage
from mvcc.multiview.questions._groups import FEWEST_MEMBERS, MANY_ANSWERS, GroupLinks
from mvcc.multiview.questions._history import Answer, AnswerHistory
from mvcc.multiview.questions._question import (
    ClustersHint,
    Group,
    Neighbor,
    Offer,
    Question,
    Rows,
    SecondLook,
)
from mvcc.views import GivenViews

LAST = 10  # answers that settle the number of groups if they open none
_EXPECTED_CLUSTERS = 10  # for the number of neighbors, before anything is known of them
_EXEMPLARS = 2
_SOUGHT = 10  # answers after which no matched member of a group is sought any longer
_RUNNER_UP = 0.5  # of the likeliest group: an object is undecided if the next group is so likely
# share of the evidence for another group: with less for its own, an answer is looked at again
_DOUBT, _DOUBT_OF_MANY = 0.2, 0.4  # the latter of many answers, of which each tells less
_LONELY = 20  # answers after which a group of one member is looked at again
_FEWEST_ROWS = 1 / 3  # of the mean over all groups


class Chooser:
    """Choose objects to ask about by the answers so far, and make the questions."""

    def __init__(
        self,
        given: GivenViews,
        mappings: Mapping[Any, Any] | None,
        n_neighbors: int,
        random_state: RandomState,
    ) -> None:
        data = given.arrays()
        relations = connecting_relations(len(data), given.relations(mappings))
        most, rng = check_count(n_neighbors, "n_neighbors"), as_generator(random_state)
        with one_thread():
            graph = any_graph(data, relations, most, _EXPECTED_CLUSTERS, rng, has_landmarks=False)
            self._objects = NamedObjects(given, graph.objects, graph.n_objects)
            self._coverage = Coverage(graph, self._objects.n_rows, rng)
        self._remember(AnswerHistory())
        self._matched = (self._objects.n_rows > 0).sum(axis=1) > 1

    def _remember(self, history: AnswerHistory) -> None:
        """Let a history be that of these questions, which know nothing of objects without rows."""
        self._whole, self._history = history, history.among(len(self._objects.n_rows))

    @property
    def groups(self) -> list[Group]:
        """All groups, in the order in which they were opened."""
        names, id = self._history.names, self._objects.id
        return [
            Group(group, names[group], tuple(map(id, objects.tolist())))
            for group, objects in self._history.members().items()
        ]

    @one_thread()
    def _next(self, n: int, later: Ints) -> list[int]:
        """Return up to n objects: first those that connect groups with other views."""
        # objects that are to come later are chosen only if no others are left
        asked = self._history.asked()
        bridges = self._bridges()[:n]
        candidates = self._coverage.candidates
        preferred = ~np.isin(candidates, later)
        if bridges and (preferred & self._matched[candidates]).any():
            preferred &= self._matched[candidates]
        groups = list(self._history.members().values())
        answered = np.concatenate((asked, np.array(bridges, dtype=np.int64)))
        chosen = self._coverage.choose(n - len(bridges), groups, answered, preferred)
        return bridges + chosen

    @one_thread()
    def _question(self, obj: int) -> Question:
        likeness = self._likeness(obj)
        groups = {group.number: group for group in self.groups}
        members, asked = self._history.members(), self._history.asked()
        offers = []
        for group, _ in likeness:
            exemplars = self._exemplars(obj, members[group])
            offers.append(Offer(groups[group], tuple(map(self._objects.rows, exemplars))))
        undecided: tuple[str, ...] = ()
        if len(offers) > 1 and likeness[1][1] > _RUNNER_UP * likeness[0][1]:
            undecided = offers[0].group.name, offers[1].group.name
        n_rows = self._coverage.speaks_for(obj, asked[asked != obj])
        speaks_for = tuple(map(round, n_rows.tolist()))
        id, rows = self._objects.id(obj), self._objects.rows(obj)
        return Question(id, rows, tuple(offers), speaks_for, undecided)

    def _likeness(self, obj: int) -> list[tuple[int, float]]:
        """Return how like every group an object is, the likeliest first."""
        members = self._history.members()
        if not members or obj >= len(self._objects.n_rows):
            return []
        sums = self._coverage.kernel.sums(np.array([obj]), list(members.values()))[0]
        likeness = sums / np.sqrt([len(objects) for objects in members.values()])
        groups = list(members)
        order = np.argsort(-likeness, kind="stable").tolist()
        return [(groups[index], float(likeness[index])) for index in order]

    @one_thread()
    def _nearest(self, obj: int, n: int) -> list[list[Neighbor]]:
        """Return the n rows of every view nearest to an object, as far as they are connected."""
        objects = self._objects
        near = self._coverage.kernel.near(np.arange(len(objects.n_rows)), np.array([obj]))[:, 0]
        near[obj] = 0
        neighbors = []
        for row_objects in objects.of_rows:
            rows = np.argsort(-near[row_objects], kind="stable")[:n]
            connected = rows[near[row_objects[rows]] > 0].tolist()
            neighbors.append([self._neighbor(row, int(row_objects[row])) for row in connected])
        return neighbors

    def _neighbor(self, row: int, obj: int) -> Neighbor:
        history = self._history
        group = history.said(obj) or ""
        if not group and history.names:
            group = history.names[self._likeness(obj)[0][0]]
        return Neighbor(row, group, obj in history.answers)

    @one_thread()
    def _extend(self, line: Answer, again: bool) -> Answer:
        """Add a line to the history, and return it as it is there."""
        former = self._whole
        if line.object is not None and line.names_group:
            group = former.group(line.answer)
            for likeliest, _ in self._likeness(line.object)[:1]:
                line = replace(line, guessed=likeliest == group)
        self._remember(former.extended(line, again=again))
        if self._whole is former:  # the same answer once more
            answer = former.said(self._objects.find(line.id))
            return replace(line, answer=str(answer), guessed=None)
        return self._history.lines[-1]

    def _links(self) -> GroupLinks:
        """Return what constraints can say of the groups."""
        rows = {obj: self._objects.rows(obj) for obj in self._history.answers}
        return GroupLinks(self._history, rows, self._objects.n_rows.shape[1])

    def _bridges(self) -> list[int]:
        """Return the nearest object that connects each group with a view its members lack."""
        links, asked = self._links(), self._history.asked()
        has_rows = self._objects.n_rows > 0
        views = np.arange(has_rows.shape[1])
        bridges: list[int] = []
        for group, members in self._history.members().items():
            if len(asked) - self._history.opened_at[group] > _SOUGHT:
                continue
            is_seen = np.isin(views, list(links.views_of(group)))
            in_seen, in_unseen = has_rows[:, is_seen].any(axis=1), has_rows[:, ~is_seen].any(axis=1)
            taken = np.concatenate((asked, np.array(bridges, np.int64)))
            candidates = np.setdiff1d(np.flatnonzero(in_seen & in_unseen), taken)
            if len(candidates):
                near = self._coverage.kernel.near(candidates, members).max(axis=1)
                bridges.append(int(candidates[near.argmax()]))
        return bridges

    def _exemplars(self, obj: int, members: Ints) -> list[int]:
        """Return members most like an object, first those in a view of the object, then matched."""
        near = self._coverage.kernel.near(np.array([obj]), members)[0]
        n_rows = self._objects.n_rows
        shared = (n_rows[members][:, n_rows[obj] > 0] > 0).any(axis=1)
        order = np.lexsort((-near, ~self._matched[members], ~shared, members == obj))
        return members[order[:_EXEMPLARS]].tolist()

    @property
    @one_thread()
    def second_looks(self) -> list[SecondLook]:
        """Answers that their neighborhood contradicts, and groups that long have one member.

        An answer is contradicted if less than a fifth of the evidence for another group is for
        its own, from 60 answers on less than two fifths. What was answered again is not given any
        more. Ask once more, and give the answer with ``again=True``.
        """
        history = self._history
        members = history.members()
        numbers = list(members)
        answers = history.answers.items()
        grouped = [(obj, numbers.index(group)) for obj, group in answers if isinstance(group, int)]
        if not grouped:
            return []
        objects, groups = np.array(grouped).T
        sizes = np.array([len(objects) for objects in members.values()])
        # members but for the object itself
        others = sizes - (groups[:, None] == np.arange(len(numbers)))
        sums = self._coverage.kernel.sums(objects, list(members.values()), others_only=True)
        likeness = sums / np.sqrt(np.maximum(others, 1))
        names = list(history.names.values())
        looks, doubt = [], _DOUBT
        if len(history.answers) >= MANY_ANSWERS:
            doubt = _DOUBT_OF_MANY
        for (obj, group), n_others, like in zip(grouped, others, likeness, strict=True):
            if obj in history.looked_at:
                continue
            nearest = int(like.argmax())
            n_since_opened = len(history.answers) - history.opened_at[numbers[group]]
            if n_others[group] == 0 and n_since_opened > _LONELY:
                looks.append(SecondLook(self._question(obj), names[group], near=""))
            elif n_others[group] > 0 and like[group] < doubt * like[nearest]:
                looks.append(SecondLook(self._question(obj), names[group], names[nearest]))
        return looks

    @property
    @one_thread()
    def n_clusters_hint(self) -> ClustersHint:
        """The number of clusters that the answers propose."""
        members, has_settled = self._history.members(), self._history.n_since_new >= LAST
        counted = tuple(members)
        if len(self._history.answers) >= MANY_ANSWERS and members:
            # small groups count only if they are nearest to many rows
            likeliest, n_rows = self._coverage.likeliest_groups(list(members.values()))
            row_counts = np.bincount(likeliest, n_rows, minlength=len(members))
            least = _FEWEST_ROWS * n_rows.sum() / len(members)
            counted = tuple(
                group
                for (group, objects), n_near in zip(members.items(), row_counts, strict=True)
                if len(objects) >= FEWEST_MEMBERS or n_near >= least
            )
        return ClustersHint(len(counted), has_settled, counted)


class NamedObjects:
    """Objects, their rows, and their ids, such as "texts:17".

    `of_rows` are the objects of the rows of every view, `n_rows` (n_objects, n_views) the numbers
    of rows of the objects.
    """

    def __init__(self, given: GivenViews, of_rows: list[Ints], n_objects: int) -> None:
        self._given, self.of_rows, self.views_in_words = given, of_rows, given.in_words
        self.n_rows = np.column_stack([np.bincount(objs, minlength=n_objects) for objs in of_rows])
        self._ends = np.cumsum(self.n_rows, axis=0)
        self._order = [np.argsort(objs, kind="stable") for objs in of_rows]
        self._lacking: dict[str, int] = {}

    def rows(self, obj: int) -> Rows:
        spans = zip(self._order, self._ends[obj].tolist(), self.n_rows[obj].tolist(), strict=True)
        return tuple(tuple(order[end - n_rows : end].tolist()) for order, end, n_rows in spans)

    def id(self, obj: int) -> str:
        """Return the view and the first row of an object."""
        view, rows = next((view, rows) for view, rows in enumerate(self.rows(obj)) if rows)
        return row_name(self._view_names[view], self._row_names[view][rows[0]])

    def lacking(self, id: str) -> int:
        """Return the number of an object that has no rows here, after all others."""
        return self._lacking.setdefault(id, len(self.n_rows) + len(self._lacking))

    def find(self, question: Any) -> int:
        """Return the object of a question, an id, or a row as a tuple (view, number)."""
        if isinstance(question, Question):
            question = question.id
        if isinstance(question, tuple) and len(question) == 2:
            view, row = self._given.number(question[0], "question"), question[1]
            size = len(self.of_rows[view])
            if is_integer(row) and 0 <= row < size:
                return int(self.of_rows[view][row])
            raise InvalidInputError(
                f"question: the rows of view {shown(question[0])} are 0 … {size - 1}, got "
                f"{shown(row)}."
            )
        if isinstance(question, str) and question in self._by_id:
            return self._by_id[question]
        guess = nearest_id(question, self._by_id) if isinstance(question, str) else "."
        raise InvalidInputError(
            f"question must be a Question, an id such as {shown(self.id(0))} or a tuple "
            f"(view, row), got {shown(question)}{guess}"
        )

    @cached_property
    def _view_names(self) -> list[str]:
        return self._given.names or [str(view) for view in range(len(self.of_rows))]

    @cached_property
    def _row_names(self) -> list[list[str]]:
        """The names of the rows of every view: the row index, or numbers if it has repeats."""
        row_names = []
        for table, objects in zip(self._given.tables, self.of_rows, strict=True):
            names = list(map(str, range(len(objects))))
            if isinstance(table, pd.DataFrame) and len({*map(str, table.index)}) == len(objects):
                names = list(map(str, table.index))
            row_names.append(names)
        return row_names

    @cached_property
    def _by_id(self) -> dict[str, int]:
        by_id: dict[str, int] = {}
        for view, names, objs in zip(self._view_names, self._row_names, self.of_rows, strict=True):
            by_id |= zip((row_name(view, name) for name in names), objs.tolist(), strict=True)
        if len(by_id) < sum(map(len, self.of_rows)):
            raise InvalidInputError(
                "Rows of two views have the same id; give the views names without ':'."
            )
        return by_id
