"""The size of the sheets of a workbook, counted before any of them is read.

Some cells can claim billions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import IO, Any
from xml.parsers import expat

MOST_ROWS, MOST_COLUMNS = 2**20, 2**14  # of a sheet, by Excel
MOST_CELLS = 2**25  # of all that is read of a sheet: its rows times its columns
MOST_ELEMENTS = 2**26  # of XML in one file of a workbook
_PLACE = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_BLOCK = 2**16

Area = tuple[int, int, int, int]  # first row and column, last row and column, from 1


@dataclass(eq=False)
class Sheet:
    """What a file of XML holds, if it is a sheet.

    `first, last, width`: the first and the last row with values, and the last column; 0 where
    there is no value.
    """

    first: int = 0
    last: int = 0
    width: int = 0
    merged: list[Area] = field(default_factory=list)
    has_formulas: bool = False


def measured(source: IO[bytes]) -> Sheet:
    """Count what is in a file of XML, some kilobytes at a time.

    Raises ValueError: for more than a sheet may hold, and for other XML.
    """
    scan = _Scan()
    try:
        while block := source.read(_BLOCK):
            scan.parser.Parse(block)
        scan.parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ValueError(f"its XML is damaged: {error}") from error
    sheet = scan.sheet
    for area in sheet.merged:
        if area[0] <= sheet.last and area[1] <= sheet.width:  # others hold no value
            sheet.last, sheet.width = max(sheet.last, area[2]), max(sheet.width, area[3])
    if sheet.last * sheet.width > MOST_CELLS:
        raise ValueError(
            f"a sheet claims {sheet.last:,} rows of {sheet.width:,} columns; at most {MOST_CELLS:,}"
            " cells are read. Delete far cells and merged areas, or save it as CSV"
        )
    return sheet


class _Scan:
    """Counts the elements of XML as they come."""

    def __init__(self) -> None:
        self.sheet = Sheet()
        self._n_elements = self._row = self._column = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._begin
        self.parser.StartDoctypeDeclHandler = self._refuse_entities

    def _refuse_entities(self, *_: Any) -> None:
        raise ValueError("its XML declares a document type, which no workbook has")

    def _begin(self, name: str, given: dict[str, str]) -> None:
        self._n_elements += 1
        if self._n_elements > MOST_ELEMENTS:
            raise ValueError(
                f"one of its files has more than {MOST_ELEMENTS:,} elements of XML. Save it as CSV"
            )
        match name.rpartition(" ")[2]:
            case "c":
                self._column = _place(given["r"])[1] if given.get("r") else self._column + 1
                if self._column > MOST_COLUMNS:
                    raise ValueError(f"row {self._row} has more than {MOST_COLUMNS:,} cells")
            case "v" | "is" | "f" as what:
                self._fill(what == "f")
            case "row":
                before, self._column = self._row, 0
                self._row = int(float(given["r"])) if "r" in given else before + 1
                if not before < self._row <= MOST_ROWS:
                    raise ValueError(
                        f"row {self._row:,} comes after row {before:,}; a sheet has {MOST_ROWS:,}"
                        " rows"
                    )
            case "mergeCell":
                first, _, last = given.get("ref", "").partition(":")
                self.sheet.merged.append((*_place(first), *_place(last or first)))

    def _fill(self, is_formula: bool) -> None:
        sheet = self.sheet
        sheet.first = sheet.first or self._row
        sheet.last, sheet.width = self._row, max(sheet.width, self._column)
        sheet.has_formulas |= is_formula


def _place(written: str) -> tuple[int, int]:
    """Return row and column of a place such as B7."""
    found = _PLACE.fullmatch(written)
    column = 0
    for letter in found[1] if found else "":
        column = 26 * column + ord(letter) - 64
    if found is None or not 1 <= int(found[2]) <= MOST_ROWS or column > MOST_COLUMNS:
        raise ValueError(
            f"{written[:20]!r} is not a place in a sheet, which ends at XFD{MOST_ROWS}"
        )
    return int(found[2]), column


def letters_of(column: int) -> str:
    """Return what spreadsheet programs call a column, which counts from 0: A, …, Z, AA, …"""
    letters = ""
    while column >= 0:
        letters = chr(65 + column % 26) + letters
        column = column // 26 - 1
    return letters
