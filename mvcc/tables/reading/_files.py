"""Files of rows and columns, of many formats, as data frames: whole, or some rows at a time."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from mvcc._utils.messages import clipped, nearest
from mvcc._utils.reading import check_size, content_of, opened, within_limits
from mvcc._utils.text import decoded, parse_arff
from mvcc.exceptions import DataError
from mvcc.tables.reading._arrays import read_array, read_arrays
from mvcc.tables.reading._parquet import (
    frame_of_parquet,
    parquet_in,
    parts_of,
    read_parquet,
    reading_parquet,
    rows_at_a_time,
)
from mvcc.tables.reading._text_tables import frames_of_text, read_text_table
from mvcc.tables.reading._workbooks import read_records, read_workbook

_MOST_SHOWN = 1000  # characters of a path
_TEXT = (".csv", ".tsv", ".txt")


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


def _read_arff(content: bytes, path: str) -> pd.DataFrame:
    attributes, rows, lines = parse_arff(decoded(content, path, DataError), path)
    with within_limits(path):
        check_size(len(rows), len(attributes))
    frame = pd.DataFrame(rows, columns=[attribute.name for attribute in attributes], dtype="str")
    if rows and lines[-1] - lines[0] == len(rows) - 1:  # nothing stands between the rows
        frame.attrs["lines"] = lines[0]
    return frame


_READERS: dict[str, Callable[[bytes, str], pd.DataFrame]] = {
    ".csv": read_text_table,
    ".tsv": read_text_table,
    ".txt": read_text_table,
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
            frames = frames_of_text(path, place)
        elif ending == ".parquet":
            frames = _of_parquet(path, place)
        else:
            frames = parts_of(read_frame(path, sheet, header))
        for frame in frames:
            frame.attrs["folder"] = os.path.dirname(path)
            yield frame


def _of_parquet(path: str, place: str) -> Iterator[pd.DataFrame]:
    n_before = 0
    with reading_parquet(place), opened(path) as source:
        file = parquet_in(source)
        for batch in file.iter_batches(rows_at_a_time(len(file.schema_arrow))):
            frame = frame_of_parquet(batch, place)
            frame.index = pd.RangeIndex(n_before, n_before + len(frame))
            n_before += len(frame)
            yield frame
