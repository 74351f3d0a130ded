"""Columns with ids or codes of another table, though no file matches the two tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations, permutations, product
from typing import Any

import pandas as pd

from mvcc._utils.messages import counted, shown, views_of_pair
from mvcc.tables.drafting._doubts import FEW_NUMBERS
from mvcc.tables.drafting._ids import texts_in
from mvcc.tables.reading._column import LeftOut, without_attrs
from mvcc.tables.reading._rows import plain_id
from mvcc.tables.reading._table import Table

_MANY = 0.5  # of the values of a column are ids of another table, or of the codes in both
_FEW_REPEAT = 0.9  # of the numbers in a column are distinct, or ids of another table
_GLANCE = 100  # rows, of which some hold an id of another table if a column does
_CODES = (LeftOut.AN_ID, LeftOut.ADDRESSES, LeftOut.BARCODES)

_Read = Mapping[str, tuple[Table, pd.DataFrame]]
_Doubts = Iterator[tuple[str, str, str]]  # the view, its column, and what is doubtful


def doubts_on_ids(read: _Read, matched: Collection[str]) -> _Doubts:
    """Name the columns that tell matches of views which no file matches, as read from frames."""
    known = [{*views_of_pair(pair)} for pair in matched]
    for name, other in permutations(read, 2):
        if {name, other} not in known and read[other][0].id_column is not None:
            yield from _with_ids_of(name, other, read)
    for name, other in combinations(read, 2):
        if {name, other} not in known:
            yield from _with_the_same_codes(name, other, read)


def _with_ids_of(name: str, other: str, read: _Read) -> _Doubts:
    table, frame = read[name][0], without_attrs(read[name][1])
    known = {plain_id(id.casefold()) for id in read[other][0].ids}
    are_numbers = all(map(str.isdecimal, known))  # which quantities may be, too, if they repeat
    for column in table.every_column:
        if column.name == table.id_column or column.kind == "category":
            continue
        values = frame[column.name]
        first = (str(value).strip().casefold() for value in values.iloc[:_GLANCE].tolist())
        if known.isdisjoint(map(plain_id, first)):
            continue
        texts = _folded(values)
        held = {*texts}
        is_like_ids = column.why is LeftOut.AN_ID or len(held) > (
            _FEW_REPEAT * len(texts) if are_numbers else FEW_NUMBERS
        )
        is_like_ids |= are_numbers and len(held) > FEW_NUMBERS and _are_far_between(known)
        enough = _FEW_REPEAT if are_numbers else _MANY  # words beside codes are remarks
        if is_like_ids and len(held & known) > enough * len(held):
            yield (
                name,
                column.name,
                (
                    f"has ids of {other}: if rows with them are the same object, write a file of"
                    f" matches with the columns {name} and {other}, and ignore this one"
                ),
            )


def _with_the_same_codes(name: str, other: str, read: _Read) -> _Doubts:
    codes = (_codes_in(*read[view]).items() for view in (name, other))
    for (column, held), (twin, known) in product(*codes):
        n = len(held & known)
        if n > FEW_NUMBERS and n >= _MANY * min(len(held), len(known)):
            said = (
                f"shares {counted(n, 'value')} with {shown(twin)} of {other}: if rows"
                " with the same one are the same object, write a file of matches with these two"
                " columns"
            )
            yield name, column, said


def _codes_in(table: Table, frame: pd.DataFrame) -> dict[str, set[str]]:
    bare = without_attrs(frame)
    names = [column.name for column in table.every_column if column.why in _CODES]
    return {name: {*_folded(bare[name])} for name in names}


def _folded(values: pd.Series[Any]) -> list[str]:
    return [plain_id(text.casefold()) for text in texts_in(values)]


def _are_far_between(ids: Collection[str]) -> bool:
    """Tell whether few numbers are ids, so that quantities would hardly be some by chance."""
    numbers = [*map(int, ids)]
    return 2 * len(numbers) < max(numbers) - min(numbers)
