"""The clusters of new rows, as the nearest of the rows that were clustered say."""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from mvcc._utils.types import Floats, Ints
from mvcc._utils.validation import check_count, check_data, check_labels
from mvcc.embedding import NeighborSearch, nearness
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.joint._confidence import Probabilities, in_blocks, with_labels


class NearestRows(BaseEstimator):
    """Assign new rows to clusters: the nearest rows vote, weighted by ``nearness``.

    A row that is equal to one of ``fit`` gets the cluster of that one.

    `n_neighbors`: rows that vote; all, where there are fewer.
    """

    def __init__(self, n_neighbors: int = 10) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: ArrayLike, labels: ArrayLike) -> Self:
        """Remember rows and their clusters."""
        data = check_data(X)
        self.labels_ = check_labels(labels, len(data), "labels")
        self.search_ = NeighborSearch.among(data)
        return self

    def predict(self, X: ArrayLike) -> Ints:
        """Return the clusters of new rows.

        Raises InvalidInputError: for other columns than in ``fit``, NaN or infinity.
        """
        return self._voted(*self._nearest_to(X))

    def probabilities(
        self, X: ArrayLike, of_rows: Probabilities, sharpness: float
    ) -> Probabilities:
        """Return probabilities of clusters for new rows: the mean of the nearest rows.

        The largest is that of the cluster that ``predict`` returns.

        `of_rows`: those of the rows of ``fit``.
        `sharpness`: not used: it is that of the rows of ``fit``.
        Raises InvalidInputError: as ``predict``.
        """
        distances, nearest = self._nearest_to(X)
        labels, weights = self._voted(distances, nearest), nearness(distances)
        weights[distances[:, 0] == 0] = np.eye(1, weights.shape[1])
        m, number = nearest.shape
        entries = weights.ravel(), nearest.ravel(), np.arange(0, m * number + 1, number)
        votes = sp.csr_array(entries, shape=(m, len(self.labels_)))

        def mean(block: slice) -> Floats:
            means = votes[block] @ of_rows
            return with_labels(means.toarray() if sp.issparse(means) else means, labels[block])

        return in_blocks(m, mean)

    def _nearest_to(self, X: ArrayLike) -> tuple[Floats, Ints]:
        """Return the distances to the rows that vote on new ones, and these rows, (m,
        n_neighbors).
        """
        check_is_fitted(self)
        rows, (n, d) = check_data(X), self.search_.rows.shape
        if rows.shape[1] != d:
            raise InvalidInputError(f"X has {rows.shape[1]} features, but {d} were fitted.")
        with threadpool_limits(1):  # more threads sum in another order
            found: tuple[Floats, Ints] = self.search_.nearest_to(
                rows, min(check_count(self.n_neighbors, "n_neighbors"), n)
            )
        return found

    def _voted(self, distances: Floats, nearest: Ints) -> Ints:
        votes = np.zeros((len(nearest), int(self.labels_.max()) + 1))
        np.add.at(
            votes, (np.arange(len(nearest))[:, None], self.labels_[nearest]), nearness(distances)
        )
        return np.where(distances[:, 0] == 0, self.labels_[nearest[:, 0]], votes.argmax(axis=1))
