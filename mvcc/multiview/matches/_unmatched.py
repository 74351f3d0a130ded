"""Rows of two views that no match names, in one space, and how alike they are there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.spatial.distance import cdist, pdist

from mvcc._utils.arrays import Floats, Ints
from mvcc.embedding import unit_rows
from mvcc.exceptions import InvalidInputError

FEWEST_MATCHES = 20  # matches between two views that their canonical correlations are learned from
MOST_LANDMARKS = 500  # matched rows that all rows are compared with
WIDTH = 0.5  # of the kernel, in median squared distances
RIDGE = 0.01  # of the columns, in their mean variance
# the mean similarity to so many is taken off: rows that are near everything are near nothing in
# particular
_NEIGHBORS = 10
LEAST = -4.0  # of all scores
_BLOCK_ENTRIES = 2**23  # similarities that are in memory at a time, 64 MB

NONE = np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Unmatched:
    """Rows of two views that no match names, in one space."""

    rows: Ints
    others: Ints
    x: Floats
    y: Floats
    hubs: Floats  # how near each of the others is to its nearest rows
    apart: Ints  # places among rows and others that do not match

    @classmethod
    def of(cls, X_u: Floats, X_v: Floats, matches: Ints, refused: Ints) -> Unmatched:
        """Place the rows by canonical correlations of the matches."""
        if len(matches) < FEWEST_MATCHES:
            raise InvalidInputError(
                f"mappings must have {FEWEST_MATCHES} matches or more of two views, got"
                f" {len(matches)}."
            )
        # in random order: by number, equally near rows would match where tables have the same order
        rng = np.random.default_rng(0)
        rows = rng.permutation(np.setdiff1d(np.arange(len(X_u)), matches[:, 0]))
        others = rng.permutation(np.setdiff1d(np.arange(len(X_v)), matches[:, 1]))
        if not len(rows) or not len(others):
            nothing = np.empty((0, 0))
            return cls(rows[:0], others[:0], nothing, nothing, nothing.ravel(), NONE)
        x, y = _in_one_space(X_u, X_v, matches, rows, others)
        ends = zip((len(X_u), len(X_v)), (rows, others), refused.T, strict=True)
        apart = np.column_stack([_places(*end) for end in ends])
        apart = apart[(apart >= 0).all(axis=1)]
        hubs = [_mean_of_nearest(y[some] @ x.T) for some in _blocks(len(y), len(x))]
        return cls(rows, others, x, y, np.concatenate(hubs), apart)

    def turned(self, hubs: Floats) -> Unmatched:
        """Return the same for the counterparts of the others, given how near the rows are."""
        return Unmatched(self.others, self.rows, self.y, self.x, hubs, self.apart[:, ::-1])

    def nearest(self, c: int) -> tuple[Ints, Floats, Floats]:
        """Return the others with the highest scores, descending, for every row; scores; hubs."""
        # rows and others that are apart come last, with the least score
        if not len(self.rows):
            return np.empty((0, 0), np.int64), np.empty((0, 0)), np.empty(0)
        c = min(c, len(self.others))
        nearest, scores, hubs = [], [], []
        for some in _blocks(len(self.rows), len(self.others)):
            cosines = self.x[some] @ self.y.T
            hubs.append(_mean_of_nearest(cosines))
            similarity = 2 * cosines - self.hubs
            row, other = self.apart[np.isin(self.apart[:, 0], some)].T
            similarity[row - some[0], other] = -np.inf
            top = np.argpartition(-similarity, c - 1, axis=1)[:, :c]
            top_scores = np.take_along_axis(similarity, top, axis=1)
            order = np.argsort(-top_scores, axis=1, kind="stable")
            nearest.append(np.take_along_axis(top, order, axis=1))
            top_scores = np.take_along_axis(top_scores, order, axis=1) - hubs[-1][:, None]
            scores.append(np.maximum(top_scores, LEAST))
        return np.concatenate(nearest), np.concatenate(scores), np.concatenate(hubs)


def _places(n: int, rows: Ints, wanted: Ints) -> Ints:
    """Return where the wanted ones of n rows are among some; −1 for others."""
    index_of = np.full(n, -1)
    index_of[rows] = np.arange(len(rows))
    return index_of[wanted]


def _in_one_space(
    X_u: Floats, X_v: Floats, matches: Ints, rows: Ints, others: Ints
) -> tuple[Floats, Floats]:
    """Return rows of both views as unit rows of canonical variates, each times its correlation."""
    m = len(matches)
    drawn = np.sort(np.random.default_rng(0).permutation(m)[:MOST_LANDMARKS])
    matched_u, rows_u = _whitened(X_u, matches[:, 0], drawn, rows)
    matched_v, rows_v = _whitened(X_v, matches[:, 1], drawn, others)
    left, correlations, right = scipy.linalg.svd(matched_u.T @ matched_v / m)
    return unit_rows(rows_u @ left * correlations), unit_rows(rows_v @ right.T * correlations)


def _whitened(X: Floats, matched: Ints, drawn: Ints, rest: Ints) -> tuple[Floats, Floats]:
    """Return matched rows and others, by their kernel with some, without correlation."""
    landmarks = X[matched[drawn]]
    width = WIDTH / (float(np.median(pdist(landmarks, "sqeuclidean"))) or 1.0)
    near, near_rest = (
        np.exp(-width * cdist(X[rows], landmarks, "sqeuclidean")) for rows in (matched, rest)
    )
    mean = near.mean(axis=0)
    near, near_rest = near - mean, near_rest - mean
    covariance = near.T @ near / len(near)
    ridge = max(RIDGE * float(np.trace(covariance)) / len(covariance), np.finfo(float).tiny)
    factor = scipy.linalg.cholesky(covariance + ridge * np.eye(len(covariance)), lower=True)
    whitened = (scipy.linalg.solve_triangular(factor, K.T, lower=True).T for K in (near, near_rest))
    return next(whitened), next(whitened)


def _blocks(n: int, width: int) -> list[Ints]:
    return np.array_split(np.arange(n), -(-n * width // _BLOCK_ENTRIES))


def _mean_of_nearest(cosines: Floats) -> Floats:
    q = min(_NEIGHBORS, cosines.shape[1])
    return np.partition(cosines, -q, axis=1)[:, -q:].mean(axis=1)
