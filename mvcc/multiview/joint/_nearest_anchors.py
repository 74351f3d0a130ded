"""The clusters of new rows, as the anchors say that they are tied to."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import euclidean_distances
from threadpoolctl import threadpool_limits

from mvcc._utils.blocks import blocks_of
from mvcc._utils.types import Floats, Ints
from mvcc._utils.validation import check_data
from mvcc.embedding import Anchors, unit_rows
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.joint._confidence import Probabilities, in_blocks, probabilities
from mvcc.multiview.joint._spreading import COLUMNS_SHARE, rows_to_one

_TINY = 1e-12


def log_shares(shares: Floats) -> Floats:
    """Return the logarithm of what speaks for every cluster of some objects, scaled to sum 1."""
    return np.log(np.maximum(rows_to_one(shares.astype(np.float64, copy=False)), _TINY))


class NearestAnchors(BaseEstimator):
    """Assign new rows to clusters by the map that assigned the rows of a fit by anchors.

    It holds anchors and what follows from them, and none of the rows.

    `at_anchors`: what a row gets from each of its ties: coordinates in the embedding, or shares
    of clusters.
    `centers`: of the clusters, where these are coordinates: a row is of the nearest one.
    `coefficients`: by which columns, moved as the anchors are, and a constant predict clusters,
    where these are shares: a row is of the cluster with the largest.
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
        """Return the clusters of new rows.

        Raises InvalidInputError: for other columns than in ``fit``, NaN or infinity.
        """
        data = self._checked(X)
        with threadpool_limits(1):  # more threads sum in another order
            return np.concatenate(
                [self._scores(data[block]).argmax(axis=1) for block in blocks_of(len(data))]
            )

    def probabilities(
        self, X: ArrayLike, of_rows: Probabilities, sharpness: float
    ) -> Probabilities:
        """Return probabilities of clusters for new rows, as those of the rows of the fit.

        `of_rows`: not used: they follow from the anchors.
        `sharpness`: see ``object_probabilities``.
        Raises InvalidInputError: as ``predict``.
        """
        data = self._checked(X)

        def of_block(block: Any) -> Floats:
            scores = self._scores(data[block])
            return probabilities(scores, sharpness, scores.argmax(axis=1))

        with threadpool_limits(1):
            return in_blocks(len(data), of_block)

    def _checked(self, X: ArrayLike) -> Floats:
        data, n_columns = check_data(X), self.anchors.places.shape[1]
        if data.shape[1] != n_columns:
            raise InvalidInputError(f"X has {data.shape[1]} features, but {n_columns} were fitted.")
        return data

    def _scores(self, data: Floats) -> Floats:
        """Return how much speaks for every cluster, (m, k)."""
        found = self.anchors.ties(data) @ self.at_anchors
        if self.centers is not None:
            scores: Floats = -euclidean_distances(unit_rows(found), self.centers, squared=True)
            return scores
        assert self.coefficients is not None
        columns = self.anchors.moved(data).astype(np.float64) @ self.coefficients[:-1]
        predicted = rows_to_one(np.maximum(columns + self.coefficients[-1], 0))
        return log_shares(rows_to_one(found) + COLUMNS_SHARE * predicted)
