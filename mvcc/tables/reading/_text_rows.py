"""The rows of a text file, below the line that names the columns."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

import numpy as np
import pandas as pd

from mvcc._utils.messages import agreeing, clipped, counted, words_of
from mvcc._utils.reading import MOST_LINE, check_size, within_limits
from mvcc._utils.text import DELIMITER_LINE, delimiter_of
from mvcc.exceptions import DataError
from mvcc.tables.reading._numbers import is_written_number
from mvcc.tables.reading._problems import title_above

_NUMBER, _YEAR = re.compile(r"-?\d+(\.\d+)?"), re.compile(r"(19|20)\d\d")
_QUOTED_NAMES = re.compile(r'"[^"]*"(?: +"[^"]*")+')
_NOT_PLAIN = (b'"', b"\r", b"\0", "\ufeff".encode())  # libraries read these in ways of their own


def text_frames(
    lines: IO[str], path: str, n_rows: int | None, whole: bytes
) -> Iterator[pd.DataFrame]:
    """Give the rows, all or some at a time; ``whole`` is the same text, which is read faster."""
    delimiter = _delimiter(lines, path)
    start = lines.tell()
    n_above = int(start > 0)
    try:
        names, attrs = _head(lines, path, delimiter, n_above, whole)
        frame = _plain_rows(whole, len(names), delimiter, attrs["header"])
        if frame is not None:
            yield _below(names, attrs, frame)
            return
        rows = pd.read_csv(
            lines,
            sep=delimiter,
            header=None,
            names=range(len(names)),
            dtype=str,
            na_filter=False,
            index_col=False,
            skip_blank_lines=False,
            iterator=True,
        )
        while True:
            with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
                frame = rows.read(n_rows)
            yield _below(names, attrs, frame)
    except StopIteration:  # pandas has no more rows
        return
    except DataError:
        raise
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError, csv.Error) as error:
        check_quotes(lines, path, delimiter)
        lines.seek(start)
        longer = _longer_row(lines, delimiter, n_above)
        reason = longer or f": cannot be read as a table: {words_of(error)}"
        raise DataError(f"{path}{reason}.") from error


def _delimiter(lines: IO[str], path: str) -> str:
    """Return what separates the values, and go to the line that names the columns."""
    first = lines.readline(MOST_LINE)
    if not first.strip():
        raise DataError(f"{path}:1: the first line is empty; it must name the columns.")
    if declared := DELIMITER_LINE.fullmatch(first):
        return declared[1]
    delimiter = "\t"
    if not (path.lower().endswith(".tsv") and "\t" in first):
        delimiter = delimiter_of(first, next(filter(str.strip, lines), ""))
    lines.seek(0)
    return delimiter


def _below(names: list[str], attrs: dict[str, Any], frame: pd.DataFrame) -> pd.DataFrame:
    frame.columns = pd.Index(names)
    frame.attrs |= attrs
    return frame


def _head(
    lines: IO[str], path: str, delimiter: str, n_above: int, whole: bytes
) -> tuple[list[str], dict[str, Any]]:
    """Return the names of the columns and what was assumed; go to row 0, perhaps the same line."""
    start, first = lines.tell(), lines.readline(MOST_LINE)
    lines.seek(start)
    reader = csv.reader(lines, delimiter=delimiter)
    names = next(reader, [])
    if not names:
        raise DataError(f"{path}:2: line 2 is empty; it must name the columns.")
    with within_limits(path):
        check_size(max(map(whole.count, (b"\n", b"\r"))), len(names))
    line = n_above + reader.line_num
    if len(names) == 1 and line == 1 and _by_blanks(first, next(lines, "")):
        raise DataError(
            f"{path}:1: blanks seem to separate the values; separate them with commas,"
            " semicolons or tabs."
        )
    if line > n_above + 1:
        check_quotes(lines, path, delimiter)
    lines.seek(start)
    next(reader := csv.reader(lines, delimiter=delimiter))
    below = next(reader, [])
    is_headless = _is_data(names) and (not _are_even(_years(names)) or bool(_years(below)))
    is_longer = delimiter == "\t" and len(below) == len(names) + 1 and below[-1]
    if is_longer and all(len(row) == len(below) for row in reader if row):
        names.insert(0, "")  # R names rows, but not the column of these names
    if len(below) > len(names):  # of which pandas 2 drops the last value if all are empty
        raise ValueError("a row has more values than there are columns")
    lines.seek(start)
    notes = list[str]()
    if is_headless:
        notes = [f"{path}: Line {line} has only numbers and was read as a row, not as names."]
        names, line = [f"column {n + 1}" for n in range(len(names))], n_above
    else:
        next(csv.reader(lines, delimiter=delimiter))
        if odd := _unlike_names(names):
            notes = [
                f"{path}: Line {line} was read as the names of the columns, though it has {odd}. If"
                " it is a row, write a line with names above it."
            ]
    return names, {"delimiter": delimiter, "header": line, "notes": notes}


def _plain_rows(whole: bytes, n_columns: int, delimiter: str, n_above: int) -> pd.DataFrame | None:
    """Return what pandas reads, in a seventh of the time; None where rows are not plain."""
    whole = whole.replace(b"\r\n", b"\n")
    dtype = pd.Series([""], dtype="str").dtype
    is_plain = bool(whole) and not any(mark in whole for mark in _NOT_PLAIN)
    if not is_plain or getattr(dtype, "storage", "") != "pyarrow":
        return None
    import pyarrow as pa
    from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

    names = [str(n) for n in range(n_columns)]
    reading = ReadOptions(column_names=names, skip_rows=n_above)
    parsing = ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False)
    types = ConvertOptions(column_types=dict.fromkeys(names, pa.large_string()))
    try:
        table = read_csv(pa.BufferReader(whole), reading, parsing, types)
    except pa.ArrowInvalid:  # pandas fills a shorter row, and has a message for a longer one
        return None
    return table.combine_chunks().to_pandas(types_mapper=lambda _: dtype)


def _by_blanks(first: str, second: str) -> bool:
    """Tell whether a line of names in quotes, or above one of numbers, has blanks between them."""
    values = second.split()
    names_fit = 1 < len(first.split()) in (len(values), len(values) - 1)
    are_numbers = all(map(is_written_number, values)) and not is_written_number(second.strip())
    return bool(_QUOTED_NAMES.fullmatch(first.strip())) or (names_fit and are_numbers)


def check_quotes(lines: IO[str], path: str, delimiter: str) -> None:
    """Refuse a quote that never closes, or in a later line, where text follows it."""
    quoted, other = '(?:[^"]++|"")*+', f"[^{delimiter}]*+"
    opening = re.compile(f'(?:(?:"{quoted}"|(?!")){other}{re.escape(delimiter)})*+"{quoted}')
    closing = re.compile(f'{quoted}"({other})')
    begin, end = 0, "never closes"  # the line of the quote that is open, and how it ends
    lines.seek(0)
    for line_number, line in enumerate(lines, 1):
        if '"' not in line:
            continue
        closed = closing.match(line) if begin else None
        if begin and closed is None:
            continue
        if closed and closed[1].strip():
            end = f"closes in line {line_number}, where text follows it"
            break
        rest = opening.match(line, closed.end() + 1 if closed else 0)
        begin = line_number if rest and rest.end() == len(line) else 0
    if begin:
        raise DataError(
            f"{path}:{begin}: line {begin} opens a quote that {end}. Close it in line {begin}, or"
            " delete it; write a quote within quotes twice."
        )


def _longer_row(lines: IO[str], delimiter: str, n_above: int) -> str:
    """Say which is the first row with more values than there are columns, if one has."""
    reader = csv.reader(lines, delimiter=delimiter)
    with suppress(csv.Error):  # pandas has its own message
        width = len(next(reader))
        header = line = n_above + reader.line_num
        for row in reader:
            line += 1
            if len(row) > width:
                there_are = f"there {agreeing(width, 'is', 'are')} {counted(width, 'column')}"
                said = f":{line}: line {line} has {len(row)} values, but {there_are}"
                if len(row) >= 2 * width or len(row) == len(next(reader, [])):
                    said += f". {title_above(header)}"
                return said
            line = n_above + reader.line_num
    return ""


def _is_data(names: list[str]) -> bool:
    """Tell whether a first line is numbers, but not 0, 1, 2, …, which are names of pandas."""
    try:
        numbers = [float(name) for name in names if name != ""]
    except ValueError:
        return False
    return bool(numbers) and numbers != list(map(float, range(len(numbers))))


def _years(values: list[str]) -> list[int]:
    """Return the years in a line, if it has nothing else; the first value may be blank."""
    if values[:1] == [""]:
        values = values[1:]
    if all(map(_YEAR.fullmatch, values)):
        return list(map(int, values))
    return []


def _are_even(years: list[int]) -> bool:
    """Tell whether there are three years or more, each as far from the one before."""
    return len(years) >= 3 and len({*np.diff(years).tolist()}) == 1 and years[0] != years[1]


def _unlike_names(names: list[str]) -> str:
    """Return numbers, if there is nothing else, or they do not rise or fall evenly among names."""
    numbers = [name for name in names if _NUMBER.fullmatch(name)]
    steps = np.diff(list(map(float, numbers)))
    are_even = (steps > 0).all() or ((steps < 0).all() and steps.min() >= 2 * steps.max())
    if are_even and len(numbers) < sum(map(bool, names)):
        return ""
    return clipped(", ".join(numbers))
