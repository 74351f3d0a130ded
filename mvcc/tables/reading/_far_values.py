"""Numbers far outside all others of their column, which may stand for a missing value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import far_values
from mvcc._utils.messages import clipped, counted, enumerated
from mvcc._utils.settings import as_yaml
from mvcc.tables._job import View
from mvcc.tables.reading._column import as_texts
from mvcc.tables.reading._problems import option_for

_MOST_NAMED = 3  # columns


def notes_on_far_values(
    frame: pd.DataFrame, name: str, view: View, numbers: Mapping[str, Any]
) -> Iterator[str]:
    """Name the values, such as -99 beside 1 to 5, and say how they are read as missing."""
    names, X = [*numbers], np.column_stack([*numbers.values(), np.zeros(len(frame))])
    found, words = [], [*(view.missing or ())]
    for number, value in far_values(X).items():
        values, column = X[:, number], frame[names[number]]
        is_far = values == value
        written = as_texts(column[is_far]).unique().tolist()
        words += [word for word in written if word not in words]
        others = pd.Series(values[~is_far])
        found.append(
            f"{written[0]} in {clipped(names[number])} ({counted(is_far.sum(), 'row')}, all others"
            f" {others.min():.6g} to {others.max():.6g})"
        )
    if found:
        yield (
            f"{view.path} has {enumerated(found, _MOST_NAMED)}. If this means missing, write"
            f" {option_for('--missing', name, words)}, in the view of a config"
            f" `missing: {as_yaml(words)}`, in Python NaN."
        )
