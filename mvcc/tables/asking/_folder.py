"""Files of answers: the log in a folder, and tables to record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import clipped, nearest, why_unwritten
from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import DataError, StoreError
from mvcc.multiview import Answer
from mvcc.tables.reading._records import LOG_COLUMNS, Record, read_log, read_records

if TYPE_CHECKING:
    from mvcc.tables.asking._review import ReviewSession
    from mvcc.tables.asking._session import AskSession

_NEEDED = ("id", "answer")  # columns of a table of answers


class AnswerLog:
    """The log of answers in a folder that is open: read once, and stored as a whole."""

    def __init__(self, out: OutputFolder, name: str, on_note: Callable[[str], None]) -> None:
        self._out, self._name, self._on_note = out, name, on_note
        self._path, self.records = out.path / name, list[Record]()  # the lines as they were read

    def read(self) -> None:
        """Read it; a last line that was cut off is dropped."""
        if self._path.exists():
            self.records, cut = self.check()
            if cut:
                self._on_note(f"{self._path}: the last line was cut off, and is left out.")

    def check(self) -> tuple[list[Record], int | None]:
        """Return its records, and the number of a last line that was cut off."""
        try:
            return read_log(self._path, StoreError)
        except StoreError as error:
            raise StoreError(
                f"{error} If this is not a log of answers, {self._out.elsewhere}."
            ) from error

    def store(self, lines: Sequence[Answer]) -> None:
        """Store all lines; if that fails, the former ones are kept."""
        former = [fields for _, fields in self.records]  # stay as they are, in other words or not
        added = [[line.id, line.answer, line.when] for line in lines[len(former) :]]
        try:
            self._out.put(self._name, csv_bytes([LOG_COLUMNS, *former, *added]), noted=False)
        except OSError as error:
            elsewhere = self._out.elsewhere
            raise unwritten(self._path, self._name, error, elsewhere) from error


def unwritten(path: Path, log: str, error: OSError, elsewhere: str) -> StoreError:
    """Return the error for a log in a folder that cannot be written."""
    why = why_unwritten(error, elsewhere)
    return StoreError(
        f"{path} cannot be written: {why} What {log} holds is kept; run the same command to resume."
    )


def record_table(session: AskSession | ReviewSession, path: Path) -> list[Answer]:
    """Record a CSV file with the columns id and answer, all of it or, if a row is bad, nothing."""
    records, _ = read_records(path)
    if not records:
        raise DataError(
            f"{path}:1: the file is empty; the first line must name the columns, id and answer."
        )
    (_, header), *rows = records
    columns = [name.strip().lower() for name in header]
    for name in _NEEDED:
        if columns.count(name) != 1:
            how_often = "more than one column" if name in columns else "no column"
            listed = clipped(", ".join(map(repr, columns)), 200)
            raise DataError(
                f"{path}:1: there is {how_often} {name!r}{nearest(name, columns)} It has {listed}."
            )
    id, answer = map(columns.index, _NEEDED)
    answers = [(fields[id].strip(), fields[answer].strip()) for _, fields in rows]
    return session.record(answers, again=True, where=[f"{path}:{line}: " for line, _ in rows])
