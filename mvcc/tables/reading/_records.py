"""The records of CSV files of answers, each with the line that it begins in."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

from mvcc._utils.files import decoded
from mvcc._utils.messages import clipped
from mvcc._utils.reading import content_of
from mvcc.exceptions import DataError, MvccError

Record = tuple[int, list[str]]  # line and fields


def read_records(
    path: str | Path, error: type[MvccError] = DataError, *, appended: bool = False
) -> tuple[list[Record], int | None]:
    """Read a CSV file whose columns are separated by commas, semicolons or tabs.

    Parameters
    ----------
    path : str or Path
    error : type
        Raised with file and line for what cannot be read, and for a record that is not as long as
        the first.
    appended : bool
        A last line without an end was cut off, and is left out.

    Returns
    -------
    list of (line, list of str)
        All that are not empty, the header first.
    int or None
        The line that was left out.
    """
    try:
        content = content_of(path)
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror}.") from problem
    end = content.rfind(b"\n") + 1 if appended else len(content)
    text = decoded(content[:end], str(path), error)
    delimiter = next((mark for mark in ",;\t" if mark in text.partition("\n")[0]), ",")
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records: list[Record] = []
    line = 1
    try:
        for record in reader:
            if record and records and len(record) != (wanted := len(records[0][1])):
                found = f"{len(record)}: {clipped(delimiter.join(record))}"
                raise error(f"{path}:{line}: there must be {wanted} values, got {found}")
            records += [(line, record)] if record else []
            line = reader.line_num + 1
    except csv.Error as problem:
        raise error(f"{path}:{line}: this is no CSV: {problem}.") from problem
    return records, line if end < len(content) else None
