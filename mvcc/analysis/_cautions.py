"""What must not be overlooked in a clustering, in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mvcc.analysis._closing import Closing
from mvcc.analysis._config import Job
from mvcc.analysis._fit import Fit
from mvcc.analysis._tables import Table
from mvcc.transfer import ConstraintPropagation


def cautions(job: Job, tables: list[Table], fit: Fit) -> Iterator[str]:
    """Say what must not be overlooked, whatever the method."""
    for number, table in enumerate(tables):
        if empty := job.n_clusters - len(np.unique(fit.labels[number])):
            yield f"{table.name}: {empty} of the {job.n_clusters} clusters are empty."
        if beside := [name for name in table.unused if name not in job.views[table.name].ignore]:
            yield f"{table.path}: {', '.join(beside[:5])} lies beside the array of columns and was not used."


def of_co_em(
    job: Job, tables: list[Table], fit: Fit, closing: Closing, n_passed: int, n_inferred: int
) -> Iterator[str]:
    """Say what must not be overlooked in co-EM.

    Parameters
    ----------
    job, tables, fit, closing
    n_passed, n_inferred : int
        How many constraints the views passed on, and how many of these do not follow from what was given.
    """
    yield from _of_constraints(job, len(tables) > 1, fit, closing, n_passed, n_inferred)
    matched = {view for views, rows in closing.related.items() if len(rows) for view in views}
    for number, table in enumerate(tables):
        if matched and number not in matched:
            yield f"{table.name}: no row is matched with one of another view; it was clustered by itself."


def _of_constraints(
    job: Job, several: bool, fit: Fit, closing: Closing, n_passed: int, n_inferred: int
) -> Iterator[str]:
    transfer, n_given = fit.model.transfer_, sum(map(len, fit.given))
    propagates = isinstance(transfer, ConstraintPropagation)
    if not n_given:
        yield "No constraints were given: nothing is known of which rows belong together."
        return
    if several and not closing.related:
        yield "No matches were used between the views: each was clustered by itself."
        return
    if not propagates:
        if several and not n_passed:
            yield (
                "The views told each other nothing: no constraint lies between two rows that are matched. Add matches "
                "for the rows that are constrained."
            )
        return
    n_light = sum(int((given.weights < transfer.threshold).sum()) for given in fit.given)
    if n_light:
        yield (
            f"{n_light} of the {n_given} constraints weigh less than the threshold {transfer.threshold:g}: they count "
            f"in their own view, but nothing is inferred from them or passed on. Give them more weight, or lower the "
            f"threshold (--threshold)."
        )
    if n_light == n_given or n_inferred:
        return
    if job.threshold == "cv":
        farther = f"Cross-validation chose the threshold {transfer.threshold:g}; a lower one (--threshold) lets"
    else:
        farther = "A lower threshold (--threshold), or one chosen by cross-validation (--threshold cv), lets"
    if several and not n_passed:
        yield (
            f"The views told each other nothing: no constraint reached two rows that are matched. {farther} them reach "
            f"farther; matches for the rows that are constrained help most."
        )
    else:
        yield (
            f"Nothing was inferred for rows near those that were judged; only what was said, and what follows from it, "
            f"was {'passed on' if several else 'used'}. {farther} it reach farther."
        )
