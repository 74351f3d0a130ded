"""Short texts, such as cities and names of people: parts of their words hardly tell rows apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from mvcc.tables.reading._column import LeftOut
from mvcc.tables.reading._kinds import MOST_VALUES, Understood, Values

_FEWEST_ROWS = 50  # of fewer, nothing can be said of words that repeat
_FEW_WORDS = 4  # that half of the texts have at least, to count words instead of their parts
_REPEATED = 5  # times that a value is there in the mean, or a word at least
_COMMON = 0.005  # of the texts that have a word at least, for it to repeat
_HARDLY = 0.6  # of the words that repeat, below which texts are names: first names do, others not


def without_names(found: dict[str, Understood], unasked: Collection[str]) -> dict[str, Understood]:
    """Make categories of short texts that repeat, and leave out those whose words hardly do.

    Texts beside longer ones stay, as all become one text, and so do those without other columns.
    """
    texts = {name: one.values for name, one in found.items() if one.column.kind == "text"}
    columns = [values for values in texts.values() if values is not None]
    if not columns or len(columns[0]) < _FEWEST_ROWS or any(map(_are_long, columns)):
        return found
    is_alone = all(one.values is None for name, one in found.items() if name not in texts)
    changed = dict(found)
    for name, values in texts.items():
        if name not in unasked or values is None:
            continue
        column = found[name].column
        if _repeat(values):
            changed[name] = Understood(replace(column, kind="category"), values)
        elif not is_alone and _share_repeated(values) < _HARDLY:
            changed[name] = Understood(replace(column, kind=None, why=LeftOut.NAMES))
    return changed


def _are_long(values: Values) -> bool:
    return bool(np.median([len(str(text or "").split()) for text in values]) >= _FEW_WORDS)


def _there(values: Values) -> list[str]:
    return [text for text in values if isinstance(text, str)]


def _repeat(values: Values) -> bool:
    """Tell whether few different values stand for many rows."""
    there = _there(values)
    n_values = len(set(there))
    return n_values <= MOST_VALUES and len(there) >= _REPEATED * n_values


def _share_repeated(values: Values) -> float:
    """Return the share of words, but numbers, that many texts have."""
    texts = _there(values)
    words = [word for text in texts for word in set(text.casefold().split()) if not word.isdigit()]
    counts, least = Counter(words), max(_REPEATED, len(texts) * _COMMON)
    return sum(counts[word] >= least for word in words) / max(len(words), 1)
