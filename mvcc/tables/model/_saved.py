"""A clustering that new rows can be given to, and the file that it is kept in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import config_context

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import clipped, counted
from mvcc._utils.outputs import replace_file
from mvcc._utils.validation import check_data
from mvcc.exceptions import DataError, InvalidInputError
from mvcc.tables._job import no_view
from mvcc.tables.model._file import damaged, model_bytes, read_model
from mvcc.tables.model._parts import NUMBERS, PREDICTORS, mixed_features
from mvcc.tables.model._rules import Unfit, are_texts, array, read, require, words
from mvcc.tables.reading._column import NONE, Column, Written, without_words
from mvcc.tables.reading._columns import read_like
from mvcc.tables.reading._from_memory import frame_of
from mvcc.tables.reading._rows import no_column

# clusters that are continued keep their numbers, so that these may have gaps
_MOST_NUMBERS = 10**9


@dataclass(frozen=True, eq=False)
class SavedView:
    """What assigns new rows of one view to the clusters."""

    name: str
    columns: list[str]  # that were clustered
    used: list[Column]  # what these were used as
    mixed: bool  # whether they are numbers, categories and texts, or have missing values
    missing: list[str]  # further values that mean an empty cell
    id_column: str | None  # the column that named the rows
    transformer: Any  # what makes features of the columns
    predictor: Any  # what assigns rows with these features to the clusters of the model
    # (k,): the number of every cluster of the model in the results; that of merged ones is the same
    numbers: Ints

    def columns_in(self, frame: pd.DataFrame, path: str) -> pd.DataFrame:
        for column in self.columns:
            if column not in frame.columns:
                said = no_column(frame, column, path)
                raise DataError(f"{said} {self.name} was clustered by it.")
        return frame[self.columns]

    def predict(self, X: pd.DataFrame, locate: Callable[[int], str]) -> Ints:
        """Return the clusters of rows, which messages call by ``locate``, read as before."""
        return self.predicted(self.values_of(X, locate))

    def values_of(
        self, X: pd.DataFrame, locate: Callable[[int], str]
    ) -> pd.DataFrame | NDArray[Any]:
        """Return the values of rows, read as those that were clustered."""
        values: dict[str, Any] = {}
        without = "leave the row out"
        if self.mixed:  # others take no empty cells, either
            without = "leave the cell empty"
        for name, understood in read_like(self.used, without_words(X, self.missing)).items():
            if understood.mistake is not None:
                raise InvalidInputError(
                    f"{locate(understood.mistake.row)} has {understood.mistake.what} in the column"
                    f" {name!r}. {understood.mistake.remedies(without)}."
                )
            values[name] = understood.values
        if self.mixed:
            known = self.categories
            return pd.DataFrame(
                {name: _as_known(cells, known.get(name, ())) for name, cells in values.items()}
            )
        numbers = np.column_stack(list(values.values()))
        if (missing := np.argwhere(np.isnan(numbers))).size:
            row, column = missing[0].tolist()
            name = self.columns[column]
            raise InvalidInputError(
                f"{locate(row)} has no value in the column {name!r}, but all rows of {self.name}"
                " had one when they were clustered. Write a number, or leave the row out."
            )
        return check_data(numbers)

    @property
    def categories(self) -> dict[str, list[str]]:
        """The words of each column of categories; a missing one is empty."""
        if not self.mixed:
            return {}
        first = self.transformer[0] if hasattr(self.transformer, "steps") else self.transformer
        return {self.columns[n]: words for n, words in first.categories.items()}

    def predicted(self, values: pd.DataFrame | NDArray[Any]) -> Ints:
        """Return the clusters of rows that were read as those that were clustered."""
        with config_context(transform_output="default"):
            clusters: Ints = self.predictor.predict(self.transformer.transform(values))
        return self.numbers[clusters]


def _as_known(values: Any, known: Iterable[str]) -> Any:
    """Spell 7 and 7.0 as the known words, as the format tells; none is missing, if not known."""
    known = {*known}
    if not known:  # no category
        return values
    whole = [word for word in known if re.fullmatch(r"-?\d+(\.0)?", word)]
    unknown = {*values} - {*known, None}
    bare = {word.removesuffix(".0"): word for word in whole}
    spellings: dict[Any, Any] = bare | {f"{digits}.0": word for digits, word in bare.items()}
    spellings |= {word: word for word in whole}  # both may be known
    spellings |= dict.fromkeys(word for word in unknown if word.casefold() in NONE)
    if "None" in known and "" not in known:
        spellings[None] = "None"  # pandas reads it as missing
    if not spellings:
        return values
    return np.array([spellings.get(value, value) for value in values], dtype=object)


@dataclass(frozen=True, eq=False, repr=False)
class SavedClustering:
    """A fitted clustering with the features of its views, as ``mvcc cluster`` writes it to
    ``model.skops``.

    Attributes
    ----------
    views : list of SavedView

    Examples
    --------
    >>> import mvcc
    >>> import pandas as pd
    >>> saved = mvcc.load_model("results")  # doctest: +SKIP
    >>> saved.predict(pd.read_csv("new_texts.csv"), view="texts")  # doctest: +SKIP
    """

    views: list[SavedView]

    def __repr__(self) -> str:
        k = len({*self.views[0].numbers.tolist()})
        views = (f"{view.name} ({counted(len(view.columns), 'column')})" for view in self.views)
        return f"<SavedClustering: {counted(k, 'cluster')} of {', '.join(views)}>"

    @property
    def names(self) -> list[str]:
        """The names of the views."""
        return [view.name for view in self.views]

    def view(self, name: str) -> SavedView:
        """Return a view.

        Raises
        ------
        InvalidInputError
            Where there is none of this name.
        """
        if problem := no_view(name, self.names):
            raise InvalidInputError(problem)
        return self.views[self.names.index(name)]

    def merged(self, into: Sequence[Sequence[int]]) -> SavedClustering:
        """Return it with the rows of each cluster in another one: ``into`` has them by view."""
        if not into:
            return self
        views = zip(self.views, into, strict=True)
        return SavedClustering(
            [replace(view, numbers=np.array(clusters)[view.numbers]) for view, clusters in views]
        )

    def predict(self, X: Any, view: str) -> Ints:
        """Return the cluster of new rows of one view.

        Parameters
        ----------
        X : DataFrame, Series, array-like or sparse matrix of shape (n, d)
            The columns that were clustered, those of an array in their order; or all columns.
        view : str
            The name of the view.

        Returns
        -------
        ndarray of shape (n,)
            Clusters, numbered as in ``labels.csv``.

        Raises
        ------
        InvalidInputError
            For an unknown view, missing or repeated columns, values that are no numbers, or
            spectral features in which new rows cannot be placed (:class:`mvcc.SpectralFeatures`).
        """
        of_view = self.view(view)
        columns = of_view.columns
        frame, has_names = frame_of(X, view, "X"), hasattr(X, "columns")
        if not (has_names or of_view.mixed) and frame.shape[1] == len(columns):
            frame = frame.set_axis(columns, axis=1)
        if missing := [column for column in columns if column not in frame.columns]:
            if has_names:
                raise InvalidInputError(f"X has no column {', '.join(map(repr, missing[:5]))}.")
            has = counted(frame.shape[1], "column")
            remedy = "X must be a DataFrame if these are of several kinds."
            if isinstance(X, pd.Series):
                remedy = "A row of a table must be a DataFrame, such as table.iloc[[0]]."
            raise InvalidInputError(
                f"X has {has}; {view} was clustered by {len(columns)}. {remedy}"
            )
        frame = frame[columns]
        if frame.empty:
            raise InvalidInputError("X has no rows.")
        if len(twice := frame.columns[frame.columns.duplicated()]):
            raise InvalidInputError(f"X has several columns {twice[0]!r}; rename all but one.")
        return of_view.predict(frame, "X: row {}".format)

    def save(self, path: str | Path) -> None:
        """Write it to a file of JSON and arrays, which :func:`mvcc.load_model` reads.

        Raises
        ------
        OSError
            When the file cannot be written; then it is as it was.
        """
        replace_file(Path(path), self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the content of the file that `save` writes."""
        used = [{"used": [column.to_stored() for column in view.used]} for view in self.views]
        return model_bytes([vars(view) | own for view, own in zip(self.views, used, strict=True)])

    @classmethod
    def from_bytes(cls, content: bytes, place: str) -> SavedClustering:
        """Return what a file holds; messages call it ``place``.

        Raises
        ------
        StoreError
            For a file that is damaged, of another format, or holds what mvcc never writes.
        """
        try:
            views = [_made_anew(SavedView(**view)) for view in read_model(content, place)]
            require(len({view.name for view in views}) == len(views) > 0)
            require(len({len(view.numbers) for view in views}) == 1)
        except (Unfit, TypeError) as error:  # or a view has other fields
            raise damaged(place, clipped(str(error) or "its parts do not fit", 200)) from error
        return cls(views)


def _made_anew(view: SavedView) -> SavedView:
    """Return a view, whose values may be anything, made anew, or raise Unfit or TypeError."""
    require(type(view.name) is str and type(view.mixed) is bool and are_texts(view.missing))
    require(type(view.id_column) in (str, type(None)))
    used = [_column(**cast(Any, column)) for column in view.used]
    kinds: list[str | None] = [None, "number", "date"]
    if view.mixed:
        kinds += ["category", "text", "picture"]
    for column in used:
        words(*kinds)(column.kind, {})
    require(are_texts(view.columns) and view.columns == [column.name for column in used])
    require(len(set(view.columns)) == len(used) > 0)
    sizes = {"n_numbers": _MOST_NUMBERS}
    array("k", least=0, below="n_numbers", dtypes=("i8",))(view.numbers, sizes)
    features = NUMBERS
    if view.mixed:
        features = mixed_features([str(column.kind) for column in used])
    transformer, n_features = read(features, view.transformer, len(used))
    predictor, _ = read(PREDICTORS, view.predictor, n_features, k=sizes["k"])
    return replace(view, used=used, transformer=transformer, predictor=predictor)


def _column(name: Any, kind: Any, written: Any, unit: Any) -> Column:
    """Return a column of what was stored, or raise Unfit or TypeError."""
    require(are_texts([name, written, unit]) and written in list(Written))
    return Column(name, kind, written=Written(written), unit=unit)
