"""The folder of a session of questions.

What was said, one line after the other, and the files that follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from mvcc._utils.environment import now
from mvcc._utils.files import LOCK, csv_bytes
from mvcc._utils.messages import clipped, why_unwritten
from mvcc._utils.outputs import LEDGER, OutputFolder
from mvcc.exceptions import InvalidInputError, StoreError
from mvcc.tables.reading._records import Record, read_records

ASKED, GROUPS = "asked.csv", "groups.csv"
_COLUMNS = ["id", "answer", "when"]


class Entry(NamedTuple):
    """One thing that was said."""

    id: str
    answer: str
    when: str


class AnswersFolder:
    """A folder that one process at a time writes to, as a context manager.

    Parameters
    ----------
    path : Path
    views : collection of str
        Names of the views, which files are called by.
    inputs : iterable of str
        Paths that must not be written over.
    on_note : callable
        Told what happened to a session before.

    Attributes
    ----------
    entries : list of Entry
        All that was said, also what was taken back later.
    """

    def __init__(
        self,
        path: Path,
        views: Collection[str],
        inputs: Iterable[str],
        on_note: Callable[[str], None],
    ) -> None:
        self.path, self.entries = path, list[Entry]()
        self._files = {ASKED, GROUPS, *(f"{view}.csv" for view in views)}
        if len(self._files) < 2 + len(views):
            raise InvalidInputError(
                "A view must not be called asked or groups: files of answers have these names."
            )
        elsewhere = "choose another folder with --out"
        self._on_note = on_note
        self._out = OutputFolder(
            path, "answers", fresh=True, inputs=inputs, elsewhere=elsewhere, on_note=on_note
        )
        self._lines: list[int] = []
        self._open = ExitStack()

    def __enter__(self) -> Self:
        try:
            with ExitStack() as stack:
                stack.enter_context(self._out)
                self._refuse_other_files()  # before anything is written or removed
                self.entries = self._read()
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

    def add(self, said: Iterable[tuple[str, str]]) -> None:
        """Store what was said, all of it or, where that fails, nothing.

        Raises
        ------
        StoreError
            When it cannot be written.
        """
        entries = [*self.entries, *(Entry(id, answer, now()) for id, answer in said)]
        try:
            self._out.put(ASKED, csv_bytes([_COLUMNS, *entries]), noted=False)
        except OSError as error:
            raise self._unwritten(self.path / ASKED, error) from error
        self.entries = entries

    def derive(self, name: str, rows: Iterable[Iterable[object]]) -> None:
        """Write a file that follows from the log as a whole, unless somebody changed it.

        Raises
        ------
        StoreError
            When it cannot be written. What was said is stored by then.
        """
        self._out.write({name: csv_bytes(rows)})

    def line(self, number: int) -> str:
        """Return the place of an entry that was read, by its number from 0."""
        return f"{self.path / ASKED}:{self._lines[number]}"

    def _refuse_other_files(self) -> None:
        there = sorted({path.name for path in self.path.iterdir()} - {LOCK, LEDGER})
        if ASKED in there:
            self._records()
        elif there:
            listed = clipped(", ".join(there[:3]), 200) + (" and more" if len(there) > 3 else "")
            raise StoreError(
                f"{self.path} holds {listed}, but no answers. Choose another folder with --out."
            )
        self._out.refuse_inputs(self._files)

    def _read(self) -> list[Entry]:
        """Read what was said; a last line that was cut off is dropped."""
        path = self.path / ASKED
        if not path.exists():
            return []
        records, cut = self._records()
        if cut:
            self._on_note(f"{path}: the last line was cut off, and is left out.")
        self._lines = [line for line, _ in records]
        return [Entry(*fields) for _, fields in records]

    def _records(self) -> tuple[list[Record], int | None]:
        """Return the records of the log, and the number of a line that was cut off.

        Refuse what is no log.
        """
        path = self.path / ASKED
        records, cut = read_records(path, StoreError, appended=True)
        if not records or records[0][1] != _COLUMNS:
            columns = ",".join(_COLUMNS)
            raise StoreError(
                f"{path}:1: the first line must be {columns}; this is no log of answers. Choose"
                " another folder with --out."
            )
        return records[1:], cut

    def _unwritten(self, path: Path, error: OSError) -> StoreError:
        why = why_unwritten(error, "choose another folder with --out")
        return StoreError(
            f"{path} cannot be written: {why} What {ASKED} holds is kept; the same command goes on."
        )
