"""ARFF files as they are written: attributes with their types, and the values as text."""

from __future__ import annotations

import re
from typing import NamedTuple

from mvcc._utils.messages import shown
from mvcc.exceptions import DataError

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({_QUOTED}|[^\s{{'\"][^\s{{]*(?=[\s{{]))\s*(\S.*)", re.IGNORECASE
)
_UP_TO_COMMA = re.compile(rf"\s*+({_QUOTED}|[^,'\"]*+)\s*+(?:,|$)")
_UP_TO_BLANK = re.compile(rf"({_QUOTED}|[^\s'\"]++)(?:\s++|$)")


class Attribute(NamedTuple):
    """A column: its name, its type as it is written, and the line of the file."""

    name: str
    type: str
    line: int


class Arff(NamedTuple):
    """The attributes, the values of every row without quotation marks, and the line of each."""

    attributes: list[Attribute]
    rows: list[list[str]]
    lines: list[int]


def parse_arff(text: str, place: str) -> Arff:
    """Read the text of an ARFF file; commas or white space separate values."""
    found = Arff([], [], [])
    in_data = False
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith("%"):
            continue
        if in_data:
            found.rows.append(_row(line, len(found.attributes), f"{place}:{number}"))
            found.lines.append(number)
            continue
        keyword = line.split(maxsplit=1)[0].lower()
        if attribute := _ATTRIBUTE.fullmatch(line):
            found.attributes.append(Attribute(_bare(attribute[1]), attribute[2], number))
        elif keyword == "@data":
            if not found.attributes:
                raise DataError(f"{place}:{number}: there is no @attribute before @data.")
            in_data = True
        elif keyword != "@relation":
            raise DataError(
                f"{place}:{number}: @relation, @attribute or @data is expected, not {shown(line)}."
            )
    if not in_data:
        raise DataError(f"{place}: there is no @data; the ARFF file is incomplete.")
    return found


def nominal_values(attribute: Attribute) -> list[str]:
    """Return what a nominal attribute may be, in the order of the file, or nothing."""
    listed = re.fullmatch(r"\{(.*)\}", attribute.type)
    return (listed and _values(listed[1].strip())) or []


def _row(line: str, width: int, place: str) -> list[str]:
    values = _values(line)
    if values is None:
        raise DataError(
            f"{place}: a quotation mark is not closed, or text stands right beside one."
        )
    if len(values) != width:
        what = f"{len(values)} values instead of {width}"
        if line.startswith("{"):
            what = "sparse rows are not read"
        raise DataError(f"{place}: {what}.")
    return values


def _values(line: str) -> list[str] | None:
    """Split a line into values; None where quotation marks are out of place."""
    if "'" not in line and '"' not in line:
        found = line.split(",") if "," in line else line.split()
        return ["" if value.strip() == "?" else value.strip() for value in found]
    up_to_end = _UP_TO_COMMA if "," in line else _UP_TO_BLANK
    values, at = [], 0
    while at <= len(line) and (value := up_to_end.match(line, at)):
        written = value[1].strip()
        values.append("" if written == "?" else _bare(written))
        if value.end() == len(line) and not value[0].endswith(","):
            return values
        at = value.end()
    return None


def _bare(text: str) -> str:
    """Return a text without its quotation marks."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in ("'", '"') else text
