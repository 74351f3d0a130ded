"""Constraints as the samples of scikit-learn's model selection, and its transformers for every view.

``GridSearchCV`` and its kin divide the samples of X. Here these are the given constraints: what is held out are
constraints, all rows of all views stay (§6.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils.validation import check_is_fitted

from mvcc._messages import called, shown
from mvcc._threshold import in_fold, neighborhood_folds
from mvcc._validation import RandomState, as_generator, check_count
from mvcc._views import GivenViews, known_views, view_number
from mvcc.exceptions import InvalidInputError

__all__ = ["ConstrainedViews", "NeighborhoodKFold", "PerView"]


class _NoSuchConstraintError(InvalidInputError, IndexError):
    """A position beyond the constraints: Python promises an IndexError for it."""


@dataclass(frozen=True, eq=False, repr=False)
class ConstrainedViews:
    """Views, constraints and relations as one value, whose samples are the constraints.

    ``MultiViewConstrainedClustering.fit`` takes it in the place of views. Its length is the number of constraints of
    all views, and ``data[positions]`` has the same views and relations with those constraints alone, so that
    scikit-learn can hold out constraints.

    Parameters
    ----------
    views, constraints, mappings
        As ``MultiViewConstrainedClustering.fit`` takes them. Views that a transformer turns into numbers first
        (``PerView``) may hold anything with rows.

    Attributes
    ----------
    views : list or dict
        As given.
    constraints : list of Constraints
        One per view, in numbers of rows.
    mappings : dict {(u, v): (r, 2) array}, u < v
        Related rows, views and rows by number.
    shape : tuple
        (number of constraints,).

    Raises
    ------
    InvalidInputError
        For constraints or mappings that do not fit the views.

    Examples
    --------
    >>> from mvcc import ConstrainedViews, Constraints
    >>> judged = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(1, 2)])
    >>> data = ConstrainedViews({"texts": [[0.0], [0.2], [3.0]]}, {"texts": judged})
    >>> len(data), data[[1]].constraints
    (2, [<Constraints: 0 must-links, 1 cannot-links>])
    """

    views: Any
    constraints: Any = None
    mappings: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.views, ConstrainedViews):
            raise InvalidInputError("views are ConstrainedViews already; give the views themselves.")
        given = GivenViews.of(self.views)
        kept = given.tables if given.names is None else dict(zip(given.names, given.tables, strict=True))
        object.__setattr__(self, "views", kept)
        object.__setattr__(self, "constraints", given.constraints(self.constraints))
        object.__setattr__(self, "mappings", given.relations(self.mappings))

    @property
    def shape(self) -> tuple[int]:
        """Number of constraints of all views."""
        return (sum(map(len, self.constraints)),)

    @property
    def sizes(self) -> list[int]:
        """Number of rows of every view."""
        return GivenViews.of(self.views).sizes

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, positions: Any) -> ConstrainedViews:
        """Return the same views and relations with the constraints at these positions alone.

        Constraints are numbered view after view; positions are one, a slice, a mask or an array of them.
        """
        if isinstance(positions, tuple) and len(positions) == 2 and positions[1] is Ellipsis:
            positions = positions[0]  # scikit-learn asks for data[positions, ...]
        positions = np.asarray(positions) if isinstance(positions, list) and positions else positions
        try:
            chosen = np.sort(np.atleast_1d(np.arange(len(self))[[] if isinstance(positions, list) else positions]))
        except (IndexError, TypeError, ValueError) as error:
            raise _NoSuchConstraintError(
                f"{shown(positions)} is no choice among {len(self)} constraints; their positions are 0 … "
                f"{len(self) - 1}."
            ) from error
        ends = np.cumsum([len(c) for c in self.constraints])
        parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
        first = ends - [len(c) for c in self.constraints]
        kept = [c._select(part - start) for c, part, start in zip(self.constraints, parts, first, strict=True)]
        return replace(self, constraints=kept)

    def __repr__(self) -> str:
        given = GivenViews.of(self.views)
        views = [f"{called(number, given.names)} ({size} rows)" for number, size in enumerate(given.sizes)]
        return f"<ConstrainedViews: {len(self)} constraints; views {', '.join(views)}>"


class NeighborhoodKFold(BaseCrossValidator):
    """Hold out the constraints of whole neighbourhoods in turn (§6.3).

    A neighbourhood is what must-links and relations connect over all views. Neighbourhoods are dealt out to folds at
    random; a constraint is held out when one of its ends lies in the fold, and is then no part of the training part. So
    nothing of what is held out follows from the rest, but what relations alone tell. A cannot-link has its ends in two
    neighbourhoods and may be held out twice; with few folds far fewer of them are left to train on.

    Parameters
    ----------
    n_splits : int, default=10
        Number of folds, at least 2. Fewer neighbourhoods make as many folds as there are.
    random_state : int, numpy Generator, RandomState or None, default=None
        Seed of the folds.

    Examples
    --------
    >>> from mvcc import ConstrainedViews, Constraints, NeighborhoodKFold
    >>> judged = Constraints.from_pairs(must_link=[(0, 1), (2, 3), (4, 5)], cannot_link=[(0, 2)])
    >>> data = ConstrainedViews([[[0.0]] * 6], [judged])
    >>> for train, test in NeighborhoodKFold(3, random_state=0).split(data):
    ...     print(train.tolist(), test.tolist())
    [0, 3] [1, 2]
    [0, 1, 2] [3]
    [2, 3] [0, 1]
    """

    def __init__(self, n_splits: int = 10, random_state: RandomState = None) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def split(
        self, X: ConstrainedViews, y: object = None, groups: object = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Give the positions of the constraints to train on, and of those held out, of every fold.

        Parameters
        ----------
        X : ConstrainedViews
        y, groups : ignored

        Raises
        ------
        InvalidInputError
            When the constraints form fewer than two neighbourhoods.
        """
        folds = self._folds(X)
        for fold in range(_n_folds(folds)):
            held_out = np.concatenate(in_fold(X.constraints, folds, fold))
            yield np.flatnonzero(~held_out), np.flatnonzero(held_out)

    def get_n_splits(self, X: ConstrainedViews | None = None, y: object = None, groups: object = None) -> int:
        """Return the number of folds of X; at most so many where X is not given."""
        return check_count(self.n_splits, "n_splits", low=2) if X is None else _n_folds(self._folds(X))

    def _folds(self, X: ConstrainedViews) -> list[NDArray[np.int64]]:
        n_splits = check_count(self.n_splits, "n_splits", low=2)
        if not isinstance(X, ConstrainedViews):
            raise InvalidInputError(
                f"NeighborhoodKFold divides constraints: ConstrainedViews(views, constraints, mappings) are needed, "
                f"not {type(X).__name__}."
            )
        return neighborhood_folds(X.constraints, X.mappings, X.sizes, as_generator(self.random_state), n_splits)


def _n_folds(folds: list[NDArray[np.int64]]) -> int:
    return 1 + max(int(numbers.max(initial=-1)) for numbers in folds)


class PerView(TransformerMixin, BaseEstimator):
    """Fit a scikit-learn transformer to every view by itself, for a pipeline before the clustering.

    Constraints, relations, names of views, and the row index of DataFrames stay as they are, so that constraints and
    relations may be given by id behind it.

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
        for one, table in zip(chosen, given.tables, strict=True):
            if not isinstance(one, str):
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
            For views that ``fit`` has not seen, or a transformer whose result is sparse.
        """
        check_is_fitted(self)
        if isinstance(X, ConstrainedViews):
            return replace(X, views=self.transform(X.views))
        n_views = len(self.transformers_)
        if isinstance(X, Mapping):
            return {
                view: self._transformed(table, view_number(view, self.view_names_, n_views, "X"))
                for view, table in X.items()
            }
        tables = GivenViews.of(X).tables
        if len(tables) != n_views:
            raise InvalidInputError(
                f"X has {len(tables)} views, but {n_views} were fitted; give some of them as a dict {{view: rows}}."
            )
        return [self._transformed(table, number) for number, table in enumerate(tables)]

    def _chosen(self, given: GivenViews) -> list[Any]:
        """Return one transformer for every view."""
        n_views = len(given.tables)
        chosen = self.transformer
        if isinstance(chosen, Mapping):
            by_number = {given.number(view, "transformer"): one for view, one in chosen.items()}
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
                    f"transformer={shown(one)} is not allowed; a transformer, such as StandardScaler(), or "
                    f"'passthrough' is."
                )
        return list(chosen)

    def _transformed(self, table: Any, number: int) -> Any:
        transformer = self.transformers_[number]
        if isinstance(transformer, str):
            return table
        result = transformer.transform(table)
        if issparse(result):
            raise InvalidInputError(
                f"{shown(transformer)} makes view {called(number, self.view_names_)} a sparse matrix, which cannot be "
                f"clustered; reduce it, as make_pipeline(…, TruncatedSVD(20)) does, or ask for a dense result "
                f"(sparse_output=False)."
            )
        if isinstance(table, pd.DataFrame | pd.Series) and not isinstance(result, pd.DataFrame):
            return pd.DataFrame(result, index=table.index, columns=_names_out(transformer))
        return result


def _names_out(transformer: Any) -> Any:
    """Return what a transformer calls the features that it makes, where it says so."""
    with suppress(AttributeError):  # it does not, or it is a pipeline with a step that does not
        return transformer.get_feature_names_out()
    return None
