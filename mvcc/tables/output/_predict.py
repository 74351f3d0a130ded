"""New rows of tables that were clustered: from files to files with their clusters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import shown
from mvcc._utils.outputs import OutputFolder
from mvcc._utils.progress import Progress
from mvcc._utils.scheduler import Client
from mvcc.exceptions import ConfigError, DataError, InvalidInputError
from mvcc.results import Clustering
from mvcc.tables._job import View, load_job
from mvcc.tables._layout import ALL_LABELS, CONFIG, LABELS, MODEL
from mvcc.tables.folders._folders import refuse_without_folder
from mvcc.tables.folders._workers import workers
from mvcc.tables.output._stored import corrected_model, inputs_of_clustering
from mvcc.tables.reading._files import read_frames
from mvcc.tables.reading._parquet import Folder, is_folder, pyarrow_for, read_folder
from mvcc.tables.reading._rows import find_id_column, ids_of, place_of, refuse_repeated_columns

if TYPE_CHECKING:
    from mvcc.tables.model._saved import SavedView

Columns = dict[str, Sequence[Any] | NDArray[Any]]
_Write = Callable[[Columns], None]
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

    `new`: tables in any format that `mvcc cluster` reads; CSV and Parquet are read some rows at
    a time. Folders of Parquet files are read by workers of dask.
    `out`: the file, CSV or Parquet, or for a folder another one; of several views the folder
    with labels.csv, or labels, in a folder of each.
    `sheets`, `headers`: of workbooks; by default those of the table that was clustered.
    `scheduler`: the address of a dask scheduler; by default, processes of this machine are workers.
    """
    model, facts = corrected_model(folder)
    views = [model.view(name) for name in new]
    folders = {name: read_folder(path) for name, path in new.items() if is_folder(path)}
    if scheduler is not None and not folders:
        refuse_without_folder("--scheduler")
    tables = _as_clustered(folder, new, sheets, headers)
    targets = {name: f"{name}/{ALL_LABELS if name in folders else LABELS}" for name in new}
    if len(new) == 1:
        targets, out = dict.fromkeys(new, out.name), out.parent
    for name, target in targets.items():
        if name not in folders:  # a format that is not written is refused before anything is read
            ending = Path(target).suffix.lower()
            if ending not in _WRITERS:
                raise InvalidInputError(
                    f"{out / target} must end in {' or '.join(_WRITERS)}. Choose another file with"
                    " --out."
                )
            if ending == ".parquet":
                pyarrow_for(str(out / target))
    found = list[Predicted]()
    with ExitStack() as stack:
        given: list[str | Path] = [*inputs_of_clustering(folder), *new.values(), folder]
        target_folder = stack.enter_context(OutputFolder(out, KIND, fresh=fresh, inputs=given))
        target_folder.refuse_taken(targets.values())
        client = None
        if folders:
            on_step("starting workers")
            client = stack.enter_context(workers(scheduler, next(iter(folders.values())).path))
        for view in views:
            name, target = view.name, targets[view.name]
            if name in folders:
                part = stack.enter_context(target_folder.writing_folder(target))
                tell = Progress(f"labels of {name}", on_step)
                rows = folders[name]
                told = _predict_folder(client, rows, view, folder / MODEL, facts, part, tell)
            else:
                part = stack.enter_context(target_folder.writing(target))
                write = stack.enter_context(_WRITERS[Path(target).suffix.lower()](part))
                told = _predict(view, tables[name], facts, write)
            found.append(Predicted(name, out / target, *told))
    return found


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


def _names_in(view: SavedView, facts: Clustering) -> tuple[str, ...]:
    return next(one.names for one in facts.views if one.name == view.name)


def _predict(
    view: SavedView, table: View, facts: Clustering, write: _Write
) -> tuple[list[int], list[str]]:
    """Write the clusters of the rows of a file; return their sizes, and notes on the file."""
    path, notes, names = table.path, list[str](), _names_in(view, facts)
    sizes = np.zeros(facts.n_clusters, np.int64)
    id_column: str | None = None
    # 8 bytes of each id: ids may be twice in rows that are far apart
    hashes: list[NDArray[Any]] = []
    first = pd.DataFrame()
    for frame in read_frames(path, table.sheet, table.header):
        refuse_repeated_columns(frame, path)
        clustered = view.columns_in(frame, path)
        if not hashes:
            id_column, first = _id_column(frame, view, path), frame[[]]
            notes += frame.attrs.get("notes", [])
        ids = ids_of(frame, id_column, path)
        hashes.append(pd.util.hash_array(np.array(ids, dtype=object), categorize=False))
        labels = view.predict(clustered, partial(place_of, frame, path))
        sizes += np.bincount(labels, minlength=facts.n_clusters)
        columns: Columns = {"id": ids, "cluster": labels}
        if names:
            columns["name"] = [names[label] for label in labels]
        write(columns)
    if not hashes:
        raise DataError(f"{path}: there are no rows.")
    _refuse_repeated(np.concatenate(hashes), first, path)
    return sizes.tolist(), notes


def _id_column(frame: pd.DataFrame, view: SavedView, path: str) -> str | None:
    """Return the column that names new rows: as before, or else one that is found."""
    if view.id_column in frame.columns:
        return view.id_column
    return find_id_column(frame, View(path=path, columns=tuple(view.columns)))


def _predict_folder(
    client: Client,
    rows: Folder,
    view: SavedView,
    model: Path,
    facts: Clustering,
    part: Path,
    tell: Progress,
) -> tuple[list[int], list[str]]:
    """Write the clusters of the rows of a folder; return their sizes, and no notes."""
    from mvcc.tables.folders._labels import Source, facts_of_counts, write_labels  # scikit-learn

    head = rows.head()
    refuse_repeated_columns(head, rows.path)
    id_column = _id_column(head, view, rows.path)
    source = Source(os.path.abspath(model), view.name, _names_in(view, facts), id_column)
    if facts.corrected:
        source = replace(source, into=facts.corrected.into)
    counts = write_labels(client, rows, source, part, tell)
    return list(facts_of_counts(counts, facts.n_clusters)["all_sizes"]), []


def _refuse_repeated(hashes: Any, first: pd.DataFrame, path: str) -> None:
    """Refuse ids that rows share, which may not be among the first ones that were read."""
    order = np.argsort(hashes, kind="stable")
    twice = np.flatnonzero(np.diff(hashes[order]) == 0)
    if len(twice):
        row, other = order[twice[0] : twice[0] + 2]
        line = first.attrs.get("lines")
        one, same = (f"row {n}" if line is None else f"line {line + n}" for n in (row, other))
        raise DataError(f"{path}: {same} has the id of {one}; ids must be distinct.")


@contextmanager
def _csv_writer(path: Path) -> Iterator[_Write]:
    with path.open("wb") as file:

        def write(columns: Columns) -> None:
            if not file.tell():
                file.write(csv_bytes([columns]))
            file.write(csv_bytes(zip(*columns.values(), strict=True)))

        yield write


@contextmanager
def _parquet_writer(path: Path) -> Iterator[_Write]:
    import pyarrow.parquet

    with ExitStack() as stack:
        writer: Any = None

        def write(columns: Columns) -> None:
            nonlocal writer
            table = pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()})
            if writer is None:
                writer = stack.enter_context(pyarrow.parquet.ParquetWriter(path, table.schema))
            writer.write_table(table)

        yield write


_WRITERS: dict[str, Callable[[Path], AbstractContextManager[_Write]]] = {
    ".csv": _csv_writer,
    ".parquet": _parquet_writer,
}
