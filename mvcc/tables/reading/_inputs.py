"""What the files of a job hold: tables, constraints, matches and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import lacks_view, shown, view_and_id, views_of_pair
from mvcc.constraints import ConstraintFile
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
    together: Together | None = None  # how several people agree

    def outlier_ids(self) -> list[list[str]]:
        """Return the ids of the rows of outliers, per view."""
        views = zip(self.tables, self.outliers, strict=True)
        return [[table.ids[row] for row in rows] for table, rows in views]

    def lines(self) -> list[list[str]]:
        """Return every answer with its person, also those that were taken back, as a table."""
        answers = [[*fields, person.name] for person in self.people for _, fields in person.records]
        return [ANSWER_COLUMNS, *answers]


def no_answers(tables: list[Table]) -> Answers:
    """Return that nothing was answered about some tables."""
    return Answers({}, 0, 0, [np.empty(0, np.int64) for _ in tables], "", tables, [])


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
