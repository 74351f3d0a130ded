"""A clustering read back from its folder: settings, facts, model, and whether all is as written."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from mvcc._utils.files import LEDGER, Ledger, damage_of, entries_in
from mvcc._utils.messages import about, agreeing, clipped, counted, typed
from mvcc._utils.reading import content_of, opened
from mvcc.exceptions import DataError, StoreError
from mvcc.results import CLUSTERING, Clustering, Input, ViewFacts, read_facts
from mvcc.tables._config import load_job
from mvcc.tables._job import Job
from mvcc.tables._layout import (
    ALL_LABELS,
    ANSWERS,
    CONFIG,
    CORRECTIONS,
    DISPUTED,
    FOUND,
    LABELS,
    MODEL,
    MOVED,
    PROPAGATED,
    RECEIVED,
    SUSPICIOUS,
)
from mvcc.tables.correcting._corrections import Corrections, read_corrections
from mvcc.tables.output._folder import KIND, given_files, inputs_of, label_columns
from mvcc.tables.reading._answers import answer_files
from mvcc.tables.reading._parquet import input_sha256, read_folder
from mvcc.tables.reading._people import log_in

if TYPE_CHECKING:
    from mvcc.tables.model._saved import SavedClustering
    from mvcc.tables.reading._inputs import Inputs


def job_of_clustering(folder: Path, facts: Clustering) -> Job:
    """Return the job that a clustering repeats, which must have its views."""
    job, names = load_job(folder / CONFIG), [view.name for view in facts.views]
    if list(job.views) != names:
        listed = clipped(", ".join(names), 200)
        raise StoreError(
            f"{folder / CONFIG} does not have the views of {CLUSTERING}: {listed}. Restore the"
            " files, or cluster again."
        )
    return job


def refuse_samples(folder: Path, facts: Clustering, why: str = "") -> None:
    """Refuse a clustering of folders, of whose rows it holds a sample."""
    for view in facts.views:
        if view.n_all_rows is not None:
            raise DataError(
                f"{view.source} is a folder of Parquet files, of which a sample was clustered;"
                f" {why}the labels of all its rows are in {folder / view.name / ALL_LABELS}."
            )


def moved_perhaps(folder: Path) -> AbstractContextManager[None]:
    """Add to what is wrong with the tables of a clustering what to do if its folder was moved."""
    return about(advice=f" If {folder} was moved, correct its {CONFIG}.", kind=DataError)


def has_changed(table: str, folder: Path, is_same_file: bool = False) -> DataError:
    """Return what is wrong with a table that is not as the clustering in a folder had it."""
    problem = "has changed since it was clustered. Restore the file, or cluster"
    if is_same_file:
        problem = "is as it was clustered, but this version reads its rows otherwise. Cluster"
    return DataError(
        f"{table} {problem} it anew:"
        f" mvcc cluster {typed(folder / CONFIG)} --continue {typed(folder)} --out NEW"
    )


def same_tables(facts: Clustering, inputs: Inputs) -> set[str]:
    """Return the views whose tables are the files that were clustered, by their checksums."""
    sums_before = {file.path: file.sha256 for file in facts.inputs}
    sums_now = {path: sha256 for path, _, sha256 in inputs.files}
    before = {(view.name, sums_before.get(view.source)) for view in facts.views}
    now = {table.name: sums_now.get(table.path, "") for table in inputs.tables_read}
    return {name for name, sha256 in now.items() if (name, sha256) in before}


def inputs_of_clustering(folder: Path) -> list[str]:
    """Return the files that the clustering in a folder, if any, was made of."""
    return inputs_of(load_job(folder / CONFIG)) if (folder / CONFIG).exists() else []


def check_clustering(folder: Path) -> tuple[int, list[str], list[str]]:
    """Compare the files of a clustering with its facts: how many fit, problems, and notes."""
    facts, notes = read_facts(folder), list[str]()
    verified, problems = check_files(folder, facts)
    if problems and (message := unfinished_review(folder)):
        notes.append(message)
    if (folder / CONFIG).exists():
        paths = _paths_now(load_job(folder / CONFIG), facts.inputs)
        for path, file in zip(paths, facts.inputs, strict=True):
            try:
                if input_sha256(path) != file.sha256:
                    notes.append(f"{path}: the input has changed since; cluster it again.")
            except (OSError, DataError):
                notes.append(f"{path}: the input cannot be read any more.")
    return verified, problems, notes


def unfinished_review(folder: Path) -> str:
    """Say what finishes the work of a review that may have been killed, if there was one."""
    if not ((folder / CORRECTIONS).exists() and (folder / FOUND).exists()):
        return ""
    return f"If `mvcc review` was killed: mvcc review {typed(folder)} --json finishes its work."


def check_files(folder: Path, facts: Clustering) -> tuple[int, list[str]]:
    """Compare the files of a clustering with its facts: how many fit, and problems."""
    verified, problems = 1, list[str]()
    for position, view in enumerate(facts.views):
        path = folder / view.name
        is_right = {LABELS: _has_labels(path / LABELS, view)}
        for name, n_rows in _lengths_told(facts, position).items():
            is_right[name] = len(_rows_of(path / name)) == n_rows + 1
        if view.n_all_rows is not None:
            sizes = _sizes_of_parts(path / ALL_LABELS)
            sizes_fit = all(sizes[n] == size for n, size in enumerate(view.all_sizes))
            is_right[ALL_LABELS] = sizes_fit and sizes.total() == view.n_all_rows
        verified += sum(is_right.values())
        for name in (name for name in is_right if not is_right[name]):
            hint = f" {_by_hand(folder)}" if name == LABELS else ""
            wrong = f"it is missing, or is not what {CLUSTERING} says.{hint}"
            problems.append(f"{view.name}/{name}: {wrong}")
    problems += _unlike_corrections(folder, facts)
    needed = [MODEL, CONFIG]
    if facts.together:
        needed += [ANSWERS, DISPUTED]
    problems += [f"{name}: it is missing." for name in needed if not (folder / name).exists()]
    if (folder / MODEL).exists():
        try:
            damage = _damage_of_model(content_of(folder / MODEL), facts)
        except OSError as error:
            damage = f"it cannot be read: {error.strerror}"
        verified += not damage
        if damage:
            problems.append(f"{MODEL}: {damage}.")
    return verified, problems


def _has_labels(path: Path, view: ViewFacts) -> bool:
    """Tell whether ``labels.csv`` of a view has its clusters, and their names if any."""
    columns, values = label_columns(view)
    lines = [("id", *columns), *((name, *cells) for name, cells in values.items())]
    n_columns = 2 + bool(view.names)
    expected = [["" if cell is None else str(cell) for cell in line[:n_columns]] for line in lines]
    return sorted(row[:n_columns] for row in _rows_of(path)) == sorted(expected)


def _by_hand(folder: Path) -> str:
    return f"Changes by hand are not taken: correct clusters with `mvcc review {typed(folder)}`."


def _unlike_corrections(folder: Path, facts: Clustering) -> list[str]:
    """Return what is wrong if the facts do not follow from the log of corrections."""
    if not ((folder / FOUND).exists() or (folder / CORRECTIONS).exists() or facts.corrected):
        return []
    from mvcc.tables.correcting._draft import Draft  # imports scikit-learn

    try:
        corrections, uncorrected = read_corrections(folder), read_found(folder)
    except StoreError as error:
        return [str(error)]
    if Draft.of(uncorrected, corrections).sentences == facts.corrections:
        return []
    if n := n_lacking(uncorrected, corrections, facts.corrections):
        return [
            f"{CORRECTIONS}: it lacks {counted(n, 'correction')} of {CLUSTERING}. Restore it, or"
            f" `mvcc review` drops {agreeing(n, 'it', 'them')}."
        ]
    return [f"{CORRECTIONS}: {CLUSTERING} does not follow from it."]


def n_lacking(uncorrected: Clustering, corrections: Corrections, stored: Sequence[str]) -> int:
    """Count stored sentences that no correction says; none if all were said, as at a kill."""
    from mvcc.tables.correcting._draft import Draft  # imports scikit-learn

    lacking = Counter(stored) - Counter(Draft.of(uncorrected, corrections).sentences)
    prefixes = (corrections[:n] for n in range(len(corrections)))
    if lacking and any(Draft.of(uncorrected, prefix).sentences == stored for prefix in prefixes):
        return 0
    return lacking.total()


def _lengths_told(facts: Clustering, position: int) -> dict[str, int]:
    """Return how many rows the tables of a view have beside its labels, by their names."""
    view = facts.views[position]
    if facts.joint:
        lengths = {MOVED: view.n_moved}
    else:
        lengths = {PROPAGATED: view.n_propagated.total, RECEIVED: view.n_received.total}
    of_view = [relation for relation in facts.relations if position in relation.views]
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
        never writes; or where somebody has changed the labels in the folder.

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
    if path.is_dir():
        return corrected_model(path)[0]
    return model_in(path)


def corrected_model(folder: Path) -> tuple[SavedClustering, Clustering]:
    """Return the model in a folder, which gives rows of merged clusters to the one that is left."""
    facts = read_result(folder)
    return model_in(folder / MODEL, facts).merged(facts.into), facts


def read_result(folder: Path) -> Clustering:
    """Return the facts of a clustering, unless somebody has changed its labels by hand."""
    facts, ledger = read_facts(folder), Ledger(folder, entries_in(folder / LEDGER))
    for view in facts.views:
        name = f"{view.name}/{LABELS}"
        is_ours = not os.path.exists(folder / name) or not ledger.why_not_ours(name, KIND)
        if not (is_ours or _has_labels(folder / name, view)):
            raise StoreError(
                f"{folder / name} is not what {CLUSTERING} says. {_by_hand(folder)} First restore"
                " the file, or move it away."
            )
    return facts


def read_found(folder: Path) -> Clustering:
    """Return the facts of a clustering as its clusters were found, before all corrections."""
    if (folder / FOUND).exists():
        return read_facts(folder, FOUND)
    facts = read_facts(folder)
    if facts.corrected:
        raise StoreError(
            f"{folder / FOUND}, the clusters as they were found, is missing. Restore it, or cluster"
            " again."
        )
    return facts


def model_in(file: Path, facts: Clustering | None = None) -> SavedClustering:
    """Return the model in a file, which must have the checksum that the facts name."""
    try:
        content = content_of(file)
    except OSError as error:
        why = f"the model cannot be read: {error.strerror}"
        remedy = "Cluster again" if facts else "Name a folder that `mvcc cluster` wrote"
        raise StoreError(f"{file}: {why}. {remedy}.") from error
    if facts and (damage := _damage_of_model(content, facts)):
        raise StoreError(f"{file}: {damage}. Restore it, or cluster again.")
    from mvcc.tables.model._saved import SavedClustering  # which imports numba and scikit-learn

    return SavedClustering.from_bytes(content, str(file))


def _damage_of_model(content: bytes, facts: Clustering) -> str:
    return damage_of(content, [*filter(None, [facts.model_sha256])])


def _paths_now(job: Job, inputs: tuple[Input, ...]) -> list[str]:
    """Return where the inputs of a clustering are by its settings."""
    paths = given_files(job)
    if len(job.asked) > 1:
        return [*paths, *(str(log_in(folder)) for folder in job.asked)]
    answers = os.path.dirname(next(iter([*answer_files(job), *job.constraints.values()]), ""))
    names = [os.path.basename(file.path) for file in inputs[len(paths) :]]  # all in one folder
    return [*paths, *(os.path.join(answers, name) for name in names)]


def _rows_of(path: Path) -> list[list[str]]:
    try:
        with TextIOWrapper(opened(path), encoding="utf-8", newline="") as file:
            return list(csv.reader(file))
    except (OSError, ValueError, csv.Error):
        return []


def _sizes_of_parts(path: Path) -> Counter[int]:
    """Count the rows of every cluster in a folder of labels; none if it cannot be read."""
    sizes = Counter[int]()
    try:
        for piece in read_folder(str(path)).pieces:
            for frame in piece.frames(["cluster"]):
                sizes.update(frame["cluster"].tolist())
    except (OSError, DataError, KeyError):
        return Counter()
    return sizes
