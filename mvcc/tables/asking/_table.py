"""Answers as a table, for programs and for people with a page of their own."""

from __future__ import annotations

from pathlib import Path

from mvcc._utils.messages import clipped, nearest
from mvcc.exceptions import DataError
from mvcc.multiview import Answer
from mvcc.tables.asking._review import ReviewSession
from mvcc.tables.asking._session import AskSession
from mvcc.tables.reading._records import read_records

_NEEDED = ("id", "answer")


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
