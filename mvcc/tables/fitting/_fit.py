"""What clusters the views of a job, a class for each method, and how stable the result is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from mvcc._utils.arrays import Floats, Ints, LazyRows
from mvcc._utils.contexts import quiet_fit
from mvcc._utils.progress import numbered
from mvcc.constraints import (
    Constraints,
    Relations,
    drop_conflicts,
    neighborhood_folds,
    refuse_conflicts,
)
from mvcc.embedding import connected_views
from mvcc.metrics import pairwise_f_measure
from mvcc.multiview import match_clusters, takes_threshold, uses_relations
from mvcc.tables._job import Job
from mvcc.tables.reading._inputs import Inputs, caller_of

MOST_LISTED = 2000  # entries of a view in the facts; all are in its tables
_DRAWS = 20  # of matches at random
Labels = list[Ints]
Rows = list[list[Any]]
LEFT_OUT = 0.1  # of the constraints, in every stability run


def check_given(job: Job, inputs: Inputs) -> tuple[list[Constraints], list[Constraints]]:
    """Return the constraints of every view to be used, and those that contradict heavier ones."""
    given, relations, call = inputs.constraints, inputs.relations, caller_of(inputs.tables)
    dropped = [Constraints.empty() for _ in given]
    if job.method == "joint":  # it clusters by contradicting constraints, too
        if job.on_conflict == "error":
            refuse_conflicts(of_some_weight(given), relations, call)
        return given, dropped
    used = used_relations(job, relations)
    across = used if job.closure == "full" else {}
    if job.on_conflict == "drop":
        given, dropped = drop_conflicts(given, across)
    elif job.closure != "none":
        refuse_conflicts(given, across, call)
    if takes_threshold(job.transfer) and job.threshold == "cv":
        sizes = [len(table.ids) for table in inputs.tables]
        neighborhood_folds(given, used, sizes, np.random.default_rng(job.seed))
    return given, dropped


def of_some_weight(given: list[Constraints]) -> list[Constraints]:
    return [c.of_some_weight() for c in given]


def used_relations(job: Job, relations: Relations) -> Relations:
    return relations if uses_relations(job.transfer) else {}


@dataclass(frozen=True, eq=False)
class Explained:
    """What a method tells of a clustering, beside the clusters."""

    facts: dict[str, Any]  # of the whole, for ``clustering.json``
    views: list[dict[str, Any]]  # of every view, the same
    relations: dict[tuple[int, int], dict[str, Any]]  # of every two views with matches, the same
    tables: list[dict[str, Rows]]  # the tables of every view
    cautions: list[str]  # what must not be overlooked


class Method(ABC):
    """A way to cluster the views (n_v, d_v) of a job; contradictions may be ``dropped``."""

    def __init__(self, job: Job, views: list[Floats], inputs: Inputs) -> None:
        self.given, self.dropped = check_given(job, inputs)
        self.job, self.views, self.inputs = job, views, inputs
        self.tables, self.relations = inputs.tables, inputs.relations

    @abstractmethod
    def fit(self) -> tuple[Any, list[Ints]]:
        """Return a fitted estimator, and its clusters' numbers; the job gets what it chose."""

    @property
    def numbered_alike(self) -> list[list[int]]:
        """Sets of views in which the same number is the same cluster."""
        return [views for views, _ in connected_views(len(self.views), self.relations)]

    def space(self, view: int) -> Floats | LazyRows:
        """Return the rows of a view where they were clustered, (n, m)."""
        return self.views[view]

    @property
    def probabilities(self) -> list[Any]:
        """How likely every row of a view is in each cluster; none where the method cannot tell."""
        return []

    @abstractmethod
    def again(self, given: list[Constraints], seed: int) -> Labels:
        """Cluster once more, by other constraints and another seed."""

    @abstractmethod
    def explain(self, fit: Fit) -> Explained:
        """Say where the clusters come from."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The clustering of a job."""

    method: Method
    model: Any
    # (n_v,): cluster of every row; the same number means the same cluster in all views, as far as
    # relations tell
    labels: Labels
    numbers: list[Ints]  # (k,): the number of every cluster of the model, per view
    n_runs: int  # stability runs; without any, the next one has None, and two are empty
    stability: list[list[Any]]  # of every row: share of the runs that put it into the same cluster
    exchanged: list[Floats]  # (k, k): rows that a run puts into another cluster, in the mean
    agreement: list[float]  # mean adjusted Rand index between the result and each run
    n_numbers: int  # of clusters: 1 + the largest one, also of those that have vanished

    def with_numbers(self, new: list[Ints], n_numbers: int) -> Fit:
        """Return the fit with another number for every cluster, per view."""
        exchanged = []
        for numbers, former in zip(new, self.exchanged, strict=False):
            table = np.zeros((n_numbers, n_numbers))
            table[np.ix_(numbers, numbers)] = former
            exchanged.append(table)
        return replace(
            self,
            labels=[numbers[clusters] for numbers, clusters in zip(new, self.labels, strict=True)],
            numbers=[numbers[former] for numbers, former in zip(new, self.numbers, strict=True)],
            exchanged=exchanged,
            n_numbers=n_numbers,
        )


def fit_job(method: Method, on_step: Callable[[str], None]) -> Fit:
    """Cluster the views, and again for each stability run."""
    job = method.job
    with quiet_fit():
        on_step("clustering")
        model, numbers = method.fit()
    labels = [new[clusters] for new, clusters in zip(numbers, model.labels_, strict=True)]
    runs = range(1, job.stability_runs_of(sum(map(len, labels))) + 1)
    labels_of_runs = [_again(method, run) for run in numbered("stability run", runs, on_step)]
    stability = _stability(labels, labels_of_runs, job.k)
    return Fit(method, model, labels, numbers, len(runs), *stability, job.k)


def _again(method: Method, run: int) -> Labels:
    """Cluster once more, by another seed and without some constraints, which may fix its start."""
    rng = np.random.default_rng((method.job.seed, run))
    constraints = [
        c.select(np.sort(rng.permutation(len(c))[ceil(LEFT_OUT * len(c)) :])) for c in method.given
    ]
    with quiet_fit():
        return method.again(constraints, method.job.seed + run)


def _stability(
    labels: Labels, labels_of_runs: list[Labels], k: int
) -> tuple[list[list[Any]], list[Floats], list[float]]:
    """Return `stability`, `exchanged` and `agreement` of a `Fit`."""
    if not labels_of_runs:
        return [[None] * len(result) for result in labels], [], []
    stability, exchanged, agreement = [], [], []
    for view, result in enumerate(labels):
        runs = [renumbered(labels_of_run[view], result, k) for labels_of_run in labels_of_runs]
        table = np.zeros((k, k))
        for run in runs:
            np.add.at(table, (result[run != result], run[run != result]), 1)
        stability.append(np.mean([run == result for run in runs], axis=0).tolist())
        exchanged.append(table / len(runs))
        agreement.append(float(np.mean([adjusted_rand_score(result, run) for run in runs])))
    return stability, exchanged, agreement


def renumbered(labels: Ints, like: Ints, k: int) -> Ints:
    """Return the clusters of the same rows with the numbers of those that they are most like."""
    same = np.column_stack([np.arange(len(labels))] * 2)
    _, numbers = match_clusters([like, labels], {(0, 1): same}, k)
    return numbers[labels]


def agreement(labels: Labels, u: int, v: int, rows: Ints, k: int, seed: int) -> dict[str, Any]:
    """Tell how many related rows are in the same cluster, and would be if they were drawn."""
    if not len(rows):
        return {"agreement": None, "by_chance": None, "differing": []}
    first, second = labels[u][rows[:, 0]], labels[v][rows[:, 1]]
    is_same, rng = first == second, np.random.default_rng(seed)
    drawn = [renumbered(rng.permutation(second), first, k) for _ in range(_DRAWS)]
    return {
        "agreement": float(is_same.mean()),
        "by_chance": float(np.mean([np.mean(first == other) for other in drawn])),
        "differing": rows[~is_same].tolist(),
    }


def against_labels(reference: Sequence[str] | None, labels: Ints) -> dict[str, float | None]:
    """Compare clusters with true labels, where there are some; rows without one are left out."""
    known = [row for row, label in enumerate(reference or ()) if label]
    if reference is None or len(known) < 2:
        return {"reference_f": None, "reference_ari": None}
    true, clusters = [reference[row] for row in known], labels[known]
    return {
        "reference_f": float(pairwise_f_measure(true, clusters)),
        "reference_ari": float(adjusted_rand_score(true, clusters)),
    }
