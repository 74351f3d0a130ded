"""The values of a column as numbers, dates or words, or what is wrong with one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.messages import clipped, with_point
from mvcc._utils.types import Floats
from mvcc.tables._job import AskedKind
from mvcc.tables.reading._column import TRUTH, Column, Written
from mvcc.tables.reading._dates import A_DATE, read_dates, remarks_on
from mvcc.tables.reading._looks import are_few, is_missing
from mvcc.tables.reading._mails import are_mails, body_of
from mvcc.tables.reading._numbers import numbers_of, read_numbers
from mvcc.tables.reading._pictures import measured_pictures

Values = Floats | NDArray[np.object_]

MOST = 1e100  # of a value; sums of squares of larger ones are beyond all floats
MOST_VALUES = 1000  # of a category that was asked for: each is a column
_NEARLY_ALL = 0.9  # of the values that must be numbers, for the others to be mistakes
_MANY = 0.6  # of the values that are numbers, for this to be said of a column of words
# one of the two words alone tells that they are truth values
_CERTAIN = (Written.TRUE_FALSE, Written.YES_NO, Written.WAHR_FALSCH, Written.JA_NEIN)
ORDERS = {"day first": Written.DAY_SLASHES, "month first": Written.MONTH_SLASHES}


@dataclass(frozen=True)
class Mistake:
    """The first value of a column that cannot be used.

    Its row, what it is, what to do, and how many are like it.
    """

    row: int
    what: str
    remedy: str
    n: int


@dataclass(frozen=True, eq=False)
class Understood:
    """A column, what is wrong with it, and its values.

    Numbers, days for dates, texts for the others, or missing.
    """

    column: Column
    values: Values | None = None
    mistake: Mistake | None = None


def as_number(
    column: Column, texts: pd.Series[Any], delimiter: str | None, sign: str
) -> Understood | None:
    """Read numbers, truth values, or numbers with separators and units.

    None for what is none of these, unless it must be.
    """
    there = texts.dropna()
    numbers = numbers_of(texts.fillna("nan"))
    n_plain = int((~np.isnan(numbers)).sum())
    if n_plain == len(there):
        return numeric(column, numbers, texts, Written.PLAIN)
    folded = set(there.str.casefold().unique()[:3])
    for written, words in TRUTH.items():
        if folded <= set(words) and (len(folded) == 2 or "" in words or written in _CERTAIN):
            truths = truth(texts, written)
            column = replace(column, n_missing=int(np.isnan(truths).sum()))
            return numeric(column, truths, texts, written)
    read = read_numbers(texts, sign, delimiter)
    if read.n > n_plain and read.n >= _NEARLY_ALL * len(there):
        if read.written is None:
            return _with_unclear_sign(column, texts)
        column = replace(column, unit=read.unit, remarks=read.remarks)
        return numeric(column, read.values, texts, read.written)
    if column.kind == "number" or n_plain >= _NEARLY_ALL * len(there):
        return numeric(column, numbers, texts, Written.PLAIN)
    if (n_numbers := max(read.n, n_plain)) >= _MANY * len(there):
        remark = f"{n_numbers} of {len(there)} values are numbers"
        return as_words(replace(column, remarks=(remark,)), texts)
    return None


def truth(texts: pd.Series[Any], written: Written) -> Floats:
    """Return truth values as 1 and 0. Blanks are missing unless they are one of the words."""
    words = TRUTH[written]
    known = dict(zip(words, (0.0, 1.0), strict=True)) | {"1": 1.0, "0": 0.0}
    folded = texts.str.casefold()
    return np.asarray(folded.fillna("").map(known), dtype=np.float64)


def _with_unclear_sign(column: Column, texts: pd.Series[Any]) -> Understood:
    has_comma = texts.str.contains(",", na=False)
    text = texts[has_comma].iloc[0]
    what = f"{clipped(repr(text))}, whose comma may be a decimal comma or separate thousands,"
    point = with_point(text) or text.replace(",", "")
    remedy = f"Write {point}, or separate the columns with semicolons"
    row = int(has_comma.to_numpy(dtype=bool).argmax())
    return Understood(column, mistake=Mistake(row, what, remedy, int(has_comma.sum())))


def numeric(
    column: Column, numbers: NDArray[Any], texts: pd.Series[Any], written: Written
) -> Understood:
    missing = is_missing(texts)
    column = replace(column, kind="number", written=written)
    usable = (missing & np.isnan(numbers)) | (np.abs(numbers) <= MOST)
    if usable.all():
        return Understood(column, numbers)
    row = int(usable.argmin())
    text, number = clipped(repr(str(texts.iloc[row]))), numbers[row]
    unit = f" in {column.unit} like the others" * bool(column.unit)
    what, remedy = f"{text}, which is not a finite number{unit},", "Write a number"
    if np.isfinite(number):
        what, remedy = (
            f"{text}, which is too large to compute with,",
            f"Scale the column to below {MOST:.0e}",
        )
    elif np.isnan(number):
        remedy = "Write a number, or leave the cell empty"
    return Understood(column, mistake=Mistake(row, what, remedy, int((~usable).sum())))


def as_date(column: Column, texts: pd.Series[Any], asked: AskedKind | None) -> Understood | None:
    """Read dates; None for what is none, unless it must be."""
    there = texts.dropna()
    if asked is None and not there.head(20).str.fullmatch(A_DATE).mean() >= _NEARLY_ALL:
        return None
    dates = read_dates(texts, ORDERS.get(asked or ""))
    n_dates = int(np.isfinite(dates.days).sum())
    if asked is None and n_dates < _NEARLY_ALL * len(there):
        return None
    if dates.either:
        return _in_unclear_order(column, texts, dates.either)
    return dated(replace(column, remarks=dates.remarks), dates.days, texts, dates.written)


def _in_unclear_order(column: Column, texts: pd.Series[Any], date: str) -> Understood:
    row = int((texts == date).to_numpy(dtype=bool).argmax())
    first, second = (f"{column.name}: {order}" for order in ORDERS)
    what = f"{clipped(repr(date))}, which may begin with the day or with the month, as all others,"
    remedy = f"Write `columns: {{{first}}}` or `columns: {{{second}}}` into the view of the config"
    return Understood(column, mistake=Mistake(row, what, remedy, int(texts.notna().sum())))


def dated(column: Column, days: Floats, texts: pd.Series[Any], written: Written) -> Understood:
    """Return dates as days, of which the first of January 1970 is 0."""
    remarks = column.remarks or remarks_on(days)
    column = replace(column, kind="date", written=written, remarks=remarks)
    bad = np.isnan(days) & ~is_missing(texts)
    if bad.any():
        row = int(bad.argmax())
        what = f"{clipped(repr(str(texts.iloc[row])))}, which is not a date like the others,"
        remedy = "Write a date, or leave the cell empty"
        return Understood(column, mistake=Mistake(row, what, remedy, int(bad.sum())))
    return Understood(column, days)


def as_pictures(column: Column, texts: pd.Series[Any], folder: str) -> Understood:
    """Measure the pictures that texts name, below the folder of the table."""
    values, reasons = measured_pictures(texts, folder)
    bad = [row for row, reason in enumerate(reasons) if reason]
    if not bad:
        return Understood(replace(column, remarks=("colors and edges",)), values)
    text, reason = clipped(repr(str(texts.iloc[bad[0]]))), clipped(reasons[bad[0]], 200)
    what = f"{text}, which cannot be read as a picture ({reason}),"
    remedy = "Correct it, or leave the cell empty"
    return Understood(column, mistake=Mistake(bad[0], what, remedy, len(bad)))


def as_words(column: Column, texts: pd.Series[Any]) -> Understood:
    n_values = texts.nunique()
    kind = column.kind or ("category" if are_few(texts) else "text")
    if kind == "category" and n_values > MOST_VALUES:
        kind, column = (
            "text",
            replace(column, remarks=(f"{n_values} values are too many for a category",)),
        )
    if kind == "text" and column.kind is None and are_mails(texts):
        column = replace(column, written=Written.MAILS)
    if column.written is Written.MAILS:
        texts = texts.map(body_of, na_action="ignore")
    words = texts.astype(object).where(texts.notna(), None).to_numpy()
    return Understood(replace(column, kind=kind), words)
