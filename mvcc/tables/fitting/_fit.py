"""Clustering the views of a job.

Once for the result, and again, a little otherwise, to see how stable it is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mvcc._utils.one_thread import one_thread
from mvcc._utils.progress import numbered
from mvcc._utils.types import Floats, Ints
from mvcc.constraints import Constraints, Relations
from mvcc.exceptions import PropagationWarning
from mvcc.metrics import pairwise_f_measure
from mvcc.multiview import match_clusters
from mvcc.tables._job import Job
from mvcc.tables.fitting._method import Labels, Method

LEFT_OUT = 0.1  # of the constraints, in every stability run


@dataclass(frozen=True, eq=False)
class Fit:
    """The clustering of a job, and what it rests on.

    `given, dropped`: what was said, without what was left out since it contradicts heavier
    constraints.
    """

    model: Any
    # (n_v,): cluster of every row; the same number means the same cluster in all views, as far as
    # relations tell
    labels: Labels
    numbers: list[Ints]  # (k,): the number of every cluster of the model, per view
    given: list[Constraints]
    dropped: list[Constraints]
    relations: Relations
    # (n_v,): share of the stability runs that put a row into the same cluster; empty without
    # stability runs
    stability: list[Floats]
    n_runs: int  # stability runs
    # (k, k): per view the rows of a cluster that a stability run puts into another one, in the
    # mean; empty without them
    exchanged: list[Floats]
    # per view the mean adjusted Rand index between the result and each stability run; empty without
    # them
    agreement: list[float]
    warnings: list[str]  # whether it has converged
    # (n_v, k): how likely every row is in each cluster of the model; empty where the method cannot
    # tell
    probabilities: list[Any]
    numbered_alike: list[list[int]]  # sets of views in which the same number is the same cluster
    n_numbers: int  # of clusters: 1 + the largest one, also of those that have vanished

    def with_numbers(self, new: list[Ints], n_numbers: int) -> Fit:
        """Return the fit with another number for every cluster, per view."""
        exchanged = []
        for own, former in zip(new, self.exchanged, strict=False):
            table = np.zeros((n_numbers, n_numbers))
            table[np.ix_(own, own)] = former
            exchanged.append(table)
        views = list(zip(new, self.labels, self.numbers, strict=True))
        return replace(
            self,
            labels=[own[found] for own, found, _ in views],
            numbers=[own[numbers] for own, _, numbers in views],
            exchanged=exchanged,
            n_numbers=n_numbers,
        )


def fit_job(job: Job, method: Method, relations: Relations, on_step: Callable[[str], None]) -> Fit:
    """Cluster the views.

    Shapes: `relations` (r, 2).

    `on_step`: told what is about to be done.
    """
    # one thread: some BLAS sum in another order on more
    with one_thread(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        on_step("clustering")
        model, numbers = method.fit()
    for other in caught:  # re-emit unrelated warnings
        if not issubclass(other.category, (ConvergenceWarning, PropagationWarning)):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)
    said = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    labels = [new[found] for new, found in zip(numbers, model.labels_, strict=True)]
    others, n_runs = [], job.stability_runs_of(sum(map(len, labels)))
    for number in numbered("stability run", range(1, n_runs + 1), on_step):
        others.append(_again(job, method, number))
    stability, exchanged, agreement = _stability(labels, others, job.k)
    return Fit(
        model,
        labels,
        numbers,
        method.given,
        method.dropped,
        relations,
        stability,
        n_runs,
        exchanged,
        agreement,
        said,
        method.probabilities,
        method.numbered_alike,
        job.k,
    )


def _again(job: Job, method: Method, number: int) -> Labels:
    """Cluster once more, with another seed and without some constraints.

    If constraints name as many groups as there are clusters, every start begins from these:
    another seed alone would show nothing.
    """
    rng = np.random.default_rng((job.seed, number))
    kept = [
        c.select(np.sort(rng.permutation(len(c))[ceil(LEFT_OUT * len(c)) :])) for c in method.given
    ]
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", PropagationWarning)
        return method.again(kept, job.seed + number)


def _stability(
    labels: Labels, others: list[Labels], k: int
) -> tuple[list[Floats], list[Floats], list[float]]:
    """Return how often each row stays in its cluster, where the others go, and how alike each run
    is to the result.
    """
    from sklearn.metrics import adjusted_rand_score

    if not others:
        return [], [], []
    stability, exchanged, agreement = [], [], []
    for view, mine in enumerate(labels):
        theirs = [other[view] for other in others]
        same, table = np.zeros(len(mine)), np.zeros((k, k))
        for found in (renumbered(found, mine, k) for found in theirs):
            same += found == mine
            np.add.at(table, (mine[found != mine], found[found != mine]), 1)
        stability.append(same / len(theirs))
        exchanged.append(table / len(theirs))
        agreement.append(float(np.mean([adjusted_rand_score(mine, found) for found in theirs])))
    return stability, exchanged, agreement


def renumbered(labels: Ints, like: Ints, k: int) -> Ints:
    """Return the clusters of the same rows with the numbers of those that they are most like."""
    every = np.arange(len(labels))
    _, number = match_clusters([like, labels], {(0, 1): np.column_stack((every, every))}, k)
    found: Ints = number[labels]
    return found


def against_labels(reference: Sequence[str] | None, labels: Ints) -> dict[str, float | None]:
    """Compare clusters with true labels, where there are some; rows without one are left out."""
    from sklearn.metrics import adjusted_rand_score

    known = [row for row, label in enumerate(reference or ()) if label]
    if reference is None or len(known) < 2:
        return {"reference_f": None, "reference_ari": None}
    true, found = [reference[row] for row in known], labels[known]
    return {
        "reference_f": float(pairwise_f_measure(true, found)),
        "reference_ari": float(adjusted_rand_score(true, found)),
    }
