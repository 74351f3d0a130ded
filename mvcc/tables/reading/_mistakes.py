"""What is wrong with the columns of a table, and what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from mvcc._utils.messages import agreeing, counted
from mvcc.tables._job import View
from mvcc.tables.reading._kinds import Mistake, Understood
from mvcc.tables.reading._problems import Problems, is_in_memory, option_for
from mvcc.tables.reading._rows import listed, place_of
from mvcc.tables.reading._sheets import TOTAL

_MOST_ABOVE = 3  # rows with further names, such as questions, and units


def add_mistakes(
    found: Mapping[str, Understood], frame: pd.DataFrame, name: str, view: View, problems: Problems
) -> None:
    """Note the mistakes in columns; if they are words in the first row of most, as a single one."""
    mistakes = {column: one.mistake for column, one in found.items() if one.mistake is not None}
    measured = [name for name, one in found.items() if one.column.kind in ("number", "date")]
    worded = [
        column
        for column in measured
        if column in mistakes and mistakes[column].row == 0 and mistakes[column].n <= _MOST_ABOVE
        if re.match(r"\W*\d", str(frame[column].iloc[0])) is None
    ]
    if 1 < len(worded) > len(measured) / 2:
        problems.add(
            f"{place_of(frame, view.path, 0)} has words in columns of numbers or dates"
            f" ({listed(worded)}). Delete it if it has further names or units, what is above it if"
            " it names the columns, or correct it."
        )
        mistakes = {column: mistake for column, mistake in mistakes.items() if column not in worded}
    for column, mistake in mistakes.items():
        words = _words_for_missing(frame, view, name, mistake)
        said = _mistaken(frame, view, name, column, mistake, words)
        problems.add(said, (name, [*view.ignore, column]), words)


def _words_for_missing(frame: pd.DataFrame, view: View, name: str, mistake: Mistake) -> list[str]:
    """Return the words that may mean missing, with those that do, if all mistakes are some."""
    is_line = any(word in frame.columns or TOTAL.fullmatch(word) for word in mistake.words)
    if not mistake.words or is_line or is_in_memory(name, view.path):
        return []
    return [*(view.missing or ()), *mistake.words]


def _mistaken(
    frame: pd.DataFrame, view: View, name: str, column: str, mistake: Mistake, words: list[str]
) -> str:
    """Say what is wrong with a column, and what to do."""
    like_it = f"{counted(mistake.n, 'value')} {agreeing(mistake.n, 'is', 'are')} like that"
    remedies = mistake.remedies()
    if words:
        remedies += f" (or with {option_for('--missing', name, words)})"
    return (
        f"{place_of(frame, view.path, mistake.row)} has {mistake.what} in the column"
        f" {listed([column])}; {like_it}. {remedies}, or leave the column out"
        f" ({option_for('--ignore', name, [column])})."
    )
