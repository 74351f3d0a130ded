"""The objects of the tables of a job, and the answers about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mvcc._utils.messages import row_name, shown
from mvcc.exceptions import DataError, InvalidInputError
from mvcc.multiview import Answer, AnswerHistory
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._people import Person, Rows

if TYPE_CHECKING:
    from mvcc.constraints import Constraints


class AnsweredObjects:
    """The objects of the tables of a job, as the questions have them, by the ids of their rows."""

    def __init__(self, inputs: Inputs, may_lack: bool) -> None:
        from mvcc.embedding import connecting_relations, find_objects  # imports scikit-learn

        self.inputs, self._tables = inputs, inputs.tables
        sizes = [len(table.ids) for table in inputs.tables]
        relations = connecting_relations(len(sizes), inputs.relations)
        self._n, self._of_rows = find_objects(sizes, relations)
        self.may_lack = may_lack
        self.absent: dict[str, int] = {}  # objects of rows that the tables lack, if they may

    def find(self, name: str) -> int:
        """Return the object of a row, such as texts:17."""
        view_and_row = self.inputs.find(name)
        if view_and_row is not None:
            view, row = view_and_row
            return int(self._of_rows[view][row])
        if self.may_lack:
            return self.absent.setdefault(name, self._n + len(self.absent))
        raise DataError(self.inputs.lacks(name))

    def rows(self, objects: Iterable[int]) -> Rows:
        """Return the rows of some objects."""
        return [np.flatnonzero(np.isin(of_rows, list(objects))) for of_rows in self._of_rows]

    def rows_of_each(self, objects: Iterable[int]) -> dict[int, tuple[tuple[int, ...], ...]]:
        """Return the rows of each of some objects, per view; absent ones have none."""
        rows_of: dict[int, list[list[int]]] = {obj: [[] for _ in self._tables] for obj in objects}
        for view, rows in enumerate(self.rows(rows_of)):
            for row in rows.tolist():
                rows_of[int(self._of_rows[view][row])][view].append(row)
        return {obj: tuple(map(tuple, rows)) for obj, rows in rows_of.items()}

    def links(self, constraints: Iterable[Constraints]) -> Iterator[tuple[int, int, bool]]:
        """Give the two objects of each constraint, and whether they belong together."""
        for of_rows, view_constraints in zip(self._of_rows, constraints, strict=True):
            for i, j, together, _ in view_constraints.rows():
                yield int(of_rows[i]), int(of_rows[j]), together

    def names(self, rows: Iterable[Iterable[int]]) -> list[str]:
        """Return the rows of every view as texts:17."""
        views = zip(self._tables, rows, strict=True)
        return [row_name(table.name, table.ids[row]) for table, of_view in views for row in of_view]


def read_history(person: Person, objects: AnsweredObjects) -> AnswerHistory:
    """Return the answers of a person, whose groups need no line that opens them."""
    line, answers = 0, list[Answer]()
    try:
        for line, (name, text, when) in person.records:
            if not text:
                raise DataError(f"there is no answer for {shown(name)}.")
            answer = Answer(name, text, when)
            if answer.is_about_object:
                where = f"line {line} of {'/'.join(Path(person.path).parts[-2:])}"
                answer = replace(answer, object=objects.find(name), where=where)
            answers.append(answer)
        return AnswerHistory().followed_by(answers)
    except (DataError, InvalidInputError) as error:
        raise DataError(f"{person.path}:{line}: {error}") from error
