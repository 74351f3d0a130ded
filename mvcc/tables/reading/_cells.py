"""The cells of a user's own table, as CSV, Parquet and workbooks hold them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from mvcc.exceptions import DataError
from mvcc.tables.reading._column import Written, as_texts, is_missing
from mvcc.tables.reading._columns import understand_all
from mvcc.tables.reading._numbers import is_written_number

# what makes a spreadsheet program compute a cell (OWASP, CSV injection), also behind what some of
# them skip
_FORMULA = re.compile(r"[\t\r\n]|[\s\ufeff]*[=+\-@＝＋－＠﹦﹢﹣﹫]")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,14}")  # spreadsheet programs keep 15 digits
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?")
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
    found = understand_all(frame, dict.fromkeys(frame.columns)).values()
    if any(one.column.written is Written.DECIMAL_COMMAS for one in found):
        return ","
    numbers = [one.values for one in found if one.column.kind == "number"]
    has_points = any((values % 1 > 0).any() for values in numbers if values is not None)
    return "," if frame.attrs.get("delimiter") == ";" and not has_points else "."


def as_csv(column: pd.Series[Any], path: str) -> list[str]:
    """Return cells as text, empty where missing; lists and records inside of them are JSON."""
    if pd.api.types.infer_dtype(column, skipna=True) == "datetime":
        column = column.astype("datetime64[us]")  # days alone where all times are midnight
    has_floats = column.dtype.kind == "f" and not _is_long(column)
    texts = as_texts(column) if has_floats else flat(column, path).astype(str)
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
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def with_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of texts, with numbers where all are written anew as they are.

    So a column with 007, 1.10, +49, -0, 1e1, 1,000 or more than 15 digits stays text.
    """
    sign = decimal_sign(frame)
    numbers = {name: _as_written(frame[name], sign) for name in frame.columns}
    return frame.assign(**{name: column for name, column in numbers.items() if column is not None})


def _as_written(texts: pd.Series[Any], sign: str) -> pd.Series[Any] | None:
    missing = is_missing(texts)
    words = texts[~missing].tolist()
    if sign == ",":  # a point separates thousands, or nobody knows
        words = [word.translate({ord(","): ".", ord("."): ","}) for word in words]
    found: list[Any] = [_number(word) for word in words]
    n_whole = sum(isinstance(number, int) for number in found)
    if not words or None in found or (n_whole and any(word.endswith(".0") for word in words)):
        return None
    dtype = "Int64" if n_whole == len(found) else "Float64"
    return pd.Series(found, index=texts.index[~missing], dtype=dtype).reindex(texts.index)


def _number(word: str) -> int | float | None:
    """Return the number that is written like this, or None."""
    if _WHOLE.fullmatch(word):
        return int(word)
    is_number = _DECIMAL.fullmatch(word) and word != "-0.0" and repr(float(word)) == word
    return float(word) if is_number else None


def _is_long(column: pd.Series[Any]) -> bool:
    """Tell whether a column has long doubles, whose digits only texts keep."""
    dtype = column.dtype
    return isinstance(dtype, np.dtype) and dtype.kind == "f" and dtype.itemsize > 8


def _texts_of(column: pd.Series[Any]) -> pd.Series[Any]:
    return column.astype(str).where(column.notna(), None)


def as_arrow(column: pd.Series[Any]) -> Any:
    """Return a column of Parquet; what it has no type for is text, as cells of several types."""
    import pyarrow

    if _is_long(column):
        return pyarrow.Array.from_pandas(_texts_of(column))
    if column.dtype != object:
        return pyarrow.Array.from_pandas(column)
    there = column[column.notna()]
    types = set(map(type, there))
    exact = all(abs(value) <= _EXACT for value in there if isinstance(value, int))
    if len(types) > 1 and not (types == {int, float} and exact):
        column = _texts_of(flat(column, ""))
    try:
        return pyarrow.Array.from_pandas(column)
    except OverflowError:  # whole numbers of more than 64 bits
        return pyarrow.Array.from_pandas(_texts_of(column))
