"""The values of a column as numbers, dates or words, or what is wrong with one of them.

Dates are of any year, and become days. Dots put the day first. Slashes and dashes leave the order
of day and month to the column: one order for all its dates.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import clipped, with_point
from mvcc._utils.settings import as_yaml
from mvcc.tables._job import AskedKind
from mvcc.tables.reading._column import (
    DURATIONS,
    MONTHS,
    TRUTH,
    Column,
    Written,
    are_few,
    is_missing,
)
from mvcc.tables.reading._numbers import before_labels, numbers_of, read_numbers
from mvcc.tables.reading._pictures import measured_pictures

Values = Floats | NDArray[np.object_]

MOST = 1e100  # of a value; sums of squares of larger ones are beyond all floats
MOST_VALUES = 1000  # of a category that was asked for: each is a column
_NEARLY_ALL = 0.9  # of the values that must be numbers, for the others to be mistakes
_MANY = 0.6  # of the values that are durations, if numbers are asked for
_MOST = 0.5  # of the values; if more are numbers, a column of words says so
# one of the two words alone tells that they are truth values
_CERTAIN = (Written.TRUE_FALSE, Written.YES_NO, Written.WAHR_FALSCH, Written.JA_NEIN)
ORDERS = {"day first": Written.DAY_SLASHES, "month first": Written.MONTH_SLASHES}

_FIRST_DAY, _LAST_DAY = -25_567, 2_932_896  # 1900-01-01, 9999-12-31
_YEAR = 366
_FIRST_NUMBER, _LAST_NUMBER, _FEWEST_DATES = 19_000_101, 20_991_231, 10
_NO_END = "9999-12-31 is a date; leave it empty for no end"
_NOT_KNOWN = "1900-01-01 is a date; add it to `missing` if it stands for none"
_TWO_DIGITS = "years of two digits are from 1969 to 2068"
_BEGIN, _DAY = datetime(1970, 1, 1, tzinfo=UTC), timedelta(days=1)
_IN_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DATE = re.compile(
    r"(?P<first>\d{1,4})(?P<sign>[-/.])(?P<second>\d{1,2})(?P=sign)(?P<third>\d{1,4})"
    r"(?:(?:T|,? +)(?P<time>\d{1,2}:\d{2}.*))?"
)
_MONTH = rf"(?P<month>{'|'.join(MONTHS)})[^\W\d_]*\.?"
_IN_WORDS = (  # Sun, 3 May 2023 and 3-May-23; May 3, 2023; 2023年5月3日; 20230503
    rf"^(?:[^\W\d_]+\.?,? )?(?P<day>\d{{1,2}})(?:st|nd|rd|th|er)?\.?[ -]?(?:de )?{_MONTH}"
    r",?[ -]?(?:del? )?(?P<year>\d{4}|\d{2})\b",
    rf"^(?:[^\W\d_]+,? )?{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})\b",
    r"^(?P<year>\d{4})年 ?(?P<month>\d{1,2})月 ?(?P<day>\d{1,2})日",
    r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})$",
)
_TIME = re.compile(
    r"(?P<hour>\d{1,2}):(?P<rest>\d{2}(?::\d{2}(?:\.\d+)?)?) ?(?P<half>[ap]m)?", re.I
)
_NAMED_ZONE = re.compile(r"[ (]*(UTC|GMT)(\)?$|(?=[-+]))", re.I)
_DURATION = re.compile(r"^(?:(-?\d+) days?,? \+?)?(\d+):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?$")
_YEAR_FIRST = {"-": Written.YEAR_MONTH_DAY, "/": Written.YEAR_SLASHES, ".": Written.YEAR_DOTS}
_DAY_FIRST = {"-": Written.DAY_DASHES, "/": Written.DAY_SLASHES, ".": Written.DOTS}
_MONTH_FIRST = {"-": Written.MONTH_DASHES, "/": Written.MONTH_SLASHES}

_FIELD = re.compile(r"[A-Za-z][\w-]{0,30}:(\s|$)")
_SENDER = re.compile(r"(from|von|de|da)\s*:", re.IGNORECASE)
_SUBJECT = re.compile(r"(subject|betreff|objet|asunto|oggetto)\s*:(.*)", re.IGNORECASE)
_MOST_SIGNED = 10  # lines of a signature, so that a line of dashes further up ends no mail
_ENOUGH = 0.1  # of the texts of a column that have headers or a signature


@dataclass(frozen=True)
class Mistake:
    """The first value of a column that cannot be used: its row, what it is, and what to do."""

    row: int
    what: str
    remedy: str
    n: int


@dataclass(frozen=True, eq=False)
class Understood:
    """A column, its values (numbers, days of dates, texts, or missing), or what is wrong."""

    column: Column
    values: Values | None = None
    mistake: Mistake | None = None


def as_number(
    column: Column, texts: pd.Series[Any], delimiter: str | None, sign: str
) -> Understood | None:
    """Read numbers, with units or not, durations, truth values; None for others, unless asked."""
    there = texts.dropna()
    numbers = numbers_of(texts.fillna("nan"))
    n_plain = np.count_nonzero(~np.isnan(numbers))
    if n_plain == len(there):
        return numeric(column, numbers, texts, Written.PLAIN)
    durations = there[there.str.match(_DURATION)]
    if len(durations) >= (_MANY if column.kind else _NEARLY_ALL) * len(there):
        is_short = durations.str.count(":") == 1
        written = DURATIONS[int(is_short.all())]
        if is_short.any() and written is Written.IN_SECONDS and column.kind is None:
            both = f"{durations[is_short].iloc[0]} beside {durations[~is_short].iloc[0]}"
            return as_words(replace(column, remarks=(f"{both} may be minutes or hours",)), texts)
        return numeric(column, seconds_of(texts, written), texts, written)
    folded = set(there.str.casefold().unique()[:3])
    for written, words in TRUTH.items():
        if folded <= set(words) and (len(folded) == 2 or "" in words or written in _CERTAIN):
            truths = truth(texts, written)
            column = replace(column, n_missing=int(np.isnan(truths).sum()))
            return numeric(column, truths, texts, written)
    if column.kind == "number":
        labeled = before_labels(texts, one_each=True)
        if np.isfinite(labeled).sum() > max(n_plain, _MANY * len(there)):
            return numeric(column, labeled, texts, Written.BEFORE_LABELS)
    read = read_numbers(texts, sign, delimiter)
    n_read = np.count_nonzero(~np.isnan(read.values))
    if n_read > n_plain and n_read >= _NEARLY_ALL * len(there):
        if read.written is None:
            return _with_unclear_sign(column, texts, is_text=delimiter is not None)
        column = replace(column, unit=read.unit, remarks=read.remarks)
        return numeric(column, read.values, texts, read.written)
    if column.kind == "number" or n_plain >= _NEARLY_ALL * len(there):
        return numeric(column, numbers, texts, Written.PLAIN)
    if (n_numbers := max(n_read, n_plain)) > _MOST * len(there):
        remark = f"{n_numbers} of {len(there)} values are numbers"
        if n_read > n_plain and read.unit:
            remark += f" in {read.unit}"
        return as_words(replace(column, remarks=(remark,)), texts)
    return None


def seconds_of(texts: pd.Series[Any], written: Written) -> Floats:
    """Return durations as seconds; NaN for what is none, and for two parts unless all have two.

    Hours and minutes may be written with seconds of 0, as a workbook has them.
    """
    parts = texts.str.extract(_DURATION).astype(np.float64)
    seconds = parts[3]
    if written is Written.HOURS_MINUTES:
        seconds = seconds.fillna(0)
        seconds = seconds.where(seconds == 0)
    return (86_400 * parts[0].fillna(0) + 3600 * parts[1] + 60 * parts[2] + seconds).to_numpy()


def truth(texts: pd.Series[Any], written: Written) -> Floats:
    """Return truth values as 1 and 0. Blanks are missing unless they are one of the words."""
    words = TRUTH[written]
    known = dict(zip(words, (0.0, 1.0), strict=True)) | {"1": 1.0, "0": 0.0}
    folded = texts.str.casefold()
    return np.asarray(folded.fillna("").map(known), dtype=np.float64)


def _with_unclear_sign(column: Column, texts: pd.Series[Any], *, is_text: bool) -> Understood:
    has_comma = texts.str.contains(",", na=False)
    text = texts[has_comma].iloc[0]
    why = "whose comma may be a decimal comma or separate thousands"
    both = dict.fromkeys((with_point(text) or text.replace(",", "."), text.replace(",", "")))
    remedy = f"Write {' or '.join(both)}"
    if is_text:
        remedy += ", or separate the columns with semicolons"
    return _mistaken(column, texts, has_comma, why, remedy)


def _mistaken(column: Column, texts: pd.Series[Any], bad: Any, why: str, remedy: str) -> Understood:
    """Say of the first bad text of a column why it is, and what to do."""
    row = int(np.argmax(bad))
    what = f"{clipped(repr(str(texts.iloc[row])))}, {why},"
    return Understood(column, mistake=Mistake(row, what, remedy, int(np.sum(bad))))


def numeric(
    column: Column, numbers: NDArray[Any], texts: pd.Series[Any], written: Written
) -> Understood:
    missing = is_missing(texts)
    column = replace(column, kind="number", written=written)
    bad = ~((missing & np.isnan(numbers)) | (np.abs(numbers) <= MOST))
    if not bad.any():
        return Understood(column, numbers)
    first = numbers[bad][0]
    if np.isfinite(first):
        remedy = f"Scale the column to below {MOST:.0e}"
        return _mistaken(column, texts, bad, "which is too large to compute with", remedy)
    if written in DURATIONS:
        text = str(texts.iloc[int(np.argmax(bad))])
        remedy = "Write it like them, or leave the cell empty"
        if written is Written.IN_SECONDS and re.fullmatch(r"\d+:[0-5]\d", text):
            minutes, seconds = text.split(":")
            as_minutes = f"{int(minutes) // 60}:{int(minutes) % 60:02}:{seconds}"
            remedy = f"Write {text}:00 or {as_minutes}, or leave the cell empty"
        return _mistaken(column, texts, bad, "which is not a duration like the others", remedy)
    why, remedy = "which is not a finite number", "Write a number"
    if column.unit:
        why += f" in {column.unit} like the others"
    if np.isnan(first):
        remedy += ", or leave the cell empty"
    return _mistaken(column, texts, bad, why, remedy)


def _in_numbers(texts: pd.Series[Any]) -> pd.Series[Any]:
    """Return dates whose months are words with numbers, such as 3.5.2023."""
    for pattern in _IN_WORDS:
        texts = texts.str.replace(pattern, _of_numbers, regex=True, flags=re.IGNORECASE)
    return texts


def _of_numbers(date: re.Match[str]) -> str:
    word = date["month"].casefold()
    month = next((n for n, own in enumerate(MONTHS, 1) if re.match(own, word)), word)
    if date.start("year") == 0:
        return f"{date['year']}-{month}-{date['day']}"
    return f"{date['day']}.{month}.{date['year']}"


def are_dates(numbers: Floats) -> bool:
    """Tell whether numbers are such as 20230503, and no others."""
    known = numbers[~np.isnan(numbers)]
    if len(known) < _FEWEST_DATES or not _FIRST_NUMBER <= known[0] <= _LAST_NUMBER:
        return False
    month, day = known // 100 % 100, known % 100
    is_day = (day % 1 == 0) & (day >= 1) & (day <= 31) & (month >= 1) & (month <= 12)
    is_date = is_day & (known >= _FIRST_NUMBER) & (known <= _LAST_NUMBER)
    return bool(is_date.all() and np.ptp(month))


def as_date(column: Column, texts: pd.Series[Any], asked: AskedKind | None) -> Understood | None:
    """Read dates; None for what is none, unless it must be."""
    there = texts.dropna()
    if asked is None and not _in_numbers(there.head(20)).str.fullmatch(_DATE).mean() >= _NEARLY_ALL:
        return None
    dates = read_dates(texts, ORDERS.get(asked or ""))
    n_dates = int(np.isfinite(dates.days).sum())
    if asked is None and n_dates < _NEARLY_ALL * len(there):
        return None
    if dates.either:
        first, second = (f"`columns: {{{as_yaml(column.name)}: {order}}}`" for order in ORDERS)
        row = int((texts == dates.either).to_numpy(dtype=bool).argmax())
        why = "which may begin with the day or with the month, as all others"
        what = f"{clipped(repr(dates.either))}, {why},"
        remedy = f"Write {first} or {second} into the view of the config"
        return Understood(column, mistake=Mistake(row, what, remedy, len(there)))
    return dated(replace(column, remarks=dates.remarks), dates.days, texts, dates.written)


def dated(column: Column, days: Floats, texts: pd.Series[Any], written: Written) -> Understood:
    """Return dates as days, of which the first of January 1970 is 0."""
    remarks = column.remarks or remarks_on(days)
    column = replace(column, kind="date", written=written, remarks=remarks)
    bad = np.isnan(days) & ~is_missing(texts)
    if bad.any():
        remedy = "Write a date, or leave the cell empty"
        return _mistaken(column, texts, bad, "which is not a date like the others", remedy)
    return Understood(column, days)


@dataclass(frozen=True, eq=False)
class Dates:
    """What the texts of a column say as dates."""

    days: Floats  # NaN for what is not a date in this order
    written: Written  # most of them
    remarks: tuple[str, ...] = ()
    either: str = ""  # the first date, if all allow both orders of day and month


def read_dates(texts: pd.Series[Any], written: Written | None) -> Dates:
    """Read dates of any year, in the order of ``written`` if it is given; NaN for what is none."""
    parts = texts.str.extract(f"^{_DATE.pattern}$")
    others = parts["first"].isna() & texts.notna()
    if others.any():
        parts.loc[others] = _in_numbers(texts[others]).str.extract(f"^{_DATE.pattern}$")
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
    if len(year) == 2:
        return str(1969 + (int(year) - 69) % 100)
    if len(year) == 4:
        return year
    return "-"


def _of_24_hours(time: str) -> str:
    """Return a time as ISO 8601 has it behind a date."""
    found = _TIME.match(time)
    if found is None:
        return time
    hour = int(found["hour"])
    if found["half"] and 1 <= hour <= 12:
        hour = hour % 12 + 12 * (found["half"].lower() == "pm")
    zone = _NAMED_ZONE.sub("", time[found.end() :].strip())  # no zone is UTC, too
    return f"T{hour:02}:{found['rest']}{zone}"


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


def as_pictures(column: Column, texts: pd.Series[Any], folder: str) -> Understood:
    """Measure the pictures that texts name, below the folder of the table."""
    values, reasons = measured_pictures(texts, folder)
    reason = next(filter(None, reasons), None)
    if reason is None:
        return Understood(replace(column, remarks=("colors and edges",)), values)
    why = f"which cannot be read as a picture ({clipped(reason, 200)})"
    remedy = "Correct it, or leave the cell empty"
    return _mistaken(column, texts, list(map(bool, reasons)), why, remedy)


def as_words(column: Column, texts: pd.Series[Any]) -> Understood:
    n_values = texts.nunique()
    kind = column.kind or ("category" if are_few(texts) else "text")
    if kind == "category" and n_values > MOST_VALUES:
        kind = "text"
        column = replace(column, remarks=(f"{n_values} values are too many for a category",))
    if kind == "text" and column.kind is None and _are_mails(texts):
        column = replace(column, written=Written.MAILS)
    if column.written is Written.MAILS:
        texts = texts.map(_body_of, na_action="ignore")
    words = texts.astype(object).where(texts.notna(), None).to_numpy()
    return Understood(replace(column, kind=kind), words)


def _are_mails(texts: pd.Series[Any]) -> bool:
    """Tell whether some texts of a column begin with headers or end with a signature."""
    there = texts.dropna()
    with_lines = there[there.str.contains("\n", regex=False)]
    n_mails = sum(_body_of(text) != text for text in with_lines)
    return n_mails > 0 and n_mails >= _ENOUGH * len(there)


def _body_of(text: str) -> str:
    """Return a mail's subject and text, without signature; as it is if nothing else is in it."""
    lines = text.split("\n")
    n_head = _n_head(lines)
    subjects = [found[2] for line in lines[:n_head] if (found := _SUBJECT.match(line))]
    bodies = lines[n_head:]
    below = bodies[-_MOST_SIGNED - 1 :]
    if signs := [n for n, line in enumerate(below) if line.rstrip() == "--"]:
        bodies = bodies[: len(bodies) - len(below) + signs[-1]]
    if n_head == 0 and not signs:
        return text
    return "\n".join([*subjects, *bodies]).strip() or text


def _n_head(lines: list[str]) -> int:
    """Return the number of lines of a mail's headers; a line with a blank continues one."""
    n = 0
    while n < len(lines) and (_FIELD.match(lines[n]) or (n and re.match(r"[ \t]+\S", lines[n]))):
        n += 1
    is_head = any(_SENDER.match(line) or _SUBJECT.match(line) for line in lines[:n])
    return n if n > 1 and is_head else 0
