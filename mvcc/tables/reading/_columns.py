"""What each column of a table is used as: number, text, category, date, or not at all, and why."""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.messages import clipped, with_point
from mvcc._utils.types import Bools, Floats
from mvcc.tables._job import Kind
from mvcc.tables.reading._dates import A_DATE, DATES, days_of, note_of, order_in, parsed
from mvcc.tables.reading._numbers import (
    COMMAS,
    DECIMAL_COMMAS,
    POINTS,
    by_note,
    numbers_of,
    with_separators,
    without_points,
)

if TYPE_CHECKING:
    from mvcc.results import ColumnFacts

Values = Floats | NDArray[np.object_]

AN_ID, BESIDE, CONSTANT, LABELS = "an id", "beside the array", "constant", "looks like labels"
MOST = 1e100  # of a value; sums of squares of larger ones are beyond all floats
MOST_CATEGORIES = 40  # distinct values, each twice in the mean; words with more are text
_TOO_MANY = 1000  # of a category that was asked for: each is a column
_NEARLY_ALL = 0.9  # of the values that must be numbers, for the others to be mistakes
_MISSING = {"", "na", "n/a", "#n/a", "nan", "nat", "?", "null", "none", "<na>"}
TRUTH = ({"true": 1.0, "false": 0.0}, {"yes": 1.0, "no": 0.0})
_LABELS = re.compile(
    r"(true[ _-]?)?(labels?|class(es)?|targets?|category|clusters?|species)", re.IGNORECASE
)
_MOST_LABELS = 50
_ID = re.compile(
    r"(.*[ _.-])?(id|ids|key|code|nr|no|number|uuid|identifier|sku|isbn|ean)\.?", re.IGNORECASE
)
_CAMEL_ID = re.compile(r".*[a-z](ID|Id|Key|Code|Nr|No)")
# with letters and digits, but neither a number with its unit nor a date
_CODE = re.compile(
    r"(?=.*\d)(?=.*[^\W\d_])(?![+-]?[\d.,]+[^\W\d_]{1,3}$)(?!\d{1,4}[-/.]\d)[\w.:/-]{2,60}"
)
_FEWEST_CODES, _MOST_CODES = 10, 0.9  # rows, and the share of them above which a column holds codes
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_MOST_NAMED = 6
_PLURALS = {"number": "numbers", "category": "categories", "date": "dates", "text": "texts"}
_PLAIN = (str, int, float, decimal.Decimal, np.generic, datetime.date, datetime.time)


@dataclass(frozen=True)
class Column:
    """What became of a column."""

    name: str
    kind: Kind | None  # what it is clustered as; None where it is left out
    note: str = ""  # why it is left out, or how it was read
    n_missing: int = 0  # values that are not there


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


def without_attrs(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the same columns without ``attrs``, which pandas copies with each column."""
    bare = frame.copy(deep=False)
    bare.attrs = {}
    return bare


def looks_like_labels(name: str, values: pd.Series[Any]) -> bool:
    """Tell whether a column that nobody spoke of may be what the clusters are compared with."""
    if not _LABELS.fullmatch(name.strip()):
        return False
    return 2 <= values[~is_missing(values)].astype(str).nunique() <= _MOST_LABELS


def looks_like_ids(name: str, values: pd.Series[Any]) -> bool:
    """Tell whether a column names the rows.

    It is called so, and its values are distinct texts or whole numbers.
    """
    if not _is_called_id(name) or values.dtype.kind not in "iufOUT" or is_missing(values).any():
        return False
    texts = as_texts(values)
    return not texts.duplicated().any() and not texts.str.contains(r"^[+-]?\d*[.,]\d+$").any()


def looks_like_codes(values: pd.Series[Any]) -> bool:
    """Tell whether a column holds codes such as INV-0187, each of one row, whatever it is
    called.
    """
    return _may_be_codes(values) and not values.duplicated().any() and _are_codes(values)


def holds_ids(name: str, values: pd.Series[Any]) -> bool:
    """Tell whether a column says nothing but which thing a row is of.

    A thing may have several rows.
    """
    several = _is_called_id(name) and values.nunique() > len(values) / 2
    return (
        looks_like_ids(name, values) or looks_like_codes(values) or (several and _are_codes(values))
    )


def _is_called_id(name: str) -> bool:
    return bool(_ID.fullmatch(name.strip()) or _CAMEL_ID.fullmatch(name.strip()))


def _may_be_codes(values: pd.Series[Any]) -> bool:
    return values.dtype.kind in "OUT" and len(values) >= _FEWEST_CODES


def _are_codes(values: pd.Series[Any]) -> bool:
    if not _may_be_codes(values) or is_missing(values).any():
        return False
    return bool(as_texts(values).str.fullmatch(_CODE).mean() > _MOST_CODES)


def is_missing(values: pd.Series[Any]) -> Bools:
    """Tell which values are not there, or are written as such."""
    missing: Bools = values.isna().to_numpy(dtype=bool)
    if values.dtype.kind in "OUT":
        missing = missing | values.astype(str).str.strip().str.casefold().isin(_MISSING).to_numpy(
            dtype=bool
        )
    return missing


def as_texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return names as text: 7 and not 7.0, which formats without whole numbers make of it."""
    return as_whole(column).astype(str).str.strip()


def as_whole(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return floats as whole numbers where all of them are, and small enough to be exact."""
    if column.dtype.kind != "f":
        return column
    numbers = column.dropna().astype(float)
    return (
        column.astype("Int64")
        if (numbers % 1 == 0).all() and (abs(numbers) < 2**53).all()
        else column
    )


def understand_all(frame: pd.DataFrame, asked: dict[str, Kind | None]) -> dict[str, Understood]:
    """Find out what columns are, those of numbers all at once: there may be many.

    `asked`: the columns, and the kind of each where it was said.
    """
    delimiter = frame.attrs.get("delimiter")
    frame = without_attrs(frame)
    quick = [column for column, kind in asked.items() if kind in (None, "number")]
    numbers = _as_numbers(frame[quick])
    usable = np.all(np.abs(numbers) <= MOST, axis=0)
    place = {column: n for n, column in enumerate(quick) if usable[n]}
    found = {
        column: (
            Understood(Column(column, "number"), numbers[:, place[column]])
            if column in place
            else understand(frame[column], kind, delimiter)
        )
        for column, kind in asked.items()
    }
    if any(
        one.column.note == DECIMAL_COMMAS for one in found.values()
    ):  # then points may separate thousands
        for column in place:
            if (other := without_points(frame[column])) is not None:
                found[column] = Understood(Column(column, "number", POINTS), other)
    return {column: _without_effect(one) for column, one in found.items()}


def _without_effect(one: Understood) -> Understood:
    """Say where all values of a column are the same."""
    values = one.values
    if (
        values is None
        or len(values) < 2
        or pd.isna(values[:1]).any()
        or not (values == values[0]).all()
    ):
        return one
    return replace(one, column=replace(one.column, kind=None, note=CONSTANT))


def _as_numbers(frame: pd.DataFrame) -> Floats:
    """Return values as numbers, NaN for those that are none, as points in time, which pandas has
    numbers for.
    """
    values = np.empty(frame.shape)
    is_number = np.array([dtype.kind in "iufb" for dtype in frame.dtypes], dtype=bool)
    values[:, is_number] = frame.loc[:, is_number].to_numpy(dtype=np.float64, na_value=np.nan)
    words = frame.loc[:, ~is_number].astype(str).to_numpy(dtype=object)
    values[:, ~is_number] = numbers_of(words)
    return values


def understand(
    values: pd.Series[Any], asked: Kind | None, delimiter: str | None, order: str = ""
) -> Understood:
    """Find out what a column is, unless it was said.

    `values`: as they were read.
    `asked`: the kind that was asked for.
    `delimiter`: what separates the columns of the file, which tells what a comma in a number is.
    `order`: the order of day, month and year, where it is known.
    """
    missing = is_missing(values)
    column = Column(str(values.name), asked, "", int(missing.sum()))
    if missing.all():
        return Understood(replace(column, kind=None, note="empty"))
    if values.dtype.kind == "M" and asked in (None, "date"):
        return _dated(column, days_of(values), values, "")
    if values.dtype.kind == "m" and asked in (None, "number"):
        return _numeric(
            column, values.dt.total_seconds().to_numpy(dtype=np.float64), values, "in seconds"
        )
    if values.dtype.kind in "iufb" and asked in (None, "number"):
        return _numeric(column, values.to_numpy(dtype=np.float64, na_value=np.nan), values, "")
    odd = (
        [not isinstance(value, _PLAIN) for value in values[~missing]]
        if values.dtype == object
        else [False]
    )
    if any(odd):
        row = int(np.flatnonzero(~missing)[odd.index(True)])
        what = f"a {type(values.iloc[row]).__name__}, neither number nor text,"
        return Understood(
            column, mistake=Mistake(row, what, "Make a column of each of its parts", sum(odd))
        )
    texts = as_texts(values).mask(missing)
    if asked in (None, "number") and (found := _as_number(column, texts, missing, delimiter)):
        return found
    if asked in (None, "date") and (found := _as_date(column, texts, missing, order)):
        return found
    return _as_words(column, texts)


def read_like(columns: Sequence[Column], frame: pd.DataFrame) -> dict[str, Understood]:
    """Read more values of columns that were read before, those of plain numbers all at once."""
    quick = [
        column.name
        for column in columns
        if column.kind in (None, "number") and not column.note.startswith("with")
    ]
    numbers = _as_numbers(frame[quick])
    usable = np.all(np.abs(numbers) <= MOST, axis=0)
    found = {
        name: Understood(Column(name, "number"), numbers[:, n])
        for n, name in enumerate(quick)
        if usable[n]
    }
    return {one.name: found.get(one.name) or _read_like(one, frame[one.name]) for one in columns}


def _read_like(column: Column, values: pd.Series[Any]) -> Understood:
    kind = column.kind or "number"  # a constant of a table of numbers
    if column.note in (DECIMAL_COMMAS, COMMAS, POINTS) and values.dtype.kind not in "iufb":
        missing = is_missing(values)
        texts = as_texts(values).mask(missing)
        said = Column(column.name, "number", column.note, int(missing.sum()))
        return _numeric(said, by_note(texts.fillna("nan"), column.note), texts, column.note)
    found = understand(values, kind, None, order_in(column.note) if kind == "date" else "")
    if found.values is None and found.mistake is None:  # all are missing
        return replace(
            found, values=np.full(len(values), np.nan if kind in ("number", "date") else None)
        )
    return found


def _as_number(
    column: Column, texts: pd.Series[Any], missing: Bools, delimiter: str | None
) -> Understood | None:
    """Read numbers, truth values, or numbers with separators.

    None for what is none of these, unless it must be.
    """
    words = texts.fillna("nan")
    numbers = numbers_of(words)
    n, n_found = int((~missing).sum()), int((~np.isnan(numbers)).sum())
    if n_found == n:
        return _numeric(column, numbers, texts, "")
    lower = texts.str.casefold()
    for truth in TRUTH:
        if lower.dropna().isin(list(truth)).all():
            return _numeric(
                column, lower.map(truth).to_numpy(dtype=float), texts, f"{max(truth)} is 1"
            )
    other, note = with_separators(words, delimiter)
    n_other = int((~np.isnan(other)).sum())
    if n_other > n_found and n_other >= _NEARLY_ALL * n:
        if note:
            return _numeric(column, other, texts, note)
        row = int(texts.str.contains(",", na=False).to_numpy(dtype=bool).argmax())
        what = (
            f"{clipped(repr(texts.iloc[row]))}, whose comma may be a decimal comma or separate"
            " thousands,"
        )
        point = with_point(texts.iloc[row]) or texts.iloc[row].replace(",", "")
        remedy = f"Write {point}, or separate the columns with semicolons"
        return Understood(
            column, mistake=Mistake(row, what, remedy, int(texts.str.contains(",").sum()))
        )
    if column.kind == "number" or n_found >= _NEARLY_ALL * n:
        return _numeric(column, numbers, texts, "")
    return None


def _numeric(column: Column, numbers: NDArray[Any], texts: pd.Series[Any], note: str) -> Understood:
    missing = is_missing(texts)
    column = replace(column, kind="number", note=note)
    usable = missing | (np.abs(numbers) <= MOST)
    if usable.all():
        return Understood(column, np.where(missing, np.nan, numbers))
    row = int(usable.argmin())
    text, number = clipped(repr(str(texts.iloc[row]))), numbers[row]
    what, remedy = f"{text}, which is no finite number,", "Write a number"
    if np.isfinite(number):
        what, remedy = (
            f"{text}, which is too large to compute with,",
            f"Scale the column to below {MOST:.0e}",
        )
    elif np.isnan(number):
        remedy = "Write a number, or leave the cell empty"
    return Understood(column, mistake=Mistake(row, what, remedy, int((~usable).sum())))


def _as_date(
    column: Column, texts: pd.Series[Any], missing: Bools, known: str
) -> Understood | None:
    """Read dates; None for what is none, unless it must be."""
    there = texts[~missing]
    if not there.head(20).str.fullmatch(A_DATE).mean() >= _NEARLY_ALL and column.kind != "date":
        return None
    for style, order in DATES.items():
        days = parsed(texts, style) if known in ("", order) else None
        if days is not None and np.isfinite(days).sum() >= _NEARLY_ALL * len(there):
            return _dated(column, days, texts, order)
    return _dated(column, parsed(texts, "mixed"), texts, "") if column.kind == "date" else None


def _dated(column: Column, days: Floats, texts: pd.Series[Any], order: str) -> Understood:
    """Return dates as days, of which the first of January 1970 is 0."""
    column = replace(column, kind="date", note=note_of(order, days))
    bad = np.isnan(days) & ~is_missing(texts)
    if bad.any():
        row = int(bad.argmax())
        what = f"{clipped(repr(str(texts.iloc[row])))}, which is no date like the others,"
        return Understood(
            column,
            mistake=Mistake(row, what, "Write a date, or leave the cell empty", int(bad.sum())),
        )
    return Understood(column, days)


def _as_words(column: Column, texts: pd.Series[Any]) -> Understood:
    if column.kind is None and texts.dropna().str.lower().str.endswith(_PICTURES).all():
        return Understood(replace(column, note="names of pictures"))
    n_values = texts.nunique()
    repeat = n_values <= min(MOST_CATEGORIES, max(2, texts.count() / 2))
    kind = column.kind or ("category" if repeat else "text")
    if kind == "category" and n_values > _TOO_MANY:
        kind, column = (
            "text",
            replace(column, note=f"{n_values} values are too many for a category"),
        )
    words = texts.astype(object).where(texts.notna(), None).to_numpy()
    return Understood(replace(column, kind=kind), words)


def described(columns: Sequence[Column | ColumnFacts]) -> list[str]:
    """Return what became of the columns of a view in two or three lines, or one where there is
    nothing to say.
    """
    used = [column for column in columns if column.kind is not None]
    kinds = {kind: [column for column in used if column.kind == kind] for kind in _PLURALS}
    lines = ["; ".join(f"{_PLURALS[kind]}: {_names(some)}" for kind, some in kinds.items() if some)]
    if out := [column for column in columns if column.kind is None]:
        by_note: dict[str, list[str]] = {}
        for column in out:
            by_note.setdefault(column.note, []).append(column.name)
        lines.append(
            "left out: " + "; ".join(f"{_few(names)} ({note})" for note, names in by_note.items())
        )
    return lines


def _names(columns: Sequence[Column | ColumnFacts]) -> str:
    words = []
    for column in columns:
        notes = [column.note] * bool(column.note) + [f"{column.n_missing} missing"] * bool(
            column.n_missing
        )
        words.append(f"{column.name} ({', '.join(notes)})" if notes else column.name)
    return _few(words)


def _few(names: Sequence[str]) -> str:
    names = [clipped(name, 80) for name in names]
    if len(names) <= _MOST_NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:2])} … {names[-1]} ({len(names)})"
