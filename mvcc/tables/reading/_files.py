"""Files of rows and columns.

CSV, Excel, JSON, Parquet, NPZ, NPY and ARFF, each read into a data frame.
"""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pandas as pd

from mvcc._utils.messages import clipped, nearest, words_of
from mvcc._utils.reading import MOST_LINE, check_lines, check_size, content_of, within_limits
from mvcc._utils.text import decoded, delimiter_of, parse_arff, read_text
from mvcc.exceptions import DataError
from mvcc.tables.reading._arrays import read_array, read_arrays
from mvcc.tables.reading._parquet import read_parquet
from mvcc.tables.reading._workbooks import read_records, read_workbook

MOST_SHOWN = 1000  # characters of a path


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
    ending = known_ending(path)
    with reading(path), without_words_of_libraries():
        # never by name: some libraries take names for addresses on the network, or read whole
        # folders
        content, place = content_of(path), clipped(path, MOST_SHOWN)
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


def known_ending(path: str) -> str:
    """Return the ending of the name of a table, which tells its format.

    Refuse folders and other formats.
    """
    place = clipped(path, MOST_SHOWN)
    ending = Path(path).suffix.lower()
    if os.path.isdir(path):
        raise DataError(f"{place}: this is a folder; name a file.")
    if ending not in _READERS:
        raise DataError(
            f"{place}: the format {shown_ending(ending)} is not known. Known endings:"
            f" {', '.join(_READERS)}."
        )
    return ending


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Say of a table that is missing or cannot be read what to do."""
    place = clipped(path, MOST_SHOWN)
    try:
        yield
    except FileNotFoundError:
        there = [
            other.name for other in Path(path).parent.glob("*") if other.suffix.lower() in _READERS
        ]
        raise DataError(
            f"{place}: there is no such file{nearest(Path(path).name, there)}"
        ) from None
    except (OSError, MemoryError) as error:
        raise DataError(
            f"{place}: cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from error


def shown_ending(ending: str) -> str:
    return repr(clipped(ending)) if ending else "of a name without an ending"


def _read_text(content: bytes, path: str) -> pd.DataFrame:
    read = read_text(content, path, DataError)
    text = read.text
    with within_limits(path):
        check_lines(content)
    frame = next(text_frames(io.StringIO(text, newline=""), path, n_lines=_n_lines(content)))
    frame.attrs |= {"encoding": read.encoding, "notes": read.notes(path)}
    frame = frame.iloc[: n_filled(frame)]
    # a delimiter at the end of every line makes a column of nothing
    frame = frame.loc[
        :,
        [
            bool(name.strip()) or (frame.iloc[:, n] != "").any()
            for n, name in enumerate(frame.columns)
        ],
    ]
    first = frame.attrs.pop("first")
    if text.rstrip().count("\n") + 2 - first == len(frame):  # no value has line breaks
        frame.attrs["lines"] = first
    return frame


def _n_lines(content: bytes) -> int:
    return max(content.count(mark) for mark in (b"\n", b"\r"))


def text_frames(
    lines: IO[str], path: str, n_rows: int | None = None, *, n_lines: int = 0
) -> Iterator[pd.DataFrame]:
    """Give the rows of a text file, all at once, of which there are so many lines, or some at a
    time.

    Their index is the number of the row; ``attrs["delimiter"]`` tells what separates the columns,
    and ``attrs["first"]`` in which line row 0 is.
    """
    first = lines.readline(MOST_LINE)
    if not first.strip():
        raise DataError(f"{path}:1: the first line is empty; it must name the columns.")
    delimiter = _delimiter(first, path)
    lines.seek(0)
    try:
        names = next(csv.reader(lines, delimiter=delimiter))
        with within_limits(path):
            check_size(n_lines, len(names))
        headless = _is_data(names)
        if headless:
            lines.seek(0)
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
            frame.columns = pd.Index(
                [f"column {n + 1}" for n in range(len(names))] if headless else names
            )
            frame.attrs |= {"delimiter": delimiter, "first": 1 if headless else 2}
            yield frame
            if n_rows is None:
                return
    except StopIteration:  # pandas has no more rows
        return
    except pd.errors.EmptyDataError:
        raise DataError(f"{path}: there are no rows below the names of the columns.") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError, csv.Error) as error:
        where, what = _longer_row(lines, delimiter) or (
            "",
            f"cannot be read as a table: {words_of(error)}",
        )
        raise DataError(f"{path}{where}: {what}.") from error


def n_filled(frame: pd.DataFrame) -> int:
    """Return the number of rows without those at the end that hold nothing, which are line
    breaks.
    """
    n = len(frame)
    while n and (frame.iloc[n - 1] == "").all():
        n -= 1
    return n


def _delimiter(first: str, path: str) -> str:
    """Return what separates the columns.

    Tabs in the first line of a TSV file, else what that has most often.
    """
    is_tsv = path.lower().endswith(".tsv") and "\t" in first
    return "\t" if is_tsv else delimiter_of(first)


def _longer_row(lines: IO[str], delimiter: str) -> tuple[str, str] | None:
    """Find the first row with more values than there are columns."""
    lines.seek(0)
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        width = len(next(reader))
        line = reader.line_num + 1
        for row in reader:
            if len(row) > width:
                return (
                    f":{line}",
                    f"line {line} has {len(row)} values, but there are {width} columns",
                )
            line = reader.line_num + 1
    except csv.Error:
        pass  # the reader has its own message
    return None


def _is_data(names: list[str]) -> bool:
    """Tell whether a first line is a row of numbers, and no names.

    0, 1, 2, … are names that pandas gives.
    """
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
