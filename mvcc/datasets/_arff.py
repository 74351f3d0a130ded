"""Numeric features and a nominal class from an ARFF file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mvcc._utils.arff import Attribute, nominal_values, parse_arff
from mvcc._utils.files import decoded
from mvcc._utils.messages import clipped, shown
from mvcc._utils.reading import content_of
from mvcc.exceptions import DataError

_NUMERIC = {"numeric", "real", "integer"}


def read_arff(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Read the features of an ARFF file, and its last attribute as classes, numbered in the order of their declaration.

    Raises
    ------
    DataError
        If the file cannot be read or does not have this form (missing values, strings and dates have no place in it);
        the message names file, line and what is wrong.
    """
    try:
        content = content_of(path)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error
    attributes, rows, lines = parse_arff(decoded(content, str(path), DataError), str(path))
    classes = _classes(path, attributes)
    known = {label: number for number, label in reversed(list(enumerate(classes)))}  # the first of equal names counts
    features, labels = [], []
    for values, line in zip(rows, lines, strict=True):
        if (label := values.pop()) not in known:
            raise _bad(path, line, f"unknown class {shown(label)}, the classes are {clipped(', '.join(classes), 200)}")
        features.append([_number(path, line, value) for value in values])
        labels.append(known[label])
    if not features:
        raise DataError(f"{path}: there are no rows after @data.")
    return np.array(features, dtype=np.float64), np.array(labels, dtype=np.int64)


def _classes(path: Path, attributes: list[Attribute]) -> list[str]:
    """Return the classes; all attributes before the class must be numeric."""
    *features, label = attributes
    for feature in features:
        if feature.type.lower() not in _NUMERIC:
            raise _bad(path, feature.line, f"the attributes before the last must be numeric, not {shown(feature.type)}")
    classes = nominal_values(label)
    if not features or not classes:
        raise _bad(path, label.line, "numeric attributes and, as the last one, a nominal class {...} are expected")
    return classes


def _number(path: Path, line: int, text: str) -> float:
    if not text:
        raise _bad(path, line, "a value is missing")
    try:
        value = float(text)
    except ValueError:
        raise _bad(path, line, f"{shown(text)} is not a number") from None
    if not math.isfinite(value):
        raise _bad(path, line, f"{shown(text)} is not a finite number")
    return value


def _bad(path: Path, line: int, what: str) -> DataError:
    return DataError(f"{path}:{line}: {what}.")
