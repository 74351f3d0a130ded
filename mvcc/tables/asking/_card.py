"""What a person sees of a question and of a session: plain values, escaped where they are shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.messages import clipped, counted
from mvcc.multiview import Group, Question, Questions
from mvcc.tables.explaining._distinguishing import columns_of
from mvcc.tables.explaining._shown_rows import value_text
from mvcc.tables.reading._column import Column
from mvcc.tables.reading._pictures import is_picture
from mvcc.tables.reading._table import Table

_MOST_BARS = 5
# of groups by their numbers, so that a key is the same group on every card; other letters are taken
_KEYS = "123456789abcdeghijkqstvwxz"
_LONGEST_TITLE = 60
_LITTLE = 1 / 4  # of the median length of the texts of a view


@dataclass(frozen=True)
class ShownRow:
    """A row of a view."""

    view: str
    id: str
    values: tuple[tuple[str, str], ...]  # of the columns to show
    images: tuple[str, ...]  # paths below the folder of the table, as they stand in it
    # where no columns are named: those in which the row differs most from the mean, their values,
    # and by how many standard deviations
    bars: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class ShownGroup:
    """A group to choose."""

    group: str  # its handle, such as "g1"
    key: str  # what chooses it on every card; empty for the 27th group and those after it
    name: str
    size: int
    exemplars: tuple[tuple[ShownRow, ...], ...]


@dataclass(frozen=True)
class Card:
    """A question."""

    id: str
    why: str
    rows: tuple[ShownRow, ...]
    groups: tuple[ShownGroup, ...]  # the likeliest first
    # what speaks against the answer that was given, where it is asked once more
    second_look: str | None
    said: str | None  # the answer that was given


@dataclass(frozen=True)
class Status:
    """How far a session is."""

    n_answers: int
    n_groups: int
    guessed_of_last_ten: int
    # share of the rows whose likeliest group the ten answers before the last multiple of ten
    # changed
    moved: float | None
    n_clusters_hint: int
    settled: bool
    version: int  # the number of lines of the log


@dataclass(frozen=True)
class GivenAnswer:
    """The present answer to a question: the name of a group, "unsure" or "outlier"."""

    id: str
    title: str
    answer: str


@dataclass(frozen=True)
class NearRow:
    """A row near an object, and the group that it is in or most like."""

    id: str
    title: str
    group: str
    answered: bool


def told_group(group: Group) -> dict[str, Any]:
    """Return a group as programs and pages take it."""
    return {"group": group.handle, "name": group.name, "size": group.size}


class Shower:
    """Show rows of tables; images are below the folder of each."""

    def __init__(self, tables: list[Table]) -> None:
        self._tables = tables
        self.folders = {table.name: os.path.dirname(table.path) for table in tables}

    def card(self, question: Question, second_look: str | None, said: str | None) -> Card:
        groups = []
        for offer in question.offers:
            group, exemplars = offer.group, tuple(map(self.rows, offer.exemplars))
            key = _KEYS[group.number - 1 : group.number]
            groups.append(ShownGroup(group.handle, key, group.name, group.size, exemplars))
        rows = self.rows(question.rows)
        return Card(question.id, self.why(question), rows, tuple(groups), second_look, said)

    def rows(self, of_views: tuple[tuple[int, ...], ...]) -> tuple[ShownRow, ...]:
        """Show all rows of an object."""
        return tuple(self.row(view, row) for view, rows in enumerate(of_views) for row in rows)

    def hard_to_judge(self, questions: Questions) -> list[str]:
        """Return the objects of which a person sees hardly any text."""
        poor = set[tuple[int, int]]()  # views and numbers of such rows
        for view, table in enumerate(self._tables):
            lengths, folder = np.zeros(len(table.ids)), self.folders[table.name]
            for texts in table.shown.values():
                lengths += [inf if is_picture(text, folder) else len(text) for text in texts]
            few = np.flatnonzero(lengths < _LITTLE * np.median(lengths))
            poor |= {(view, row) for row in few.tolist()}
        ids = []
        for id in dict.fromkeys(map(questions.id, sorted(poor))):
            of_views = enumerate(questions.rows(id))
            if poor.issuperset((view, row) for view, rows in of_views for row in rows):
                ids.append(id)
        return ids

    def title(self, view: int, row: int) -> str:
        """Return the beginning of the first text or picture that is shown of a row."""
        texts = (values[row] for values in self._tables[view].shown.values())
        return clipped(" ".join(next(filter(None, texts), "").split()), _LONGEST_TITLE)

    def titled(self, beginning: str) -> list[tuple[int, int]]:
        """Return the views and numbers of the rows whose titles begin so, in any case."""
        wanted = clipped(" ".join(beginning.split()), _LONGEST_TITLE).casefold()
        every = [(v, i) for v, table in enumerate(self._tables) for i in range(len(table.ids))]
        return [row for row in every if wanted and self.title(*row).casefold().startswith(wanted)]

    def title_of(self, of_views: tuple[tuple[int, ...], ...]) -> str:
        """Return the first title of the rows of an object."""
        titles = (self.title(view, rows[0]) for view, rows in enumerate(of_views) if rows)
        return next(filter(None, titles), "")

    def why(self, question: Question) -> str:
        views = zip(question.speaks_for, self._tables, strict=True)
        parts = [f"{rows} {table.name}" for rows, table in views if rows]
        said = f"its answer covers about {counted(sum(question.speaks_for), 'row')}"
        if len(parts) > 1:
            said += f" ({', '.join(parts)})"
        if question.undecided_between:
            said += f"; undecided between {' and '.join(question.undecided_between)}"
        return said

    def row(self, view: int, row: int) -> ShownRow:
        table = self._tables[view]
        values = [(column, texts[row]) for column, texts in table.shown.items() if texts[row]]
        if not table.shown and isinstance(table.X, pd.DataFrame):
            cells = table.X.iloc[row].items()
            values = [(str(column), text) for column, text in cells if isinstance(text, str)]
        images = [text for _, text in values if is_picture(text, self.folders[table.name])]
        texts = tuple(value for value in values if value[1] not in images)
        bars = () if table.shown else tuple(self._bars(view, row))
        return ShownRow(table.name, table.ids[row], texts, tuple(images), bars)

    def _bars(self, view: int, row: int) -> Iterator[tuple[str, str, float]]:
        scores, columns = self._scores[view].iloc[row], self._columns[view]
        most = scores.iloc[np.argsort(-np.abs(scores.to_numpy()), kind="stable")[:_MOST_BARS]]
        for name in most.index[most != 0]:
            column, values = columns[name]
            yield name, value_text(values[row], column.shown_as), round(scores[name], 2)

    @cached_property
    def _columns(self) -> list[dict[str, tuple[Column, Any]]]:
        """Return the columns of every view, each with its values, by name."""
        return [{entry[0].name: entry for entry in columns_of(table)} for table in self._tables]

    @cached_property
    def _scores(self) -> list[pd.DataFrame]:
        """Return the standardized numbers of every view."""
        numbers = [table.frame.select_dtypes("number") for table in self._tables]
        return [((X - X.mean()) / X.std(ddof=0).replace(0, 1)).fillna(0) for X in numbers]
