"""The first values of a column, as they are in the file and as they are used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from mvcc.tables.reading._column import Column
from mvcc.tables.reading._kinds import Values
from mvcc.tables.reading._looks import as_texts, is_missing

_LOOKED_AT = 200  # rows
_SHOWN = 2  # distinct values
_LONGEST = 40  # characters
_MINUTES = 24 * 60


def with_examples(column: Column, cells: pd.Series[Any], values: Values | None) -> Column:
    """Return a column with two of its values.

    `values`: of all rows as they are used; None if the column is left out.
    """
    if column.kind == "picture" or (column.kind == "number" and not column.note):
        values = None  # 21.720 and 21.72 are the same
    head = cells.iloc[:_LOOKED_AT]
    if any(isinstance(cell, bytes) for cell in head):
        return column  # an ignored one, such as pictures: its cells are not texts
    texts = as_texts(head)[~is_missing(head)].drop_duplicates().iloc[:_SHOWN]
    places = head.index.get_indexer(texts.index)
    pairs = []
    for place, text in zip(places.tolist(), texts, strict=True):
        written = " ".join(str(text)[:_LONGEST].split())
        used = None if values is None else values[place]
        pairs.append((written, written if used is None else _as_used(used, column.kind)))
    return replace(column, examples=tuple(pairs))


def _as_used(value: Any, kind: str | None) -> str:
    if isinstance(value, str):
        return " ".join(value[:_LONGEST].split())
    if kind != "date":
        return f"{value:.10g}"
    if value % 1 == 0:
        return str(np.datetime64(round(value), "D"))
    return str(np.datetime64(round(value * _MINUTES), "m")).replace("T", " ")
