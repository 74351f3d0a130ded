"""Protein and Letters/Digits (§6.1): numeric features and a nominal class from ARFF files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.messages import clipped, shown
from mvcc._utils.reading import content_of
from mvcc._utils.text import Attribute, decoded, nominal_values, parse_arff
from mvcc.datasets._dataset import Dataset, check_choice, pair_at_random
from mvcc.exceptions import DataError

_NUMERIC = {"numeric", "real", "integer"}


def read_arff(path: Path) -> tuple[Floats, Ints]:
    """Read features, and the last attribute as classes, numbered as declared, from an ARFF file."""
    try:
        content = content_of(path)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error
    attributes, rows, lines = parse_arff(decoded(content, str(path), DataError), str(path))
    classes = _classes(path, attributes)
    # the first of equal names counts
    known = {label: number for number, label in reversed(list(enumerate(classes)))}
    features, labels = [], []
    for values, line in zip(rows, lines, strict=True):
        if (label := values.pop()) not in known:
            listed = clipped(", ".join(classes), 200)
            raise _bad(path, line, f"unknown class {shown(label)}, the classes are {listed}")
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
            why = f"the attributes before the last must be numeric, not {shown(feature.type)}"
            raise _bad(path, feature.line, why)
    classes = nominal_values(label)
    if not features or not classes:
        why = "numeric attributes and, as the last one, a nominal class {...} are expected"
        raise _bad(path, label.line, why)
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


def protein(rng: np.random.Generator, proteins: Path, *, n_views: int = 2) -> Dataset:
    """Load Protein: classes c1, c2, c3 in one view, paired with c4, c5, c6 in the other.

    In three views (§5.3) there are c1 and c2, c3 and c4, c5 and c6; c1, c3, c5 are joined, and c2,
    c4, c6. These have 35, 47 and 34 rows, and 33 relations between any two.
    """
    count = check_choice(n_views, "n_views", (2, 3))
    X, y = read_arff(proteins)
    size = 6 // count  # classes of a view
    homes, classes = np.divmod(y, size)
    labels = [classes[homes == view] for view in range(count)]
    return Dataset(
        views=[X[homes == view] for view in range(count)],
        labels=labels,
        relations=pair_at_random(labels, rng),
        names=tuple(f"c{size * view + 1}-c{size * (view + 1)}" for view in range(count)),
    )


def letters_digits(rng: np.random.Generator, letters: Path, digits: Path) -> Dataset:
    """Load Letters/Digits; I & 3, J & 8, L & 9 are paired, as the files list their classes."""
    (X_letters, y_letters), (X_digits, y_digits) = read_arff(letters), read_arff(digits)
    labels = [y_letters, y_digits]
    relations = pair_at_random(labels, rng)
    return Dataset([X_letters, X_digits], labels, relations, ("letters", "digits"))
