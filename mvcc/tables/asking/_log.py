"""Sessions with their logs in a folder, and tables of answers to record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar, Self

from mvcc._utils.files import csv_bytes, sha256_of, sha256_of_file
from mvcc._utils.messages import about, clipped, shown
from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import DataError, StoreError
from mvcc.multiview import Answer
from mvcc.tables.asking._card import Shower
from mvcc.tables.correcting._corrections import refuse_line_breaks
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._people import LOG_COLUMNS, Record, read_log, read_records


class LoggedSession(ABC):
    """A session with a log of answers in a folder, held as a context manager."""

    kinds: ClassVar[Mapping[str, str]] = {}  # of files that other commands write as well

    def __init__(self, out: OutputFolder, log: str, inputs: Inputs) -> None:
        for table in inputs.tables:
            refuse_line_breaks(table.ids, table.path)
        self._out, self._log = out, out.path / log
        self._inputs, self._shower = inputs, Shower(inputs.tables)
        self.on_note = out.on_note
        self.folders = self._shower.folders  # pictures of each view are below one
        self._records = list[Record]()  # the lines as they were read
        self._is_cut = False  # whether another one was, which a note tells
        self._checksum: str | None = None  # of the log as it was read or stored last
        self.version = 0  # the number of lines
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self._out)
            if self._log.is_symlink():
                raise StoreError(
                    f"{self._log} is a link, which a file would replace. Move the log itself here,"
                    f" or {self._out.elsewhere}."
                )
            if self._log.exists():
                self._read_log()
            self._begin()
            self._open = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    @abstractmethod
    def _begin(self) -> None:
        """Take up what the log says."""

    @abstractmethod
    def record(self, answers: list[tuple[str, str]], *, where: Sequence[str] = ()) -> list[Answer]:
        """Store several answers with their ids, all of them or none."""

    def _read_log(self) -> None:
        self._checksum = self._checksum_now()
        with about(advice=f" If this is not a log of answers, {self._out.elsewhere}."):
            self._records, cut = read_log(self._log, StoreError)
        self.version = len(self._records)
        if cut:
            self._is_cut, (line, text) = True, cut
            self.on_note(
                f"{self._log}:{line}: the last line, {shown(text)}, was cut off, and is left out."
            )

    def _store(self, lines: Sequence[Answer], files: Mapping[str, bytes]) -> None:
        """Store all lines and what follows from them, or nothing; a log changed since is kept."""
        former = [fields for _, fields in self._records]  # stay as they are, in other words or not
        added = [[line.id, line.answer, line.when] for line in lines[len(former) :]]
        content = csv_bytes([LOG_COLUMNS, *former, *added])
        if self._checksum_now() != self._checksum:
            raise StoreError(
                f"{self._log} was changed by somebody else since this session read it, and is kept"
                " as it is now. Run the same command to resume with it."
            )
        contents = {}
        if self._checksum is None or len(lines) > self.version:
            contents[self._log.name] = content
        try:
            self._out.write({**contents, **files}, self.kinds, own=contents)
        except StoreError as error:
            kept = f"What {self._log.name} holds is kept; run the same command to resume."
            if contents and self._checksum_now() == sha256_of(content):
                kept = f"{self._log.name} has all that was said: do not repeat it."
            raise StoreError(f"{error} {kept}") from error
        self.version, self._checksum = len(lines), self._checksum_now()

    def _checksum_now(self) -> str | None:
        """Return the checksum of the log as it is on the disk, None if there is none."""
        return sha256_of_file(self._log) if self._log.is_file() else None


def record_table(session: LoggedSession, path: Path) -> list[Answer]:
    """Record a CSV file with the columns id and answer, all of it or, if a row is bad, nothing."""
    notes: list[str] = []
    records, _ = read_records(path, notes=notes)
    for note in notes:
        session.on_note(note)
    (_, header), *rows = records or [(1, ["nothing"])]
    columns = [name.strip().lower() for name in header]
    if not columns.count("id") == columns.count("answer") == 1:
        listed = clipped(", ".join(columns), 200)
        raise DataError(f"{path}:1: one column must be id and one answer, got {listed}.")
    id, answer = columns.index("id"), columns.index("answer")
    answers = [(fields[id].strip(), fields[answer].strip()) for _, fields in rows]
    return session.record(answers, where=[f"{path}:{line}: " for line, _ in rows])
