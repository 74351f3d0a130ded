"""The folder of a session of questions: the log of answers, and the files that follow from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from mvcc._utils.files import LEDGER, LOCK, csv_bytes
from mvcc._utils.messages import clipped, why_unwritten
from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import InvalidInputError, StoreError
from mvcc.multiview import Answer, AnswerHistory
from mvcc.tables.reading._records import GROUPS, LOG, LOG_COLUMNS, Record, read_log

_ELSEWHERE = "choose another folder with --out"


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
    """The log of answers in a folder that is open: read once, and stored as a whole.

    Attributes
    ----------
    records : list of Record
        The lines as they were read.
    """

    def __init__(self, out: OutputFolder, name: str, on_note: Callable[[str], None]) -> None:
        self._out, self._name, self._on_note = out, name, on_note
        self._path, self.records = out.path / name, list[Record]()

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
