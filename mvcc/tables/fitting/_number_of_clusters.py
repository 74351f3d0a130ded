"""The number of clusters: what a job says, or the number of groups that were named."""

from __future__ import annotations

from mvcc._utils.messages import counted
from mvcc.exceptions import ConfigError
from mvcc.tables._job import Job
from mvcc.tables.reading._inputs import Inputs, check_enough

_SETTLED = 10  # answers in a row that open no group


class UnknownNumberError(ConfigError):
    """The number of clusters is to follow from answers, and does not.

    `inputs`: those of the job if there are no constraints, so nothing is better than criteria.
    """

    def __init__(self, message: str, inputs: Inputs | None = None) -> None:
        super().__init__(message)
        self.inputs = inputs


def with_number(job: Job, inputs: Inputs) -> Job:
    """Return the job with its number of clusters as a number.

    Raises UnknownNumberError: where it is "auto" and fewer than two groups were named.
    Raises DataError: for more clusters than a view has rows.
    """
    answers = inputs.answers
    if job.n_clusters == "auto":
        n = answers.n_counted if answers else 0
        if n < 2:
            named = (
                f"{n or 'none'} {'was' if n else 'were'} named"
                if answers
                else "there are no answers"
            )
            is_constrained = answers is not None or any(map(len, inputs.constraints))
            raise UnknownNumberError(
                "n_clusters: auto (-k auto) takes the number of groups that answers name, and"
                f" {named}. Name two or more, or give a number.",
                None if is_constrained else inputs,
            )
        job = job.model_copy(update={"n_clusters": n})
    for table in inputs.tables:
        check_enough(table, job.k)
    return job


def of_number(job: Job, inputs: Inputs) -> list[str]:
    """Say that the number of groups may still change, where it may."""
    n = inputs.answers.n_in_a_row if inputs.answers and job.n_clusters == "auto" else None
    if n is None or n >= _SETTLED:
        return []
    return [
        f"The number of clusters is not settled: {counted(n, 'answer')} named a group since the"
        f" last one was opened. Answer until {_SETTLED} in a row open none."
    ]
