"""Files of rows and columns, of many formats, as data frames: whole, or some rows at a time."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from mvcc._utils.contexts import without_warnings
from mvcc._utils.messages import clipped, nearest, shown
from mvcc._utils.reading import (
    check_size,
    check_unpacked,
    check_zip,
    content_of,
    in_lines,
    parse_json,
    within_limits,
)
from mvcc._utils.text import decoded, parse_arff
from mvcc.constraints import ConstraintFile
from mvcc.exceptions import DataError
from mvcc.tables._layout import CONFIG
from mvcc.tables.reading._parquet import frames_of_parquet, parts_of, read_parquet
from mvcc.tables.reading._problems import reading_as
from mvcc.tables.reading._rows import framed, id_texts
from mvcc.tables.reading._text_tables import frames_of_text, read_text_table
from mvcc.tables.reading._workbooks import read_workbook

_MOST_SHOWN = 1000  # characters of a path
_MARK = b"\x93NUMPY"  # that arrays begin with


def read_frame(
    path: str, sheet: str | None = None, header: int | None = None, view: str = "VIEW"
) -> pd.DataFrame:
    """Read a table; the ending of its name tells the format. Text files have texts: 007 is no 7.

    ``attrs`` tell the "delimiter" of a text file, the line of the names ("header") and of each row
    ("lines"), which column names rows ("index"), which are no features ("beside"), "folder",
    "sheet", how many digits a workbook shows of numbers ("widths"), how many rows of units a text
    file has ("n_units") and "notes". Messages name the ``view`` in options; "" is a file of pairs,
    which is not one.
    """
    # mvcc reports what matters of a file; libraries may warn of more
    with _reading(path) as (ending, location), without_warnings(Warning):
        # never by name: some libraries take names for addresses on the network, or read whole
        # folders
        content = content_of(path)
        if ending == ".xlsx":
            frame = read_workbook(content, location, sheet=sheet, header=header, view=view)
        else:
            frame = _READERS[ending](content, location)
    frame.attrs["folder"] = os.path.dirname(path)
    return frame


def read_pairs_of(path: str) -> pd.DataFrame:
    """Read a file of matches or constraints, for which nobody can name a sheet."""
    return read_frame(path, view="")


def read_constraints(path: str) -> ConstraintFile:
    """Read a file of constraints: text, or a table of any other format."""
    if _READERS.get(Path(path).suffix.lower(), read_text_table) is read_text_table:
        return ConstraintFile.read(path)
    frame = read_pairs_of(path)
    columns = [id_texts(values) for _, values in frame.items()]
    lines = np.asarray(frame.attrs.get("lines", frame.index)).tolist()
    header = frame.attrs.get("header", 1), list(map(str, frame.columns))
    records = zip(lines, map(list, zip(*columns, strict=True)), strict=True)
    return ConstraintFile.of(path, chain([header], records), notes=frame.attrs.get("notes", ()))


@contextmanager
def _reading(path: str) -> Iterator[tuple[str, str]]:
    """Give the ending of a table and what messages call it; say why it cannot be read."""
    ending, location = Path(path).suffix.lower(), clipped(path, _MOST_SHOWN)
    if os.path.exists(config := os.path.join(path, CONFIG)):
        raise DataError(
            f"{location}: this is a folder. Name the config in it, {clipped(config, _MOST_SHOWN)};"
            " mvcc match takes a folder of results with --from."
        )
    if os.path.isdir(path):
        raise DataError(
            f"{location}: this is a folder; name a file. Only views of mvcc cluster and mvcc"
            " predict may be folders of Parquet files; beside one, say what each file is: --view"
            " NAME=FILE, --match VIEW:VIEW=FILE, --constraints VIEW=FILE."
        )
    if ending not in _READERS:
        description = repr(clipped(ending)) if ending else "of a name without an ending"
        unpack = "Unpack the file. " if ending in _PACKED else ""
        raise DataError(
            f"{location}: the format {description} is not known. {unpack}Known endings:"
            f" {', '.join(_READERS)}. Save the table as one of them."
        )
    try:
        yield ending, location
    except FileNotFoundError:
        siblings = Path(path).parent.glob("*")
        names = [sibling.name for sibling in siblings if sibling.suffix.lower() in _READERS]
        guess = nearest(Path(path).name, names)
        raise DataError(f"{location}: there is no such file{guess}") from None
    except (OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{location}: cannot be read: {reason}.") from error


def _read_arff(content: bytes, path: str) -> pd.DataFrame:
    attributes, rows, lines = parse_arff(decoded(content, path, DataError), path)
    with within_limits(path):
        check_size(len(rows), len(attributes))
    frame = pd.DataFrame(rows, columns=[attribute.name for attribute in attributes], dtype="str")
    frame.attrs["lines"] = in_lines(lines)
    return frame


def read_records(content: bytes, path: str, exact: bool = False) -> pd.DataFrame:
    """Read JSON, an object in each line, or a list of them; ``exact`` as `read_workbook`."""
    text = decoded(content, path, DataError)
    example = 'such as {"id": "a", "size": 1}'
    if text.lstrip().startswith("["):
        records = [*enumerate(_parsed(text, path), 1)]
        unit = "entry"
    else:
        lines = enumerate(text.splitlines(), 1)
        records = [(n, _parsed(line, path, n)) for n, line in lines if line.strip()]
        unit = "line"
    if bad := [position for position, record in records if not isinstance(record, dict)]:
        words = f"{path}: {unit} {bad[0]} is no JSON object, {example}. Write one for each row."
        raise DataError(words)
    if len(records) == 1 and {*map(type, records[0][1].values())} in ({list}, {dict}):
        words = f"{path}: it holds one object for all rows. Write one for each row, {example}."
        raise DataError(words)
    names = list(dict.fromkeys(name for _, record in records for name in record))
    with within_limits(path):
        check_size(len(records), len(names))
    frame = framed(names, [[record.get(name) for name in names] for _, record in records], exact)
    if unit == "line":
        frame.attrs["lines"] = in_lines([line for line, _ in records])
    return frame


def _parsed(text: str, path: str, line: int = 0) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        reason, location = f"cannot be read: {error}", f"{path}:{line or 1}"
        if isinstance(error, json.JSONDecodeError):
            reason, location = f"this is no JSON: {error.msg}", f"{path}:{line or error.lineno}"
            if error.msg == "Extra data" or (line and error.pos >= len(text.rstrip())):
                reason = "the object must end in its line, or stand in a list of objects [{…}, {…}]"
        raise DataError(f"{location}: {clipped(reason, 120)}.") from error


def read_arrays(content: bytes, path: str) -> pd.DataFrame:
    """Read an array of two dimensions, and in an NPZ file single columns beside it."""
    if not content.startswith((b"PK", _MARK)):
        raise DataError(
            f"{path}: this is not a file of arrays, such as numpy.save and numpy.savez write."
        )
    with reading_as("a file of NumPy arrays", path):
        arrays = _loaded(content, path)
    blocks = [name for name, array in arrays.items() if array.ndim == 2]
    if len(blocks) != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise DataError(
            f"{path}: {len(blocks)} of its arrays are two-dimensional; there must be one, with a"
            f" row per instance. It holds {clipped(shapes, 300) or 'nothing'}."
        )
    table = arrays[blocks[0]]
    n_rows = len(table)
    beside = {name: array for name, array in arrays.items() if array.ndim == 1}
    with within_limits(path):
        check_size(n_rows, table.shape[1] + len(beside))
    names = [f"column {n + 1}" for n in range(table.shape[1])]
    block = pd.DataFrame(_checked(table, path, blocks[0]), columns=names)
    for name, array in beside.items():
        if len(array) != n_rows:
            raise DataError(
                f"{path}: {shown(name)} has {len(array)} values, but {blocks[0]} has {n_rows} rows."
            )
    columns = {name: _checked(array, path, name) for name, array in beside.items()}
    frame = pd.concat([block, pd.DataFrame(columns, index=block.index)], axis=1)
    frame.attrs["beside"] = list(beside)
    return frame


def _loaded(content: bytes, path: str) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of an NPZ file by name, or the one of an NPY file."""
    if content.startswith(_MARK):
        _check_header(io.BytesIO(content), path)
        return {"the array": np.load(io.BytesIO(content), allow_pickle=False)}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        check_zip(archive, len(content))
        for member in archive.namelist():
            with archive.open(member) as source:
                _check_header(source, path)
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        named = {name: file[name] for name in file.files}
    return {name: arr for name, arr in named.items() if isinstance(arr, np.ndarray) and arr.ndim}


def _check_header(source: IO[bytes], path: str) -> None:
    """Refuse an array by what its header says; others are left to the reader."""
    if source.read(len(_MARK)) != _MARK:
        return
    header = np.lib.format.read_array_header_2_0
    if source.read(2) == b"\x01\x00":
        header = np.lib.format.read_array_header_1_0
    shape, _, dtype = header(source)
    if min(shape, default=0) < 0:
        raise ValueError(f"an array claims the shape {shape}")
    if dtype.hasobject:
        raise DataError(
            f"{path}: it holds Python objects, which are not read, since they could run anything."
            " Save the array as numbers or text: array.astype(float) or array.astype(str)."
        )
    n_rows, n_columns = [*shape, 1, 1][:2]
    check_size(n_rows, n_columns)
    check_unpacked(int(np.prod([1, *shape], dtype=object)) * dtype.itemsize)


def _checked(array: np.ndarray[Any, Any], path: str, name: str) -> np.ndarray[Any, Any]:
    """Return an array of numbers or of texts, bytes decoded, in the byte order of this machine."""
    if array.dtype.kind not in "iufbUS":
        raise DataError(f"{path}: {name} holds {array.dtype}, neither numbers nor text.")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            doubles = array.astype(np.float64)
        if np.array_equal(array, doubles, equal_nan=True):
            return doubles
    if array.dtype.kind == "U" and array.dtype.itemsize:
        # four bytes for each character, of which many are none
        codes = np.ascontiguousarray(array).view(np.uint32)
        if ((codes > sys.maxunicode) | ((codes >= 0xD800) & (codes <= 0xDFFF))).any():
            raise DataError(f"{path}: {shown(name)} holds numbers that are no characters.")
    if array.dtype.kind == "S":
        try:
            return np.char.decode(array, "utf-8")
        except UnicodeDecodeError as error:
            words = f"{path}: {shown(name)} holds bytes that are no text in UTF-8."
            raise DataError(words) from error
    return array


_PACKED = (".gz", ".zip", ".bz2", ".xz", ".zst", ".7z", ".tgz", ".tar")
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
    ".npy": read_arrays,
    ".arff": _read_arff,
}


def read_frames(
    path: str, sheet: str | None = None, header: int | None = None
) -> Iterator[pd.DataFrame]:
    """Read a table as `read_frame` does, some rows at a time if its format allows it."""
    with _reading(path) as (ending, location):
        if _READERS[ending] is read_text_table:
            frames = frames_of_text(path, location)
        elif ending == ".parquet":
            frames = frames_of_parquet(path, location)
        else:
            frames = parts_of(read_frame(path, sheet, header))
        first = next(frames, None)
        if first is None:
            first = read_frame(path, sheet, header)
        for frame in chain([first], frames):
            frame.attrs["folder"] = os.path.dirname(path)
            yield frame
