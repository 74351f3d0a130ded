"""Scores of labels against classes: those of the field over objects, and F of every table."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from mvcc import clustering_accuracy, pairwise_f_measure, purity
from mvcc._utils.arrays import Ints
from scripts.field.protocols import Task
from scripts.studies import mean_f

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
    """Score labels of rows by objects; ``F_views`` is F of the tables, in the mean."""
    of_object = of_objects(labels, task)
    scores = {name: float(measure(task.y, of_object)) for name, measure in MEASURES.items()}
    return scores | {"F_views": mean_f(task.classes, labels)}


def score_each(labels: list[Ints], task: Task) -> dict[str, float]:
    """Return means of the scores of every table, where their clusters have no names in common."""
    scores = {
        name: float(np.mean(list(map(measure, task.classes, labels))))
        for name, measure in MEASURES.items()
    }
    return scores | {"F_views": scores["F"]}
