"""Columns that say nothing: codes; numbers, times or names of rows; repetitions of others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.text import n_words, with_blanks
from mvcc.tables._job import Kind
from mvcc.tables.reading._codes import DECIMAL, ENOUGH_CODES, NAMED_CODES, holds_ids
from mvcc.tables.reading._column import (
    GLANCE,
    Column,
    LeftOut,
    as_category,
    first_text,
    given_texts,
)
from mvcc.tables.reading._kinds import MOST_VALUES, Understood, Values

_PADDED = re.compile(r"^0\d+$", re.MULTILINE)
_DIGITS = re.compile(r"\d+")
_POSTAL = re.compile(
    r"\d{3,6}(-\d{4})?|(?=.*\d)(?=.*[A-Z -])[A-Z\d]{2,5}[ -]?[A-Z\d]{2,4}", re.IGNORECASE
)
# cap of Italy and cep of Brazil; who else calls columns so measures
_CAP_OR_CEP = re.compile(r"\d{5}(-?\d{3})?")
# not a measurement, but with .0, as a number of a phone is where others are missing
_PHONE = re.compile(r"(?!(?:\d{1,5}\.0|\d+\.(?!0$)\d{1,3})$)\+?[\d(][\d ()/.-]{4,20}")
_WRITTEN_PHONE = re.compile(
    r"(?!\d{1,2}[/-]\d{1,2}[/-]\d{2,4}$)(?:\+\d|\(?0)\d*[ ()/-][\d ()/-]{4,20}"
)
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\W\d_]{2,}")
# also of parts, as ISBN 88-06-12345-6 is, but not a date such as 2020-01-31
_BARCODE = re.compile(
    r"(?!\d{4}-\d\d-)(?:(?:\d[- ]?){7}(?:(?:\d[- ]?){2})?[\dX]|(?:\d[- ]?){11,13}\d)", re.IGNORECASE
)

_FEWEST_ROWS = 10  # of fewer, order and equal values may be chance
_A_DAY = 1.0  # within which an export ends
_MOST_COMPARED = 100  # columns; among more, a repeated one weighs next to nothing
_SAME = 1e-6  # standard deviations
_LOOKED_AT = 100  # rows that most columns differ in

_FEWEST_TEXTS = 50  # of fewer, nothing can be said of words that repeat
_FEW_WORDS = 4  # that half of the texts have at least, to count words instead of their parts
_REPEATED = 5  # times that a value is there in the mean, or a word at least
_COMMON = 0.005  # of the texts that have a word at least, for it to repeat
_BETWEEN = re.compile(r"[|;]|,(?=[^\W\d_])")  # the choices of a list
_HARDLY = 0.6  # of the words that repeat, below which texts are names: first names do, others not


def code_reasons(frame: pd.DataFrame, columns: Iterable[str]) -> dict[str, LeftOut]:
    """Return those of some columns that hold codes, and which."""
    reasons = ((name, code_reason(name, frame[name])) for name in columns)
    return {name: reason for name, reason in reasons if reason is not None}


def code_reason(name: str, values: pd.Series[Any]) -> LeftOut | None:
    """Tell why a column holds codes, such as numbers without a size; None if it does not."""
    if values.dtype.kind not in "OUTiuf" or not len(values):
        return None
    if holds_ids(name, values):
        return LeftOut.AN_ID
    named = NAMED_CODES.fullmatch(name.strip())
    is_text = values.dtype.kind in "OUT"
    first = first_text(values)
    # no code is written with a decimal sign, and looking for zeros in front takes long
    head = map(str, values.iloc[:GLANCE].tolist())
    if is_text and not named and all(map(DECIMAL.fullmatch, head)):
        return None
    may_be_padded = is_text and _PADDED.search("\n".join(map(str, values.tolist())))
    if _ADDRESS.fullmatch(first):
        if _most_match(given_texts(values), _ADDRESS):
            return LeftOut.ADDRESSES
        return None
    if not (named or may_be_padded or _WRITTEN_PHONE.fullmatch(first) or _BARCODE.fullmatch(first)):
        return None
    texts = given_texts(values)
    if named and named["postal"] and _most_match(texts, _CAP_OR_CEP if named["short"] else _POSTAL):
        return LeftOut.POSTAL_CODES
    is_phone = named and not named["postal"] and _most_match(texts, _PHONE)
    if is_phone or (is_text and _most_match(texts, _WRITTEN_PHONE)):
        return LeftOut.PHONE_NUMBERS
    if _most_match(texts, _BARCODE) and texts.map(_has_check_digit).mean() > ENOUGH_CODES:
        return LeftOut.BARCODES
    if may_be_padded and _most_match(texts, _DIGITS):
        return LeftOut.PADDED
    return None


def _most_match(texts: pd.Series[Any], pattern: re.Pattern[str]) -> bool:
    return bool(len(texts) and texts.str.fullmatch(pattern).mean() > ENOUGH_CODES)


def _has_check_digit(code: str) -> bool:
    """Tell whether the last sign is the check digit of a barcode (EAN, UPC, GTIN), ISBN or ISSN."""
    code = code.replace("-", "").replace(" ", "")
    if not code[:-1].isdecimal():
        return False
    *digits, last = (10 if sign in "Xx" else int(sign) for sign in code)
    weighted = sum(digit * (3, 1)[index % 2] for index, digit in enumerate(reversed(digits)))
    if last < 10 and (weighted + last) % 10 == 0:
        return True
    if len(code) not in (8, 10):
        return False
    weighted = sum(digit * weight for weight, digit in enumerate(reversed(digits), 2))
    return (weighted + last) % 11 == 0


def without_superfluous(
    readings: dict[str, Understood], unasked: Set[str]
) -> dict[str, Understood]:
    """Leave out columns that nobody asked for and that say nothing, unless no other is left."""
    if any(one.values is not None and len(one.values) < _FEWEST_ROWS for one in readings.values()):
        return readings
    kept: dict[str, Understood] = {}
    # words say more than ids of the same things
    for name in sorted(readings, key=lambda name: LeftOut.AN_ID in readings[name].column.remarks):
        reading = readings[name]
        if name not in unasked or reading.values is None:
            kept[name] = reading
        elif reason := _of_the_order(reading):
            kept[name] = _left_out(reading, reason)
        elif len(readings) > _MOST_COMPARED or (twin := _twin_of(reading, kept)) is None:
            kept[name] = reading
        else:
            kept[name] = _left_out(reading, LeftOut.REPEATS, repr(twin))
    if all(one.values is None for one in kept.values()):
        return readings
    return {name: kept[name] for name in readings}


def _left_out(reading: Understood, why: LeftOut, *remarks: str) -> Understood:
    column = reading.column
    return Understood(Column(column.name, None, column.n_missing, why=why, remarks=remarks))


def _of_the_order(reading: Understood) -> LeftOut | None:
    """Tell whether a column counts the rows, or has times of one day at which they came."""
    values: Any = reading.values
    if reading.column.n_missing:
        return None
    if reading.column.kind == "number" and values[0] % 1 == 0 and (np.diff(values) == 1).all():
        return LeftOut.ROW_NUMBERS
    is_time = reading.column.kind == "date" and (values % 1).any()
    if is_time and (np.diff(values) >= 0).all() and np.ptp(values) < _A_DAY:
        return LeftOut.EXPORT_TIMES
    return None


def _twin_of(reading: Understood, earlier: dict[str, Understood]) -> str | None:
    """Return an earlier column that says the same, perhaps in other words or another unit."""
    same = _SAME_VALUES.get(reading.column.kind)
    if same is None:  # a constant
        return None
    x: Any = reading.values
    is_id = LeftOut.AN_ID in reading.column.remarks  # which may repeat numbers, too
    for name, other in earlier.items():
        y: Any = other.values
        are_alike = y is not None and (is_id or other.column.kind == reading.column.kind)
        if are_alike and same(x[:_LOOKED_AT], y[:_LOOKED_AT]) and same(x, y):
            return name
    return None


def _are_equal(x: Any, y: Any) -> bool:
    return bool(((x == y) | (pd.isna(x) & pd.isna(y))).all())


def _have_the_same_groups(x: Any, y: Any) -> bool:
    """Tell whether categories are the same but for their words, such as red and 1, blue and 2."""
    groups = [pd.factorize(pd.Series(values, dtype=object))[0] for values in (x, y)]
    return bool((groups[0] == groups[1]).all())


def _are_linear(x: Any, y: Any) -> bool:
    """Tell whether numbers are the same but for their unit, such as prices and prices in cents."""
    known = ~np.isnan(x)
    if (known == np.isnan(y)).any():
        return False
    x, y = x[known], y[known]
    # if nothing differs, as in the first rows, the other rows tell
    widths = [z.std() if len(z) and z.min() < z.max() else 0.0 for z in (x, y)]
    if not all(widths):
        return not any(widths)
    return bool(np.abs((x - x.mean()) / widths[0] - (y - y.mean()) / widths[1]).max() < _SAME)


_SAME_VALUES: dict[Kind | None, Callable[[Any, Any], bool]] = {
    "number": _are_linear,
    "date": _are_equal,
    "category": _have_the_same_groups,
    "text": _are_equal,
}


def without_names(readings: dict[str, Understood], unasked: Set[str]) -> dict[str, Understood]:
    """Make categories of short texts that repeat, and leave out those whose words hardly do."""
    of_texts = {name: one.values for name, one in readings.items() if one.column.kind == "text"}
    is_alone = all(one.values is None for name, one in readings.items() if name not in of_texts)
    texts = {name: values for name, values in of_texts.items() if values is not None}
    if any(len(values) < _FEWEST_TEXTS or _are_long(values) for values in texts.values()):
        return readings
    changed = dict(readings)
    for name in texts.keys() & unasked:
        column = readings[name].column
        filled = [text for text in texts[name] if isinstance(text, str)]
        n_values = len(set(filled))
        if n_values <= MOST_VALUES and len(filled) >= _REPEATED * n_values:
            changed[name] = Understood(as_category(column, pd.Series(texts[name])), texts[name])
        elif not is_alone and _share_repeated(filled) < _HARDLY:
            has_words = re.search(r"[^\W\d_]{2}", "".join(filled))  # in 52° 31' N is none
            why = LeftOut.NAMES if has_words else LeftOut.NO_WORDS
            changed[name] = Understood(replace(column, kind=None, why=why))
    return changed


def _are_long(values: Values) -> bool:
    return bool(np.median([n_words(str(text or "")) for text in values]) >= _FEW_WORDS)


def _share_repeated(texts: list[str]) -> float:
    """Return the share of words, but numbers, that many texts have."""
    spaced = (with_blanks(_BETWEEN.sub(" ", text.casefold())) for text in texts)
    of_texts = (set(text.split()) for text in spaced)
    words = [word for found in of_texts for word in found if not word.isdigit()]
    counts, least = Counter(words), max(_REPEATED, len(texts) * _COMMON)
    return sum(counts[word] >= least for word in words) / max(len(words), 1)
