"""The habits that make a clean table messy: how people write cells, what they add, how they save.

A clean column has numbers, dates, categories or texts, each missing where nothing is known. A
writer makes of it the cells of a file, as people in a country write them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd

Cells = list[Any]
Random = np.random.Generator


@dataclass(frozen=True)
class Country:
    """How numbers, dates and files are written in a country."""

    sign: str  # of decimals
    thousands: str
    dates: str
    delimiter: str  # of a text file
    encoding: str
    missing: tuple[str, ...]
    totals: str  # the word before them
    notes: tuple[str, ...]  # the name of a sheet, and what it says

    def number(self, value: float, digits: int) -> str:
        """Write a number."""
        signs = {",": self.thousands, ".": self.sign}
        return f"{value:,.{digits}f}".translate(str.maketrans(signs))


GERMANY = Country(
    ",", ".", "%d.%m.%Y", ";", "utf-8-sig", ("k.A.", "-", "n. b."), "Summe",
    ("Hinweise", "Stand 3/2024, bitte nicht weitergeben", "Rückfragen an Frau Weiß"),
)  # fmt: skip
FRANCE = Country(
    ",", "\u202f", "%d/%m/%Y", ";", "utf-8-sig", ("n.c.", "", "-"), "Total",
    ("Lisez-moi", "Extrait du logiciel, ne pas modifier", "Contact : accueil"),
)  # fmt: skip
USA = Country(
    ".", ",", "%m/%d/%Y", ",", "utf-8", ("N/A", "", "-"), "Total",
    ("README", "Exported for Q1 review", "Do not share"),
)  # fmt: skip

Writer = Callable[["pd.Series[Any]", Country], Cells]


def amount(before: str = "", after: str = "", digits: int = 2, scale: float = 1.0) -> Writer:
    """Write numbers with a currency or unit, each times ``scale``."""

    def write(values: pd.Series[Any], country: Country) -> Cells:
        return [
            f"{before}{country.number(value * scale, digits)}{after}" if pd.notna(value) else None
            for value in values
        ]

    return write


def percent(digits: int = 1) -> Writer:
    """Write shares of 1 as percents."""
    return amount(after=" %", digits=digits, scale=100)


def limited(share: float, digits: int = 2) -> Writer:
    """Write numbers, the lowest share of them as below the limit that an instrument has."""

    def write(values: pd.Series[Any], country: Country) -> Cells:
        limit = values.quantile(share)
        written = amount(digits=digits)(values, country)
        below = f"<{country.number(limit, digits)}"
        pairs = zip(values, written, strict=True)
        return [below if value < limit else text for value, text in pairs]

    return write


def dated(values: pd.Series[Any], country: Country) -> Cells:
    """Write dates in the order of the country."""
    return [date.strftime(country.dates) if pd.notna(date) else None for date in values]


def as_text(values: pd.Series[Any], country: Country) -> Cells:
    """Write numbers with the decimal sign of the country, and words as they are."""
    if values.dtype.kind != "f":
        return [value if pd.notna(value) else None for value in values]
    is_whole = bool((values.dropna() % 1 == 0).all())
    return amount(digits=0 if is_whole else 3)(values, country)


def plain(values: pd.Series[Any], country: Country) -> Cells:
    """Leave numbers and dates as a workbook holds them."""
    return [value if pd.notna(value) else None for value in values]


# Columns beside the data, which say nothing of a row

Beside = Callable[[int, Random], Cells]


def row_numbers(n: int, rng: Random) -> Cells:
    """Return the numbers of the rows, from 1."""
    return list(range(1, n + 1))


def padded_numbers(n: int, rng: Random) -> Cells:
    """Return numbers of customers with leading zeros, some of them several times."""
    return [f"{customer:06}" for customer in rng.integers(1, 3 * n, n)]


def postal_codes(n: int, rng: Random) -> Cells:
    """Return postal codes, some with a leading zero."""
    return [f"{code:05}" for code in rng.integers(1000, 99999, n)]


def phone_numbers(n: int, rng: Random) -> Cells:
    """Return telephone numbers."""
    return [f"0{area}/{number}" for area, number in rng.integers(10**3, [10**4, 10**7], (n, 2))]


def scans(n: int, rng: Random) -> Cells:
    """Return names of files."""
    return [f"scan_{scan:04}.pdf" for scan in rng.permutation(n)]


def export_times(n: int, rng: Random) -> Cells:
    """Return the time at which each row was exported."""
    seconds = pd.to_timedelta(np.cumsum(rng.integers(0, 3, n)), unit="s")
    return [str(time) for time in pd.Timestamp("2024-03-01 10:12:33") + seconds]


def one_value(value: str) -> Beside:
    """Return a column with one value."""
    return lambda n, rng: [value] * n


def save(path: Path, cells: dict[str, Cells], country: Country, rng: Random) -> None:
    """Write a table as a file of the country: text, JSON, or a workbook with remarks around it."""
    columns = {name: _with_gaps(column, country, rng) for name, column in cells.items()}
    frame = pd.DataFrame(columns, dtype=object)
    if path.suffix == ".json":
        frame.to_json(path, orient="records", force_ascii=False, date_format="iso")
    elif path.suffix == ".xlsx":
        _save_workbook(path, frame, country)
    else:
        delimiter = "\t" if path.suffix == ".tsv" else country.delimiter
        frame.to_csv(path, index=False, sep=delimiter, encoding=country.encoding)


def _with_gaps(cells: Cells, country: Country, rng: Random) -> Cells:
    """Return cells in which a word of the country says that nothing is known."""
    words = rng.choice(country.missing, len(cells))
    return [str(word) if cell is None else cell for cell, word in zip(cells, words, strict=True)]


def _save_workbook(path: Path, frame: pd.DataFrame, country: Country) -> None:
    book = openpyxl.Workbook()
    notes = book.active
    notes.title = country.notes[0]
    for line in country.notes[1:]:
        notes.append([line])
    sheet = book.create_sheet(path.stem)
    sheet.append([path.stem])
    sheet.merge_cells(start_row=1, end_row=1, start_column=1, end_column=min(4, frame.shape[1]))
    sheet.append([])
    for row in [list(frame.columns), *frame.to_numpy(dtype=object).tolist()]:
        sheet.append(row)
    sheet.append(_totals(frame, country))
    book.save(path)


def _totals(frame: pd.DataFrame, country: Country) -> Sequence[Any]:
    """Return the last row of a workbook: the sums of the columns of numbers."""
    columns = map(list, frame.to_numpy(dtype=object).T)
    sums = [
        sum(column) if all(type(cell) in (int, float) for cell in column) else None
        for column in columns
    ]
    return [country.totals, *sums[1:]]
