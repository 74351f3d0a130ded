"""The formats of exported tables: cells, text files in their own style, workbooks, and Parquet."""

from __future__ import annotations

import codecs
import csv
import datetime
import decimal
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
import pandas as pd

from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import shown
from mvcc._utils.text import DELIMITER_LINE, NAMES, UTF_8, UTF_16, read_text
from mvcc.exceptions import DataError
from mvcc.tables.reading._column import Written, as_texts, is_missing
from mvcc.tables.reading._columns import understand_all
from mvcc.tables.reading._numbers import is_written_number
from mvcc.tables.reading._superfluous import code_reasons
from mvcc.tables.reading._workbooks import MOST_COLUMNS, MOST_ROWS

_MOST_CHARACTERS = 32_767  # of a cell, by Excel
_MOST_MEASURED, _WIDEST = 200, 60  # rows whose cells set the width of a column, and characters
_MOST_DAYS = 2_958_465  # of a duration, by Excel, whose days end with the year 9999
_MOMENTS = (datetime.date, datetime.time, datetime.timedelta)
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# what makes a spreadsheet program compute a cell (OWASP, CSV injection), also behind what some of
# them skip
_FORMULA = re.compile(r"[\t\r\n]|[\s\ufeff]*[=+\-@＝＋－＠﹦﹢﹣﹫]")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,14}")  # spreadsheet programs keep 15 digits
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?")
_TIMES = re.compile(rb"<dcterms:.*?</dcterms:\w+>")  # at which a workbook was made and changed
_SHORT_YEAR = re.compile(r"^\d{1,3}(?=-)")
_EXACT = 2**53  # up to which floats hold every whole number


def escaped(texts: Sequence[str]) -> list[str]:
    """Put a ``'`` before what a spreadsheet program would take for a formula."""
    return [
        f"'{text}" if _FORMULA.match(text) and not is_written_number(text) else text
        for text in texts
    ]


def decimal_sign(frame: pd.DataFrame) -> str:
    """Return the decimal sign of a text file, by its numbers, else by its delimiter."""
    codes = code_reasons(frame, frame.columns)
    columns = understand_all(frame, dict.fromkeys(frame.columns), codes).values()
    if any(understood.column.written is Written.DECIMAL_COMMAS for understood in columns):
        return ","
    numbers = [understood.values for understood in columns if understood.column.kind == "number"]
    has_points = any((values % 1 > 0).any() for values in numbers if values is not None)
    return "," if frame.attrs.get("delimiter") == ";" and not has_points else "."


def as_csv(column: pd.Series[Any], path: str) -> list[str]:
    """Return cells as text, empty where missing; lists and records inside of them are JSON."""
    if pd.api.types.infer_dtype(column, skipna=True) == "datetime":
        column = column.astype("datetime64[us]")  # days alone where all times are midnight
    if column.dtype.kind == "f" and not _is_long(column) and not (column % 1 > 0).any():
        texts = as_texts(column)  # all with a point, or none
    else:
        texts = flat(column, path).astype(str)
    if column.dtype.kind == "M":  # pandas before 3 writes the year 999 with three digits
        texts = texts.str.replace(_SHORT_YEAR, lambda year: year[0].zfill(4), regex=True)
    return texts.where(column.notna(), "").tolist()


def flat(column: pd.Series[Any], path: str) -> pd.Series[Any]:
    """Return cells with lists and records as JSON; refuse bytes, which only Parquet holds."""
    if column.dtype != object:
        return column
    if any(isinstance(value, bytes) for value in column):
        name = str(column.name)
        raise DataError(
            f"{path}: the column {name!r} holds bytes, no text. Choose --format parquet."
        )
    values = list(map(_flat, column))
    return pd.Series(values, index=column.index, name=column.name, dtype=object)


def _flat(value: Any) -> Any:
    if isinstance(value, list | tuple | dict | np.ndarray):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return str(value)


def with_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return texts with numbers where all are written anew as they are: 007 or 1.10 stays text."""
    sign = decimal_sign(frame)
    numbers = {name: _as_written(frame[name], sign) for name in frame.columns}
    return frame.assign(**{name: column for name, column in numbers.items() if column is not None})


def _as_written(texts: pd.Series[Any], sign: str) -> pd.Series[Any] | None:
    missing = is_missing(texts)
    words = texts[~missing].tolist()
    if sign == ",":  # a point separates thousands, or nobody knows
        words = [word.translate({ord(","): ".", ord("."): ","}) for word in words]
    values: list[Any] = [_number(word) for word in words]
    n_whole = sum(isinstance(value, int) for value in values)
    if not words or None in values or (n_whole and any(word.endswith(".0") for word in words)):
        return None
    dtype = "Int64" if n_whole == len(values) else "Float64"
    return pd.Series(values, index=texts.index[~missing], dtype=dtype).reindex(texts.index)


def _number(word: str) -> int | float | None:
    """Return the number that is written like this, or None."""
    if _WHOLE.fullmatch(word):
        return int(word)
    if _DECIMAL.fullmatch(word) and word != "-0.0" and repr(float(word)) == word:
        return float(word)
    return None


def _is_long(column: pd.Series[Any]) -> bool:
    """Tell whether a column has long doubles, whose digits only texts keep."""
    dtype = column.dtype
    return isinstance(dtype, np.dtype) and dtype.kind == "f" and dtype.itemsize > 8


def as_arrow(column: pd.Series[Any]) -> Any:
    """Return a column of Parquet; what it has no type for is text, as cells of several types."""
    import pyarrow

    present = column[column.notna() & (column.dtype == object)]
    types = set(map(type, present))
    exact = all(abs(value) <= _EXACT for value in present if isinstance(value, int))
    if not _is_long(column) and (len(types) < 2 or (types == {int, float} and exact)):
        # whole numbers of more than 64 bits, and lists of several types, have none
        with suppress(OverflowError, pyarrow.ArrowException):
            array = pyarrow.Array.from_pandas(column)
            if "struct<>" not in str(array.type):  # which no file can have
                return array
    texts = flat(column, "").astype(str).where(column.notna(), None)
    return pyarrow.Array.from_pandas(texts)


def with_columns(
    content: bytes,
    path: str,
    delimiter: str,
    columns: Sequence[Sequence[str]],
    beside: Sequence[Sequence[str]],
    are_texts: Sequence[bool],
    n_units: int = 0,
) -> bytes:
    """Return a text file with columns ``beside`` its own; whole lines stay to the character."""
    read = read_text(content, path, DataError)
    records = list(_records(read.text))
    above = ""
    if DELIMITER_LINE.fullmatch(records[0]):
        above = records.pop(0)
    between = re.escape(delimiter)
    blank = rf'(?:"\s*")?[^\S{between}]*'
    empty = re.compile(f"{blank}(?:{between}{blank})*[\r\n]*")  # no rows of the table
    records = [record for record in records if not empty.fullmatch(record)]
    del records[1 : 1 + n_units]
    lines = [record.rstrip("\r\n") for record in records]
    ends = [record[len(line) :] for record, line in zip(records, lines, strict=True)]
    quotes_texts, quotes_all = _quoting(lines, delimiter)
    more = []
    for (name, *texts), is_text in zip(beside, are_texts, strict=True):
        quotes = quotes_all or (is_text and quotes_texts)
        cells = (_quoted(text, quotes, delimiter) for text in texts)
        more.append([_quoted(name, quotes_texts, delimiter), *cells])
    added = [delimiter.join(cells) for cells in zip(*more, strict=True)]
    first_end, n_rows = ends[0] or "\n", len(columns[0])
    if not _is_whole(lines[:n_rows], columns, delimiter):
        written = (csv_bytes([cells], delimiter) for cells in zip(*columns, strict=True))
        lines = [line.decode().removesuffix("\n") for line in written]
        ends = [first_end] * n_rows
    rows = zip(lines, added, ends, strict=False)
    text = "".join(f"{line}{delimiter}{new}{end or first_end}" for line, new, end in rows)
    return _encoded(above + text, read.encoding, content)


def _records(text: str) -> Iterator[str]:
    """Give the lines of a text with their ends; a value in quotes may have several."""
    record, is_open = [], False
    for line in io.StringIO(text, newline=""):
        record.append(line)
        is_open ^= line.count('"') % 2 == 1
        if not is_open:
            yield "".join(record)
            record = []
    if record:
        yield "".join(record)


def _is_whole(lines: list[str], columns: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Tell whether lines are the rows of a table, each with a value for every column."""
    try:
        rows = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:  # which pandas reads otherwise
        return False
    names = [name.strip() for name in rows[0]]
    column_names = [column[0].strip() for column in columns]
    is_full = len(rows) == len(columns[0]) and all(len(row) == len(names) for row in rows)
    return is_full and list(filter(None, names)) == list(filter(None, column_names))


def _quoting(lines: list[str], delimiter: str) -> tuple[bool, bool]:
    """Tell whether a file has names and texts in quotes, and whether all its values."""
    cell = '"(?:[^"]|"")*"'
    row = re.compile(rf"{cell}(?:{re.escape(delimiter)}{cell})*{re.escape(delimiter)}?")
    is_quoted = [row.fullmatch(line) is not None for line in lines[:2]]
    return is_quoted[0], all(is_quoted)


def _quoted(text: str, always: bool, delimiter: str) -> str:
    """Return a cell, in quotes if it needs some."""
    if always or delimiter in text or '"' in text or "\r" in text or "\n" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


def _encoded(text: str, encoding: str, content: bytes) -> bytes:
    """Encode as a file was; what its encoding does not have asks for UTF-8, which Excel reads."""
    if encoding == UTF_16:
        is_big = content.startswith(codecs.BOM_UTF16_BE)
        return f"\ufeff{text}".encode("utf-16-be" if is_big else "utf-16-le")
    if encoding in NAMES:
        with suppress(UnicodeEncodeError):
            return text.encode(encoding)
    elif not content.startswith(codecs.BOM_UTF8):
        return text.encode()
    return text.encode(UTF_8)


def workbook_bytes(frames: Mapping[str, pd.DataFrame], path: str) -> bytes:
    """Write a workbook with a sheet for each table, and no time. Texts like formulas stay texts."""
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
        columns = [
            [str(name), *column.astype(object).where(column.notna(), None).tolist()]
            for name, column in frame.items()
        ]
        for index, column in enumerate(columns, 1):
            longest = max(len(str(value)) for value in column[:_MOST_MEASURED] if value is not None)
            sheet.column_dimensions[get_column_letter(index)].width = min(longest, _WIDEST) + 2
        with closing(sheet):  # or Python tells of its generator when a cell is refused
            for row in zip(*columns, strict=True):
                sheet.append([_cell(sheet, value, path) for value in row])
    saved, undated = io.BytesIO(), io.BytesIO()
    book.save(saved)
    with ZipFile(saved) as former, ZipFile(undated, "w") as archive:
        for name in former.namelist():
            content = _TIMES.sub(b"", former.read(name))
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)  # of no time
    return undated.getvalue()


def _cell(sheet: Any, value: Any, path: str) -> Any:
    """Return what a sheet takes: a text where it does not keep a number or a date as such."""
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
    """Tell whether programs keep a number: a finite float, or another of at most 15 digits."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, decimal.Decimal):
        return value.is_finite() and len(value.as_tuple().digits) <= 15
    return isinstance(value, int) and abs(value) < 10**15


def _is_kept_moment(value: Any) -> bool:
    """Tell whether a sheet keeps a time: from 1900 on, to the millisecond, without a zone."""
    if isinstance(value, datetime.timedelta):
        fine = value.microseconds % 1000 or getattr(value, "nanoseconds", 0)
        return abs(value.days) <= _MOST_DAYS and not fine
    fine = getattr(value, "microsecond", 0) % 1000 or getattr(value, "nanosecond", 0)
    in_reach = 1900 <= getattr(value, "year", 1900) <= 9999
    return in_reach and not fine and getattr(value, "tzinfo", None) is None
