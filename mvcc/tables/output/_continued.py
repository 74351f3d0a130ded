"""An earlier clustering that a new one continues: its clusters keep their numbers and names."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from mvcc._utils.messages import clipped, counted, typed
from mvcc._utils.names import view_and_id
from mvcc._utils.types import Ints
from mvcc.exceptions import DataError, StoreError
from mvcc.results import Changes, Clustering, Continued, read_facts
from mvcc.tables._job import Job, load_job
from mvcc.tables._layout import ANSWERS, CONFIG, CORRECTIONS
from mvcc.tables.correcting._corrections import (
    NONE,
    Corrections,
    is_about_cluster,
    read_corrections,
    rows_in,
)
from mvcc.tables.output._stored import check_files, read_clustering, read_found
from mvcc.tables.reading._people import log_in
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.tables.fitting._fit import Fit
    from mvcc.tables.model._saved import SavedClustering

_MOST = 1 / 2  # of the rows of a cluster: where these are, the cluster is
_PART = 1 / 10  # of a cluster, at least, that another one takes over
_ENOUGH = 5  # shared rows for each former cluster, or the stored model decides


def rows_in_both(former: Ints, found: Ints, sizes: tuple[int, int]) -> Ints:
    """Count the rows of every two clusters; a negative number is that of a row without one."""
    counts = np.zeros(sizes, dtype=np.int64)
    inside = (former >= 0) & (found >= 0)
    np.add.at(counts, (former[inside], found[inside]), 1)
    return counts


def numbers_like(counts: Ints) -> Ints:
    """Give clusters the numbers of the former ones that they share most rows with, in sum.

    A cluster takes over a number if half of its own rows, or half of those of the former cluster,
    are in both (`rows_in_both`); the others get numbers that no former cluster has.
    """
    # SciPy is of no use before tables have been read
    from scipy.optimize import linear_sum_assignment

    n_former, n_found = counts.shape
    former, found = linear_sum_assignment(counts, maximize=True)
    both = counts[former, found]
    smaller = np.minimum(counts.sum(axis=1)[former], counts.sum(axis=0)[found])
    same = (both > 0) & (both >= _MOST * smaller)
    numbers = np.full(n_found, -1, dtype=np.int64)
    numbers[found[same]] = former[same]
    others = numbers < 0
    numbers[others] = n_former + np.arange(others.sum())
    return numbers


def renumbered(counts: Ints, former: Ints) -> tuple[Ints, dict[str, Any]]:
    """Return the numbers of `numbers_like`, and how the clusters differ from the former ones."""
    numbers = numbers_like(counts)
    like = np.zeros((len(counts), 1 + max(numbers)), dtype=np.int64)
    like[:, numbers] = counts
    return numbers, changes_in(like, former, numbers)


def changes_in(counts: Ints, former: Ints, found: Ints) -> dict[str, Any]:
    """Compare clusters, counted by the numbers of `numbers_like`, as ``Changes`` of the facts."""
    split, merged = _divided(counts, former), _divided(counts.T, found)
    explained = {part for _, parts in (*split, *merged) for part in parts}
    return {
        "shared": int(counts.sum()),
        "kept": int(np.trace(counts)),
        "split": split,
        "merged": merged,
        "new": tuple(sorted({*found.tolist()} - {*former.tolist()} - explained)),
        "vanished": tuple(sorted({*former.tolist()} - {*found.tolist()} - explained)),
    }


def _divided(counts: Ints, clusters: Ints) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the clusters (rows) that several of the other clustering took over, and these."""
    sizes, of_others, origin = counts.sum(axis=1), counts.sum(axis=0), counts.argmax(axis=0)
    divided = []
    for cluster in clusters.tolist():
        share = counts[cluster] / max(sizes[cluster], 1)
        most = counts[cluster] >= _MOST * of_others
        parts = np.flatnonzero((share >= _PART) & most & (origin == cluster))
        if len(parts) > 1:
            divided.append((cluster, tuple(parts.tolist())))
    return tuple(divided)


@dataclass(frozen=True, eq=False)
class Former:
    """An earlier clustering."""

    called: str  # by messages: the folder
    facts: Clustering  # as its clusters were found, before corrections
    model: Callable[[], SavedClustering]  # loads it, which is needed only without shared rows
    corrections: Corrections = NONE
    n_numbers: int = 0  # of clusters that corrections have opened as well


def read_former(job: Job) -> tuple[Job, Former | None]:
    """Return the clustering that a job continues, and the job with its answers."""
    if job.continues is None:
        return job, None
    folder = Path(os.path.normpath(job.continues))
    facts = read_facts(folder)
    _, problems = check_files(folder, facts)
    if problems:
        mend = "Restore it, or cluster it again."
        if (folder / CORRECTIONS).exists():
            mend = f"If a review was killed: mvcc review {typed(folder)} --json finishes its work."
        raise StoreError(f"{folder} cannot be continued: {problems[0]} {mend}")
    names = [view.name for view in facts.views]
    if not set(names) & set(job.views):
        raise StoreError(
            f"{folder} cannot be continued: its views are {clipped(', '.join(names), 100)}, and"
            f" none of them is clustered here ({clipped(', '.join(job.views), 100)})."
        )
    former = Former(
        str(folder),
        read_found(folder),
        lambda: read_clustering(folder)[0],
        read_corrections(folder),
        facts.n_clusters,
    )
    if not job.asked:
        job = job.model_copy(update={"asked": _folders_of_answers(folder)})
    return job, former


def _folders_of_answers(folder: Path) -> tuple[str, ...]:
    """Return the folders of answers that a clustering was made with, or itself if some are gone."""
    asked = load_job(folder / CONFIG).asked
    there = tuple(path for path in asked if log_in(path).exists())
    if there == asked:
        return asked
    if not (folder / ANSWERS).exists():
        gone = next(path for path in asked if path not in there)
        raise DataError(
            f"{gone}, which has the answers that {folder} was made with, is not there any more."
            " Name the folder of these answers with --asked."
        )
    return (*there, str(folder))


@dataclass(frozen=True, eq=False)
class Continuation:
    """A fit whose clusters have the numbers of a former clustering."""

    fit: Fit
    facts: Continued
    names: list[list[str]]  # of the clusters, per view, as people gave them before
    names_from: str  # where
    corrections: Corrections  # the former ones whose numbers mean the same clusters now
    warnings: list[str]


def continued(former: Former, tables: list[Table], fit: Fit) -> Continuation:
    """Give clusters the numbers of the former ones, as `numbers_like`."""
    facts, n_found = former.facts, fit.n_numbers
    n_former = max(facts.n_clusters, former.n_numbers)
    numbers, changes = [np.arange(n_found) for _ in tables], []
    like = {view.name: view.name for view in facts.views}  # whose numbers a view has now
    for views in fit.method.numbered_alike:
        known = [view for view in views if facts.view(tables[view].name)]
        if not known:
            continue
        # of views that were numbered apart, one gives the numbers, and those that were like it
        first = tables[known[0]].name
        (giving,) = (names for names in facts.numbered_as_one if first in names)
        like |= {tables[view].name: first for view in known if tables[view].name not in giving}
        known = [view for view in known if tables[view].name in giving]
        before, by_model = _former_clusters(former, [tables[view] for view in known])
        after = np.concatenate([fit.labels[view] for view in known])
        counts = rows_in_both(before, after, (n_former, n_found))
        called = tuple(tables[view].name for view in views)
        former_labels = [one.labels for one in facts.views if one.name in {*called} & {*giving}]
        new, found = renumbered(counts, np.unique(np.concatenate(former_labels)))
        changes.append(Changes(views=called, by_model=by_model, **found))
        for view in views:
            numbers[view] = new
    n_numbers = max(n_former, *(1 + int(own.max()) for own in numbers))
    fit = fit.with_numbers(numbers, n_numbers)
    retired = set(range(n_numbers)).difference(*(own.tolist() for own in fit.numbers))
    told = Continued(
        former=former.called,
        finished=facts.finished,
        changes=tuple(changes),
        retired=tuple(sorted(retired)),
    )
    kept = []
    for table in tables:
        former_view = facts.view(like.get(table.name, table.name))
        names = dict(enumerate(former_view.names)) if former_view else {}
        kept.append(["" if n in retired else names.get(n, "") for n in range(n_numbers)])
    strange = [name for name in like if like[name] != name]
    corrections, n_lost = _without_numbers_of(strange, former.corrections)
    lost = f"{counted(n_lost, 'correction')} of {' and '.join(strange)}"
    why = "by numbers of clusters that are not used any more."
    warnings = [f"Without effect: {lost}, {why}"] if n_lost else []
    return Continuation(fit, told, kept, facts.names_from, corrections, warnings)


def _without_numbers_of(views: list[str], corrections: Corrections) -> tuple[Corrections, int]:
    """Leave out the corrections that name clusters by the numbers of some views; count them."""
    kept = [
        line
        for line in corrections.standing
        if not (is_about_cluster(line.answer) or line.answer.isdecimal())
        or not {view_and_id(row)[0] for row in rows_in(line.id)}.intersection(views)
    ]
    n_lost = len(corrections.standing) - len(kept)
    return Corrections(tuple(kept)) if n_lost else corrections, n_lost


def names_kept(continuation: Continuation, names: list[list[str]]) -> list[list[str]]:
    """Give clusters without a name the one that they had before, unless it is that of another."""
    if not any(map(any, continuation.names)):
        return names
    kept = []
    for former, own in zip(continuation.names, names, strict=True):
        free = ["" if name in own else name for name in former]
        kept.append([name or other for name, other in zip(own or free, free, strict=True)])
    return kept


def _former_clusters(former: Former, tables: list[Table]) -> tuple[Ints, bool]:
    """Return the former cluster of every row, if any, and whether the stored model tells it."""
    shared = np.concatenate([_shared(former, table) for table in tables])
    if (shared >= 0).sum() >= _ENOUGH * former.facts.n_clusters:
        return shared, False
    model = former.model()
    try:
        return np.concatenate([_predicted(model, table) for table in tables]), True
    except _OtherColumnsError as error:
        if (shared >= 0).any():
            return shared, False
        raise DataError(
            f"Nothing tells which cluster of {former.called} is which one here: no row is in both,"
            f" and {error}"
        ) from None


def _shared(former: Former, table: Table) -> Ints:
    """Return the former cluster of every row by its id; numbers of rows name none."""
    view = former.facts.view(table.name)
    assert view is not None
    if table.id_column is None and table.ids == [str(row) for row in range(len(table.ids))]:
        return np.full(len(table.ids), -1)
    clusters = dict(zip(view.ids, view.labels, strict=True))
    return np.array([clusters.get(name, -1) for name in table.ids])


class _OtherColumnsError(Exception):
    """A table does not have the columns of the former one."""


def _predicted(model: SavedClustering, table: Table) -> Ints:
    """Return the clusters that the stored model puts the rows of a table into."""
    view = model.view(table.name)
    # a column that is constant in a table of numbers has no kind
    kinds = {column.name: column.kind or "number" for column in table.used}
    for column in view.used:
        kind = column.kind or "number"
        if kinds.get(column.name) != kind:
            raise _OtherColumnsError(f"{table.name} has no {kind} column {column.name!r}.")
    frame = pd.DataFrame(table.X, columns=table.columns)[view.columns]
    if view.mixed:
        return view.predicted(frame)
    numbers = frame.to_numpy(dtype=np.float64)
    if np.isnan(numbers).any():
        raise _OtherColumnsError(f"{table.name} has rows with missing values.")
    return view.predicted(numbers)
