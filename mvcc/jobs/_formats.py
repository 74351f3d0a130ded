"""Files of rows and columns: CSV, Excel, JSON, Parquet, NPZ, NPY and ARFF, each read into a data frame."""

from __future__ import annotations

import csv
import io
import os
import re
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from mvcc._utils.arff import parse_arff
from mvcc._utils.files import decoded
from mvcc._utils.messages import clipped, nearest, shown
from mvcc.exceptions import DataError
from mvcc.jobs._workbooks import read_records, read_workbook

MAX_HEADER = 2**20  # bytes of a first line; more is no table
MOST_SHOWN = 1000  # characters of a path
# what NumPy and zipfile raise for files that are cut off or changed
_DAMAGE = (
    *(ValueError, TypeError, EOFError, LookupError, RuntimeError, SyntaxError),
    *(tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)


def read_frame(path: str) -> pd.DataFrame:
    """Read a table; the ending of its name tells the format.

    Columns of a text file are text, to the letter, so that an id stays what it is ("007"). Numbers of the other formats
    are numbers.

    Returns
    -------
    DataFrame
        Its index is the number of the row; ``attrs["lines"]`` tells in which line of a text file the first row is,
        ``attrs["delimiter"]`` what separates its columns, ``attrs["index"]`` which column names the rows,
        ``attrs["beside"]`` which ones lie beside those to be clustered, ``attrs["notes"]`` what must be known of it.

    Raises
    ------
    DataError
        If the file is missing, of another format, or damaged; the message names file, line where there is one, and
        what to do.
    """
    ending = known_ending(path)
    with reading(path):
        # never by name: some libraries take names for addresses on the network, or read whole folders
        return _READERS[ending](Path(path).read_bytes(), clipped(path, MOST_SHOWN))


def known_ending(path: str) -> str:
    """Return the ending of the name of a table, which tells its format; refuse folders and other formats."""
    place = clipped(path, MOST_SHOWN)
    ending = Path(path).suffix.lower()
    if os.path.isdir(path):
        raise DataError(f"{place}: this is a folder; name a file.")
    if ending not in _READERS:
        raise DataError(
            f"{place}: the format {shown_ending(ending)} is not known. Known endings: {', '.join(_READERS)}."
        )
    return ending


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Say of a table that is missing or cannot be read what to do."""
    place = clipped(path, MOST_SHOWN)
    try:
        yield
    except FileNotFoundError:
        there = [other.name for other in Path(path).parent.glob("*") if other.suffix.lower() in _READERS]
        raise DataError(f"{place}: there is no such file{nearest(Path(path).name, there)}") from None
    except (OSError, MemoryError) as error:
        raise DataError(f"{place}: cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def shown_ending(ending: str) -> str:
    return repr(clipped(ending)) if ending else "of a name without an ending"


def _read_text(content: bytes, path: str) -> pd.DataFrame:
    text = decoded(content, path, DataError)
    frame = next(text_frames(io.StringIO(text, newline=""), path))
    frame = frame.iloc[: n_filled(frame)]
    # a delimiter at the end of every line makes a column of nothing
    frame = frame.loc[:, [bool(name.strip()) or (frame.iloc[:, n] != "").any() for n, name in enumerate(frame.columns)]]
    first = frame.attrs.pop("first")
    if text.rstrip().count("\n") + 2 - first == len(frame):  # no value has line breaks
        frame.attrs["lines"] = first
    return frame


def text_frames(lines: IO[str], path: str, n_rows: int | None = None) -> Iterator[pd.DataFrame]:
    """Give the rows of a text file, all at once or some at a time.

    Their index is the number of the row; ``attrs["delimiter"]`` tells what separates the columns, and
    ``attrs["first"]`` in which line row 0 is.
    """
    first = lines.readline()
    if not first.strip():
        raise DataError(f"{path}:1: the first line is empty; it must name the columns.")
    if len(first) > MAX_HEADER:
        raise DataError(f"{path}:1: the first line has {len(first)} characters; this is no table.")
    delimiter = _delimiter(first, path)
    lines.seek(0)
    try:
        names = next(csv.reader(lines, delimiter=delimiter))
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
            frame.columns = pd.Index([f"column {n + 1}" for n in range(len(names))] if headless else names)
            frame.attrs |= {"delimiter": delimiter, "first": 1 if headless else 2}
            yield frame
            if n_rows is None:
                return
    except StopIteration:  # pandas has no more rows
        return
    except pd.errors.EmptyDataError:
        raise DataError(f"{path}: there are no rows below the names of the columns.") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError, csv.Error) as error:
        where, what = _longer_row(lines, delimiter) or ("", f"cannot be read as a table: {_words(error)}")
        raise DataError(f"{path}{where}: {what}.") from error


def n_filled(frame: pd.DataFrame) -> int:
    """Return the number of rows without those at the end that hold nothing, which are line breaks."""
    n = len(frame)
    while n and (frame.iloc[n - 1] == "").all():
        n -= 1
    return n


def _delimiter(first: str, path: str) -> str:
    """Return what separates the columns: whatever is in the first line most often, outside of quotes."""
    bare = re.sub(r'"[^"]*"?', "", first)
    if path.lower().endswith(".tsv") and "\t" in bare:
        return "\t"
    return max((",", ";", "\t"), key=bare.count)


def _longer_row(lines: IO[str], delimiter: str) -> tuple[str, str] | None:
    """Find the first row with more values than there are columns."""
    lines.seek(0)
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        width = len(next(reader))
        line = reader.line_num + 1
        for row in reader:
            if len(row) > width:
                return f":{line}", f"line {line} has {len(row)} values, but there are {width} columns"
            line = reader.line_num + 1
    except csv.Error:
        pass  # this is said in the reader's words
    return None


def _is_data(names: list[str]) -> bool:
    """Tell whether a first line is a row of numbers, and no names; 0, 1, 2, … are names that pandas gives."""
    try:
        numbers = [float(name) for name in names if name != ""]
    except ValueError:
        return False
    return bool(numbers) and numbers != list(map(float, range(len(numbers))))


def _read_parquet(content: bytes, path: str) -> pd.DataFrame:
    with reading_parquet(path):
        return frame_of_parquet(pd.read_parquet(io.BytesIO(content), engine="pyarrow"))


@contextmanager
def reading_parquet(path: str) -> Iterator[None]:
    """Say of a Parquet file that cannot be read why, also where pyarrow is not installed."""
    pyarrow = pyarrow_for(path)
    try:
        yield
    except (pyarrow.ArrowException, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: cannot be read as Parquet: {_words(error)}.") from error


def pyarrow_for(path: str) -> Any:
    """Return the package that reads and writes Parquet files."""
    try:
        import pyarrow
    except ImportError:
        raise DataError(f"{path}: Parquet needs the package pyarrow: pip install pyarrow") from None
    return pyarrow


def frame_of_parquet(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what pandas makes of a Parquet file, or of some of its rows, with its index as a column."""
    frame.attrs = {}  # pandas stores those of whoever wrote the file
    if isinstance(frame.index, pd.MultiIndex):
        frame = frame.reset_index()
    elif not isinstance(frame.index, pd.RangeIndex):
        name = str(frame.index.name or "")
        frame = frame.reset_index(names=name)
        frame.attrs["index"] = name
    frame.columns = frame.columns.map(str)
    return frame


def _read_arrays(content: bytes, path: str) -> pd.DataFrame:
    """Read an NPZ file: two-dimensional arrays are blocks of columns, one-dimensional ones are single columns."""
    if not content.startswith(b"PK"):
        raise DataError(f"{path}: this is no NPZ file, such as numpy.savez writes.")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except _DAMAGE as error:
        raise _not_numpy(path, error) from error
    arrays = {name: array for name, array in arrays.items() if isinstance(array, np.ndarray) and array.ndim}
    blocks = [name for name, array in arrays.items() if array.ndim == 2]
    if len(blocks) != 1:
        raise DataError(
            f"{path}: {len(blocks)} of its arrays are two-dimensional; there must be one, with a row per instance. It "
            f"holds {clipped(', '.join(f'{name} {array.shape}' for name, array in arrays.items()), 300) or 'nothing'}."
        )
    n_rows = len(arrays[blocks[0]])
    frame = _frame_of(arrays[blocks[0]], path, blocks[0])
    beside = {name: array for name, array in arrays.items() if array.ndim == 1}
    for name, array in beside.items():
        if len(array) != n_rows:
            raise DataError(f"{path}: {shown(name)} has {len(array)} values, but {blocks[0]} has {n_rows} rows.")
        if name in frame.columns:
            raise DataError(f"{path}: {shown(name)} is the name of a column of {blocks[0]}, too; give it another one.")
        _check_type(array, path, name)
    frame = frame.assign(**beside)
    frame.attrs["beside"] = list(beside)
    return frame


def _read_array(content: bytes, path: str) -> pd.DataFrame:
    if not content.startswith(b"\x93NUMPY"):
        raise DataError(f"{path}: this is no NPY file, such as numpy.save writes.")
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except _DAMAGE as error:
        raise _not_numpy(path, error) from error
    if array.ndim != 2:
        raise DataError(f"{path}: an array with a row per instance is expected, not one of shape {array.shape}.")
    return _frame_of(array, path, "the array")


def _frame_of(array: np.ndarray[Any, Any], path: str, name: str) -> pd.DataFrame:
    _check_type(array, path, name)
    return pd.DataFrame(array, columns=[f"column {n + 1}" for n in range(array.shape[1])])


def _check_type(array: np.ndarray[Any, Any], path: str, name: str) -> None:
    if array.dtype.kind not in "iufbUS":
        raise DataError(f"{path}: {name} holds {array.dtype}, neither numbers nor text.")


def _not_numpy(path: str, error: Exception) -> DataError:
    if "Object arrays" in str(error):
        return DataError(
            f"{path}: it holds Python objects, which are not read, since they could run anything. Save the array as "
            f"numbers or text: array.astype(float) or array.astype(str)."
        )
    return DataError(f"{path}: cannot be read as a file of NumPy arrays: {_words(error)}.")


def _read_arff(content: bytes, path: str) -> pd.DataFrame:
    attributes, rows, lines = parse_arff(decoded(content, path, DataError), path)
    frame = pd.DataFrame(rows, columns=[attribute.name for attribute in attributes], dtype="str")
    if rows and lines[-1] - lines[0] == len(rows) - 1:  # nothing stands between the rows
        frame.attrs["lines"] = lines[0]
    return frame


def _words(error: Exception) -> str:
    words = " ".join(str(error).split())
    for beginning in ("Error tokenizing data. C error: ", "Could not open Parquet input source '<Buffer>': "):
        words = words.removeprefix(beginning)
    return clipped(words, 300).rstrip(".")


_READERS: dict[str, Callable[[bytes, str], pd.DataFrame]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".txt": _read_text,
    ".xlsx": read_workbook,
    ".json": read_records,
    ".jsonl": read_records,
    ".ndjson": read_records,
    ".parquet": _read_parquet,
    ".npz": _read_arrays,
    ".npy": _read_array,
    ".arff": _read_arff,
}
