"""From the files of a job, as they were read, to the folder with its results."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mvcc._utils.environment import command_line, machine, now, versions
from mvcc.jobs._co_em import CoEM
from mvcc.jobs._config import Job
from mvcc.jobs._facts import describe
from mvcc.jobs._features import make_features
from mvcc.jobs._fit import fit_job
from mvcc.jobs._folder import write_folder
from mvcc.jobs._inputs import Inputs, caller_of
from mvcc.jobs._joint import Joint
from mvcc.jobs._number_of_clusters import of_number, with_number
from mvcc.jobs._saved import SavedClustering


def cluster_inputs(
    said: Job, inputs: Inputs, folder: Path, began: float, on_step: Callable[[str], None]
) -> dict[str, Any]:
    """Cluster what was read, and write everything but the report; `began` is when the job did.

    The settings that are written are those that were said, also where the number of clusters follows from answers.

    Returns and raises what `cluster_job` does.
    """
    job, tables = with_number(said, inputs), inputs.tables
    on_step("features")
    features = [make_features(table, job) for table in tables]
    views = [feature.X for feature in features]
    kind = Joint if job.method == "joint" else CoEM
    method = kind(job, views, inputs.constraints, inputs.relations, caller_of(tables))
    fit = fit_job(job, method, inputs.relations, on_step)
    on_step("reasons")
    explained = method.explain(tables, fit)
    facts = describe(job, inputs, features, fit, explained) | {"settings": said.settings()}
    facts["warnings"] += of_number(said, inputs)
    facts["inputs"] = [{"path": path, "sha256": sha256, "rows": n} for path, n, sha256 in inputs.files]
    facts |= {"command": command_line(), "versions": versions(), "machine": machine(), "finished": now()}
    facts["seconds"] = round(time.perf_counter() - began, 1)
    on_step("writing")
    saved = SavedClustering(
        fit.model,
        [table.name for table in tables],
        [table.columns for table in tables],
        [table.used for table in tables],
        [not isinstance(table.X, np.ndarray) for table in tables],
        [feature.transformer for feature in features],
        fit.numbers,
    )
    write_folder(folder, said, inputs.tables_read, explained.tables, saved, facts)
    return facts
