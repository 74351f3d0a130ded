"""What is known of the rows.

Which of two views are the same object, and which of one view belong together or apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from mvcc._utils.messages import shown
from mvcc._utils.types import Ints
from mvcc.constraints import ConstraintFile, Constraints, Relations, is_must_link
from mvcc.exceptions import DataError, InvalidInputError, MvccError
from mvcc.tables._job import Job
from mvcc.tables.reading._files import read_frame
from mvcc.tables.reading._looks import as_texts
from mvcc.tables.reading._problems import Problems, raise_all
from mvcc.tables.reading._table import Table

_MOST_LINES = 10  # of a file that are told to be wrong; to look for the most similar id takes time


def read_constraints(
    job: Job, tables: list[Table], relations: Relations, problems: Problems, notes: list[str]
) -> list[Constraints]:
    """Read the constraints of every view, none where no file is given.

    `notes` gets what must be known of how they were read.
    """
    given = [Constraints.empty() for _ in tables]
    for number, table in enumerate(tables):
        if table.name in job.constraints:
            with problems.collecting():
                path = job.constraints[table.name]
                add_constraints(given, path, number, tables, relations, notes)
    return given


def add_constraints(
    given: list[Constraints],
    path: str,
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

    `may_lack`: leave out constraints of rows that the tables lack.
    Raises InvalidInputError: names file, line and what is wrong.
    """
    file = ConstraintFile.read(path)
    notes += file.notes
    views = [number, *(view for view in range(len(tables)) if view != number)]
    matched = {view: _matched_with(view, relations) for view in views}
    records: dict[int, dict[int, list[str]]] = {view: {} for view in views}
    wrong: list[MvccError] = []
    for line, record in file.records.items():
        names = [name.strip() for name in record[:2]]
        if len(record) != file.n_columns:
            records[number][line] = record
            continue
        found = ((view, _own_rows(names, view, tables, matched[view])) for view in views)
        view, ends = next(((view, ends) for view, ends in found if ends), (number, None))
        where = f"{file.place}:{line}"
        if ends is None and may_lack:
            continue
        if ends is None:
            wrong.append(
                InvalidInputError(f"{where}: {_why_not(names, number, tables, matched[number])}")
            )
        elif ends[0] != ends[1] or names[0] == names[1]:
            records[view][line] = [*ends, *record[2:]]
        elif not is_must_link(record[2], where):  # a must-link says what the match says
            pair = " and ".join(map(shown, names))
            wrong.append(
                InvalidInputError(
                    f"{where}: {pair} are matched, so they are one object and cannot be apart."
                )
            )
        if len(wrong) == _MOST_LINES:
            raise_all(wrong)
    for view, own in records.items():
        wrong += replace(file, records=own).mistakes(tables[view].row)
    raise_all(wrong)
    for view, own in records.items():
        if own:
            more = Constraints._of_file(replace(file, records=own), tables[view].ids)
            given[view] = given[view].joined(more) if len(given[view]) else more
    return sum(map(len, records.values()))


def _matched_with(number: int, relations: Relations) -> dict[int, dict[int, int]]:
    """Return, for every view that is matched with one, the row of this one for each row that has a
    match.
    """
    matched: dict[int, dict[int, int]] = {}
    for (u, v), rows in relations.items():
        if number in (u, v):
            here, there = (0, 1) if number == u else (1, 0)
            matched[v if number == u else u] = {
                int(row[there]): int(row[here]) for row in rows[::-1]
            }
    return matched


def _own_rows(
    names: list[str], view: int, tables: list[Table], matched: dict[int, dict[int, int]]
) -> list[str] | None:
    """Return the ids of the rows of a view that are named, also by rows they are matched with.

    None without these.
    """
    ends: list[str] = []
    for name in names:
        if name in tables[view].row:
            ends.append(name)
            continue
        rows = (of_rows.get(tables[other].row.get(name, -1)) for other, of_rows in matched.items())
        if (row := next((row for row in rows if row is not None), None)) is None:
            return None
        ends.append(tables[view].ids[row])
    return ends


def _why_not(
    names: list[str], view: int, tables: list[Table], matched: dict[int, dict[int, int]]
) -> str:
    """Say which of two ids is of no row, or which row has no match."""
    name = next(name for name in names if _own_rows([name], view, tables, matched) is None)
    table = tables[view]
    other = next((one.name for one in tables if name in one.row), None)
    if other is None:
        return table.lacks(name)
    return (
        f"{shown(name)} is a row of {other}, and no match says which row of {table.name} is the"
        f" same object. Where {shown(names[0])} and {shown(names[1])} are the same object, write"
        f" them into a file of matches (--match {table.name}:{other}=FILE)."
    )


def read_matches(
    job: Job,
    tables: list[Table],
    problems: Problems,
    notes: list[str],
    drawn: Mapping[str, pd.DataFrame] = MappingProxyType({}),
) -> Relations:
    """Read the related rows of every pair of views with matches, or those drawn of a file.

    Returns (r, 2).
    """
    number = {table.name: place for place, table in enumerate(tables)}
    relations: Relations = {}
    for pair, path in job.matches.items():
        u, v = (number[name] for name in pair.split(":"))
        with problems.collecting():
            frame = drawn[pair] if pair in drawn else read_frame(path)
            notes += frame.attrs.get("notes", ())
            rows = _matches(frame, path, tables[u], tables[v])
            relations[min(u, v), max(u, v)] = rows if u < v else rows[:, ::-1]
    return relations


def _matches(frame: pd.DataFrame, path: str, first: Table, second: Table) -> Ints:
    """Return (row of the first, row of the second) of a file with columns of ids."""
    names, columns, is_header = matched_ids(
        frame, path, (first.name, second.name), (first.id_column, second.id_column)
    )
    numbers = frame.index.to_numpy() + frame.attrs.get("lines", 0)
    if not is_header and (
        names[0] in first.row or names[1] in second.row
    ):  # a match itself, or one with a mistake
        columns = [[name, *column] for name, column in zip(names, columns, strict=False)]
        numbers = np.concatenate(([frame.attrs.get("lines", 0) - 1], numbers))
    unit = "line" if "lines" in frame.attrs else "row"
    rows = np.empty((len(columns[0]), 2), dtype=np.int64)
    wrong: list[MvccError] = []
    for side, (table, column) in enumerate(zip((first, second), columns, strict=True)):
        for place, name in enumerate(column):
            if (row := table.row.get(name)) is None:
                wrong.append(DataError(f"{path}: {unit} {numbers[place]}: {table.lacks(name)}"))
                if len(wrong) == _MOST_LINES:
                    raise_all(wrong)
                if table.id_column is None:  # all others lack the same column
                    break
            else:
                rows[place, side] = row
    raise_all(wrong)
    if not len(rows):
        raise DataError(f"{path}: there are no matches in this file; leave it out, or fill it.")
    return pd.DataFrame(rows).drop_duplicates().to_numpy()


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
    sides, is_header = _sides(names, views, id_columns)
    return names, [as_texts(frame.iloc[:, column]).tolist() for column in sides], is_header


def _sides(
    names: list[str], views: tuple[str, str], id_columns: tuple[str | None, str | None]
) -> tuple[tuple[int, int], bool]:
    """Return the columns of the ids of two views, and whether their names tell that they are."""
    lower = [name.casefold() for name in names]
    for one, other in (views, id_columns, ("left", "right")):
        found = [
            lower.index(name.casefold())
            for name in (one or "", other or "")
            if name.casefold() in lower
        ]
        if len(set(found)) == 2:
            return (found[0], found[1]), True
    return (0, 1), False
