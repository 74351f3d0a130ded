"""A job from its files, before what clusters is imported, to its results; several k compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mvcc._utils.files import BOOKKEEPING, csv_bytes
from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import StoreError
from mvcc.reporting import figures
from mvcc.results import Clustering
from mvcc.tables._folders import folders_of
from mvcc.tables._job import Job
from mvcc.tables.fitting._number_of_clusters import with_number
from mvcc.tables.output._folder import inputs_of, results_folder, write_folder
from mvcc.tables.output._former import answered, read_former
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._read_inputs import read_inputs

CHOICE = "choosing_k.csv"
CURVES = "choosing_k.png"


def check_job(job: Job, *, scheduler: str | None = None) -> Inputs:
    """Read all files of a job, of folders a sample, and check them as `cluster_job` does."""
    job, inputs = _read(job, scheduler, lambda step: None)
    job = with_number(job, inputs)
    from mvcc.tables.fitting._fit import check_given  # numba, as in `read_inputs`

    check_given(job, inputs)
    return inputs


def _read(job: Job, scheduler: str | None, on_step: Callable[[str], None]) -> tuple[Job, Inputs]:
    """Return a job with its answers, and its inputs as they are clustered, of folders a sample."""
    job, former = read_former(job)
    with folders_of(job, scheduler, on_step) as folders:
        inputs = answered(job, read_inputs(job, folders), former)
    if former:
        inputs = former.matched(inputs)
    return job, inputs


def cluster_job(
    job: Job,
    folder: Path,
    *,
    fresh: bool = False,
    scheduler: str | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> Clustering:
    """Cluster the views of a job and write everything, the report as well, to a folder.

    A sample of a folder of Parquet files is clustered, then every row is assigned to a cluster.
    `fresh` replaces a clustering that the folder holds. `scheduler` is the address of a dask
    scheduler, whose workers read folders in place of processes of this machine. `on_step` gets
    each step before it is done.
    """
    began = time.perf_counter()
    on_step("reading")
    job, former = read_former(job)
    with folders_of(job, scheduler, on_step) as folders:
        inputs = answered(job, read_inputs(job, folders), former)
        with results_folder(folder, job, fresh=fresh) as out:
            with_number(job, inputs)
            # scikit-learn takes a second to import: problems with the files are reported before
            from mvcc.tables._clustering import clustered

            clustering = clustered(job, inputs, began, on_step, former)
            reviewed, tables, saved = clustering.reviewed, clustering.tables, clustering.saved
            del clustering  # the features and their graph take as much memory as the tables
            on_step("writing")
            return write_folder(out, job, inputs, tables, saved, reviewed, folders)


def try_numbers(
    job: Job,
    numbers: range,
    folder: Path,
    *,
    fresh: bool = False,
    scheduler: str | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> list[dict[str, Any]]:
    """Cluster by each of several k; write a table and a picture of how good each is, choose none.

    If there are many rows, objects are drawn, all constrained ones among them. What is returned
    has for each ``k`` how good it is, as ``comparison`` of ``clustering.json`` (None without
    constraints or matches), and the shares of the rows that the ``smallest`` and the ``largest``
    cluster of a view have.
    """
    on_step("reading")
    job, inputs = _read(job.model_copy(update={"n_clusters": numbers[-1]}), scheduler, on_step)
    with_number(job, inputs)
    with OutputFolder(folder, "a choice of k", fresh=fresh, inputs=inputs_of(job)) as out:
        present = {path.name for path in out.path.iterdir()}
        if others := sorted(present - {CHOICE, CURVES} - BOOKKEEPING):
            raise StoreError(
                f"{out.path} holds {others[0]}. Choose another folder for the numbers of clusters"
                " with --out."
            )
        out.refuse_taken([CHOICE, CURVES])
        tried = list(_tried(job, numbers, inputs, on_step))
        rows = [["" if x is None else f"{x:.6g}" for x in outcome.values()] for outcome in tried]
        picture = figures.picture_of_numbers(tried)
        out.write({CHOICE: csv_bytes([[*tried[0]], *rows]), CURVES: picture})
    return tried


def _tried(
    job: Job, numbers: range, inputs: Inputs, on_step: Callable[[str], None]
) -> Iterator[dict[str, Any]]:
    # scikit-learn and numba take a second to import: problems with the files are reported before
    from mvcc.tables.fitting._comparison import METHODS, Contest, drawn_rows, held_out_by
    from mvcc.tables.fitting._features import make_features
    from mvcc.tables.fitting._fit import fit_job

    all_rows = sum(table.n_all_rows or len(table.ids) for table in inputs.tables)
    if (rows := drawn_rows(job, inputs)) is not None:
        inputs = inputs.on_rows(rows)
    n_rows = sum(len(table.ids) for table in inputs.tables)
    for k in numbers:
        of_k = job.model_copy(update={"n_clusters": k, "stability_runs": 0})
        views = [make_features(table, of_k).X for table in inputs.tables]
        method = METHODS[job.method](of_k, views, inputs)

        def tell(step: str, k: int = k) -> None:
            on_step(f"k = {k}: {step}")

        fit = fit_job(method, tell)
        outcome = held_out_by(Contest(method, alone=True), fit.labels, tell)[job.method]
        shares = [np.bincount(labels, minlength=k) / len(labels) for labels in fit.labels]
        sizes = {"smallest": float(np.min(shares)), "largest": float(np.max(shares))}
        yield {"k": k, **outcome.facts(), **sizes, "rows": n_rows, "all_rows": all_rows}
