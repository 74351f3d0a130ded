"""A metric learned from constraints by a ridge regression of together or apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mvcc._utils.arrays import Floats, blocks_by_width
from mvcc._utils.contexts import one_thread
from mvcc._utils.validation import check_flag, check_matrices, checked_by
from mvcc.constraints import Constraints, FitsConstraints, constraints_on
from mvcc.embedding._components import unit_rows

if TYPE_CHECKING:
    import pandas as pd

RIDGES = (1000.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1)
FEWEST_PAIRS = 4
MOST_UNKNOWNS = 2_000  # of the equations that are solved; the time grows with the third power


class PairMetric(FitsConstraints, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Map rows so that inner products tell which pairs belong together, learned from constraints.

    For rows e_i, and y_c = 1 for a must-link c = (i, j) and 0 for a cannot-link, the metric M
    minimizes

        Σ_c w_c (y_c − e_iᵀ M e_j)² + ρ ‖M − I‖²,

    ρ being the one of eight values whose leave-one-out errors are least. These follow in closed
    form [1]_, without a fit for every pair. If none is better than M = I, and for fewer than four
    pairs, M = I. If all pairs are of one kind, M would make all rows alike or all unlike, so
    each constrained row is paired with another one at random, whose product should stay as it is.
    Negative eigenvalues of M are cut off, and ``transform`` multiplies the rows by the square root
    of M.

    Parameters
    ----------
    unit_rows : bool, default=False
        What happens to the rows before. False suits raw features: columns are centered, and all
        values divided by the root mean squared length of the rows. True suits spectral features:
        each row is scaled to length 1, and again after it was mapped.

    Attributes
    ----------
    metric_ : ndarray of shape (n_features, n_features)
        M.
    ridge_ : float or None
        ρ; None where M = I.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, where ``fit`` was given a DataFrame.

    See Also
    --------
    MPCKMeans : Learns a metric while it clusters.

    Notes
    -----
    The time grows with the third power of the number of pairs, or of pairs of columns if these are
    fewer. If both exceed 2,000, that many pairs are used, evenly spread over the list. What follows
    from constraints hurts where some are wrong. One of weight 0 counts for nothing.

    References
    ----------
    .. [1] D. M. Allen, "The Relationship Between Variable Selection and Data Augmentation and a
       Method for Prediction", Technometrics, 1974.

    Examples
    --------
    >>> from mvcc import Constraints, PairMetric
    >>> X = [[0, 0], [0, 9], [1, 0], [1, 9], [0, 5], [1, 5]]
    >>> together = [(0, 1), (1, 4), (2, 3), (3, 5)]
    >>> apart = [(0, 2), (1, 3), (4, 5), (0, 5)]
    >>> pairs = Constraints.from_pairs(together, apart)
    >>> metric = PairMetric().fit(X, constraints=pairs).metric_
    >>> bool(metric[0, 0] > metric[1, 1])
    True
    """

    def __init__(self, *, unit_rows: bool = False) -> None:
        self.unit_rows = unit_rows

    def transform(self, X: ArrayLike) -> Floats:
        """Map rows.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Rows with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (m, d)
            The rows, scaled as ``unit_rows`` says, times the square root of M.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            For NaN or infinity, or other columns.
        """
        check_is_fitted(self)
        rows = self._scaled(checked_by(partial(validate_data, self, reset=False), X, "X"))
        if self.ridge_ is None:
            return rows
        with one_thread():
            rows = rows @ self._root
        return unit_rows(rows) if self.unit_rows else rows

    def _learn(self, X: ArrayLike, constraints: Constraints | pd.DataFrame | None) -> None:
        data = checked_by(partial(validate_data, self), X, "X")
        given = constraints_on(X, len(data), constraints)
        check_matrices(1, data.shape[1])
        self._center, self._unit = np.zeros(data.shape[1]), 1.0
        if not check_flag(self.unit_rows, "unit_rows"):
            # the mean of equal rows differs from them by rounding, which would be learned from
            self._center = data.mean(axis=0) if (data != data[0]).any() else data[0].copy()
            lengths = np.einsum("ij,ij->i", data - self._center, data - self._center)
            self._unit = float(np.sqrt(lengths.mean())) or 1.0
        counted = given.of_some_weight()
        rows = np.unique(counted.pairs)
        with one_thread():
            self.metric_, self.ridge_ = learn_metric(
                self._scaled(data[rows]), counted.on_rows(rows)
            )
            values, vectors = scipy.linalg.eigh(self.metric_)
            self._root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
            if values[0] < 0:
                self.metric_ = (vectors * np.maximum(values, 0)) @ vectors.T
        self._n_features_out = data.shape[1]

    def _scaled(self, data: Floats) -> Floats:
        return unit_rows(data) if self.unit_rows else (data - self._center) / self._unit


def learn_metric(rows: Floats, constraints: Constraints) -> tuple[Floats, float | None]:
    """Return M, which may have negative eigenvalues, and the ridge; I and None if none helps."""
    pairs, must_link, weights = constraints.listed()
    d = rows.shape[1]
    n_products = d * (d + 1) // 2
    if len(pairs) < FEWEST_PAIRS:
        return np.eye(d), None
    targets = must_link.astype(np.float64)
    if must_link.all() or not must_link.any():
        # by one kind alone, M would make all rows alike, or all unlike
        order = np.random.default_rng(0).permutation(len(rows))
        drawn = np.column_stack((order, np.roll(order, 1)))
        as_they_are = np.einsum("ij,ij->i", rows[drawn[:, 0]], rows[drawn[:, 1]])
        pairs, targets = np.concatenate((pairs, drawn)), np.append(targets, as_they_are)
        weights = np.append(weights, np.full(len(drawn), weights.mean()))
    if min(len(pairs), n_products) > MOST_UNKNOWNS:
        chosen = np.linspace(0, len(pairs) - 1, MOST_UNKNOWNS).astype(np.int64)
        pairs, targets, weights = pairs[chosen], targets[chosen], weights[chosen]
    roots = np.sqrt(weights)
    first, second = roots[:, None] * rows[pairs[:, 0]], rows[pairs[:, 1]]
    missing = roots * targets - np.einsum("ij,ij->i", first, second)  # of y_c where M = I
    solve = _by_pairs if len(pairs) <= n_products else _by_products
    losses, change = solve(first, second, missing)
    best = int(losses.argmin())
    if losses[best] >= (missing**2).sum() * (1 - 1e-9):
        return np.eye(d), None
    return np.eye(d) + change(best), RIDGES[best]


def _by_pairs(
    first: Floats, second: Floats, missing: Floats
) -> tuple[Floats, Callable[[int], Floats]]:
    """Solve M = I + Σ α_c sym(e_i e_jᵀ), α = (K + ρI)⁻¹(y − s), for the α of every pair.

    Return the leave-one-out losses of all ridges, with the errors α_c / [(K + ρI)⁻¹]_cc, and what
    gives M − I.
    """
    K = 0.5 * ((first @ first.T) * (second @ second.T) + (first @ second.T) * (second @ first.T))
    values, vectors = scipy.linalg.eigh(K)
    inverse = 1 / (np.maximum(values, 0)[:, None] + np.array(RIDGES))
    alpha = vectors @ ((vectors.T @ missing)[:, None] * inverse)
    losses = ((alpha / (vectors**2 @ inverse)) ** 2).sum(axis=0)

    def change(ridge: int) -> Floats:
        half = (first * alpha[:, ridge, None]).T @ second
        return (half + half.T) / 2

    return losses, change


def _by_products(
    first: Floats, second: Floats, missing: Floats
) -> tuple[Floats, Callable[[int], Floats]]:
    """Solve for the entries of M − I instead, fewer where pairs are many; see ``_by_pairs``."""
    d = first.shape[1]
    a, b = np.triu_indices(d)

    def blocks() -> Iterator[tuple[Floats, Floats]]:
        """Give the products of columns of every pair, whose inner products are K, and the gaps."""
        scale = np.where(a == b, 0.5, np.sqrt(0.5))
        for block in blocks_by_width(len(first), len(a)):
            x, y = (np.ascontiguousarray(rows[block].T) for rows in (first, second))
            products = np.concatenate([x[n] * y[n:] + x[n:] * y[n] for n in range(d)])
            yield (products * scale[:, None]).T, missing[block]

    gram, target = np.zeros((len(a), len(a))), np.zeros(len(a))
    for products, gaps in blocks():
        gram += products.T @ products
        target += products.T @ gaps
    values, vectors = scipy.linalg.eigh(gram)
    inverse = 1 / (np.maximum(values, 0)[:, None] + np.array(RIDGES))
    solution = (vectors.T @ target)[:, None] * inverse
    losses = np.zeros(len(RIDGES))
    for products, gaps in blocks():
        turned = products @ vectors
        errors = (gaps[:, None] - turned @ solution) / (1 - turned**2 @ inverse)
        losses += (errors**2).sum(axis=0)

    def change(ridge: int) -> Floats:
        symmetric = np.zeros((d, d))
        symmetric[a, b] = (vectors @ solution[:, ridge]) * np.where(a == b, 1.0, np.sqrt(0.5))
        symmetric[b, a] = symmetric[a, b]
        return symmetric

    return losses, change
