"""Transformers of scikit-learn for every view by itself."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self

import pandas as pd
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from mvcc._utils.messages import called, naming, shown
from mvcc.exceptions import InvalidInputError
from mvcc.views._constrained import ConstrainedViews
from mvcc.views._fitted import each_view
from mvcc.views._given import GivenViews, known_views, n_rows

__all__ = ["PerView"]


class PerView(TransformerMixin, BaseEstimator):
    """Fit a scikit-learn transformer to every view by itself, for a pipeline before the clustering.

    Constraints, relations, names of views, and the row index of DataFrames stay as they are, so that constraints and
    relations may be given by id behind it. They name rows; so a transformer must keep all rows in their order.

    New rows pass through a pipeline as views, too: ``pipeline.predict({"texts": rows})``, not ``pipeline.predict(rows,
    view="texts")``, since scikit-learn tells ``view`` to the last step alone.

    Parameters
    ----------
    transformer : transformer, "passthrough", or a list or dict of these
        One for all views, or one for each, by position or by name of the view. It is cloned for each view.
        "passthrough" leaves a view as it is.

    Attributes
    ----------
    transformers_ : list
        The fitted transformer of every view.
    view_names_ : list of str or None
        The names of the views; None where they were a list.

    Examples
    --------
    >>> from mvcc import PerView
    >>> from sklearn.preprocessing import StandardScaler
    >>> views = PerView(StandardScaler()).fit_transform({"texts": [[1.0], [3.0]], "images": [[5.0], [6.0]]})
    >>> views["texts"].tolist()
    [[-1.0], [1.0]]
    """

    def __init__(self, transformer: Any = "passthrough") -> None:
        self.transformer = transformer

    def fit(self, X: Any, y: object = None) -> Self:
        """Fit the transformer of every view.

        Parameters
        ----------
        X : ConstrainedViews, or list or dict of views
        y : ignored

        Raises
        ------
        InvalidInputError
            For a number or names of transformers that do not fit the views.
        """
        given = GivenViews.of(X.views if isinstance(X, ConstrainedViews) else X)
        chosen = [clone(one, safe=False) for one in self._chosen(given)]
        for number, (one, table) in enumerate(zip(chosen, given.tables, strict=True)):
            if not isinstance(one, str):
                with naming(number, given.names):
                    one.fit(table)
        self.transformers_, self.view_names_ = chosen, given.names
        return self

    def transform(self, X: Any) -> Any:
        """Transform every view.

        Parameters
        ----------
        X : ConstrainedViews, or list or dict of views
            The views as in ``fit``, other rows of theirs, or a dict {name or number: rows} of some views.

        Returns
        -------
        ConstrainedViews, list or dict
            As X is.

        Raises
        ------
        InvalidInputError
            For views that ``fit`` has not seen, or a transformer whose result is sparse or has other rows, or another
            order of them.
        """
        check_is_fitted(self)
        if isinstance(X, ConstrainedViews):
            return replace(X, views=self.transform(X.views))
        return each_view(X, self.view_names_, len(self.transformers_), self._transformed)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Have the transformers make DataFrames, or arrays, as ``set_output`` of each of them does.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, default=None
            What they make; None changes nothing. Views of DataFrames stay DataFrames in any case.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            For a transformer without ``set_output``.
        """
        given = self.transformer
        given = list(given.values()) if isinstance(given, Mapping) else given
        for one in [*(given if isinstance(given, list | tuple) else [given]), *getattr(self, "transformers_", [])]:
            if isinstance(one, str):
                continue
            if not hasattr(one, "set_output"):
                raise InvalidInputError(f"{shown(one)} has no set_output; set that of the other transformers alone.")
            one.set_output(transform=transform)
        return self

    def _chosen(self, given: GivenViews) -> list[Any]:
        """Return one transformer for every view."""
        n_views = len(given.tables)
        chosen = self.transformer
        if isinstance(chosen, Mapping):
            by_number = given.by_number(chosen, "transformer")
            missing = [called(number, given.names) for number in range(n_views) if number not in by_number]
            if missing:
                raise InvalidInputError(
                    f"transformer has none for view {', '.join(missing)}; {known_views(given.names, n_views)}. "
                    f"'passthrough' leaves a view as it is."
                )
            chosen = [by_number[number] for number in range(n_views)]
        elif isinstance(chosen, list | tuple):
            if len(chosen) != n_views:
                raise InvalidInputError(f"transformer has {len(chosen)} entries for {n_views} views; give one each.")
        else:
            chosen = [chosen] * n_views
        for one in chosen:
            usable = not isinstance(one, type) and all(
                hasattr(one, name) for name in ("fit", "transform", "get_params")
            )
            if not usable and not (isinstance(one, str) and one == "passthrough"):
                raise InvalidInputError(
                    f"transformer must be a transformer, such as StandardScaler(), or 'passthrough', got {shown(one)}."
                )
        return list(chosen)

    def _transformed(self, table: Any, number: int, what: str) -> Any:
        transformer = self.transformers_[number]
        if isinstance(transformer, str):
            return table
        with naming(number, self.view_names_):
            result = transformer.transform(table)
        view = called(number, self.view_names_)
        if issparse(result):
            raise InvalidInputError(
                f"{shown(transformer)} makes view {view} a sparse matrix, which cannot be clustered; reduce it, as "
                f"make_pipeline(…, TruncatedSVD(20)) does, or ask for a dense result (sparse_output=False)."
            )
        _check_rows(table, result, f"{shown(transformer)} of view {view}", what)
        if isinstance(table, pd.DataFrame | pd.Series) and not isinstance(result, pd.DataFrame):
            return pd.DataFrame(result, index=table.index, columns=_names_out(transformer))
        return result


def _check_rows(table: Any, result: Any, transformer: str, what: str) -> None:
    """Refuse what has other rows than a table, or another order of them, as far as the index of a DataFrame tells."""
    before, after = n_rows(table, what), n_rows(result, f"what {transformer} makes")
    index = table.index if isinstance(table, pd.DataFrame | pd.Series) else pd.RangeIndex(before)
    if after != before:
        said = f"makes {after} rows of {before}"
    elif isinstance(result, pd.DataFrame | pd.Series) and not result.index.equals(index):
        said = "changes the row index"
    else:
        return
    raise InvalidInputError(
        f"{transformer} {said}; constraints and relations name rows, so all rows must stay, in their order and with "
        f"their ids. Leave rows out, sort or name them before constraints are given."
    )


def _names_out(transformer: Any) -> Any:
    """Return what a transformer calls the features that it makes, where it says so."""
    with suppress(AttributeError):  # it does not, or it is a pipeline with a step that does not
        return transformer.get_feature_names_out()
    return None
