"""Dates and durations as people write them: by dots day first, else as a column tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats
from mvcc.tables.reading._column import MONTHS, Written, given_texts

ORDERS = {"day first": Written.DAY_SLASHES, "month first": Written.MONTH_SLASHES}

_FIRST_DAY, _LAST_DAY = -25_567, 2_932_896  # 1900-01-01, 9999-12-31
_YEAR = 366
_FIRST_NUMBER, _LAST_NUMBER, _FEWEST_DATES = 19_000_101, 20_991_231, 10
_LOOKED_AT, _NEARLY_ALL = 20, 0.9  # texts, and the share of all that are dates
_NO_END = "9999-12-31 is a date; leave it empty for no end"
_NOT_KNOWN = "1900-01-01 is a date; add it to `missing` if it stands for none"
_TWO_DIGITS = "years of two digits are from 1969 to 2068"
_FUTURE = "2035"  # beside years from 1969 on, a later one may be of a birth
_BEGIN, _DAY = datetime(1970, 1, 1, tzinfo=UTC), timedelta(days=1)
_IN_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
DATE = re.compile(
    r"(?P<first>\d{1,4})(?P<sign>[-/.])(?P<second>\d{1,2})(?P=sign)(?P<third>\d{1,4})"
    r"(?:(?:T|,? +)(?P<time>\d{1,2}:\d{2}.*))?"
)
DURATION = re.compile(r"^(?:(-?\d+) days?,? \+?)?(\d+):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?$")
_MONTH = rf"(?P<month>{'|'.join(MONTHS)})[^\W\d_]*\.?"
_BEFORE = {"令和": 2018, "平成": 1988, "昭和": 1925}  # the years before the first one of an emperor
_ERA = re.compile(rf"^({'|'.join(_BEFORE)})(\d{{1,2}}|元)(?=年)")
# Sun, 3 May 2023 and 3-May-23; May 3, 2023; 2023年5月3日, 2023年5月; 20230503; May 2023, 2023 May,
# 2023M05; 2023-Q2, Q2 2023; 05/2023, 2023-05; 2023
_IN_WORDS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?:[^\W\d_]+(?:-feira)?\.?,? )?(?P<day>\d{{1,2}})(?:st|nd|rd|th|er)?\.?[ /-]?(?:de )?"
        rf"{_MONTH},?[ /-]?(?:del? )?(?P<year>\d{{4}}|\d{{2}})\b",
        rf"^(?:[^\W\d_]+,? )?{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})\b",
        r"^(?P<year>\d{4})年 ?(?P<month>\d{1,2})月 ?(?:(?P<day>\d{1,2})日)?",
        r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})$",
        rf"^{_MONTH}[ /-](?:del? )?(?P<year>(?<= )\d{{4}}|(?:1[5-9]|20)\d\d)$",
        rf"^(?P<year>(?:19|20)\d{{2}})[ -]{_MONTH}$",
        r"^(?P<year>(?:19|20)\d{2})M(?P<month>0[1-9]|1[0-2])$",
        r"^(?P<year>(?:19|20)\d{2})[ -]?Q(?P<quarter>[1-4])$",
        r"^Q(?P<quarter>[1-4])[ /-]?(?P<year>(?:19|20)\d{2})$",
        r"^(?P<month>0?[1-9]|1[0-2])[./](?P<year>(?:19|20)\d{2})$",
        r"^(?P<year>(?:19|20)\d{2})-(?P<month>0[1-9]|1[0-2])$",
        r"^(?P<year>(?:19|20)\d{2})$",
    )
]
_MONTH_OF_NUMBERS = re.compile(r"(?:0?[1-9]|1[0-2])\.(?:19|20)\d{2}")
_TIME = re.compile(
    r"(?P<hour>\d{1,2}):(?P<rest>\d{2}(?::\d{2}(?:\.\d+)?)?) ?(?P<half>[ap]m)?", re.I
)
_NAMED_ZONE = re.compile(r"[ (]*(UTC|GMT)(\)?$|(?=[-+]))", re.I)
_YEAR_FIRST = {"-": Written.YEAR_MONTH_DAY, "/": Written.YEAR_SLASHES, ".": Written.YEAR_DOTS}
_DAY_FIRST = {"-": Written.DAY_DASHES, "/": Written.DAY_SLASHES, ".": Written.DOTS}
_MONTH_FIRST = {"-": Written.MONTH_DASHES, "/": Written.MONTH_SLASHES}


def in_numbers(text: str) -> str:
    """Return a date whose month is a word with numbers, such as 3.5.2023."""
    text = _ERA.sub(lambda era: str(_BEFORE[era[1]] + int(era[2].replace("元", "1"))), text)
    for pattern in _IN_WORDS:
        if date := pattern.match(text):
            return _of_numbers(date) + text[date.end() :]
    return text


def are_texts_of_dates(texts: pd.Series[Any]) -> bool:
    """Tell whether nearly all texts are dates, perhaps some of them years alone."""
    n_dates = np.isfinite(read_dates(texts, None).days).sum()
    return bool(n_dates >= _NEARLY_ALL * texts.count())


def begin_as_dates(texts: pd.Series[Any]) -> bool:
    """Tell whether most of the first texts are dates."""
    head = [*map(in_numbers, texts.head(_LOOKED_AT).tolist())]
    return sum(DATE.fullmatch(text) is not None for text in head) > len(head) / 2


def _of_numbers(date: re.Match[str]) -> str:
    parts = {"month": "1", "day": "1", "quarter": ""} | date.groupdict("1")
    word, day = parts["month"].casefold(), parts["day"]
    if parts["quarter"]:
        word = str(3 * int(parts["quarter"]) - 2)
    month = next((n for n, pattern in enumerate(MONTHS, 1) if re.match(pattern, word)), word)
    if date.start("year") == 0:
        return f"{date['year']}-{month}-{day}"
    return f"{day}.{month}.{date['year']}"


def are_months(values: pd.Series[Any]) -> bool:
    """Tell whether texts are months such as 05.2023, which as numbers would follow no order."""
    if not any(map(_MONTH_OF_NUMBERS.fullmatch, map(str, values.iloc[:_FEWEST_DATES].tolist()))):
        return False
    texts = given_texts(values)
    if not texts.str.fullmatch(_MONTH_OF_NUMBERS).all():
        return False
    differ = texts.str.partition(".")[0].nunique() > 1  # not in rates such as 1.1987 and 1.2034
    return bool((len(texts) >= _FEWEST_DATES and differ) or texts.str.startswith("0").any())


def are_dates(numbers: Floats) -> bool:
    """Tell whether numbers are such as 20230503, and no others."""
    known = numbers[~np.isnan(numbers)]
    if len(known) < _FEWEST_DATES or not _FIRST_NUMBER <= known[0] <= _LAST_NUMBER:
        return False
    month, day = known // 100 % 100, known % 100
    is_day = (day % 1 == 0) & (day >= 1) & (day <= 31) & (month >= 1) & (month <= 12)
    is_date = is_day & (known >= _FIRST_NUMBER) & (known <= _LAST_NUMBER)
    return bool(is_date.all() and np.ptp(month))


@dataclass(frozen=True, eq=False)
class Dates:
    """What the texts of a column say as dates."""

    days: Floats  # NaN for what is not a date in this order
    written: Written  # most of them, or of those whose order is not plain
    remarks: tuple[str, ...] = ()
    either: str = ""  # the first date, if all allow both orders of day and month


def read_dates(texts: pd.Series[Any], written: Written | None) -> Dates:
    """Read dates of any year, in the order of ``written`` if it is given; NaN for what is none."""
    parts = texts.str.extract(f"^{DATE.pattern}$")
    unread = parts["first"].isna() & texts.notna()
    if unread.any():
        parts.loc[unread] = texts[unread].map(in_numbers).str.extract(f"^{DATE.pattern}$")
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
    forms = parts["sign"].map(_MONTH_FIRST if month_first else _DAY_FIRST).fillna(Written.DOTS)
    forms = forms.where(~year_first, parts["sign"].map(_YEAR_FIRST)).where(parts["first"].notna())
    counts = forms.value_counts()
    if counts.empty:
        return Dates(days, written or Written.PLAIN)
    unclear = texts[open_order & (not is_known)]
    # new dates are read in the order of the slashes, even if most dates have none
    main = next(iter(forms[open_order].mode()), counts.index[0])
    remarks = [f"also {form}" for form in counts.index if form != main]
    if len(years := year[~year_first & (parts["third"].str.len() == 2)]):
        remarks.append(_TWO_DIGITS)
        if years.min() < "2000" and (last := years.max()) > _FUTURE:
            remarks.append(f"write years of four digits if {last} means 19{last[2:]}")
    return Dates(days, Written(main), tuple(remarks), next(iter(unclear), ""))


def _four_digits(year: str) -> str:
    """Return a year of two digits as one from 1969 to 2068."""
    if len(year) == 2:
        return str(1969 + (int(year) - 69) % 100)
    return year if len(year) == 4 else "-"


def _of_24_hours(time: str) -> str:
    """Return a time as ISO 8601 has it behind a date."""
    parts = _TIME.match(time)
    if parts is None:
        return time
    hour = int(parts["hour"])
    if parts["half"] and 1 <= hour <= 12:
        hour = hour % 12 + 12 * (parts["half"].lower() == "pm")
    zone = _NAMED_ZONE.sub("", time[parts.end() :].strip())  # no zone is UTC, too
    return f"T{hour:02}:{parts['rest']}{zone}"


def _days_of_iso(texts: pd.Series[Any]) -> Floats:
    """Return dates of any year as days, NaN for what is none."""
    days = days_of(pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True))
    for row in np.flatnonzero(np.isnan(days) & texts.notna()):
        with suppress(ValueError):  # pandas before 3 reads no years before 1678 or after 2261
            date = datetime.fromisoformat(texts.iloc[row])
            since = date.replace(tzinfo=date.tzinfo or UTC) - _BEGIN
            days[row] = since.days + since % _DAY / _DAY
    return days


def days_of(dates: pd.Series[Any]) -> Floats:
    """Return points in time (UTC) as days, also after 2262, where nanoseconds of pandas end."""
    points = pd.to_datetime(dates, utc=True).dt.tz_convert(None).to_numpy()
    per_day = 86_400 * _IN_A_SECOND[np.datetime_data(points.dtype)[0]]
    whole, rest = np.divmod(points.astype(np.int64), per_day)
    return np.where(np.isnat(points), np.nan, whole + rest / per_day)


def remarks_on(days: Floats) -> Iterator[str]:
    """Give what else must be known of dates: that some may stand for no date."""
    whole = np.floor(days[~np.isnan(days)])
    if (whole == _LAST_DAY).any() and (whole < _LAST_DAY).any():
        yield _NO_END
    others = whole[whole != _FIRST_DAY]
    if len(whole) - len(others) > 1 and len(others) and others.min() > _FIRST_DAY + _YEAR:
        yield _NOT_KNOWN


def seconds_of(texts: pd.Series[Any], written: Written) -> Floats:
    """Return durations as seconds, NaN for others; seconds of 0 may follow hours and minutes."""
    parts = texts.str.extract(DURATION).astype(np.float64)
    seconds = parts[3]
    if written is Written.HOURS_MINUTES:
        seconds = seconds.fillna(0)
        seconds = seconds.where(seconds == 0)
    return (86_400 * parts[0].fillna(0) + 3600 * parts[1] + 60 * parts[2] + seconds).to_numpy()
