"""From the files of a job, as they were read, to the folder with its results."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mvcc._utils.environment import command_line, machine, now, versions
from mvcc.results import Clustering, parse_facts
from mvcc.tables._job import Job
from mvcc.tables.correcting._corrected import Reviewed
from mvcc.tables.correcting._corrections import NONE, with_matches
from mvcc.tables.explaining._distinguishing import notes_on_labels, with_likely_labels
from mvcc.tables.explaining._profiles import all_profiles, common_name, misnamed
from mvcc.tables.explaining._shown_rows import add_pictures, add_rows
from mvcc.tables.fitting._comparison import NOT_COMPARED, compare, method_for
from mvcc.tables.fitting._features import make_features
from mvcc.tables.fitting._fit import Rows, fit_job
from mvcc.tables.fitting._number_of_clusters import of_number, with_number
from mvcc.tables.model._saved import SavedClustering, SavedView
from mvcc.tables.output._continued import Former, continued
from mvcc.tables.output._facts import describe
from mvcc.tables.reading._inputs import Inputs


@dataclass(frozen=True, eq=False)
class Clustered:
    """A clustering: its facts, the tables of every view by file name, and the model, as it is
    stored and as fitted; and what it was made of.
    """

    reviewed: Reviewed
    tables: list[dict[str, Rows]]
    saved: SavedClustering
    model: Any
    job: Job
    inputs: Inputs

    @property
    def facts(self) -> Clustering:
        """The facts, after all corrections."""
        return self.reviewed.facts


def seconds_since(began: float) -> float:
    """Return how long a job has taken."""
    return round(time.perf_counter() - began, 1)


def clustered(
    said: Job,
    inputs: Inputs,
    began: float,
    on_step: Callable[[str], None],
    former: Former | None = None,
) -> Clustered:
    """Cluster what was read for a job that ``began`` then; the facts have the settings as said."""
    given = inputs.relations
    if former:
        inputs = with_matches(inputs, former.corrections)
    job, tables = with_number(said, inputs), inputs.tables
    on_step("features")
    features = [make_features(table, job) for table in tables]
    views = [feature.X for feature in features]
    method = method_for(job, views, inputs)
    fit = fit_job(method, on_step)
    continuation = continued(former, tables, fit) if former else None
    if continuation:
        fit = continuation.fit
    on_step("reasons")
    explained = method.explain(fit)
    tables = [
        with_likely_labels(table, labels) for table, labels in zip(tables, fit.labels, strict=True)
    ]
    # corrections change the matches again, as long as they stand
    inputs = replace(inputs, tables=tables, relations=given)
    comparison = NOT_COMPARED
    if job.comparison and job.k > 1:
        comparison = compare(fit, on_step)
    on_step("profiles")
    facts = describe(job, inputs, features, fit, explained, comparison, continuation) | {
        "settings": said.settings()
    }
    facts["warnings"] += continuation.warnings if continuation else []
    on_labels = [note for table in tables for note in notes_on_labels(table, job)]
    facts["warnings"] = [*on_labels, *facts["warnings"], *of_number(said, inputs)]
    facts["profiles"] = profiles = all_profiles(facts, tables, fit)
    for view, own in zip(facts["views"], profiles, strict=True):
        facts["warnings"] += misnamed(view["name"], view["names"], own)
    titles = [common_name(list(of_cluster)) for of_cluster in zip(*profiles, strict=True)]
    names = facts["names"] or titles
    facts["titles"] = [name or title for name, title in zip(names, titles, strict=True)]
    add_rows(facts, tables, inputs.relations)
    add_pictures(facts, tables)
    facts |= {
        "inputs": [{"path": path, "sha256": sha256, "rows": n} for path, n, sha256 in inputs.files],
        "command": command_line(),
        "versions": versions(),
        "machine": machine(),
        "finished": now(),
        "seconds": seconds_since(began),
    }
    saved = SavedClustering(
        [
            SavedView(
                table.name,
                table.columns,
                table.used,
                not isinstance(table.X, np.ndarray),
                list(job.views[table.name].missing or ()),
                table.id_column,
                features[view].transformer,
                fit.model.predictor(view),
                fit.numbers[view],
            )
            for view, table in enumerate(tables)
        ]
    )
    corrections = continuation.corrections if continuation else NONE
    reviewed = Reviewed.of(parse_facts(facts), tables, corrections)
    return Clustered(reviewed, explained.tables, saved, fit.model, job, inputs)
