"""Tables in text files (CSV, TSV): their delimiter, header and rows."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain
from typing import IO, Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import clipped, words_of
from mvcc._utils.reading import (
    MOST_LINE,
    check_lines,
    check_size,
    content_of,
    in_lines,
    opened,
    within_limits,
)
from mvcc._utils.text import (
    DELIMITER_LINE,
    DELIMITERS,
    UTF_16,
    WINDOWS,
    assumed,
    delimiter_of,
    encoding_of,
    read_text,
)
from mvcc.exceptions import DataError
from mvcc.tables.reading._numbers import is_written_number
from mvcc.tables.reading._parquet import parts_of, rows_at_a_time
from mvcc.tables.reading._problems import title_above
from mvcc.tables.reading._rows import without_nameless
from mvcc.tables.reading._sheets import total_below, without_value

_LAST = 50  # rows among which totals and footnotes are sought
_BLOCK = 2**14  # rows that are looked at together
_NUMBER, _YEAR = re.compile(r"-?\d+(\.\d+)?"), re.compile(r"(19|20)\d\d")
_QUOTED_NAMES = re.compile(r'"[^"]*"(?: +"[^"]*")+')
_NOT_PLAIN = (b'"', b"\r", b"\0", "\ufeff".encode())  # libraries read these in ways of their own


def read_text_table(content: bytes, path: str) -> pd.DataFrame:
    """Read all rows; see `read_frame`."""
    read = read_text(content, path, DataError)
    with within_limits(path):
        check_lines(content)
    text, notes = read.text, read.notes(path)
    end = len(text)
    while end and text[end - 1].isspace():
        end -= 1
    n_breaks = text.count("\n", 0, end)
    # copies of a large file take much memory, and StringIO takes four bytes for each character
    is_same = text.isascii() and len(text) == len(content)
    whole = content if is_same else text.encode()
    del read, text
    lines = io.TextIOWrapper(io.BytesIO(whole), "utf-8", newline="")
    frame = next(_text_frames(lines, path, whole=whole))
    n_filled, (n, below) = _n_filled(frame), _end(frame, [frame])
    frame = without_nameless(frame.iloc[:n])
    first = frame.attrs["header"] + 1
    are_rows = n_breaks + 2 - first == n_filled  # no value has line breaks
    if not are_rows:
        _check_quotes(lines, path, frame.attrs["delimiter"])
    frame.attrs["lines"] = _lines_of(frame, first, are_rows=are_rows)[0]
    blank = partial(_blank_lines, io.BytesIO(whole))
    return _without_empty(frame, path, notes, below, blank)[0]


def _lines_of(frame: pd.DataFrame, first: int, *, are_rows: bool) -> tuple[Sequence[int], int]:
    """Return the line that each row begins in, and that of the row that follows."""
    if are_rows or not len(frame):
        return range(first, first + len(frame)), first + len(frame)
    breaks = [frame.iloc[:, n].str.count("\r\n?|\n") for n in range(frame.shape[1])]
    ends = first + np.cumsum(1 + np.sum(breaks, axis=0, dtype=np.int64))
    return in_lines([first, *ends[:-1].tolist()]), int(ends[-1])


def _has_columns(frame: pd.DataFrame) -> bool:
    """Tell whether a row without a value is none; where there is one column, that is missing."""
    return sum(map(bool, map(str.strip, frame.columns))) > 1


def _end(
    frame: pd.DataFrame, all_rows: Iterable[pd.DataFrame], n_before: int = 0
) -> tuple[int, list[str]]:
    """Return the number of rows above empty ones and a total at the end, and what these are.

    A total has a word that no other one of ``all_rows`` has; without these, it may be one.
    """
    n = _n_filled(frame)
    last = frame.iloc[max(n - _LAST, 0) : n].to_numpy()
    below = total_below([[cell.strip() or None for cell in row] for row in last])
    total = n - below[0]
    n_above = _n_filled(frame.iloc[:total])
    if not (below[0] and n_before + n_above and _has_columns(frame)):
        return n, []
    column, word = next((n, cell) for n, cell in enumerate(frame.iloc[total]) if cell.strip())
    n_there = sum(int((rows.iloc[:, column] == word).sum()) for rows in all_rows)
    return (n, []) if n_there > 1 else (n_above, below[1])


def _without_empty(
    frame: pd.DataFrame,
    path: str,
    notes: list[str],
    below: list[str],
    blank: Callable[[str], set[int]],
    first: int = 0,
) -> tuple[pd.DataFrame, int]:
    """Return a table without empty rows, with notes on these, and the number of the next row.

    Rows have the numbers that pandas gives them: it counts rows of delimiters, not ``blank`` lines.
    """
    lines, empty = frame.attrs["lines"], _empty(frame)
    end = first + len(frame)
    numbers: pd.Index[Any] = pd.RangeIndex(first, end)
    left_out = [*without_value([lines[row] for row in empty], "line"), *below]
    if empty:
        kept = np.delete(np.arange(len(frame)), empty)
        frame, are_blank = frame.iloc[kept], blank(frame.attrs["delimiter"])
        skipped = [row for row in empty if lines[row] in are_blank]
        numbers, end = numbers[kept - np.searchsorted(skipped, kept)], end - len(skipped)
        frame.attrs["lines"] = in_lines(np.asarray(lines)[kept].tolist())
    said = [f"{path}: Left out: {'; '.join(left_out)}."] if left_out else []
    frame.attrs["notes"] = [*notes, *frame.attrs["notes"], *said]
    frame.index = numbers
    return frame, end


def _blank_lines(lines: Iterable[bytes], delimiter: str) -> set[int]:
    """Return the lines with nothing but spaces, which are no rows for pandas."""
    spaces = " \t".replace(delimiter, "").encode()
    every = enumerate(chain.from_iterable(map(bytes.splitlines, lines)), 1)
    return {number for number, line in every if not line.strip(spaces)}


def frames_of_text(path: str, place: str) -> Iterator[pd.DataFrame]:
    """Read some rows at a time; see `read_frames`."""
    lines = _Lines(path, place)
    encoding = encoding_of(lines, place, DataError)
    if encoding == UTF_16:
        yield from parts_of(read_text_table(content_of(path), place))
        return
    notes = [assumed(place)] if encoding == WINDOWS else []
    blank = cache(partial(_blank_lines, lines))
    held, ready, n_before, line, is_checked = pd.DataFrame(), pd.DataFrame(), 0, 0, False
    for chunk in chain(_chunks(path, place, encoding), [pd.DataFrame()]):
        is_end = not len(chunk)
        frame = pd.concat([held, chunk]) if len(held) else chunk
        frame.attrs = chunk.attrs or held.attrs  # pandas drops them where they differ
        n, below = _end(frame, _chunks(path, place, encoding) if is_end else (), n_before)
        held, frame = frame.iloc[n:], frame.iloc[:n]  # the end of the table, unless rows follow
        first = line or frame.attrs["header"] + 1
        frame.attrs["lines"], line = _lines_of(frame, first, are_rows=lines.are_rows)
        if line > first + len(frame) and not is_checked:
            with io.TextIOWrapper(opened(path), encoding=encoding, newline="") as file:
                _check_quotes(file, place, frame.attrs["delimiter"])
            is_checked = True
        below = below if is_end else []
        frame, n_before = _without_empty(frame, place, notes, below, blank, n_before)
        if len(frame):
            if len(ready):
                yield ready
            ready = frame
    if len(ready):  # the note on the end comes with the last rows
        ready.attrs["notes"] = list(dict.fromkeys(ready.attrs["notes"] + frame.attrs["notes"]))
        yield ready


def _chunks(path: str, place: str, encoding: str) -> Iterator[pd.DataFrame]:
    """Give all rows, some at a time."""
    with io.TextIOWrapper(opened(path), encoding=encoding, newline="") as file:
        n_columns = max(map(file.readline().count, DELIMITERS)) + 1
        file.seek(0)
        yield from _text_frames(file, place, rows_at_a_time(n_columns))


class _Lines:
    """The lines of a text file, some bytes at a time; then, whether each row is one of them."""

    def __init__(self, path: str, place: str) -> None:
        self._path, self._place = path, place
        self.are_rows = True

    def __iter__(self) -> Iterator[bytes]:
        with opened(self._path) as file:
            for number, line in enumerate(iter(partial(file.readline, MOST_LINE + 1), b"")):
                if len(line) > MOST_LINE:
                    raise DataError(
                        f"{self._place}:{number + 1}: this line has more than {MOST_LINE:,} bytes;"
                        " this is not a table."
                    )
                # a value with a line break leaves a quote open
                self.are_rows = self.are_rows and line.count(b'"') % 2 == 0
                yield line


def _text_frames(
    lines: IO[str], path: str, n_rows: int | None = None, *, whole: bytes = b""
) -> Iterator[pd.DataFrame]:
    """Give the rows, all at once or some at a time; ``attrs["header"]`` is the line above row 0.

    ``whole`` is the same text, which may be read faster.
    """
    first = lines.readline(MOST_LINE)
    if not first.strip():
        raise DataError(f"{path}:1: the first line is empty; it must name the columns.")
    start, n_above = 0, 0
    is_tsv = path.lower().endswith(".tsv") and "\t" in first
    delimiter = "\t" if is_tsv else delimiter_of(first, DELIMITERS)
    if told := DELIMITER_LINE.fullmatch(first):
        start, n_above, delimiter = lines.tell(), 1, told[1]
    lines.seek(start)
    try:
        reader = csv.reader(lines, delimiter=delimiter)
        names = next(reader, [])
        if not names:
            raise DataError(f"{path}:2: line 2 is empty; it must name the columns.")
        with within_limits(path):
            check_size(max(map(whole.count, (b"\n", b"\r"))), len(names))
        header = n_above + reader.line_num
        if len(names) == 1 and header == 1 and _by_blanks(first, next(lines, "")):
            raise DataError(
                f"{path}:1: blanks seem to separate the values; separate them with commas,"
                " semicolons or tabs."
            )
        if header > n_above + 1:
            _check_quotes(lines, path, delimiter)
        lines.seek(start)
        next(reader := csv.reader(lines, delimiter=delimiter))
        notes = []
        headless = _is_data(names) and (not _are_even(_years(names)) or _years(next(reader, [])))
        lines.seek(start)
        if headless:
            notes = [f"{path}: Line {header} has only numbers and was read as a row, not as names."]
            names, header = [f"column {n + 1}" for n in range(len(names))], n_above
        else:
            next(csv.reader(lines, delimiter=delimiter))
            if odd := _unlike_names(names):
                notes = [
                    f"{path}: Line {header} was read as the names of the columns, though it has"
                    f" {odd}. If it is a row, write a line with names above it."
                ]
        about = {"delimiter": delimiter, "header": header, "notes": notes}
        frame = _plain_rows(whole, len(names), delimiter, header)
        if frame is not None:
            yield _named(frame, names, about)
            return
        rows = pd.read_csv(
            lines,
            sep=delimiter,
            header=None,
            names=range(len(names)),
            dtype=str,
            keep_default_na=False,
            na_filter=False,
            index_col=False,
            skip_blank_lines=False,
            on_bad_lines="error",
            iterator=True,
        )
        while True:
            with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
                frame = rows.read(n_rows)
            yield _named(frame, names, about)
    except StopIteration:  # pandas has no more rows
        return
    except DataError:
        raise
    except pd.errors.EmptyDataError:
        raise DataError(f"{path}: there are no rows below the names of the columns.") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError, csv.Error) as error:
        _check_quotes(lines, path, delimiter)
        lines.seek(start)
        longer = _longer_row(lines, delimiter, n_above)
        what = longer or f": cannot be read as a table: {words_of(error)}"
        raise DataError(f"{path}{what}.") from error


def _named(frame: pd.DataFrame, names: list[str], about: dict[str, object]) -> pd.DataFrame:
    frame.columns = pd.Index(names)
    frame.attrs |= about
    return frame


def _plain_rows(
    content: bytes, n_columns: int, delimiter: str, n_above: int
) -> pd.DataFrame | None:
    """Return what pandas reads, in a seventh of the time; None where rows are not plain."""
    content = content.replace(b"\r\n", b"\n")
    dtype = pd.Series([""], dtype="str").dtype
    is_plain = bool(content) and not any(mark in content for mark in _NOT_PLAIN)
    if not is_plain or getattr(dtype, "storage", "") != "pyarrow":
        return None
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(n) for n in range(n_columns)]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(content),
            read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=n_above),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, quote_char=False, ignore_empty_lines=False
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.large_string())
            ),
        )
    except pa.ArrowInvalid:  # pandas fills a shorter row, and has a message for a longer one
        return None
    return table.combine_chunks().to_pandas(types_mapper=lambda _: dtype)


def _n_filled(frame: pd.DataFrame) -> int:
    """Return the number of rows without empty ones at the end, which are line breaks."""
    n = len(frame)
    while n:
        rows = np.arange(max(n - _BLOCK, 0), n)
        filled = np.setdiff1d(rows, _of_spaces(frame, rows))
        if len(filled):
            return int(filled[-1]) + 1
        n = int(rows[0])
    return 0


def _empty(frame: pd.DataFrame) -> list[int]:
    """Return the rows with nothing but spaces, if rows without a value are none."""
    return _of_spaces(frame, np.arange(len(frame) if _has_columns(frame) else 0)).tolist()


def _of_spaces(frame: pd.DataFrame, rows: Ints) -> Ints:
    """Return those of some rows that have nothing but spaces."""
    for column in range(frame.shape[1]):
        if len(rows):
            rows = rows[(frame.iloc[rows, column].str.strip() == "").to_numpy()]
    return rows


def _by_blanks(first: str, second: str) -> bool:
    """Tell whether a line of names in quotes, or above one of numbers, has blanks between them."""
    values = second.split()
    names_fit = 1 < len(first.split()) in (len(values), len(values) - 1)
    are_numbers = all(map(is_written_number, values)) and not is_written_number(second.strip())
    return bool(_QUOTED_NAMES.fullmatch(first.strip())) or (names_fit and are_numbers)


def _check_quotes(lines: IO[str], path: str, delimiter: str) -> None:
    """Refuse a quote that never closes, or in a later line, where text follows it."""
    quoted, other = '(?:[^"]++|"")*+', f"[^{delimiter}]*+"
    opening = re.compile(f'(?:(?:"{quoted}"|(?!")){other}{re.escape(delimiter)})*+"{quoted}')
    closing = re.compile(f'{quoted}"({other})')
    begin, end = 0, "never closes"  # the line of the quote that is open, and what becomes of it
    lines.seek(0)
    for number, line in enumerate(lines, 1):
        if '"' not in line:
            continue
        closed = closing.match(line) if begin else None
        if begin and closed is None:
            continue
        if closed and closed[1].strip():
            end = f"closes in line {number}, where text follows it"
            break
        rest = opening.match(line, closed.end() + 1 if closed else 0)
        begin = number if rest and rest.end() == len(line) else 0
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
                said = f":{line}: line {line} has {len(row)} values, but there are {width} columns"
                return f"{said}. {title_above(header)}" if len(row) >= 2 * width else said
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
    own = values[1:] if values[:1] == [""] else values
    return list(map(int, own)) if all(map(_YEAR.fullmatch, own)) else []


def _are_even(years: list[int]) -> bool:
    """Tell whether there are three years or more, each as far from the one before."""
    return len(years) >= 3 and len({*np.diff(years).tolist()}) == 1 and years[0] != years[1]


def _unlike_names(names: list[str]) -> str:
    """Return numbers, if there is nothing else, or they do not rise or fall evenly among names."""
    found = [name for name in names if _NUMBER.fullmatch(name)]
    steps = np.diff(list(map(float, found)))
    are_even = (steps > 0).all() or ((steps < 0).all() and steps.min() >= 2 * steps.max())
    is_clear = are_even and len(found) < sum(map(bool, names))
    return "" if is_clear else clipped(", ".join(found))
