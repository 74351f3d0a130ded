"""The clusters of new rows, as their anchors say, or the nearest rows that were clustered.

Probabilities follow from scores; they are dense or, where clusters are many, sparse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.special import log_softmax
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import check_is_fitted

from mvcc._utils.arrays import TINY, Floats, Ints, blocks_of
from mvcc._utils.contexts import one_thread
from mvcc._utils.validation import check_data, check_labels
from mvcc.embedding import Anchors, NeighborSearch, nearness, sparse_rows, unit_rows
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.joint._constrained_objects import COLUMNS_SHARE, rows_to_one

MOST_DENSE = 50  # clusters; of more, only the largest probabilities of a row are kept
KEPT = 10
_TIE = 1 + 1e-9

Probabilities: TypeAlias = Floats | sp.csr_array
_Equal: TypeAlias = tuple[sp.csr_array, Ints]  # (groups, n) and (n,): of rows that are equal


def probabilities(scores: Floats, sharpness: float, labels: Ints) -> Floats:
    """Return probabilities (n, k) that grow with the scores; the largest is that of the label."""
    return with_labels(np.exp(log_softmax(sharpness * scores, axis=1)), labels)


def with_labels(shares: Floats, labels: Ints) -> Floats:
    """Return rows whose largest entry is that of the label: a larger one changes places with it."""
    rows, largest = np.arange(len(shares)), shares.argmax(axis=1)
    changed = shares.copy()
    changed[rows, largest], changed[rows, labels] = shares[rows, labels], shares[rows, largest]
    # of equal entries argmax would return the first
    tied = changed.argmax(axis=1) != labels
    changed[tied, labels[tied]] *= _TIE
    return changed


def in_blocks(n: int, dense_rows: Callable[[Any], Floats]) -> Probabilities:
    """Return n rows, made block by block; where clusters are many, only their largest entries."""
    parts = [_compact(dense_rows(block)) for block in blocks_of(n)]
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def _compact(shares: Floats) -> Probabilities:
    if shares.shape[1] <= MOST_DENSE:
        return shares
    columns = np.sort(np.argpartition(-shares, KEPT, axis=1)[:, :KEPT], axis=1)
    largest = np.take_along_axis(shares, columns, axis=1)
    largest /= largest.sum(axis=1, keepdims=True)
    return sparse_rows(largest, columns, shares.shape[1])


def log_shares(shares: Floats) -> Floats:
    """Return the logarithm of the evidence for every cluster of some objects, scaled to sum 1."""
    return np.log(np.maximum(rows_to_one(shares.astype(np.float64, copy=False)), TINY))


class NearestAnchors(BaseEstimator):
    """Assign new rows to clusters by the map that assigned the rows of a fit by anchors.

    `at_anchors` are what a row gets from each of its ties: shares of clusters, beside those that
    its columns, moved as the anchors are, and a constant predict by `coefficients`; or, in models
    of former versions, coordinates in the embedding, where it is of the nearest of the `centers`.
    """

    def __init__(
        self,
        anchors: Anchors,
        at_anchors: Floats,
        centers: Floats | None = None,
        coefficients: Floats | None = None,
    ) -> None:
        self.anchors = anchors
        self.at_anchors = at_anchors
        self.centers = centers
        self.coefficients = coefficients

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: ArrayLike | None = None, y: None = None) -> Self:
        """Return the estimator: what it needs was found by a clustering."""
        return self

    def predict(self, X: ArrayLike) -> Ints:
        data = _checked(X, self.anchors.places.shape[1])
        with one_thread():
            return np.concatenate(
                [self._scores(data[block]).argmax(axis=1) for block in blocks_of(len(data))]
            )

    def probabilities(
        self, X: ArrayLike, of_rows: Probabilities, sharpness: float
    ) -> Probabilities:
        """Return probabilities of clusters for new rows; ``of_rows`` is not needed."""
        data = _checked(X, self.anchors.places.shape[1])

        def of_block(block: Any) -> Floats:
            scores = self._scores(data[block])
            return probabilities(scores, sharpness, scores.argmax(axis=1))

        with one_thread():
            return in_blocks(len(data), of_block)

    def _scores(self, data: Floats) -> Floats:
        """Return the evidence for every cluster, (m, k)."""
        by_ties = self.anchors.ties(data) @ self.at_anchors
        if self.centers is not None:
            return -euclidean_distances(unit_rows(by_ties), self.centers, squared=True)
        assert self.coefficients is not None
        by_columns = self.anchors.moved(data).astype(np.float64) @ self.coefficients[:-1]
        predicted = rows_to_one(np.maximum(by_columns + self.coefficients[-1], 0))
        return log_shares(rows_to_one(by_ties) + COLUMNS_SHARE * predicted)


class NearestRows(BaseEstimator):
    """Assign new rows to clusters: the nearest rows vote by ``nearness``, equal ones alone.

    Each votes as all rows that equal it do in the mean: which of these are found is chance.
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
        return self._voted(self._votes(X), self._equal_rows())

    def probabilities(
        self, X: ArrayLike, of_rows: Probabilities, sharpness: float
    ) -> Probabilities:
        """Return the mean of the probabilities of the nearest rows, which have ``sharpness``."""
        votes, equal = self._votes(X), self._equal_rows()
        labels = self._voted(votes, equal)
        of_rows = _in_the_mean(of_rows, equal)

        def mean(block: slice) -> Floats:
            means = votes[block] @ of_rows
            return with_labels(means.toarray() if sp.issparse(means) else means, labels[block])

        return in_blocks(len(labels), mean)

    def _votes(self, X: ArrayLike) -> sp.csr_array:
        """Return how much each fitted row counts for every new one, (m, n)."""
        check_is_fitted(self)
        n, d = self.search_.rows.shape
        rows = _checked(X, d)
        with one_thread():
            distances, nearest = self.search_.nearest_to(rows, min(self.n_neighbors, n))
        weights = nearness(distances)
        weights[distances[:, 0] == 0] = np.eye(1, weights.shape[1])
        return sparse_rows(weights, nearest, n)

    def _voted(self, votes: sp.csr_array, equal: _Equal) -> Ints:
        n = len(self.labels_)
        clusters = sp.csr_array((np.ones(n), self.labels_, np.arange(n + 1)))
        labels: Ints = (votes @ _in_the_mean(clusters, equal)).toarray().argmax(axis=1)
        return labels

    def _equal_rows(self) -> _Equal:
        """Return what takes the mean of each group of equal rows, and the group of every row."""
        rows = self.search_.rows
        _, group, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        group = group.ravel()
        return sp.csr_array((1 / sizes[group], (group, np.arange(len(group))))), group


def _in_the_mean(of_rows: Probabilities, equal: _Equal) -> Probabilities:
    """Return for each fitted row what those that equal it have in the mean."""
    means, group = equal
    return (means @ of_rows)[group]


def _checked(X: ArrayLike, n_columns: int) -> Floats:
    data = check_data(X)
    if data.shape[1] != n_columns:
        raise InvalidInputError(f"X has {data.shape[1]} features, but {n_columns} were fitted.")
    return data
