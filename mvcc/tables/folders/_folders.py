"""Views that are folders of Parquet files.

A sample of each is clustered, and all rows get the clusters of that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from mvcc._utils.progress import Progress
from mvcc._utils.scheduler import Client
from mvcc.exceptions import ConfigError
from mvcc.results import Clustering, ViewFacts
from mvcc.tables._job import Job
from mvcc.tables._layout import ALL_LABELS, LABELS, MODEL
from mvcc.tables.folders._workers import workers
from mvcc.tables.reading._parquet import Folder, is_folder, read_folder
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._rows import find_id_column, refuse_repeated_columns
from mvcc.tables.reading._table import Table, table_of

if TYPE_CHECKING:
    from mvcc.tables.model._saved import SavedClustering


@dataclass(frozen=True, eq=False)
class Folders:
    """The views of a job that are folders, and the workers that read them."""

    of_view: Mapping[str, Folder]
    client: Client
    on_step: Callable[[str], None]  # told what is being done

    def __contains__(self, name: str) -> bool:
        return name in self.of_view

    def sample(
        self, job: Job, tables: list[Table], problems: Problems
    ) -> tuple[list[Table], dict[str, pd.DataFrame]]:
        """Read a sample of every folder: constrained rows, some matched ones, and others.

        `tables`: the views that are files.
        `problems`: what does not keep from reading on goes there.
        Returns: the lines that were drawn of each file of matches.
        Raises DataError, InvalidInputError: for files that cannot be used.
        """
        from mvcc.tables.folders._sample import (
            Drawing,
            constrained_ids,
            draw_matches,
            draw_rows,
            sample_sizes,
        )

        id_columns = {table.name: table.id_column for table in tables}
        for name, folder in self.of_view.items():
            head, view = folder.head(), job.views[name]
            refuse_repeated_columns(head, folder.path)
            id_columns[name] = find_id_column(head, view)
        sizes, constrained = sample_sizes(job, self.of_view), constrained_ids(job)
        drawn, matched = draw_matches(job, self.of_view, id_columns, sizes, constrained)
        sampled = []
        for name, folder in self.of_view.items():
            tell = Progress(f"reading a sample of {name}", self.on_step)
            column = id_columns[name]
            drawing = Drawing(
                folder.path, column, constrained | matched, sizes[name], folder.n_rows, job.seed
            )
            frame = draw_rows(self.client, folder, drawing, tell)
            view = job.views[name].model_copy(update={"id_column": column})
            ids = None if column else [str(number) for number in frame.index]
            with problems.collecting():
                table = table_of(frame, name, view, problems, job.shown_of(name), ids)
                sampled.append(replace(table, n_all_rows=folder.n_rows))
        return sampled, drawn

    def label(self, job: Job, saved: SavedClustering, new: Path, facts: Clustering) -> Clustering:
        """Write the clusters of all rows into each view's folder, and return their counts, too.

        `new`: the folder of the results, with the model and the labels of the sample.
        Raises MvccError: as `write_labels`.
        """
        labeled = [
            self._labeled(job, saved, new, view, facts) if view.name in self else view
            for view in facts.views
        ]
        return facts.model_copy(update={"views": tuple(labeled)})

    def _labeled(
        self, job: Job, saved: SavedClustering, new: Path, view: ViewFacts, facts: Clustering
    ) -> ViewFacts:
        from mvcc.tables.folders._labels import Source, facts_of_counts, write_labels

        name = view.name
        source = Source(
            os.path.abspath(new / MODEL),
            name,
            view.names,
            saved.view(name).id_column,
            job.views[name].labels_column,
            os.path.abspath(new / name / LABELS),
            facts.corrected.into if facts.corrected else (),
        )
        tell = Progress(f"labels of all rows of {name}", self.on_step)
        part = new / name / ALL_LABELS
        counts = write_labels(self.client, self.of_view[name], source, part, tell)
        return view.model_copy(update=facts_of_counts(counts, facts.n_clusters))


@contextmanager
def folders_of(
    job: Job, scheduler: str | None, on_step: Callable[[str], None]
) -> Iterator[Folders | None]:
    """Give the folders of a job with workers for them, or None where all views are files.

    Raises DataError: for a folder that cannot be read, and where dask is not installed.
    Raises ConfigError: for a sample or a scheduler without a folder, or no address.
    Raises WorkerError: for a scheduler that is not there.
    """
    names = [name for name, view in job.views.items() if is_folder(view.path)]
    if not names:
        if given := (
            "`sample` (--sample)" if job.sample is not None else "--scheduler" if scheduler else ""
        ):
            raise ConfigError(
                f"{given} goes only with a view that is a folder of Parquet files; leave it out."
            )
        yield None
        return
    folders = {name: read_folder(job.views[name].path) for name in names}
    on_step("starting workers")
    with workers(scheduler, job.views[names[0]].path) as client:
        yield Folders(folders, client, on_step)
