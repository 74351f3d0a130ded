"""The table in a sheet of a workbook, and what stands around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.messages import agreeing, counted, shown
from mvcc.tables.reading._column import is_missing
from mvcc.tables.reading._numbers import is_written_number

Area = tuple[int, int, int, int]  # first row and column, last row and column, from 1
Row = list[Any]
Cells = list[Row]

# shown where a formula has failed
ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
_MOST_LINES = 3  # that are named
_LOOKED_AT = 50  # rows in which the names of the columns are sought
_NEARLY_ALL, _HALF = 0.6, 0.5  # of the columns that names fill; of the rows of a column
_COUNT = r"\W{0,2}\d[\d.,]*(\s?(\w+|\W))?"  # such as 40 entries, or $40
BELOW = "below the table"
_TOTAL = (
    r"((grand |sub)?totals?|(zwischen|gesamt)?summen?|(ins)?gesamt|sum|sommes?|averages?|means?"
    r"|mittelwerte?|durchschnitt|moyennes?|anzahl|counts?|nombre|median|standardabweichung"
    r"|suma|summa|(eind)?totaal|total(es?|i)|totais|promedio|totalt|i alt|razem|celkem|összesen"
    r"|toplam|gemiddelde|gennemsnit|medelvärde|total (g[eé]n[eé]ral|geral)|gesamtergebnis"
    r"|totale (generale|complessivo)|итого|合計|合计|总计|[Σ∑Ø]|n ?= ?[\d.,]*)"
)
TOTAL = re.compile(rf"{_TOTAL}(:?|:?\s{_COUNT}|( \w+){{1,3}}: ?{_COUNT})", re.IGNORECASE)
_TOTAL_OF = re.compile(rf"{_TOTAL}:?\s.+", re.IGNORECASE)  # such as Total stock
# only below a total: alone they may be names
_STATISTIC = re.compile(
    r"(min|max)(\.|ima?|imum|imalwert)?|sd|se|sem|cv|st(d|and)\w*\.?([ .-]?(dev|err|abw)\w*\.?)?"
    r"|var(iance|ianz)?|range|quartile?|n|stetigkeit|frequency|écart[ -]type",
    re.IGNORECASE,
)

_UNITS = re.compile(
    r"\W?(units?|einheit(en)?|unités?|unidad|unidades?|unità|eenhe(id|den)|enhed(er)?|enhet(er)?)"
    r"\W{0,2}",
    re.IGNORECASE,
)


def letters_of(column: int) -> str:
    """Return what spreadsheet programs call a column, which counts from 0: A, …, Z, AA, …"""
    from openpyxl.utils import get_column_letter  # of no use where there is no workbook

    return get_column_letter(column + 1)


@dataclass(frozen=True)
class Grid:
    """A table as it was found in a sheet."""

    names: list[str]
    rows: Cells
    header: int  # the row of the sheet that names the columns, from 1
    lines: list[int]  # the row of the sheet of each row
    left_out: list[str]  # what lies around the table, in words
    columns: list[int]  # the column of the sheet of each one

    @property
    def n_filled(self) -> int:
        return sum(map(_n_filled, self.rows))

    @property
    def looks_like_a_table(self) -> bool:
        """Whether there are rows below several names, and most of their cells have values."""
        has_rows = len(self.rows) >= 2 <= len(self.names)
        n_cells = len(self.rows) * len(self.names)
        return has_rows and all(self.names[1:]) and self.n_filled >= _HALF * n_cells


def table_in(cells: Cells, first: int, merged: Sequence[Area], header: int | None = None) -> Grid:
    """Find the table in the cells of a sheet from row ``first``; ``header`` if its row is known."""
    areas = [(top - first, left - 1, bottom - first, right) for top, left, bottom, right in merged]
    if header is None:
        header = first + _row_of_names(cells, areas)
    top = header - first
    filled = _with_merged(cells, areas, top)
    has_groups = _has_groups(cells, areas, top)
    names = _names(filled, top, has_groups, _merged_beside(areas, top))
    n_units = int(are_units(filled[top + 1 :]))
    body = filled[top + 1 + n_units :]
    columns, beside = _columns(names, body)
    rows = [[row[column] for column in columns] for row in body]
    end = _end(rows)
    lines = [top + first + 1 + n_units + n for n in range(end)]
    kept = [n for n, values in enumerate(rows[:end]) if _n_filled(values)]
    empty = without_value(np.delete(lines, kept).tolist(), "row")
    above = said_of(cells[: top - has_groups], "above the names of the columns")
    above += said_of(filled[top + 1 : top + 1 + n_units], "of units")
    below = said_of(rows[end:], BELOW)
    named = [names[column] or f"column {letters_of(column)}" for column in columns]
    if not names[columns[0]]:
        named[0] = ""  # as pandas and R write the names of rows
    left_out = above + empty + below + beside
    lines = [lines[n] for n in kept]
    return Grid(named, [rows[n] for n in kept], header, lines, left_out, columns)


def _n_filled(row: Row) -> int:
    return sum(value is not None for value in row)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value not in ERRORS


def _texts(row: Row) -> list[str]:
    return [value for value in row if _is_text(value)]


def _with_merged(cells: Cells, areas: Sequence[Area], names: int) -> Cells:
    """Return the cells, those that are merged all with the value of the first one."""
    filled = [list(row) for row in cells]
    for top, left, bottom, right in areas:
        if top > names:
            right = left + 1  # what is in other columns would be no value of it
        value = None
        if 0 <= top < len(cells):
            value = cells[top][left]
        for row in filled[max(top, 0) : bottom + 1]:
            row[left:right] = [value] * len(row[left:right])
    return filled


def _row_of_names(cells: Cells, areas: Sequence[Area]) -> int:
    """Return the first row that fills most columns; titles above the table fill few."""
    widths = [_width(row) for row in cells[:_LOOKED_AT]]
    enough = _NEARLY_ALL * max(widths)
    top = next(n for n, width in enumerate(widths) if width >= enough)
    later = range(top + 1, len(widths))  # two cells above may be a title, too
    top = next((n for n in later if widths[n] > widths[top] and _are_names(cells, n)), top)
    while top + 1 < len(cells) and _is_below_groups(cells, areas, top):
        top += 1
    return top


def _width(row: Row) -> int:
    """Return how many columns a row fills; the first of a row of names may have none."""
    has_corner = row[0] is None and len(_texts(row[1:])) == len(row) - 1
    return _n_filled(row) + has_corner


def _are_names(cells: Cells, top: int) -> bool:
    """Tell whether a row holds distinct texts above columns that hold something else."""
    texts, below = _texts(cells[top]), cells[top + 1 : top + 1 + _LOOKED_AT]
    filled = [column for column, value in enumerate(cells[top]) if value is not None]
    others = [column for column in filled if not any(_is_text(row[column]) for row in below)]
    return len(set(texts)) == _n_filled(cells[top]) and bool(others)


def _is_below_groups(cells: Cells, areas: Sequence[Area], top: int) -> bool:
    """Tell whether the row below one of names has names of its own below merged cells alone."""
    below = cells[top + 1]
    merged = _merged_beside(areas, top)
    columns = {column for column, value in enumerate(below) if value is not None}
    return bool(columns) and columns <= merged and len(_texts(below)) == len(columns)


def _merged_beside(areas: Sequence[Area], row: int) -> set[int]:
    """Return the columns of a row whose cells are merged with others beside them."""
    return {
        column
        for top, left, bottom, right in areas
        for column in range(left, right)
        if top <= row <= bottom and right > left + 1
    }


def _has_groups(cells: Cells, areas: Sequence[Area], top: int) -> bool:
    """Tell whether the row above one of names holds the names of groups of columns."""
    if not top or _n_filled(cells[top - 1]) < 2:
        return False
    return bool(_merged_beside(areas, top - 1)) or None in cells[top]


def _names(filled: Cells, top: int, has_groups: bool, merged: set[int]) -> list[str]:
    """Return the names of columns, with groups where needed, numbered where they are merged."""
    names = list(map(_name, filled[top]))
    if has_groups:
        counts = Counter(names)
        for column, group in enumerate(map(_name, filled[top - 1])):
            if not names[column] or counts[names[column]] > 1:
                names[column] = f"{group} {names[column]}".strip()
    met = Counter[str]()
    for column, name in enumerate(names):
        met[name] += 1
        if name and column in merged and met[name] > 1:
            names[column] = f"{name} {met[name]}"
    return names


def _name(value: Any) -> str:
    """Return what a cell names, without the line breaks that make it narrow."""
    return "" if value is None else re.sub(r"\s*[\r\n]\s*", " ", str(value).strip())


def _columns(names: list[str], body: Cells) -> tuple[list[int], list[str]]:
    """Return the columns, which have names or half of the values, and what stands beside."""
    n_values = [sum(row[column] is not None for row in body) for column in range(len(names))]
    half = _HALF * max(n_values)
    is_full = [n_rows >= max(half, 1) for n_rows in n_values]
    parts = groupby(range(len(names)), lambda column: bool(names[column]) or is_full[column])
    blocks = [list(block) for is_used, block in parts if is_used]
    main = max(blocks, key=lambda block: sum(n_values[column] for column in block))
    used = [block for block in blocks if block is main or any(is_full[column] for column in block)]
    columns = list(chain.from_iterable(used))
    beside = [n for n, n_rows in enumerate(n_values) if (n_rows or names[n]) and n not in columns]
    if beside:
        return columns, [f"what stands beside it in {', '.join(map(letters_of, beside))}"]
    return columns, []


def are_units(body: Cells) -> bool:
    """Tell whether the first row has words, such as kg, above numbers alone, but names no row."""
    first, others = [*body, []][0], body[1:]
    texts = _texts(first[1:])
    if any(map(_is_number, first)):
        return False
    n_units = len(texts) - int(is_missing(pd.Series(texts, dtype=object)).sum())
    if n_units < 2 or len(texts) < _n_filled(first[1:]):
        return False
    starts = [row[0] for row in others if _n_filled(row)]
    units = [n for n, unit in enumerate(first) if unit is not None and n]
    cells = [row[n] for row in others for n in units if row[n] is not None]
    numbers = [value for value in cells if _is_number(value)]
    names_none = first[0] is None or _UNITS.fullmatch(str(first[0]).strip())
    return bool(names_none) and None not in starts and len(numbers) > _NEARLY_ALL * len(cells)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (_is_text(value) and is_written_number(value.strip()))


def _end(rows: Cells) -> int:
    """Return the number of rows before totals and footnotes."""
    end = len(rows)
    while end and (_may_be_below(rows[end - 1]) or _is_no_row(rows, end - 1)):
        end -= 1
    # a text alone is a footnote only below something that ends the table
    return next((n for n in range(end, len(rows)) if _is_no_row(rows, n)), len(rows))


def n_below(rows: Cells) -> int:
    """Return how many last rows of a text file are a total, or footnotes below an empty row."""
    footnotes = 0
    for n, row in reversed(list(enumerate(rows))):
        if _is_total(rows, n):
            return len(rows) - n
        if not _n_filled(row):
            footnotes = footnotes or len(rows) - n - 1
        elif not _may_be_below(row):
            break
    has_words = [_is_lone(row) and " " in str(row[0]) for row in rows[len(rows) - footnotes :]]
    return footnotes if all(has_words) else 0  # one word may be an id


def _may_be_below(row: Row) -> bool:
    """Tell whether a row is a text alone or a statistic, as they stand below totals."""
    first = _first(row)
    is_named = _is_text(first) and _STATISTIC.fullmatch(first.strip()) is not None
    return _is_lone(row) or (is_named and _has_counts(row))


def _has_counts(row: Row) -> bool:
    """Tell whether nothing but numbers is behind the first value of a row."""
    return all(re.fullmatch(_COUNT, text.strip()) for text in _texts(row)[1:])


def _is_lone(row: Row) -> bool:
    return len(row) > 2 and _n_filled(row) == len(_texts(row)) == 1


def _is_no_row(rows: Cells, index: int) -> bool:
    """Tell whether a row is empty, or has totals: by a word, or as it alone begins with a gap."""
    row = rows[index]
    first = _first(row)
    if first is None:
        return True
    if _is_text(first):
        return _is_total(rows, index)
    above = [other for other in rows[:index] if _n_filled(other)]
    has_words = bool(above) and bool(_texts(above[-1])) and not _texts(row)
    return has_words and _alone_has_a_gap(rows, index)


def _is_total(rows: Cells, index: int) -> bool:
    """Tell whether a row begins with a word of totals, with nothing but numbers behind it."""
    row = rows[index]
    first = _first(row)
    if not _is_text(first):
        return False
    if TOTAL.fullmatch(first.strip()):
        return _has_counts(row) or len(_texts(row)) < _n_filled(row)
    is_of = _TOTAL_OF.fullmatch(first.strip()) and _has_counts(row) and _n_filled(row) > 1
    return bool(is_of) and _alone_has_a_gap(rows, index)


def _alone_has_a_gap(rows: Cells, index: int) -> bool:
    """Tell whether a row has no first value, as none of those above it."""
    above = [row for row in rows[:index] if _n_filled(row)]
    return rows[index][0] is None and all(row[0] is not None for row in above)


def _first(row: Row) -> Any:
    return next((value for value in row if value is not None), None)


def said_of(rows: Cells, where: str) -> list[str]:
    """Say which rows are left out."""
    words = [shown(value) for value in map(_first, rows) if value is not None]
    if not words:
        return []
    return [f"{counted(len(words), 'row')} {where} ({first_of(words, 2)})"]


def without_value(lines: list[int], unit: str) -> list[str]:
    """Say which rows have no value, by lines of their file or rows of their sheet."""
    if not lines:
        return []
    where = f"{agreeing(len(lines), unit, f'{unit}s')} {first_of(lines, _MOST_LINES)}"
    return [f"{counted(len(lines), 'row')} without a value ({where})"]


def first_of(values: Sequence[object], most: int) -> str:
    return ", ".join([*map(str, values[:most]), "…"][: len(values)])
