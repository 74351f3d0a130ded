"""What a column is: number, date, category, text or picture; or what is wrong with a value."""

from __future__ import annotations

import datetime
import decimal
import re
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.arrays import Bools, Floats
from mvcc._utils.messages import clipped
from mvcc._utils.settings import as_yaml
from mvcc.tables._job import AskedKind, Kind
from mvcc.tables.reading._column import (
    DURATIONS,
    TRUTH,
    Column,
    LeftOut,
    Written,
    are_few,
    are_few_codes,
    are_ordered,
    as_category,
    as_texts,
    is_missing,
    narrow_texts,
    numbers_of,
    said_of_most,
    spellings,
)
from mvcc.tables.reading._dates import (
    DURATION,
    ORDERS,
    are_texts_of_dates,
    begin_as_dates,
    days_of,
    read_dates,
    remarks_on,
    seconds_of,
)
from mvcc.tables.reading._mails import are_mails, body_of
from mvcc.tables.reading._numbers import (
    SEPARATED,
    before_labels,
    is_written_number,
    on_unclear_sign,
    read_numbers,
    read_numbers_like,
    truth,
)
from mvcc.tables.reading._pictures import measured_pictures
from mvcc.tables.reading._problems import Mistake

Texts: TypeAlias = "pd.Series[Any]"
Values = Floats | NDArray[np.object_]

_KIND_OF: dict[str, Kind | None] = {**dict.fromkeys(ORDERS, "date"), "mail": "text"}
_PLAIN = (str, int, float, decimal.Decimal, np.generic, datetime.date, datetime.time)
MOST = 1e100  # of a value; sums of squares of larger ones are beyond all floats
MOST_VALUES = 1000  # of a category that was asked for: each is a column
_NEARLY_ALL = 0.9  # of the values that must be numbers, for the others to be mistakes
_MANY = 0.6  # of the values that are durations, if numbers are asked for
_MOST = 0.5  # of the values; if more are numbers, a column of words says so
# one of the two words alone tells that they are truth values
_CERTAIN = (Written.TRUE_FALSE, Written.YES_NO, Written.WAHR_FALSCH, Written.JA_NEIN)


@dataclass(frozen=True, eq=False)
class Understood:
    """A column, its values (numbers, days of dates, texts, or missing), or what is wrong."""

    column: Column
    values: Values | None = None
    mistake: Mistake | None = None


class Hints(NamedTuple):
    """What the rest of a table tells of a column."""

    delimiter: str | None  # of a text file; with the sign, it tells what a comma means
    folder: str  # of the file, where pictures are sought
    sign: str = ""  # the decimal sign of other columns, if one of them tells it


def understood(
    values: pd.Series[Any], asked: AskedKind | None, code: LeftOut | None, hints: Hints
) -> Understood:
    """Find out what a column is, unless somebody asked for a kind."""
    missing = is_missing(values)
    kind: Kind | None = _KIND_OF.get(asked or "", asked)  # type: ignore[arg-type]
    column = Column(str(values.name), kind, int(missing.sum()))
    if asked == "mail":
        column = replace(column, written=Written.MAILS)
    if missing.all():
        return Understood(replace(column, kind=None, why=LeftOut.EMPTY))
    types = "iufbm" if code is None or kind == "number" else ""
    if reading := _by_type(column, values, missing, types):
        return reading
    texts = as_texts(values).mask(missing)
    if code is not None and are_few_codes(texts):
        reading = _as_words(replace(column, kind="category", remarks=(str(code),)), texts)
        return _with_none(reading, values)
    if kind == "picture":
        return _as_pictures(column, texts, hints.folder)
    if kind in (None, "number"):
        reading = _as_number(column, texts, values, hints)
    if reading is None and kind in (None, "date"):
        reading = _as_date(column, texts, asked)
    return _with_none(reading or _as_words(column, texts), values)


def _with_none(reading: Understood, values: pd.Series[Any]) -> Understood:
    """Return a category of which none is a value, as of an airbag; others lack what is none."""
    if reading.column.kind != "category" or not reading.column.n_missing:
        return reading
    texts = as_texts(values).mask(is_missing(values, of_categories=True))
    column = replace(reading.column, n_missing=int(texts.isna().sum()))
    return Understood(column, _words_of(texts))


def _by_type(
    column: Column, values: pd.Series[Any], missing: Bools, types: str
) -> Understood | None:
    """Read dates and numbers of some types as these; lists and the like are a mistake."""
    if isinstance(values.dtype, pd.PeriodDtype):
        values = values.dt.to_timestamp()
    kind = values.dtype.kind
    if kind == "M" and column.kind in (None, "date"):
        return _dated(column, days_of(values), values, Written.PLAIN)
    if kind in types and column.kind in (None, "number"):
        written, numbers = Written.PLAIN, values
        if kind == "m":
            written, numbers = Written.IN_SECONDS, values.dt.total_seconds()
        elif kind == "b":  # with a missing one, pandas keeps the next ones as objects
            written = Written.TRUE_FALSE
        floats: Floats = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
        return _numeric(column, floats, values, written)
    if are_ordered(values) and column.kind in (None, "number"):
        codes = values.cat.codes.astype(np.float64)
        return _numeric(column, codes.where(~missing).to_numpy(), values, Written.ORDERED)
    if values.dtype != object and values.dtype.kind != "c":
        return None
    odd = ~missing & np.array([not isinstance(value, _PLAIN) for value in values], dtype=bool)
    if not odd.any():
        return None
    row = int(odd.argmax())
    description = f"a {type(values.iloc[row]).__name__}, neither number nor text,"
    remedy = "Make a column of each of its parts, or one text of them all"
    return Understood(column, mistake=Mistake(row, description, remedy, int(odd.sum())))


def read_as(known: Column, values: pd.Series[Any], folder: str) -> Understood:
    """Read more values of a column that was read before."""
    written, is_category = known.written, known.kind == "category"
    missing = is_missing(values, of_signs=written is Written.SIGNS, of_categories=is_category)
    # in an older model, a constant has no kind
    column = Column(known.name, known.kind or "number", written=written, unit=known.unit)
    if reading := _by_type(column, values, missing, "m" if written in DURATIONS else "iufb"):
        return reading
    texts = as_texts(values).mask(missing)
    if column.kind == "picture":
        return _as_pictures(column, texts, folder)
    if column.kind in ("category", "text"):
        return _as_words(column, texts)
    texts = narrow_texts(texts)
    if column.kind == "date":
        return _dated(column, read_dates(texts, written).days, texts, written)
    every = (read_numbers_like(way, written, known.unit) for way in spellings(texts, values))
    return _numeric(column, max(every, key=lambda X: np.isfinite(X).sum()), texts, written)


def _as_number(
    column: Column, words: Texts, values: pd.Series[Any], hints: Hints
) -> Understood | None:
    """Read numbers, with units or not, durations, truth values; None for others, unless asked."""
    texts = narrow_texts(words)
    plain, n_filled = numbers_of(texts.fillna("nan")), texts.count()
    n_plain = int(np.count_nonzero(~np.isnan(plain)))
    if n_plain == n_filled:
        return _numeric(column, plain, texts, Written.PLAIN)
    if reading := _as_durations(column, texts) or _as_truth(column, texts):
        return reading
    if column.kind == "number":
        labeled = before_labels(texts, one_each=True)
        if np.isfinite(labeled).sum() > max(n_plain, _MANY * n_filled):
            return _numeric(column, labeled, texts, Written.BEFORE_LABELS)
    every = (read_numbers(way, hints.sign, hints.delimiter) for way in spellings(texts, values))
    read = max(every, key=lambda numbers: np.isfinite(numbers.values).sum())
    n_read = int(np.isfinite(read.values).sum())
    numbers = read.values if n_read > n_plain else plain
    others = texts[np.isnan(numbers)].dropna()
    n_numbers, n_others = len(np.unique(numbers[~np.isnan(numbers)])), others.nunique()
    is_one_limit = read.has_limits and n_numbers == 1 < texts.nunique() - n_others  # <5 and >5
    have_units = n_plain == 0  # or are words, as 1Fam is beside Duplex and Twnhs
    if column.kind is None and (is_one_limit or (have_units and n_others > n_numbers)):
        return None
    enough = n_filled * _share_of_numbers(words, others, column.kind is None and have_units)
    if n_read > n_plain and n_read >= enough:
        if read.written is None:
            has_comma = texts.str.contains(",", na=False)
            said = on_unclear_sign(texts[has_comma].iloc[0], is_text=hints.delimiter is not None)
            mistake = Mistake.of(texts, has_comma, *said, may_be_missing=False)
            return Understood(column, mistake=mistake)
        column = replace(column, unit=read.unit, remarks=read.remarks)
        return _numeric(column, read.values, texts, read.written)
    if column.kind == "number" or n_plain >= enough:
        return _numeric(column, plain, texts, Written.PLAIN)
    if have_units and n_others >= n_numbers:
        return None
    if max(n_read, n_plain) <= _MOST * n_filled or are_texts_of_dates(texts):
        return None
    noun = "numbers"
    if n_read > n_plain and read.unit:
        noun += f" in {read.unit}"
    return _as_words(replace(column, remarks=said_of_most(words, numbers, noun)), words)


def _share_of_numbers(words: Texts, others: Texts, may_be_classes: bool) -> float:
    """Return which share of the values must be numbers, for the others to be mistakes."""
    repeat = others.duplicated(keep=False).all()
    if may_be_classes and repeat and are_few_codes(words) and others.str.contains(r"\d").all():
        return 1.0  # of classes such as $1000-2999, one may be lt $1000
    is_one = others.nunique() == 1 < len(others) < _MOST * words.count()
    if is_one and not (re.search(r"\d", others.iloc[0]) or are_few(words)):
        return _MOST  # one word, such as on request, beside many numbers is a mistake, too
    return _NEARLY_ALL


def _as_durations(column: Column, texts: Texts) -> Understood | None:
    """Read durations, if most values are some."""
    filled = texts.dropna()
    durations = filled[filled.str.match(DURATION)]
    if len(durations) < (_MANY if column.kind else _NEARLY_ALL) * len(filled):
        return None
    is_short = durations.str.count(":") == 1
    written = DURATIONS[int(is_short.all())]
    if is_short.any() and written is Written.IN_SECONDS and column.kind is None:
        examples = f"{durations[is_short].iloc[0]} beside {durations[~is_short].iloc[0]}"
        return _as_words(replace(column, remarks=(f"{examples} may be minutes or hours",)), texts)
    return _numeric(column, seconds_of(texts, written), texts, written)


def _as_truth(column: Column, texts: Texts) -> Understood | None:
    """Read truth values, if all values are two words for these, or one that is certain."""
    folded = set(texts.dropna().str.casefold().unique()[:3])
    for written, words in TRUTH.items():
        if folded <= set(words) and (len(folded) == 2 or "" in words or written in _CERTAIN):
            truths = truth(texts, written)
            column = replace(column, n_missing=int(np.isnan(truths).sum()))
            return _numeric(column, truths, texts, written)
    return None


def _numeric(column: Column, numbers: NDArray[Any], texts: Texts, written: Written) -> Understood:
    missing = is_missing(texts)
    column = replace(column, kind="number", written=written)
    bad = ~((missing & np.isnan(numbers)) | (np.abs(numbers) <= MOST))
    if not bad.any():
        return Understood(column, numbers)
    first, text = numbers[bad][0], str(texts[bad].iloc[0])
    why, remedy = "which is not a finite number", "Write a number"
    if np.isfinite(first):
        why, remedy = "which is too large to compute with", f"Scale the column to below {MOST:.0e}"
    elif written in DURATIONS:
        why, remedy = "which is not a duration like the others", "Write it like them"
        if written is Written.IN_SECONDS and (parts := re.fullmatch(r"(\d+):([0-5]\d)", text)):
            hours, minutes = divmod(int(parts[1]), 60)
            remedy = f"Write {text}:00 or {hours}:{minutes:02}:{parts[2]}"
    elif column.unit:
        why += f" in {column.unit} like the others"
    elif written in SEPARATED and is_written_number(text):
        why += f" {written} like the others"
    may_be_missing = bool(np.isnan(first))  # an infinite one was meant as a number
    mistake = Mistake.of(texts, bad, why, remedy, may_be_missing=may_be_missing)
    return Understood(column, mistake=mistake)


def _as_date(column: Column, words: Texts, asked: AskedKind | None) -> Understood | None:
    """Read dates; None for what is none, unless it must be."""
    texts = narrow_texts(words)
    filled = texts.dropna()
    if asked is None and not begin_as_dates(filled):
        return None
    dates = read_dates(texts, ORDERS.get(asked or ""))
    n_dates = int(np.isfinite(dates.days).sum())
    if asked is None and n_dates < _NEARLY_ALL * len(filled):
        if n_dates > _MOST * len(filled):
            column = replace(column, remarks=said_of_most(words, dates.days, "dates"))
        return _as_words(column, words)
    if dates.either:
        first, second = (f"`columns: {as_yaml({column.name: order})}`" for order in ORDERS)
        row = int((texts == dates.either).to_numpy(dtype=bool).argmax())
        why = "which may begin with the day or with the month, as all others"
        description = f"{clipped(repr(dates.either))}, {why},"
        remedy = f"Write {first} or {second} into the view of the config"
        return Understood(column, mistake=Mistake(row, description, remedy, len(filled)))
    return _dated(replace(column, remarks=dates.remarks), dates.days, texts, dates.written)


def _dated(column: Column, days: Floats, texts: Texts, written: Written) -> Understood:
    """Return dates as days, of which the first of January 1970 is 0."""
    remarks = (*column.remarks, *remarks_on(days))
    column = replace(column, kind="date", written=written, remarks=remarks)
    bad = np.isnan(days) & ~is_missing(texts)
    if bad.any():
        why = "which is not a date"
        if np.isfinite(days).any():
            why += " like the others"
        return Understood(column, mistake=Mistake.of(texts, bad, why, "Write a date"))
    return Understood(column, days)


def _as_pictures(column: Column, texts: Texts, folder: str) -> Understood:
    """Measure the pictures that texts name, below the folder of the table."""
    values, reasons = measured_pictures(texts, folder)
    reason = next(filter(None, reasons), None)
    if reason is None:
        return Understood(replace(column, remarks=("colors and edges",)), values)
    why = f"which cannot be read as a picture ({clipped(reason, 200)})"
    mistake = Mistake.of(texts, list(map(bool, reasons)), why, "Correct it")
    return Understood(column, mistake=mistake)


def _as_words(column: Column, texts: Texts) -> Understood:
    n_values = texts.nunique()
    kind = column.kind or ("category" if are_few(texts) else "text")
    if kind == "category" and n_values > MOST_VALUES:
        kind = "text"
        column = replace(column, remarks=(f"{n_values} values are too many for a category",))
    if kind == "category":
        column = as_category(column, texts)
    if kind == "text" and column.kind is None and are_mails(texts):
        column = replace(column, written=Written.MAILS)
    if column.written is Written.MAILS:
        texts = texts.map(body_of, na_action="ignore")
    return Understood(replace(column, kind=kind), _words_of(texts))


def _words_of(texts: Texts) -> NDArray[np.object_]:
    return texts.astype(object).where(texts.notna(), None).to_numpy()
