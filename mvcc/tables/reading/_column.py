"""How a column of a table was used, and what its values look like."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Bools, Floats
from mvcc._utils.messages import clipped, enumerated, shown
from mvcc.tables._job import Kind


class Written(StrEnum):
    """How the cells of a column are written, in the words that say so."""

    PLAIN = ""
    MAILS = "mails without headers and signatures"
    SIGNS = "- beside + is a value"
    IN_SECONDS = "in seconds"
    HOURS_MINUTES = "in seconds, read as hours and minutes"
    DECIMAL_COMMAS = "with decimal commas"
    COMMAS = "with commas for thousands"
    POINTS = "with points for thousands"
    SPACES = "with separators of thousands"
    OPEN_ENDS = "40- is 40 or more"
    BEFORE_LABELS = "without their labels"
    ORDERED = "by their order"
    TRUE_FALSE = "true is 1"
    YES_NO = "yes is 1"
    Y_N = "y is 1"
    WAHR_FALSCH = "wahr is 1"
    JA_NEIN = "ja is 1"
    J_N = "j is 1"
    VRAI_FAUX = "vrai is 1"
    OUI_NON = "oui is 1"
    SI_NO = "sí is 1"
    SI_NO_ITALIAN = "sì is 1"
    SIM_NAO = "sim is 1"
    JA_NEE = "ja is 1, nee 0"
    JA_NEJ = "ja is 1, nej 0"
    CROSSES = "x is 1"
    CHECKS = "✓ is 1"
    YEAR_MONTH_DAY = "year-month-day"
    YEAR_SLASHES = "year/month/day"
    YEAR_DOTS = "year.month.day"
    DAY_DASHES = "day-month-year"
    DAY_SLASHES = "day/month/year"
    DOTS = "day.month.year"
    MONTH_DASHES = "month-day-year"
    MONTH_SLASHES = "month/day/year"


DURATIONS = (Written.IN_SECONDS, Written.HOURS_MINUTES)
TRUTH = {  # the words for 0 and 1
    Written.TRUE_FALSE: ("false", "true"),
    Written.YES_NO: ("no", "yes"),
    Written.Y_N: ("n", "y"),
    Written.WAHR_FALSCH: ("falsch", "wahr"),
    Written.JA_NEIN: ("nein", "ja"),
    Written.J_N: ("n", "j"),
    Written.VRAI_FAUX: ("faux", "vrai"),
    Written.OUI_NON: ("non", "oui"),
    Written.SI_NO: ("no", "sí"),
    Written.SI_NO_ITALIAN: ("no", "sì"),
    Written.SIM_NAO: ("não", "sim"),
    Written.JA_NEE: ("nee", "ja"),
    Written.JA_NEJ: ("nej", "ja"),
    Written.CROSSES: ("", "x"),
    Written.CHECKS: ("", "✓"),
}


class LeftOut(StrEnum):
    """Why a column is left out, in the words that say so."""

    NAMES_ROWS = "names the rows"
    AN_ID = "an id"
    MATCHED_IDS = "ids of matched rows"
    BESIDE = "beside the array"
    CONSTANT = "constant"
    EMPTY = "empty"
    IGNORED = "ignored"
    IS_LABELS = "labels"
    LIKE_LABELS = "looks like labels"
    NOT_ASKED_FOR = "not asked for"
    PICTURES = "names of pictures"
    FILES = "names of files"
    NAMES = "names that hardly repeat"
    NO_WORDS = "neither words nor numbers or dates as they are read"
    ROW_NUMBERS = "counts the rows"
    EXPORT_TIMES = "times of an export"
    REPEATS = "repeats another column"
    PADDED = "codes, since some begin with 0"
    POSTAL_CODES = "postal codes"
    PHONE_NUMBERS = "phone numbers"
    BARCODES = "barcodes"
    ADDRESSES = "e-mail addresses"


@dataclass(frozen=True)
class Column:
    """How a column was used."""

    name: str
    kind: Kind | None  # what it is clustered as; None if it is left out
    n_missing: int = 0
    written: Written = Written.PLAIN
    unit: str = ""  # of all its numbers
    why: LeftOut | None = None  # it is left out
    remarks: tuple[str, ...] = ()  # what else must be known of it
    told: float = 0.0  # share of rows whose cluster it tells alone, if it may be a label
    examples: tuple[tuple[str, str], ...] = ()  # values as in the file, and as they are used

    @property
    def note(self) -> str:
        """Why the column is left out, or how it was read."""
        parts = [self.why, self.unit and f"in {self.unit}", self.written, *self.remarks]
        if self.told:
            parts.append("may be a label, since the clusters follow it")
        return ", ".join(filter(None, parts))

    @property
    def shown_as(self) -> str | None:
        """What its values are shown as: durations, or what it is."""
        return self.written if self.written in DURATIONS else self.kind

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "note": self.note,
            "n_missing": self.n_missing,
            "examples": [list(pair) for pair in self.examples],
        }

    def to_stored(self) -> dict[str, str | None]:
        """Return what new rows are read by, as a model holds it."""
        written = str(self.written)
        return {"name": self.name, "kind": self.kind, "written": written, "unit": self.unit}


_DASHES = {"-", "--", "---", "–", "—", "―", "ー", "－"}
NONE = {"none", "(none)"}  # beside numbers, texts or dates; a category may be no airbag
_MISSING = {
    *("", *_DASHES, *NONE, ".", "..", "...", "…", "?", "??", "？"),
    *("na", "n/a", "n.a.", "nan", "nat", "null", "nil", "<na>"),
    *("#n/a", "#nv", "#null!", "#div/0!", "n.d.", "n/d", "s/d", "n.v.t.", "nvt", "n.r.", "missing"),
    *("0000-00-00", "0000-00-00 00:00:00"),  # of databases
    *("not available", "not applicable", "not recorded", "keine angabe", "nicht bekannt"),
    *("k.a.", "k. a.", "k.a", "n.b.", "n. b.", "n.v.", "n. v.", "k.w.", "fehlt"),
    *("n.c.", "non renseigné", "manquant", "sin datos", "no disponible", "sem dados"),
    *("não informado", "non disponibile", "geen gegevens", "saknas", "brak danych"),
    *("нет данных", "н/д", "veri yok", "無回答", "未回答", "无数据", "未填写"),
}
# each as it begins in English, German, French, Spanish, Italian, Portuguese and Dutch
MONTHS = (
    *("jan|ene|gen", "f[eé][bv]", "mar|mär|mrz|maa|mrt", "a[pbv]r", "ma[yigj]|mei"),
    *("jun|juin|giu", "jul|juil|lug", "aug|ao[uû]|ago", "sep|set", "o[cku]t|ott", "nov"),
    "de[cz]|déc|dic",
)
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
# of ASCII, as wide as Chinese ones
_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: " "}
_IS_WIDE = re.compile("[！-～\u3000]")
MOST_CATEGORIES = 40  # distinct values, each twice in the mean; words with more are text
_ROWS_OF_A_CODE = 5  # in the mean at least, for codes and ids to be categories
_MOST_SPELLINGS = 3  # of a category that are told
GLANCE = 1_000  # rows, which often tell what all would: it takes long to look at many texts


def without_attrs(frame: pd.DataFrame) -> pd.DataFrame:
    """Return columns without ``attrs``, which pandas copies with each, but widths (`id_texts`)."""
    bare = frame.copy(deep=False)
    bare.attrs = {key: frame.attrs[key] for key in ("widths",) if key in frame.attrs}
    return bare


def are_few(texts: pd.Series[Any], rows_of_each: int = 2) -> bool:
    """Tell whether words repeat, so that a column of them is a category."""
    return bool(texts.nunique() <= min(MOST_CATEGORIES, max(2, texts.count() / rows_of_each)))


def are_few_codes(texts: pd.Series[Any]) -> bool:
    """Tell whether codes or ids repeat so often that they name kinds rather than things."""
    return are_few(texts, _ROWS_OF_A_CODE)


def are_ordered(values: pd.Series[Any]) -> bool:
    """Tell whether a column is of categories that pandas has in an order, and are no numbers."""
    dtype = values.dtype
    if not (isinstance(dtype, pd.CategoricalDtype) and dtype.ordered):
        return False
    return bool(pd.to_numeric(pd.Series(dtype.categories.astype(str)), errors="coerce").hasnans)


def is_missing(
    values: pd.Series[Any], *, of_signs: bool = False, of_categories: bool = False
) -> Bools:
    """Tell which values are not there, or are written as such; beside + a dash is a value."""
    missing: Bools = values.isna().to_numpy(dtype=bool)
    if values.dtype.kind in "OUT" and not are_ordered(values):
        # pandas takes thirty times as long for few rows, of which there may be many columns
        texts = [str(value).strip().casefold() for value in values.tolist()]
        words = _MISSING - _DASHES if of_signs or _are_signs(texts) else _MISSING
        if of_categories:
            words = words - NONE
        missing = missing | np.fromiter((text in words for text in texts), dtype=bool)
    return missing


def _are_signs(texts: list[str]) -> bool:
    """Tell whether texts hold + as results of tests do, not one + among numbers."""
    n_signs = texts.count("+")
    return n_signs > 0 and n_signs > sum(_NUMBER.fullmatch(text) is not None for text in texts)


def without_words(frame: pd.DataFrame, words: Collection[str]) -> pd.DataFrame:
    """Return a table in which values that mean that a cell is empty are missing."""
    if not words:
        return frame
    folded = {narrow(word.strip().casefold()) for word in words}
    masked = frame.copy(deep=False)
    for name, values in frame.items():
        masked[name] = values.mask(narrow_texts(as_texts(values)).str.casefold().isin(folded))
    return masked


def first_text(values: pd.Series[Any]) -> str:
    """Return the first filled value of the first rows as text, else nothing."""
    for value in values.iloc[:GLANCE].tolist():
        is_whole = isinstance(value, float) and value.is_integer()
        text = str(int(value) if is_whole else value).strip()
        if text.casefold() not in _MISSING:
            return text
    return ""


def given_texts(column: pd.Series[Any], *, of_categories: bool = False) -> pd.Series[Any]:
    """Return the values of a column as text, without missing ones."""
    return as_texts(column[~is_missing(column, of_categories=of_categories)])


def as_texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return values as text: 7 and not 7.0, each by itself, as a table may be read in parts."""
    if column.dtype.kind != "f":
        return column.astype(str).str.strip()
    numbers = pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan), column.index)
    is_whole = (numbers % 1 == 0) & (numbers.abs() < 2**53)
    whole = numbers.where(is_whole).astype("Int64").astype(str)
    return whole.where(is_whole, column.astype(str))


def texts_or_empty(column: pd.Series[Any]) -> pd.Series[Any]:
    return as_texts(column).mask(column.isna(), "").astype(object)


def numbers_of(words: Any) -> Floats:
    """Return texts as the nearest floats, NaN for others; pandas before 3.1 may miss a bit."""
    words = np.asarray(words, dtype=object)
    try:
        text = "".join(words.ravel())
        if text.isascii() and "_" not in text:  # float takes 1_000 and digits of other scripts, too
            return words.astype(np.float64)
    except (TypeError, ValueError):
        pass  # a missing value or a word
    numbers = np.asarray(pd.to_numeric(words.ravel(), errors="coerce"), dtype=np.float64)
    return numbers.reshape(words.shape)


def numbers_by_arrow(texts: pd.Series[Any]) -> Floats | None:
    """Return ``numbers_of`` texts in a third of the time; None if pyarrow cannot read them."""
    if getattr(texts.dtype, "storage", "") != "pyarrow":
        return None
    import pyarrow as pa

    try:
        read = pa.array(texts).cast(pa.float64())  # pandas before 3 makes an empty text NaN
    except pa.ArrowInvalid:  # a word
        return None
    return np.asarray(read.to_numpy(zero_copy_only=False), dtype=np.float64)


def narrow(text: str) -> str:
    """Return a text with 123 instead of １２３, and letters and signs of ASCII alike."""
    return text if text.isascii() else text.translate(_NARROW)


def narrow_texts(texts: pd.Series[Any]) -> pd.Series[Any]:
    """Return texts that may be numbers or dates as `narrow` does."""
    # pandas takes ten times as long for few rows, of which there may be many columns
    written = map(str, texts.tolist())
    if not any(_IS_WIDE.search(text) for text in written if not text.isascii()):
        return texts
    return texts.map(narrow, na_action="ignore")


def spellings(texts: pd.Series[Any], values: pd.Series[Any]) -> Iterator[pd.Series[Any]]:
    """Give texts, and with decimal commas those of cells that are numbers beside others."""
    yield texts
    if values.dtype == object and any(isinstance(value, Number) for value in values):
        is_text = np.array([isinstance(value, str) for value in values])
        yield texts.where(is_text, texts.str.replace(".", ",", regex=False))


def said_of_most(texts: pd.Series[Any], values: Floats, noun: str) -> tuple[str]:
    """Count the texts that have a value, and name the word that all others repeat, or the first."""
    others = texts[np.isnan(values)].dropna()
    first = shown(clipped(others.iloc[0]))
    named = f"all others {first}" if len(others) > 1 == others.nunique() else f"{first} is not"
    return (f"{texts.count() - len(others)} of {texts.count()} values are {noun}, {named}",)


def as_category(column: Column, texts: pd.Series[Any]) -> Column:
    """Return a column as a category, with what must be known of its words."""
    written = Written.SIGNS if texts.isin(_DASHES).any() else Written.PLAIN
    remarks = column.remarks + _said_of_letters(texts)
    return replace(column, kind="category", written=written, remarks=remarks)


def _said_of_letters(texts: pd.Series[Any]) -> tuple[str, ...]:
    """Name the first categories that are the same but for small and capital letters."""
    values = pd.Series(texts.dropna().unique(), dtype=object)
    folded = values.str.casefold()
    twice = folded[folded.duplicated(keep=False)]
    if twice.empty:
        return ()
    alike = values[folded == twice.iloc[0]]
    return (f"{enumerated(map(shown, alike), _MOST_SPELLINGS)} are different values",)
