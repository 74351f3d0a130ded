"""Tables in text files (CSV, TSV): their rows without empty ones, totals and footnotes."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, count
from typing import IO, Any, BinaryIO

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.reading import MOST_LINE, content_of, in_lines, opened
from mvcc._utils.text import UTF_16, assumed, encoding_of, read_text
from mvcc.exceptions import DataError
from mvcc.tables.reading._parquet import parts_of, rows_at_a_time
from mvcc.tables.reading._rows import without_nameless
from mvcc.tables.reading._sheets import BELOW, Cells, are_units, n_below, said_of, without_value
from mvcc.tables.reading._text_rows import check_quotes, text_frames

_LAST = 50  # rows among which totals and footnotes are sought
_BLOCK = 2**14  # rows that are looked at together


def read_text_table(content: bytes, path: str) -> pd.DataFrame:
    """Read all rows; see `read_frame`."""
    text, _, notes = read_text(content, path, DataError)
    # copies of a large file take much memory, and StringIO takes four bytes for each character
    is_same = text.isascii() and len(text) == len(content)
    whole = content if is_same else text.encode()
    del text
    lines = _Lines(partial(io.BytesIO, whole), path)
    if b'"' in whole or len(whole) > MOST_LINE:  # else none is too long, and each is a row
        deque(lines, 0)
    return without_nameless(next(_tables(lines, "utf-8", notes, whole)), path)


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
    frame: pd.DataFrame, all_rows: Callable[[], Iterable[pd.DataFrame]], n_before: int = 0
) -> tuple[int, list[str]]:
    """Return the number of rows above empty ones and totals at the end, and what these are.

    Each total has a word that no other one of ``all_rows`` has; without these, it may be one. If
    more rows are totals than others, they are what the table is about.
    """
    end = n = _n_filled(frame)
    for n_totals in count(1) if _has_columns(frame) else ():
        total = end - n_below(_cells(frame.iloc[max(end - _LAST, 0) : end]))
        n_above = _n_filled(frame.iloc[:total])
        if total == end or n_before + n_above < n_totals:
            break
        column, word = next((n, cell) for n, cell in enumerate(frame.iloc[total]) if cell.strip())
        if sum(int((rows.iloc[:, column] == word).sum()) for rows in all_rows()) > 1:
            break
        end = n_above
    return end, said_of(_cells(frame.iloc[end:n]), BELOW)


def _cells(rows: pd.DataFrame) -> Cells:
    return [[cell.strip() or None for cell in row] for row in rows.to_numpy()]


def _without_empty(
    frame: pd.DataFrame, blank: Callable[[str], set[int]], first: int, n_units: int
) -> tuple[pd.DataFrame, int, list[str]]:
    """Return a table without units and empty rows, as pandas numbers it; the next number; these."""
    lines, empty = frame.attrs["lines"], list[int]()
    if _has_columns(frame):
        empty = _of_spaces(frame, np.arange(len(frame))).tolist()
    end = first + len(frame)
    index: pd.Index[Any] = pd.RangeIndex(first, end)
    left_out = said_of(_cells(frame.iloc[:n_units]), "of units")
    left_out += without_value([lines[row] for row in empty], "line")
    if empty := [*range(n_units), *empty]:
        kept = np.delete(np.arange(len(frame)), empty)
        frame, are_blank = frame.iloc[kept], blank(frame.attrs["delimiter"])
        skipped = [row for row in empty if lines[row] in are_blank]
        index, end = index[kept - np.searchsorted(skipped, kept)], end - len(skipped)
        frame.attrs["lines"] = in_lines(np.asarray(lines)[kept].tolist())
    frame.index = index
    return frame, end, left_out


def _blank_lines(lines: Iterable[bytes], delimiter: str) -> set[int]:
    """Return the lines with nothing but spaces, which are no rows for pandas."""
    spaces = " \t".replace(delimiter, "").encode()
    numbered = enumerate(chain.from_iterable(map(bytes.splitlines, lines)), 1)
    return {line_number for line_number, line in numbered if not line.strip(spaces)}


def frames_of_text(path: str, location: str) -> Iterator[pd.DataFrame]:
    """Read some rows at a time; see `read_frames`."""
    lines = _Lines(partial(opened, path), location)
    encoding = encoding_of(lines, location, DataError)
    if encoding == UTF_16:
        return parts_of(read_text_table(content_of(path), location))
    return _tables(lines, encoding, assumed(encoding, location))


def _tables(
    lines: _Lines, encoding: str, notes: list[str], whole: bytes = b""
) -> Iterator[pd.DataFrame]:
    """Give the rows some at a time, or all at once if there is the ``whole`` text."""
    location, blank = lines.place, cache(partial(_blank_lines, lines))
    held, ready = pd.DataFrame(), pd.DataFrame()
    n_before, line, is_checked = 0, 0, False
    chunks = _chunks(lines, encoding, whole)
    if not whole:
        chunks = chain(chunks, [pd.DataFrame()])  # which tells that no more rows follow
    for chunk in chunks:
        frame = chunk
        if len(held):
            frame = pd.concat([held, chunk])
        frame.attrs = chunk.attrs or held.attrs  # pandas drops them where they differ
        all_rows = partial(_chunks, lines, encoding)
        if whole:
            all_rows = partial(iter, [frame])
        if whole or not len(chunk):
            n, below = _end(frame, all_rows, n_before)
        else:
            n, below = _end(frame, tuple, n_before)[0], []
        held, frame = frame.iloc[n:], frame.iloc[:n]  # the end of the table, unless rows follow
        row_0 = frame.attrs["header"] + 1
        first = line or row_0
        frame.attrs["lines"], line = _lines_of(frame, first, are_rows=lines.are_rows)
        if line > first + len(frame) and not is_checked:
            with lines.decoded(encoding) as file:
                check_quotes(file, location, frame.attrs["delimiter"])
            is_checked = True
        n_units = int(first == row_0 and are_units(_cells(frame.iloc[:_LAST])))
        frame, n_before, left_out = _without_empty(frame, blank, n_before, n_units)
        frame.attrs |= {"notes": [*notes, *frame.attrs["notes"]], "n_units": n_units}
        if left_out := left_out + below:
            frame.attrs["notes"].append(f"{location}: Left out: {'; '.join(left_out)}.")
        if len(frame) or whole:
            if len(ready):
                yield ready
            ready = frame
    if len(ready) or whole:  # the note on the end comes with the last rows
        ready.attrs["notes"] = list(dict.fromkeys(ready.attrs["notes"] + frame.attrs["notes"]))
        yield ready


def _chunks(lines: _Lines, encoding: str, whole: bytes = b"") -> Iterator[pd.DataFrame]:
    """Give all rows, some at a time unless there is the ``whole`` text."""
    with lines.decoded(encoding) as file:
        n_columns = max(map(file.readline().count, ",;\t|")) + 1
        file.seek(0)
        n_rows = None if whole else rows_at_a_time(n_columns)
        yield from text_frames(file, lines.place, n_rows, whole)


class _Lines:
    """The lines of a text file, some bytes at a time; then, whether each row is one of them."""

    def __init__(self, open_file: Callable[[], BinaryIO], location: str) -> None:
        self._open, self.place = open_file, location
        self.are_rows = True

    def decoded(self, encoding: str) -> IO[str]:
        return io.TextIOWrapper(self._open(), encoding=encoding, newline="")

    def __iter__(self) -> Iterator[bytes]:
        with self._open() as file:
            for index, line in enumerate(iter(partial(file.readline, MOST_LINE + 1), b"")):
                if len(line) > MOST_LINE:
                    raise DataError(
                        f"{self.place}:{index + 1}: this line has more than {MOST_LINE:,} bytes;"
                        " this is not a table."
                    )
                # a value with a line break leaves a quote open
                if b'"' in line and self.are_rows:
                    self.are_rows = all(part.count(b'"') % 2 == 0 for part in line.splitlines())
                yield line


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


def _of_spaces(frame: pd.DataFrame, rows: Ints) -> Ints:
    """Return those of some rows that have nothing but spaces."""
    for column in range(frame.shape[1]):
        if len(rows):
            rows = rows[(frame.iloc[rows, column].str.strip() == "").to_numpy()]
    return rows
