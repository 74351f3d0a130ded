"""An earlier clustering that a new one continues: its clusters keep their numbers and names."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import agreeing, clipped, counted, enumerated, typed
from mvcc.exceptions import DataError, StoreError
from mvcc.results import Changes, Clustering, Continued, read_facts
from mvcc.tables._job import Job, View, load_job
from mvcc.tables._layout import ANSWERS, CONFIG, CORRECTIONS
from mvcc.tables.correcting._carried_over import CarryingOver, opened_in
from mvcc.tables.correcting._corrections import (
    NONE,
    Corrections,
    read_corrections,
    with_matches,
)
from mvcc.tables.output._stored import check_files, read_clustering, read_found
from mvcc.tables.reading._answers import answered_rows, with_answers
from mvcc.tables.reading._column import LeftOut
from mvcc.tables.reading._people import log_in
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.tables.fitting._fit import Fit
    from mvcc.tables.model._saved import SavedClustering
    from mvcc.tables.reading._inputs import Inputs

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
    """Return the numbers of `numbers_like`, and what they change, as ``Changes`` of the facts.

    ``former`` are the numbers that were in use before.
    """
    found = numbers_like(counts)
    like = np.zeros((len(counts), 1 + max(found)), dtype=np.int64)
    like[:, found] = counts
    split, merged = _divided(like, former), _divided(like.T, found)
    explained = {part for _, parts in (*split, *merged) for part in parts}
    return found, {
        "shared": int(like.sum()),
        "kept": int(np.trace(like)),
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
    gone: tuple[str, ...] = ()  # folders of answers
    answers_again: bool = False  # whether nobody has named the folders of answers anew
    tables: Sequence[Table] = ()  # if they are in memory
    moved: Collection[str] = ()  # views that are another sheet of their file, or begin elsewhere

    def matched(self, inputs: Inputs) -> Inputs:
        """Return inputs with the matches that the corrections leave."""
        matched = with_matches(inputs, self.corrections, but=self.strange(inputs))
        return inputs if matched is inputs else replace(matched, corrected_by=self.called)

    def strange(self, inputs: Inputs) -> set[str]:
        """Return the views whose rows are or were numbered, unless the table is the former one."""
        before = {file.path: file.sha256 for file in self.facts.inputs}
        now = {path: sha256 for path, _, sha256 in inputs.files}
        known = {(view.name, before.get(view.source)) for view in self.facts.views}
        tables = {table.name: table for table in self.tables}
        found = set()
        for table in inputs.tables_read:
            name, was_numbered = table.name, table.name in self.numbered
            is_former = (name, now.get(table.path, "")) in known and name not in self.moved
            if name in tables:
                is_former |= table.has_rows_of(tables[name])
            if was_numbered != table.is_numbered or (was_numbered and not is_former):
                found.add(name)
        return found

    @cached_property
    def numbered(self) -> set[str]:
        """The views whose rows were numbered, as far as the facts tell."""
        found = set()
        for view in self.facts.views:
            ids = {*view.ids, *view.outliers}
            is_named = any(column.note == LeftOut.NAMES_ROWS for column in view.columns)
            is_counted = ids == set(map(str, range(len(ids))))
            if view.n_all_rows is not None:  # the numbers of a sample have gaps
                is_counted = all(map(str.isdecimal, ids))
            if is_counted and not is_named:
                found.add(view.name)
        return found


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
    gone, is_asked = list[str](), bool(job.asked)
    if not is_asked:
        asked, gone = _folders_of_answers(folder)
        job = job.model_copy(update={"asked": asked})
    places = facts.settings.get("views", {})
    former = Former(
        str(folder),
        read_found(folder),
        lambda: read_clustering(folder)[0],
        read_corrections(folder),
        facts.n_clusters,
        tuple(gone),
        answers_again=not is_asked,
        moved=[name for name, view in job.views.items() if _moved(view, places.get(name, {}))],
    )
    return job, former


def answered(job: Job, inputs: Inputs, former: Former | None) -> Inputs:
    """Return inputs with the answers about objects as the corrected matches of a former one say.

    Answers about rows by numbers that may be those of other rows now are refused if they are taken
    over, and used with a warning if somebody has named their folders.
    """
    if former is None:
        return with_answers(job, inputs)
    counts = _rows_of_others(job, inputs, former)
    rows = enumerated(f"{counted(n, 'row')} of {view}" for view, n in sorted(counts.items()))
    about = f"answers about {rows} by their numbers, which may be those of other rows now"
    if counts and former.answers_again:
        raise DataError(
            f"{former.called} has {about}. Name the folder of the answers that hold for this table"
            " with `asked` (--asked)."
        )
    found = with_answers(job, inputs, former.matched(inputs))
    if not counts:
        return found
    tables = agreeing(len(counts), "the table is not the one", "the tables are not those")
    note = f"There are {about}: {tables} that {former.called} was made of."
    return replace(found, notes=(*found.notes, note))


def _rows_of_others(job: Job, inputs: Inputs, former: Former) -> Counter[str]:
    """Count the rows that answers name by numbers, per view of a former result that has changed."""
    changed = former.strange(inputs).intersection(view.name for view in former.facts.views)
    if not (changed and job.asked):
        return Counter()
    return Counter(view for view, _ in answered_rows(job, inputs) if view in changed)


def _moved(view: View, before: Mapping[str, Any]) -> bool:
    """Tell whether a table begins elsewhere in its file than it did."""
    return (view.sheet, view.header) != (before.get("sheet"), before.get("header"))


def _folders_of_answers(folder: Path) -> tuple[tuple[str, ...], list[str]]:
    """Return the folders of answers that a clustering was made with, and those that are gone.

    The clustering itself has the answers of these, and comes first, so that people keep their
    order. Folders that were gone before are read again once they are back.
    """
    asked = _asked_before(folder)
    there = tuple(path for path in asked if log_in(path).exists())
    gone = [path for path in asked if path not in there]
    if not gone and asked == tuple(map(os.path.normpath, load_job(folder / CONFIG).asked)):
        return asked, []
    if not (folder / ANSWERS).exists():
        lost = gone[0] if gone else folder / ANSWERS
        raise DataError(
            f"{lost}, which has the answers that {folder} was made with, is not there any more."
            " Name the folder of these answers with `asked` (--asked)."
        )
    return (str(folder), *there), gone


def _asked_before(folder: Path, met: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the folders of answers of a clustering, in place of a former one those of that one.

    A clustering that was `met` on the way adds none: two may have continued each other in turn.
    """
    met, found = met | {os.path.realpath(folder)}, list[str]()
    for path in load_job(folder / CONFIG).asked:
        if log_in(path).name != ANSWERS or not (Path(path) / CONFIG).exists():
            found.append(os.path.normpath(path))
        elif os.path.realpath(path) not in met:
            found += _asked_before(Path(path), met)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, eq=False)
class Continuation:
    """A fit whose clusters have the numbers of a former clustering, if there is one."""

    fit: Fit
    facts: Continued | None = None
    names: Sequence[list[str]] = ()  # of the clusters, per view, as people gave them before
    names_from: str = ""  # where
    corrections: Corrections = NONE  # the former ones whose numbers mean the same clusters now
    warnings: Sequence[str] = ()

    def named(self, names: list[list[str]]) -> list[list[str]]:
        """Give clusters without a name the one that they had before, unless another one has it."""
        if not any(map(any, self.names)):
            return names
        kept = []
        for former, own in zip(self.names, names, strict=True):
            free = ["" if name in own else name for name in former]
            kept.append([name or other for name, other in zip(own or free, free, strict=True)])
        return kept


def continued(former: Former | None, inputs: Inputs, fit: Fit) -> Continuation:
    """Give clusters the numbers of the former ones, if any, as `numbers_like`."""
    if former is None:
        return Continuation(fit)
    facts, tables, n_found = former.facts, inputs.tables, fit.n_numbers
    n_former = max(facts.n_clusters, former.n_numbers)
    opened = [*opened_in(former.corrections)]
    free = np.setdiff1d(np.arange(n_found + len(opened)), opened)[:n_found]
    numbers, changes = [free for _ in tables], []
    like = dict[str, str]()  # whose numbers a view has now that was not there or numbered apart
    for views in fit.method.numbered_alike:
        known = [tables[view] for view in views if facts.view(tables[view].name)]
        if not known:
            continue
        # of views that were numbered apart, one gives the numbers, and those that were like it
        first = known[0].name
        (giving,) = (names for names in facts.numbered_as_one if first in names)
        like |= {tables[view].name: first for view in views if tables[view].name not in giving}
        known = [table for table in known if table.name in giving]
        called = tuple(table.name for table in known)
        former_labels = [one.labels for one in facts.views if one.name in called]
        clusters = np.unique(np.concatenate(former_labels))
        before, by_model = _former_clusters(former, known, len(clusters))
        after = [fit.labels[view] for view in views if tables[view].name in called]
        counts = rows_in_both(before, np.concatenate(after), (n_former, n_found))
        new, found = renumbered(counts, clusters)
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
    carrying = CarryingOver(
        facts.numbered_alike,
        [[tables[view].name for view in views] for views in numbered_alike(fit)],
        {view.name for view in facts.views} - like.keys(),
        former.strange(inputs),
    )
    corrections, warnings = carrying.of(former.corrections)
    for path in former.gone:
        warnings.append(f"{path} is not there; its answers are those that {former.called} has.")
    return Continuation(fit, told, kept, facts.names_from, corrections, warnings)


def numbered_alike(fit: Fit) -> list[list[int]]:
    """Return the views in which the same number is the same cluster, as facts have it."""
    sets = fit.method.numbered_alike
    if fit.method.job.method == "joint":
        return sets
    return [[view] for views in sets for view in views]


def _former_clusters(former: Former, tables: list[Table], n_clusters: int) -> tuple[Ints, bool]:
    """Return the former cluster of every row, if any, and whether the stored model tells it."""
    shared = np.concatenate([_shared(former, table) for table in tables])
    if (shared >= 0).sum() >= _ENOUGH * n_clusters:
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
    if table.is_numbered or table.name in former.numbered:
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
