"""How the columns of a view become the space that is clustered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mvcc.analysis._config import Job
from mvcc.analysis._tables import Table
from mvcc.embedding import MAX_ROWS, SpectralFeatures
from mvcc.exceptions import DataError

MOST_COMPONENTS = 10  # of principal components, where no number is given


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
    if method != "none" and asked is not None and asked > most:
        raise DataError(f"{table.path}: {n} rows of {d} columns have at most {most} components, not {asked}.")
    if method == "spectral":
        if n > MAX_ROWS:
            raise DataError(
                f"{table.path}: spectral features of {n} rows need the affinities of all pairs of them; up to "
                f"{MAX_ROWS} rows are allowed. Use --features {table.name}=pca."
            )
        m = asked or min(job.n_clusters, most)
        spectral = SpectralFeatures(m)
        X = spectral.fit_transform(table.X)
        return Features(X, f"spectral, {m} components of {d} columns", spectral, *_first_two(X, "spectral component"))
    # spectral features need none of these
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    if method == "pca":
        pca = make_pipeline(StandardScaler(), PCA(asked or min(MOST_COMPONENTS, most), svd_solver="full"))
        X = np.ascontiguousarray(pca.fit_transform(table.X))
        shares = pca[-1].explained_variance_ratio_
        words = f"standardized, {X.shape[1]} principal components of {d} columns ({shares.sum():.0%} of the variance)"
        return Features(X, words, pca, *_first_two(X, "principal component", shares))
    pca = PCA(min(2, most), svd_solver="full").fit(table.X)
    drawn = _first_two(pca.transform(table.X), "principal component", pca.explained_variance_ratio_)
    return Features(table.X, f"{d} columns as they are", FunctionTransformer().fit(table.X), *drawn)


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
