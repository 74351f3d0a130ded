"""Answers as a table, for programs and for people with a page of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mvcc._utils.messages import clipped, nearest
from mvcc.exceptions import DataError
from mvcc.tables.asking._session import AskSession
from mvcc.tables.asking._session_types import Said
from mvcc.tables.reading._records import read_records

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
    records, _ = read_records(path)
    if not records:
        raise DataError(
            f"{path}:1: the file is empty; the first line must name the columns, id and answer."
        )
    (_, header), *answers = records
    columns = [name.strip().lower() for name in header]
    _check_columns(columns, path)
    id, answer = map(columns.index, _NEEDED)
    said = [(fields[id].strip(), fields[answer].strip()) for _, fields in answers]
    return said, lambda number: f"{path}:{answers[number][0]}: "


def _check_columns(columns: list[str], path: Path) -> None:
    for name in _NEEDED:
        if columns.count(name) != 1:
            how_often = "more than one column" if name in columns else "no column"
            listed = clipped(", ".join(map(repr, columns)), 200)
            raise DataError(
                f"{path}:1: there is {how_often} {name!r}{nearest(name, columns)} It has {listed}."
            )
