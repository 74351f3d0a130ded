"""A job from its files to the folder with its results.

What clusters is imported once the files have been read.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from mvcc.results import Clustering
from mvcc.tables._job import Job
from mvcc.tables.fitting._number_of_clusters import with_number
from mvcc.tables.folders._folders import folders_of
from mvcc.tables.output._continued import read_former
from mvcc.tables.output._folder import results_folder
from mvcc.tables.reading._answers import with_answers
from mvcc.tables.reading._inputs import Inputs, caller_of, read_inputs


def check_job(job: Job, *, scheduler: str | None = None) -> Inputs:
    """Read all files of a job, of folders a sample, and check them as `cluster_job` does.

    Raises DataError, InvalidInputError: as `read_inputs` and `with_answers`, and for too few
    constraints to cross-validate a threshold.
    Raises ConstraintConflictError: when constraints and relations contradict each other, unless
    the job drops such constraints.
    """
    job, _ = read_former(job)
    with folders_of(job, scheduler, lambda step: None) as folders:
        inputs = with_answers(job, read_inputs(job, folders))
    job = with_number(job, inputs)
    from mvcc.tables.fitting._given import check_given  # numba, as in `read_inputs`

    sizes = [len(table.ids) for table in inputs.tables]
    check_given(job, inputs.constraints, inputs.relations, sizes, caller_of(inputs.tables))
    return inputs


def cluster_job(
    job: Job,
    folder: Path,
    *,
    fresh: bool = False,
    scheduler: str | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> Clustering:
    """Cluster the views of a job and write everything, the report as well, to a folder.

    A sample of a folder is clustered, then every row is assigned to a cluster.

    `fresh`: replace a clustering that the folder holds.
    `scheduler`: the address of the dask scheduler whose workers read folders; by default,
    processes of this machine do.
    `on_step`: told what is about to be done.
    Returns: the facts that the report shows, as in ``clustering.json``.
    Raises MvccError: for inputs that cannot be used, constraints that contradict each other, or
    a folder that cannot be written.
    """
    began = time.perf_counter()
    on_step("reading")
    job, former = read_former(job)
    with folders_of(job, scheduler, on_step) as folders:
        inputs = with_answers(job, read_inputs(job, folders))
        with results_folder(folder, job, fresh=fresh) as out:
            with_number(job, inputs)
            # scikit-learn takes a second to import: problems with the files are reported before
            from mvcc.tables._clustering import cluster_inputs

            return cluster_inputs(job, inputs, out, began, on_step, folders, former)
