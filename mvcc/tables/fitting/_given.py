"""Constraints and matches of a job before anything is clustered.

Whether they are consistent, and enough.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mvcc.constraints import (
    Constraints,
    Relations,
    drop_conflicts,
    neighborhood_folds,
    refuse_conflicts,
)
from mvcc.multiview import takes_threshold, uses_relations
from mvcc.tables._job import Job


def check_given(
    job: Job,
    given: list[Constraints],
    relations: Relations,
    sizes: list[int],
    call: Callable[[int, int], str],
) -> tuple[list[Constraints], list[Constraints]]:
    """Return the constraints of every view to be used, and those that contradict heavier ones.

    `job, given, relations, call`: as for `Method`, with the same errors.
    `sizes`: the number of rows of every view.
    """
    dropped = [Constraints.empty() for _ in given]
    if job.method == "joint":  # it clusters by contradicting constraints, too
        if job.on_conflict == "error":
            refuse_conflicts([c.select(c.weights > 0) for c in given], relations, call)
        return given, dropped
    across = used_relations(job, relations) if job.closure == "full" else {}
    if job.on_conflict == "drop":
        given, dropped = drop_conflicts(given, across)
    elif job.closure != "none":
        refuse_conflicts(given, across, call)
    if takes_threshold(job.transfer) and job.threshold == "cv":
        neighborhood_folds(
            given, used_relations(job, relations), sizes, np.random.default_rng(job.seed)
        )
    return given, dropped


def used_relations(job: Job, relations: Relations) -> Relations:
    """Return the relations that the transfer method of a job uses."""
    return relations if uses_relations(job.transfer) else {}
