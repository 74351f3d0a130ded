"""Dates as people and formats write them, of any year, as days."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.types import Floats

Days = Floats

_NO_END = "9999-12-31 is a date; leave it empty for no end"
_LAST_DAY = 2_932_896  # 9999-12-31
# beyond what pandas before 3 reads; a calendar repeats itself after 400 years
_FAR_YEAR = re.compile(r"(?<!\d)(?!0000)(0\d{3}|1[0-6]\d\d|22[6-9]\d|2[3-9]\d\d|[3-9]\d{3})(?!\d)")
_DAYS_OF_400_YEARS = 146_097
_IN_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
A_DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([T ].*)?")
DATES = {  # how dates may be written, and what this is called
    "ISO8601": "year-month-day",
    "%d.%m.%Y": "day.month.year",
    "%d.%m.%Y %H:%M": "day.month.year",
    "%d.%m.%Y %H:%M:%S": "day.month.year",
    "%d.%m.%y": "day.month.year",
    "%Y/%m/%d": "year/month/day",
    "%d/%m/%Y": "day/month/year",
    "%m/%d/%Y": "month/day/year",
    "%d/%m/%Y %H:%M": "day/month/year",
    "%m/%d/%Y %H:%M": "month/day/year",
    "%d-%m-%Y": "day-month-year",
}


def parsed(texts: pd.Series[Any], style: str) -> Days:
    """Return dates of any year as days, NaN for what is none."""
    days = days_of(pd.to_datetime(texts, format=style, errors="coerce", utc=True))
    written = texts.str.extract(_FAR_YEAR, expand=False)
    far = np.isnan(days) & written.notna().to_numpy()
    if far.any():
        years = written[far].astype(int)
        near = years.map(_near)
        pairs = zip(texts[far], written[far], near.astype(str), strict=True)
        others = [text.replace(year, other, 1) for text, year, other in pairs]
        dates = pd.to_datetime(pd.Series(others), format=style, errors="coerce", utc=True)
        days[far] = days_of(dates) + (years - near).to_numpy() // 400 * _DAYS_OF_400_YEARS
    return days


def _near(year: int) -> int:
    """Return a year from 1700 to 2099 with the same calendar."""
    return year % 400 + (2000 if year % 400 < 100 else 1600)


def days_of(dates: pd.Series[Any]) -> Days:
    """Return points in time as days, whatever the year.

    Those of pandas in nanoseconds end in 2262.
    """
    naive = dates.dt.tz_localize(None) if dates.dt.tz is not None else dates
    points = naive.to_numpy()
    per_day = 86_400 * _IN_A_SECOND[np.datetime_data(points.dtype)[0]]
    whole, rest = np.divmod(points.astype(np.int64), per_day)
    return np.where(np.isnat(points), np.nan, whole + rest / per_day)


def note_of(order: str, days: Days) -> str:
    """Return what to say of dates: their order, and that some may mean no end."""
    means_no_end = (np.floor(days) == _LAST_DAY).any() and (days < _LAST_DAY).any()
    return ", ".join([order] * bool(order) + [_NO_END] * bool(means_no_end))


def order_in(note: str) -> str:
    """Return the order of day, month and year that a note tells."""
    return next((order for order in DATES.values() if note.startswith(order)), "")
