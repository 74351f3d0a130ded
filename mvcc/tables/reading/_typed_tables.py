"""Tables whose cells have types of their own: JSON, and arrays of NumPy."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Iterable
from typing import IO, Any

import numpy as np
import pandas as pd

from mvcc._utils.messages import clipped, shown
from mvcc._utils.reading import (
    check_size,
    check_unpacked,
    check_zip,
    in_lines,
    parse_json,
    within_limits,
)
from mvcc._utils.text import decoded
from mvcc.exceptions import DataError
from mvcc.tables.reading._problems import reading_as

_MARK = b"\x93NUMPY"  # that arrays begin with


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


def framed(names: list[str], rows: Iterable[list[Any]], exact: bool) -> pd.DataFrame:
    """Return a table, each column of one type unless exact, without those of nothing."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    pairs = zip(names, columns, strict=True)
    kept = [(name, data) for name, data in pairs if name or any(cell is not None for cell in data)]
    if not kept:
        return pd.DataFrame()
    typed = [pd.Series(data, dtype=None if data and not exact else object) for _, data in kept]
    return pd.concat(typed, axis=1).set_axis([name for name, _ in kept], axis=1)


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
