"""Constraints as the samples of scikit-learn's model selection.

``GridSearchCV`` and its kin divide the samples of X. Here these are the given constraints: what is held out are
constraints, all rows of all views stay (§6.3).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from mvcc._utils.validation import RandomState, as_generator, check_count
from mvcc.constraints import in_fold, neighborhood_folds
from mvcc.exceptions import InvalidInputError
from mvcc.views._constrained import ConstrainedViews

__all__ = ["ConstrainedViews", "NeighborhoodKFold"]


class NeighborhoodKFold(BaseCrossValidator):
    """Hold out the constraints of whole neighborhoods in turn (§6.3).

    A neighborhood is what must-links and relations connect over all views. Neighborhoods are dealt out to folds at
    random; a constraint is held out when one of its ends lies in the fold, and is then no part of the training part. So
    nothing of what is held out follows from the rest, but what relations alone tell. A cannot-link has its ends in two
    neighborhoods and may be held out twice; with few folds far fewer of them are left to train on.

    So a score over all that is held out counts cannot-links nearly twice as often as must-links, and favors many
    clusters, which violate few cannot-links. Where numbers of clusters are compared, count both kinds alike, as the
    scorer in the gallery's example of choosing by held-out judgments does.

    Parameters
    ----------
    n_splits : int, default=10
        Number of folds, at least 2. Fewer neighborhoods make as many folds as there are.
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
            When the constraints form fewer than two neighborhoods.
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
