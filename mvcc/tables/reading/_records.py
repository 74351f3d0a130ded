"""The records of CSV files of answers, each with the line that it begins in."""

from __future__ import annotations

from pathlib import Path

from mvcc._utils.messages import clipped
from mvcc._utils.reading import content_of
from mvcc._utils.text import decoded, delimiter_of, read_text, records_of
from mvcc.exceptions import DataError, MvccError

LOG, GROUPS = "asked.csv", "groups.csv"
LOG_COLUMNS = ["id", "answer", "when"]
ANSWER_COLUMNS = [*LOG_COLUMNS, "who"]
GROUP_COLUMNS = ["name", "members", "counted"]  # without the last one, all count

Record = tuple[int, list[str]]  # line and fields


def read_log(
    path: str | Path, error: type[MvccError] = DataError, columns: list[str] = LOG_COLUMNS
) -> tuple[list[Record], int | None]:
    """Return the records of a log of answers, and the number of a last line that was cut off."""
    records, cut = read_records(path, error, appended=True)
    return _without_header(path, records, [columns], error), cut


def read_groups(path: str | Path, notes: list[str]) -> list[Record]:
    """Return the records of a list of groups, and note what was assumed of the file."""
    records, _ = read_records(path, notes=notes)
    return _without_header(path, records, [GROUP_COLUMNS, GROUP_COLUMNS[:2]], DataError)


def read_records(
    path: str | Path,
    error: type[MvccError] = DataError,
    *,
    appended: bool = False,
    notes: list[str] | None = None,
) -> tuple[list[Record], int | None]:
    """Read a CSV file whose columns are separated by commas, semicolons or tabs.

    Returns all records that are not empty, the header first. A last line without an end was cut off
    if lines are `appended` to the file: its number is returned instead. With `notes`, which get
    what was assumed, the file may be encoded as other programs do.
    """
    try:
        content = content_of(path)
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror}.") from problem
    end = content.rfind(b"\n") + 1 if appended else len(content)
    if notes is None:
        text = decoded(content[:end], str(path), error)
    else:
        read = read_text(content, str(path), error)
        text = read.text
        notes += read.notes(str(path))
    delimiter = delimiter_of(text.partition("\n")[0])
    records = list(records_of(text, str(path), error, delimiter))
    n_columns = len(records[0][1]) if records else 0
    for line, fields in records:
        if len(fields) != n_columns:
            got = f"{len(fields)}: {clipped(delimiter.join(fields))}"
            raise error(f"{path}:{line}: there must be {n_columns} values, got {got}")
    return records, text.count("\n") + 1 if end < len(content) else None


def _without_header(
    path: str | Path, records: list[Record], headers: list[list[str]], error: type[MvccError]
) -> list[Record]:
    """Return records without the first one, which must be one of some headers."""
    if not records or records[0][1] not in headers:
        columns = clipped(",".join(records[0][1])) if records else "nothing"
        raise error(f"{path}:1: the columns must be {','.join(headers[0])}, got {columns}.")
    return records[1:]
