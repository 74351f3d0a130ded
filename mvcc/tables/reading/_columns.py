"""What each column of a table is used as, or not at all, and why; and what is wrong or doubtful."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import agreeing, counted
from mvcc.tables._job import AskedKind, View
from mvcc.tables.reading._column import (
    GLANCE,
    MOST_CATEGORIES,
    Column,
    LeftOut,
    Written,
    given_texts,
    numbers_by_arrow,
    numbers_of,
    without_attrs,
)
from mvcc.tables.reading._dates import are_dates, are_months
from mvcc.tables.reading._kinds import (
    MOST,
    Hints,
    Understood,
    Values,
    read_as,
    understood,
)
from mvcc.tables.reading._numbers import SIGN_UNKNOWN
from mvcc.tables.reading._problems import Mistake, Problems, is_in_memory, option_for
from mvcc.tables.reading._rows import listed, place_of
from mvcc.tables.reading._sheets import TOTAL

_POINTS_FOR_THOUSANDS = r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d{1,3})"
_LOOKED_AT = 200  # rows
_SHOWN = 2  # distinct values
_LONGEST = 40  # characters
_MINUTES = 24 * 60
_FILLED = 0.9  # of the cells of a choice at most; a constant may lack a few values
_CHOICE = "empty cells beside one number are a value"
_MOST_ABOVE = 3  # rows with further names, such as questions, and units


def understand_all(
    frame: pd.DataFrame, asked: dict[str, AskedKind | None], codes: dict[str, LeftOut]
) -> dict[str, Understood]:
    """Find out what columns are, by the kinds ``asked`` for, those of numbers all at once."""
    hints = Hints(frame.attrs.get("delimiter"), frame.attrs.get("folder", ""))
    frame = without_attrs(frame)
    asked = {
        name: "date" if kind is None and are_months(frame[name]) else kind
        for name, kind in asked.items()
    }
    quick = [name for name, kind in asked.items() if kind in (None, "number") and name not in codes]
    readings = _plain_numbers(frame[quick])
    # a column of JSON may hold numbers and texts
    plain = [name for name in readings if pd.api.types.is_string_dtype(frame[name])]
    others = [name for name in asked if name not in readings]
    for name in others:
        readings[name] = understood(frame[name], asked[name], codes.get(name), hints)
    sign = _decimal_sign(frame, plain, [readings[name].column for name in others])
    for name in others:  # what the others tell decides
        if sign and readings[name].mistake is not None:
            with_sign = hints._replace(sign=sign)
            readings[name] = understood(frame[name], asked[name], codes.get(name), with_sign)
    for name in plain:
        readings[name] = _by_sign(readings[name], frame[name], sign)
    for name, reading in readings.items():
        if asked[name] is not None or reading.column.kind != "number" or reading.values is None:
            continue
        numbers: Any = reading.values
        if not reading.column.note and are_dates(numbers):
            readings[name] = understood(frame[name], "date", None, hints)
        elif not (reading.column.written or reading.column.unit) and _is_one_number(numbers):
            chosen = understood(frame[name], "category", None, hints)
            readings[name] = replace(chosen, column=replace(chosen.column, remarks=(_CHOICE,)))
    return {name: _without_effect(readings[name]) for name in asked}


def _by_sign(plain: Understood, values: pd.Series[Any], sign: str) -> Understood:
    """Return plain numbers as the decimal sign of other columns tells that they are meant."""
    if sign == "," and (thousands := _without_points(values)) is not None:
        return Understood(Column(plain.column.name, "number", written=Written.POINTS), thousands)
    if not sign and (text := _unclear_number(values)):
        remark = f"{text} read as {text}, not as {text.replace('.', '')}"
        return replace(plain, column=replace(plain.column, remarks=(remark,)))
    return plain


def _decimal_sign(frame: pd.DataFrame, plain: list[str], others: list[Column]) -> str:
    """Return the decimal sign of a table if some column tells it, else nothing."""
    written = [column.written for column in others]
    if Written.DECIMAL_COMMAS in written:
        return ","
    if Written.COMMAS in written:
        return "."
    names = [one.name for one in others if one.kind == "number" and one.written is Written.PLAIN]
    for rows in (frame.head(GLANCE), frame):
        texts = (rows[name].dropna().astype(str) for name in names)
        bare = (column.str.replace(r"[^\d.,]", "", regex=True) for column in texts)
        if any(map(_has_decimal_points, chain((rows[name] for name in plain), bare))):
            return "."
    return ""


def _unclear_number(texts: pd.Series[Any]) -> str:
    """Return the first number with a point, if all of a column are like 1.234, else nothing."""
    with_point = texts[texts.str.contains(".", regex=False)]
    if len(with_point) and with_point.str.fullmatch(SIGN_UNKNOWN).all():
        return str(with_point.iloc[0])
    return ""


def _has_decimal_points(texts: pd.Series[Any]) -> bool:
    """Tell whether some number of a column has a point that is certainly a decimal one."""
    with_point = texts[texts.str.contains(".", regex=False)]
    return not with_point.str.fullmatch(rf"{SIGN_UNKNOWN}|{_POINTS_FOR_THOUSANDS}").all()


def _without_points(texts: pd.Series[Any]) -> Floats | None:
    """Return numbers whose points separate thousands; None where some value shows no."""
    has_point = texts.str.contains(".", regex=False)
    if not has_point.any() or not texts.str.fullmatch(_POINTS_FOR_THOUSANDS).all():
        return None
    return numbers_of(texts.str.replace(".", "", regex=False))


def _is_one_number(values: Floats) -> bool:
    """Tell whether a column has 1, or the number of a choice, or nothing, as choices are stored."""
    known = values[~np.isnan(values)]
    may_be = 1 < len(known) <= _FILLED * len(values) and known[0] in range(1, MOST_CATEGORIES + 1)
    return may_be and bool((known == known[0]).all())


def _without_effect(reading: Understood) -> Understood:
    """Say where all values of a column are the same."""
    values = reading.values
    if values is None or len(values) < 2 or reading.column.kind == "picture":
        return reading
    if pd.isna(values[0]) or not (values == values[0]).all():
        return reading
    return replace(reading, column=replace(reading.column, kind=None, why=LeftOut.CONSTANT))


def _plain_numbers(frame: pd.DataFrame) -> dict[str, Understood]:
    """Return the columns that are numbers alone; times, which pandas has numbers for, are none."""
    values = np.empty(frame.shape)
    is_number = np.array([dtype.kind in "iuf" for dtype in frame.dtypes], dtype=bool)
    values[:, is_number] = frame.loc[:, is_number].to_numpy(dtype=np.float64, na_value=np.nan)
    unread = ~is_number
    if len(frame) >= GLANCE:  # few rows of many columns are faster together
        for column in np.flatnonzero(unread).tolist():
            numbers = numbers_by_arrow(frame.iloc[:, column])
            if numbers is not None:
                values[:, column], unread[column] = numbers, False
    words = frame.loc[:, unread].astype(str).to_numpy(dtype=object)
    values[:, unread] = numbers_of(words)
    usable = np.flatnonzero(np.all(np.abs(values) <= MOST, axis=0))
    return {
        name: Understood(Column(name, "number"), values[:, column])
        for name, column in zip(frame.columns[usable], usable, strict=True)
    }


def read_like(columns: Sequence[Column], frame: pd.DataFrame) -> dict[str, Understood]:
    """Read more values of columns that were read before, those of plain numbers all at once."""
    numeric = [column for column in columns if column.kind in (None, "number")]
    quick = [column.name for column in numeric if not (column.written or column.unit)]
    readings = _plain_numbers(frame[quick])
    folder = frame.attrs.get("folder", "")
    others = [column for column in columns if column.name not in readings]
    readings |= {column.name: read_as(column, frame[column.name], folder) for column in others}
    return {column.name: readings[column.name] for column in columns}


def with_examples(column: Column, cells: pd.Series[Any], values: Values | None) -> Column:
    """Return a column with two of its values, in the file and as ``values`` of all rows."""
    if column.kind == "picture" or (column.kind == "number" and not column.note):
        values = None  # 21.720 and 21.72 are the same
    head = cells.iloc[:_LOOKED_AT]
    if any(isinstance(cell, bytes) for cell in head):
        return column  # an ignored one, such as pictures: its cells are not texts
    texts = given_texts(head).drop_duplicates().iloc[:_SHOWN]
    shown = used = [_as_used(text, None) for text in texts]
    if values is not None:
        picked = values[head.index.get_indexer(texts.index)]
        used = [
            _as_used(value, column.kind) or text for value, text in zip(picked, shown, strict=True)
        ]
    return replace(column, examples=tuple(zip(shown, used, strict=True)))


def _as_used(value: Any, kind: str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return " ".join(value[:_LONGEST].split())
    if kind != "date":
        return f"{value:.10g}"
    if value % 1 == 0:
        return str(np.datetime64(round(value), "D"))
    return str(np.datetime64(round(value * _MINUTES), "m")).replace("T", " ")


def add_mistakes(
    found: Mapping[str, Understood], frame: pd.DataFrame, name: str, view: View, problems: Problems
) -> None:
    """Note the mistakes in columns; if they are words in the first row of most, as a single one."""
    mistakes = {column: one.mistake for column, one in found.items() if one.mistake is not None}
    measured = [name for name, one in found.items() if one.column.kind in ("number", "date")]
    worded = [
        column
        for column in measured
        if column in mistakes and mistakes[column].row == 0 and mistakes[column].n <= _MOST_ABOVE
        if re.match(r"\W*\d", str(frame[column].iloc[0])) is None
    ]
    if 1 < len(worded) > len(measured) / 2:
        problems.add(
            f"{place_of(frame, view.path, 0)} has words in columns of numbers or dates"
            f" ({listed(worded)}). Delete it if it has further names or units, what is above it if"
            " it names the columns, or correct it."
        )
        mistakes = {
            column: mistake
            for column, mistake in mistakes.items()
            if mistake.row > 0 or mistake.n > _MOST_ABOVE
        }
    for column, mistake in mistakes.items():
        words = _words_for_missing(frame, view, name, mistake)
        said = _mistaken(frame, view, name, column, mistake, words)
        problems.add_avoidable(said, name, [*view.ignore, column], words)


def _words_for_missing(frame: pd.DataFrame, view: View, name: str, mistake: Mistake) -> list[str]:
    """Return the words that may mean missing, with those that do, if all mistakes are some."""
    is_line = any(word in frame.columns or TOTAL.fullmatch(word) for word in mistake.words)
    if not mistake.words or is_line or is_in_memory(name, view.path):
        return []
    return [*(view.missing or ()), *mistake.words]


def _mistaken(
    frame: pd.DataFrame, view: View, name: str, column: str, mistake: Mistake, words: list[str]
) -> str:
    like_it = f"{counted(mistake.n, 'value')} {agreeing(mistake.n, 'is', 'are')} like that"
    remedies = mistake.remedies()
    if words:
        remedies += f" (or with {option_for('--missing', name, words)})"
    return (
        f"{place_of(frame, view.path, mistake.row)} has {mistake.what} in the column"
        f" {listed([column])}; {like_it}. {remedies}, or leave the column out"
        f" ({option_for('--ignore', name, [column])})."
    )
