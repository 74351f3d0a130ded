"""Matches and constraints: which rows of two views are one object, or belong together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mvcc._utils.messages import counted, nearest_id, shown
from mvcc._utils.types import Ints
from mvcc.constraints import ConstraintFile, Constraints, Relations, is_must_link
from mvcc.exceptions import DataError, InvalidInputError, MvccError
from mvcc.tables._job import Job
from mvcc.tables.reading._column import as_texts
from mvcc.tables.reading._problems import Problems, option_for, raise_all
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.tables.reading._inputs import PairFiles

_MOST_LINES = 10  # of a file that are told to be wrong
_MOST_SHOWN = 3  # unknown rows; to look for the most similar id takes time


def read_constraints(
    job: Job,
    tables: list[Table],
    files: PairFiles,
    relations: Relations,
    problems: Problems,
    notes: list[str],
) -> list[Constraints]:
    """Return the constraints of every view, none where no file is given."""
    given = [Constraints.empty() for _ in tables]
    may_lack = job.unknown == "skip"
    for number, table in enumerate(tables):
        if file := files.constraints.get(table.name):
            with problems.collecting():
                add_constraints(given, file, number, tables, relations, notes, may_lack=may_lack)
    return given


def add_constraints(
    given: list[Constraints],
    file: ConstraintFile,
    number: int,
    tables: list[Table],
    relations: Relations,
    notes: list[str],
    *,
    may_lack: bool = False,
) -> int:
    """Add the constraints of a file to those of its view, and return how many there are.

    A row of another view stands for the row of this view that it is matched with. If there is
    none, the constraint is one of the other view, if the match of its other row makes it so.

    `may_lack`: leave out constraints of rows that the tables lack, with a note.
    """
    notes += file.notes
    views = [number, *(view for view in range(len(tables)) if view != number)]
    matched = {view: _matched_with(view, relations) for view in views}
    records: dict[int, dict[int, list[str]]] = {view: {} for view in views}
    wrong: list[MvccError] = []
    lacking = _Lacking(file.place, "constraint", len(file.records))
    for line, record in file.records.items():
        names = [name.strip() for name in record[:2]]
        if len(record) != file.n_columns:
            records[number][line] = record
            continue
        found = ((view, _own_rows(names, view, tables, matched[view])) for view in views)
        view, ends = next(((view, ends) for view, ends in found if ends), (number, None))
        where = f"{file.place}:{line}"
        if ends is None:
            is_own = [_own_rows([name], number, tables, matched[number]) for name in names]
            name = names[is_own.index(None)]
            other = next((one.name for one in tables if name in one.row), None)
            if other is None or may_lack:
                lacking.add(f"line {line}", name, tables[number])
            else:
                words = _unmatched(name, names, other, tables[number].name)
                wrong.append(InvalidInputError(f"{where}: {words}"))
        elif ends[0] != ends[1] or names[0] == names[1]:
            records[view][line] = [*ends, *record[2:]]
        elif not is_must_link(record[2], where):  # a must-link says what the match says
            pair = " and ".join(map(shown, names))
            words = f"{pair} are matched, so they are one object and cannot be apart."
            wrong.append(InvalidInputError(f"{where}: {words}"))
        if len(wrong) == _MOST_LINES:
            raise_all(wrong)
    if lacking and not may_lack:
        wrong.append(InvalidInputError(lacking.problem()))
    for view, own in records.items():
        wrong += replace(file, records=own).mistakes(tables[view].row)
    raise_all(wrong)
    if lacking:
        notes.append(lacking.note())
    for view, own in records.items():
        if own:
            more = Constraints._of_file(replace(file, records=own), tables[view].ids)
            given[view] = given[view].joined(more) if len(given[view]) else more
    return sum(map(len, records.values()))


def _matched_with(number: int, relations: Relations) -> dict[int, dict[int, int]]:
    """Return, for every view matched with one, the row of this one for each of its rows."""
    matched: dict[int, dict[int, int]] = {}
    for views, rows in relations.items():
        if number in views:
            here = views.index(number)
            # the first one of several matches
            matched[views[1 - here]] = {row[1 - here]: row[here] for row in rows[::-1].tolist()}
    return matched


def _own_rows(
    names: list[str], view: int, tables: list[Table], matched: dict[int, dict[int, int]]
) -> list[str] | None:
    """Return the ids of a view's rows that are named, or matched with those; else None."""
    ends: list[str] = []
    for name in names:
        if name in tables[view].row:
            ends.append(name)
            continue
        rows = (of_rows.get(tables[other].row.get(name, -1)) for other, of_rows in matched.items())
        known = [row for row in rows if row is not None]
        if not known:
            return None
        ends.append(tables[view].ids[known[0]])
    return ends


def _unmatched(name: str, names: list[str], other: str, view: str) -> str:
    """Say which of two ids is of a row of another view without a match."""
    return (
        f"{shown(name)} is a row of {other}, and no match says which row of {view} is the same"
        f" object. If {shown(names[0])} and {shown(names[1])} are the same object, write them into"
        f" a file of matches (--match {view}:{other}=FILE)."
    )


def read_matches(
    job: Job, tables: list[Table], files: PairFiles, problems: Problems, notes: list[str]
) -> Relations:
    """Return the related rows, (r, 2), of every pair of views with matches."""
    number = {table.name: place for place, table in enumerate(tables)}
    relations: Relations = {}
    for pair, frame in files.matches.items():
        u, v = (number[name] for name in pair.split(":"))
        notes += frame.attrs.get("notes", ())
        with problems.collecting():
            may_lack = job.unknown == "skip"
            rows = _matches(frame, job.matches[pair], (tables[u], tables[v]), notes, may_lack)
            relations[min(u, v), max(u, v)] = rows if u < v else rows[:, ::-1]
    return relations


def _matches(
    frame: pd.DataFrame, path: str, tables: tuple[Table, Table], notes: list[str], may_lack: bool
) -> Ints:
    """Return (row of the first, row of the second) of a file with columns of ids."""
    first, second = tables
    names, columns, is_header = matched_ids(
        frame, path, (first.name, second.name), (first.id_column, second.id_column)
    )
    rows, crossed = _rows_of(columns, first, second), _rows_of(columns, second, first)
    n_crossed = _n_whole(crossed)
    if n_crossed > len(rows) / 2 and n_crossed > 2 * _n_whole(rows):
        names, columns, rows = names[1::-1], columns[::-1], crossed[:, ::-1]
        notes.append(
            f"{path}: the two columns are swapped: the one for {first.name} has ids of"
            f" {second.name}. Each id was read as a row of its own table."
        )
    numbers = frame.index.to_numpy() + frame.attrs.get("lines", 0)
    if not is_header and (names[0] in first.row or names[1] in second.row):
        # the first line is a match itself, or one with a mistake
        columns = [[name, *column] for name, column in zip(names, columns, strict=False)]
        rows = np.concatenate((_rows_of([[name] for name in names[:2]], first, second), rows))
        numbers = np.concatenate(([frame.attrs.get("lines", 0) - 1], numbers))
    if not len(rows):
        raise DataError(f"{path}: there are no matches in this file; leave it out, or fill it.")
    unit = "line" if "lines" in frame.attrs else "row"
    lacking = _Lacking(path, "match", len(rows))
    is_whole = (rows >= 0).all(axis=1)
    for place in np.flatnonzero(~is_whole):
        side = int(rows[place, 0] >= 0)
        lacking.add(f"{unit} {numbers[place]}", columns[side][place], tables[side])
    if lacking and not (may_lack and is_whole.any()):
        raise DataError(lacking.problem())
    if lacking:
        notes.append(lacking.note())
    return pd.DataFrame(rows[is_whole]).drop_duplicates().to_numpy()


def _rows_of(columns: list[list[str]], first: Table, second: Table) -> Ints:
    """Return the rows of two tables that two columns name, −1 where there is none."""
    pairs = zip(columns, (first, second), strict=True)
    rows = [[table.row.get(name, -1) for name in column] for column, table in pairs]
    return np.array(rows, dtype=np.int64).T


def _n_whole(rows: Ints) -> int:
    """Return how many matches have a row on both sides."""
    return int((rows >= 0).all(axis=1).sum())


def matched_ids(
    frame: pd.DataFrame,
    path: str,
    views: tuple[str, str],
    id_columns: tuple[str | None, str | None],
) -> tuple[list[str], list[list[str]], bool]:
    """Return the names of the columns of matches, the ids of both views, and whether a name tells
    what these are.

    They are called by the names of the views or of their id columns, or left and right, or are the
    first two. A first line that is not a match names the columns.
    """
    names = [str(name).strip() for name in frame.columns]
    if len(names) < 2:
        raise DataError(
            f"{path}: there must be two columns, the ids of {views[0]} and of {views[1]}; it has"
            " one."
        )
    lower = [name.casefold() for name in names]
    called = [[(name or "").casefold() for name in pair] for pair in (views, id_columns)]
    for pair in (*called, ["left", "right"]):
        found = [lower.index(name) for name in pair if name in lower]
        if is_header := len(set(found)) == 2:
            break
    sides = found if is_header else [0, 1]
    return names, [as_texts(frame.iloc[:, column]).tolist() for column in sides], is_header


class _Lacking:
    """The lines of a file that name rows which its views do not have."""

    def __init__(self, place: str, noun: str, n_all: int) -> None:
        self._place, self._noun, self._n_all = place, noun, n_all
        self._n = 0
        self._shown: list[str] = []
        self._tables: dict[str, Table] = {}  # that lack the rows

    def __bool__(self) -> bool:
        return self._n > 0

    def add(self, line: str, name: str, table: Table) -> None:
        """Note a line, and the first of its names that is not of a row of a table."""
        self._n += 1
        if len(self._shown) < _MOST_SHOWN:
            guess = nearest_id(name, table.ids).removesuffix(".")
            self._shown.append(f"{line}: {shown(name)} is not in {table.name}{guess}")
        self._tables[table.name] = table

    def problem(self) -> str:
        """Say what is wrong and what to do."""
        skip = "leave such lines out with --unknown skip"
        for one in self._tables.values():
            if one.id_column is None:
                option = option_for("--id-column", one.name, ["COLUMN"])
                return (
                    f"{self._said()} {one.name} ({one.path}) has no id column, so its rows are"
                    f" numbered from 0. Name one with {option}, or {skip}."
                )
        files = " or ".join(one.path for one in self._tables.values())
        return f"{self._said()} Correct this file or {files}, or {skip}."

    def note(self) -> str:
        """Say that the lines were left out."""
        return f"{self._said()} {'It was' if self._n == 1 else 'They were'} left out."

    def _said(self) -> str:
        listed = ", ".join(self._shown)
        if self._n > len(self._shown):
            listed += f", and {self._n - len(self._shown)} more"
        what = "names an unknown row" if self._n == 1 else "name unknown rows"
        return f"{self._place}: {self._n} of {counted(self._n_all, self._noun)} {what} ({listed})."
