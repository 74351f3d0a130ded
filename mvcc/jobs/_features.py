"""How the columns of a view become the space that is clustered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from mvcc._utils.messages import counted
from mvcc.embedding import MAX_ROWS, AutoScaler, SpectralFeatures
from mvcc.exceptions import DataError
from mvcc.jobs._config import Job
from mvcc.jobs._tables import Table

MOST_COMPONENTS = 10  # of principal components, where no number is given
_RULES = {  # of AutoScaler
    "unit length": "rows of length 1, as they are",
    "one unit": "in one unit, as they are",
    "each to [0, 1]": "each scaled to [0, 1]",
}


@dataclass(frozen=True, eq=False)
class Features:
    """One view in the space that is clustered.

    Attributes
    ----------
    X : (n, m) array
    words : str
        How it was made.
    transformer : scikit-learn transformer
        Makes the same of new rows.
    plane : (n, 2) array
        What is drawn of it.
    axes : list of str
        What to write at the two axes.
    """

    X: NDArray[np.float64]
    words: str
    transformer: Any
    plane: NDArray[np.float64]
    axes: list[str]


def make_features(table: Table, job: Job) -> Features:
    """Make the features of one view as the job asks for.

    Raises
    ------
    DataError
        For more components than there can be, or more rows than spectral features allow.
    """
    view = job.views[table.name]
    method = view.features or job.features
    asked = view.n_components or job.n_components
    n, d = table.X.shape
    most = n - 1 if method == "spectral" else min(n, d)
    if method in ("spectral", "pca") and asked is not None and asked > most:
        raise DataError(f"{table.path}: {n} rows of {d} columns have at most {most} components, not {asked}.")
    if method == "spectral":
        if n > MAX_ROWS:
            raise DataError(
                f"{table.path}: spectral features of {n} rows need the affinities of all pairs of them; up to "
                f"{MAX_ROWS} rows are allowed. Use --features {table.name}=pca."
            )
        m = asked or min(job.k, most)
        spectral = SpectralFeatures(m)
        X = spectral.fit_transform(table.X)
        return Features(X, f"spectral, {m} components of {d} columns", spectral, *_first_two(X, "spectral component"))
    if method == "auto":
        scaler = AutoScaler()
        X = scaler.fit_transform(table.X)
        return Features(X, f"{counted(d, 'column')}, {_RULES[scaler.rule_]}", scaler, *plane_of(X))
    # the others need none of these
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    if method == "pca":
        pca = make_pipeline(StandardScaler(), PCA(asked or min(MOST_COMPONENTS, most), svd_solver="full"))
        X = np.ascontiguousarray(pca.fit_transform(table.X))
        shares = pca[-1].explained_variance_ratio_
        words = f"standardized, {X.shape[1]} principal components of {d} columns ({shares.sum():.0%} of the variance)"
        return Features(X, words, pca, *_first_two(X, "principal component", shares))
    words = f"{counted(d, 'column')}, as they are"
    return Features(table.X, words, FunctionTransformer().fit(table.X), *plane_of(table.X))


def plane_of(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[str]]:
    """Return rows in the plane of their two principal components, and what to write at its axes."""
    centered = X - X.mean(axis=0)
    variances, directions = scipy.linalg.eigh(centered.T @ centered)
    largest = directions[:, ::-1][:, :2]
    largest = largest * np.sign(largest[np.abs(largest).argmax(axis=0), np.arange(largest.shape[1])])
    shares = np.maximum(variances[::-1], 0) / max(float(variances.sum()), np.finfo(float).tiny)
    return _first_two(centered @ largest, "principal component", shares)


def _first_two(
    X: NDArray[np.float64], name: str, shares: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], list[str]]:
    """Return the first two columns, and what to write at their axes; zeros where there is no second."""
    plane, axes = np.zeros((len(X), 2)), ["", ""]
    for number in range(min(2, X.shape[1])):
        plane[:, number] = X[:, number]
        share = "" if shares is None else f" ({shares[number]:.0%} of the variance)"
        axes[number] = f"{('1st', '2nd')[number]} {name}{share}"
    return plane, axes


def rounded(values: NDArray[np.float64]) -> list[float]:
    """Six digits are more than a drawing shows."""
    return [float(f"{value:.6g}") for value in values.tolist()]
