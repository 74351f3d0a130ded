"""The same number for the same cluster in all views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import shown
from mvcc._utils.validation import MAX_ENTRIES, as_array, as_list, check_count, check_labels
from mvcc.constraints import check_mappings
from mvcc.exceptions import InvalidInputError


def match_clusters(
    labels: Sequence[ArrayLike],
    mappings: Mapping[tuple[int, int], ArrayLike] | None,
    n_clusters: int,
) -> list[Ints]:
    """Give the clusters of all views new numbers, so that related rows have the same one as often
    as possible.

    Co-EM links views by constraints, never by the numbers of their clusters: cluster 3 of one view
    may be cluster 0 of another. The first view keeps its numbers. Then comes, again and again, the
    view with the most relations to those that have their numbers: its clusters take them over by
    the assignment that most of these relations agree with. What no relation decides keeps its
    number where that is free.

    Parameters
    ----------
    labels : list of array-like of shape (n_v,)
        Cluster of every row, 0 … k − 1, per view; as ``MultiViewConstrainedClustering.labels_``.
    mappings : dict {(u, v): array-like of shape (r, 2)} or None
        Rows of view u and of view v that are the same object; views by number.
    n_clusters : int
        k, the number of clusters of each view.

    Returns
    -------
    list of ndarray of shape (k,)
        The new number of every cluster, per view: ``numbers[view][labels[view]]`` are the matched
        labels.

    Raises
    ------
    InvalidInputError
        For labels that are not 0 … k − 1, or relations of rows or views that are not there.

    See Also
    --------
    clustering_accuracy : The share of rows that agree after the best matching.

    Examples
    --------
    >>> from mvcc import match_clusters
    >>> texts, images = [0, 0, 1, 2], [2, 2, 0, 1]
    >>> matches = {(0, 1): [(0, 0), (1, 1), (2, 2)]}
    >>> numbers = match_clusters([texts, images], matches, 3)
    >>> numbers[1][images].tolist()
    [0, 0, 1, 2]
    """
    k = check_count(n_clusters, "n_clusters")
    if k * k > MAX_ENTRIES:
        raise InvalidInputError(
            f"n_clusters={k} is too many to be matched: the table of {k} × {k} counts is too large."
        )
    clusters = [_checked(y, view, k) for view, y in enumerate(as_list(labels, "labels"))]
    tables: dict[tuple[int, int], Ints] = {}
    for (u, v), rows in check_mappings(mappings, [len(y) for y in clusters]).items():
        table = np.zeros((k, k), dtype=np.int64)
        np.add.at(table, (clusters[u][rows[:, 0]], clusters[v][rows[:, 1]]), 1)
        tables[u, v], tables[v, u] = table, table.T
    numbers: dict[int, Ints] = {}
    while len(numbers) < len(clusters):
        unnumbered = [view for view in range(len(clusters)) if view not in numbers]
        votes = {view: np.zeros((k, k), dtype=np.int64) for view in unnumbered}
        for view, other in product(unnumbered, numbers):
            if (other, view) in tables:
                votes[view][numbers[other]] += tables[other, view]
        view = max(votes, key=lambda view: int(votes[view].sum()))
        # of equally good assignments the one that keeps most numbers
        new, old = linear_sum_assignment(
            (k + 1) * votes[view] + np.eye(k, dtype=np.int64), maximize=True
        )
        numbers[view] = new[np.argsort(old)]
    return [numbers[view] for view in range(len(clusters))]


def _checked(labels: ArrayLike, view: int, k: int) -> Ints:
    noun = f"labels[{view}]"
    array = as_array(labels, noun)
    if array.shape == (0,):
        return np.empty(0, dtype=np.int64)
    checked = check_labels(array, array.size, noun)
    if checked.max() >= k:
        raise InvalidInputError(
            f"{noun} holds cluster {shown(int(checked.max()))}, but n_clusters={k} allows 0 …"
            f" {k - 1}."
        )
    return checked
