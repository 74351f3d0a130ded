"""Numbers that are written as text, with decimal points or commas, and with separators of
thousands.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.types import Bools, Floats

DECIMAL_COMMAS = "with decimal commas"
COMMAS = "with commas for thousands"
POINTS = "with points for thousands"
_GROUPED = re.compile(r"(?<=\d)[ \u00a0\u202f'’](?=\d{3}(?!\d))")
_WITH_POINT = r"[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_WITH_COMMA = r"[+-]?(?:\d{1,3}(?:\.\d{3})+(?:,\d*)?|\d+,?\d*|,\d+)(?:e[+-]?\d+)?"
_WRITTEN = re.compile(rf"({_WITH_POINT}|{_WITH_COMMA})\s?%?", re.IGNORECASE)
_POINTS_FOR_THOUSANDS = r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d{1,3})"


def numbers_of(words: Any) -> Floats:
    """Return texts as the nearest floats, NaN for what is no number.

    Pandas before 3.1 may be off in the last bit.
    """
    words = np.asarray(words, dtype=object)
    try:
        text = "".join(words.ravel())
        if (
            text.isascii() and "_" not in text
        ):  # Python takes 1_000 and digits of other scripts, too
            floats: Floats = words.astype(np.float64)
            return floats
    except (TypeError, ValueError):
        pass  # a missing value or a word
    found = np.asarray(pd.to_numeric(words.ravel(), errors="coerce"), dtype=np.float64)
    return found.reshape(words.shape)


def is_written_number(text: str) -> bool:
    """Tell whether a text is one number, whatever its separators mean, and no formula."""
    return _WRITTEN.fullmatch(_GROUPED.sub("", text)) is not None


def with_separators(texts: pd.Series[Any], delimiter: str | None) -> tuple[Floats, str]:
    """Read numbers with decimal commas or thousands separators, where their meaning is certain.

    A comma is certain in a file whose columns are separated by semicolons, and by tabs unless it
    may be either.

    Returns: NaN where a text is no such number.
    Returns: how the numbers were read; empty where this is not certain.
    """
    plain = texts.str.replace(_GROUPED, "", regex=True)
    by_point, by_comma = _matches(plain, _WITH_POINT), _matches(plain, _WITH_COMMA)
    has_comma = bool(plain[by_point | by_comma].str.contains(",").any())
    if not has_comma:
        return numbers_of(plain.where(by_point, "nan")), "with separators of thousands"
    if delimiter not in (";", "\t") or (delimiter == "\t" and by_point.sum() == by_comma.sum()):
        return numbers_of(plain.str.replace(",", ".").where(by_point | by_comma, "nan")), ""
    if by_point.sum() > by_comma.sum():
        return _read(plain, COMMAS), COMMAS
    return _read(plain, DECIMAL_COMMAS), DECIMAL_COMMAS


def by_note(texts: pd.Series[Any], note: str) -> Floats:
    """Read more numbers of a column whose commas and points are known.

    NaN for what is written otherwise.
    """
    return _read(texts.str.replace(_GROUPED, "", regex=True), note)


def _read(plain: pd.Series[Any], note: str) -> Floats:
    if note == COMMAS:
        return numbers_of(plain.where(_matches(plain, _WITH_POINT), "nan").str.replace(",", ""))
    plain = plain.where(_matches(plain, _WITH_COMMA), "nan")
    return numbers_of(plain.str.replace(".", "", regex=False).str.replace(",", "."))


def _matches(texts: pd.Series[Any], style: str) -> Bools:
    found: Bools = texts.str.fullmatch(style, flags=re.IGNORECASE, na=False).to_numpy(dtype=bool)
    return found


def without_points(texts: pd.Series[Any]) -> Floats | None:
    """Return numbers whose points separate thousands.

    None where some value shows that they do not.
    """
    some = texts.str.contains(".", regex=False)
    if not some.any() or not texts.str.fullmatch(_POINTS_FOR_THOUSANDS).all():
        return None
    return numbers_of(texts.str.replace(".", "", regex=False))
