"""Names of clusters: those of the groups whose members they hold."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from mvcc._utils.messages import clipped, shown
from mvcc._utils.types import Ints
from mvcc.tables.reading._answers import Answers


def name_clusters(
    answers: Answers, labels: list[Ints], numbered_alike: list[list[int]], k: int
) -> list[list[str]]:
    """Give every group's name to the cluster with most of its members, one group per cluster.

    `labels` (n_v,): of all rows but outliers.
    `numbered_alike`: sets of views in which the same number is the same cluster.
    Returns: per view the name of every cluster, empty where it has none.
    """
    names = [[""] * k if answers.groups else [] for _ in labels]
    clusters = [np.full(len(table.ids), -1) for table in answers.tables]
    for of_view, found, outliers in zip(clusters, labels, answers.outliers, strict=True):
        of_view[np.delete(np.arange(len(of_view)), outliers)] = found
    for views in numbered_alike if answers.groups else ():
        counts = np.array(
            [
                sum(
                    np.bincount(clusters[view][rows[view]] + 1, minlength=k + 1)[1:]
                    for view in views
                )
                for rows in answers.groups.values()
            ]
        )
        for group, cluster in zip(*linear_sum_assignment(-counts), strict=True):
            for view in views if counts[group, cluster] else ():
                names[view][cluster] = list(answers.groups)[group]
    return names


def nameless(answers: Answers, names: list[list[str]]) -> list[str]:
    """Say which groups have no cluster of their own."""
    used = {name for of_view in names for name in of_view}
    groups = [shown(name) for name in answers.groups if name not in used]
    if not groups:
        return []
    return [
        f"No cluster is named after {clipped(', '.join(groups), 200)}: clusters of other groups"
        " hold the members."
    ]
