"""Matches and constraints: which rows of two views are one object, or belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.ids import why_unknown
from mvcc._utils.messages import agreeing, counted, nearest_id, row_name, shown, views_of_pair
from mvcc.constraints import ConstraintFile, Constraints, Relations, is_must_link
from mvcc.exceptions import DataError, InvalidInputError, MvccError
from mvcc.tables._job import Job
from mvcc.tables.reading._people import AnsweredObjects, rows_in_answers
from mvcc.tables.reading._problems import Problems, option_for, raise_all
from mvcc.tables.reading._rows import RowsById, id_texts, leads_with_zeros, plain_id
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.tables.reading._inputs import PairFiles

_MOST_LINES = 10  # of a file that are told to be wrong
_MOST_SHOWN = 3  # unknown rows; to look for the most similar id takes time
# a line, and the first of its names that is not of a row of a table
_Lacking = tuple[str, str, Table]


def add_constraints(
    given: list[Constraints],
    file: ConstraintFile,
    number: int,
    tables: list[Table],
    relations: Relations,
    notes: list[str],
    may_lack: bool,
) -> int:
    """Add the constraints of a file to those of its view, and return how many there are.

    A row of another view stands for the row of this view that it is matched with. If there is
    none, the constraint is one of the other view, if the match of its other row makes it so.
    The view that the file is named for counts first, but zeros in front tell a row of another.
    """
    notes += file.notes
    table = tables[number]
    called = [name.strip() for record in file.records.values() for name in record[:2]]
    if any(texts.issuperset(called) for texts in table.other_readings.values()):
        _refuse_two_readings(file.place, [], called, table, [table])
    views = [number, *(view for view in range(len(tables)) if view != number)]
    known = {view: (tables[view].row, _rows_matched(view, tables, relations)) for view in views}
    named, matched = known[number]
    records: dict[int, dict[int, list[str]]] = {view: {} for view in views}
    wrong: list[MvccError] = []
    lacking: list[_Lacking] = []
    for line, record in file.records.items():
        names = [name.strip() for name in record[:2]]
        if len(record) != len(file.order):
            records[number][line] = record
            continue
        found = ((view, [_row_by(*known[view], name, named) for name in names]) for view in views)
        view, rows = next((one for one in found if min(one[1]) >= 0), (None, []))
        where = f"{file.place}:{line}"
        if words := _two_readings(names, matched, table, tables):
            wrong.append(InvalidInputError(f"{where}: {words}"))
        elif view is None:
            name = next(name for name in names if _row_by(*known[number], name, named) < 0)
            other = next((one.name for one in tables if one.row.find(name) >= 0), None)
            if other is None or may_lack:
                lacking.append((f"line {line}", name, tables[number]))
            else:
                words = _unmatched(name, names, other, tables[number].name)
                wrong.append(InvalidInputError(f"{where}: {words}"))
        elif rows[0] != rows[1] or names[0] == names[1]:
            records[view][line] = [*(tables[view].ids[row] for row in rows), *record[2:]]
        elif not is_must_link(record[2], where):  # a must-link says what the match says
            pair = " and ".join(map(shown, names))
            words = f"{pair} are matched, so they are one object and cannot be apart."
            wrong.append(InvalidInputError(f"{where}: {words}"))
        if len(wrong) == _MOST_LINES:
            raise_all(wrong)
    problem, note = _unknown_rows(file.place, "constraint", len(file.records), lacking)
    if lacking and not may_lack:
        wrong.append(InvalidInputError(problem))
    for view, own in records.items():
        wrong += replace(file, records=own).mistakes(tables[view].row)
    raise_all(wrong)
    if lacking:
        notes.append(note)
    for view, own in records.items():
        if own:
            more = Constraints._of_file(replace(file, records=own), tables[view].ids)
            given[view] = given[view].joined(more)
    return sum(map(len, records.values()))


def _rows_matched(view: int, tables: list[Table], relations: Relations) -> RowsById:
    """Return the row of a view for each id of a row that is matched with it."""
    others = RowsById()
    for views, rows in reversed(relations.items()):
        if view in views:
            here = views.index(view)
            # the first one of several matches
            own = {row[1 - here]: row[here] for row in rows[::-1].tolist()}
            names = tables[views[1 - here]].row
            others |= {name: own[row] for name, row in names.items() if row in own}
    return others


def _row_by(rows: RowsById, matched: RowsById, name: str, named: RowsById) -> int:
    """Return the row that a name is one of, or is matched with, or −1.

    Only a match makes a row of the view that the file is ``named`` for one of another view.
    """
    is_of_named = rows is not named and named.find(name) >= 0
    if is_of_named or (leads_with_zeros(name) and name in matched and name not in rows):
        return matched.find(name)
    if (row := rows.find(name)) >= 0:
        return row
    return matched.find(name)


def _two_readings(
    names: list[str], matched: RowsById, table: Table, tables: list[Table]
) -> str | None:
    """Say which name is of a row by its number, but as another table without a match has it."""
    for name in filter(leads_with_zeros, names):
        row = table.row.find(name)
        other = next((one.name for one in tables if name in one.row), table.name)
        if row >= 0 and name not in table.row and name not in matched and other != table.name:
            own = table.ids[row]
            return (
                f"{shown(name)} may be {shown(own)} of {table.name} or {shown(name)} of {other}."
                f" Write {shown(own)}, or move the line into a file of {other} (--constraints"
                f" {other}=FILE)."
            )
    return None


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
    matched = set[int]()
    for pair, frame in files.matches.items():
        u, v = (number[name] for name in views_of_pair(pair))
        notes += frame.attrs.get("notes", ())
        with problems.collecting():
            may_lack = job.unknown == "skip"
            rows = _matches(frame, job.matches[pair], (tables[u], tables[v]), notes, may_lack)
            relations[min(u, v), max(u, v)] = rows if u < v else rows[:, ::-1]
            matched |= {u, v}
    notes += [
        f"{table.numbered}, unless the matches name these numbers."
        for view, table in enumerate(tables)
        if view in matched and table.id_column is None
    ]
    return relations


def _matches(
    frame: pd.DataFrame, path: str, tables: tuple[Table, Table], notes: list[str], may_lack: bool
) -> Ints:
    """Return (row of the first, row of the second) of a file with columns of ids."""
    first, second = tables
    names, columns, is_header = matched_ids(
        frame, path, (first.name, second.name), (first.id_column, second.id_column)
    )
    rows = _rows_of(columns, first, second)
    # ids as they are written tell the tables, if only one of these has zeros in front
    if any(_are_crossed(columns, first, second, find) for find in (RowsById.called, RowsById.find)):
        names, columns = names[1::-1], columns[::-1]
        rows = _rows_of(columns, first, second)
        notes.append(
            f"{path}: the two columns are swapped: the one for {first.name} has ids of"
            f" {second.name}. Each id was read as a row of its own table."
        )
    for column, table in zip(columns, tables, strict=True):
        _refuse_two_readings(path, [name.casefold() for name in names], column, table, tables)
    numbers = np.asarray(frame.attrs.get("lines", frame.index), dtype=np.int64)
    if not is_header and max(first.row.find(names[0]), second.row.find(names[1])) >= 0:
        # the first line is a match itself, or one with a mistake
        columns = [[name, *column] for name, column in zip(names, columns, strict=False)]
        rows = np.concatenate((_rows_of([[name] for name in names[:2]], first, second), rows))
        numbers = np.concatenate(([frame.attrs.get("header", -1)], numbers))
    if not len(rows):
        raise DataError(f"{path}: there are no matches in this file; leave it out, or fill it.")
    unit = "line" if "lines" in frame.attrs else "row"
    is_whole = (rows >= 0).all(axis=1)
    lacking: list[_Lacking] = []
    for place in np.flatnonzero(~is_whole):
        side = int(rows[place, 0] >= 0)
        lacking.append((f"{unit} {numbers[place]}", columns[side][place], tables[side]))
    if lacking:
        problem, note = _unknown_rows(path, "match", len(rows), lacking)
        if not (may_lack and is_whole.any()):
            raise DataError(problem)
        notes.append(note)
    return pd.DataFrame(rows[is_whole]).drop_duplicates().to_numpy()


def _refuse_two_readings(
    path: str, headers: list[str], column: list[str], table: Table, tables: Sequence[Table]
) -> None:
    """Refuse ids that the rows of a table have only as numbers, and another column has as well."""
    there = [name for name in column if table.row.find(name) >= 0]
    unlike = [name for name in there if name not in table.row]
    for one in tables:
        for other, texts in one.other_readings.items():
            if one is table:
                is_called = (table.id_column or "").casefold() in headers
                if is_called or not {*map(plain_id, there)} <= {*map(plain_id, texts)}:
                    continue
                held = unlike
            else:  # where many columns hold the same numbers, only zeros in front tell the table
                held = [name for name in unlike if name in texts and leads_with_zeros(name)]
            if len(held) > len(column) / 2:
                own, words = shown(table.id_column or ""), shown(other)
                ways = (one, other), (table, table.id_column or "")
                options = [option_for("--id-column", way.name, [name]) for way, name in ways]
                raise DataError(
                    f"{path}: {shown(held[0])} may be one of {own} in {table.path} or of {words} in"
                    f" {one.path}. Say which column names the rows: {' or '.join(options)}."
                )


def _are_crossed(
    columns: list[list[str]], first: Table, second: Table, find: Callable[[RowsById, str], int]
) -> bool:
    """Tell whether more than half of the rows have ids of the other table, and few of their own.

    One of the two is enough if no row has any of its own.
    """
    own, other = (
        _rows_of(columns, *tables, find) >= 0 for tables in ((first, second), (second, first))
    )
    whole, crossed = int(own.all(axis=1).sum()), int(other.all(axis=1).sum())
    if not own.any():
        crossed = int(other.any(axis=1).sum())
    return crossed > len(columns[0]) / 2 and crossed > 2 * whole


def _rows_of(
    columns: list[list[str]],
    first: Table,
    second: Table,
    find: Callable[[RowsById, str], int] = RowsById.find,
) -> Ints:
    """Return the rows of two tables that two columns name, −1 where there is none."""
    pairs = zip(columns, (first, second), strict=True)
    rows = [[find(table.row, name) for name in column] for column, table in pairs]
    return np.array(rows, dtype=np.int64).T


def matched_ids(
    frame: pd.DataFrame,
    path: str,
    views: tuple[str, str],
    id_columns: tuple[str | None, str | None],
) -> tuple[list[str], list[list[str]], bool]:
    """Return the names of columns of matches, the ids of both views, and whether names tell these.

    Columns are called like the views or their id columns, or left and right, else are the first.
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
        sides = [lower.index(name) for name in pair if name in lower]
        if is_header := len(set(sides)) == 2:
            break
    else:
        sides = [0, 1]
    return names, [id_texts(frame.iloc[:, column]).tolist() for column in sides], is_header


def _unknown_rows(place: str, noun: str, n_all: int, lacking: list[_Lacking]) -> tuple[str, str]:
    """Say which lines of a file name rows that tables lack: as a problem, and as a note."""
    n = len(lacking)
    listed = [
        f"{line}: {shown(name)} is not in {table.name}"
        + nearest_id(name, table.ids).removesuffix(".")
        for line, name, table in lacking[:_MOST_SHOWN]
    ]
    if n > _MOST_SHOWN:
        listed.append(f"and {n - _MOST_SHOWN} more")
    what = agreeing(n, "names an unknown row", "name unknown rows")
    said = f"{place}: {n} of {counted(n_all, noun)} {what} ({', '.join(listed)})."
    tables = list(dict.fromkeys(table for *_, table in lacking))
    for table in tables:
        unknown = [name for _, name, one in lacking if one is table]
        columns = [column.name for column in table.every_column]
        said += why_unknown(unknown, table.ids, table.name, columns)
    remedy = f"Correct this file or {' or '.join(one.path for one in tables)}"
    if numbered := [one for one in tables if one.id_column is None]:
        remedy = numbered[0].numbered
    left_out = agreeing(n, "It was left out.", "They were left out.")
    return f"{said} {remedy}, or leave such lines out with --unknown skip.", f"{said} {left_out}"


@dataclass(frozen=True, eq=False)
class Beside:
    """The constraints that stand beside a log."""

    added: list[Constraints]  # without those that are given as well
    links: list[tuple[int, int, bool]]  # two objects, and whether they belong together
    objects: set[int]  # that they name
    n_lines: int
    sizes: dict[str, int]  # how many are added of each file


def constraints_beside(
    job: Job, paths: dict[str, str], objects: AnsweredObjects, notes: list[str]
) -> Beside | None:
    """Read the constraints of a folder of answers; None if there is no file of any view."""
    tables, relations = objects.inputs.tables, objects.inputs.relations
    added, known = ([Constraints.empty() for _ in tables] for _ in range(2))
    given = {Path(path).resolve() for path in job.constraints.values()}
    names, sizes, n_lines = set[str](), dict[str, int](), 0
    for number, table in enumerate(tables):
        if path := paths.get(f"{table.name}.csv"):
            into, said = added, notes
            if Path(path).resolve() in given:  # it is read already, and only compared here
                into, said = known, list[str]()
            file, lack = ConstraintFile.read(path), objects.may_lack
            sizes[path] = add_constraints(into, file, number, tables, relations, said, lack)
            names |= set(starmap(row_name, rows_in_answers([path], tables)))
            n_lines += len(file.records)
    if not sizes:
        return None
    links = list(objects.links(map(Constraints.joined, added, known)))
    there = set(map(objects.find, filter(objects.inputs.find, names)))
    return Beside(added, links, there, n_lines, sizes)
