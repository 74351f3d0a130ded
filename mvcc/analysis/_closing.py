"""What follows from the constraints and matches of a job, before anything is clustered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mvcc.analysis._config import Job
from mvcc.constraints import Constraints
from mvcc.mapping import Relations, Strengths, augment, drop_conflicts
from mvcc.methods import takes_threshold, uses_relations


@dataclass(frozen=True, eq=False)
class Closing:
    """What follows from the constraints of a job, in every view.

    Attributes
    ----------
    given, dropped, closed, related, strengths
        As in `Fit`.
    used : dict
        The given relations that the transfer method uses.
    """

    given: list[Constraints]
    dropped: list[Constraints]
    closed: list[Constraints]
    used: Relations
    related: Relations
    strengths: Strengths


def close_given(
    job: Job, given: list[Constraints], relations: Relations, sizes: list[int], call: Callable[[int, int], str]
) -> Closing:
    """Close the constraints of a job, and see that there are enough of them.

    Parameters
    ----------
    job, given, relations, call
        As for `fit_job`, with the same errors.
    sizes : list of int
        The number of rows of every view.
    """
    dropped = [Constraints([], []) for _ in given]
    used = relations if uses_relations(job.transfer) else {}
    if job.on_conflict == "drop":
        given, dropped = drop_conflicts(given, used if job.closure == "full" else {})
    closed, related, strengths = augment(given, used, job.closure, call)
    if takes_threshold(job.transfer) and job.threshold == "cv":
        from mvcc._threshold import neighborhood_folds  # it brings scikit-learn along

        neighborhood_folds(given, used, sizes, np.random.default_rng(job.seed))  # refuses too few constraints
    return Closing(given, dropped, closed, used, related, strengths)
