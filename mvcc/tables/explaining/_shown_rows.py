"""The values of rows that a report shows, and the rows that it draws.

All of few rows, a sample of many.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.messages import clipped
from mvcc._utils.types import Ints
from mvcc.constraints import Relations
from mvcc.tables.explaining._distinguishing import columns_of, written
from mvcc.tables.explaining._profiles import Profile
from mvcc.tables.reading._table import Table

MOST_POINTS = 20_000  # rows that are drawn, of all views
MOST_CHARACTERS = 2_000_000  # of values, of all views
MOST_COLUMNS = 30
_LONGEST_VALUE = 160

Rows = Ints


def rows_shown(
    facts: dict[str, Any], profiles: list[list[Profile]], tables: list[Table], relations: Relations
) -> list[dict[str, Any]]:
    """Return what the facts of a clustering say of rows, per view.

    Those of the ``sample``, and their ``values``.
    """
    listed = [_listed(view, own) for view, own in zip(facts["views"], profiles, strict=True)]
    samples = sampled([len(table.ids) for table in tables], listed, relations)
    return [
        {"sample": None if rows is None else rows.tolist(), "values": values}
        for rows, values in zip(samples, values_of(tables, profiles, samples), strict=True)
    ]


def _listed(view: dict[str, Any], profiles: list[Profile]) -> set[int]:
    """Return the rows that the facts of a view name."""
    kinds = ("given", "violated", "dropped", "propagated", "received")
    pairs = [link[:2] for kind in kinds for link in view.get(kind, ())]
    rows = [[moved[0]] for moved in view.get("moved", ())]
    of_clusters = [
        [*one["typical"], *one["misfits"], *(row for row, _ in one["borderline"])]
        for one in profiles
    ]
    return {row for some in (*pairs, *rows, *of_clusters) for row in some}


def sampled(
    sizes: list[int], listed: list[set[int]], relations: Relations, most: int = MOST_POINTS
) -> list[Rows | None]:
    """Choose the rows to draw: listed ones, counterparts of chosen ones, and rows at even steps.

    Shapes: `relations` (r, 2).

    `listed`: rows that must be there.
    `most`: rows of all views; listed ones may be more.
    Returns (m,): ascending; None where all rows of all views are drawn.
    """
    if sum(sizes) <= most:
        return [None] * len(sizes)
    chosen: list[Rows] = []
    for view, n in enumerate(sizes):
        there = np.zeros(n, dtype=np.bool_)
        there[list(listed[view])] = True
        share = most * n // sum(sizes)
        counterparts = [
            pairs[np.isin(pairs[:, at], chosen[other]), 1 - at]
            for (u, v), pairs in relations.items()
            for at, other, mine in ((0, u, v), (1, v, u))
            if mine == view and other < view
        ]
        for rows in (*counterparts, np.arange(n)):
            free = np.unique(rows[~there[rows]])
            room = min(max(share - int(there.sum()), 0), len(free))
            there[free[np.linspace(0, len(free) - 1, room).astype(np.int64)]] = True
        chosen.append(np.flatnonzero(there))
    return list(chosen)


def values_of(
    tables: list[Table], profiles: list[list[Profile]], rows: list[Rows | None]
) -> list[list[list[Any]]]:
    """Return per view its columns with the values of the rows that are drawn, as texts.

    If there are too many columns, those that set clusters apart come first; long texts are cut.
    """
    room = MOST_CHARACTERS // len(tables)
    return [_of_view(*one, room) for one in zip(tables, profiles, rows, strict=True)]


def _of_view(
    table: Table, profiles: list[Profile], rows: Rows | None, room: int
) -> list[list[Any]]:
    columns: dict[str, tuple[Any, str | None]] = {}
    for column, values in columns_of(table):
        if column.kind != "picture" or column.name in table.shown:
            columns[column.name] = (values, column.kind)
    ranked = sorted(
        (place, one["column"]) for own in profiles for place, one in enumerate(own["columns"])
    )
    first = dict.fromkeys([*table.shown, *(name for _, name in ranked), *columns])
    written_ones: dict[str, list[str]] = {}
    for name in list(first)[:MOST_COLUMNS]:
        if name in table.shown:
            values, kind = np.array(table.shown[name], dtype=object), None
        else:
            values, kind = columns[name]
        texts = _texts(values if rows is None else values[rows], kind)
        room -= sum(map(len, texts))
        if room < 0:
            break
        written_ones[name] = texts
    order = dict.fromkeys([*table.shown, *columns])
    return [[name, written_ones[name]] for name in order if name in written_ones]


def _texts(values: Any, kind: str | None) -> list[str]:
    """Return values as they are shown, a missing one as an empty text."""
    missing = pd.isna(values)
    return [
        "" if gone else _text(value, kind)
        for value, gone in zip(values.tolist(), missing.tolist(), strict=True)
    ]


def _text(value: Any, kind: str | None) -> str:
    if isinstance(value, str):
        return clipped(" ".join(value[: 2 * _LONGEST_VALUE].split()), _LONGEST_VALUE)
    return (
        written(value, kind)
        if kind == "date"
        else f"{value:.{12 if value == round(value) else 7}g}"
    )
