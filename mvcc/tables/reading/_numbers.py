"""Numbers as people write them: with units, limits (<0.05, 65+); ranges, truth values."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Bools, Floats
from mvcc._utils.messages import counted, with_point
from mvcc.tables.reading._column import DURATIONS, TRUTH, Written, numbers_of
from mvcc.tables.reading._dates import seconds_of

_GROUPED = re.compile(r"(?<=\d)[ \u00a0\u202f'’](?=\d{3}(?!\d))")
_EXPONENT = r"(?:e[+-]?\d+)?"
_WITHOUT = rf"[+-]?(?:\d+\.?\d*|\.\d+){_EXPONENT}"
# nobody separates thousands before an exponent; 12,34,567 is how India writes 1,234,567
_WITH_POINT = (
    r"[+-]?(?:(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})(?:\.\d*)?"
    rf"|(?:\d+\.?\d*|\.\d+){_EXPONENT})"
)
_WITH_COMMA = rf"[+-]?(?:[1-9]\d{{0,2}}(?:\.\d{{3}})+(?:,\d*)?|(?:\d+,?\d*|,\d+){_EXPONENT})"
_WRITTEN = re.compile(rf"({_WITH_POINT}|{_WITH_COMMA})\s?%?", re.IGNORECASE)
SIGN_UNKNOWN = r"[+-]?[1-9]\d{0,2}[.,]\d{3}"  # 1.234 may be more than a thousand, or little

_LABELED = re.compile(r"(?s)\A([+-]?\d{1,9})(?:\s*[-–—=:.)]\s*([^\W\d].*))?\Z")

_CURRENCIES = {
    "€": ("€", "eur", "euro", "euros"),
    "$": ("$", "us$", "us $", "usd", "usd $"),
    "£": ("£", "gbp"),
    "¥": ("¥", "￥", "jpy", "円", "cny", "rmb", "元"),
    "₹": ("₹", "inr", "rs.", "rs"),
    "R$": ("r$", "brl"),
    "CHF": ("chf", "fr.", "sfr.", "sfr"),
    "kr": ("kr", "kr.", "sek", "nok", "dkk"),
    "zł": ("zł", "pln"),
    "₺": ("₺", "try"),
    "₽": ("₽", "руб.", "руб", "rub"),
    "₩": ("₩", "원", "krw"),
    "₴": ("₴", "грн", "грн.", "uah"),
}
_UNIT_OF = {word: unit for unit, words in _CURRENCIES.items() for word in words}
CURRENCY = "|".join(re.escape(word) for word in sorted(_UNIT_OF, key=len, reverse=True))
CURRENCY = CURRENCY.replace("try", "(?-i:TRY)")  # Try 1 is a word
_UNIT_OF["tl"] = "₺"  # only behind a number: codes begin with TL
_FACTORS = {
    **dict.fromkeys(("k", "tsd", "tsd."), 1e3),
    **dict.fromkeys(("m", "mn", "mln", "mio", "mio.", "million"), 1e6),
    **dict.fromkeys(("b", "bn", "mrd", "mrd.", "billion"), 1e9),
}
_LARGE = {"千": 1e3, "万": 1e4, "億": 1e8, "亿": 1e8}
_OF_YEN = {f"{word}{yen}": factor for word, factor in _LARGE.items() for yen in "円元"}
_THOUSANDS_BY_COMMA = ("$", "£", "¥", "₹", "₩")
_AMOUNT = rf"(?:\d[\d.,]*|[.,]\d+){_EXPONENT}"
_LIMIT = (
    "under|below|over|above|(?:less|fewer|more) than|up to|at (?:least|most)"
    "|unter|über|ab|bis(?: zu)?|(?:weniger|mehr) als|mindestens|höchstens|hasta|até|fino a"
    "|(?:moins|plus|menos|m[aá]s|mais) de|(?:meno|più) di|(?:minder|meer) dan|(?:mindre|mere) end"
)
_OPEN = (
    "(?:or|and) (?:more|over|above|older|up|less|under|below|younger)"
    "|(?:und|oder) (?:mehr|älter|darüber|weniger|jünger)|(?:et|ou) (?:plus|moins)"
    "|(?:y|o|ou) (?:m[aá]s|mais|menos)|o (?:più|meno)|(?:en|of) (?:meer|minder|ouder|jonger)"
    "|(?:og|eller) (?:mere|derover|mindre)"
)
_UNIT = r"[^\W\d_](?:[^\s\d,;:()*↑↓]|\*(?=[^\W\d_])){0,14}"  # N*m, but not m*
_CELL = re.compile(
    rf"(?P<limit>[<>≤≥]=?|(?=[^\W\d_])(?:{_LIMIT})(?= ))?\s*"
    rf"(?P<minus>[+\-−(])?\s*(?P<before>{CURRENCY})?\s*(?P<sign>[+\-−(])?"
    rf"(?:(?P<first>{_AMOUNT})(?:\s?(?:-|–|—|bis|to|à)\s?| (?:a|tot|til) )(?:(?P=before)\s?)?)?"
    rf"(?P<last>{_AMOUNT})(?:[.,][-–—])?(?P<behind>[-−+])?"
    r"\s*(?P<after>[%‰°€$£¥￥₹₺₽₩₴]|(?!e[+-]?\d)[°^µ]?(?:(?:sq|cu|fl)\.? |(?:square|cubic|fluid) )?"
    rf"{_UNIT}[23²³]?)?(?P<per>(?: ?/ ?| (?:per|pro|par) )(?:100 ?)?{_UNIT}"
    r"| ?/ ?(?:5|[1235]0|100)|(?<=%) ?(?:vol|abv|alc)\.?)?"
    rf"(?P<flag>\s?(?:\*{{1,3}}|[↑↓])|\s(?-i:HH?|LL?))?(?P<open> (?:{_OPEN}))?(?P<close>\))?",
    re.IGNORECASE,
)
_WHOLE_CELL = re.compile(rf"\A(?:{_CELL.pattern})\Z", re.IGNORECASE)
# what others must have, too: 768 beside 3.3k is not 768k; but m and t alone are units
_FACTOR = re.compile(
    rf"%|(?:[kKMT]|(?i:[kmtb](?={CURRENCY})|tsd|mio|mill|mrd|mn|mln|bn|thousand|[mb]illion)\.?)"
    rf"(?i:{CURRENCY})?"
)
# 1 day is in days, and 1 Tag in Tage
_PLURAL = re.compile(r"(?<=[^\W\d_]{2})(e[ns]?|s)$")
_MINUS = ("-", "−")
_FLAGS = ("H", "L", "HH", "LL")  # beside numbers without a unit
_MOSTLY = 0.5  # of cells that begin a column of numbers
_FEWEST_WITH_UNIT = 3  # numbers, for those without it to be of the same unit
_SAMPLE = 50
SEPARATED = {
    Written.COMMAS: _WITH_POINT,
    Written.POINTS: _WITH_COMMA,
    Written.DECIMAL_COMMAS: _WITH_COMMA,
}


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the texts of a column say as numbers."""

    values: Floats  # NaN for what is not a number like the others
    written: Written | None  # None if the texts allow two readings
    unit: str = ""
    remarks: tuple[str, ...] = ()
    has_limits: bool = False


def is_written_number(text: str) -> bool:
    """Tell whether a text is one number, whatever its separators mean, and no formula."""
    return _WRITTEN.fullmatch(_GROUPED.sub("", text)) is not None


def on_unclear_sign(text: str, *, is_text: bool) -> tuple[str, str]:
    """Say of the first number such as 1,234 why it is unclear, and what to do."""
    why = "whose comma may be a decimal comma or separate thousands"
    spellings = dict.fromkeys((with_point(text) or text.replace(",", "."), text.replace(",", "")))
    remedy = f"Write {' or '.join(spellings)}"
    if is_text:
        remedy += ", or separate the columns with semicolons"
    return why, remedy


def read_numbers(texts: pd.Series[Any], sign: str, delimiter: str | None) -> Numbers:
    """Read numbers of one sign and unit; other columns or the delimiter may tell the sign."""
    # one by one: pandas takes long to begin, for each of many columns
    head = [_GROUPED.sub("", text) for text in texts.dropna().head(_SAMPLE).tolist()]
    n_read = sum(_CELL.fullmatch(text) is not None for text in head)
    if not head or n_read < _MOSTLY * len(head):
        return Numbers(np.full(len(texts), np.nan), Written.PLAIN)
    parts = _without_flags(_without_grades(_taken_apart(texts)))
    unit = _commonest(parts["unit"])
    written = _written(parts, unit, sign, delimiter)
    if written is Written.PLAIN and _has_open_ends(parts):
        written, parts = Written.OPEN_ENDS, _with_open_ends(parts)
    if written is None:
        return replace(_read_parts(parts, Written.DECIMAL_COMMAS, unit), written=None)
    return _read_parts(parts, written, unit or _only_unit(parts, written))


def before_labels(texts: pd.Series[Any], *, one_each: bool = False) -> Floats:
    """Return numbers, some before labels, as in 1 - never; NaN for others, also if one has two."""
    parts = texts.astype(object).str.extract(_LABELED)
    numbers = parts[0].astype(np.float64)
    if one_each:
        numbers = numbers.mask(parts[1].groupby(numbers).transform("nunique") > 1)
    return np.asarray(numbers, dtype=np.float64)


def read_numbers_like(texts: pd.Series[Any], written: Written, unit: str) -> Floats:
    """Read more numbers of a column; NaN for what is written otherwise."""
    if written in TRUTH:
        return truth(texts, written)
    if written in DURATIONS:
        return seconds_of(texts, written)
    if written is Written.BEFORE_LABELS:
        return before_labels(texts)
    parts, unit = _taken_apart(texts), unit.rstrip(" *↑↓")  # which were of it in older models
    if not unit:
        parts["unit"] = parts["unit"].mask(parts["unit"].isin(_FLAGS), "")
    if written is Written.OPEN_ENDS:
        parts = _with_open_ends(parts)
    known = "¥" if unit in _OF_YEN else _UNIT_OF.get(unit.casefold(), unit)  # in older models, too
    return _read_parts(parts, written, known).values / _OF_YEN.get(unit, 1.0)


def truth(texts: pd.Series[Any], written: Written) -> Floats:
    """Return truth values as 1 and 0. Blanks are missing unless they are one of the words."""
    known = dict(zip(TRUTH[written], (0.0, 1.0), strict=True)) | {"1": 1.0, "0": 0.0}
    return np.asarray(texts.str.casefold().fillna("").map(known), dtype=np.float64)


def _taken_apart(texts: pd.Series[Any]) -> pd.DataFrame:
    """Return limit, first and last number, and unit of each text that is a number or a range."""
    plain = texts.astype(object).str.replace(_GROUPED, "", regex=True)
    parts = plain.str.extract(_WHOLE_CELL)
    has_cents = ~parts["last"].str.endswith((",", "."), na=False)  # 850,- has none
    parts["behind"] = parts["behind"].where(has_cents)
    parts["enclosed"] = (parts[["minus", "sign"]] == "(").any(axis=1)  # (828) is below 0
    parts["last"] = parts["last"].where(parts["enclosed"] == parts["close"].notna())
    minus = parts[["minus", "sign", "behind"]].isin([*_MINUS, "("]).any(axis=1)
    parts["last"] = parts["last"].where(~minus, "-" + parts["last"])
    parts["last"] = parts["last"].str.rstrip(",")
    parts["grouped"] = texts.str.contains(_GROUPED, na=False)
    parts["flagged"] = parts["flag"].notna()
    before = parts["before"].fillna("").str.casefold().map(_UNIT_OF | {"": ""})
    after = parts["after"].fillna("")
    folded = after.str.casefold()
    factors = folded.map(_FACTORS).astype(np.float64)
    parts["factor"] = factors.where(before != "")  # $5k; m alone is a unit
    after = folded.map(_UNIT_OF).fillna(after).where(parts["factor"].isna(), "")
    in_yen = folded.map(_OF_YEN).astype(np.float64)
    parts["factor"], after = parts["factor"].fillna(in_yen), after.where(in_yen.isna(), "¥")
    unit = before.where(before == after, (before + " " + after).str.strip())
    per = parts["per"].fillna("").str.replace(" ?/ ?", "/", regex=True)
    unit = unit + per.str.replace("100 ", "100")
    return parts.assign(unit=unit.str.strip().where(parts["last"].notna()))  # empty without a unit


def _without_grades(parts: pd.DataFrame) -> pd.DataFrame:
    """Return parts without those like 2+ where 2 or 2- stand beside them, as in grades."""
    has_plus = parts["behind"] == "+"
    others = parts[~has_plus & parts["first"].isna()]
    if others["behind"].notna().any() or others["last"].isin(parts["last"][has_plus]).any():
        return parts.assign(last=parts["last"].mask(has_plus), unit=parts["unit"].mask(has_plus))
    return parts


def _has_open_ends(parts: pd.DataFrame) -> bool:
    """Tell whether 40- is 40 or more: beside ranges; in accounting, it is below 0."""
    return bool(parts["behind"].isin(_MINUS).any() and parts["first"].notna().any())


def _with_open_ends(parts: pd.DataFrame) -> pd.DataFrame:
    """Return parts with a limit instead of a number below 0 that has its minus behind."""
    is_open = parts["behind"].isin(_MINUS)
    return parts.assign(
        last=parts["last"].mask(is_open, parts["last"].str.removeprefix("-")),
        open=parts["open"].mask(is_open, "-"),
        behind=parts["behind"].mask(is_open),
    )


def _without_flags(parts: pd.DataFrame) -> pd.DataFrame:
    """Return parts without H and L for a unit, which laboratories set behind some numbers."""
    is_flag = parts["unit"].isin(_FLAGS)
    others = parts["unit"][~is_flag].dropna()
    may_be_liters = set(parts["unit"][is_flag]) == {"L"}  # but not beside 7 H
    if len(others) < is_flag.sum() or (others != "").any() or may_be_liters:
        return parts
    return parts.assign(unit=parts["unit"].mask(is_flag, ""), flagged=parts["flagged"] | is_flag)


def _commonest(units: pd.Series[Any]) -> str:
    """Return the unit of most numbers, as most of these write it; empty if most have none."""
    n_numbers = units.notna().sum()
    filled = units[units.fillna("") != ""]
    if len(filled) < _MOSTLY * n_numbers or not n_numbers:
        return ""
    return str(filled.mode().iloc[0])


def _only_unit(parts: pd.DataFrame, written: Written) -> str:
    """Return the only unit that some numbers have, if most lack it but lie among these."""
    units = parts["unit"].fillna("")
    has_unit = units != ""
    if has_unit.sum() < _FEWEST_WITH_UNIT or units[has_unit].str.casefold().nunique() > 1:
        return ""
    unit = str(units[has_unit].mode().iloc[0])
    values = pd.Series(_read_parts(parts, written, unit).values, parts.index)
    known = values[has_unit]  # 6 months beside 34 are none of them
    return unit if known.min() <= values[~has_unit].median() <= known.max() else ""


def _read_parts(parts: pd.DataFrame, written: Written, unit: str) -> Numbers:
    """Return the numbers that are written in this way and have this unit, or none."""
    folded = parts["unit"].str.casefold().str.replace(_PLURAL, "", regex=True)
    first, last = (_read(parts[name], written) for name in ("first", "last"))
    is_range = parts["first"].notna().to_numpy(dtype=bool)
    values = np.where(is_range, (first + last) / 2, last) * parts["factor"].fillna(1).to_numpy()
    has_no_unit = (folded == "").to_numpy(dtype=bool) & bool(unit)
    may_lack_it = (values == 0) | (_FACTOR.fullmatch(unit) is None)
    if unit == "%":
        may_lack_it |= np.abs(values) >= 1  # 0.5 may be half
    is_unit = folded == _PLURAL.sub("", unit.casefold())
    fits = is_unit.to_numpy(dtype=bool) | (has_no_unit & may_lack_it)
    ends = parts["first"].fillna("") + " " + parts["last"].fillna("")
    is_padded = ends.str.contains(r"(?<![\d.,])0\d").to_numpy(dtype=bool)
    is_safe = (first < last) & ~is_padded
    values[~fits | (is_range & ~is_safe)] = np.nan
    has_plus = parts["behind"] == "+"
    is_limit = (parts[["limit", "open"]].notna().any(axis=1) | has_plus).to_numpy(dtype=bool)
    are_whole = not parts["last"].str.contains("[.,]", na=False).any()  # 2- may be a grade
    is_grade = (parts["behind"].notna() & ~has_plus).to_numpy(dtype=bool) & are_whole
    remarks = []
    for mask, noun, words in (
        (has_no_unit, "value", "without the unit"),
        (is_limit, "value", "below or above a limit read as the limit"),
        (is_range, "range", "read as the middle"),
        (is_grade, "value", "with a minus behind read as below 0"),
        (parts["enclosed"].to_numpy(dtype=bool), "value", "in parentheses read as below 0"),
        (parts["flagged"].to_numpy(dtype=bool), "value", "read without the flag behind"),
    ):
        if n := int((mask & ~np.isnan(values)).sum()):
            remarks.append(f"{counted(n, noun)} {words}")
    return Numbers(values, written, unit, tuple(remarks), bool(is_limit.any()))


def _read(cells: pd.Series[Any], written: Written) -> Floats:
    plain = cells.where(_matches(cells, SEPARATED.get(written, _WITHOUT)), "nan")
    if written in (Written.DECIMAL_COMMAS, Written.POINTS):
        plain = plain.str.replace(".", "", regex=False).str.replace(",", ".")
    return numbers_of(plain.str.replace(",", "", regex=False))


def _matches(texts: pd.Series[Any], style: str) -> Bools:
    return texts.str.fullmatch(style, flags=re.IGNORECASE, na=False).to_numpy(dtype=bool)


def _written(parts: pd.DataFrame, unit: str, sign: str, delimiter: str | None) -> Written | None:
    """Decide what points and commas mean, once for the whole column; None if it is unknown."""
    amounts = pd.concat([parts["first"], parts["last"]])
    is_short = np.tile(parts["factor"].notna(), 2)[amounts.notna()]  # $1.125M has no thousands
    amounts = amounts.dropna()
    unknown = _matches(amounts, SIGN_UNKNOWN)
    by_point = _matches(amounts, _WITH_POINT)
    by_comma = _matches(amounts, _WITH_COMMA)
    has_comma = amounts.str.contains(",", regex=False).to_numpy(dtype=bool)
    has_point = amounts.str.contains(".", regex=False).to_numpy(dtype=bool)
    unknown = unknown & ~(is_short & has_point)
    n_comma = int((by_comma & ~by_point).sum())
    n_point = int((by_point & ~by_comma).sum())
    unknown_comma, unknown_point = (unknown & has_comma).any(), (unknown & has_point).any()
    if n_comma == n_point == 0 and (unknown_comma or unknown_point):
        if unknown_comma and unknown_point:
            return None
        sign = _likely_sign(unit, sign, delimiter, by_comma=bool(unknown_comma))
        if not sign:
            return None
        n_comma, n_point = int(sign == ","), int(sign == ".")
    if n_comma > n_point:
        return Written.DECIMAL_COMMAS if has_comma.any() else Written.POINTS
    if has_comma.any():
        return Written.COMMAS
    if parts["grouped"].any():
        return Written.SPACES
    return Written.PLAIN


def _likely_sign(unit: str, sign: str, delimiter: str | None, *, by_comma: bool) -> str:
    """Return the sign for numbers like 1.234 or 1,234; money has no three decimals."""
    currency = re.split("[/ ]", unit)[0]  # of €/kg, too
    is_money = currency in _UNIT_OF.values()
    if by_comma:
        if currency in _THOUSANDS_BY_COMMA:
            return "."
        return sign or {";": ","}.get(delimiter or "", "")
    if is_money:
        return ","
    return sign or "."
