"""The folder that a clustering is written to: every file as a whole or not at all."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from mvcc._utils.files import LOCK, csv_bytes, damage_of, sha256_of
from mvcc._utils.ledger import LEDGER
from mvcc._utils.messages import clipped
from mvcc._utils.outputs import OutputFolder
from mvcc._utils.reading import content_of, opened
from mvcc.exceptions import DataError, StoreError
from mvcc.reporting.html import REPORT, REPORT_KIND
from mvcc.results import CLUSTERING as FACTS
from mvcc.results import Clustering, Input, ViewFacts, read_facts
from mvcc.tables._job import Job, load_job
from mvcc.tables._layout import (
    ALL_LABELS,
    ANSWERS,
    CONFIG,
    CORRECTIONS,
    DISPUTED,
    FORMER_MODEL,
    FOUND,
    LABELS,
    MODEL,
    MOVED,
    PROPAGATED,
    RECEIVED,
    SUSPICIOUS,
    TABLES,
)
from mvcc.tables.reading._answers import answer_files
from mvcc.tables.reading._partitions import input_sha256, is_folder, read_folder
from mvcc.tables.reading._people import log_in
from mvcc.tables.reading._records import LOG_COLUMNS
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.tables.correcting._corrected import Reviewed
    from mvcc.tables.fitting._method import Rows
    from mvcc.tables.model._saved import SavedClustering
    from mvcc.tables.reading._inputs import Inputs

_MARK = "# mvcc cluster"  # what the settings begin with that a folder was made by
KIND = "a clustering"  # what the files belong to
OUTLIER = -1  # in place of a cluster


@contextmanager
def results_folder(folder: Path, job: Job, *, fresh: bool) -> Iterator[OutputFolder]:
    """Give a folder for the results of a job, locked until all is written.

    Raises StoreError: if it holds a clustering that is not to be replaced, other files, or files
    that somebody changed, if another process writes to it, or if it cannot be written.
    """
    elsewhere = "choose another folder with --out"
    inputs = inputs_of(job)
    with OutputFolder(folder, KIND, fresh=fresh, inputs=inputs, elsewhere=elsewhere) as out:
        with out.explained(folder):
            _check(out, job)
        yield out


def _check(out: OutputFolder, job: Job) -> None:
    if (out.path / CORRECTIONS).exists() and out.fresh:
        raise StoreError(
            f"{out.path} has been corrected ({CORRECTIONS}), which --fresh would lose. Choose"
            f" another folder with --out; with --continue {out.path}, it is corrected as well."
        )
    if not (out.path / FACTS).exists():
        _refuse_others(out)
        out.fresh = True  # what a killed clustering left is ours
    elif not out.fresh:
        raise StoreError(
            f"{out.path} holds a clustering. Choose another folder with --out, or replace it with"
            " --fresh."
        )
    tables = [f"{view}/{table}" for view in job.views for table in TABLES]
    labels = [f"{name}/{ALL_LABELS}" for name, view in job.views.items() if is_folder(view.path)]
    out.refuse_taken([FACTS, CONFIG, MODEL, ANSWERS, DISPUTED, *tables, *labels])
    out.refuse_taken([REPORT], REPORT_KIND)


def _refuse_others(out: OutputFolder) -> None:
    """Refuse a folder that holds files, but no clustering."""
    others = sorted(path.name for path in out.path.iterdir() if path.name not in (LEDGER, LOCK))
    if others and not out.was_used():
        listed = clipped(", ".join(others[:3]), 200) + (" and more" if len(others) > 3 else "")
        raise StoreError(
            f"{out.path} holds {listed}, but no clustering. Choose another folder with --out."
        )


def _given_files(job: Job) -> list[str]:
    return [
        *(view.path for view in job.views.values()),
        *job.matches.values(),
        *job.constraints.values(),
    ]


def inputs_of(job: Job) -> list[str]:
    """Return all that a job reads: tables, matches, constraints, answers, and what it continues."""
    former = [] if job.continues is None else [job.continues]
    return [*_given_files(job), *answer_files(job), *former]


def job_of_clustering(folder: Path, facts: Clustering) -> Job:
    """Return the job that a clustering repeats.

    Raises StoreError: if it does not have the views of the facts.
    """
    job, names = load_job(folder / CONFIG), [view.name for view in facts.views]
    if list(job.views) != names:
        listed = clipped(", ".join(names), 200)
        raise StoreError(
            f"{folder / CONFIG} does not have the views of {FACTS}: {listed}. Restore the files, or"
            " cluster again."
        )
    return job


def inputs_of_clustering(folder: Path) -> list[str]:
    """Return the files that the clustering in a folder was made of.

    None if there is no clustering.
    """
    return inputs_of(load_job(folder / CONFIG)) if (folder / CONFIG).exists() else []


def check_clustering(folder: Path) -> tuple[int, list[str], list[str]]:
    """Compare the files of a clustering with its facts: how many fit, problems, and notes.

    Raises StoreError: when the facts themselves cannot be read.
    """
    facts, notes = read_facts(folder), list[str]()
    verified, wrong = check_files(folder, facts)
    if (folder / CONFIG).exists():
        for path, read in zip(
            _paths_now(load_job(folder / CONFIG), facts.inputs), facts.inputs, strict=True
        ):
            try:
                same = input_sha256(path) == read.sha256
            except (OSError, DataError):
                notes.append(f"{path}: the input cannot be read any more.")
            else:
                notes += [] if same else [f"{path}: the input has changed since; cluster it again."]
    return verified, wrong, notes


def check_files(folder: Path, facts: Clustering) -> tuple[int, list[str]]:
    """Compare the files of a clustering with its facts: how many fit, and problems."""
    verified, wrong = 1, list[str]()
    for number, view in enumerate(facts.views):
        labels = [row[:2] for row in _rows_of(folder / view.name / LABELS)]
        if sorted(labels) == _labels_told(view):
            verified += 1
        else:
            wrong.append(f"{view.name}/{LABELS}: it is missing, or is not what {FACTS} says.")
        for name, n_rows in _lengths_told(facts, number).items():
            if len(_rows_of(folder / view.name / name)) == n_rows + 1:
                verified += 1
            else:
                wrong.append(f"{view.name}/{name}: it is missing, or is not what {FACTS} says.")
        if view.n_all_rows is not None:
            if _rows_of_parts(folder / view.name / ALL_LABELS) == view.n_all_rows:
                verified += 1
            else:
                wrong.append(
                    f"{view.name}/{ALL_LABELS}: it is missing or damaged, or does not have"
                    f" {view.n_all_rows} rows."
                )
    needed = [MODEL, CONFIG, *((ANSWERS, DISPUTED) if facts.together else ())]
    wrong += [f"{name}: it is missing." for name in needed if not (folder / name).exists()]
    if (folder / MODEL).exists():
        try:
            damage = _damage_of_model(content_of(folder / MODEL), facts)
        except OSError as error:
            damage = f"it cannot be read: {error.strerror}"
        verified += not damage
        wrong += [f"{MODEL}: {damage}."] if damage else []
    return verified, wrong


def _labels_told(view: ViewFacts) -> list[list[str]]:
    """Return ids and clusters of all rows in any order, as the facts have them."""
    told = [[name, str(label)] for name, label in zip(view.ids, view.labels, strict=True)]
    left_out = [[name, str(OUTLIER)] for name in view.outliers]
    return sorted([["id", "cluster"], *told, *left_out])


def _lengths_told(facts: Clustering, number: int) -> dict[str, int]:
    """Return how many rows the tables of a view have beside its labels, by their names."""
    view = facts.views[number]
    if facts.joint:
        lengths = {MOVED: view.n_moved}
    else:
        lengths = {PROPAGATED: view.n_propagated.total, RECEIVED: view.n_received.total}
    of_view = [relation for relation in facts.relations if number in relation.views]
    if n_suspicious := sum(len(relation.suspicious) for relation in of_view):
        lengths[SUSPICIOUS] = n_suspicious
    return lengths


def load_model(path: str | os.PathLike[str]) -> SavedClustering:
    """Load the model that `mvcc cluster` has written, to give new rows their clusters.

    Nothing in the file can run: it is JSON and arrays, and of types that are not those of a model
    nothing is made.

    Parameters
    ----------
    path : str or path
        The folder of the results, whose model must have the checksum that ``clustering.json``
        names; or the file alone.

    Returns
    -------
    SavedClustering
        Its ``predict(X, view)`` returns clusters, numbered as in ``labels.csv``.

    Raises
    ------
    StoreError
        Where there is no model, or it is damaged, changed, of another format, or holds what mvcc
        never writes.

    See Also
    --------
    tables.SavedClustering : What it returns.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from mvcc import load_model
    >>> from mvcc.tables import cluster_job, load_job
    >>> with TemporaryDirectory() as folder:
    ...     config, results = Path(folder, "cluster.yaml"), Path(folder, "results")
    ...     sizes = pd.DataFrame({"size": [1, 2, 9, 8]})
    ...     sizes.to_csv(Path(folder, "sizes.csv"), index=False)
    ...     _ = config.write_text("{views: {sizes: sizes.csv}, n_clusters: 2}")
    ...     _ = cluster_job(load_job(config), results)
    ...     model = load_model(results)
    >>> low, high = model.predict([[1.0], [9.0]], view="sizes")
    >>> bool(low != high)
    True
    """
    path = Path(path)
    return corrected_model(path)[0] if path.is_dir() else _model_in(path, _content_of(path))


def corrected_model(folder: Path) -> tuple[SavedClustering, Clustering]:
    """Return the model in a folder, which gives rows of merged clusters to the one that is left."""
    model, facts = read_clustering(folder)
    return model.merged(facts.corrected.into) if facts.corrected else model, facts


def read_found(folder: Path) -> Clustering:
    """Return the facts of a clustering as its clusters were found, before all corrections."""
    return read_facts(folder, FOUND) if (folder / FOUND).exists() else read_facts(folder)


def read_clustering(folder: Path) -> tuple[SavedClustering, Clustering]:
    """Return the model in a folder of results as it was fitted, and the facts; as `load_model`."""
    file, facts = folder / MODEL, read_facts(folder)
    if not file.exists() and (folder / FORMER_MODEL).exists():
        raise StoreError(
            f"{folder / FORMER_MODEL} was written by an earlier mvcc and is not read. Cluster"
            " again."
        )
    content = _content_of(file)
    if damage := _damage_of_model(content, facts):
        raise StoreError(f"{file}: {damage}. Restore it, or cluster again.")
    return _model_in(file, content), facts


def _content_of(file: Path) -> bytes:
    try:
        return content_of(file)
    except OSError as error:
        raise StoreError(
            f"{file}: the model cannot be read: {error.strerror}. Cluster again."
        ) from error


def _model_in(file: Path, content: bytes) -> SavedClustering:
    from mvcc.tables.model._saved import SavedClustering  # which imports numba and scikit-learn

    return SavedClustering.from_bytes(content, str(file))


def _damage_of_model(content: bytes, facts: Clustering) -> str:
    return damage_of(content, [facts.model_sha256] if facts.model_sha256 else [])


def _paths_now(job: Job, read: tuple[Input, ...]) -> list[str]:
    """Return where the inputs of a clustering are by its settings.

    Answers are in one folder, by their names.
    """
    given = _given_files(job)
    if len(job.asked) > 1:
        return [*given, *(str(log_in(folder)) for folder in job.asked)]
    answers = os.path.dirname(next(iter([*answer_files(job), *job.constraints.values()]), ""))
    return [
        *given,
        *(os.path.join(answers, os.path.basename(one.path)) for one in read[len(given) :]),
    ]


def _rows_of(path: Path) -> list[list[str]]:
    try:
        with TextIOWrapper(opened(path), encoding="utf-8", newline="") as file:
            return list(csv.reader(file))
    except (OSError, ValueError, csv.Error):
        return []


def _rows_of_parts(path: Path) -> int:
    try:
        return read_folder(str(path)).n_rows
    except (OSError, DataError):
        return 0


def write_folder(
    out: OutputFolder,
    job: Job,
    inputs: Inputs,
    of_views: list[dict[str, Rows]],
    saved: SavedClustering,
    reviewed: Reviewed,
    add_labels: Callable[[Path, Clustering], Clustering] = lambda folder, facts: facts,
) -> Clustering:
    """Write labels, tables, model, config, facts and report in the place of the former ones.

    Returns the facts with the checksum of the model, and with what ``add_labels`` found, which
    writes the clusters of all rows of folders where model and labels are already.

    The former files stay until all is written. The facts are the first to go and the last to
    come, so that they are never those of other files.

    Raises StoreError: when something cannot be written.
    """
    from mvcc.reporting.html import clustering_page  # jinja2

    corrections, tables = reviewed.corrections.rows(), inputs.tables_read
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
        for name, content in labels_of(facts, tables).items():
            (new / name).write_bytes(content)
        if inputs.answers and inputs.answers.people:
            (new / ANSWERS).write_bytes(csv_bytes(inputs.answers.lines()))
        facts = add_labels(new, facts)
        if corrections:
            found = reviewed.found.model_copy(update=checksum)
            (new / FOUND).write_bytes(found.to_json())
            (new / CORRECTIONS).write_bytes(csv_bytes([LOG_COLUMNS, *corrections]))
        (new / FACTS).write_bytes(facts.to_json())
        (new / REPORT).write_bytes(clustering_page(facts))
        out.replace_all(new, FACTS, {REPORT: REPORT_KIND})
    return facts


def labels_of(facts: Clustering, tables: list[Table]) -> dict[str, bytes]:
    """Return the tables that follow from the facts: labels, and what corrections change as well.

    ``tables`` are those that were read, with the rows that were left out.
    """
    files = {
        f"{table.name}/{LABELS}": csv_bytes(_label_rows(table, view))
        for table, view in zip(tables, facts.views, strict=True)
    }
    if facts.together:
        files[DISPUTED] = csv_bytes(facts.together.disputed_lines())
    if facts.corrected:
        from mvcc.tables.fitting._joint import suspicious_lines  # scikit-learn

        suspicious = {
            one.views: {"suspicious": one.suspicious} for one in facts.relations if facts.joint
        }
        lines = suspicious_lines(facts.views, suspicious)
        for number, rows in lines.items():
            files[f"{facts.views[number].name}/suspicious.csv"] = csv_bytes(rows)
    return files


def _label_rows(table: Table, view: ViewFacts) -> Iterable[Iterable[Any]]:
    """Give a line for every row of a table.

    Those that were left out have no values but the label −1.
    """
    columns, values = label_columns(view)
    rows = [(name, *values[name]) for name in table.ids]
    if table.reference is None:
        return [("id", *columns), *rows]
    labelled = zip(rows, table.reference, strict=True)
    return [("id", *columns, "label"), *((*row, label) for row, label in labelled)]


def label_columns(view: ViewFacts) -> tuple[list[str], dict[str, tuple[Any, ...]]]:
    """Return the columns of ``labels.csv``, and every row's values by id.

    Outliers have none but the label −1.
    """
    columns: dict[str, Sequence[Any]] = {"cluster": view.labels}
    known = [own != other for own, other in zip(view.labels, view.second, strict=False)]
    if view.names:
        columns["name"] = [view.names[label] for label in view.labels]
    if view.probability:
        columns["probability"] = view.probability
        # after corrections, the second choice may be unknown: then it is the cluster itself
        for name in ("second", "second_probability"):
            told = zip(getattr(view, name), known, strict=True)
            columns[name] = [value if is_known else None for value, is_known in told]
    if None not in view.stability:
        columns["stability"] = view.stability
    if view.fit:  # which former versions did not tell
        columns["fit"] = view.fit
    values = dict(zip(view.ids, zip(*columns.values(), strict=True), strict=True))
    without = (OUTLIER, *[None] * (len(columns) - 1))
    return list(columns), values | dict.fromkeys(view.outliers, without)


def _yaml(job: Job, folder: Path) -> str:
    """Return the job as a file that repeats it from this folder."""
    settings = job.settings()

    def seen(path: str) -> str:
        return os.path.relpath(os.path.realpath(path), os.path.realpath(folder))

    for view in settings["views"].values():
        view["path"] = seen(view["path"])
        if not view["ignore"]:
            del view["ignore"]
    for key in ("matches", "constraints"):
        settings[key] = {name: seen(path) for name, path in settings[key].items()}
    for key in {"asked", "continues"} & settings.keys():
        paths = settings[key]
        settings[key] = seen(paths) if isinstance(paths, str) else list(map(seen, paths))
    return f"{_MARK} {CONFIG}\n{yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)}"
