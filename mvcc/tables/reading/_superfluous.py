"""Columns that say nothing of their own: numbers of rows, times of an export, and repetitions."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from mvcc.tables._job import Kind
from mvcc.tables.reading._column import LeftOut, Written
from mvcc.tables.reading._kinds import Understood

_FEWEST_ROWS = 10  # of fewer, order and equal values may be chance
_A_DAY = 1.0  # within which an export ends
_MOST_COMPARED = 100  # columns; among more, a repeated one weighs next to nothing
_SAME = 1e-6  # standard deviations
_LOOKED_AT = 100  # rows that most columns differ in


def without_superfluous(
    found: dict[str, Understood], unasked: Collection[str]
) -> dict[str, Understood]:
    """Leave out columns that nobody asked for and that say nothing of their own, unless no other
    is left.
    """
    if any(one.values is not None and len(one.values) < _FEWEST_ROWS for one in found.values()):
        return found
    kept: dict[str, Understood] = {}
    for name, one in found.items():
        if name not in unasked or one.values is None:
            kept[name] = one
        elif reason := _of_the_order(one):
            kept[name] = _left_out(one, reason)
        elif len(found) > _MOST_COMPARED or (twin := _twin_of(one, kept)) is None:
            kept[name] = one
        else:
            kept[name] = _left_out(one, LeftOut.REPEATS, repr(twin))
    return kept if any(one.values is not None for one in kept.values()) else found


def _left_out(one: Understood, why: LeftOut, *remarks: str) -> Understood:
    column = replace(one.column, kind=None, why=why, remarks=remarks, unit="")
    return Understood(replace(column, written=Written.PLAIN))


def _of_the_order(one: Understood) -> LeftOut | None:
    """Tell whether a column counts the rows, or has the times at which they were written.

    These are a step apart, or rise within one day: which row was written when says nothing of it.
    """
    values: Any = one.values
    if one.column.n_missing:
        return None
    if one.column.kind == "number" and values[0] % 1 == 0 and (np.diff(values) == 1).all():
        return LeftOut.ROW_NUMBERS
    is_time = one.column.kind == "date" and (values % 1).any()
    if is_time and (np.diff(values) >= 0).all() and np.ptp(values) < _A_DAY:
        return LeftOut.EXPORT_TIMES
    return None


def _twin_of(one: Understood, others: dict[str, Understood]) -> str | None:
    """Return an earlier column that says the same, perhaps in other words or another unit."""
    for name, other in others.items():
        if other.values is not None and _say_the_same(one, other):
            return name
    return None


def _say_the_same(one: Understood, other: Understood) -> bool:
    x: Any = one.values
    y: Any = other.values
    if one.column.kind != other.column.kind or one.column.kind is None:
        return False
    same = _SAME_VALUES[one.column.kind]
    return same(x[:_LOOKED_AT], y[:_LOOKED_AT]) and same(x, y)


def _are_equal(x: Any, y: Any) -> bool:
    return bool(((x == y) | (pd.isna(x) & pd.isna(y))).all())


def _have_the_same_groups(x: Any, y: Any) -> bool:
    """Tell whether categories are the same but for their words, such as red and 1, blue and 2."""
    groups = [pd.factorize(pd.Series(values, dtype=object))[0] for values in (x, y)]
    return bool((groups[0] == groups[1]).all())


def _are_linear(x: Any, y: Any) -> bool:
    """Tell whether numbers are the same but for their unit, such as prices and prices in cents."""
    known = ~np.isnan(x)
    if (known == np.isnan(y)).any():
        return False
    x, y = x[known], y[known]
    if not (x.std() and y.std()):
        return _are_equal(x, y)
    return bool(np.abs((x - x.mean()) / x.std() - (y - y.mean()) / y.std()).max() < _SAME)


_SAME_VALUES: dict[Kind, Callable[[Any, Any], bool]] = {
    "number": _are_linear,
    "date": _are_equal,
    "category": _have_the_same_groups,
    "text": _are_equal,
}
