"""A transformer of scikit-learn for each view, in a pipeline before the clustering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from mvcc._utils.messages import called, clipped, naming, shown
from mvcc.exceptions import InvalidInputError
from mvcc.views._constrained import ConstrainedViews
from mvcc.views._fitted import each_view
from mvcc.views._given import GivenViews, feature_names, n_columns, n_rows


class NamesOfView(np.ndarray[Any, Any]):
    """Names of the features of a view; scikit-learn's HTML, which wants a text, gets one."""

    def replace(self, old: str, new: str) -> str:
        """Do what a text of all names would."""
        return clipped(", ".join(self), 300).replace(old, new)


class PerView(  # type: ignore[call-arg]
    TransformerMixin, BaseEstimator, auto_wrap_output_keys=None
):
    """Fit a scikit-learn transformer to every view by itself, for a pipeline before the clustering.

    Constraints, relations, names of views, and the row index of DataFrames stay as they are, so
    that constraints and relations may be given by id behind it. They name rows; so a transformer
    must keep all rows in their order. A transformer whose ``fit`` takes constraints, such as
    ``PairMetric``, gets those of its view; in a pipeline of transformers it gets none, so give it a
    ``PerView`` of its own.

    New rows pass through a pipeline as views, too: ``pipeline.predict({"texts": rows})``, not
    ``pipeline.predict(rows, view="texts")``, since scikit-learn tells ``view`` to the last step
    alone.

    Parameters
    ----------
    transformer : transformer, "passthrough", or a list or dict of these, default="passthrough"
        One for all views, or one for each, by position or by name of the view. It is cloned for
        each view. "passthrough" leaves a view as it is.

    Attributes
    ----------
    transformers_ : list
        The fitted transformer of every view, or "passthrough".
    view_names_ : list of str or None
        The names of the views; None where they were a list.
    n_features_in_ : list of (int or None)
        Number of columns of every view; None for one of texts.
    feature_names_in_ : list of (ndarray of str, or None)
        Names of the columns of the views that were DataFrames with texts as column names.

    See Also
    --------
    ConstrainedViews : What a pipeline passes through it.

    Examples
    --------
    >>> from mvcc import PerView
    >>> from sklearn.preprocessing import StandardScaler
    >>> views = {"texts": [[1.0], [3.0]], "images": [[5.0], [6.0]]}
    >>> PerView(StandardScaler()).fit_transform(views)["texts"].tolist()
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

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            For a number or names of transformers that do not fit the views.
        """
        self._fit(X, lambda transformer, table, **known: transformer.fit(table, **known))
        return self

    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Transform every view by the ``fit_transform`` of its transformer, if it has one.

        A transformer that learns from the constraints is fitted with them, and then transforms.

        Parameters
        ----------
        X, y
            As for ``fit``, with the same errors, and those of ``transform``.

        Returns
        -------
        ConstrainedViews, list or dict
            As X is.
        """
        made = self._fit(X, _fit_transformed)

        def of_view(table: Any, view: int, noun: str) -> Any:
            return self._like(table, made[view], view, noun)

        return each_view(X, self.view_names_, len(made), of_view)

    def transform(self, X: Any) -> Any:
        """Transform every view.

        Parameters
        ----------
        X : ConstrainedViews, or list or dict of views
            The views as in ``fit``, other rows of theirs, or a dict {name or number: rows} of some
            views.

        Returns
        -------
        ConstrainedViews, list or dict
            As X is.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            For views that ``fit`` has not seen, or a transformer whose result is sparse or has
            other rows, or another order of them.
        """
        check_is_fitted(self)
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
        given = given if isinstance(given, list | tuple) else [given]
        for transformer in (*given, *getattr(self, "transformers_", [])):
            if isinstance(transformer, str):
                continue
            if not hasattr(transformer, "set_output"):
                raise InvalidInputError(
                    f"{shown(transformer)} has no set_output; set that of the other transformers "
                    "alone."
                )
            transformer.set_output(transform=transform)
        return self

    def get_feature_names_out(self, input_features: Any = None) -> list[NDArray[Any]]:
        """Return the names of the features that are made of every view, by its transformer.

        Parameters
        ----------
        input_features : list or dict of array-like of str, default=None
            Names of the columns of every view; None is those of ``fit``, or x0, ….

        Returns
        -------
        list of ndarray of str
        """
        check_is_fitted(self)
        given: list[Any] = self.feature_names_in_
        if input_features is not None:
            views = GivenViews(self.transformers_, self.view_names_)
            given = views.per_view(input_features, "input_features")
        made: list[NDArray[Any]] = []
        for transformer, n, names in zip(
            self.transformers_, self.n_features_in_, given, strict=True
        ):
            if not isinstance(transformer, str):
                names = transformer.get_feature_names_out(names)
            elif names is None:
                names = [f"x{column}" for column in range(n or 0)]
            made.append(np.asarray(names, dtype=object).view(NamesOfView))
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # but several
        return tags

    def _chosen(self, given: GivenViews) -> list[Any]:
        chosen = [self.transformer] * len(given.tables)
        if isinstance(self.transformer, Mapping | list | tuple):
            chosen = given.per_view(self.transformer, "transformer")
        for v, transformer in enumerate(chosen):
            usable = not isinstance(transformer, type) and all(
                hasattr(transformer, name) for name in ("fit", "transform", "get_params")
            )
            if not usable and not (isinstance(transformer, str) and transformer == "passthrough"):
                raise InvalidInputError(
                    "transformer must be a transformer, such as StandardScaler(), or "
                    f"'passthrough', got {shown(transformer)} for view {called(v, given.names)}."
                )
        return chosen

    def _fit(self, X: Any, fit: Callable[..., Any]) -> list[Any]:
        """Fit a clone of the transformer of every view, and return what ``fit`` returns."""
        given = GivenViews.of(X.views if isinstance(X, ConstrainedViews) else X)
        chosen = [clone(transformer, safe=False) for transformer in self._chosen(given)]
        made = list(given.tables)
        constraints: list[Any] = X.constraints if isinstance(X, ConstrainedViews) else []
        for v, transformer in enumerate(chosen):
            if not isinstance(transformer, str):
                is_told = constraints and has_fit_parameter(transformer, "constraints")
                known = {"constraints": constraints[v]} if is_told else {}
                with naming(v, given.names):
                    made[v] = fit(transformer, given.tables[v], **known)
        self.transformers_, self.view_names_ = chosen, given.names
        self.n_features_in_ = [n_columns(table) for table in given.tables]
        self.feature_names_in_ = [feature_names(table) for table in given.tables]
        return made

    def _transformed(self, table: Any, v: int, noun: str) -> Any:
        transformer = self.transformers_[v]
        with naming(v, self.view_names_):
            result = table if isinstance(transformer, str) else transformer.transform(table)
        return self._like(table, result, v, noun)

    def _like(self, table: Any, result: Any, v: int, noun: str) -> Any:
        """Return what a transformer makes of a view, with the row index of the view."""
        transformer, name = self.transformers_[v], called(v, self.view_names_)
        if isinstance(transformer, str):
            return table
        if issparse(result):
            raise InvalidInputError(
                f"{shown(transformer)} makes view {name} a sparse matrix, which has no ids; reduce "
                "it, as make_pipeline(…, TruncatedSVD(20)) does, ask for a dense result "
                "(sparse_output=False), or make it before: JointGraphClustering takes it as a view."
            )
        _check_rows(table, result, f"{shown(transformer)} of view {name}", noun)
        if isinstance(table, pd.DataFrame | pd.Series) and not isinstance(result, pd.DataFrame):
            return pd.DataFrame(result, index=table.index, columns=_names_out(transformer))
        return result


def _fit_transformed(transformer: Any, table: Any, **known: Any) -> Any:
    if not known and hasattr(transformer, "fit_transform"):
        return transformer.fit_transform(table)
    return transformer.fit(table, **known).transform(table)


def _check_rows(table: Any, result: Any, transformer: str, noun: str) -> None:
    """Refuse other rows than those of a table, or another order, as far as an index tells."""
    before, after = n_rows(table, noun), n_rows(result, f"what {transformer} makes")
    index = table.index if isinstance(table, pd.DataFrame | pd.Series) else pd.RangeIndex(before)
    if after != before:
        problem = f"makes {after} rows of {before}"
    elif isinstance(result, pd.DataFrame | pd.Series) and not result.index.equals(index):
        problem = "changes the row index"
    else:
        return
    raise InvalidInputError(
        f"{transformer} {problem}; constraints and relations name rows, so all rows must stay, in "
        "their order and with their ids. Leave rows out, sort or name them before constraints are "
        "given."
    )


def _names_out(transformer: Any) -> Any:
    """Return what a transformer calls the features that it makes, where it says so."""
    with suppress(AttributeError):  # it does not, or it is a pipeline with a step that does not
        return transformer.get_feature_names_out()
    return None
