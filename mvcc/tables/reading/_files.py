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
from mvcc.tables.reading._arrays import read_array, read_arrays
from mvcc.tables.reading._parquet import (
    frame_of_parquet,
    parquet_in,
    read_parquet,
    reading_parquet,
    rows_at_a_time,
)
from mvcc.tables.reading._workbooks import read_records, read_workbook

_MOST_SHOWN = 1000  # characters of a path
_TEXT = (".csv", ".tsv", ".txt")
_NOT_PLAIN = (b'"', b"\r", b"\0", "\ufeff".encode())  # libraries read these in ways of their own


def read_frame(path: str, sheet: str | None = None, header: int | None = None) -> pd.DataFrame:
    """Read a table; the ending of its name tells the format.

    A workbook may have several sheets, and rows above that of the names: `read_workbook`.

    Columns of a text file are text, to the letter, so that an id stays what it is ("007").
    Numbers of the other formats are numbers.

    Returns: its index is the number of the row; ``attrs["lines"]`` tells in which line of a text
    file the first row is, ``attrs["delimiter"]`` what separates its columns, ``attrs["index"]``
    which column names the rows, ``attrs["beside"]`` which ones lie beside those to be clustered,
    ``attrs["encoding"]`` how a text file is encoded, ``attrs["folder"]`` where the file is,
    ``attrs["notes"]`` what must be known of it.
    Raises DataError: if the file is missing, of another format, or damaged; the message names
    file, line where there is one, and what to do.
    """
    ending = _known_ending(path)
    with _reading(path), without_words_of_libraries():
        # never by name: some libraries take names for addresses on the network, or read whole
        # folders
        content, place = content_of(path), clipped(path, _MOST_SHOWN)
        if ending == ".xlsx":
            frame = read_workbook(content, place, sheet=sheet, header=header)
        else:
            frame = _READERS[ending](content, place)
    frame.attrs["folder"] = os.path.dirname(path)
    return frame


@contextmanager
def without_words_of_libraries() -> Iterator[None]:
    """Keep back a library's warnings about a file: mvcc reports what matters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _known_ending(path: str) -> str:
    """Return the ending of a file's name, which tells its format; refuse folders and others."""
    place = clipped(path, _MOST_SHOWN)
    ending = Path(path).suffix.lower()
    if os.path.isdir(path):
        raise DataError(f"{place}: this is a folder; name a file.")
    if ending not in _READERS:
        what = repr(clipped(ending)) if ending else "of a name without an ending"
        raise DataError(
            f"{place}: the format {what} is not known. Known endings: {', '.join(_READERS)}."
        )
    return ending


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Say of a table that is missing or cannot be read what to do."""
    place = clipped(path, _MOST_SHOWN)
    try:
        yield
    except FileNotFoundError:
        others = Path(path).parent.glob("*")
        there = [other.name for other in others if other.suffix.lower() in _READERS]
        guess = nearest(Path(path).name, there)
        raise DataError(f"{place}: there is no such file{guess}") from None
    except (OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{place}: cannot be read: {reason}.") from error


def _read_text(content: bytes, path: str) -> pd.DataFrame:
    read = read_text(content, path, DataError)
    text = read.text
    with within_limits(path):
        check_lines(content)
    n_lines = max(content.count(mark) for mark in (b"\n", b"\r"))
    # StringIO would take four bytes for each character
    whole = text.encode()
    lines = io.TextIOWrapper(io.BytesIO(whole), "utf-8", newline="")
    frame = next(_text_frames(lines, path, n_lines=n_lines, whole=whole))
    frame.attrs |= {"encoding": read.encoding, "notes": read.notes(path)}
    frame = frame.iloc[: _n_filled(frame)]
    # a delimiter at the end of every line makes a column of nothing
    names = enumerate(frame.columns)
    frame = frame.iloc[:, [n for n, name in names if name.strip() or any(frame.iloc[:, n])]]
    first = frame.attrs.pop("first")
    if text.rstrip().count("\n") + 2 - first == len(frame):  # no value has line breaks
        frame.attrs["lines"] = first
    return frame


def _text_frames(
    lines: IO[str],
    path: str,
    n_rows: int | None = None,
    *,
    n_lines: int = 0,
    whole: bytes = b"",
) -> Iterator[pd.DataFrame]:
    """Give the rows of a text file of so many lines, all at once, or some at a time.

    `whole`: the same text, which may be read faster.

    Their index is the number of the row; ``attrs["delimiter"]`` tells what separates the columns,
    and ``attrs["first"]`` in which line row 0 is.
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
            check_size(n_lines, len(names))
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
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)
                frame = reader.read(n_rows)
            yield _named(frame, names, delimiter, headless=headless)
            if n_rows is None:
                return
    except StopIteration:  # pandas has no more rows
        return
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
    """Return what pandas reads below so many lines, in a tenth of the time, if it needs no care.

    None: if there is a quote, a row of another length, or no pyarrow.
    """
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


def _read_arff(content: bytes, path: str) -> pd.DataFrame:
    attributes, rows, lines = parse_arff(decoded(content, path, DataError), path)
    with within_limits(path):
        check_size(len(rows), len(attributes))
    frame = pd.DataFrame(rows, columns=[attribute.name for attribute in attributes], dtype="str")
    if rows and lines[-1] - lines[0] == len(rows) - 1:  # nothing stands between the rows
        frame.attrs["lines"] = lines[0]
    return frame


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

    Returns: the index is the number of the row in the file, ``attrs["lines"]`` the line of the
    first row where it is known, ``attrs["folder"]`` where the file is.
    Raises DataError: as `read_frame`, some only when the rows before have been given.
    """
    ending, place = _known_ending(path), clipped(path, _MOST_SHOWN)
    with _reading(path):
        if ending in _TEXT:
            frames = _of_text(path, place)
        elif ending == ".parquet":
            frames = _of_parquet(path, place)
        else:
            frames = _parts(read_frame(path, sheet, header))
        for frame in frames:
            frame.attrs["folder"] = os.path.dirname(path)
            yield frame


def _of_text(path: str, place: str) -> Iterator[pd.DataFrame]:
    lines = _Lines(path, place)
    encoding = encoding_of(lines, place, DataError)
    if encoding == UTF_16:
        yield from _parts(read_frame(path))
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


def _of_parquet(path: str, place: str) -> Iterator[pd.DataFrame]:
    n_before = 0
    with reading_parquet(place), opened(path) as source:
        file = parquet_in(source)
        for batch in file.iter_batches(rows_at_a_time(len(file.schema_arrow))):
            frame = frame_of_parquet(batch, place)
            frame.index = pd.RangeIndex(n_before, n_before + len(frame))
            n_before += len(frame)
            yield frame


def _parts(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    size = rows_at_a_time(frame.shape[1])
    for start in range(0, len(frame), size):
        part = frame.iloc[start : start + size]
        if "lines" in frame.attrs:
            part.attrs["lines"] = frame.attrs["lines"] + start
        yield part
