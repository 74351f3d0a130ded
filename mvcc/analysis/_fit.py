"""Clustering the views of a job: once for the result, and again, a little otherwise, to see how stable it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mvcc.analysis._closing import close_given
from mvcc.analysis._config import Job
from mvcc.constraints import Constraints
from mvcc.exceptions import PropagationWarning
from mvcc.mapping import Relations, Strengths
from mvcc.matching import match_clusters
from mvcc.methods import make_base, takes_threshold, transfer_class
from mvcc.multiview import MultiViewConstrainedClustering

LEFT_OUT = 0.1  # of the constraints, in every restart

Labels = list[NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Fit:
    """The clustering of a job, and what it rests on.

    Attributes
    ----------
    model : MultiViewConstrainedClustering
    labels : list of (n_v,) arrays
        Cluster of every row; the same number means the same cluster in all views, as far as relations tell.
    numbers : list of (k,) arrays
        The number of every cluster of the model, per view.
    given, dropped : list of Constraints
        What was said, without what was left out since it contradicts heavier constraints.
    closed : list of Constraints
        What follows from it.
    relations, related : dict
        As they were given, and those that the method uses with all that follow from them.
    strengths : dict
        The weight that constraints keep at most on the way over relations that follow from light ones.
    stability : list of (n_v,) arrays
        Share of the restarts that put a row into the same cluster; empty without restarts.
    agreement : list of float
        Per view the mean adjusted Rand index between the result and each of the restarts; empty without restarts.
    warnings : list of str
        Whether it has converged.
    """

    model: Any
    labels: Labels
    numbers: list[NDArray[np.int64]]
    given: list[Constraints]
    dropped: list[Constraints]
    closed: list[Constraints]
    relations: Relations
    related: Relations
    strengths: Strengths
    stability: list[NDArray[np.float64]]
    agreement: list[float]
    warnings: list[str]


def fit_job(
    job: Job,
    views: list[NDArray[np.float64]],
    given: list[Constraints],
    relations: Relations,
    call: Callable[[int, int], str],
    on_step: Callable[[str], None],
) -> Fit:
    """Cluster the views.

    Parameters
    ----------
    job : Job
    views : list of (n_v, d_v) arrays
        In the space that is clustered.
    given : list of Constraints, one per view
    relations : dict {(u, v): (r, 2) array}
    call : callable
        Says what a message calls a row of a view.
    on_step : callable
        Told what is about to be done.

    Raises
    ------
    ConstraintConflictError
        When constraints and relations contradict each other, unless the job drops such constraints.
    InvalidInputError
        When there are too few constraints to cross-validate a threshold.
    """
    transfer = transfer_class(job.transfer)()
    # one thread: some BLAS sum in another order on more
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        closing = close_given(job, given, relations, [len(X) for X in views], call)
        if takes_threshold(job.transfer):
            transfer.set_params(threshold=job.threshold)
        on_step("clustering")
        model = _model(job, transfer, job.seed).fit(views, constraints=closing.given, mappings=closing.used)
    for other in caught:  # what is no word on the clustering goes on its way
        if not issubclass(other.category, (ConvergenceWarning, PropagationWarning)):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)
    said = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    renumbered = match_clusters(model.labels_, relations, job.n_clusters)
    labels = [new[found] for new, found in zip(renumbered, model.labels_, strict=True)]
    others = []
    for number in range(1, job.restarts + 1):
        on_step(f"restart {number} of {job.restarts}")
        others.append(_again(job, model.transfer_, number, views, closing.given, closing.used))
    stability, agreement = _stability(labels, others, job.n_clusters)
    return Fit(
        model=model,
        labels=labels,
        numbers=renumbered,
        given=closing.given,
        dropped=closing.dropped,
        closed=closing.closed,
        relations=relations,
        related=closing.related,
        strengths=closing.strengths,
        stability=stability,
        agreement=agreement,
        warnings=said,
    )


def _model(job: Job, transfer: Any, seed: int) -> MultiViewConstrainedClustering:
    base = make_base(job.base, job.n_clusters).set_params(init="auto")
    return MultiViewConstrainedClustering(base, transfer, closure=job.closure, random_state=seed)


def _again(
    job: Job,
    transfer: Any,
    number: int,
    views: list[NDArray[np.float64]],
    given: list[Constraints],
    relations: Relations,
) -> Labels:
    """Cluster once more, with another seed and without some constraints.

    Where constraints name as many groups as there are clusters, every start begins from these: another seed alone would
    show nothing.
    """
    rng = np.random.default_rng((job.seed, number))
    kept = [c._select(np.sort(rng.permutation(len(c))[ceil(LEFT_OUT * len(c)) :])) for c in given]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", PropagationWarning)
        model = _model(job, transfer, job.seed + number)
        fitted = model.fit(views, constraints=kept, mappings=relations)
    labels: Labels = fitted.labels_
    return labels


def _stability(labels: Labels, others: list[Labels], k: int) -> tuple[list[NDArray[np.float64]], list[float]]:
    """Return how often each row stays in its cluster over restarts, and how alike each of them is to the result."""
    from sklearn.metrics import adjusted_rand_score

    if not others:
        return [], []
    stability, agreement = [], []
    for view, mine in enumerate(labels):
        theirs = [other[view] for other in others]
        every = np.arange(len(mine))
        same = np.zeros(len(mine))
        for found in theirs:
            _, number = match_clusters([mine, found], {(0, 1): np.column_stack((every, every))}, k)
            same += number[found] == mine
        stability.append(same / len(theirs))
        agreement.append(float(np.mean([adjusted_rand_score(mine, found) for found in theirs])))
    return stability, agreement
