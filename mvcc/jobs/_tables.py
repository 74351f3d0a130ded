"""One view of a user's data: its rows with their ids, the columns that are clustered, and true labels if there are."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.messages import clipped, counted, nearest, shown, with_point
from mvcc.exceptions import DataError
from mvcc.jobs._config import View
from mvcc.jobs._formats import read_frame

MOST = 1e100  # of a value; sums of squares of larger ones are beyond all floats
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Table:
    """A view as it was read.

    Attributes
    ----------
    name : str
    path : str
    ids : list of str
        Name of every row, distinct.
    columns : list of str
        The d columns that are clustered.
    X : (n, d) array
        Their values, finite.
    reference : list of str or None
        True labels.
    unused : list of str
        Columns that are neither.
    id_column : str or None
        The column that names the rows; None where they are numbered from 0.
    shown : dict {column: list of str}
        What a person sees of the rows.
    """

    name: str
    path: str
    ids: list[str]
    columns: list[str]
    X: NDArray[np.float64]
    reference: list[str] | None
    unused: list[str]
    id_column: str | None
    shown: dict[str, list[str]] = field(default_factory=dict)

    @cached_property
    def row(self) -> dict[str, int]:
        """The number of the row of every id."""
        return {name: number for number, name in enumerate(self.ids)}

    def on_rows(self, rows: NDArray[np.int64]) -> Table:
        """Return the table of some of the rows, in the given order."""
        return replace(
            self,
            ids=[self.ids[row] for row in rows],
            X=self.X[rows],
            reference=None if self.reference is None else [self.reference[row] for row in rows],
            shown={column: [values[row] for row in rows] for column, values in self.shown.items()},
        )

    def lacks(self, name: str) -> str:
        """Say that no row has an id, and what may be the reason."""
        said = f"{self.name} ({self.path}) has no row with the id {shown(name)}"
        if self.id_column is None:
            option = _option("--id-column", self.name, "COLUMN")
            return f"{said}: it has no id column, so that its rows are numbered from 0; name one with {option}."
        return said + nearest(name, self.ids)


def read_table(name: str, view: View, show: Collection[str] = ()) -> Table:
    """Read a view; columns to show that hold no numbers are not clustered.

    Raises
    ------
    DataError
        For columns that are not there, ids that occur twice, or values that are missing or no numbers; the message
        names file, row, column and what to do.
    """
    frame = read_frame(view.path)
    if twice := frame.columns[frame.columns.duplicated()].unique().tolist():
        raise DataError(f"{view.path}: {_columns(twice, 'is', 'are')} there more than once; rename all but one.")
    if not len(frame):
        raise DataError(f"{view.path}: there are no rows.")
    id_column = _id_column(frame, view)
    beside = [*frame.attrs.get("beside", []), *({frame.attrs.get("index")} - {None})]
    for column in [view.labels_column, *view.ignore, *show]:
        if column is not None:
            _check_column(frame, column, view.path)
    words = [column for column in show if not np.isfinite(_converted(frame[[column]])).any()]
    used_elsewhere = {id_column, view.labels_column, *view.ignore, *words} - {None}
    columns = [column for column in frame.columns if column not in used_elsewhere and column not in beside]
    if not columns:
        raise DataError(f"{view.path}: no column is left to cluster; it has {_listed(frame.columns)}.")
    X = _numbers(frame, columns, name, view.path)
    if len(X) == 1:
        raise DataError(f"{view.path}: there is one row only; nothing can be clustered.")
    if not np.ptp(X, axis=0).any():
        raise DataError(f"{view.path}: all {len(X)} rows are the same in {_listed(columns)}; nothing can be clustered.")
    return Table(
        name=name,
        path=view.path,
        ids=_ids(frame, id_column, view.path),
        columns=columns,
        X=X,
        reference=None if view.labels_column is None else _labels(frame[view.labels_column], view.path),
        unused=[column for column in frame.columns if column not in {*columns, id_column, view.labels_column}],
        id_column=id_column,
        shown={column: as_texts(frame[column].where(frame[column].notna(), "")).tolist() for column in show},
    )


def _id_column(frame: pd.DataFrame, view: View) -> str | None:
    """Return the column that names the rows: the one asked for, an index, one called id, or one without a name."""
    if view.id_column is not None:
        _check_column(frame, view.id_column, view.path)
        return view.id_column
    if "index" in frame.attrs:
        return str(frame.attrs["index"])
    usual = [str(column) for column in frame.columns if str(column).strip().lower() in ("id", "ids", "")]
    return usual[0] if usual else None


def _check_column(frame: pd.DataFrame, column: str, path: str) -> None:
    if column not in frame.columns:
        raise DataError(
            f"{path}: there is no column {clipped(repr(column))}{nearest(column, map(str, frame.columns))} The columns "
            f"are {_listed(frame.columns)}."
        )


def _ids(frame: pd.DataFrame, column: str | None, path: str) -> list[str]:
    if column is None:
        return [str(number) for number in range(len(frame))]
    ids = as_texts(frame[column])
    if (empty := (ids == "") | frame[column].isna()).any():
        raise DataError(
            f"{_place(frame, path, int(empty.argmax()))} has no id in the column {_listed([column])}; give it one."
        )
    if ids.duplicated().any():
        second = int(ids.duplicated().argmax())
        first = int((ids == ids.iloc[second]).argmax())
        raise DataError(
            f"{_place(frame, path, second)} has the id {clipped(repr(ids.iloc[second]))}, as {_row(frame, first)} has; "
            f"ids must be distinct."
        )
    return ids.tolist()


def _numbers(frame: pd.DataFrame, columns: list[str], name: str, path: str) -> NDArray[np.float64]:
    """Return the columns as numbers.

    Raises
    ------
    DataError
        For columns of words, and for values that are missing, not finite, or too large.
    """
    values = _converted(frame[columns])
    if words := [column for number, column in enumerate(columns) if not np.isfinite(values[:, number]).any()]:
        if commas := [column for column in words if _has_decimal_commas(frame[column])]:
            first = next(filter(with_point, map(str, frame[commas[0]])))
            raise DataError(
                f"{path}: {_columns(commas, 'writes', 'write')} decimals with a comma; write {with_point(first)} "
                f"instead of {first.strip()}."
            )
        flags = ("--ignore", "--id-column", "--labels-column")
        ignore, name_by, compare = (_option(flag, name, words[0]) for flag in flags)
        raise DataError(
            f"{path}: {_columns(words, 'holds', 'hold')} no numbers. Leave it out ({ignore}), name the rows by it "
            f"({name_by}), compare the clusters with it ({compare}), or turn it into numbers first."
        )
    usable = np.abs(values) <= MOST
    if not usable.all():
        row, number = map(int, np.argwhere(~usable)[0])
        what, to_do = _unusable(frame[columns[number]].iloc[row], values[row, number])
        n = int((~usable).sum())
        raise DataError(
            f"{_place(frame, path, row)} has {what} in the column {_listed([columns[number]])}; {counted(n, 'value')} "
            f"{'is' if n == 1 else 'are'} like that. {to_do}, remove the rows, or leave the column out "
            f"({_option('--ignore', name, columns[number])})."
        )
    return values


def _has_decimal_commas(column: pd.Series) -> bool:
    """Tell whether most values of a column are numbers with a decimal comma."""
    return 2 * sum(with_point(str(value)) is not None for value in column) > len(column)


def _unusable(value: object, number: float) -> tuple[str, str]:
    """Return what a value that cannot be used is, and what to do with it."""
    text = str(value)
    if value is None or text.strip().lower() in ("", "na", "nan", "?", "null", "none", "<na>"):
        return "no value", "Fill in a number"
    if point := with_point(text):
        return f"{clipped(repr(text))}, a decimal comma,", f"Write {point}"
    if np.isfinite(number):
        return f"{clipped(repr(text))}, which is too large to compute with,", f"Scale the column to below {MOST:.0e}"
    return f"{clipped(repr(text))}, which is no finite number,", "Fill in a number"


def _converted(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Return values as numbers, NaN for those that are none, as points in time, which pandas has numbers for."""
    values = np.empty(frame.shape)
    is_number = np.array([dtype.kind in "iufb" for dtype in frame.dtypes], dtype=bool)
    values[:, is_number] = frame.loc[:, is_number].to_numpy(dtype=np.float64, na_value=np.nan)
    words = frame.loc[:, ~is_number].astype(str).to_numpy(dtype=object)  # all at once: there may be many columns
    values[:, ~is_number] = _nearest_floats(words.ravel()).reshape(words.shape)
    return values


def _nearest_floats(words: NDArray[np.object_]) -> NDArray[np.float64]:
    """Return text as the nearest floats, NaN where it is no number; pandas before 3.1 may be off in the last bit."""
    try:
        text = "".join(words)
        if text.isascii() and "_" not in text:  # Python takes 1_000 and digits of other scripts, too
            return words.astype(np.float64)
    except (TypeError, ValueError):
        pass  # a missing value or a word, which no later step takes
    return np.asarray(pd.to_numeric(words, errors="coerce"), dtype=np.float64)


def _labels(column: pd.Series, path: str) -> list[str]:
    if (missing := column.isna() | (column.astype(str).str.strip() == "")).all():
        raise DataError(f"{path}: the column {_listed([column.name])} holds no labels.")
    return [str(text) for text in as_texts(column).mask(missing, "")]


def as_texts(column: pd.Series) -> pd.Series:
    """Return names as text: 7 and not 7.0, which formats without whole numbers make of it."""
    if column.dtype.kind == "f":
        numbers = column.dropna().astype(float)
        if (numbers % 1 == 0).all() and (abs(numbers) < 2**53).all():
            column = column.astype("Int64")
    return column.astype(str).str.strip()


def _place(frame: pd.DataFrame, path: str, row: int) -> str:
    return (
        f"{path}:{frame.attrs['lines'] + row}: {_row(frame, row)}" if "lines" in frame.attrs else f"{path}: row {row}"
    )


def _row(frame: pd.DataFrame, row: int) -> str:
    return f"line {frame.attrs['lines'] + row}" if "lines" in frame.attrs else f"row {row}"


def _option(flag: str, name: str, column: str) -> str:
    """Return an option as it is typed."""
    return f"{flag} {shlex.quote(clipped(f'{name}={column}', 100))}"


def _columns(names: list[str], one: str, many: str) -> str:
    """Return columns as the subject of a sentence, with its verb."""
    return f"the column {_listed(names)} {one}" if len(names) == 1 else f"the columns {_listed(names)} {many}"


def _listed(names: Iterable[object]) -> str:
    words = [repr(str(name)) for name in names]
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return clipped(", ".join(words[:_SHOWN]), 300) + more
