"""New rows of tables that were clustered: from files to files with their clusters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.files import atomic_folder, atomic_path, csv_bytes
from mvcc._utils.messages import why_unwritten
from mvcc._utils.progress import Progress
from mvcc._utils.scheduler import Client
from mvcc.exceptions import ConfigError, DataError, InvalidInputError, StoreError
from mvcc.jobs._chunks import read_frames
from mvcc.jobs._config import View
from mvcc.jobs._folder import LABELS, MODEL, holds_parts_only, read_clustering
from mvcc.jobs._formats import pyarrow_for
from mvcc.jobs._partitions import Folder, is_folder, read_folder
from mvcc.jobs._tables import find_id_column, ids_of, no_column, place_of, refuse_repeated_columns
from mvcc.jobs._workers import workers

if TYPE_CHECKING:
    from mvcc.jobs._all_rows import Source
    from mvcc.jobs._saved import SavedView

Columns = dict[str, Sequence[Any] | NDArray[Any]]
_Write = Callable[[Columns], None]


@dataclass(frozen=True)
class Predicted:
    """The new rows of a view: how many are in each cluster, and the file that says so."""

    view: str
    path: Path
    sizes: list[int]


def predict_files(
    folder: Path,
    new: Mapping[str, str],
    out: Path,
    *,
    fresh: bool = False,
    scheduler: str | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> list[Predicted]:
    """Write the clusters of new rows; all files or none.

    Parameters
    ----------
    folder : Path
        Results of `mvcc cluster`.
    new : dict {view: path}
        Tables in any format that `mvcc cluster` reads; CSV and Parquet are read some rows at a time. Folders of Parquet
        files are read by workers of dask.
    out : Path
        The file, CSV or Parquet, or for a folder another one; of several views the folder with labels.csv, or labels,
        in a folder of each.
    fresh : bool
        Replace files that are there.
    scheduler : str or None
        The address of the dask scheduler whose workers read folders; by default, processes of this machine do.
    on_step : callable
        Told what is being done with folders.

    Raises
    ------
    StoreError
        For a model that cannot be used, or files that cannot be written.
    DataError, InvalidInputError
        For a view that is not there, or rows that are not like those that were clustered.
    """
    model, facts = read_clustering(folder)
    views = [model.view(name) for name in new]
    names = {view.name: list(view.names) for view in facts.views}
    folders = {name: read_folder(path) for name, path in new.items() if is_folder(path)}
    if scheduler is not None and not folders:
        raise ConfigError("--scheduler goes only with a view that is a folder of Parquet files; leave it out.")
    paths = [out] if len(new) == 1 else [out / name / (LABELS if name in folders else "labels.csv") for name in new]
    for name, path in zip(new, paths, strict=True):
        _check(path, folder, list(new.values()), fresh, name in folders)
    made = [parent for path in paths for parent in path.parents if not parent.exists()]
    k = facts.n_clusters
    try:
        with ExitStack() as stack:
            labelers: list[Callable[[], list[int]]] = []
            client = None
            if folders:
                on_step("starting workers")
                client = stack.enter_context(workers(scheduler, next(iter(folders.values())).path))
            for view, path in zip(views, paths, strict=True):
                if view.name in folders:
                    part = stack.enter_context(atomic_folder(path))
                    source = _source(folder, view, names[view.name], folders[view.name])
                    tell = Progress(f"labels of {view.name}", on_step)
                    labelers.append(partial(_predict_folder, client, folders[view.name], source, k, part, tell))
                else:
                    write = stack.enter_context(_writer(path))
                    labelers.append(partial(_predict, view, new[view.name], names[view.name], k, write))
            return [Predicted(name, path, label()) for name, path, label in zip(new, paths, labelers, strict=True)]
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {why_unwritten(error, 'choose another --out')}") from error
    finally:
        for parent in made:
            with suppress(OSError):  # it is not empty, as it should be
                parent.rmdir()


def _check(path: Path, folder: Path, inputs: list[str], fresh: bool, is_folder: bool) -> None:
    """Refuse to write over what is there, before anything is read."""
    another = f"Choose another {'folder' if is_folder else 'file'} with --out"
    if not is_folder and path.suffix.lower() not in _WRITERS:
        raise InvalidInputError(f"{path} must end in {' or '.join(_WRITERS)}. {another}.")
    real = Path(os.path.realpath(path))
    if any(Path(os.path.realpath(one)).is_relative_to(real) for one in inputs):
        raise StoreError(f"{path} is read and would be written over. {another}.")
    if real.is_relative_to(os.path.realpath(folder)):
        raise StoreError(f"{path} is in the folder of the clustering. {another}.")
    if path.exists() and not fresh:
        raise StoreError(f"{path} is there already. {another}, or replace it with --fresh.")
    if is_folder and path.exists() and not holds_parts_only(path):
        raise StoreError(f"{path} holds other things than labels. {another}.")
    if path.suffix.lower() == ".parquet":
        pyarrow_for(str(path))


def _predict(view: SavedView, path: str, names: list[str], n_clusters: int, write: _Write) -> list[int]:
    """Write the clusters of the rows of a file, and return how many rows each cluster gets."""
    sizes = np.zeros(n_clusters, np.int64)
    id_column: str | None = None
    hashes: list[NDArray[Any]] = []  # 8 bytes of each id: ids may be twice in rows that are far apart
    for frame in read_frames(path):
        refuse_repeated_columns(frame, path)
        if missing := [column for column in view.columns if column not in frame.columns]:
            raise DataError(f"{no_column(frame, missing[0], path)} {view.name} was clustered by it.")
        if not hashes:
            id_column = _id_column(frame, view, path)
        ids = ids_of(frame, id_column, path)
        hashes.append(pd.util.hash_array(np.array(ids, dtype=object), categorize=False))
        labels = view.predict(frame[view.columns], partial(place_of, frame, path))
        sizes += np.bincount(labels, minlength=n_clusters)
        columns: Columns = {"id": ids, "cluster": labels}
        if names:
            columns["name"] = [names[label] for label in labels]
        write(columns)
    if not hashes:
        raise DataError(f"{path}: there are no rows.")
    _refuse_repeated(np.concatenate(hashes), path)
    return sizes.tolist()


def _id_column(frame: pd.DataFrame, view: SavedView, path: str) -> str | None:
    """Return the column that names new rows: that of the rows that were clustered, or one that is found as it was."""
    if view.id_column in frame.columns:
        return view.id_column
    return find_id_column(frame, View(path=path, columns=tuple(view.columns)))


def _source(folder: Path, view: SavedView, names: list[str], rows: Folder) -> Source:
    """Return what the clusters of new rows in a folder follow from."""
    from mvcc.jobs._all_rows import Source  # as below

    head = rows.head()
    refuse_repeated_columns(head, rows.path)
    return Source(os.path.abspath(folder / MODEL), view.name, tuple(names), _id_column(head, view, rows.path))


def _predict_folder(
    client: Client, rows: Folder, source: Source, n_clusters: int, part: Path, tell: Progress
) -> list[int]:
    """Write the clusters of the rows of a folder, and return how many rows each cluster gets."""
    from mvcc.jobs._all_rows import facts_of_counts, write_labels  # which import scikit-learn

    sizes: list[int] = facts_of_counts(write_labels(client, rows, source, part, tell), n_clusters)["all_sizes"]
    return sizes


def _refuse_repeated(hashes: Any, path: str) -> None:
    order = np.argsort(hashes, kind="stable")
    twice = np.flatnonzero(np.diff(hashes[order]) == 0)
    if len(twice):
        first, second = order[twice[0] : twice[0] + 2]
        raise DataError(f"{path}: row {second} has the id of row {first}; ids must be distinct.")


@contextmanager
def _writer(path: Path) -> Iterator[_Write]:
    """Give what writes columns to a file, which is there when all have been written."""
    with atomic_path(path) as part, _WRITERS[path.suffix.lower()](part) as write:
        yield write


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
