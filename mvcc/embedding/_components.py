"""Objects as rows of the leading components of a graph."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from mvcc._utils.arrays import Floats, Ints, LazyRows, blocks_of

EIGENVALUE_POWER = 2  # τ, how much leading components count
EIGENGAP = 0.5  # of all steps between eigenvalues together


class Eigenpairs(NamedTuple):
    """Leading eigenvalues μ of a symmetric matrix S, and their eigenvectors."""

    values: Floats  # (r,)
    vectors: Floats | LazyRows  # (n, r)
    residual: float  # the largest length of S v − μ v; where objects are tied to anchors, of these
    # (p, r): of anchors: the vector of an object is its ties times these, over the root of its
    # degree
    loadings: Floats | None = None


def embedded(eigenvalues: Floats, eigenvectors: Floats, number: int) -> Floats:
    """Return objects as unit rows of the leading eigenvectors, each times μ^τ."""
    return np.ascontiguousarray(unit_rows(weighted(eigenvalues, eigenvectors, number)))


def weighted(eigenvalues: Floats, eigenvectors: Floats, number: int) -> Floats:
    """Return the leading eigenvectors, each times μ^τ."""
    powers = np.maximum(eigenvalues[:number], 0) ** EIGENVALUE_POWER
    return eigenvectors[:, :number] * powers.astype(eigenvectors.dtype, copy=False)


def clear_components(eigenvalues: Floats, fewest: int, most: int) -> int:
    """Return how many components tell clear groups apart: those before the eigengap [1]_.

    That is a step down to the next eigenvalue that is larger than all other steps together, from
    the last of the fewest components to the first after the most. Components after it would halve
    the largest groups. Without one all components count, as groups are not clear.

    References
    ----------
    .. [1] U. von Luxburg, "A Tutorial on Spectral Clustering", Statistics and Computing 17, 2007.
    """
    steps = -np.diff(np.maximum(eigenvalues[fewest - 1 : most + 1], 0))
    if len(steps) > 0 and steps.max() > EIGENGAP * steps.sum():
        return fewest + int(steps.argmax())
    return most


def n_clear(eigenvalues: Floats, k: int) -> int:
    """Return how many of these components tell k groups apart, k at least."""
    return clear_components(eigenvalues, k, max(len(eigenvalues) - 1, k))


def k_means(rows: Floats, k: int, masses: Floats | None = None) -> tuple[Ints, Floats]:
    """Return the cluster of every row, and the centers, (k, r); zeros if rows are too few."""
    centers = np.zeros((k, rows.shape[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of fewer distinct rows
        found = KMeans(min(k, len(rows)), n_init=10, random_state=0)
        found.fit(rows, sample_weight=masses)
    centers[: len(found.cluster_centers_)] = found.cluster_centers_
    return found.labels_.astype(np.int64), centers


def unit_rows(rows: Floats) -> Floats:
    """Scale rows to length 1; rows of zeros stay."""
    scaled = np.zeros_like(rows)
    for block in blocks_of(len(rows)):  # norms of all rows would need two copies of them
        lengths = np.linalg.norm(rows[block], axis=1, keepdims=True)
        np.divide(rows[block], lengths, out=scaled[block], where=lengths > 1e-100)
    return scaled
