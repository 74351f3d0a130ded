"""Views with what is known of their rows as one object, and its folds for scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import shown
from mvcc._utils.validation import RandomState, as_generator, check_count
from mvcc.constraints import in_fold, neighborhood_folds
from mvcc.exceptions import InvalidInputError
from mvcc.views._given import GivenViews


class _NoSuchConstraintError(InvalidInputError, IndexError):
    """A position beyond the constraints: Python promises an IndexError for it."""


@dataclass(frozen=True, eq=False, repr=False)
class ConstrainedViews:
    """Views, constraints and relations as one value, whose samples are the constraints.

    ``MultiViewConstrainedClustering.fit`` takes it in the place of views. Its length is the number
    of constraints of all views, and ``data[positions]`` has the same views and relations with those
    constraints alone, so that scikit-learn can hold out constraints.

    Parameters
    ----------
    views, constraints, mappings
        As ``MultiViewConstrainedClustering.fit`` takes them. Views that a transformer turns into
        numbers first (``PerView``) may hold anything with rows.

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

    See Also
    --------
    NeighborhoodKFold : Splits their constraints.
    PerView : A transformer for every view.

    Notes
    -----
    With it neither ``Pipeline`` nor ``GridSearchCV`` needs scikit-learn's metadata
    routing. If that is enabled, fit and predict work, but ``Pipeline.score``, and so a search
    over a pipeline, hands on a ``sample_weight`` that nobody gave, and ends in a TypeError of
    scikit-learn if the ``score`` of the last step takes none (PCA has the same). Leave routing
    disabled there, or search with ``scoring=score``, where ``score`` of (pipeline, X, y=None)
    returns
    ``pipeline[-1].score(pipeline[:-1].transform(X))``.

    Examples
    --------
    >>> from mvcc import ConstrainedViews, Constraints
    >>> pairs = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(1, 2)])
    >>> data = ConstrainedViews({"texts": [[0.0], [0.2], [3.0]]}, {"texts": pairs})
    >>> len(data), data[[1]].constraints
    (2, [<Constraints: 0 must-links, 1 cannot-links>])
    """

    views: Any
    constraints: Any = None
    mappings: Any = None
    __iter__ = None  # or positions of constraints would be taken for a list of views

    def __post_init__(self) -> None:
        if isinstance(self.views, ConstrainedViews):
            raise InvalidInputError(
                "views are ConstrainedViews already; give the views themselves."
            )
        given = GivenViews.of(self.views)
        views: Any = given.tables
        if given.names is not None:
            views = dict(zip(given.names, given.tables, strict=True))
        object.__setattr__(self, "views", views)
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
        """Return the same views with the constraints at these positions, one view after another."""
        if isinstance(positions, tuple) and len(positions) == 2 and positions[1] is Ellipsis:
            positions = positions[0]  # scikit-learn asks for data[positions, ...]
        if isinstance(positions, list):
            positions = np.asarray(positions) if positions else slice(0)
        try:
            chosen = np.sort(np.atleast_1d(np.arange(len(self))[positions]))
        except (IndexError, TypeError, ValueError) as error:
            raise _NoSuchConstraintError(
                f"{shown(positions)} is not a choice among {len(self)} constraints; their"
                f" positions are 0 … {len(self) - 1}."
            ) from error
        constraints, first = [], 0
        for c in self.constraints:
            inside = chosen[(first <= chosen) & (chosen < first + len(c))]
            constraints.append(c.select(inside - first))
            first += len(c)
        return replace(self, constraints=constraints)

    def __repr__(self) -> str:
        views = GivenViews.of(self.views).in_words
        return f"<ConstrainedViews: {len(self)} constraints; views {views}>"


class NeighborhoodKFold(BaseCrossValidator):
    """Hold out the constraints of whole neighborhoods in turn (§6.3).

    A neighborhood is what must-links and relations connect over all views. Neighborhoods are dealt
    out to folds at random; a constraint is held out when one of its ends lies in the fold, and is
    then no part of the training part. So nothing of what is held out follows from the rest, but
    what relations alone tell. A cannot-link has its ends in two neighborhoods and may be held out
    twice; with few folds far fewer of them are left to train on.

    So a score over all that is held out counts cannot-links nearly twice as often as must-links,
    and favors many clusters, which violate few cannot-links. If numbers of clusters are
    compared, count both kinds alike, as the scorer in the gallery's example of choosing by held-out
    constraints does.

    Parameters
    ----------
    n_splits : int, default=10
        Number of folds, at least 2. Fewer neighborhoods make as many folds as there are.
    random_state : int, numpy Generator, RandomState or None, default=None
        Seed of the folds.

    See Also
    --------
    ConstrainedViews : What it splits.

    Examples
    --------
    >>> from mvcc import ConstrainedViews, Constraints, NeighborhoodKFold
    >>> pairs = Constraints.from_pairs(
    ...     must_link=[(0, 1), (2, 3), (4, 5)], cannot_link=[(0, 2)]
    ... )
    >>> data = ConstrainedViews([[[0.0]] * 6], [pairs])
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
    ) -> Iterator[tuple[Ints, Ints]]:
        """Give the positions of the constraints to train on, and of those held out, of every fold.

        Parameters
        ----------
        X : ConstrainedViews
        y, groups : ignored

        Yields
        ------
        train, test : ndarray of int

        Raises
        ------
        InvalidInputError
            When the constraints form fewer than two neighborhoods.
        """
        folds = self._folds(X)
        for fold in range(_n_folds(folds)):
            held_out = np.concatenate(in_fold(X.constraints, folds, fold))
            yield np.flatnonzero(~held_out), np.flatnonzero(held_out)

    def get_n_splits(
        self, X: ConstrainedViews | None = None, y: object = None, groups: object = None
    ) -> int:
        """Return the number of folds of X; at most so many where X is not given.

        Parameters
        ----------
        X : ConstrainedViews, default=None
        y, groups : ignored

        Returns
        -------
        int
        """
        if X is None:
            return check_count(self.n_splits, "n_splits", low=2)
        return _n_folds(self._folds(X))

    def _folds(self, X: ConstrainedViews) -> list[Ints]:
        n_splits = check_count(self.n_splits, "n_splits", low=2)
        if not isinstance(X, ConstrainedViews):
            raise InvalidInputError(
                "NeighborhoodKFold divides constraints: ConstrainedViews(views, constraints, "
                f"mappings) are needed, not {type(X).__name__}."
            )
        rng, advice = as_generator(self.random_state), "Give more constraints."
        return neighborhood_folds(X.constraints, X.mappings, X.sizes, rng, n_splits, advice)


def _n_folds(folds: list[Ints]) -> int:
    return 1 + max(int(fold_of_row.max(initial=-1)) for fold_of_row in folds)
