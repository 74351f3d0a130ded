"""The earlier clustering that a job continues: its facts, answers and corrections."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import agreeing, clipped, counted, enumerated, for_reader, view_and_id
from mvcc.exceptions import DataError, MvccError, StoreError
from mvcc.multiview import answers_standing
from mvcc.results import Clustering, ViewFacts, read_facts
from mvcc.tables._config import load_job
from mvcc.tables._job import Job, View
from mvcc.tables._layout import ANSWERS, CONFIG, MODEL
from mvcc.tables.correcting._corrections import (
    NO_MATCH,
    Corrections,
    read_corrections,
    rows_in,
    with_matches,
)
from mvcc.tables.output._stored import (
    check_files,
    model_in,
    read_found,
    same_tables,
    unfinished_review,
)
from mvcc.tables.reading._answers import answered_rows, with_answers
from mvcc.tables.reading._column import LeftOut
from mvcc.tables.reading._files import read_frames
from mvcc.tables.reading._parquet import read_folder
from mvcc.tables.reading._people import log_in, rows_of_answers
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.tables.model._saved import SavedClustering
    from mvcc.tables.reading._inputs import Inputs


@dataclass(frozen=True, eq=False)
class Former:
    """An earlier clustering."""

    called: str  # by messages: the folder
    facts: Clustering  # as its clusters were found, before corrections
    model: Callable[[], SavedClustering]  # loads it, which is needed only without shared rows
    corrections: Corrections
    n_numbers: int  # of clusters, those that corrections have opened as well
    gone: tuple[str, ...] = ()  # folders of answers
    rows_of_answers: Mapping[str, list[str]] = field(default_factory=dict)  # of their objects
    answers_again: bool = False  # whether nobody has named the folders of answers anew
    tables: Sequence[Table] = ()  # if they are in memory
    moved: Collection[str] = ()  # views that are another sheet of their file, or begin elsewhere

    def matched(self, inputs: Inputs) -> Inputs:
        """Return inputs with the matches that the corrections leave."""
        return with_matches(inputs, self.corrections, but=self.strange(inputs))

    def rows_beside(self, inputs: Inputs) -> dict[str, list[str]]:
        """Return the rows that answered ones were matched with, as nobody has refused it since."""
        strange, corrections = self.strange(inputs), answers_standing(self.corrections)
        refused = [rows_in(line.id) for line in corrections if line.answer == NO_MATCH]
        doubtful = set(chain.from_iterable(refused))

        def holds(row: str) -> bool:
            return row not in doubtful and view_and_id(row)[0] not in strange

        known = {name: rows for name, rows in self.rows_of_answers.items() if name not in doubtful}
        return {name: list(filter(holds, rows)) for name, rows in known.items()}

    def strange(self, inputs: Inputs) -> set[str]:
        """Return the views whose rows are or were numbered, unless the table is the former one."""
        same = same_tables(self.facts, inputs).difference(self.moved)
        tables, names = {table.name: table for table in self.tables}, set[str]()
        for table in inputs.tables_read:
            name, was_numbered = table.name, table.name in self.numbered
            if name in tables and table.has_rows_of(tables[name]):
                continue
            if was_numbered != table.is_numbered or (was_numbered and name not in same):
                names.add(name)
        return names

    @cached_property
    def numbered(self) -> set[str]:
        """The views whose rows were numbered."""
        return numbered_in(self.facts)


def numbered_in(facts: Clustering) -> set[str]:
    """Return the views whose rows are numbered, as far as the facts tell."""
    names = set()
    for view in facts.views:
        ids = {*view.ids, *view.outliers}
        is_counted = ids == set(map(str, range(len(ids))))
        if not view.is_in_memory:  # numbers may have gaps
            is_counted = all(map(str.isdecimal, ids))
        if is_counted and id_column_in(view) is None:
            names.add(view.name)
    return names


def id_column_in(view: ViewFacts) -> str | None:
    """Return the column that named the rows of a view; None if they were numbered, or an index."""
    named = (column.name for column in view.columns if column.note == LeftOut.NAMES_ROWS)
    return next(named, None)


def read_former(job: Job) -> tuple[Job, Former | None]:
    """Return the clustering that a job continues, and the job with its answers."""
    if job.continues is None:
        return job, None
    folder = Path(os.path.normpath(job.continues))
    facts = read_facts(folder)
    _, problems = check_files(folder, facts)
    if problems:
        mend = unfinished_review(folder) or "Restore it, or cluster it again."
        raise StoreError(f"{folder} cannot be continued: {problems[0]} {mend}")
    names = [view.name for view in facts.views]
    if not set(names) & set(job.views):
        raise StoreError(
            f"{folder} cannot be continued: its views are {clipped(', '.join(names), 100)}, and"
            f" none of them is clustered here ({clipped(', '.join(job.views), 100)}). Give the"
            f" tables their former names{for_reader(' (--view NAME=FILE)', '')}."
        )
    gone, is_asked = list[str](), bool(job.asked)
    if not is_asked:
        asked, gone = _folders_of_answers(folder)
        job = job.model_copy(update={"asked": asked})
    before = {name: facts.settings.get("views", {}).get(name, {}) for name in job.views}
    views = {name: _named_as_before(view, before[name]) for name, view in job.views.items()}
    job = job.model_copy(update={"views": views})
    began = {name: (view.get("sheet"), view.get("header")) for name, view in before.items()}
    former = Former(
        str(folder),
        read_found(folder),
        partial(model_in, folder / MODEL, facts),
        read_corrections(folder),
        facts.n_clusters,
        tuple(gone),
        rows_of_answers(folder),
        answers_again=not is_asked,
        moved=[name for name, view in views.items() if (view.sheet, view.header) != began[name]],
    )
    return job, former


def answered(job: Job, inputs: Inputs, former: Former | None) -> Inputs:
    """Return inputs with answers about objects as the corrected matches of a former result say."""
    if former is None:
        return with_answers(job, inputs)
    changed = former.strange(inputs).intersection(view.name for view in former.facts.views)
    counts = Counter[str]()
    if changed and job.asked:
        counts.update(view for view, _ in answered_rows(job, inputs) if view in changed)
    rows = enumerated(f"{counted(n, 'row')} of {view}" for view, n in sorted(counts.items()))
    about = f"answers about {rows} by their numbers, which may be those of other rows now"
    if counts and former.answers_again:
        raise DataError(
            f"{former.called} has {about}. Name the folder of the answers that hold for this table"
            " with `asked` (--asked)."
        )
    beside = former.rows_beside(inputs)
    answered_inputs = with_answers(job, inputs, former.matched(inputs), beside)
    if not counts:
        return answered_inputs
    tables = agreeing(len(counts), "the table is not the one", "the tables are not those")
    note = f"There are {about}: {tables} that {former.called} was made of."
    return replace(answered_inputs, notes=(*answered_inputs.notes, note))


def _named_as_before(view: View, before: Mapping[str, Any]) -> View:
    """Return a view with the column of ids that was asked for before, if its table has that one."""
    column = before.get("id_column")
    if column is None or view.id_column is not None or column in view.asked_for:
        return view
    with suppress(MvccError, OSError):  # which are told with all mistakes
        if os.path.isdir(view.path):
            is_there = column in read_folder(view.path).columns
        else:
            is_there = column in next(read_frames(view.path, view.sheet, view.header))
        if is_there:
            return view.model_copy(update={"id_column": column})
    return view


def _folders_of_answers(folder: Path) -> tuple[tuple[str, ...], list[str]]:
    """Return a clustering's folders of answers, itself in place of those gone, and these."""
    asked = _asked_before(folder)
    present = tuple(path for path in asked if log_in(path).exists())
    gone = [path for path in asked if path not in present]
    if not gone and asked == tuple(map(os.path.normpath, load_job(folder / CONFIG).asked)):
        return asked, []
    if not (folder / ANSWERS).exists():
        lost = next(iter(gone), folder / ANSWERS)
        raise DataError(
            f"{lost}, which has the answers that {folder} was made with, is not there any more."
            " Name the folder of these answers with `asked` (--asked)."
        )
    return (str(folder), *present), gone


def _asked_before(folder: Path, met: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the folders of answers of a clustering, for a former one those of that one."""
    met, folders = met | {os.path.realpath(folder)}, list[str]()
    for path in load_job(folder / CONFIG).asked:
        if log_in(path).name != ANSWERS or not (Path(path) / CONFIG).exists():
            folders.append(os.path.normpath(path))
        elif os.path.realpath(path) not in met:  # two may have continued each other
            folders += _asked_before(Path(path), met)
    return tuple(dict.fromkeys(folders))
