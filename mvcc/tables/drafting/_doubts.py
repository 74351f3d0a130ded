"""What may be wrong with columns, as comments in a drafted config and in short.

Their kinds may be wrong; or they hold ids or codes of another table, though no file matches the two
tables.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.messages import clipped, counted, percent, shown, views_of_pair
from mvcc._utils.settings import as_yaml
from mvcc.tables.drafting._ids import texts_in
from mvcc.tables.reading._column import Column, LeftOut, given_texts, without_attrs
from mvcc.tables.reading._numbers import before_labels
from mvcc.tables.reading._rows import plain_id
from mvcc.tables.reading._table import Table

FEW_NUMBERS = 6  # distinct ones, which may be codes
A_COLUMN_OF_EACH = "make a column of each number"
_MANY = 0.5  # of the values are missing, hold numbers, or are ids or codes of another table
_MANY_ALIKE = 5  # more columns with the same doubt
_MOST_CHOICES = 20  # of a question that several answers are allowed to
_SEVERAL = 0.2  # of the cells list more than one of them
_FEW_WORDS = 10  # distinct ones beside the numbers of a column of texts
_FEW_REPEAT = 0.9  # of the numbers in a column are distinct, or ids of another table
_GLANCE = 100  # rows, of which some hold an id of another table if a column does
_CODES = (LeftOut.AN_ID, LeftOut.PADDED, LeftOut.ADDRESSES, LeftOut.BARCODES)

_Read = Mapping[str, tuple[Table, pd.DataFrame]]
_Doubts = Iterator[tuple[str, str, str]]  # the view, its column, and what is doubtful


def doubts_of(column: Column, cells: pd.Series[Any], used: pd.Series[Any]) -> Iterator[str]:
    """Say what may be wrong with the kind of a column that is clustered."""
    if column.n_missing > _MANY * len(cells):
        yield f"{percent(column.n_missing / len(cells))} are missing"
    if column.kind == "number" and used.nunique() > FEW_NUMBERS:
        return  # the texts of thousands of columns take long
    values = given_texts(cells)
    is_whole = column.kind == "number" and values.str.fullmatch(r"\d+").all()
    if is_whole and 2 < values.nunique() <= FEW_NUMBERS:
        yield f"{values.nunique()} distinct numbers: if they are codes, write category"
    pattern = {"text": r"\d", "category": r"\d\D*[^\W\d_]\D*\d"}.get(column.kind or "", "")
    is_bare = pattern and not column.remarks and values.nunique() > FEW_NUMBERS
    if is_bare and (example := _number_among_few_words(values, pattern)):
        said = shown(clipped(example, 40))
        yield f"texts with numbers in them, such as {said}: {A_COLUMN_OF_EACH}"
    if column.kind in ("category", "text") and (n_choices := _number_of_choices(values)):
        yield f"cells list some of {n_choices} choices: make a column of each choice"
    if column.kind == "category" and values.nunique() > 2 and not values.str.isdigit().all():
        numbers = before_labels(values, one_each=True)
        if not np.isnan(numbers).any():
            ends = f"{numbers.min():.0f} to {numbers.max():.0f}"
            asked = f"write `columns: {as_yaml({column.name: 'number'})}`"
            yield f"its categories begin with the numbers {ends}: if they are a scale, {asked}"


def doubts_in_short(doubts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Give the doubts about columns; of many that are alike but for numbers, the first one."""
    alike: dict[str, list[str]] = {}
    for column, doubt in ((column, doubt) for column, said in doubts.items() for doubt in said):
        words = re.sub(r"\d+", "", doubt.replace(column, ""))
        alike.setdefault(words, []).append(f"{clipped(column)}: {doubt}")
    for first, *others in alike.values():
        if len(others) < _MANY_ALIKE:
            yield from (first, *others)
        else:
            yield f"{first} (and {len(others)} more columns, see their comments)"


def _number_among_few_words(texts: pd.Series[Any], pattern: str) -> str:
    """Return the first of texts if most have a number and words, the same few in all; else none."""
    words = {word for text in texts for word in re.findall(r"[^\W\d_]+", text.casefold())}
    matching = texts[texts.str.contains(pattern) & texts.str.contains(r"\s")]
    if len(words) <= _FEW_WORDS and len(matching) > _MANY * len(texts):
        return str(matching.iloc[0])
    return ""


def _number_of_choices(texts: pd.Series[Any]) -> int:
    """Return of how many choices cells list one or more, as forms store them; 0 if they do not."""
    for separator in (";", "|", ", "):
        lists = [text.strip(f"{separator} ").split(separator) for text in texts]
        choices = {choice.strip() for cell in lists for choice in cell}
        n_several = sum(len(cell) > 1 for cell in lists)
        are_fewer = len(choices) < min(texts.nunique(), _MOST_CHOICES + 1)
        if are_fewer and n_several >= _SEVERAL * len(lists):
            return len(choices)
    return 0


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
    bare, codes = without_attrs(frame), dict[str, set[str]]()
    for column in table.every_column:
        if column.why in _CODES:
            texts = _folded(bare[column.name])
            held = {*texts}
            # those that repeat are of counties or departments, say
            if column.why is not LeftOut.PADDED or len(held) > _FEW_REPEAT * len(texts):
                codes[column.name] = held
    return codes


def _folded(values: pd.Series[Any]) -> list[str]:
    return [plain_id(text.casefold()) for text in texts_in(values)]


def _are_far_between(ids: Collection[str]) -> bool:
    """Tell whether few numbers are ids, so that quantities would hardly be some by chance."""
    numbers = [*map(int, ids)]
    return 2 * len(numbers) < max(numbers) - min(numbers)
