"""What was answered to `mvcc ask`, for a clustering.

Constraints, named groups, and objects that are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mvcc._utils.messages import clipped, counted, nearest, shown
from mvcc._utils.reading import MOST_LINE, opened
from mvcc.exceptions import DataError
from mvcc.tables._job import Job
from mvcc.tables.reading._inputs import Inputs, with_checksums
from mvcc.tables.reading._records import Record, read_records
from mvcc.tables.reading._table import Table

LOG, GROUPS = "asked.csv", "groups.csv"
_LOG_COLUMNS = ["id", "answer", "when"]
_GROUP_COLUMNS = ["name", "members", "counted"]  # without the last one, all count

Rows = list[NDArray[np.int64]]  # of every view, ascending


@dataclass(frozen=True, eq=False)
class Answers:
    """What was answered, in rows of the tables as they were read.

    Attributes
    ----------
    groups : dict {str: Rows}
        All rows of the members of every group, by its name.
    n_counted : int
        How many of the groups the answers propose as clusters.
    n_in_a_row : int or None
        The answers since the last one that opened a group; None where this is not known.
    outliers : Rows
        Of all objects that fit nowhere.
    notes : tuple of str
        What must not be overlooked.
    source : str
        The file that names the groups; empty where there is none.
    tables : list of Table
        With the outliers.
    """

    groups: dict[str, Rows]
    n_counted: int
    n_in_a_row: int | None
    outliers: Rows
    notes: tuple[str, ...]
    source: str
    tables: list[Table]

    def outlier_ids(self) -> list[list[str]]:
        """Return the ids of the rows of outliers, per view."""
        return [
            [table.ids[row] for row in rows]
            for table, rows in zip(self.tables, self.outliers, strict=True)
        ]


def answer_files(job: Job) -> list[str]:
    """Return the files of answers that a job reads.

    Those of its folder, else groups beside its constraints.
    """
    if job.asked is not None:
        folder = Path(job.asked)
        return [str(folder / name) for name in _names_in(job) if (folder / name).exists()]
    beside = dict.fromkeys(Path(path).parent / GROUPS for path in job.constraints.values())
    return [str(path) for path in beside if _lists_groups(path)][:1]


def ids_in_answers(paths: list[str]) -> set[str]:
    """Return the ids of the rows that files of answers name, of whatever view."""
    from mvcc.constraints import ConstraintFile  # numba, as in `read_inputs`

    ids: set[str] = set()
    for path in paths:
        if Path(path).name not in (LOG, GROUPS):
            records = ConstraintFile.read(path).records.values()
            ids |= {name.strip() for record in records for name in record[:2]}
            continue
        column = (
            _LOG_COLUMNS.index("id") if Path(path).name == LOG else _GROUP_COLUMNS.index("members")
        )
        for _, record in read_records(path, appended=Path(path).name == LOG)[0][1:]:
            names = record[column].split("\n") if len(record) > column else []
            ids |= {name.strip().partition(":")[2] for name in names}
    return ids


def _names_in(job: Job) -> list[str]:
    return [LOG, GROUPS, *(f"{view}.csv" for view in job.views)]


def _lists_groups(path: Path) -> bool:
    """Tell whether a file that nobody has named is a list of groups."""
    try:
        with opened(path) as file:
            first = file.readline(MOST_LINE).decode("utf-8-sig").strip()
            return first in (",".join(_GROUP_COLUMNS), ",".join(_GROUP_COLUMNS[:2]))
    except (OSError, ValueError):
        return False


def with_answers(job: Job, inputs: Inputs) -> Inputs:
    """Return the inputs of a job with what was answered.

    With more constraints, and without outliers.

    Raises
    ------
    DataError, InvalidInputError
        Names file, line and what is wrong.
    """
    paths = {Path(path).name: path for path in answer_files(job)}
    if job.asked is not None and LOG not in paths:
        raise DataError(
            f"{job.asked}: there is no {LOG} in it; name the folder that `mvcc ask` has written to."
        )
    if not paths:
        return inputs
    from mvcc.constraints import Constraints
    from mvcc.tables.reading._pairs import add_constraints  # numba, as in `read_inputs`

    objects = _Objects(inputs)
    said = _read_log(paths[LOG], objects) if LOG in paths else _Log(set(), None, (), 0)
    groups = _read_groups(paths[GROUPS], objects) if GROUPS in paths else {}
    sizes = [
        (paths[name], n)
        for name, n in ((LOG, said.n_entries), (GROUPS, len(groups)))
        if name in paths
    ]
    constraints = list(inputs.constraints)
    given = {Path(path).resolve() for path in job.constraints.values()}
    for number, table in enumerate(inputs.tables):
        if (path := paths.get(f"{table.name}.csv")) is not None:
            into = (
                [Constraints.empty()] * len(constraints)
                if Path(path).resolve() in given
                else constraints
            )
            sizes.append(
                (path, add_constraints(into, path, number, inputs.tables, inputs.relations))
            )
    answers = Answers(
        {name: objects.rows(members) for name, (members, _) in groups.items()},
        sum(counts for _, counts in groups.values()),
        said.n_in_a_row,
        objects.rows(said.outliers),
        said.notes,
        paths.get(GROUPS, ""),
        inputs.tables,
    )
    files = inputs.files + with_checksums(sizes)
    whole = replace(inputs, constraints=constraints, answers=answers, files=files)
    return _without_outliers(whole, len(said.outliers)) if said.outliers else whole


def _without_outliers(inputs: Inputs, n_objects: int) -> Inputs:
    """Leave out the rows of outliers, and the constraints and matches that touch them."""
    assert inputs.answers is not None
    outliers = inputs.answers.outliers
    kept = [
        np.setdiff1d(np.arange(len(table.ids)), rows)
        for table, rows in zip(inputs.tables, outliers, strict=True)
    ]
    for table, rows in zip(inputs.tables, kept, strict=True):
        if len(rows) < 2:
            raise DataError(
                f"{table.path}: of {len(table.ids)} rows, all but {len(rows)} were said to be"
                " outliers."
            )
    used = inputs.on_rows(kept)
    n_constraints, n_matches = (
        sum(map(len, before)) - sum(map(len, after))
        for before, after in (
            (inputs.constraints, used.constraints),
            (inputs.relations.values(), used.relations.values()),
        )
    )
    of_views = [
        f"{counted(len(own), 'row')} of {table.name}"
        for table, own in zip(inputs.tables, outliers, strict=True)
        if len(own)
    ]
    note = (
        f"Left out as {counted(n_objects, 'outlier')}: {', '.join(of_views)},"
        f" {counted(n_constraints, 'constraint')} and {counted(n_matches, 'match')}."
    )
    return replace(used, answers=replace(inputs.answers, notes=(*inputs.answers.notes, note)))


class _Objects:
    """The objects of the tables of a job, as the questions have them, by the ids of their rows."""

    def __init__(self, inputs: Inputs) -> None:
        from mvcc.embedding import (
            find_objects,
            separate_problems,
        )  # scikit-learn takes a second to import

        self._numbers = {table.name: number for number, table in enumerate(inputs.tables)}
        self._tables = inputs.tables
        connected = {
            (views[u], views[v]): rows
            for views, inside in separate_problems(len(inputs.tables), inputs.relations)
            for (u, v), rows in inside.items()
        }
        _, self._of_rows = find_objects([len(table.ids) for table in inputs.tables], connected)

    def find(self, name: str, where: str) -> int:
        """Return the object of a row, such as texts:17."""
        view, _, row = name.partition(":")
        if view not in self._numbers:
            raise DataError(
                f"{where}: {shown(name)} is of no view that is"
                f" clustered{nearest(view, self._numbers)}"
            )
        number = self._numbers[view]
        if row not in self._tables[number].row:
            raise DataError(f"{where}: {self._tables[number].lacks(row)}")
        return int(self._of_rows[number][self._tables[number].row[row]])

    def rows(self, objects: set[int]) -> Rows:
        """Return the rows of some objects."""
        return [np.flatnonzero(np.isin(own, list(objects))) for own in self._of_rows]


@dataclass(frozen=True)
class _Log:
    """What follows from the answers in their order."""

    outliers: set[int]
    n_in_a_row: int | None
    notes: tuple[str, ...]
    n_entries: int


def _read_log(path: str, objects: _Objects) -> _Log:
    """Read the answers in their order.

    The last one to an object counts, and `undo` takes back the entry before.
    """
    entries: list[tuple[int | None, str]] = []
    read, cut = read_records(path, appended=True)
    _, *records = _with_header(path, read, (_LOG_COLUMNS,))
    notes = (f"{path}:{cut}: the last line is cut off, and was not used.",) if cut else ()
    for line, (name, answer, _) in records:
        if answer == "undo":
            if not entries:
                raise DataError(f"{path}:{line}: there is nothing to undo.")
            entries.pop()
        elif answer.startswith(("merge:", "rename:")):
            entries.append((None, answer))
        elif answer:
            entries.append((objects.find(name, f"{path}:{line}"), answer))
        else:
            raise DataError(f"{path}:{line}: there is no answer for {shown(name)}.")
    last: dict[int, str] = {}
    n_in_a_row = 0
    for one, answer in entries:
        if one is None:
            continue
        if one not in last and answer not in ("unsure", "outlier"):
            n_in_a_row = 0 if answer == "new" or answer.startswith("new:") else n_in_a_row + 1
        last[one] = answer
    outliers = {one for one, answer in last.items() if answer == "outlier"}
    return _Log(outliers, n_in_a_row, notes, len(records))


def _read_groups(path: str, objects: _Objects) -> dict[str, tuple[set[int], bool]]:
    """Read the members of every group, and whether it counts."""
    groups: dict[str, tuple[set[int], bool]] = {}
    _, *records = _with_header(path, read_records(path)[0], (_GROUP_COLUMNS, _GROUP_COLUMNS[:2]))
    for line, (name, members, *counts) in records:
        where = f"{path}:{line}"
        if not name or name != name.strip() or not name.isprintable() or name in groups:
            problem = "is there already" if name in groups else "is no name of a group"
            raise DataError(f"{where}: {shown(name)} {problem}.")
        if counts not in ([], ["yes"], ["no"]):
            raise DataError(f"{where}: counted must be yes or no, got {shown(counts[0])}.")
        ids = [one.strip() for one in members.split("\n")]
        groups[name] = {objects.find(one, where) for one in ids if one}, counts != ["no"]
    return groups


def _with_header(path: str, records: list[Record], headers: tuple[list[str], ...]) -> list[Record]:
    """Return records, the first of which must be one of some headers."""
    if not records or records[0][1] not in headers:
        found = clipped(",".join(records[0][1])) if records else "nothing"
        raise DataError(f"{path}:1: the columns must be {','.join(headers[0])}, got {found}.")
    return records
