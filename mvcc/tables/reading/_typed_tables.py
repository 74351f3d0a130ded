"""Tables whose cells have types of their own: Excel workbooks, JSON, and arrays of NumPy."""

from __future__ import annotations

import datetime
import io
import json
import re
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import IO, Any, TypeAlias

import numpy as np
import pandas as pd

from mvcc._utils.messages import clipped, counted, nearest, shown, words_of
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
from mvcc.tables.reading._problems import option_for
from mvcc.tables.reading._sheets import ERRORS, Sheet, measured, table_in

_Filled: TypeAlias = tuple[Any, Sheet]  # a sheet of openpyxl, and its size

_MANY_TIMES = 10  # as many cells as another sheet has the one that is taken without asking
_LOOKED_AT = 50  # rows, for how their numbers are shown
_ZEROS = re.compile("00+")
_MISTAKES = (AttributeError, TypeError, IndexError, NameError)  # whose words are for programmers
# what NumPy and zipfile raise for files that are cut off or changed
_DAMAGE = (
    *(ValueError, TypeError, EOFError, LookupError, RuntimeError, SyntaxError, OverflowError),
    *(tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)


def read_workbook(
    content: bytes,
    path: str,
    exact: bool = False,
    *,
    sheet: str | None = None,
    header: int | None = None,
) -> pd.DataFrame:
    """Read the table of an Excel workbook, merged cells filled, with the stored values of formulas.

    With ``exact``, each cell keeps its own type; errors are texts, impossible days are numbers.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_zip(archive, len(content))
            parts = [name for name in archive.namelist() if name.endswith((".xml", ".rels"))]
            sizes = {}
            for name in parts:
                with archive.open(name) as source:
                    sizes[name] = measured(source)
        return _read_sheet(content, path, sizes, exact, sheet, header)
    except DataError:
        raise
    except Exception as error:  # a damaged file raises whatever its first odd byte leads to
        words = "a part of it is damaged" if isinstance(error, _MISTAKES) else words_of(error)
        raise DataError(f"{path}: cannot be read as an Excel workbook (.xlsx): {words}.") from error


def _read_sheet(
    content: bytes,
    path: str,
    sizes: Mapping[str, Sheet],
    exact: bool,
    title: str | None,
    header: int | None,
) -> pd.DataFrame:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    sheets = [(sheet, sizes[sheet._worksheet_path]) for sheet in book.worksheets]
    filled = [(sheet, size) for sheet, size in sheets if size.last]
    if not filled:
        raise DataError(f"{path}: all sheets are empty.")
    sheet, size = _sheet_called(filled, title, path) if title else _likely_sheet(filled, path)
    if header is not None and not size.first <= header <= size.last:
        raise DataError(
            f"{path}: row {header} of the sheet {shown(sheet.title)} is empty (`header:`); its"
            f" values are in rows {size.first} to {size.last}."
        )
    rows = _rows_of(sheet, size)
    if exact:
        _undo_false_days(rows, content, sheet, size)
    else:
        _write_zeros(rows, sheet, size)
    grid = table_in(rows, size.first, size.merged, header)
    below = grid.rows
    texts = (value for row in [grid.names, *below] for value in row if isinstance(value, str))
    check_unpacked(sum(map(len, texts)))
    if not exact:
        below = [[None if value in ERRORS else value for value in row] for row in below]
    frame = _frame(grid.names, below, exact)
    frame.attrs |= {"header": grid.header, "lines": in_lines(grid.lines)}
    if len(filled) > 1:
        frame.attrs["sheet"] = sheet.title
    notes = []
    if grid.left_out:
        notes.append(
            f"row {grid.header} of the sheet {shown(sheet.title)} names the columns (`header:` sets"
            f" another one). Left out: {'; '.join(grid.left_out)}."
        )
    if len(filled) > 1 and not title:
        titles = [shown(other.title) for other, _ in filled if other is not sheet]
        others = clipped(", ".join(titles), 200)
        notes.append(
            f"the sheet {shown(sheet.title)} was read, not {others} (`sheet:` names another one)."
        )
    if lost := size.without_values(rows):
        cells = ", ".join(lost[:3]) + (", …" if len(lost) > 3 else "")
        notes.append(
            f"{counted(len(lost), 'formula')} without a stored value ({cells}) counted as missing;"
            " open the file in a spreadsheet program and save it, to store what they give."
        )
    frame.attrs["notes"] = [f"{path}: {note}" for note in notes]
    return frame


def _sheet_called(filled: list[_Filled], title: str, path: str) -> _Filled:
    """Return the sheet of a name; case and blanks around it do not matter."""
    called = {sheet.title.strip().casefold(): (sheet, size) for sheet, size in filled}
    found = called.get(title.strip().casefold())
    if found is None:
        titles = [sheet.title for sheet, _ in filled]
        known = clipped(", ".join(map(shown, titles)), 300)
        raise DataError(
            f"{path}: there is no sheet {shown(title)} with values{nearest(title, titles)} The"
            f" sheets are {known}."
        )
    return found


def _likely_sheet(filled: list[_Filled], path: str) -> _Filled:
    """Return the sheet with the table; hidden ones count only if there are no others."""
    visible = [one for one in filled if one[0].sheet_state == "visible"] or filled
    if len(visible) == 1:
        return visible[0]
    grids = [table_in(_rows_of(sheet, size), size.first, size.merged) for sheet, size in visible]
    tables = [place for place, grid in enumerate(grids) if grid.looks_like_a_table]
    by_size = sorted(tables or range(len(grids)), key=lambda place: -grids[place].n_filled)
    first, *others = by_size
    if tables and others and grids[first].n_filled < _MANY_TIMES * grids[others[0]].n_filled:
        listed = []
        for n in tables:
            n_rows, n_columns = len(grids[n].rows), len(grids[n].names)
            size = f"{counted(n_rows, 'row')} × {counted(n_columns, 'column')}"
            listed.append(f"{shown(visible[n][0].title)} ({size})")
        title = visible[first][0].title
        raise DataError(
            f"{path}: {len(listed)} sheets look like tables: {clipped(', '.join(listed), 300)}."
            f" Name one in its view, such as `sheet: {title}`"
            f" ({option_for('--sheet', 'VIEW', [title])})."
        )
    return visible[first]


def _rows_of(sheet: Any, size: Sheet) -> list[list[Any]]:
    """Return the values of a sheet from its first row with values, also of rows not in the file."""
    n_rows = size.last - size.first + 1
    area = {"min_row": size.first, "max_row": size.last, "min_col": 1, "max_col": size.width}
    rows = [list(row) for row in sheet.iter_rows(**area, values_only=True)]
    return rows + [[None] * size.width for _ in range(n_rows - len(rows))]


def _write_zeros(rows: list[list[Any]], sheet: Any, size: Sheet) -> None:
    """Put zeros before distinct whole numbers whose column has a format such as 00000.

    These are ids. Only the first rows are read a second time, for their formats.
    """
    area = {"min_row": size.first, "max_row": size.first + _LOOKED_AT, "max_col": size.width}
    for place, cells in enumerate(zip(*sheet.iter_rows(**area, min_col=1), strict=True)):
        formats = {cell.number_format for cell in cells if isinstance(cell.value, int | float)}
        if len(formats) != 1 or not _ZEROS.fullmatch(one := formats.pop()):
            continue
        with_numbers = [row for row in rows if isinstance(row[place], int | float)]
        numbers = [row[place] for row in with_numbers]
        are_whole = all(type(number) is int and number >= 0 for number in numbers)
        if are_whole and len(set(numbers)) == len(numbers):
            for row in with_numbers:
                row[place] = f"{row[place]:0{len(one)}}"


def _undo_false_days(rows: list[list[Any]], content: bytes, sheet: Any, size: Sheet) -> None:
    """Put back the numbers of cells that are formatted as days, but lie outside 1900 to 9999."""
    import openpyxl

    if not any(map(_is_false_day, chain.from_iterable(rows))):
        return
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    book._date_formats.clear()  # so that the same cells are numbers
    for row, numbers in zip(rows, _rows_of(book[sheet.title], size), strict=True):
        for place, value in enumerate(row):
            if _is_false_day(value):
                row[place] = numbers[place]


def _is_false_day(value: Any) -> bool:
    """Tell whether a cell may be such a number: openpyxl has an error for the late ones."""
    return value == "#VALUE!" or (isinstance(value, datetime.datetime) and value.year < 1900)


def read_records(content: bytes, path: str, exact: bool = False) -> pd.DataFrame:
    """Read JSON, an object in each line, or a list of them; ``exact`` as `read_workbook`."""
    text = decoded(content, path, DataError)
    if text.lstrip().startswith("["):
        records = [*enumerate(_parsed(text, path), 1)]
        unit = "entry"
    else:
        lines = enumerate(text.splitlines(), 1)
        records = [(n, _parsed(line, path, n)) for n, line in lines if line.strip()]
        unit = "line"
    if bad := [number for number, record in records if not isinstance(record, dict)]:
        raise DataError(
            f'{path}: {unit} {bad[0]} is no JSON object, such as {{"id": "a", "size": 1}}.'
        )
    names = list(dict.fromkeys(name for _, record in records for name in record))
    with within_limits(path):
        check_size(len(records), len(names))
    frame = _frame(names, [[record.get(name) for name in names] for _, record in records], exact)
    if unit == "line":
        frame.attrs["lines"] = in_lines([number for number, _ in records])
    return frame


def _parsed(text: str, path: str, line: int = 0) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        reason, place = f"cannot be read: {error}", f"{path}:{line or 1}"
        if isinstance(error, json.JSONDecodeError):
            reason, place = f"this is no JSON: {error.msg}", f"{path}:{line or error.lineno}"
        raise DataError(f"{place}: {clipped(reason, 120)}.") from error


def _frame(names: list[str], rows: Iterable[list[Any]], exact: bool) -> pd.DataFrame:
    """Return a table, each column of one type unless exact, without those of nothing."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    named = zip(names, columns, strict=True)
    kept = [(name, own) for name, own in named if name or any(cell is not None for cell in own)]
    if not kept:
        return pd.DataFrame()
    typed = [pd.Series(own, dtype=None if own and not exact else object) for _, own in kept]
    frame = pd.concat(typed, axis=1)
    frame.columns = pd.Index([name for name, _ in kept])
    return frame


def read_arrays(content: bytes, path: str) -> pd.DataFrame:
    """Read an NPZ file: an array of two dimensions, and single columns beside it."""
    if not content.startswith(b"PK"):
        raise DataError(f"{path}: this is no NPZ file, such as numpy.savez writes.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_zip(archive, len(content))
            for member in archive.namelist():
                with archive.open(member) as source:
                    _check_header(source)
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except _DAMAGE as error:
        raise _not_numpy(path, error) from error
    arrays = {n: one for n, one in arrays.items() if isinstance(one, np.ndarray) and one.ndim}
    blocks = [name for name, array in arrays.items() if array.ndim == 2]
    if len(blocks) != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise DataError(
            f"{path}: {len(blocks)} of its arrays are two-dimensional; there must be one, with a"
            f" row per instance. It holds {clipped(shapes, 300) or 'nothing'}."
        )
    n_rows = len(arrays[blocks[0]])
    beside = {name: array for name, array in arrays.items() if array.ndim == 1}
    block = _frame_of(arrays[blocks[0]], path, blocks[0], len(beside))
    for name, array in beside.items():
        if len(array) != n_rows:
            raise DataError(
                f"{path}: {shown(name)} has {len(array)} values, but {blocks[0]} has {n_rows} rows."
            )
        if name in block.columns:
            raise DataError(
                f"{path}: {shown(name)} is the name of a column of {blocks[0]}, too; give it"
                " another one."
            )
    columns = {name: _checked(array, path, name) for name, array in beside.items()}
    frame = pd.concat([block, pd.DataFrame(columns, index=block.index)], axis=1)
    frame.attrs["beside"] = list(beside)
    return frame


def read_array(content: bytes, path: str) -> pd.DataFrame:
    """Read an NPY file, which holds one two-dimensional array."""
    if not content.startswith(b"\x93NUMPY"):
        raise DataError(f"{path}: this is no NPY file, such as numpy.save writes.")
    try:
        _check_header(io.BytesIO(content))
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except _DAMAGE as error:
        raise _not_numpy(path, error) from error
    if array.ndim != 2:
        raise DataError(
            f"{path}: an array with a row per instance is expected, not one of shape {array.shape}."
        )
    frame = _frame_of(array, path, "the array")
    frame.attrs["beside"] = []
    return frame


def _check_header(source: IO[bytes]) -> None:
    """Refuse an array by what its header says; other objects are not looked at."""
    if source.read(6) != b"\x93NUMPY":
        return
    header = np.lib.format.read_array_header_2_0
    if source.read(2) == b"\x01\x00":
        header = np.lib.format.read_array_header_1_0
    shape, _, dtype = header(source)
    if min(shape, default=0) < 0:
        raise ValueError(f"an array claims the shape {shape}")
    n_rows, n_columns = [*shape, 1, 1][:2]
    check_size(n_rows, n_columns)
    check_unpacked(int(np.prod([1, *shape], dtype=object)) * dtype.itemsize)


def _frame_of(array: np.ndarray[Any, Any], path: str, name: str, n_beside: int = 0) -> pd.DataFrame:
    with within_limits(path):
        check_size(len(array), array.shape[1] + n_beside)
    columns = [f"column {n + 1}" for n in range(array.shape[1])]
    return pd.DataFrame(_checked(array, path, name), columns=columns)


def _checked(array: np.ndarray[Any, Any], path: str, name: str) -> np.ndarray[Any, Any]:
    """Return an array of numbers or of texts, bytes decoded, in the byte order of this machine."""
    if array.dtype.kind not in "iufbUS":
        raise DataError(f"{path}: {name} holds {array.dtype}, neither numbers nor text.")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            doubles = array.astype(np.float64)
        return doubles if np.array_equal(array, doubles, equal_nan=True) else array
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


def _not_numpy(path: str, error: Exception) -> DataError:
    if "Object arrays" in str(error):
        return DataError(
            f"{path}: it holds Python objects, which are not read, since they could run anything."
            " Save the array as numbers or text: array.astype(float) or array.astype(str)."
        )
    return DataError(f"{path}: cannot be read as a file of NumPy arrays: {words_of(error)}.")
