"""ARFF files as tables of text, whatever the types of their attributes."""

from __future__ import annotations

import re

import pandas as pd

from mvcc._messages import shown
from mvcc.exceptions import DataError

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*\S.*", re.IGNORECASE)
_VALUE = re.compile(rf"\s*({_QUOTED}|[^,'\"]*)\s*(?:,|$)")


def arff_frame(text: str, path: str) -> pd.DataFrame:
    """Read an ARFF file: numbers, classes, texts and dates alike as they are written, missing values as empty text.

    Raises
    ------
    DataError
        If it has not this form; the message names file, line and what is wrong.
    """
    names: list[str] = []
    rows: list[list[str]] = []
    places: list[int] = []
    in_data = False
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith("%"):
            continue
        if in_data:
            values = _values(line)
            if len(values) != len(names):
                what = "sparse rows are not read" if line.startswith("{") else f"{len(values)} values are there"
                raise DataError(f"{path}:{number}: {what}, where each of the {len(names)} attributes has one.")
            rows.append(values)
            places.append(number)
        elif attribute := _ATTRIBUTE.fullmatch(line):
            names.append(_bare(attribute[1]))
        elif line.lower() == "@data":
            in_data = True
        elif not line.lower().startswith("@relation"):
            raise DataError(f"{path}:{number}: @relation, @attribute or @data is expected, not {shown(line)}.")
    if not in_data:
        raise DataError(f"{path}: there is no @data; this is no whole ARFF file.")
    frame = pd.DataFrame(rows, columns=names, dtype="str")
    if rows and places[-1] - places[0] == len(rows) - 1:  # nothing stands between the rows
        frame.attrs["lines"] = places[0]
    return frame


def _values(line: str) -> list[str]:
    if "'" not in line and '"' not in line:
        found = line.split(",") if "," in line else line.split()
        return ["" if value.strip() == "?" else value.strip() for value in found]
    values, at = [], 0
    while at <= len(line) and (value := _VALUE.match(line, at)):
        values.append("" if value[1].strip() == "?" else _bare(value[1].strip()))
        if value.end() == len(line) and not value[0].endswith(","):
            return values
        at = value.end()
    return []  # a quotation mark that is never closed, or text behind one


def _bare(text: str) -> str:
    """Return a text without its quotation marks."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in ("'", '"') else text
