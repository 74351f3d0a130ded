"""Numbers that may stand for a missing one, such as 999, and missing ones that may mean 0."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats, far_values
from mvcc._utils.messages import clipped, counted, enumerated
from mvcc._utils.settings import as_yaml
from mvcc.tables._job import View
from mvcc.tables.reading._column import GLANCE, as_texts
from mvcc.tables.reading._problems import is_in_memory, option_for

_MOST_NAMED = 3  # columns with values far outside all others
_SCALES = (7, 10)  # the most that an answer is, from 0 on
_CODES = [-1, *range(-9, -6), -77, -88, *range(-99, -96), -888, *range(-999, -996)]
_CODES += [8, 9, 77, 88, *range(97, 100), 888, *range(997, 1000)]  # instead of an answer
_FEWEST_COUNTS = 5  # columns, for empty cells to be likely to mean 0
_MANY = 10  # times as many columns, as of counts, have a value as those in which it is odd
_FAR_OFF = 1000  # times the range of all others, as 65535 of a sensor is
_NONE = np.empty(0)


def notes_on_far_values(
    frame: pd.DataFrame, name: str, view: View, numbers: Mapping[str, Any]
) -> Iterator[str]:
    """Name values such as -99 or 999 far outside all others, which may mean missing."""
    X = np.column_stack([*numbers.values(), np.zeros(len(frame))])
    far = {at: value for at, value in far_values(X).items() if _may_mean_missing(value, X[:, at])}
    cases, words = dict[str, str](), [*(view.missing or ())]
    of_column = dict[str, list[str]]()
    odd = [{far.get(index, np.nan), *_codes_in(X[:, index])} for index in range(len(numbers))]
    n_odd = Counter(chain.from_iterable(odd))
    small = [value for value in n_odd if 0 < value <= _SCALES[-1]]  # 99 beside 1 to 5 is odd
    usual = {v for v in small if np.equal(X, v).any(axis=0).sum() > _MANY * n_odd[v]}
    for column, values, codes in zip(numbers, X.T, odd, strict=False):
        is_far = np.isin(values, [*(codes - usual)])
        if not is_far.any():
            continue
        written = as_texts(frame[column][is_far]).unique().tolist()
        words += [word for word in written if word not in words]
        of_column[column] = written
        others = pd.Series(values[~is_far])
        cases[column] = (
            f"{enumerated(written)} in {clipped(column)} ({counted(is_far.sum(), 'row')}, all"
            f" others {others.min():.6g} to {others.max():.6g})"
        )
    if cases:
        note = f"{view.path} has {enumerated(cases.values(), _MOST_NAMED)}. If this means missing,"
        if is_in_memory(name, view.path):
            yield f"{note} write NaN instead."
            return
        note += (
            f" write {option_for('--missing', name, words)}, in the view of a config"
            f" `missing: {as_yaml(words)}`, in Python NaN."
        )
        lost = ((column, {*words}.difference(of_column.get(column, ()))) for column in numbers)
        if too := [
            clipped(column) for column, its in lost if as_texts(frame[column]).isin(its).any()
        ]:
            note += f" This also empties cells of {enumerated(too, _MOST_NAMED)}."
        yield note


def _may_mean_missing(value: float, values: Floats) -> bool:
    """Tell whether a number is like 99 or 1e20, or below 0 as no other: not a dose or a price."""
    if re.fullmatch(r"([789])\1+", f"{abs(value):.15g}".replace(".", "")):
        return True
    others = values[(values != value) & ~np.isnan(values)]
    is_far_off = np.abs(value - others).min() > _FAR_OFF * np.ptp(others)
    return bool(is_far_off) or (value < 0 and not (others < 0).any())


def notes_on_blanks(name: str, view: View, numbers: Mapping[str, Any]) -> Iterator[str]:
    """Say that empty cells of counts, as in tables of species or baskets, may mean 0."""
    counts = [column for column, values in numbers.items() if _are_counts_from_1(values)]
    if len(counts) >= _FEWEST_COUNTS:
        zero = "NaN" if is_in_memory(name, view.path) else "an empty cell"
        yield (
            f"{view.path} has no value in most rows, and no 0, in {enumerated(counts, 2)}. If"
            f" {zero} means 0 there, write 0: a missing number is read as the mean of the others."
        )


def _are_counts_from_1(values: Floats) -> bool:
    """Tell whether most values lack, and 1 is the least and commonest, unlike ranks or times."""
    known, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    is_from_1 = counts.sum() < len(values) / 2 and bool((known % 1 == 0).all())
    return is_from_1 and [*known[:1]] == [1] and bool(counts[0] == counts.max())


def _codes_in(values: Floats) -> Floats:
    """Return what stands beside a scale, such as 9, or 98 and 99, beside 1 to 5."""
    glance = values[:GLANCE]
    if not np.isin(glance[~np.isnan(glance)], [*range(_SCALES[-1] + 1), *_CODES]).all():
        return _NONE
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    for most in _SCALES:
        is_code = (distinct < 0) | (distinct > most)
        scale, codes = distinct[~is_code], distinct[is_code]
        is_rare = 2 < counts[is_code].sum() < counts.sum() / 2
        if is_rare and len(scale) > 1 and np.isin(distinct, [*range(most + 1), *_CODES]).all():
            gap = np.abs(codes[:, np.newaxis] - scale).min()
            if gap > np.diff(scale).max() and codes.tolist() != [8]:  # as cylinders
                return codes
    return _NONE
