"""The objects of several views, by ids such as "texts:17"."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import nearest_id, row_name, shown
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.questions._question import Question, Rows
from mvcc.views import GivenViews


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
        """Return the rows of an object, per view."""
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
            if isinstance(row, int | np.integer) and not isinstance(row, bool) and 0 <= row < size:
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
