"""Reading ARFF files with numeric features and a nominal class, as lenient as Weka about white space."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mvcc._messages import clipped, shown
from mvcc.exceptions import DataError

_ATTRIBUTE = re.compile(r"""@attribute\s+('[^']*'|"[^"]*"|\S+)\s+(.+)""", re.IGNORECASE)
_NUMERIC = {"numeric", "real", "integer"}


def read_arff(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Read the features and classes of an ARFF file whose last attribute is the class.

    The values of a row are separated by commas or by white space, and may have white space around them: two of the
    three files of §6.1 need this. Missing values, sparse rows, strings and dates are not supported.

    Parameters
    ----------
    path : Path
        The file, in UTF-8.

    Returns
    -------
    X : ndarray of shape (n, d), float64
        Features, finite.
    y : ndarray of shape (n,), int64
        Classes, numbered in the order of the file's class attribute.

    Raises
    ------
    DataError
        If the file cannot be read or does not have this form; the message names file, line and what is wrong.
    """
    lines = _lines(path)
    n_features, classes = _header(path, lines)
    known = {label: number for number, label in reversed(list(enumerate(classes)))}  # the first of equal names counts
    rows, labels = [], []
    for number, line in lines:
        values = [value.strip() for value in line.split(",")] if "," in line else line.split()
        if len(values) != n_features + 1:
            raise _bad(path, number, f"{len(values)} values instead of {n_features + 1}")
        if (label := values.pop().strip("'\"")) not in known:
            raise _bad(
                path, number, f"unknown class {shown(label)}, the classes are {clipped(', '.join(classes), 200)}"
            )
        rows.append([_number(path, number, value) for value in values])
        labels.append(known[label])
    if not rows:
        raise DataError(f"{path}: no rows after @data.")
    return np.array(rows, dtype=np.float64), np.array(labels, dtype=np.int64)


def _header(path: Path, lines: Iterator[tuple[int, str]]) -> tuple[int, list[str]]:
    """Read up to ``@data``: the number of features and the classes."""
    types: list[str] = []
    for number, line in lines:
        keyword = line.split(maxsplit=1)[0].lower()
        if keyword == "@data":
            if len(types) < 2 or not types[-1].startswith("{"):
                raise _bad(path, number, "there must be numeric attributes and, as the last one, a nominal class {...}")
            return len(types) - 1, [value.strip().strip("'\"") for value in types[-1].strip("{}").split(",")]
        if attribute := _ATTRIBUTE.fullmatch(line):
            if types and types[-1].startswith("{"):
                raise _bad(path, number, "only the last attribute may be nominal")
            types.append(attribute[2].strip())
            if types[-1].lower() not in _NUMERIC and not re.fullmatch(r"\{.+\}", types[-1]):
                raise _bad(path, number, f"attributes of type {shown(types[-1])} are not supported")
        elif keyword != "@relation":
            raise _bad(path, number, f"expected @relation, @attribute or @data, found {shown(line)}")
    raise DataError(f"{path}: no @data line; this is not a complete ARFF file.")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Give the lines that say something, with their numbers from 1."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        number = error.object[: error.start].count(b"\n") + 1
        raise _bad(path, number, f"byte 0x{error.object[error.start]:02x} is not UTF-8 text") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error
    for number, raw in enumerate(text.split("\n"), start=1):
        if (content := raw.strip()) and not content.startswith("%"):
            yield number, content


def _number(path: Path, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise _bad(path, line, f"{shown(text)} is not a number") from None
    if not math.isfinite(value):
        raise _bad(path, line, f"{shown(text)} is not a finite number")
    return value


def _bad(path: Path, line: int, what: str) -> DataError:
    return DataError(f"{path}, line {line}: {what}.")
