"""The E-step (Eq. 4–11, 15–18): propagate constraints to the points near their ends.

The shapes of the clusters, as Gaussians, tell what is near (Eq. 4–8, §5.1).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from mvcc._utils.arrays import Floats, Ints, places_among
from mvcc._utils.kernels import build_links, for_blocks, inverse_cholesky, may_share
from mvcc._utils.validation import (
    LARGEST_SQUARE,
    as_array,
    check_data,
    check_labels,
    check_matrices,
    check_metrics,
    check_number,
    check_order,
)
from mvcc.constraints import Constraints, check_rows, pairs_of_spans
from mvcc.exceptions import InvalidInputError
from mvcc.propagation._kernels import cluster_moments, endpoint_reach, max_product, memberships

Sparse = tuple[Ints, Ints, Floats]  # start of each row, columns, values

_ENDPOINTS_AT_ONCE = 64  # what a tree finds comes as Python lists, which are large
_SHARES = 32  # of the rows of a product among threads

# A distance at which the weight still rounds up to the threshold must not be cut off.
_SLACK = 1e-12


def propagate_constraints(
    X: ArrayLike,
    labels: ArrayLike,
    constraints: Constraints,
    threshold: float,
    *,
    candidates: ArrayLike | None = None,
    metrics: ArrayLike | None = None,
    regularization: float = 1e-6,
) -> Constraints:
    """Propagate constraints to pairs of candidates near their ends (step 11 of Algorithm 2).

    Parameters
    ----------
    X : array-like of shape (n, d)
        Instances of one view.
    labels : array-like of shape (n,)
        Current cluster of every row; means and covariances of the clusters come from it.
    constraints : Constraints
        The given constraints, in rows of X.
    threshold : float
        t_V in (0, 1]: lightest weight that a propagated constraint may have.
    candidates : array-like of int, default=None
        Rows that constraints may propagate to (X̂); all rows when left out.
    metrics : array-like of shape (k, d) or (k, d, d), default=None
        ``MPCKMeans.metrics_``: the covariances are then the rescaled inverses of the metrics (Eq.
        5–6), else the empirical ones.
    regularization : float, default=1e-6
        γ of Eq. 4, in squared units of X.

    Returns
    -------
    Constraints
        All pairs with W = w · max(G·G) >= threshold (Eq. 10), the largest weight per pair and type.
        A constraint between candidates propagates to itself with its own weight; one lighter than
        the threshold goes nowhere.

    Raises
    ------
    InvalidInputError
        For arguments that do not fit together, or a covariance that is singular, since the
        regularization is too small for the scale of X.

    See Also
    --------
    ConstraintPropagation : The transfer method that uses it.
    propagation.diagnose : Whether the result can be trusted.

    Examples
    --------
    >>> from mvcc import Constraints, propagate_constraints
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> pairs = Constraints.from_pairs(cannot_link=[(2, 3)])
    >>> found = propagate_constraints(X, [0, 0, 0, 1, 1, 1], pairs, threshold=0.1)
    >>> found.pairs.tolist()
    [[1, 3], [2, 3], [2, 4]]
    """
    data = check_data(X)
    clusters = check_labels(labels, len(data), "labels")
    check_order(X, labels, "X and labels")
    t = check_number(threshold, "threshold", high=1, zero_included=False)
    gamma = check_number(regularization, "regularization", high=LARGEST_SQUARE)
    targets = _check_candidates(candidates, len(data))
    learned = check_metrics(metrics, data.shape[1], int(clusters.max()))
    check_rows(constraints, len(data))
    heavy = constraints.weights >= t
    if not heavy.any():
        return Constraints.empty()
    must_link, weights = constraints.must_link[heavy], constraints.weights[heavy]
    gaussians = fit_gaussians(data, clusters, learned, gamma)
    ends, reached = reach(data, targets, clusters, gaussians, constraints.pairs[heavy], weights, t)
    reached_by = _transposed(reached, len(targets))
    pairs, found_weights = [], []
    for kind in (must_link, ~must_link):
        # cannot-links, too, have a weight above 0 in the product
        of_kind = build_links(len(reached[0]) - 1, ends[kind], kind[kind], weights[kind])
        one_end = _product(of_kind, reached, len(targets), t, upper=False)
        start, columns, values = _product(reached_by, one_end, len(targets), t, upper=True)
        rows = np.repeat(targets, np.diff(start))
        pairs.append(np.column_stack((rows, targets[columns])))
        found_weights.append(values)
    kinds = np.repeat([True, False], [len(propagated) for propagated in pairs])
    return Constraints.from_repeated(np.concatenate(pairs), kinds, np.concatenate(found_weights))


def reach(
    X: Floats,
    targets: Ints,
    labels: Ints,
    gaussians: Gaussians,
    pairs: Ints,
    weights: Floats,
    threshold: float,
) -> tuple[Ints, Sparse]:
    """Return pairs of constraints as numbers of endpoints, and G of Eq. 15 with a row for each."""
    # Only candidates in a ball around an endpoint are looked at, which holds the ellipsoid of Eq.
    # 18: its radius is that of the longest axis, plus rounding. The exact distance decides.
    heaviest = np.full(len(X), -1.0)
    np.maximum.at(heaviest, pairs, weights[:, None])
    endpoints = np.flatnonzero(heaviest >= 0)
    # beyond this squared distance constraints fall below the threshold (Eq. 17)
    cut = 2 * (np.log(heaviest[endpoints]) - np.log(threshold)) + _SLACK
    # a tree that is quick to build: it is asked once
    points = X if len(targets) == len(X) else X[targets]
    tree = cKDTree(points, leafsize=64, balanced_tree=False, compact_nodes=False)
    G = gaussians.memberships(X, endpoints, labels)
    longest = np.linalg.eigvalsh(gaussians.covariances)[:, -1]
    radii = np.sqrt(cut * G * longest[labels[endpoints]]) * (1 + 1e-6)

    def of_block(block: slice) -> Sparse:
        ends = endpoints[block]
        balls = tree.query_ball_point(X[ends], radii[block], return_sorted=True)
        start = np.cumsum([0, *map(len, balls)])
        near = np.fromiter(chain.from_iterable(balls), np.int64, start[-1])
        W = gaussians.whiteners
        return endpoint_reach(X, targets, ends, labels, W, G[block], cut[block], start, near)

    shared = may_share(len(targets))
    blocks = for_blocks(of_block, len(endpoints), _ENDPOINTS_AT_ONCE, shared=shared)
    return places_among(endpoints, len(X))[pairs], _stacked(blocks)


def _transposed(matrix: Sparse, n_columns: int) -> Sparse:
    """Return a sparse matrix by its columns instead of its rows."""
    start, columns, values = matrix
    rows = np.repeat(np.arange(len(start) - 1), np.diff(start))
    order = np.argsort(columns, kind="stable")
    ends = np.cumsum(np.bincount(columns, minlength=n_columns))
    return np.append(0, ends), rows[order], values[order]


def _product(
    left: Sparse, right: Sparse, n_columns: int, threshold: float, *, upper: bool
) -> Sparse:
    """Multiply in the (max, ×) semiring, if ≥ threshold; with ``upper`` right of the diagonal."""
    n_rows, shared = len(left[0]) - 1, may_share(n_columns)

    def of_rows(block: slice) -> Sparse:
        rows = left[0][block.start : block.stop + 1], *left[1:]
        return max_product(rows, right, n_columns, threshold, upper, block.start)

    at_once = n_rows // _SHARES + 1 if shared else n_rows
    return _stacked(for_blocks(of_rows, n_rows, at_once, shared=shared))


def _stacked(parts: list[Sparse]) -> Sparse:
    """Return sparse matrices of the same columns one above the other."""
    if len(parts) == 1:
        return parts[0]
    starts, columns, values = zip(*parts, strict=True)
    counts = np.concatenate([*map(np.diff, starts)])
    return np.append(0, np.cumsum(counts)), np.concatenate(columns), np.concatenate(values)


def _check_candidates(candidates: ArrayLike | None, n: int) -> Ints:
    if candidates is None:
        return np.arange(n)
    rows = as_array(candidates, "candidates")
    is_list = rows.ndim == 1 and rows.dtype.kind in "iu"
    if rows.size and not (is_list and rows.min() >= 0 and rows.max() < n):
        raise InvalidInputError(f"candidates must be row numbers of X, integers in 0 … {n - 1}.")
    return np.unique(rows).astype(np.int64)


_AT_ONCE = 2**22  # products that are looked at together
_ORDER_SLACK = 1e-9  # of a product whose factors come in another order


def origins(
    X: Floats,
    labels: Ints,
    constraints: Constraints,
    propagated: Constraints,
    *,
    metrics: Floats | None = None,
    regularization: float = 1e-6,
) -> tuple[Ints, Ints]:
    """Return for each propagated constraint the one that gave it its weight (Eq. 10).

    They are the first of equals, by position in ``constraints``, and its ends (p, 2), that near the
    first row of the propagated one first. ``propagated`` is what ``propagate_constraints`` made of
    the other arguments.
    """
    pairs, must_link, weights = constraints.pairs, constraints.must_link, constraints.weights
    if not len(propagated):
        return np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    threshold = float(propagated.weights.min()) * (1 - _ORDER_SLACK)
    positions = np.flatnonzero(weights >= threshold)
    targets = np.unique(propagated.pairs)
    gaussians = fit_gaussians(X, labels, metrics, regularization)
    ends, reached = reach(
        X, targets, labels, gaussians, pairs[positions], weights[positions], threshold
    )
    sources, crossed = np.full(len(propagated), -1), np.zeros(len(propagated), dtype=np.int64)
    for kind in (True, False):
        given = must_link[positions] == kind
        inferred = propagated.must_link == kind
        keys, best = _strongest(reached, targets, ends[given], weights[positions[given]], threshold)
        wanted = (propagated.pairs[inferred, 0] << 32) | propagated.pairs[inferred, 1]
        if inferred.any():
            which, crossed[inferred] = np.divmod(best[np.searchsorted(keys, wanted)], 2)
            sources[inferred] = positions[given][which]
    rows = pairs[sources]
    rows[crossed == 1] = rows[crossed == 1, ::-1]
    return sources, rows


def _strongest(
    reached: Sparse, targets: Ints, ends: Ints, weights: Floats, threshold: float
) -> tuple[Ints, Ints]:
    """Return the sorted keys of all pairs that constraints of one type reach, and the strongest."""
    # it is twice its number, and one more where its second end is near the smaller row
    start, columns, values = reached
    size = np.diff(start)
    counts = size[ends[:, 0]] * size[ends[:, 1]]
    keys, products, strongest = np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64)
    for block in np.split(
        np.arange(len(ends)), np.flatnonzero(np.diff(np.cumsum(counts) // _AT_ONCE)) + 1
    ):
        which, first, second = pairs_of_spans(start, size, ends[block])
        which = block[which]
        product = weights[which] * (values[first] * values[second])
        i, j = targets[columns[first]], targets[columns[second]]
        kept = (product >= threshold) & (i != j)
        new_keys = (np.minimum(i, j) << 32) | np.maximum(i, j)
        keys = np.concatenate((keys, new_keys[kept]))
        products = np.concatenate((products, product[kept]))
        strongest = np.concatenate((strongest, (2 * which + (i > j))[kept]))
        order = np.lexsort((strongest, -products, keys))
        order = order[np.diff(keys[order], prepend=-1) > 0]
        keys, products, strongest = keys[order], products[order], strongest[order]
    return keys, strongest


@dataclass(frozen=True)
class Gaussians:
    """Means, covariances and whitening matrices of the clusters of one view."""

    sizes: Ints  # (k,): members of each cluster
    means: Floats  # (k, d)
    covariances: Floats  # (k, d, d): Σ_h
    # (k, d, d): lower triangular W_h with Σ_h^-1 = W_hᵀ W_h; zero for an empty cluster
    whiteners: Floats

    def memberships(self, X: Floats, rows: Ints, labels: Ints) -> Floats:
        """Return G_c(x) of Eq. 7 for some rows of X, c being the cluster that each belongs to."""
        return memberships(X, rows, labels, self.means, self.whiteners)


def fit_gaussians(
    X: Floats, labels: Ints, metrics: Floats | None, regularization: float
) -> Gaussians:
    # A singular covariance of a cluster with members is an error. With learned metrics M_h, (k, d)
    # or (k, d, d), Σ_h = α_h M_h^-1 with α_h of Eq. 6; else the empirical one (Eq. 4), and k is the
    # largest label + 1. ``regularization`` is γ of Eq. 4, in squared units of X.
    d = X.shape[1]
    n_clusters = int(labels.max()) + 1 if metrics is None else len(metrics)
    check_matrices(n_clusters, d)
    sizes, means, covariances = cluster_moments(X, labels, n_clusters)
    covariances += regularization * np.eye(d)
    if metrics is not None:
        covariances = _rescaled_inverses(metrics, covariances)
    whiteners = np.zeros_like(covariances)
    for h in np.flatnonzero(sizes):
        definite, whiteners[h] = inverse_cholesky(covariances[h], np.zeros(d))
        if not definite:
            raise InvalidInputError(
                f"The covariance of cluster {h} with its {sizes[h]} members is singular in {d} "
                f"dimensions; regularization={regularization:g} must be larger, or the data scaled."
            )
    return Gaussians(sizes, means, covariances, whiteners)


def _rescaled_inverses(metrics: Floats, empirical: Floats) -> Floats:
    """Return α_h M_h^-1, which has the empirical variance in its first component (Eq. 5–6)."""
    with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
        inverses = np.zeros_like(empirical)
        if metrics.ndim == 2:
            diagonal = np.arange(metrics.shape[1])
            inverses[:, diagonal, diagonal] = 1 / metrics
            largest = (1 / metrics).max(axis=1)
        else:
            inverses[:] = np.linalg.inv(metrics)
            inverses = (inverses + inverses.transpose(0, 2, 1)) / 2
            largest = np.linalg.eigvalsh(inverses)[:, -1]
        alpha = np.linalg.eigvalsh(empirical)[:, -1] / largest
        scaled: Floats = alpha[:, None, None] * inverses
        if np.isfinite(scaled).all():
            return scaled
    raise InvalidInputError(
        "The metrics of the clusters have no inverse within the range of floats; they must be "
        "positive definite, and neither too large nor too small."
    )
