"""Objects of several views, the parts of questions about them, and the state of the answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import row_name, shown
from mvcc.exceptions import InvalidInputError
from mvcc.views import GivenViews

Rows = tuple[tuple[int, ...], ...]  # of one object, per view


@dataclass(frozen=True)
class Group:
    """Objects that the person put together."""

    number: int  # from 1, in the order in which groups were opened; it stays when others are merged
    name: str
    members: tuple[str, ...]  # ids of the objects, in the order of the answers

    @property
    def size(self) -> int:
        """The number of members."""
        return len(self.members)

    @property
    def handle(self) -> str:
        """What stands for the group whatever its name, such as "g1"."""
        return f"g{self.number}"


@dataclass(frozen=True)
class Offer:
    """A group that an object may be like."""

    group: Group
    # the rows of one or two of its members, per view; the one that is most like the object first
    exemplars: tuple[Rows, ...]

    @property
    def exemplar(self) -> Rows:
        """The first of them."""
        return self.exemplars[0]


@dataclass(frozen=True)
class Question:
    """An object, and the groups that it may be like."""

    id: str  # view and first row of the object, such as "texts:17"; it stays the same
    rows: Rows  # all rows of the object, per view
    offers: tuple[Offer, ...]  # all groups, the likeliest first
    # the approximate number of rows of every view that an answer covers and no given answer does
    speaks_for: tuple[int, ...]
    # the names of the two likeliest groups, where they are nearly as likely; else empty
    undecided_between: tuple[str, ...]


@dataclass(frozen=True)
class SecondLook:
    """An answer that what is near contradicts."""

    question: Question
    said: str  # the name of the group that was the answer
    # the name of the group that is nearest; empty where a group has had one member for long
    near: str


@dataclass(frozen=True)
class Neighbor:
    """A row near an object in the graph of all views."""

    row: int
    group: str  # the group that it was put into, or else is most like; empty where there is none
    answered: bool  # whether it was asked about


@dataclass(frozen=True)
class ClustersHint:
    """How many clusters the answers propose."""

    # the number of groups. From 60 answers on, a group of one or two members does not count where
    # less than a third as many rows are nearest to it as to the mean group: it is likely a wrong
    # answer.
    n_clusters: int
    settled: bool  # whether the last ten answers that name a group opened none
    counted: tuple[int, ...]  # the numbers of the groups that count


@dataclass(frozen=True)
class Progress:
    """What was answered so far."""

    answered: int  # objects, also those that are unsure or outliers
    groups: int
    # how many of the last ten answers named the group that was offered first
    guessed_of_last_ten: int


@dataclass(frozen=True)
class Untold:
    """What no constraint of one view can say, until a matched object is answered."""

    must_link: bool  # whether the two belong together, or apart
    ids: tuple[str, str]  # of both objects


class NamedObjects:
    """Objects, their rows, and their ids, such as "texts:17".

    `of_rows` are the objects of the rows of every view, `n_rows` (n_objects, n_views) the numbers
    of rows of the objects.
    """

    def __init__(self, given: GivenViews, of_rows: list[Ints], n_objects: int) -> None:
        self._given, self.of_rows = given, of_rows
        self.n_rows = np.column_stack([np.bincount(own, minlength=n_objects) for own in of_rows])
        self._ends = np.cumsum(self.n_rows, axis=0)
        self._order = [np.argsort(own, kind="stable") for own in of_rows]
        self._lacking: dict[str, int] = {}

    def rows(self, one: int) -> Rows:
        """Return the rows of an object, per view."""
        places = zip(self._order, self._ends[one].tolist(), self.n_rows[one].tolist(), strict=True)
        return tuple(tuple(order[end - number : end].tolist()) for order, end, number in places)

    def id(self, one: int) -> str:
        """Return the view and the first row of an object."""
        view, rows = next((view, rows) for view, rows in enumerate(self.rows(one)) if rows)
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
            if isinstance(row, int | np.integer) and not isinstance(row, bool) and 0 <= row < size:
                return int(self.of_rows[view][row])
            raise InvalidInputError(
                f"question: the rows of view {shown(question[0])} are 0 … {size - 1}, got "
                f"{shown(row)}."
            )
        if isinstance(question, str) and question in self._by_id:
            return self._by_id[question]
        raise InvalidInputError(
            f"question must be a Question, an id such as {shown(self.id(0))} or a tuple "
            f"(view, row), got {shown(question)}."
        )

    @cached_property
    def _view_names(self) -> list[str]:
        return self._given.names or [str(number) for number in range(len(self.of_rows))]

    @cached_property
    def _row_names(self) -> list[list[str]]:
        """The names of the rows of every view: the row index, or numbers if it has repeats."""
        found = []
        for table, own in zip(self._given.tables, self.of_rows, strict=True):
            names = list(map(str, range(len(own))))
            if isinstance(table, pd.DataFrame) and len({*map(str, table.index)}) == len(own):
                names = list(map(str, table.index))
            found.append(names)
        return found

    @cached_property
    def _by_id(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for view, names, own in zip(self._view_names, self._row_names, self.of_rows, strict=True):
            found |= zip((row_name(view, name) for name in names), own.tolist(), strict=True)
        if len(found) < sum(map(len, self.of_rows)):
            raise InvalidInputError(
                "Rows of two views have the same id; give the views names without ':'."
            )
        return found
