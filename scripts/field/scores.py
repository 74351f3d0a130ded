"""Scores of labels against classes: those of the field over objects, and F of every table."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from mvcc import clustering_accuracy, pairwise_f_measure, purity
from scripts.field.protocols import Ints, Task

MEASURES = {
    "ACC": clustering_accuracy,
    "NMI": lambda y, labels: normalized_mutual_info_score(y, labels, average_method="arithmetic"),
    "purity": purity,
    "ARI": adjusted_rand_score,
    "F": pairwise_f_measure,
}
COLUMNS = [*MEASURES, "F_views"]


def of_objects(labels: list[Ints], task: Task) -> Ints:
    """Return one label for each object: that of its row in the first table that has it."""
    of_object = np.full(len(task.y), -1)
    for of_view, objects in zip(reversed(labels), reversed(task.objects), strict=True):
        of_object[objects] = of_view
    return of_object


def score(labels: list[Ints], task: Task) -> dict[str, float]:
    """Score the labels of the rows of every table, by objects.

    ``F_views`` is the mean of F of the tables.
    """
    of_object = of_objects(labels, task)
    scores = {name: float(measure(task.y, of_object)) for name, measure in MEASURES.items()}
    classes = [task.y[rows] for rows in task.objects]
    f_of_views = list(map(pairwise_f_measure, classes, labels))
    return scores | {"F_views": float(np.mean(f_of_views))}


def score_each(labels: list[Ints], task: Task) -> dict[str, float]:
    """Score every table by itself, where clusters of different tables have nothing to do with each
    other: the mean.
    """
    pairs = [(task.y[rows], of_view) for rows, of_view in zip(task.objects, labels, strict=True)]
    scores = {
        name: float(np.mean([measure(*pair) for pair in pairs]))
        for name, measure in MEASURES.items()
    }
    return scores | {"F_views": scores["F"]}
