"""Constraints and matches of a job before anything is clustered: whether they are consistent, and what follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mvcc.constraints import Constraints, Relations, Strengths, augment, drop_conflicts, refuse_conflicts
from mvcc.jobs._config import Job
from mvcc.multiview import takes_threshold, uses_relations


def check_given(job: Job, given: list[Constraints], relations: Relations, call: Callable[[int, int], str]) -> None:
    """Refuse constraints and matches that contradict each other, unless the job drops such constraints.

    Raises
    ------
    ConstraintConflictError
        Names the shortest chain.
    """
    if job.on_conflict == "error":
        refuse_conflicts([c._select(c.weights > 0) for c in given], relations, call)


@dataclass(frozen=True, eq=False)
class Closing:
    """What follows from the constraints of a job, in every view.

    Attributes
    ----------
    given, dropped : list of Constraints
        What was said, without what was left out since it contradicts heavier constraints.
    closed : list of Constraints
        What follows from it.
    used : dict
        The given relations that the transfer method uses.
    related : dict
        Those, with all that follow from them.
    strengths : dict
        The weight that constraints keep at most on the way over relations that follow from light ones.
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
    """Close the constraints of a job by co-EM, and see that there are enough of them.

    Parameters
    ----------
    job, given, relations, call
        As for `Method`, with the same errors.
    sizes : list of int
        The number of rows of every view.
    """
    dropped = [Constraints([], []) for _ in given]
    used = relations if uses_relations(job.transfer) else {}
    if job.on_conflict == "drop":
        given, dropped = drop_conflicts(given, used if job.closure == "full" else {})
    closed, related, strengths = augment(given, used, job.closure, call)
    if takes_threshold(job.transfer) and job.threshold == "cv":
        from mvcc.constraints import neighborhood_folds

        neighborhood_folds(given, used, sizes, np.random.default_rng(job.seed))  # refuses too few constraints
    return Closing(given, dropped, closed, used, related, strengths)
