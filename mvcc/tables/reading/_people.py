"""People who answered `mvcc ask`, each with a log: what they said about the objects of a job."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mvcc._utils.messages import nearest, shown
from mvcc._utils.types import Ints
from mvcc.exceptions import DataError, InvalidInputError
from mvcc.multiview import Answer, AnswerHistory
from mvcc.tables._layout import ANSWERS
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._records import (
    GROUPS,
    LOG,
    Record,
    read_answers,
    read_groups,
    read_log,
    read_records,
)

Rows = list[Ints]  # of every view, ascending


@dataclass(frozen=True)
class Person:
    """Somebody who answered."""

    name: str  # what the log says, or the name of the folder
    path: str  # the log
    records: list[Record]  # its lines about this person: id, answer, when


def log_in(folder: str) -> Path:
    """Return the log in a folder of answers, or in a folder of results that has all answers."""
    log, answers = Path(folder) / LOG, Path(folder) / ANSWERS
    return answers if answers.exists() and not log.exists() else log


def read_people(folders: Sequence[str], notes: list[str]) -> list[Person]:
    """Return who answered, and note lines that were cut off.

    Raises DataError: for a folder without a log, one that is named twice, or two different logs of
    the same person.
    """
    people: dict[str, Person] = {}
    for folder, name in zip(folders, _names(folders), strict=True):
        path = log_in(folder)
        if not path.exists():
            raise DataError(
                f"{folder}: there is no {LOG} in it; name the folder that `mvcc ask` has written"
                " to."
            )
        records, cut = read_log(path) if path.name == LOG else read_answers(path)
        if cut:
            notes.append(f"{path}:{cut}: the last line is cut off, and was not used.")
        of_people: dict[str, list[Record]] = {} if path.name == ANSWERS else {name: []}
        for line, fields in records:
            who = (fields[3].strip() if path.name == ANSWERS else "") or name
            of_people.setdefault(who, []).append((line, fields[:3]))
        for who, own in of_people.items():
            person = Person(who, str(path), own)
            people[who] = _longer(people[who], person) if who in people else person
    return list(people.values())


def _names(folders: Sequence[str]) -> list[str]:
    """Name people after their folders, by as much of the paths as tells them apart."""
    real = [os.path.realpath(folder) for folder in folders]
    for place, path in enumerate(real):
        if path in real[:place]:
            raise DataError(
                f"{folders[place]} is named twice (--asked); name each folder of answers once."
            )
    parts = [Path(os.path.abspath(folder)).parts for folder in folders]
    names, n = [own[-1] for own in parts], 1
    while len(set(names)) < len(names):
        n += 1
        names = ["/".join(own[-n:]) for own in parts]
    return names


def _longer(one: Person, other: Person) -> Person:
    """Return the newer one of two logs of a person: it begins with all that the other one has."""
    former, newer = sorted((one, other), key=lambda person: len(person.records))
    said = [[fields for _, fields in person.records] for person in (former, newer)]
    if said[1][: len(said[0])] != said[0]:
        raise DataError(
            f"{one.path} and {other.path} both have answers of {shown(one.name)}, and they differ."
            " Rename one of the folders, or leave it out."
        )
    return newer


class AnsweredObjects:
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

    def rows(self, objects: Iterable[int]) -> Rows:
        """Return the rows of some objects."""
        return [np.flatnonzero(np.isin(own, list(objects))) for own in self._of_rows]

    def rows_of_each(self, objects: Iterable[int]) -> dict[int, tuple[tuple[int, ...], ...]]:
        """Return the rows of each of some objects, per view; absent ones have none."""
        found: dict[int, list[list[int]]] = {one: [[] for _ in self._tables] for one in objects}
        for view, rows in enumerate(self.rows(found)):
            for row in rows.tolist():
                found[int(self._of_rows[view][row])][view].append(row)
        return {one: tuple(map(tuple, rows)) for one, rows in found.items()}

    @property
    def n_views(self) -> int:
        """The number of views."""
        return len(self._tables)

    def names(self, rows: Iterable[Iterable[int]]) -> list[str]:
        """Return the rows of every view as texts:17."""
        return [
            f"{table.name}:{table.ids[row]}"
            for table, own in zip(self._tables, rows, strict=True)
            for row in own
        ]


def read_history(person: Person, objects: AnsweredObjects) -> AnswerHistory:
    """Return the answers of a person.

    Groups are not checked: people may write the file themselves, without a line that opens one.
    """
    line = 0

    def answers() -> Iterator[Answer]:
        nonlocal line
        for number, (name, text, when) in person.records:
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
        raise DataError(f"{person.path}:{line}: {error}") from error
    return history


def ids_in_answers(paths: list[str]) -> set[str]:
    """Return the ids of the rows that files of answers name, of whatever view."""
    from mvcc.constraints import ConstraintFile  # numba, which takes half a second to import

    named: list[str] = []
    ids: set[str] = set()
    for path in paths:
        if Path(path).name in (LOG, ANSWERS):
            named += [name for _, (name, *_) in read_records(path, appended=True)[0][1:]]
        elif Path(path).name == GROUPS:
            for _, (_, members, *_) in read_groups(path, []):
                named += members.split("\n")
        else:
            for i, j, *_ in ConstraintFile.read(path).records.values():
                ids |= {i.strip(), j.strip()}
    return ids | {name.strip().partition(":")[2] for name in named}
