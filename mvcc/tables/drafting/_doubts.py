"""What may be wrong with the kinds of columns, as comments in a drafted config and in short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.messages import clipped, percent, shown
from mvcc._utils.settings import as_yaml
from mvcc.tables.reading._column import Column, given_texts
from mvcc.tables.reading._numbers import before_labels

FEW_NUMBERS = 6  # distinct ones, which may be codes
A_COLUMN_OF_EACH = "make a column of each number"
_MANY = 0.5  # of the values are missing, or hold numbers
_MANY_ALIKE = 5  # more columns with the same doubt
_MOST_CHOICES = 20  # of a question that several answers are allowed to
_SEVERAL = 0.2  # of the cells list more than one of them
_FEW_WORDS = 10  # distinct ones beside the numbers of a column of texts


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
