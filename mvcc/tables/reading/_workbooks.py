"""Excel workbooks: the size of their sheets, before any is read, and the sheet with the table."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import IO, Any, TypeAlias
from xml.parsers import expat

import pandas as pd

from mvcc._utils.messages import clipped, counted, nearest, shown
from mvcc._utils.reading import check_unpacked, check_zip, in_lines
from mvcc._utils.settings import as_yaml
from mvcc.exceptions import DataError
from mvcc.tables.reading._problems import option_for, reading_as
from mvcc.tables.reading._rows import framed, said_of_gap
from mvcc.tables.reading._sheets import ERRORS, Area, Cells, Grid, first_of, letters_of, table_in

MOST_ROWS, MOST_COLUMNS = 2**20, 2**14  # of a sheet, by Excel
MOST_CELLS = 2**25  # of all that is read of a sheet: its rows times its columns
MOST_ELEMENTS = 2**26  # of XML in one file of a workbook
_PLACE = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_BLOCK = 2**16
_FORMULA = "http://schemas.openxmlformats.org/spreadsheetml/2006/main f"  # others are of charts
_WIDTH = MOST_COLUMNS + 1

_MANY_TIMES = 10  # as many cells as another sheet has the one that is taken without asking
_LOOKED_AT = 50  # rows, for how their numbers are shown
_ZEROS = re.compile("00+")


@dataclass(eq=False)
class Sheet:
    """What a file of XML holds, if it is a sheet; 0 where there is no value."""

    first: int = 0  # row with values
    last: int = 0
    width: int = 0  # up to the last column with values
    merged: list[Area] = field(default_factory=list)
    # the places of all formulas, each in 8 bytes
    formulas: array[int] = field(default_factory=partial(array, "q"))
    n_elements: int = 0  # of XML
    _row: int = 0  # that is being read
    _column: int = 0

    def begin(self, name: str, attrs: dict[str, str]) -> None:
        """Count an element of XML."""
        self.n_elements += 1
        if self.n_elements > MOST_ELEMENTS:
            raise ValueError(
                f"one of its files has more than {MOST_ELEMENTS:,} elements of XML. Save it as CSV"
            )
        match name.rpartition(" ")[2]:
            case "c":
                self._column += 1
                if attrs.get("r"):
                    self._column = _place(attrs["r"])[1]
                if self._column > MOST_COLUMNS:
                    raise ValueError(f"row {self._row} has more than {MOST_COLUMNS:,} cells")
            case "v" | "is" | "f":
                self.first = self.first or self._row
                self.last, self.width = self._row, max(self.width, self._column)
                if name == _FORMULA:
                    self.formulas.append(self._row * _WIDTH + self._column - 1)
            case "row":
                before, self._column = self._row, 0
                self._row = int(float(attrs.get("r", before + 1)))
                if not before < self._row <= MOST_ROWS:
                    where = f"row {self._row:,} comes after row {before:,}"
                    raise ValueError(f"{where}; a sheet has {MOST_ROWS:,} rows")
            case "mergeCell":
                first, _, last = attrs.get("ref", "").partition(":")
                self.merged.append((*_place(first), *_place(last or first)))

    def without_values(self, rows: Cells) -> list[str]:
        """Return the cells, such as B7, whose formulas no program has computed."""
        cells = (divmod(formula, _WIDTH) for formula in self.formulas)
        lost = [cell for cell in cells if rows[cell[0] - self.first][cell[1]] is None]
        return [f"{letters_of(column)}{row}" for row, column in lost]


def _measured(source: IO[bytes]) -> Sheet:
    """Count what is in a file of XML, some kilobytes at a time; refuse more than a sheet holds."""
    sheet, parser = Sheet(), expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = sheet.begin
    parser.StartDoctypeDeclHandler = _refuse_entities
    try:
        while block := source.read(_BLOCK):
            parser.Parse(block)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ValueError(f"its XML is damaged: {error}") from error
    for area in sheet.merged:
        if area[0] <= sheet.last and area[1] <= sheet.width:  # others hold no value
            sheet.last, sheet.width = max(sheet.last, area[2]), max(sheet.width, area[3])
    if sheet.last * sheet.width > MOST_CELLS:
        raise ValueError(
            f"a sheet claims {sheet.last:,} rows of {sheet.width:,} columns; at most {MOST_CELLS:,}"
            " cells are read. Delete far cells and merged areas, or save it as CSV"
        )
    return sheet


def _refuse_entities(*_: Any) -> None:
    raise ValueError("its XML declares a document type, which no workbook has")


def _place(written: str) -> tuple[int, int]:
    """Return row and column of a place such as B7."""
    parts = _PLACE.fullmatch(written)
    letters, digits = parts.groups() if parts else ("", "0")
    row, column = int(digits), 0
    for letter in letters:
        column = 26 * column + ord(letter) - 64
    if not 1 <= row <= MOST_ROWS or column > MOST_COLUMNS:
        end = f"XFD{MOST_ROWS}"
        raise ValueError(f"{written[:20]!r} is not a place in a sheet, which ends at {end}")
    return row, column


_Filled: TypeAlias = tuple[Any, Sheet]  # a sheet of openpyxl, and its size


def read_workbook(
    content: bytes,
    path: str,
    exact: bool = False,
    *,
    sheet: str | None = None,
    header: int | None = None,
    view: str = "VIEW",
) -> pd.DataFrame:
    """Read the table of an Excel workbook, merged cells filled; ``exact`` keeps types of cells."""
    import openpyxl

    with reading_as("an Excel workbook (.xlsx)", path):
        sizes = _sizes_in(content)
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheets = [(each, sizes[each._worksheet_path]) for each in book.worksheets]
        filled = [(each, size) for each, size in sheets if size.last]
        if not filled:
            raise DataError(f"{path}: all sheets are empty.")
        chosen, size = _sheet_of(filled, sheet, path, view)
        if header is not None and not size.first <= header <= size.last:
            raise DataError(
                f"{path}: row {header} of the sheet {shown(chosen.title)} is empty (`header:`); its"
                f" values are in rows {size.first} to {size.last}."
            )
        rows = _rows_of(chosen, size)
        if exact:
            _undo_false_days(rows, content, chosen, size)
        grid = table_in(rows, size.first, size.merged, header)
        cells = chain(grid.names, chain.from_iterable(grid.rows))
        check_unpacked(sum(len(value) for value in cells if isinstance(value, str)))
        below = grid.rows
        if not exact:
            below = [[None if value in ERRORS else value for value in row] for row in below]
        frame = framed(grid.names, below, exact)
        frame.attrs |= {"header": grid.header, "lines": in_lines(grid.lines)}
        if not exact and grid.lines and (widths := _widths(chosen, grid)):
            frame.attrs["widths"] = widths
        if len(filled) > 1:
            frame.attrs["sheet"] = chosen.title
        others = [each.title for each, _ in filled if each is not chosen and not sheet]
        said = _notes(grid, chosen.title, others, size.without_values(rows))
        notes = [f"{path}: {note}" for note in said]
        frame.attrs["notes"] = notes + said_of_gap(path, grid.names, grid.columns)
        return frame


def _sizes_in(content: bytes) -> dict[str, Sheet]:
    """Return what each file of XML in a workbook holds."""
    sizes = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        check_zip(archive, len(content))
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                with archive.open(name) as source:
                    sizes[name] = _measured(source)
    return sizes


def _notes(grid: Grid, title: str, others: list[str], lost: list[str]) -> Iterator[str]:
    """Say what was left out of a sheet, which others there are, and which formulas are lost."""
    if grid.left_out:
        yield (
            f"row {grid.header} of the sheet {shown(title)} names the columns (`header:` sets"
            f" another one). Left out: {'; '.join(grid.left_out)}."
        )
    if others:
        named = clipped(", ".join(map(shown, others)), 200)
        yield f"the sheet {shown(title)} was read, not {named} (`sheet:` names another one)."
    if lost:
        cells = first_of(lost, 3)
        yield (
            f"{counted(len(lost), 'formula')} without a stored value ({cells}) counted as missing;"
            " open the file in a spreadsheet program and save it, to store what they give."
        )


def _sheet_of(filled: list[_Filled], title: str | None, path: str, view: str) -> _Filled:
    """Return the sheet of a name; case and blanks around it do not matter."""
    by_title = {sheet.title.strip().casefold(): (sheet, size) for sheet, size in filled}
    if not title:
        return _likely_sheet(filled, path, view)
    chosen = by_title.get(title.strip().casefold())
    if chosen is None:
        titles = [sheet.title for sheet, _ in filled]
        known = clipped(", ".join(map(shown, titles)), 300)
        raise DataError(
            f"{path}: there is no sheet {shown(title)} with values{nearest(title, titles)} The"
            f" sheets are {known}."
        )
    return chosen


def _likely_sheet(filled: list[_Filled], path: str, view: str) -> _Filled:
    """Return the sheet with the table; hidden ones count only if there are no others."""
    visible = [pair for pair in filled if pair[0].sheet_state == "visible"] or filled
    if len(visible) == 1:
        return visible[0]
    grids = [table_in(_rows_of(sheet, size), size.first, size.merged) for sheet, size in visible]
    tables = [n for n, grid in enumerate(grids) if grid.looks_like_a_table]
    by_size = sorted(tables or range(len(grids)), key=lambda n: -grids[n].n_filled)
    first, *others = by_size
    if tables and others and grids[first].n_filled < _MANY_TIMES * grids[others[0]].n_filled:
        titles = ", ".join(shown(visible[n][0].title) for n in tables)
        title = visible[first][0].title
        remedy = "Save the one with the pairs as a file of its own."
        if view:
            option = option_for("--sheet", view, title)
            remedy = f"Name one in its view, such as `sheet: {as_yaml(title)}` ({option})."
        said = f"{len(tables)} sheets look like tables: {clipped(titles, 300)}"
        raise DataError(f"{path}: {said}. {remedy}")
    return visible[first]


def _rows_of(sheet: Any, size: Sheet) -> list[list[Any]]:
    """Return the values of a sheet from its first row with values, also of rows not in the file."""
    n_rows = size.last - size.first + 1
    area = {"min_row": size.first, "max_row": size.last, "min_col": 1, "max_col": size.width}
    rows = [list(row) for row in sheet.iter_rows(**area, values_only=True)]
    return rows + [[None] * size.width for _ in range(n_rows - len(rows))]


def _widths(sheet: Any, grid: Grid) -> dict[str, int]:
    """Return how many digits formats such as 00000 show of columns, by the first rows."""
    first, last = grid.lines[0], min(grid.lines[0] + _LOOKED_AT, grid.lines[-1])
    rows = sheet.iter_rows(min_row=first, max_row=last, min_col=1, max_col=grid.columns[-1] + 1)
    cells, widths = list(zip(*rows, strict=True)), {}
    for name, column in zip(grid.names, grid.columns, strict=True):
        numbers = [cell for cell in cells[column] if isinstance(cell.value, int | float)]
        formats = {cell.number_format for cell in numbers}
        if len(formats) == 1 and _ZEROS.fullmatch(zeros := formats.pop()):
            widths[name] = len(zeros)
    return widths


def _undo_false_days(rows: list[list[Any]], content: bytes, sheet: Any, size: Sheet) -> None:
    """Put back the numbers of cells that are formatted as days, but lie outside 1900 to 9999."""
    import openpyxl

    if not any(map(_is_false_day, chain.from_iterable(rows))):
        return
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    book._date_formats.clear()  # so that the same cells are numbers
    for row, numbers in zip(rows, _rows_of(book[sheet.title], size), strict=True):
        for column, value in enumerate(row):
            if _is_false_day(value):
                row[column] = numbers[column]


def _is_false_day(value: Any) -> bool:
    """Tell whether a cell may be such a number: openpyxl has an error for the late ones."""
    return value == "#VALUE!" or (isinstance(value, datetime.datetime) and value.year < 1900)
