"""Leading components of a graph of objects, and of landmarks that they share; objects as rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.cluster import KMeans

from mvcc._utils.arrays import Floats, Ints, LazyRows, blocks_of
from mvcc._utils.contexts import quiet_k_means
from mvcc._utils.progress import teller
from mvcc.exceptions import InvalidInputError

EIGENVALUE_POWER = 2  # τ, how much leading components count
EIGENGAP = 0.5  # of all steps between eigenvalues together
_DENSE_OBJECTS = 600
_MOST_DENSE_OBJECTS = 5_000  # where so many components are asked for that sparse methods are slow
_TOLERANCE = 1e-4  # of eigenvalues, relative to them
_DIGITS = 6  # of eigenvalues that are told apart

Graph: TypeAlias = sp.csr_array | Floats


class Eigenpairs(NamedTuple):
    """Leading eigenvalues μ of a symmetric matrix S, and their eigenvectors."""

    values: Floats  # (r,)
    vectors: Floats | LazyRows  # (n, r)
    residual: float  # the largest length of S v − μ v; where objects are tied to anchors, of these


def leading_eigenvectors(
    n_vectors: int, graph: Graph, factor: sp.csr_array | None = None
) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues, descending, and eigenvectors of the graph, plus F Fᵀ."""
    # The entry of largest magnitude is positive. Each piece of a graph has an eigenvalue 1, of
    # which Arnoldi's method finds only some: larger graphs are taken piece by piece.
    n = graph.shape[0]
    n_vectors = min(n_vectors, n)
    teller(n)(f"{n_vectors} eigenvectors of the graph")
    pieces: list[Ints] = []
    if not _better_dense(n_vectors, n) and not (
        isinstance(graph, np.ndarray) and _is_connected(graph)
    ):
        pieces = _pieces_of(graph, factor)
    if len(pieces) < 2:
        values, vectors = _eigenpairs(n_vectors, graph, factor)
        order = np.argsort(-values, kind="stable")
        values, vectors = values[order].astype(np.float64), vectors[:, order]
    else:
        values, vectors = _of_pieces(n_vectors, pieces, graph, factor)
    largest = np.array([column[np.abs(column).argmax()] for column in vectors.T])
    return values, vectors * np.sign(largest)


def residual(
    values: Floats, vectors: Floats, graph: Graph, factor: sp.csr_array | None = None
) -> float:
    """Return the largest length of S v − μ v, S the graph, plus F Fᵀ where a factor is given."""
    times = _multiplied_by(graph, factor)
    return max(
        float(np.linalg.norm(times(v) - value * v))
        for value, v in zip(values, vectors.T, strict=True)
    )


def _is_connected(graph: Floats) -> bool:
    """Tell whether a dense graph is one piece, in a fraction of its own memory."""
    reached, n_reached = graph[0] != 0, 0
    while reached.sum() > n_reached:
        n_reached = reached.sum()
        reached = reached | (graph[reached] != 0).any(axis=0)
    return bool(reached.all())


def _pieces_of(graph: Graph, factor: sp.csr_array | None) -> list[Ints]:
    """Return the objects of each connected component, the largest first."""
    n_pieces, piece = connected_components(graph, directed=False)
    if n_pieces > 1 and factor is not None:  # landmarks that pieces share connect them
        near = factor.tocoo()
        near.eliminate_zeros()
        n_nodes = n_pieces + factor.shape[1]
        links = sp.coo_array(
            (np.ones(near.nnz), (piece[near.row], n_pieces + near.col)), shape=(n_nodes, n_nodes)
        )
        piece = connected_components(links.tocsr(), directed=False)[1][piece]
    members = np.split(np.argsort(piece, kind="stable"), np.cumsum(np.bincount(piece))[:-1])
    return sorted((objects for objects in members if len(objects)), key=len, reverse=True)


def _of_pieces(
    n_vectors: int, pieces: list[Ints], graph: Graph, factor: sp.csr_array | None
) -> tuple[Floats, Floats]:
    """Return the leading eigenpairs of the largest pieces; each has 1, the largest eigenvalue."""
    pairs = []
    for objects in pieces[:n_vectors]:
        part = None if factor is None else factor[objects]
        pairs.append(_eigenpairs(min(n_vectors, len(objects)), graph[objects][:, objects], part))
    values = np.concatenate([values for values, _ in pairs]).astype(np.float64)
    of_piece = np.repeat(np.arange(len(pairs)), [len(values) for values, _ in pairs])
    column = np.concatenate([np.arange(len(values)) for values, _ in pairs])
    leading = np.lexsort((of_piece, -values.round(_DIGITS)))[:n_vectors]
    vectors = np.zeros((graph.shape[0], len(leading)))
    for position, index in enumerate(leading):
        vectors[pieces[of_piece[index]], position] = pairs[of_piece[index]][1][:, column[index]]
    return values[leading], vectors


def _better_dense(n_vectors: int, n: int) -> bool:
    return n <= _DENSE_OBJECTS or (n_vectors > n // 5 and n <= _MOST_DENSE_OBJECTS)


def _eigenpairs(n_vectors: int, graph: Graph, factor: sp.csr_array | None) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues, in no order, and eigenvectors."""
    n = graph.shape[0]
    times = _multiplied_by(graph, factor)
    if _better_dense(n_vectors, n):
        is_full = isinstance(graph, np.ndarray) and factor is None
        full = graph if is_full else times(np.eye(n, dtype=graph.dtype))
        return scipy.linalg.eigh((full + full.T) / 2, subset_by_index=(n - n_vectors, n - 1))
    start = np.random.default_rng(0).standard_normal(n).astype(graph.dtype)
    operator = LinearOperator((n, n), matvec=times, matmat=times, dtype=graph.dtype)
    n_held = min(max(2 * n_vectors + 1, 20), n)
    try:  # the largest, not those of the largest magnitude
        pairs = eigsh(operator, n_vectors, which="LA", v0=start, ncv=n_held, tol=_TOLERANCE)
    except ArpackNoConvergence as error:
        raise InvalidInputError(
            f"The {n_vectors} leading eigenvectors of the graph of {n} objects cannot be found; ask"
            " for fewer components, or leave out rows that are far from all others."
        ) from error
    return pairs


def _multiplied_by(
    graph: Graph, factor: sp.csr_array | None = None
) -> Callable[[NDArray[Any]], NDArray[Any]]:
    if factor is None:
        return lambda x: graph @ x
    transposed = factor.T  # a view; by rows it would be as large as the factor, and no faster
    return lambda x: graph @ x + factor @ (transposed @ x)


def embedded(eigenvalues: Floats, eigenvectors: Floats, n_components: int) -> Floats:
    """Return objects as unit rows of the leading eigenvectors, each times μ^τ."""
    return np.ascontiguousarray(unit_rows(weighted(eigenvalues, eigenvectors, n_components)))


def weighted(eigenvalues: Floats, eigenvectors: Floats, n_components: int) -> Floats:
    """Return the leading eigenvectors, each times μ^τ."""
    powers = np.maximum(eigenvalues[:n_components], 0) ** EIGENVALUE_POWER
    return eigenvectors[:, :n_components] * powers.astype(eigenvectors.dtype, copy=False)


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
    estimator = KMeans(min(k, len(rows)), n_init=10, random_state=0)
    with quiet_k_means():
        estimator.fit(rows, sample_weight=masses)
    centers[: len(estimator.cluster_centers_)] = estimator.cluster_centers_
    return estimator.labels_.astype(np.int64), centers


def unit_rows(rows: Floats) -> Floats:
    """Scale rows to length 1; rows of zeros stay."""
    scaled = np.zeros_like(rows)
    for block in blocks_of(len(rows)):  # norms of all rows would need two copies of them
        lengths = np.linalg.norm(rows[block], axis=1, keepdims=True)
        np.divide(rows[block], lengths, out=scaled[block], where=lengths > 1e-100)
    return scaled
