"""Tables whose cells have types of their own: Excel workbooks, and records as JSON."""

from __future__ import annotations

import datetime
import decimal
import io
import json
import math
import re
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from itertools import chain
from typing import Any

import pandas as pd

from mvcc._utils.files import decoded
from mvcc._utils.messages import clipped, counted, shown, words_of
from mvcc._utils.reading import check_size, check_unpacked, check_zip, parse_json, within_limits
from mvcc.exceptions import DataError
from mvcc.tables.reading._sheets import MOST_COLUMNS, MOST_ROWS, Sheet, measured

# shown where a formula has failed
_ERRORS = (
    "#N/A",
    "#DIV/0!",
    "#VALUE!",
    "#REF!",
    "#NAME?",
    "#NUM!",
    "#NULL!",
)
_MISTAKES = (AttributeError, TypeError, IndexError, NameError)  # whose words are for programmers
_MOST_CHARACTERS = 32_767  # of a cell, by Excel
_MOST_DAYS = 2_958_465  # of a duration, by Excel, whose days end with the year 9999
_MOMENTS = (datetime.date, datetime.time, datetime.timedelta)
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read_workbook(content: bytes, path: str, exact: bool = False) -> pd.DataFrame:
    """Read the first sheet with values of an Excel workbook, with values as it shows them.

    A merged cell has its value in all its rows and columns. A formula has the value that was stored
    with it, and none where none was. With ``exact``, each cell keeps its own type, also beside
    others in its column; errors are texts, and a number that is formatted as a day, but is none, is
    a number.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_zip(archive, len(content))
            sizes = {
                name: _measured(archive, name)
                for name in archive.namelist()
                if name.endswith((".xml", ".rels"))
            }
        return _read_first_sheet(content, path, sizes, exact)
    except DataError:
        raise
    except Exception as error:  # a damaged file raises whatever its first odd byte leads to
        words = "a part of it is damaged" if isinstance(error, _MISTAKES) else words_of(error)
        raise DataError(f"{path}: cannot be read as an Excel workbook (.xlsx): {words}.") from error


def _measured(archive: zipfile.ZipFile, name: str) -> Sheet:
    with archive.open(name) as source:
        return measured(source)


def _read_first_sheet(
    content: bytes, path: str, sizes: Mapping[str, Sheet], exact: bool
) -> pd.DataFrame:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    filled = [
        (sheet, size) for sheet in book.worksheets if (size := sizes[sheet._worksheet_path]).last
    ]
    if not filled:
        raise DataError(f"{path}: all sheets are empty.")
    sheet, size = filled[0]
    rows = _rows_of(sheet, size)
    if exact:
        _undo_false_days(rows, content, sheet, size)
    first = size.first
    header_is_merged = False
    for top, left, bottom, right in size.merged:
        if top > size.last or left > size.width:
            continue
        header_is_merged |= top <= first and right > left
        value = rows[max(top - first, 0)][left - 1] if top >= first else None
        for row in rows[max(top - first, 0) : bottom - first + 1]:
            row[left - 1 : right] = [value] * (right - left + 1)
    if header_is_merged or (all(value is None for value in rows[0][1:2]) and len(rows[0]) > 1):
        raise DataError(
            f"{path}: row {first} of the sheet {shown(sheet.title)} must name the columns, one in"
            " each cell; remove titles above the table."
        )
    while rows and all(value is None for value in rows[-1]):
        rows.pop()
    names = ["" if name is None else str(name).strip() for name in rows[0]]
    check_unpacked(sum(len(value) for row in rows for value in row if isinstance(value, str)))
    below = rows[1:]
    if not exact:
        below = [[None if value in _ERRORS else value for value in row] for row in below]
    frame = _frame(names, below, exact)
    frame.attrs["lines"] = first + 1
    notes = []
    if len(filled) > 1:
        notes.append(
            f"{path}: the sheet {shown(sheet.title)} was read, the first of {len(filled)}."
        )
    if size.has_formulas and (lost := _without_values(content, sheet, size)):
        notes.append(
            f"{path}: {counted(len(lost), 'formula')} without a stored value"
            f" ({', '.join(lost[:3])}{', …' if len(lost) > 3 else ''}) counted as missing; open the"
            " file in a spreadsheet program and save it, to store what they give."
        )
    frame.attrs["notes"] = notes
    return frame


def _rows_of(sheet: Any, size: Sheet) -> list[list[Any]]:
    """Return the values of a sheet from its first row with values on, also of rows that are not in
    the file.
    """
    n_rows = size.last - size.first + 1
    area = {"min_row": size.first, "max_row": size.last, "min_col": 1, "max_col": size.width}
    rows = [list(row) for row in sheet.iter_rows(**area, values_only=True)]
    return rows + [[None] * size.width for _ in range(n_rows - len(rows))]


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


def _without_values(content: bytes, sheet: Any, size: Sheet) -> list[str]:
    """Return the cells whose formulas no program has computed."""
    import openpyxl

    formulas = openpyxl.load_workbook(io.BytesIO(content), read_only=True)[sheet.title]
    area = {"min_row": size.first, "max_row": size.last, "max_col": size.width}
    return [
        cell.coordinate
        for row, values in zip(
            formulas.iter_rows(**area), sheet.iter_rows(**area, values_only=True), strict=False
        )
        for cell, value in zip(row, values, strict=True)
        if cell.value is not None and cell.data_type == "f" and value is None
    ]


def read_records(content: bytes, path: str, exact: bool = False) -> pd.DataFrame:
    """Read JSON: an object in each line, or a list of objects.

    With ``exact``, each value keeps its own type.
    """
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
    if unit == "line" and records and len(records) == records[-1][0] - records[0][0] + 1:
        frame.attrs["lines"] = records[0][0]
    return frame


def _parsed(text: str, path: str, line: int = 0) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        reason = (
            f"this is no JSON: {error.msg}"
            if isinstance(error, json.JSONDecodeError)
            else f"cannot be read: {error}"
        )
        place = f"{path}:{line or getattr(error, 'lineno', 1)}"
        raise DataError(f"{place}: {clipped(reason, 120)}.") from error


def _frame(names: list[str], rows: Iterable[list[Any]], exact: bool) -> pd.DataFrame:
    """Return a table, each column of one type unless exact.

    Such as have neither name nor cells are left out.
    """
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    kept = [
        n for n, name in enumerate(names) if name or any(value is not None for value in columns[n])
    ]
    if not kept:
        return pd.DataFrame()
    frame = pd.concat(
        [pd.Series(columns[n], dtype=None if columns[n] and not exact else object) for n in kept],
        axis=1,
    )
    frame.columns = pd.Index([names[n] for n in kept])
    return frame


def workbook_bytes(frames: Mapping[str, pd.DataFrame], path: str) -> bytes:
    """Write a workbook with a sheet for each table. Texts stay texts, even if like formulas.

    Raises DataError: for what no workbook can hold.
    """
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    for title, frame in frames.items():
        if len(frame) >= MOST_ROWS or frame.shape[1] > MOST_COLUMNS:
            raise DataError(
                f"{path}: a sheet has at most {MOST_ROWS - 1:,} rows of {MOST_COLUMNS:,} columns"
                f" below its names; {title} has {len(frame):,} of {frame.shape[1]:,}. Choose"
                " --format csv."
            )
        sheet = book.create_sheet(title[:31])
        sheet.freeze_panes = "A2"  # the names stay in sight
        columns = [[str(name), *_values(frame[name])] for name in frame.columns]
        with closing(sheet):  # or Python tells of its generator when a cell is refused
            for row in zip(*columns, strict=True):
                sheet.append([_cell(sheet, value, path) for value in row])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _values(column: pd.Series[Any]) -> list[Any]:
    return column.astype(object).where(column.notna(), None).tolist()


def _cell(sheet: Any, value: Any, path: str) -> Any:
    """Return what a sheet takes.

    What it keeps as a number or a date as such, everything else as a text.
    """
    if value is None or isinstance(value, bool):
        return value
    from openpyxl.cell import WriteOnlyCell

    if _is_kept_number(value):
        cell = WriteOnlyCell(sheet, str(value))  # with all digits, of which openpyxl writes 16
        cell.data_type = "n"
        return cell
    if isinstance(value, _MOMENTS) and _is_kept_moment(value):
        return value
    text = re.sub("\r\n?", "\n", str(value))  # which all XML readers do
    if len(text) > _MOST_CHARACTERS or _NOT_IN_XML.search(text):
        raise DataError(
            f"{path}: {shown(text)} cannot be in a workbook, whose cells have no control characters"
            f" and at most {_MOST_CHARACTERS:,} others. Choose --format csv."
        )
    cell = WriteOnlyCell(sheet, text)
    cell.data_type, cell.quotePrefix = "s", text.startswith("=")
    return cell


def _is_kept_number(value: Any) -> bool:
    """Tell whether spreadsheet programs keep a number.

    Finite floats, and others of at most 15 digits.
    """
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, decimal.Decimal):
        return value.is_finite() and len(value.as_tuple().digits) <= 15
    return isinstance(value, int) and abs(value) < 10**15


def _is_kept_moment(value: Any) -> bool:
    """Tell whether a sheet keeps a date or time.

    From the year 1900 on, to the millisecond, without a time zone.
    """
    if isinstance(value, datetime.timedelta):
        fine = value.microseconds % 1000 or getattr(value, "nanoseconds", 0)
        return abs(value.days) <= _MOST_DAYS and not fine
    fine = getattr(value, "microsecond", 0) % 1000 or getattr(value, "nanosecond", 0)
    in_reach = 1900 <= getattr(value, "year", 1900) <= 9999
    return in_reach and not fine and getattr(value, "tzinfo", None) is None
