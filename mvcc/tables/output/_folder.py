"""The folder that a clustering is written to: every file as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from mvcc._utils.files import BOOKKEEPING, csv_bytes, sha256_of
from mvcc._utils.messages import clipped, typed
from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import StoreError
from mvcc.reporting.html import REPORT, REPORT_KIND
from mvcc.results import CLUSTERING, Clustering, ViewFacts
from mvcc.tables._config import is_path, with_paths
from mvcc.tables._job import Job
from mvcc.tables._layout import (
    ALL_LABELS,
    ANSWERS,
    COLUMNS,
    CONFIG,
    CORRECTIONS,
    DISPUTED,
    FOUND,
    LABELS,
    MODEL,
    SUSPICIOUS,
    TABLES,
)
from mvcc.tables.correcting._corrections import LEFT_OUT
from mvcc.tables.reading._answers import answer_files
from mvcc.tables.reading._people import LOG_COLUMNS
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.tables._folders import Folders
    from mvcc.tables.correcting._corrected import Reviewed
    from mvcc.tables.fitting._fit import Rows
    from mvcc.tables.model._saved import SavedClustering
    from mvcc.tables.reading._inputs import Inputs

_MARK = "# mvcc cluster"  # what the settings begin with that a folder was made by
KIND = "a clustering"  # what the files belong to


@contextmanager
def results_folder(folder: Path, job: Job, *, fresh: bool) -> Iterator[OutputFolder]:
    """Give a folder for the results of a job, locked until all is written."""
    elsewhere = "choose another folder with --out"
    if not is_path(str(folder)):
        why = "not all characters of the path can be printed, so that no command would read it"
        raise StoreError(f"{clipped(str(folder))}: {why}. Choose another folder with --out.")
    inputs = inputs_of(job)
    with OutputFolder(folder, KIND, fresh=fresh, inputs=inputs, elsewhere=elsewhere) as out:
        _check(out, job)
        yield out


def _check(out: OutputFolder, job: Job) -> None:
    if (out.path / CORRECTIONS).exists() and out.fresh:
        raise StoreError(
            f"{out.path} has been corrected ({CORRECTIONS}), which --fresh would lose. Choose"
            f" another folder with --out; with --continue {typed(out.path)}, it is corrected as"
            " well."
        )
    if not (out.path / CLUSTERING).exists():
        if not out.was_used():
            refuse_others(out, "clustering")
        out.fresh = True  # what a killed clustering left is ours
    elif not out.fresh:
        raise StoreError(
            f"{out.path} holds a clustering. Choose another folder with --out, or replace it with"
            " --fresh."
        )
    tables = [f"{view}/{table}" for view in job.views for table in TABLES]
    labels = [f"{key}/{ALL_LABELS}" for key, view in job.views.items() if os.path.isdir(view.path)]
    out.refuse_taken([CLUSTERING, CONFIG, MODEL, ANSWERS, DISPUTED, *tables])
    out.refuse_taken(labels, folders=True)
    out.refuse_taken([REPORT], REPORT_KIND)


def refuse_others(out: OutputFolder, kind: str) -> None:
    """Refuse a folder that holds something, but nothing of ours."""
    with out.explained(out.path):
        others = sorted({path.name for path in out.path.iterdir()} - BOOKKEEPING)
    if others:
        listed = clipped(", ".join(others[:3]), 200)
        if len(others) > 3:
            listed += " and more"
        raise StoreError(
            f"{out.path} holds {listed}, but no {kind}. Choose another folder with --out."
        )


def given_files(job: Job) -> list[str]:
    tables = [view.path for view in job.views.values()]
    return [*tables, *job.matches.values(), *job.constraints.values()]


def inputs_of(job: Job) -> list[str]:
    """Return all that a job reads: tables, matches, constraints, answers, and what it continues."""
    return [*given_files(job), *answer_files(job), *filter(None, [job.continues])]


def write_folder(
    out: OutputFolder,
    job: Job,
    inputs: Inputs,
    of_views: list[dict[str, Rows]],
    saved: SavedClustering,
    reviewed: Reviewed,
    folders: Folders | None = None,
) -> Clustering:
    """Write all results in the place of the former ones, which stay until all is written.

    The facts are the first to go and the last to come, so that they are never those of other files.
    All rows of ``folders`` get their clusters by model and labels.
    """
    from mvcc.reporting.html import clustering_page  # jinja2

    uncorrected, tables = reviewed.draft.found, inputs.tables_read
    with out.staged("clustering") as new:
        (new / CONFIG).write_bytes(_yaml(job, out.path).encode())
        for table, files in zip(tables, of_views, strict=True):
            (new / table.name).mkdir()
            for name, lines in files.items():
                (new / table.name / name).write_bytes(csv_bytes(lines))
        model = saved.to_bytes()
        (new / MODEL).write_bytes(model)
        checksum = {"model_sha256": sha256_of(model)}
        facts = reviewed.facts.model_copy(update=checksum)
        for name, content in labels_of(facts, tables, uncorrected).items():
            (new / name).write_bytes(content)
        if inputs.answers and inputs.answers.people:
            (new / ANSWERS).write_bytes(csv_bytes(inputs.answers.lines()))
        if folders:
            facts = folders.label(job, saved, new, facts)
        if log := reviewed.draft.lines:
            (new / FOUND).write_bytes(uncorrected.model_copy(update=checksum).to_json())
            corrections = ([line.id, line.answer, line.when] for line in log)
            (new / CORRECTIONS).write_bytes(csv_bytes([LOG_COLUMNS, *corrections]))
        (new / CLUSTERING).write_bytes(facts.to_json())
        (new / REPORT).write_bytes(clustering_page(facts))
        out.replace_all(new, CLUSTERING, {REPORT: REPORT_KIND})
    return facts


def labels_of(facts: Clustering, tables: list[Table], uncorrected: Clustering) -> dict[str, bytes]:
    """Return the tables that follow from the facts: labels of rows, disputes, doubted matches."""
    files = {}
    for table, view in zip(tables, facts.views, strict=True):
        columns, values = label_columns(view)
        lines = [("id", *columns), *((name, *values[name]) for name in table.ids)]
        if table.reference is not None:
            labels = ("label", *table.reference)
            lines = [(*line, label) for line, label in zip(lines, labels, strict=True)]
        files[f"{table.name}/{LABELS}"] = csv_bytes(lines)
    if facts.together:
        files[DISPUTED] = csv_bytes(facts.together.disputed_lines())
    doubtful = [relation.views for relation in uncorrected.relations if relation.suspicious]
    for position in sorted({*chain(*doubtful)}):
        rows = [[*COLUMNS[SUSPICIOUS]], *_suspicious(facts, position)]
        files[f"{facts.views[position].name}/{SUSPICIOUS}"] = csv_bytes(rows)
    return files


def _suspicious(facts: Clustering, view: int) -> Iterator[list[Any]]:
    """Give the matches of a view that seem to be wrong, its own rows first."""
    own_ids = facts.views[view].ids
    for relation in facts.relations:
        if view in relation.views:
            side = relation.views.index(view)
            other = facts.views[relation.views[1 - side]]
            for match in relation.suspicious:
                rows, left_out = (match.i, match.j), "yes" if match.dropped else "no"
                ids = own_ids[rows[side]], other.name, other.ids[rows[1 - side]]
                yield [*ids, round(match.suspicion, 4), left_out]


def clusters_of(view: ViewFacts) -> dict[str, int]:
    """Return the cluster of every row by its id, also of those that were left out."""
    return dict(zip(view.ids, view.labels, strict=True)) | dict.fromkeys(view.outliers, LEFT_OUT)


def label_columns(view: ViewFacts) -> tuple[list[str], dict[str, tuple[Any, ...]]]:
    """Return the columns of ``labels.csv``, and every row's values by id: of outliers only −1."""
    columns: dict[str, Sequence[Any]] = {"cluster": view.labels}
    has_second = [label != second for label, second in zip(view.labels, view.second, strict=False)]
    if view.names:
        columns["name"] = [view.names[label] for label in view.labels]
    if view.probability:
        columns["probability"] = view.probability
        # after corrections, the second choice may be unknown: then it is the cluster itself
        for name in ("second", "second_probability"):
            cells = zip(getattr(view, name), has_second, strict=True)
            columns[name] = [value if is_known else None for value, is_known in cells]
    if None not in view.stability:
        columns["stability"] = view.stability
    if view.fit:  # which former versions did not tell
        columns["fit"] = view.fit
    values = dict(zip(view.ids, zip(*columns.values(), strict=True), strict=True))
    of_outliers = (LEFT_OUT, *[None] * (len(columns) - 1))
    return list(columns), values | dict.fromkeys(view.outliers, of_outliers)


def _yaml(job: Job, folder: Path) -> str:
    """Return the job as a file that repeats it from this folder."""
    base = os.path.realpath(folder)

    def path_of(path: str) -> str:
        parent, name = os.path.split(path)  # a link keeps its own name, which tells the format
        return os.path.relpath(os.path.join(os.path.realpath(parent), name), base)

    settings = with_paths(job.settings(), path_of)
    for view in settings["views"].values():
        if not view["ignore"]:
            del view["ignore"]
    return f"{_MARK} {CONFIG}\n{yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)}"
