"""Files of rows and columns, of many formats, as data frames: whole, or some rows at a time."""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

import pandas as pd

from mvcc._utils.messages import clipped, nearest, words_of
from mvcc._utils.reading import (
    MOST_LINE,
    check_lines,
    check_size,
    content_of,
    opened,
    within_limits,
)
from mvcc._utils.text import (
    UTF_16,
    WINDOWS,
    assumed,
    decoded,
    delimiter_of,
    encoding_of,
    parse_arff,
    read_text,
)
from mvcc.exceptions import DataError
from mvcc.tables.reading._parquet import frames_of_parquet, parts_of, read_parquet, rows_at_a_time
from mvcc.tables.reading._typed_tables import read_array, read_arrays, read_records, read_workbook

_MOST_SHOWN = 1000  # characters of a path
_NOT_PLAIN = (b'"', b"\r", b"\0", "\ufeff".encode())  # libraries read these in ways of their own


def read_frame(path: str, sheet: str | None = None, header: int | None = None) -> pd.DataFrame:
    """Read a table; the ending of its name tells the format. Text files have texts: 007 is no 7.

    ``attrs`` tell the "delimiter" of a text file, the line of the first row ("lines"), which column
    names rows ("index"), which are no features ("beside"), "folder", "sheet" and "notes".
    """
    # mvcc reports what matters of a file; libraries may warn of more
    with _reading(path) as (ending, place), warnings.catch_warnings(action="ignore"):
        # never by name: some libraries take names for addresses on the network, or read whole
        # folders
        content = content_of(path)
        if ending == ".xlsx":
            frame = read_workbook(content, place, sheet=sheet, header=header)
        else:
            frame = _READERS[ending](content, place)
    frame.attrs["folder"] = os.path.dirname(path)
    return frame


@contextmanager
def _reading(path: str) -> Iterator[tuple[str, str]]:
    """Give the ending of a table and what messages call it; say why it cannot be read."""
    ending, place = Path(path).suffix.lower(), clipped(path, _MOST_SHOWN)
    if os.path.isdir(path):
        raise DataError(
            f"{place}: this is a folder; name a file. Only views of mvcc cluster and mvcc predict"
            " may be folders of Parquet files."
        )
    if ending not in _READERS:
        what = repr(clipped(ending)) if ending else "of a name without an ending"
        raise DataError(
            f"{place}: the format {what} is not known. Known endings: {', '.join(_READERS)}."
        )
    try:
        yield ending, place
    except FileNotFoundError:
        others = Path(path).parent.glob("*")
        there = [other.name for other in others if other.suffix.lower() in _READERS]
        guess = nearest(Path(path).name, there)
        raise DataError(f"{place}: there is no such file{guess}") from None
    except (OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{place}: cannot be read: {reason}.") from error


def _read_arff(content: bytes, path: str) -> pd.DataFrame:
    attributes, rows, lines = parse_arff(decoded(content, path, DataError), path)
    with within_limits(path):
        check_size(len(rows), len(attributes))
    frame = pd.DataFrame(rows, columns=[attribute.name for attribute in attributes], dtype="str")
    if rows and lines[-1] - lines[0] == len(rows) - 1:  # nothing stands between the rows
        frame.attrs["lines"] = lines[0]
    return frame


def _read_text(content: bytes, path: str) -> pd.DataFrame:
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
    frame.attrs["notes"] = notes
    frame = frame.iloc[: _n_filled(frame)]
    # a delimiter at the end of every line makes a column of nothing
    names = enumerate(frame.columns)
    frame = frame.iloc[:, [n for n, name in names if name.strip() or any(frame.iloc[:, n])]]
    first = frame.attrs.pop("first")
    if n_breaks + 2 - first == len(frame):  # no value has line breaks
        frame.attrs["lines"] = first
    return frame


def _frames_of_text(path: str, place: str) -> Iterator[pd.DataFrame]:
    """Read some rows at a time; see `read_frames`."""
    lines = _Lines(path, place)
    encoding = encoding_of(lines, place, DataError)
    if encoding == UTF_16:
        yield from parts_of(_read_text(content_of(path), place))
        return
    notes = [assumed(place)] if encoding == WINDOWS else []
    with io.TextIOWrapper(opened(path), encoding=encoding, newline="") as file:
        n_columns = max(map(file.readline().count, ",;\t")) + 1
        file.seek(0)
        held = pd.DataFrame()
        for chunk in _text_frames(file, place, rows_at_a_time(n_columns)):
            frame = pd.concat([held, chunk]) if len(held) else chunk
            frame.attrs = chunk.attrs  # pandas drops them where they differ
            n = _n_filled(frame)
            held = frame.iloc[n:]  # the end of the file, or rows that lack everything
            if n:
                frame = frame.iloc[:n]
                frame.attrs["notes"] = notes
                if lines.are_rows:
                    frame.attrs["lines"] = chunk.attrs["first"] + int(frame.index[0])
                yield frame


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
    """Give the rows, all at once or some at a time; ``attrs["first"]`` is the line of row 0.

    ``whole`` is the same text, which may be read faster.
    """
    first = lines.readline(MOST_LINE)
    if not first.strip():
        raise DataError(f"{path}:1: the first line is empty; it must name the columns.")
    is_tsv = path.lower().endswith(".tsv") and "\t" in first
    delimiter = "\t" if is_tsv else delimiter_of(first)
    lines.seek(0)
    try:
        names = next(csv.reader(lines, delimiter=delimiter))
        with within_limits(path):
            check_size(max(map(whole.count, (b"\n", b"\r"))), len(names))
        headless = _is_data(names)
        if headless:
            lines.seek(0)
            names = [f"column {n + 1}" for n in range(len(names))]
        frame = _plain_rows(whole, len(names), delimiter, n_above=int(not headless))
        if frame is not None:
            yield _named(frame, names, delimiter, headless=headless)
            return
        reader = pd.read_csv(
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
                frame = reader.read(n_rows)
            yield _named(frame, names, delimiter, headless=headless)
    except StopIteration:  # pandas has no more rows
        return
    except DataError:
        raise
    except pd.errors.EmptyDataError:
        raise DataError(f"{path}: there are no rows below the names of the columns.") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError, csv.Error) as error:
        longer = _longer_row(lines, delimiter)
        what = longer or f": cannot be read as a table: {words_of(error)}"
        raise DataError(f"{path}{what}.") from error


def _named(
    frame: pd.DataFrame, names: list[str], delimiter: str, *, headless: bool
) -> pd.DataFrame:
    frame.columns = pd.Index(names)
    frame.attrs |= {"delimiter": delimiter, "first": 1 if headless else 2}
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
    while n and (frame.iloc[n - 1] == "").all():
        n -= 1
    return n


def _longer_row(lines: IO[str], delimiter: str) -> str:
    """Say which is the first row with more values than there are columns, if one has."""
    lines.seek(0)
    reader = csv.reader(lines, delimiter=delimiter)
    with suppress(csv.Error):  # pandas has its own message
        width = len(next(reader))
        line = reader.line_num + 1
        for row in reader:
            if len(row) > width:
                return f":{line}: line {line} has {len(row)} values, but there are {width} columns"
            line = reader.line_num + 1
    return ""


def _is_data(names: list[str]) -> bool:
    """Tell whether a first line is numbers, but not 0, 1, 2, …, which are names of pandas."""
    try:
        numbers = [float(name) for name in names if name != ""]
    except ValueError:
        return False
    return bool(numbers) and numbers != list(map(float, range(len(numbers))))


_READERS: dict[str, Callable[[bytes, str], pd.DataFrame]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".txt": _read_text,
    ".xlsx": read_workbook,
    ".json": read_records,
    ".jsonl": read_records,
    ".ndjson": read_records,
    ".parquet": read_parquet,
    ".npz": read_arrays,
    ".npy": read_array,
    ".arff": _read_arff,
}


def read_frames(
    path: str, sheet: str | None = None, header: int | None = None
) -> Iterator[pd.DataFrame]:
    """Read a table as `read_frame` does, some rows at a time where the format allows it.

    Their index is the number of the row in the file.
    """
    with _reading(path) as (ending, place):
        if _READERS[ending] is _read_text:
            frames = _frames_of_text(path, place)
        elif ending == ".parquet":
            frames = frames_of_parquet(path, place)
        else:
            frames = parts_of(read_frame(path, sheet, header))
        for frame in frames:
            frame.attrs["folder"] = os.path.dirname(path)
            yield frame
