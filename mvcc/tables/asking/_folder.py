"""The folder of a session of questions: the log of answers, and the files that follow from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from mvcc._utils.files import LOCK, csv_bytes
from mvcc._utils.ledger import LEDGER
from mvcc._utils.messages import clipped, why_unwritten
from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import InvalidInputError, StoreError
from mvcc.multiview import AnswerHistory
from mvcc.tables.reading._records import GROUPS, LOG, LOG_COLUMNS, Record, read_log

_ELSEWHERE = "choose another folder with --out"


class AnswersFolder:
    """A folder that one process at a time writes to, as a context manager.

    Files are named after `views`; `inputs` are never written over; `on_note` is told what happened
    to a session before. `records` are the lines of the log as they were read.
    """

    def __init__(
        self,
        path: Path,
        views: Collection[str],
        inputs: Iterable[str],
        on_note: Callable[[str], None],
    ) -> None:
        self.path, self.records = path, list[Record]()
        self._files = {LOG, GROUPS, *(f"{view}.csv" for view in views)}
        if len(self._files) < 2 + len(views):
            raise InvalidInputError(
                "A view must not be called asked or groups: files of answers have these names."
            )
        self._on_note = on_note
        self._out = OutputFolder(
            path, "answers", fresh=True, inputs=inputs, elsewhere=_ELSEWHERE, on_note=on_note
        )
        self._open = ExitStack()

    def __enter__(self) -> Self:
        try:
            with ExitStack() as stack:
                stack.enter_context(self._out)
                self._refuse_other_files()  # before anything is written or removed
                self.records = self._read()
                self._open = stack.pop_all()
        except OSError as error:
            raise self._unwritten(self.path, error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._open.close()

    def store(self, history: AnswerHistory) -> None:
        """Store all answers; if that fails, the former ones are kept."""
        former = [fields for _, fields in self.records]  # stay as they are, in other words or not
        added = [[line.id, line.answer, line.when] for line in history.lines[len(former) :]]
        try:
            self._out.put(LOG, csv_bytes([LOG_COLUMNS, *former, *added]), noted=False)
        except OSError as error:
            raise self._unwritten(self.path / LOG, error) from error

    def derive(self, name: str, rows: Iterable[Iterable[object]]) -> None:
        """Write a file that follows from the log as a whole, unless somebody changed it."""
        self._out.write({name: csv_bytes(rows)})

    def _refuse_other_files(self) -> None:
        there = sorted({path.name for path in self.path.iterdir()} - {LOCK, LEDGER})
        if LOG in there:
            self._read_log()
        elif there:
            listed = clipped(", ".join(there[:3]), 200) + (" and more" if len(there) > 3 else "")
            raise StoreError(
                f"{self.path} holds {listed}, but no answers. Choose another folder with --out."
            )
        self._out.refuse_inputs(self._files)

    def _read(self) -> list[Record]:
        """Read the log; a last line that was cut off is dropped."""
        if not (self.path / LOG).exists():
            return []
        records, cut = self._read_log()
        if cut:
            self._on_note(f"{self.path / LOG}: the last line was cut off, and is left out.")
        return records

    def _read_log(self) -> tuple[list[Record], int | None]:
        try:
            return read_log(self.path / LOG, StoreError)
        except StoreError as error:
            raise StoreError(f"{error} If this is no log of answers, {_ELSEWHERE}.") from error

    def _unwritten(self, path: Path, error: OSError) -> StoreError:
        why = why_unwritten(error, _ELSEWHERE)
        return StoreError(
            f"{path} cannot be written: {why} What {LOG} holds is kept; the same command goes on."
        )
