"""Clusters keep their numbers from one clustering to the next, as far as their rows allow."""

from __future__ import annotations

from typing import Any

import numpy as np

from mvcc._utils.types import Ints

_MOST = 1 / 2  # of the rows of a cluster: where these are, the cluster is
_PART = 1 / 10  # of a cluster, at least, that another one takes over


def rows_in_both(former: Ints, found: Ints, sizes: tuple[int, int]) -> Ints:
    """Count the rows of each cluster of the one clustering (row) and of the other (column).

    Rows with a negative number have no cluster, and do not count.
    """
    counts = np.zeros(sizes, dtype=np.int64)
    inside = (former >= 0) & (found >= 0)
    np.add.at(counts, (former[inside], found[inside]), 1)
    return counts


def numbers_like(counts: Ints) -> Ints:
    """Give clusters the numbers of the former ones that they share most rows with, in sum.

    A cluster takes over a number if half of its own rows, or half of those of the former cluster,
    are in both; the others get numbers that no former cluster has.

    `counts`: as `rows_in_both`.
    Returns: the number of each cluster (column).
    """
    # SciPy is of no use before tables have been read
    from scipy.optimize import linear_sum_assignment

    n_former, n_found = counts.shape
    former, found = linear_sum_assignment(counts, maximize=True)
    both = counts[former, found]
    smaller = np.minimum(counts.sum(axis=1)[former], counts.sum(axis=0)[found])
    same = (both > 0) & (both >= _MOST * smaller)
    numbers = np.full(n_found, -1, dtype=np.int64)
    numbers[found[same]] = former[same]
    others = numbers < 0
    numbers[others] = n_former + np.arange(others.sum())
    return numbers


def changes_in(counts: Ints, former: Ints, found: Ints) -> dict[str, Any]:
    """Compare clusters with the former ones, as in ``Changes`` of ``clustering.json``.

    `counts`: as `rows_in_both`, with the clusters already numbered like the former ones.
    `former`, `found`: the numbers of the clusters of each clustering.
    """
    of_former, of_found = counts.sum(axis=1), counts.sum(axis=0)
    origin, target = counts.argmax(axis=0), counts.argmax(axis=1)
    split, merged = [], []
    for cluster in former:
        share = counts[cluster] / max(of_former[cluster], 1)
        most = counts[cluster] >= _MOST * of_found
        parts = np.flatnonzero((share >= _PART) & most & (origin == cluster))
        if len(parts) > 1:
            split.append((int(cluster), tuple(parts.tolist())))
    for cluster in found:
        share = counts[:, cluster] / max(of_found[cluster], 1)
        most = counts[:, cluster] >= _MOST * of_former
        parts = np.flatnonzero((share >= _PART) & most & (target == cluster))
        if len(parts) > 1:
            merged.append((int(cluster), tuple(parts.tolist())))
    explained = {part for _, parts in (*split, *merged) for part in parts}
    return {
        "shared": int(counts.sum()),
        "kept": int(np.trace(counts)),
        "split": tuple(split),
        "merged": tuple(merged),
        "new": tuple(sorted({*found.tolist()} - {*former.tolist()} - explained)),
        "vanished": tuple(sorted({*former.tolist()} - {*found.tolist()} - explained)),
    }
