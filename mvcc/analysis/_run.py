"""From a job to the folder with its results."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mvcc._disk import sha256_of
from mvcc._environment import command_line, machine, now, versions
from mvcc._messages import shown
from mvcc.analysis._because import Reasons
from mvcc.analysis._config import Job
from mvcc.analysis._facts import describe
from mvcc.analysis._features import make_features
from mvcc.analysis._fit import close_given, fit_job
from mvcc.analysis._flows import propagated, received
from mvcc.analysis._folder import check_folder, write_folder
from mvcc.analysis._pairs import read_constraints, read_matches
from mvcc.analysis._saved import SavedClustering
from mvcc.analysis._tables import Table, read_table
from mvcc.constraints import Constraints
from mvcc.exceptions import DataError
from mvcc.mapping import Relations


@dataclass(frozen=True, eq=False)
class Inputs:
    """All files of a job, read and checked.

    Attributes
    ----------
    tables : list of Table
    constraints : list of Constraints, one per view
    relations : dict {(u, v): (r, 2) array}
    checksums : dict {path: sha256}
    """

    tables: list[Table]
    constraints: list[Constraints]
    relations: Relations
    checksums: dict[str, str]


def read_inputs(job: Job) -> Inputs:
    """Read all files of a job.

    Raises
    ------
    DataError, InvalidInputError
        Name file, line and what is wrong.
    """
    tables = [read_table(name, view) for name, view in job.views.items()]
    for table in tables:
        if job.n_clusters > len(table.ids):
            raise DataError(f"{table.path}: {len(table.ids)} rows cannot be put into {job.n_clusters} clusters (-k).")
    constraints, relations = read_constraints(job, tables), read_matches(job, tables)
    paths = [*(table.path for table in tables), *job.matches.values(), *job.constraints.values()]
    try:
        checksums = {path: sha256_of(Path(path).read_bytes()) for path in paths}
    except OSError as error:
        raise DataError(f"{error.filename}: cannot be read any more: {error.strerror}.") from error
    return Inputs(tables, constraints, relations, checksums)


def check_job(job: Job) -> Inputs:
    """Read all files of a job, and close its constraints as `cluster_job` does.

    Raises
    ------
    DataError, InvalidInputError
        As `read_inputs`, and for too few constraints to cross-validate a threshold.
    ConstraintConflictError
        When constraints and relations contradict each other, unless the job drops such constraints.
    """
    inputs = read_inputs(job)
    sizes = [len(table.ids) for table in inputs.tables]
    close_given(job, inputs.constraints, inputs.relations, sizes, _caller(inputs.tables))
    return inputs


def cluster_job(
    job: Job, folder: Path, *, fresh: bool = False, on_step: Callable[[str], None] = lambda step: None
) -> dict[str, Any]:
    """Cluster the views of a job and write everything but the report to a folder.

    Parameters
    ----------
    job : Job
    folder : Path
    fresh : bool
        Replace a clustering by other settings that the folder holds.
    on_step : callable
        Told what is about to be done.

    Returns
    -------
    dict
        The facts that the report shows, as in ``clustering.json``.

    Raises
    ------
    MvccError
        For inputs that cannot be used, constraints that contradict each other, or a folder that cannot be written.
    """
    began = time.perf_counter()
    on_step("reading")
    inputs = read_inputs(job)
    tables = inputs.tables
    check_folder(folder, job, fresh=fresh)
    on_step("features")
    features = [make_features(table, job) for table in tables]
    views = [feature.X for feature in features]
    fit = fit_job(job, views, inputs.constraints, inputs.relations, _caller(tables), on_step)
    on_step("reasons")
    reasons = Reasons([table.ids for table in tables], fit.given, fit.relations, job.closure)
    flows = propagated(fit, reasons, views, job.transfer)
    arrived = received(fit, reasons, flows)
    facts = describe(job, tables, features, fit, flows, arrived)
    facts["inputs"] = _inputs(job, inputs)
    facts |= {"command": command_line(), "versions": versions(), "machine": machine(), "finished": now()}
    facts["seconds"] = round(time.perf_counter() - began, 1)
    on_step("writing")
    saved = SavedClustering(
        fit.model,
        [table.name for table in tables],
        [table.columns for table in tables],
        [feature.transformer for feature in features],
        fit.numbers,
    )
    write_folder(folder, job, tables, fit, flows, arrived, saved, facts)
    return facts


def _caller(tables: list[Table]) -> Callable[[int, int], str]:
    """Return what says how a message calls a row of a view."""
    return lambda view, row: f"{shown(tables[view].ids[row])} of {tables[view].name}"


def _inputs(job: Job, inputs: Inputs) -> list[dict[str, Any]]:
    number = {table.name: place for place, table in enumerate(inputs.tables)}
    counted = [(table.path, len(table.ids)) for table in inputs.tables]
    for pair, path in job.matches.items():
        u, v = sorted(number[name] for name in pair.split(":"))
        counted.append((path, len(inputs.relations[u, v])))
    counted += [(path, len(inputs.constraints[number[name]])) for name, path in job.constraints.items()]
    return [{"path": path, "sha256": inputs.checksums[path], "rows": rows} for path, rows in counted]
