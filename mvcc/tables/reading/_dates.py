"""Dates as people and formats write them, of any year, as days.

Dots put the day first. Slashes and dashes leave the order of day and month to the column: one
order for all its dates.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.types import Floats
from mvcc.tables.reading._column import Written

_FIRST_DAY, _LAST_DAY = -25_567, 2_932_896  # 1900-01-01, 9999-12-31
_YEAR = 366
_NO_END = "9999-12-31 is a date; leave it empty for no end"
_NOT_KNOWN = "1900-01-01 is a date; add it to `missing` if it stands for none"
_TWO_DIGITS = "years of two digits are from 1969 to 2068"
_FIRST_YEAR, _LAST_YEAR = "1678", "2261"  # of those that pandas before 3 reads
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_IN_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
A_DATE = re.compile(
    r"(?P<first>\d{1,4})(?P<sign>[-/.])(?P<second>\d{1,2})(?P=sign)(?P<third>\d{1,4})"
    r"(?:(?:T|,? +)(?P<time>\d{1,2}:\d{2}.*))?"
)
_TIME = re.compile(
    r"(?P<hour>\d{1,2}):(?P<rest>\d{2}(?::\d{2}(?:\.\d+)?)?) ?(?P<half>[ap]m)?", re.I
)
_YEAR_FIRST = {"-": Written.YEAR_MONTH_DAY, "/": Written.YEAR_SLASHES, ".": Written.YEAR_DOTS}
_DAY_FIRST = {"-": Written.DAY_DASHES, "/": Written.DAY_SLASHES, ".": Written.DOTS}
_MONTH_FIRST = {"-": Written.MONTH_DASHES, "/": Written.MONTH_SLASHES}


@dataclass(frozen=True, eq=False)
class Dates:
    """What the texts of a column say as dates."""

    days: Floats  # NaN for what is not a date in this order
    written: Written  # most of them
    remarks: tuple[str, ...] = ()
    either: str = ""  # the first date, if all allow both orders of day and month


def read_dates(texts: pd.Series[Any], written: Written | None) -> Dates:
    """Read dates of any year, in the order of ``written`` if it is given; NaN for what is none."""
    parts = texts.str.extract(f"^{A_DATE.pattern}$")
    year_first = parts["first"].str.len() == 4
    first = parts["first"].where(~year_first)
    open_order = first.notna() & (parts["sign"] != ".")
    if written is None:
        n_first = int((pd.to_numeric(first[open_order]) > 12).sum())
        n_second = int((pd.to_numeric(parts["second"][open_order]) > 12).sum())
        is_known, month_first = n_first != n_second or not open_order.any(), n_second > n_first
    else:
        is_known, month_first = True, written in _MONTH_FIRST.values()
    swapped = open_order & month_first
    year = parts["first"].where(year_first, parts["third"].fillna("").map(_four_digits))
    month = parts["second"].where(~swapped, parts["first"])
    day = parts["third"].where(year_first, parts["second"].where(swapped, parts["first"]))
    time = parts["time"].fillna("").map(_of_24_hours)
    iso = year + "-" + month.str.zfill(2) + "-" + day.str.zfill(2) + time
    days = _days_of_iso(iso)
    names = parts["sign"].map(_MONTH_FIRST if month_first else _DAY_FIRST).fillna(Written.DOTS)
    names = names.where(~year_first, parts["sign"].map(_YEAR_FIRST)).where(parts["first"].notna())
    counts = names.value_counts()
    if counts.empty:
        return Dates(days, written or Written.PLAIN)
    either = "" if is_known else str(texts[open_order].iloc[0])
    # new dates are read in the order of the slashes, even if most dates have none
    open_names = names[open_order]
    main = open_names.mode().iloc[0] if len(open_names) else counts.index[0]
    others = [f"also {name}" for name in counts.index if name != main]
    if (parts["third"].str.len() == 2)[~year_first].any():
        others.append(_TWO_DIGITS)
    return Dates(days, Written(main), (*others, *remarks_on(days)), either)


def _four_digits(year: str) -> str:
    """Return a year of two digits as one from 1969 to 2068."""
    if len(year) != 2:
        return year.zfill(4) if len(year) == 4 else "-"
    return f"{19 if int(year) >= 69 else 20}{year}"


def _of_24_hours(time: str) -> str:
    """Return a time as ISO 8601 has it behind a date."""
    found = _TIME.match(time)
    if found is None:
        return time
    hour = int(found["hour"])
    if found["half"] and 1 <= hour <= 12:
        hour = hour % 12 + (12 if found["half"].lower() == "pm" else 0)
    return f"T{hour:02}:{found['rest']}{time[found.end() :].strip()}"


def _days_of_iso(texts: pd.Series[Any]) -> Floats:
    """Return dates of any year as days, NaN for what is none."""
    days = days_of(pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True))
    far = np.isnan(days) & texts.notna() & ~texts.str[:4].between(_FIRST_YEAR, _LAST_YEAR)
    days[far] = texts[far].map(_far_day)
    return days


def _far_day(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    since = moment.replace(tzinfo=moment.tzinfo or UTC) - _EPOCH
    return since.days + (since - timedelta(since.days)) / timedelta(1)


def days_of(dates: pd.Series[Any]) -> Floats:
    """Return points in time as days, also after 2262, where those of pandas in nanoseconds end."""
    naive = dates.dt.tz_localize(None) if dates.dt.tz is not None else dates
    points = naive.to_numpy()
    per_day = 86_400 * _IN_A_SECOND[np.datetime_data(points.dtype)[0]]
    whole, rest = np.divmod(points.astype(np.int64), per_day)
    return np.where(np.isnat(points), np.nan, whole + rest / per_day)


def remarks_on(days: Floats) -> tuple[str, ...]:
    """Return what else must be known of dates: that some may stand for no date."""
    whole = np.floor(days[~np.isnan(days)])
    found = []
    if (whole == _LAST_DAY).any() and (whole < _LAST_DAY).any():
        found.append(_NO_END)
    others = whole[whole != _FIRST_DAY]
    if len(whole) - len(others) > 1 and len(others) and others.min() > _FIRST_DAY + _YEAR:
        found.append(_NOT_KNOWN)
    return tuple(found)
