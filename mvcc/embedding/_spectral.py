"""Spectral features: the low-dimensional space in which a view is clustered (§6.1)."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
import scipy.linalg
import scipy.sparse.linalg
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mvcc._utils.arrays import Floats, blocks_by_width, quotient
from mvcc._utils.contexts import one_thread
from mvcc._utils.validation import check_count, check_data, check_number, checked_by
from mvcc.exceptions import InvalidInputError

MAX_ROWS = 20_000
# rounding of some 1e-16 is divided by it, and stays below the spread of the features
SMALLEST_EIGENVALUE = 1e-12
_DENSE_ROWS = 1_000


def spectral_features(X: ArrayLike, n_components: int, *, sigma: float = 1.0) -> Floats:
    """Embed a view by the eigenvectors of its normalized Laplacian (§6.1, after Ng et al.).

    Every feature is scaled to [0, 1], so that ``sigma`` = 1 fits the distances; a constant feature
    becomes 0. The eigenvectors of the 2nd to (d+1)th lowest eigenvalues [1]_ are standardized to
    mean 0 and variance 1. Their signs are fixed: the entry of largest magnitude of the eigenvector
    is positive. The same input gives the same bits on any number of threads.

    Parameters
    ----------
    X : array-like of shape (n, d_V)
        Raw features of one view.
    n_components : int
        d, the number of eigenvectors kept, 1 to n − 1.
    sigma : float, default=1.0
        Width of the affinity exp(−‖x_i − x_j‖² / 2σ²), in units of the scaled features.

    Returns
    -------
    ndarray of shape (n, n_components)
        The standardized eigenvectors.

    Raises
    ------
    InvalidInputError
        For NaN or infinity in X, impossible parameters, a width at which there are no such
        features, or more than 20,000 rows: the affinities are n × n.

    See Also
    --------
    SpectralFeatures : A transformer, which embeds new rows.

    References
    ----------
    .. [1] A. Y. Ng, M. I. Jordan and Y. Weiss, "On Spectral Clustering: Analysis and an Algorithm",
       NeurIPS 2001.

    Examples
    --------
    >>> from mvcc import spectral_features
    >>> found = spectral_features([[0.0], [0.1], [0.9], [1.0]], 1).round(1)
    >>> (found / found[0]).round(1).tolist()
    [[1.0], [0.8], [-0.8], [-1.0]]
    """
    data = check_data(X)
    scaled = _scaled(data, data.min(axis=0), np.ptp(data, axis=0))
    return unscaled_spectral_features(scaled, n_components, sigma=sigma)


def unscaled_spectral_features(X: ArrayLike, n_components: int, *, sigma: float = 1.0) -> Floats:
    """Embed a view as :func:`spectral_features` does, but by its features as they are (§6.1)."""
    return _spectrum_of(check_data(X), n_components, sigma).features


class SpectralFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Spectral features that new rows have, too.

    :func:`spectral_features` as a scikit-learn transformer (§6.1).

    ``fit_transform`` gives what :func:`spectral_features` gives, to the last bit. ``transform``
    extends the eigenvectors v_k of the normalized affinity, with eigenvalues λ_k, to new rows by
    the Nyström formula [1]_: for the affinities a(x, x_i) of a row x to the rows of ``fit``,
    with degrees d(x) = Σ_i a(x, x_i) and d_i,

        v_k(x) = 1/λ_k · Σ_i a(x, x_i) / √(d(x) d_i) · v_ik,

    with the scale of the columns, the signs, means and deviations of ``fit``. A row of ``fit`` gets
    its own features, up to rounding.

    Parameters
    ----------
    n_components : int, default=2
        d, the number of eigenvectors kept, 1 to n − 1.
    sigma : float, default=1.0
        Width of the affinity exp(−‖x_i − x_j‖² / 2σ²), in units of the scaled features.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        λ_k, the largest eigenvalues of the normalized affinity but the first, in descending order.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, where ``fit`` was given a DataFrame.

    See Also
    --------
    spectral_features : The paper's features, without new rows.
    JointSpectralFeatures : Several views in one space.

    Notes
    -----
    The transformer holds the rows of ``fit``: whoever gets it, or a file of it, gets them. New rows
    take time and memory for their affinities to all of them, in blocks of 32 MB.

    A new row with d(x) < 1 has less near it than any row of ``fit``, whose affinity to itself alone
    is 1. As d(x) goes to 0 the formula moves every row to the same point, whatever it is nearest
    to; so such a row gets the features of the nearest row of ``fit`` instead. Values beyond the
    range of ``fit`` need no other treatment. A column that was constant in ``fit`` counts for
    nothing in new rows, either.

    References
    ----------
    .. [1] Y. Bengio et al., "Out-of-Sample Extensions for LLE, Isomap, MDS, Eigenmaps, and Spectral
       Clustering", NeurIPS 2003.

    Examples
    --------
    >>> from mvcc import SpectralFeatures
    >>> rows = [[0.0], [1.0], [2.0], [8.0], [9.0]]
    >>> spectral = SpectralFeatures(1, sigma=0.3).fit(rows)
    >>> spectral.transform([[0.5], [8.5]]).round(1).tolist()
    [[-0.9], [1.2]]
    """

    def __init__(self, n_components: int = 2, *, sigma: float = 1.0) -> None:
        self.n_components = n_components
        self.sigma = sigma

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Find the eigenvectors.

        Parameters
        ----------
        X : array-like of shape (n, d_V)
            Raw features of one view.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            As :func:`spectral_features`.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: ArrayLike, y: object = None) -> Floats:
        """Find the eigenvectors and return the features of X, as :func:`spectral_features` does.

        Parameters
        ----------
        X : array-like of shape (n, d_V)
            Raw features of one view.
        y : ignored

        Returns
        -------
        ndarray of shape (n, n_components)
            The standardized eigenvectors.

        Raises
        ------
        InvalidInputError
            As :func:`spectral_features`.
        """
        learner = copy(self)  # so that a refused fit leaves the former one as it is
        data = checked_by(partial(validate_data, learner, ensure_min_samples=2), X, "X")
        learner._low, learner._span = data.min(axis=0), np.ptp(data, axis=0)
        scaled = _scaled(data, learner._low, learner._span)
        learner._spectrum = _spectrum_of(scaled, self.n_components, self.sigma)
        learner.eigenvalues_ = learner._spectrum.eigenvalues
        learner._n_features_out = len(learner.eigenvalues_)
        self.__dict__ = learner.__dict__
        return self._spectrum.features.copy()

    def transform(self, X: ArrayLike) -> Floats:
        """Return the features of new rows; each gets the same bits alone and among others.

        Parameters
        ----------
        X : array-like of shape (m, d_V)
            Rows with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (m, n_components)
            Their places among the rows of ``fit``.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            For NaN or infinity, other columns, values so far away that their distances are no
            floats, or features whose eigenvalue is below 1e-12: these ``fit`` can only tell up to
            rounding, and the formula divides by it.
        """
        check_is_fitted(self)
        data = checked_by(partial(validate_data, self, reset=False), X, "X")
        return self._spectrum.extended_to(_scaled(data, self._low, self._span))


@dataclass(frozen=True, eq=False)
class _Spectrum:
    """The spectral features of n rows, standardized, and what places new rows among them."""

    sigma: float
    units: Floats  # (n, d_V): the rows, in units of sigma
    features: Floats  # (n, d): the eigenvectors, standardized
    eigenvalues: Floats  # (d,): of the normalized affinity
    loadings: Floats  # (n, d): v_ik / √d_i: the eigenvectors over the roots of the degrees
    mean: Floats
    deviation: Floats

    def extended_to(self, data: Floats) -> Floats:
        """Return the features of new rows by the formula of Nyström."""
        usable = int((self.eigenvalues > SMALLEST_EIGENVALUE).sum())
        if usable < len(self.eigenvalues):
            fewer = f", or n_components of at most {usable}" if usable else ""
            raise InvalidInputError(
                f"Spectral feature {usable + 1} of {len(self.eigenvalues)} has the eigenvalue"
                f" {self.eigenvalues[usable]:.1g}, too near to 0 to place new rows by; fit with a"
                f" smaller sigma{fewer}."
            )
        features = np.empty((len(data), usable))
        with one_thread():
            for block in blocks_by_width(len(data), len(self.units)):
                features[block] = self._block(data[block], block.start)
        return features

    def _block(self, data: Floats, start: int) -> Floats:
        with np.errstate(over="ignore"):
            squares = cdist(data / self.sigma, self.units, "sqeuclidean")
        nearest = squares.argmin(axis=1)
        lost = np.flatnonzero(np.isinf(squares[np.arange(len(data)), nearest]))
        if len(lost):
            raise InvalidInputError(
                f"Row {start + lost[0]} of X is so far from the rows of fit that its distances"
                " leave the range of floats; check its values, or leave it out."
            )
        affinity = np.exp(np.multiply(squares, -0.5, out=squares), out=squares)
        degrees = affinity.sum(axis=1)
        # row by row: a product of all of them sums in an order that depends on their number
        vectors = (affinity[:, None, :] @ self.loadings)[:, 0]
        vectors /= np.sqrt(np.maximum(degrees, 1))[:, None]
        features: Floats = (vectors / self.eigenvalues - self.mean) / self.deviation
        far = degrees < 1
        features[far] = self.features[nearest[far]]
        return features


def _scaled(data: Floats, low: Floats, span: Floats) -> Floats:
    with np.errstate(over="ignore"):  # of new rows, where a column hardly varied
        return quotient(data - low, span)


def _spectrum_of(data: Floats, n_components: int, sigma: float) -> _Spectrum:
    n = len(data)
    n_kept = check_count(n_components, "n_components")
    check_number(sigma, "sigma", zero_included=False)
    if n_kept >= n:
        raise InvalidInputError(
            f"n_components={n_kept} needs more than {n_kept} rows, but X has {n}."
        )
    if n > MAX_ROWS:
        raise InvalidInputError(
            f"X has {n} rows, and spectral features need an affinity for every pair of rows; beyond"
            f" {MAX_ROWS} reduce the dimension by sklearn.decomposition.PCA,"
            " sklearn.kernel_approximation.Nystroem or sklearn.manifold.SpectralEmbedding on a"
            " nearest-neighbor graph instead."
        )
    with np.errstate(over="ignore"):
        units = data / sigma
    affinity = np.eye(n)  # of rows that are infinitely many units apart
    if np.isfinite(units).all():
        affinity = np.exp(-0.5 * cdist(units, units, "sqeuclidean"))
    if affinity.min() == 1 or affinity.sum() == n:
        reason = "no row differs from another" if affinity.min() == 1 else "no row is near another"
        raise InvalidInputError(
            f"At sigma={sigma:g} {reason}, so that there are no spectral features; choose a width"
            " nearer to the distances between rows."
        )
    scale = 1 / np.sqrt(affinity.sum(axis=1))
    affinity *= scale[:, None]
    affinity *= scale
    with one_thread():
        values, vectors = _lowest_of_laplacian(affinity, n_kept + 1)
    if len(values) <= n_kept:
        raise InvalidInputError(
            f"At sigma={sigma:g} hardly any row is near another, so that the spectral features"
            " cannot be told apart; choose a width nearer to the distances between rows, or leave"
            " out columns that say little."
        )
    eigenvalues, vectors = values[1:], vectors[:, 1:]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(n_kept)])
    loadings = np.ascontiguousarray(vectors * scale[:, None])
    mean = vectors.mean(axis=0)
    vectors -= mean
    deviation = vectors.std(axis=0)
    features = np.ascontiguousarray(vectors / deviation)
    return _Spectrum(sigma, units, features, eigenvalues, loadings, mean, deviation)


def _lowest_of_laplacian(matrix: Floats, n_vectors: int) -> tuple[Floats, Floats]:
    """Return eigenvalues and -vectors of I − L, largest first: the lowest of the Laplacian L."""
    # they are fewer where they lie too close together to be found, as those of the identity
    n = len(matrix)
    if n <= _DENSE_ROWS or n_vectors > n // 10:
        values, vectors = scipy.linalg.eigh(matrix, subset_by_index=(n - n_vectors, n - 1))
    else:
        start = np.ones(n) / np.sqrt(n)
        try:
            values, vectors = scipy.sparse.linalg.eigsh(matrix, n_vectors, v0=start)
        except scipy.sparse.linalg.ArpackNoConvergence as error:
            values, vectors = error.eigenvalues, error.eigenvectors
    return np.asarray(values)[::-1], np.asarray(vectors)[:, ::-1]
