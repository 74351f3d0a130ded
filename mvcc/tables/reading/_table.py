"""One view of a user's data: rows with ids, columns that are clustered, perhaps true labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.messages import clipped, nearest_id, shown
from mvcc._utils.settings import as_yaml
from mvcc.exceptions import DataError
from mvcc.tables._job import View
from mvcc.tables.reading._codes import file_reason, why_unasked
from mvcc.tables.reading._column import (
    Column,
    LeftOut,
    Written,
    texts_or_empty,
    without_attrs,
    without_words,
)
from mvcc.tables.reading._columns import (
    add_mistakes,
    understand_all,
    with_examples,
)
from mvcc.tables.reading._id_column import (
    Named,
    find_id_column,
    keys_named,
    notes_on_groups,
    other_readings,
)
from mvcc.tables.reading._kinds import Understood, Values
from mvcc.tables.reading._missing_numbers import notes_on_blanks, notes_on_far_values
from mvcc.tables.reading._problems import Problems, is_in_memory, option_for
from mvcc.tables.reading._rows import (
    MOST_LISTED,
    RowsById,
    columns_of_bytes,
    id_texts,
    ids_of,
    listed,
    no_column,
    refuse_repeated_columns,
    rows_to_check,
)
from mvcc.tables.reading._superfluous import code_reasons, without_names, without_superfluous

_MOST_WITH_EXAMPLES = 500  # columns; nobody looks at more, which take time


@dataclass(frozen=True, eq=False)
class Table:
    """A view as it was read."""

    name: str
    path: str
    ids: list[str]  # name of every row, distinct
    columns: list[str]  # the d columns that are clustered
    # (n, d): their values: an array where all are finite numbers, else a frame of numbers, days of
    # dates, and texts
    X: Floats | pd.DataFrame
    every_column: list[Column]  # how each column of the file was used
    reference: list[str] | None  # true labels
    unused: list[str]  # columns that are neither clustered nor ids or labels
    # the column that names the rows; None where they are numbered, or an index in memory names them
    id_column: str | None
    is_numbered: bool  # whether ids only count the rows as they were read
    notes: tuple[str, ...] = ()  # what must be known of how the file was read
    far_values: tuple[str, ...] = ()  # what may stand for a missing number, or be meant by one
    shown: dict[str, list[str]] = field(default_factory=dict)  # what a person sees of the rows
    # what other columns hold that files may name, where they name no rows as these are written
    other_readings: dict[str, set[str]] = field(default_factory=dict)
    # by headers of matches that do not name rows: the column that they mean, and what it holds
    keys: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    n_all_rows: int | None = None  # of the folder that the rows are a sample of
    # the value of each column that is left out as a constant
    constants: dict[str, float | str] = field(default_factory=dict)

    @cached_property
    def row(self) -> RowsById:
        """The number of the row of every id."""
        return RowsById(zip(self.ids, count()))

    @property
    def repeated(self) -> set[str]:
        """The ids of more than one row, as a column may have by which matches name rows."""
        if len(self.row) == len(self.ids):
            return set()
        return {name for name, n in Counter(self.ids).items() if n > 1 and name}

    @property
    def used(self) -> list[Column]:
        """What the columns that are clustered are, in their order."""
        of_name = {column.name: column for column in self.every_column}
        return [of_name[name] for name in self.columns]

    @property
    def frame(self) -> pd.DataFrame:
        """The columns that are clustered, by name."""
        return pd.DataFrame(self.X, columns=self.columns, copy=False)

    def has_rows_of(self, other: Table) -> bool:
        """Tell whether the rows are those of another table, by ids and values that both have."""
        both = [column for column in self.columns if column in other.columns]
        return self.ids == other.ids and bool(both) and self.frame[both].equals(other.frame[both])

    def on_rows(self, rows: Ints) -> Table:
        """Return the table of some of the rows, in the given order."""
        if isinstance(self.X, np.ndarray):
            X: Floats | pd.DataFrame = self.X[rows]
        else:
            X = self.X.iloc[rows].reset_index(drop=True)
        return replace(
            self,
            ids=[self.ids[row] for row in rows],
            X=X,
            reference=self.reference and [self.reference[row] for row in rows],
            shown={column: [texts[row] for row in rows] for column, texts in self.shown.items()},
        )

    def named_by(self, headers: Iterable[str]) -> Table:
        """Return the table with the column as ids that a file means, if it does not name rows."""
        key = next((self.keys[header] for header in headers if header in self.keys), None)
        if key is None:
            return self
        return replace(self, id_column=key[0], ids=key[1], other_readings={})

    def without(self, columns: Collection[str], why: LeftOut) -> Table:
        """Return the table with some columns left out."""
        X = self.frame.drop(columns=columns)
        every_column = [
            replace(column, kind=None, written=Written.PLAIN, unit="", why=why, remarks=())
            if column.name in columns
            else column
            for column in self.every_column
        ]
        return replace(
            self,
            columns=X.columns.tolist(),
            X=_together({str(name): cells.to_numpy() for name, cells in X.items()}),
            every_column=every_column,
            unused=[*self.unused, *columns],
        )

    def lacks(self, name: str) -> str:
        """Say that no row has an id, and what may be the reason."""
        said = f"{self.name} ({self.path}) has no row with the id {shown(name)}"
        if self.id_column is None and not is_in_memory(self.name, self.path):
            return f"{said}. {self.numbered}."
        return said + nearest_id(name, self.ids)

    @property
    def numbered(self) -> str:
        """Say that rows are numbered, and how they get names."""
        option = option_for("--id-column", self.name, ["COLUMN"])
        return (
            f"{self.name} ({self.path}) has no id column, so its rows are numbered from 0. Name"
            f" one with {option}"
        )


def table_of(
    frame: pd.DataFrame,
    name: str,
    view: View,
    problems: Problems,
    show: Collection[str] = (),
    ids: list[str] | None = None,
    named: Sequence[Named] = (),
) -> Table:
    """Return the table of a frame; mistakes go to ``problems``, those about ids are raised."""
    refuse_repeated_columns(frame, view.path)
    if not len(frame):
        raise DataError(f"{view.path}: there are no rows.")
    _refuse_bytes(frame, name, view)
    for column in dict.fromkeys((*view.asked_for, *show)):
        if column is not None and column not in frame.columns:
            problems.add(no_column(frame, column, view.path))
    id_column, keys = None, dict[str, tuple[str, list[str]]]()
    is_numbered = ids == [str(row) for row in range(len(frame))]
    if ids is None:
        id_column = find_id_column(frame, view, named)
        is_numbered = id_column is None
        ids = ids_of(frame, id_column, view.path)
        keys = keys_named(frame, id_column, ids, named)
    became, values = _understood(frame, name, view, id_column, problems)
    columns = [column for column in values if became[column].why is not LeftOut.CONSTANT]
    X = _together({column: values[column] for column in columns})
    reference = None
    if view.labels_column in frame.columns:
        reference = texts_or_empty(frame[view.labels_column]).tolist()
        if not any(reference):
            problems.add(f"{view.path}: the column {listed([view.labels_column])} holds no labels.")
    used = {*columns, id_column, view.labels_column}
    if (problem := _nothing_to_cluster(name, len(frame), X, became)) and not problems:
        problems.add(f"{view.path}: {problem}.")
    numbers = {column: values[column] for column in columns if became[column].kind == "number"}
    seen = [frame[column] for column in show if column in frame.columns]
    return Table(
        name=name,
        path=view.path,
        ids=ids,
        columns=columns,
        X=X,
        every_column=list(became.values()),
        reference=reference,
        unused=[column for column in became if column not in used],
        id_column=id_column,
        is_numbered=is_numbered,
        shown={str(cells.name): texts_or_empty(cells).tolist() for cells in seen},
        other_readings=other_readings(frame, view, id_column, ids, named),
        keys=keys,
        notes=(
            *frame.attrs.get("notes", ()),
            *notes_on_groups(frame, view, id_column),
            *_left_out_labels(name, became, columns, view.path),
            *_names_of_pictures(frame, became, view.path),
            *rows_to_check(frame, X, view.path),
        ),
        far_values=(
            *notes_on_far_values(frame, name, view, numbers),
            *notes_on_blanks(name, view, numbers),
        ),
        constants={column: cells[0] for column, cells in values.items() if column not in columns},
    )


def _refuse_bytes(frame: pd.DataFrame, name: str, view: View) -> None:
    """Refuse a column of bytes, such as pictures, unless it is ignored."""
    for column in columns_of_bytes(frame):
        if column not in view.ignore:
            option = option_for("--ignore", name, [*view.ignore, str(column)])
            raise DataError(
                f"{view.path}: the column {listed([column])} holds bytes that are not text in"
                f" UTF-8. Leave it out ({option}), or write it as text."
            )


def _understood(
    frame: pd.DataFrame, name: str, view: View, id_column: str | None, problems: Problems
) -> tuple[dict[str, Column], dict[str, Values]]:
    """Return how every column is used, and the values of those that are."""
    kinds: dict[str, Any] = view.kinds
    filled = without_words(frame, view.missing or ())
    unread = {*view.ignore, *(name for name, kind in kinds.items() if kind is not None)}
    bare = without_attrs(filled)
    codes = code_reasons(bare, [name for name in map(str, frame) if name not in unread])
    reasons = _why_left_out(filled, view, id_column, codes)
    used = {column: kinds.get(column) for column, reason in reasons.items() if not reason}
    readings = understand_all(filled, used, codes)
    if "beside" not in frame.attrs:  # columns of an array have no meaning of their own
        unasked = used.keys() - kinds.keys()
        readings = without_superfluous(without_names(readings, unasked), unasked)
    add_mistakes(readings, frame, name, view, problems)
    became = {}
    for index, (column, reason) in enumerate(reasons.items()):
        reading = readings.get(column) or Understood(Column(column, None, why=reason))
        became[column] = reading.column
        if index < _MOST_WITH_EXAMPLES:
            cells = bare[column]
            if column == id_column:
                cells = id_texts(cells)
            became[column] = with_examples(reading.column, cells, reading.values)
    return became, {name: one.values for name, one in readings.items() if one.values is not None}


def _why_left_out(
    frame: pd.DataFrame, view: View, id_column: str | None, codes: Mapping[str, LeftOut]
) -> dict[str, LeftOut | None]:
    """Tell why each column is left out; None if it is not."""
    kinds: dict[str, Any] = view.kinds
    known: dict[str | None, LeftOut | None] = dict.fromkeys(kinds)
    beside = (*frame.attrs.get("beside", ()), frame.attrs.get("index"))
    known |= dict.fromkeys(beside, LeftOut.BESIDE)
    ignored = [column for column, kind in kinds.items() if kind == "ignore"]
    known |= dict.fromkeys((*ignored, *view.ignore), LeftOut.IGNORED)
    known |= {view.labels_column: LeftOut.IS_LABELS, id_column: LeftOut.NAMES_ROWS}
    others_are_asked_for = not kinds or isinstance(view.columns, dict)
    reasons: dict[str, LeftOut | None] = {}
    frame = without_attrs(frame)
    for column in map(str, frame.columns):
        if column in known:
            reasons[column] = known[column]
        elif others_are_asked_for:
            reasons[column] = why_unasked(column, frame[column], codes.get(column))
        else:
            reasons[column] = LeftOut.NOT_ASKED_FOR
    return reasons


def _left_out_labels(
    name: str, became: dict[str, Column], columns: list[str], path: str
) -> Iterable[str]:
    """Say what was left out since it seems to be the truth that clusters are compared with."""
    for column in (name for name, used in became.items() if used.why is LeftOut.LIKE_LABELS):
        compare = option_for("--labels-column", name, column)
        use = option_for("--columns", name, [*columns, column])
        yield (
            f"{path}: the column {listed([column])} looks like labels and was left out. Compare the"
            f" clusters with it ({compare}), or cluster by it as well ({use})."
        )


def _names_of_pictures(frame: pd.DataFrame, became: dict[str, Column], path: str) -> Iterable[str]:
    """Say where names of pictures are clustered as texts, since somebody asked for the column."""
    for name, column in became.items():
        if column.kind in ("text", "category") and file_reason(frame[name]) is LeftOut.PICTURES:
            yield (
                f"{path}: the column {listed([name])} names pictures, and only these names were"
                f" clustered. {_as_pictures(name)}."
            )


def _as_pictures(column: str) -> str:
    return f"In a config, columns: {as_yaml({column: 'picture'})} clusters by colors and edges"


def _together(values: dict[str, Values]) -> Floats | pd.DataFrame:
    """Return columns as an array where all are finite numbers, else as a frame."""
    are_finite = (one.dtype == np.float64 and np.isfinite(one).all() for one in values.values())
    if values and all(are_finite):
        return np.column_stack(list(values.values()))
    return pd.DataFrame(values)


def _nothing_to_cluster(
    name: str, n: int, X: Floats | pd.DataFrame, became: dict[str, Column]
) -> str:
    """Say why nothing of ``n`` rows can be clustered, where it is so."""
    columns = list(became.values())
    if not X.shape[1]:
        why = [f"{clipped(repr(column.name))}: {column.note}" for column in columns[:MOST_LISTED]]
        said = [f"no column is left to cluster: {'; '.join(why) or 'it has none'}"]
        hints = [_as_pictures(column.name) for column in columns if column.why is LeftOut.PICTURES]
        if like_labels := [c.name for c in columns if c.why is LeftOut.LIKE_LABELS]:
            use = option_for("--columns", name, like_labels[:1])
            hints.append(f"To cluster by {listed(like_labels[:1])}, write {use}")
        return ". ".join(said + hints[:1])
    if n == 1:
        return "there is one row only; nothing can be clustered"
    return ""
