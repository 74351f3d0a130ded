"""Which constraint each propagated one comes from: the place of the largest product in Eq. 10."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mvcc._utils.kernels.threads import may_share
from mvcc.constraints import Constraints
from mvcc.propagation._e_step import Sparse, cut_of, reach
from mvcc.propagation._gaussians import fit_gaussians

_AT_ONCE = 2**22  # products that are looked at together
_SLACK = 1e-9  # of a product whose factors come in another order

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


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

    Parameters
    ----------
    X, labels, constraints, metrics, regularization
        What ``propagate_constraints`` was called with.
    propagated : Constraints
        What it returned, (p,).

    Returns
    -------
    positions : (p,) array
        Positions in ``constraints``; the first of equals.
    rows : (p, 2) array
        The ends of these constraints: that near the first row of the propagated one, and that near the second.
    """
    pairs, must_link, weights = constraints.pairs, constraints.must_link, constraints.weights
    if not len(propagated):
        return np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    threshold = float(propagated.weights.min()) * (1 - _SLACK)
    positions = np.flatnonzero(weights >= threshold)
    targets = np.unique(propagated.pairs)
    endpoints, ends = np.unique(pairs[positions], return_inverse=True)
    ends = ends.reshape(-1, 2)
    heaviest = np.zeros(len(endpoints))
    for side in (0, 1):
        np.maximum.at(heaviest, ends[:, side], weights[positions])
    gaussians = fit_gaussians(X, labels, metrics, regularization)
    shared = may_share(len(targets))
    reached = reach(X, targets, endpoints, labels, gaussians, cut_of(heaviest, threshold), shared=shared)
    found, crossed = np.full(len(propagated), -1), np.zeros(len(propagated), dtype=np.int64)
    for kind in (True, False):
        mine = must_link[positions] == kind
        here = propagated.must_link == kind
        keys, best = _strongest(reached, targets, ends[mine], weights[positions[mine]], threshold)
        wanted = _keys(propagated.pairs[here, 0], propagated.pairs[here, 1])
        if here.any():
            which, crossed[here] = np.divmod(best[np.searchsorted(keys, wanted)], 2)
            found[here] = positions[mine][which]
    rows = pairs[found]
    rows[crossed == 1] = rows[crossed == 1, ::-1]
    return found, rows


def _strongest(reached: Sparse, targets: Ints, ends: Ints, weights: Floats, threshold: float) -> tuple[Ints, Ints]:
    """Return the keys of all pairs that constraints of one type reach, sorted, and the constraint that is strongest.

    It is twice its number, and one more where its second end is near the smaller row.
    """
    start, columns, values = reached
    size = np.diff(start)
    counts = size[ends[:, 0]] * size[ends[:, 1]]
    keys, products, who = np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64)
    for block in np.split(np.arange(len(ends)), np.flatnonzero(np.diff(np.cumsum(counts) // _AT_ONCE)) + 1):
        which = np.repeat(block, counts[block])
        step = np.arange(len(which)) - np.repeat(np.cumsum(counts[block]) - counts[block], counts[block])
        width = size[ends[which, 1]]
        one, other = start[ends[which, 0]] + step // width, start[ends[which, 1]] + step % width
        product = weights[which] * (values[one] * values[other])
        i, j = targets[columns[one]], targets[columns[other]]
        kept = (product >= threshold) & (i != j)
        keys = np.concatenate((keys, _keys(np.minimum(i, j)[kept], np.maximum(i, j)[kept])))
        products, who = np.concatenate((products, product[kept])), np.concatenate((who, (2 * which + (i > j))[kept]))
        order = np.lexsort((who, -products, keys))
        order = order[np.diff(keys[order], prepend=-1) > 0]
        keys, products, who = keys[order], products[order], who[order]
    return keys, who


def _keys(first: Ints, second: Ints) -> Ints:
    keys: Ints = (first << 32) | second
    return keys
