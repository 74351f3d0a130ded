"""New rows of tables that were clustered: from files to files with their clusters."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.arrays import Ints
from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import agreeing, counted, enumerated, quoted, shown
from mvcc._utils.outputs import OutputFolder
from mvcc._utils.progress import Progress
from mvcc._utils.scheduler import Client, workers
from mvcc.exceptions import ConfigError, DataError
from mvcc.results import Clustering
from mvcc.tables._config import load_job
from mvcc.tables._folders import id_column_of, refuse_without_folder
from mvcc.tables._job import View, no_view
from mvcc.tables._layout import ALL_LABELS, CONFIG, LABELS, MODEL
from mvcc.tables.output._stored import corrected_model, inputs_of_clustering
from mvcc.tables.reading._column import as_texts
from mvcc.tables.reading._files import read_frames
from mvcc.tables.reading._id_column import find_id_column
from mvcc.tables.reading._parquet import Folder, pyarrow_for, read_folder
from mvcc.tables.reading._rows import (
    ids_of,
    listed,
    place_of,
    refuse_repeated_columns,
    without_nameless,
)

if TYPE_CHECKING:
    from mvcc.tables.model._saved import SavedView

Columns = dict[str, Sequence[Any] | NDArray[Any]]
KIND = "labels"  # what the files are


@dataclass(frozen=True)
class Predicted:
    """The new rows of a view: how many are in each cluster, and the file that says so."""

    view: str
    path: Path
    sizes: list[int]
    notes: list[str]  # what must be known of how the new rows were read


def predict_files(
    folder: Path,
    new: Mapping[str, str],
    out: Path,
    *,
    sheets: Mapping[str, str] = MappingProxyType({}),
    headers: Mapping[str, int] = MappingProxyType({}),
    fresh: bool = False,
    scheduler: str | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> list[Predicted]:
    """Write the clusters of new rows; all files or none.

    `out` is the file, or for a folder of Parquet files another one; of several views the folder
    with labels.csv, or labels, in a folder of each. `sheets` and `headers` are by default those of
    the table that was clustered. Without a `scheduler` of dask, this machine has the workers.
    """
    model, facts = corrected_model(folder)
    for name in new:
        if problem := no_view(name, model.names):
            raise ConfigError(f"--view {name}=…: {problem}")
    folders = {name: read_folder(path) for name, path in new.items() if os.path.isdir(path)}
    if scheduler is not None and not folders:
        refuse_without_folder("--scheduler")
    tables = _as_clustered(folder, new, sheets, headers)
    targets = {name: f"{name}/{ALL_LABELS if name in folders else LABELS}" for name in new}
    if len(new) == 1:
        targets, out = dict.fromkeys(new, out.name), out.parent
    # a format that is not written is refused before anything is read
    writers = {name: _writer_of(out / targets[name]) for name in new if name not in folders}
    predicted = list[Predicted]()
    with ExitStack() as stack:
        inputs: list[str | Path] = [*inputs_of_clustering(folder), *new.values(), folder]
        target_folder = stack.enter_context(OutputFolder(out, KIND, fresh=fresh, inputs=inputs))
        for name, target in targets.items():
            target_folder.refuse_taken([target], folders=name in folders)
        client: Any = None
        if folders:
            from mvcc.tables._folder_labels import Source, facts_of_counts, write_labels

            file = os.path.abspath(folder / MODEL)
            on_step("starting workers")
            client = stack.enter_context(workers(scheduler, next(iter(folders.values())).path))
        paths = stack.enter_context(target_folder.writing(*targets.values()))
        for name, path in zip(new, paths, strict=True):
            view = model.view(name)
            names = next(view_facts.names for view_facts in facts.views if view_facts.name == name)
            if name in folders:
                path.mkdir()
                tell = Progress(f"labels of {name}", on_step)
                id_column = _id_column(client, folders[name], view)
                notes = [*_notes_on_ids(view, id_column, folders[name].path)]
                source = Source(file, name, names, id_column, into=facts.into)
                counts = write_labels(client, folders[name], source, path, tell)
                sizes = np.array(facts_of_counts(counts, facts.n_clusters)["all_sizes"])
            else:
                sizes, notes = np.zeros(facts.n_clusters, np.int64), list[str]()
                writers[name](path, _labeled(view, tables[name], names, sizes, notes))
            notes += _notes_on_parts(facts, name, folder)
            predicted.append(Predicted(name, out / targets[name], sizes.tolist(), notes))
    return predicted


def _as_clustered(
    folder: Path, new: Mapping[str, str], sheets: Mapping[str, str], headers: Mapping[str, int]
) -> dict[str, View]:
    """Return new tables as views that are read as those that were clustered."""
    before = load_job(folder / CONFIG).views if (folder / CONFIG).exists() else {}
    views = {name: View(path=path) for name, path in new.items()}
    workbooks = [name for name, path in new.items() if path.lower().endswith(".xlsx")]
    for key, values in (("sheet", sheets), ("header", headers)):
        for name in values:
            if name not in workbooks:
                raise ConfigError(
                    f"--{key} {name}=…: no Excel file (.xlsx) of {shown(name)} is given; leave it"
                    " out."
                )
        for name in workbooks:
            value = values.get(name, getattr(before.get(name), key, None))
            views[name] = views[name].model_copy(update={key: value})
    return views


def _labeled(
    view: SavedView, table: View, names: Sequence[str], sizes: Ints, notes: list[str]
) -> Iterator[Columns]:
    """Give the rows of a file, some at a time, with their clusters; count these in ``sizes``.

    Once all rows are given, ``notes`` say what must be known of how they were read.
    """
    path, id_column = table.path, None
    # 8 bytes of each id: ids may be twice in rows that are far apart
    hashes, lines = list[NDArray[Any]](), list[Sequence[int]]()
    # of every column of categories, how many of its words are known, and how many are not
    are_known = {name: Counter[bool]() for name in view.categories}
    for frame in read_frames(path, table.sheet, table.header):
        if not len(frame):
            break
        frame = without_nameless(frame, path, {*view.columns, view.id_column, id_column})
        refuse_repeated_columns(frame, path)
        clustered = view.columns_in(frame, path)
        if not hashes:
            id_column = view.id_column
            if id_column not in frame.columns:
                id_column = find_id_column(frame, View(path=path, columns=tuple(view.columns)))
                is_named = view.id_column or id_column is None
                # ids of things with several rows did not name those that were clustered, either
                if not is_named and as_texts(frame[id_column]).duplicated().any():
                    id_column = None
            notes += _notes_on_ids(view, id_column, path)
        notes += [note for note in frame.attrs.get("notes", []) if note not in notes]
        lines.append(frame.attrs.get("lines", ()))
        ids = ids_of(frame, id_column, path)
        hashes.append(pd.util.hash_array(np.array(ids, dtype=object), categorize=False))
        values: Any = view.values_of(clustered, partial(place_of, frame, path))
        for name, counts in are_known.items():
            counts.update(values[name].dropna().isin(view.categories[name]).tolist())
        labels = view.predicted(values)
        sizes += np.bincount(labels, minlength=len(sizes))
        columns: Columns = {"id": ids, "cluster": labels}
        if names:
            columns["name"] = [names[label] for label in labels]
        yield columns
    if not hashes:
        raise DataError(f"{path}: there are no rows.")
    _refuse_repeated(np.concatenate(hashes), lines, path)
    for name, counts in are_known.items():
        if counts[False] > counts[True]:  # that few are new is usual
            words = listed(filter(None, view.categories[name]))
            notes.append(
                f"{path}: {counts[False]} of {counted(counts.total(), 'value')} of {shown(name)}"
                f" are none of those that were clustered: {words}."
            )


def _notes_on_parts(facts: Clustering, name: str, folder: Path) -> Iterator[str]:
    """Say which clusters the model does not know, since corrections made them."""
    known = {view.name: clusters for view, clusters in zip(facts.views, facts.into, strict=False)}
    if parts := sorted({*facts.clusters} - {*known.get(name, facts.clusters)}):
        yield (
            f"{name}: no new row is put into {agreeing(len(parts), 'cluster', 'clusters')}"
            f" {enumerated(parts)}, which corrections made. To have new rows there, cluster them"
            f" with the others: mvcc cluster CONFIG --continue {quoted(str(folder))}."
        )


def _notes_on_ids(view: SavedView, id_column: str | None, path: str) -> Iterator[str]:
    """Say what names new rows if the column that named those that were clustered is not there."""
    if view.id_column not in (None, id_column):
        names = "rows are numbered from 0"
        if id_column is not None:
            names = f"{shown(id_column)} names the rows"
        column = shown(view.id_column)
        yield f"{path} has no column {column}, which named the rows that were clustered: {names}."


def _id_column(client: Client, rows: Folder, view: SavedView) -> str | None:
    """Return the column that names new rows in a folder: the former one, if it is there."""
    known = view.id_column if view.id_column in rows.columns else None
    new = View(path=rows.path, columns=tuple(view.columns), id_column=known)
    return id_column_of(client, rows, new)


def _refuse_repeated(hashes: Any, lines: Iterable[Sequence[int]], path: str) -> None:
    """Refuse ids that rows share, which may not be among the first ones that were read."""
    order = np.argsort(hashes, kind="stable")
    twice = np.flatnonzero(np.diff(hashes[order]) == 0)
    if len(twice):
        line_numbers = list(chain.from_iterable(lines))
        rows = order[twice[0] : twice[0] + 2]
        first, second = (f"line {line_numbers[n]}" if line_numbers else f"row {n}" for n in rows)
        raise DataError(f"{path}: {second} has the id of {first}; ids must be distinct.")


def _write_csv(path: Path, labeled: Iterator[Columns]) -> None:
    with path.open("wb") as file:
        for columns in labeled:
            if not file.tell():
                file.write(csv_bytes([columns]))
            file.write(csv_bytes(zip(*columns.values(), strict=True)))


def _write_parquet(path: Path, labeled: Iterator[Columns]) -> None:
    import pyarrow.parquet

    tables = map(pyarrow.table, labeled)
    first = next(tables)
    with pyarrow.parquet.ParquetWriter(path, first.schema) as writer:
        for table in chain([first], tables):
            writer.write_table(table)


_WRITERS = {".csv": _write_csv, ".parquet": _write_parquet}


def _writer_of(path: Path) -> Callable[[Path, Iterator[Columns]], None]:
    ending = path.suffix.lower()
    if ending not in _WRITERS:
        raise ConfigError(
            f"{path} must end in {' or '.join(_WRITERS)}. Choose another file with --out."
        )
    if ending == ".parquet":
        pyarrow_for(str(path))
    return _WRITERS[ending]
