"""Files of answers: the log in a folder, the files that follow from it, and tables to record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from mvcc._utils.files import LEDGER, LOCK, csv_bytes
from mvcc._utils.messages import clipped, nearest, why_unwritten
from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import DataError, InvalidInputError, StoreError
from mvcc.multiview import Answer, AnswerHistory
from mvcc.tables.reading._records import (
    GROUPS,
    LOG,
    LOG_COLUMNS,
    Record,
    read_log,
    read_records,
)

if TYPE_CHECKING:
    from mvcc.tables.asking._review import ReviewSession
    from mvcc.tables.asking._session import AskSession

_ELSEWHERE = "choose another folder with --out"
_NEEDED = ("id", "answer")  # columns of a table of answers


class AnswersFolder:
    """A folder that one process at a time writes to, as a context manager.

    Files are named after `views`; `inputs` are never written over; `on_note` gets notes on an
    earlier session.
    """

    def __init__(
        self,
        path: Path,
        views: Collection[str],
        inputs: Iterable[str],
        on_note: Callable[[str], None],
    ) -> None:
        self.path = path
        self._files = {LOG, GROUPS, *(f"{view}.csv" for view in views)}
        if len(self._files) < 2 + len(views):
            raise InvalidInputError(
                "A view must not be called asked or groups: files of answers have these names."
            )
        self._out = OutputFolder(
            path, "answers", fresh=True, inputs=inputs, elsewhere=_ELSEWHERE, on_note=on_note
        )
        self._log = AnswerLog(self._out, LOG, on_note)
        self._open = ExitStack()

    def __enter__(self) -> Self:
        try:
            with ExitStack() as stack:
                stack.enter_context(self._out)
                self._refuse_other_files()  # before anything is written or removed
                self._log.read()
                self._open = stack.pop_all()
        except OSError as error:
            raise _unwritten(self.path, LOG, error, _ELSEWHERE) from error
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def store(self, history: AnswerHistory) -> None:
        """Store all answers; if that fails, the former ones are kept."""
        self._log.store(history.lines)

    @property
    def records(self) -> list[Record]:
        """The lines of the log as they were read."""
        return self._log.records

    def derive(self, name: str, rows: Iterable[Iterable[object]]) -> None:
        """Write a file that follows from the log as a whole, unless somebody changed it."""
        self._out.write({name: csv_bytes(rows)})

    def _refuse_other_files(self) -> None:
        there = sorted({path.name for path in self.path.iterdir()} - {LOCK, LEDGER})
        if LOG in there:
            self._log.check()
        elif there:
            listed = clipped(", ".join(there[:3]), 200) + (" and more" if len(there) > 3 else "")
            raise StoreError(
                f"{self.path} holds {listed}, but no answers. Choose another folder with --out."
            )
        self._out.refuse_inputs(self._files)


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
            raise _unwritten(self._path, self._name, error, elsewhere) from error


def _unwritten(path: Path, log: str, error: OSError, elsewhere: str) -> StoreError:
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
    _check_columns(columns, path)
    id, answer = map(columns.index, _NEEDED)
    answers = [(fields[id].strip(), fields[answer].strip()) for _, fields in rows]
    return session.record(answers, again=True, where=[f"{path}:{line}: " for line, _ in rows])


def _check_columns(columns: list[str], path: Path) -> None:
    for name in _NEEDED:
        if columns.count(name) != 1:
            how_often = "more than one column" if name in columns else "no column"
            listed = clipped(", ".join(map(repr, columns)), 200)
            raise DataError(
                f"{path}:1: there is {how_often} {name!r}{nearest(name, columns)} It has {listed}."
            )
