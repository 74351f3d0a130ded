"""A clustering as a file that new rows can be given to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from mvcc._utils.messages import nearest
from mvcc._utils.validation import check_data
from mvcc.exceptions import InvalidInputError
from mvcc.jobs._columns import Column, read_like


@dataclass(frozen=True, eq=False)
class SavedClustering:
    """A fitted clustering with the features of its views, as ``mvcc cluster`` writes it to ``model.joblib``.

    Attributes
    ----------
    model : MultiViewConstrainedClustering
    names : list of str
        The views.
    columns : list of list of str
        Per view the columns that were clustered.
    used : list of list of Column
        What these were used as.
    mixed : list of bool
        Per view whether they are numbers, categories and texts, or have missing values.
    transformers : list of scikit-learn transformers
        What makes features of the columns, of new rows as well.
    numbers : list of (k,) arrays
        The number of every cluster of the model in the results, per view.

    Examples
    --------
    >>> import joblib
    >>> saved = joblib.load("results/model.joblib")  # doctest: +SKIP
    >>> saved.predict(pd.read_csv("new_texts.csv"), view="texts")  # doctest: +SKIP
    """

    model: Any
    names: list[str]
    columns: list[list[str]]
    used: list[list[Column]]
    mixed: list[bool]
    transformers: list[Any]
    numbers: list[NDArray[np.int64]]

    def predict(self, X: pd.DataFrame | ArrayLike, view: str) -> NDArray[np.int64]:
        """Return the cluster of new rows of one view.

        Parameters
        ----------
        X : DataFrame with the columns that were clustered, or array-like of shape (n, d) of them in their order
        view : str
            The name of the view.

        Returns
        -------
        ndarray of shape (n,)
            Clusters, numbered as in ``labels.csv``.

        Raises
        ------
        InvalidInputError
            For an unknown view, missing columns, values that are no numbers, or spectral features in which new rows
            cannot be placed (:class:`mvcc.SpectralFeatures`).
        """
        if view not in self.names:
            raise InvalidInputError(f"there is no view {view!r}{nearest(str(view), self.names)}")
        number = self.names.index(view)
        columns = self.columns[number]
        if isinstance(X, pd.DataFrame):
            if missing := [column for column in columns if column not in X.columns]:
                raise InvalidInputError(f"X has no column {', '.join(map(repr, missing[:5]))}.")
            X = _as_before(X[columns], self.used[number], self.mixed[number])
        elif self.mixed[number]:
            raise InvalidInputError(f"X must be a DataFrame: {view} has columns of several kinds.")
        data = X if isinstance(X, pd.DataFrame) else check_data(X)
        if data.shape[1] != len(columns):
            raise InvalidInputError(f"X has {data.shape[1]} columns; {view} was clustered by {len(columns)}.")
        found: NDArray[np.int64] = self.model.predict(self.transformers[number].transform(data), view=number)
        return self.numbers[number][found]

    def save(self, path: Path) -> None:
        """Write it to a file, which ``joblib.load`` reads. Load such files only from those whom you trust."""
        joblib.dump(self, path, compress=3)


def _as_before(X: pd.DataFrame, used: list[Column], mixed: bool) -> pd.DataFrame | NDArray[Any]:
    """Return the columns of new rows as those that were clustered were read."""
    if not mixed and all(dtype.kind in "iufb" for dtype in X.dtypes):
        return X.to_numpy()
    values = {}
    for column in used:
        values[column.name], mistake = read_like(column, X[column.name])
        if mistake is not None:
            raise InvalidInputError(f"X: row {mistake.row} has {mistake.what} in the column {column.name!r}.")
    return pd.DataFrame(values) if mixed else np.column_stack(list(values.values()))
