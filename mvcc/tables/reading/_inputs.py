"""What the files of a job hold, and the objects of its rows, which answers are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import lacks_view, row_name, shown, view_and_id, views_of_pair
from mvcc.constraints import ConstraintFile
from mvcc.exceptions import DataError, InvalidInputError
from mvcc.multiview import Answer, AnswerHistory
from mvcc.results import Together
from mvcc.tables.reading._column import as_texts
from mvcc.tables.reading._id_column import Named, first_two
from mvcc.tables.reading._people import ANSWER_COLUMNS, Person, Rows
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.constraints import Constraints, Relations


@dataclass(frozen=True)
class PairFiles:
    """All files of matches and constraints of a job that could be read."""

    matches: dict[str, pd.DataFrame]  # by the two views
    constraints: dict[str, ConstraintFile]

    def named_in(self, view: str) -> list[Named]:
        """Return sets of ids, one or more of them of a view: those of the columns of its files."""
        named: list[Named] = []
        for pair, frame in self.matches.items():
            if view in (views := views_of_pair(pair)):
                named += _named_by_matches(frame, view, views.index(view))
        if view in self.constraints:
            records = self.constraints[view].records.values()
            named.append(Named("", {name.strip() for record in records for name in record[:2]}))
        return [entry for entry in named if entry.ids]


def _named_by_matches(frame: pd.DataFrame, view: str, side: int) -> Iterator[Named]:
    """Give the ids in the column of matches called like a view or its side, else in both."""
    names = [str(name).strip().casefold() for name in frame.columns]
    called = [name for name in (view.casefold(), ("left", "right")[side]) if name in names]
    columns = first_two(names)
    own_column = names.index(called[0]) if called else columns[side]
    for n in [own_column] if called else columns[: len(names)]:
        yield Named(names[n], set(as_texts(frame.iloc[:, n].dropna())), is_first=n == own_column)


@dataclass(frozen=True, eq=False)
class Answers:
    """What was answered, in rows of the tables as they were read."""

    groups: dict[str, Rows]  # all rows of the members of every group, by its name
    n_counted: int  # how many of the groups the answers propose as clusters
    n_in_a_row: int  # the answers since the last one that opened a group
    outliers: Rows  # of all objects that fit nowhere
    source: str  # the file that names the groups; empty where there is none
    tables: list[Table]  # with the outliers
    people: list[Person]
    rows: Mapping[str, list[str]]  # of the object of each row that was answered, now and before
    together: Together | None = None  # how several people agree

    def outlier_ids(self) -> list[list[str]]:
        """Return the ids of the rows of outliers, per view."""
        views = zip(self.tables, self.outliers, strict=True)
        return [[table.ids[row] for row in rows] for table, rows in views]

    def lines(self) -> list[list[str]]:
        """Return every answer with its person, also those that were taken back, as a table."""
        said = [(person.name, fields) for person in self.people for _, fields in person.records]
        lines = [[*fields, who, "\n".join(self.rows.get(fields[0], []))] for who, fields in said]
        return [ANSWER_COLUMNS, *lines]


def no_answers(tables: list[Table]) -> Answers:
    """Return that nothing was answered about some tables."""
    return Answers({}, 0, 0, [np.empty(0, np.int64) for _ in tables], "", tables, [], {})


@dataclass(frozen=True, eq=False)
class Inputs:
    """All files of a job, read and checked."""

    tables: list[Table]
    constraints: list[Constraints]
    relations: Relations  # (r, 2)
    files: list[tuple[str, int, str]]  # path, number of entries and sha256 of every file
    answers: Answers | None = None  # what was answered to `mvcc ask`, where it is used
    notes: tuple[str, ...] = ()  # what must be known of matches, constraints and answers

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of the view of every name."""
        return {table.name: view for view, table in enumerate(self.tables)}

    def find(self, name: str) -> tuple[int, int] | None:
        """Return the numbers of view and row of a name, such as texts:17; None without that row."""
        view, id = view_and_id(name)
        index = self.numbers.get(view, -1)
        if index >= 0 and (row := self.tables[index].row.find(id)) >= 0:
            return index, row
        return None

    def lacks(self, name: str) -> str:
        """Say that no row has a name, and what may be the reason."""
        view, id = view_and_id(name)
        if view in self.numbers:
            return self.tables[self.numbers[view]].lacks(id)
        return lacks_view(name, self.numbers)

    @property
    def tables_read(self) -> list[Table]:
        """The tables with the rows that were left out."""
        return self.answers.tables if self.answers else self.tables

    def on_rows(self, rows: list[Ints]) -> Inputs:
        """Return the inputs of some rows, ascending, without constraints and matches of others."""
        relations = {}
        for (u, v), pairs in self.relations.items():
            inside = pairs[np.isin(pairs[:, 0], rows[u]) & np.isin(pairs[:, 1], rows[v])]
            if len(inside):
                ends = [np.searchsorted(rows[view], inside[:, n]) for n, view in enumerate((u, v))]
                relations[u, v] = np.column_stack(ends)
        views = list(zip(self.tables, self.constraints, rows, strict=True))
        return replace(
            self,
            tables=[table.on_rows(kept) for table, _, kept in views],
            constraints=[given.on_rows(kept) for _, given, kept in views],
            relations=relations,
        )


def caller_of(tables: list[Table]) -> Callable[[int, int], str]:
    """Return what says how a message calls a row of a view."""
    return lambda view, row: f"{shown(tables[view].ids[row])} of {tables[view].name}"


class AnsweredObjects:
    """The objects of the tables of a job, as the questions have them, by the ids of their rows.

    The first row `beside` one that is gone, and not gone itself, stands for it.
    """

    def __init__(
        self, inputs: Inputs, may_lack: bool, beside: Mapping[str, list[str]] = {}
    ) -> None:
        from mvcc.embedding import connecting_relations, find_objects  # imports scikit-learn

        self.inputs, self._tables = inputs, inputs.tables
        sizes = [len(table.ids) for table in inputs.tables]
        relations = connecting_relations(len(sizes), inputs.relations)
        self._n, self._of_rows = find_objects(sizes, relations)
        self.may_lack, self._beside = may_lack, beside
        self.absent: dict[str, int] = {}  # objects of rows that the tables lack, if they may
        self._found: dict[str, int] = {}  # those of the other rows that were asked for
        self.moved: dict[str, str] = {}  # the row that stands for one that is gone

    def find(self, name: str) -> int:
        """Return the object of a row, such as texts:17."""
        for other in (name, *self._beside.get(name, ())):
            if (view_and_row := self.inputs.find(other)) is not None:
                view, row = view_and_row
                if other != name:
                    self.moved[name] = other
                return self._found.setdefault(name, int(self._of_rows[view][row]))
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

    def rows_found(self) -> dict[str, list[str]]:
        """Return all rows of the object of each row that was asked for, and those beside it."""
        rows, now = self.rows_of_each(self._found.values()), dict[str, list[str]]()
        for name, obj in self._found.items():
            now[name] = [*dict.fromkeys([*self.names(rows[obj]), *self._beside.get(name, ())])]
        return {**self._beside, **now}

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
