"""Workbooks of the tables that are exported."""

from __future__ import annotations

import datetime
import decimal
import io
import math
import re
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import pandas as pd

from mvcc._utils.messages import shown
from mvcc.exceptions import DataError
from mvcc.tables.reading._sheets import MOST_COLUMNS, MOST_ROWS

_MOST_CHARACTERS = 32_767  # of a cell, by Excel
_MOST_MEASURED, _WIDEST = 200, 60  # rows whose cells set the width of a column, and characters
_MOST_DAYS = 2_958_465  # of a duration, by Excel, whose days end with the year 9999
_MOMENTS = (datetime.date, datetime.time, datetime.timedelta)
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def workbook_bytes(frames: Mapping[str, pd.DataFrame], path: str) -> bytes:
    """Write a workbook with a sheet for each table. Texts stay texts, even if like formulas.

    Raises DataError: for what no workbook can hold.
    """
    import openpyxl
    from openpyxl.utils import get_column_letter

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
        for number, column in enumerate(columns, 1):
            longest = max(len(str(value)) for value in column[:_MOST_MEASURED] if value is not None)
            letter = get_column_letter(number)
            sheet.column_dimensions[letter].width = min(longest, _WIDEST) + 2
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
