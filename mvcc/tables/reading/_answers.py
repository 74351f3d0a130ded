"""Answers to `mvcc ask` for a clustering: constraints, named groups and outliers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mvcc._utils.messages import counted, nearest, shown
from mvcc._utils.reading import MOST_LINE, opened
from mvcc._utils.types import Ints
from mvcc.exceptions import DataError, InvalidInputError
from mvcc.multiview import OUTLIER, Answer, AnswerHistory
from mvcc.tables._job import Job
from mvcc.tables.reading._inputs import Inputs, with_checksums
from mvcc.tables.reading._records import GROUP_COLUMNS, GROUPS, LOG, read_groups, read_log
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.constraints import Constraints

Rows = list[Ints]  # of every view, ascending
_Members = tuple[set[int], bool]  # the objects of a group, and whether it counts


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
    source : str
        The file that names the groups; empty where there is none.
    tables : list of Table
        With the outliers.
    """

    groups: dict[str, Rows]
    n_counted: int
    n_in_a_row: int | None
    outliers: Rows
    source: str
    tables: list[Table]

    def outlier_ids(self) -> list[list[str]]:
        """Return the ids of the rows of outliers, per view."""
        views = zip(self.tables, self.outliers, strict=True)
        return [[table.ids[row] for row in rows] for table, rows in views]


def answer_files(job: Job) -> list[str]:
    """Return the files of answers of a job: of its folder, else groups beside constraints."""
    if job.asked is not None:
        names = (LOG, GROUPS, *(f"{view}.csv" for view in job.views))
        paths = [Path(job.asked) / name for name in names]
        return [str(path) for path in paths if path.exists()]
    beside = dict.fromkeys(Path(path).parent / GROUPS for path in job.constraints.values())
    return [str(path) for path in beside if _lists_groups(path)][:1]


def ids_in_answers(paths: list[str]) -> set[str]:
    """Return the ids of the rows that files of answers name, of whatever view."""
    from mvcc.constraints import ConstraintFile  # numba, as in `read_inputs`

    named: list[str] = []
    ids: set[str] = set()
    for path in paths:
        if Path(path).name == LOG:
            named += [name for _, (name, *_) in read_log(path)[0]]
        elif Path(path).name == GROUPS:
            for _, (_, members, *_) in read_groups(path, []):
                named += members.split("\n")
        else:
            for i, j, *_ in ConstraintFile.read(path).records.values():
                ids |= {i.strip(), j.strip()}
    return ids | {name.strip().partition(":")[2] for name in named}


def _lists_groups(path: Path) -> bool:
    """Tell whether a file that nobody has named is a list of groups."""
    try:
        with opened(path) as file:
            first = file.readline(MOST_LINE).decode("utf-8-sig").strip()
            return first in (",".join(GROUP_COLUMNS), ",".join(GROUP_COLUMNS[:2]))
    except (OSError, ValueError):
        return False


def with_answers(job: Job, inputs: Inputs) -> Inputs:
    """Return the inputs of a job with the answers: with more constraints, and without outliers."""
    paths = {Path(path).name: path for path in answer_files(job)}
    if job.asked is not None and LOG not in paths:
        raise DataError(
            f"{job.asked}: there is no {LOG} in it; name the folder that `mvcc ask` has written to."
        )
    if not paths:
        return inputs
    objects = _Objects(inputs, may_lack=_may_lack(job))
    history, groups, sizes = AnswerHistory(), dict[str, _Members](), []
    notes = list[str]()
    if LOG in paths:
        history = _read_history(paths[LOG], objects, notes)
        sizes.append((paths[LOG], len(history.lines)))
    if GROUPS in paths:
        groups = _read_members(paths[GROUPS], objects, notes)
        sizes.append((paths[GROUPS], len(groups)))
    constraints, n_constraints = _with_constraints(job, inputs, paths, notes)
    outliers = {one for one, says in history.answers.items() if says == OUTLIER}
    outliers -= set(objects.absent.values())
    if objects.absent:
        notes.append(
            f"{counted(len(objects.absent), 'answered row')} of {job.asked} cannot be found in"
            " these tables; what was answered of them has no effect."
        )
    answers = Answers(
        {name: objects.rows(members) for name, (members, _) in groups.items()},
        sum(counts for _, counts in groups.values()),
        history.n_since_new if LOG in paths else None,
        objects.rows(outliers),
        paths.get(GROUPS, ""),
        inputs.tables,
    )
    files = inputs.files + with_checksums(sizes + n_constraints)
    said = (*inputs.notes, *notes)
    whole = replace(inputs, constraints=constraints, answers=answers, files=files, notes=said)
    return _without_outliers(whole, len(outliers)) if outliers else whole


def _may_lack(job: Job) -> bool:
    """Tell whether answers may be of rows that the tables do not have."""
    return job.continues is not None or job.unknown == "skip"


def _with_constraints(
    job: Job, inputs: Inputs, paths: dict[str, str], notes: list[str]
) -> tuple[list[Constraints], list[tuple[str, int]]]:
    """Return all constraints, and how many each file of answers has."""
    from mvcc.constraints import ConstraintFile, Constraints
    from mvcc.tables.reading._pairs import add_constraints  # numba, as in `read_inputs`

    constraints, sizes = list(inputs.constraints), []
    given = {Path(path).resolve() for path in job.constraints.values()}
    for number, table in enumerate(inputs.tables):
        path = paths.get(f"{table.name}.csv")
        if path is None:
            continue
        is_given = Path(path).resolve() in given  # it is read already, and only counted here
        into = [Constraints.empty()] * len(constraints) if is_given else constraints
        n_added = add_constraints(
            into,
            ConstraintFile.read(path),
            number,
            inputs.tables,
            inputs.relations,
            [] if is_given else notes,
            may_lack=_may_lack(job),
        )
        sizes.append((path, n_added))
    return constraints, sizes


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
                f"{table.path}: of {len(table.ids)} rows, only {len(rows)} "
                f"{'is' if len(rows) == 1 else 'are'} not marked as an outlier."
            )
    used = inputs.on_rows(kept)
    n_constraints = _total(inputs.constraints) - _total(used.constraints)
    n_matches = _total(inputs.relations.values()) - _total(used.relations.values())
    parts = [
        f"{counted(len(rows), 'row')} of {table.name}"
        for table, rows in zip(inputs.tables, outliers, strict=True)
        if len(rows)
    ]
    parts.append(f"{counted(n_constraints, 'constraint')} and {counted(n_matches, 'match')}")
    note = f"Left out as {counted(n_objects, 'outlier')}: {', '.join(parts)}."
    return replace(used, notes=(*inputs.notes, note))


def _total(lists: Iterable[Sized]) -> int:
    return sum(map(len, lists))


class _Objects:
    """The objects of the tables of a job, as the questions have them, by the ids of their rows."""

    def __init__(self, inputs: Inputs, *, may_lack: bool = False) -> None:
        # scikit-learn takes a second to import
        from mvcc.embedding import (
            find_objects,
            separate_problems,
        )

        self._numbers = {table.name: number for number, table in enumerate(inputs.tables)}
        self._tables = inputs.tables
        connected = {
            (views[u], views[v]): rows
            for views, inside in separate_problems(len(inputs.tables), inputs.relations)
            for (u, v), rows in inside.items()
        }
        sizes = [len(table.ids) for table in inputs.tables]
        self._n, self._of_rows = find_objects(sizes, connected)
        self._may_lack = may_lack
        self.absent: dict[str, int] = {}  # objects of rows that the tables lack, if they may

    def find(self, name: str) -> int:
        """Return the object of a row, such as texts:17."""
        view, _, row = name.partition(":")
        number = self._numbers.get(view)
        if self._may_lack and (number is None or row not in self._tables[number].row):
            return self.absent.setdefault(name, self._n + len(self.absent))
        if number is None:
            raise DataError(
                f"{shown(name)} is of no view that is clustered{nearest(view, self._numbers)}"
            )
        if row not in self._tables[number].row:
            raise DataError(self._tables[number].lacks(row))
        return int(self._of_rows[number][self._tables[number].row[row]])

    def rows(self, objects: set[int]) -> Rows:
        """Return the rows of some objects."""
        return [np.flatnonzero(np.isin(own, list(objects))) for own in self._of_rows]


def _read_history(path: str, objects: _Objects, notes: list[str]) -> AnswerHistory:
    """Return the answers of a log, and note a line that was cut off.

    Groups are not checked: people may write the file themselves, without a line that opens one.
    """
    records, cut = read_log(path)
    line = 0

    def answers() -> Iterator[Answer]:
        nonlocal line
        for number, (name, text, when) in records:
            line = number
            if not text:
                raise DataError(f"there is no answer for {shown(name)}.")
            answer = Answer(name, text, when)
            if answer.is_about_object:
                answer = replace(answer, object=objects.find(name))
            yield answer

    try:
        history = AnswerHistory().followed_by(answers())
    except (DataError, InvalidInputError) as error:
        raise DataError(f"{path}:{line}: {error}") from error
    if cut:
        notes.append(f"{path}:{cut}: the last line is cut off, and was not used.")
    return history


def _read_members(path: str, objects: _Objects, notes: list[str]) -> dict[str, _Members]:
    """Return the members of every group, and whether it counts."""
    groups: dict[str, _Members] = {}
    for line, (name, members, *counts) in read_groups(path, notes):
        where = f"{path}:{line}"
        if not name or name != name.strip() or not name.isprintable() or name in groups:
            problem = "is there already" if name in groups else "is not a valid name of a group"
            raise DataError(f"{where}: {shown(name)} {problem}.")
        if counts not in ([], ["yes"], ["no"]):
            raise DataError(f"{where}: counted must be yes or no, got {shown(counts[0])}.")
        ids = [one.strip() for one in members.split("\n")]
        try:
            groups[name] = {objects.find(one) for one in ids if one}, counts != ["no"]
        except DataError as error:
            raise DataError(f"{where}: {error}") from error
    return groups
