"""Answers as a table, for programs and for people with a page of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

from mvcc._utils.files import decoded
from mvcc._utils.messages import clipped, nearest
from mvcc.exceptions import DataError
from mvcc.jobs.asking._session import AskSession, Said

_NEEDED = ("id", "answer")


def record_table(session: AskSession, path: Path) -> list[Said]:
    """Record a table of answers, all of it or, where a row is bad, nothing.

    Parameters
    ----------
    session : AskSession
    path : Path
        A CSV file with the columns ``id`` and ``answer``; others are left alone.

    Raises
    ------
    MvccError
        Names file and line of what is wrong.
    """
    said, place = _read(path)
    return session.record(said, again=True, place=place)


def _read(path: Path) -> tuple[list[tuple[str, str]], Callable[[int], str]]:
    try:
        text = decoded(path.read_bytes(), str(path), DataError)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}.") from error
    first = text.partition("\n")[0]
    delimiter = next((mark for mark in ",;\t" if mark in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    said: list[tuple[str, str]] = []
    lines: list[int] = []
    columns: list[str] | None = None
    line = 1
    try:
        for record in reader:
            here, line = line, reader.line_num + 1
            if columns is None:
                columns = [name.strip().lower() for name in record]
                _check_columns(columns, path)
            elif record:
                if len(record) != len(columns):
                    raise DataError(f"{path}:{here}: there are {len(record)} fields, but {len(columns)} columns.")
                fields = dict(zip(columns, map(str.strip, record), strict=True))
                said.append((fields["id"], fields["answer"]))
                lines.append(here)
    except csv.Error as error:
        raise DataError(f"{path}:{line}: this is no CSV: {error}.") from error
    if columns is None:
        raise DataError(f"{path}:1: the file is empty; the first line must name the columns, id and answer.")
    return said, lambda number: f"{path}:{lines[number]}: "


def _check_columns(columns: list[str], path: Path) -> None:
    for name in _NEEDED:
        if columns.count(name) != 1:
            how_often = "more than one column" if name in columns else "no column"
            listed = clipped(", ".join(map(repr, columns)), 200)
            raise DataError(f"{path}:1: there is {how_often} {name!r}{nearest(name, columns)} It has {listed}.")
