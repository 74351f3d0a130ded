"""Constraints: which rows belong together or apart, in files of their own or beside answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path

from mvcc._utils.messages import row_name, shown
from mvcc.constraints import ConstraintFile, Constraints, Relations, is_must_link
from mvcc.exceptions import InvalidInputError
from mvcc.tables._job import Job
from mvcc.tables.reading._inputs import AnsweredObjects
from mvcc.tables.reading._matches import Lacking, refuse_two_readings, unknown_rows
from mvcc.tables.reading._people import rows_in_answers
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._rows import RowsById, leads_with_zeros
from mvcc.tables.reading._table import Table


def add_constraints(
    given: list[Constraints], file: ConstraintFile, names: NamesOf, notes: list[str], may_lack: bool
) -> int:
    """Add the constraints of a file to those of its view, and return how many there are.

    A row of another view stands for the row of this view that it is matched with. If there is
    none, the constraint is one of the other view, if the match of its other row makes it so.
    The view that the file is named for counts first, but zeros in front tell a row of another.
    """
    notes += file.notes
    tables, table = names.tables, names.table
    if Path(file.name).stem in {table.name for table in tables}:
        # reasons that name the file would seem to name the table
        file = replace(file, name="/".join(Path(file.place).absolute().parts[-2:]))
    ids = [name.strip() for record in file.records.values() for name in record[:2]]
    if any(texts.issuperset(ids) for texts in table.other_readings.values()):
        refuse_two_readings(file.place, [], ids, table, [table])
    records, lacking, wrong = _by_view(file, names, may_lack)
    problem, note = unknown_rows(file.place, "constraint", len(file.records), lacking)
    if lacking and not may_lack:
        wrong.add(InvalidInputError(problem))
    for view, by_line in records.items():
        for error in replace(file, records=by_line).mistakes(tables[view].row):
            wrong.add(error)
    wrong.raise_any()
    if lacking:
        notes.append(note)
    for view, by_line in records.items():
        if by_line:
            more = Constraints._of_file(replace(file, records=by_line), tables[view].ids)
            given[view] = given[view].joined(more)
    return sum(map(len, records.values()))


def _by_view(
    file: ConstraintFile, names_of: NamesOf, may_lack: bool
) -> tuple[dict[int, dict[int, list[str]]], list[Lacking], Problems]:
    """Return the lines of each view by ids of its rows, those without rows, and what is wrong."""
    records: dict[int, dict[int, list[str]]] = {view: {} for view in names_of.views}
    lacking: list[Lacking] = []
    wrong = Problems()
    for line, record in file.records.items():
        names = [name.strip() for name in record[:2]]
        where = f"{file.place}:{line}"
        if len(record) != len(file.order):
            records[names_of.views[0]][line] = record  # its view tells the mistake later
        elif words := names_of.two_readings(names):
            wrong.add(InvalidInputError(f"{where}: {words}"))
        elif view_and_ids := names_of.ids(names):
            view, ids = view_and_ids
            if ids[0] != ids[1] or names[0] == names[1]:
                records[view][line] = [*ids, *record[2:]]
            elif not is_must_link(record[2], where):  # a must-link says what the match says
                pair = " and ".join(map(shown, names))
                words = f"{pair} are matched, so they are one object and cannot be apart."
                wrong.add(InvalidInputError(f"{where}: {words}"))
        else:
            name, words = names_of.without_row(names)
            if words and not may_lack:
                wrong.add(InvalidInputError(f"{where}: {words}"))
            else:
                lacking.append((f"line {line}", name, names_of.table))
    return records, lacking, wrong


class NamesOf:
    """The rows that names in a file of constraints are of; the file is named for one view."""

    def __init__(self, file_view: int, tables: list[Table], relations: Relations) -> None:
        self.table, self.tables = tables[file_view], tables
        # the view that the file is named for counts first
        self.views = [file_view, *(view for view in range(len(tables)) if view != file_view)]
        self._matched = {view: _rows_matched(view, tables, relations) for view in self.views}

    def ids(self, names: list[str]) -> tuple[int, list[str]] | None:
        """Return the first view with a row for each name, and the ids of these rows."""
        for view in self.views:
            rows = [self._row(view, name) for name in names]
            if min(rows) >= 0:
                return view, [self.tables[view].ids[row] for row in rows]
        return None

    def _row(self, view: int, name: str) -> int:
        """Return the row of a view that a name is one of, or is matched with, or −1.

        Only a match makes a row of the view that the file is named for one of another view.
        """
        rows, matched = self.tables[view].row, self._matched[view]
        is_of_named = view != self.views[0] and self.table.row.find(name) >= 0
        if is_of_named or (leads_with_zeros(name) and name in matched and name not in rows):
            return matched.find(name)
        if (row := rows.find(name)) >= 0:
            return row
        return matched.find(name)

    def two_readings(self, names: list[str]) -> str:
        """Say which name is of a row by its number, but as another table without a match has it."""
        table = self.table
        for name in filter(leads_with_zeros, names):
            row = table.row.find(name)
            other = next((one.name for one in self.tables if name in one.row), table.name)
            is_by_number = row >= 0 and name not in table.row
            if is_by_number and name not in self._matched[self.views[0]] and other != table.name:
                id = table.ids[row]
                return (
                    f"{shown(name)} may be {shown(id)} of {table.name} or {shown(name)} of"
                    f" {other}. Write {shown(id)}, or move the line into a file of {other}"
                    f" (--constraints {other}=FILE)."
                )
        return ""

    def without_row(self, names: list[str]) -> tuple[str, str]:
        """Return the first name without a row of the own view; if another has it, say so."""
        name = next(name for name in names if self._row(self.views[0], name) < 0)
        other = next((table.name for table in self.tables if table.row.find(name) >= 0), None)
        if other is None:
            return name, ""
        view = self.table.name
        return name, (
            f"{shown(name)} is a row of {other}, and no match says which row of {view} is the same"
            f" object. If {shown(names[0])} and {shown(names[1])} are the same object, write them"
            f" into a file of matches (--match {view}:{other}=FILE)."
        )


def _rows_matched(view: int, tables: list[Table], relations: Relations) -> RowsById:
    """Return the row of a view for each id of a row that is matched with it."""
    matched = RowsById()
    for views, pairs in reversed(relations.items()):
        if view in views:
            side = views.index(view)
            # backwards, so that the first one of several matches stays
            row_of = {pair[1 - side]: pair[side] for pair in pairs[::-1].tolist()}
            names = tables[views[1 - side]].row
            matched |= {name: row_of[row] for name, row in names.items() if row in row_of}
    return matched


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
    for view, table in enumerate(tables):
        if path := paths.get(f"{table.name}.csv"):
            into, file_notes = added, notes
            if Path(path).resolve() in given:  # it is read already, and only compared here
                into, file_notes = known, list[str]()
            file, lack = ConstraintFile.read(path), objects.may_lack
            names_of = NamesOf(view, tables, relations)
            sizes[path] = add_constraints(into, file, names_of, file_notes, lack)
            names |= set(starmap(row_name, rows_in_answers([path], tables)))
            n_lines += len(file.records)
    if not sizes:
        return None
    links = list(objects.links(map(Constraints.joined, added, known)))
    named_objects = set(map(objects.find, filter(objects.inputs.find, names)))
    return Beside(added, links, named_objects, n_lines, sizes)
