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

from mvcc._utils.files import atomic_path, csv_bytes
from mvcc._utils.messages import why_unwritten
from mvcc.exceptions import DataError, InvalidInputError, StoreError
from mvcc.jobs._chunks import read_frames
from mvcc.jobs._config import View
from mvcc.jobs._folder import read_clustering
from mvcc.jobs._formats import pyarrow_for
from mvcc.jobs._tables import find_id_column, ids_of, no_column, place_of, refuse_repeated_columns

if TYPE_CHECKING:
    from mvcc.jobs._saved import SavedView

Columns = dict[str, Sequence[Any] | NDArray[Any]]
_Write = Callable[[Columns], None]


@dataclass(frozen=True)
class Predicted:
    """The new rows of a view: how many are in each cluster, and the file that says so."""

    view: str
    path: Path
    sizes: list[int]


def predict_files(folder: Path, new: Mapping[str, str], out: Path, *, fresh: bool = False) -> list[Predicted]:
    """Write the clusters of new rows; all files or none.

    Parameters
    ----------
    folder : Path
        Results of `mvcc cluster`.
    new : dict {view: path}
        Tables in any format that `mvcc cluster` reads; CSV and Parquet are read some rows at a time.
    out : Path
        The file, CSV or Parquet; of several views the folder with labels.csv in a folder of each.
    fresh : bool
        Replace files that are there.

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
    paths = [out] if len(new) == 1 else [out / name / "labels.csv" for name in new]
    for path in paths:
        _check(path, folder, list(new.values()), fresh)
    made = [parent for path in paths for parent in path.parents if not parent.exists()]
    try:
        with ExitStack() as stack:
            writers = [stack.enter_context(_writer(path)) for path in paths]
            return [
                Predicted(view.name, path, _predict(view, new[view.name], names[view.name], facts.n_clusters, write))
                for view, path, write in zip(views, paths, writers, strict=True)
            ]
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {why_unwritten(error, 'choose another --out')}") from error
    finally:
        for parent in made:
            with suppress(OSError):  # it is not empty, as it should be
                parent.rmdir()


def _check(path: Path, folder: Path, inputs: list[str], fresh: bool) -> None:
    """Refuse to write over what is there, before anything is read."""
    if path.suffix.lower() not in _WRITERS:
        raise InvalidInputError(f"{path} must end in {' or '.join(_WRITERS)}; choose another file with --out.")
    real = Path(os.path.realpath(path))
    if str(real) in map(os.path.realpath, inputs):
        raise StoreError(f"{path} is read and would be written over. Choose another file with --out.")
    if real.is_relative_to(os.path.realpath(folder)):
        raise StoreError(f"{path} is in the folder of the clustering. Choose another file with --out.")
    if path.exists() and not fresh:
        raise StoreError(f"{path} is there already. Choose another file with --out, or replace it with --fresh.")
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
            known = view.id_column in frame.columns
            id_column = view.id_column if known else find_id_column(frame, View(path=path, columns=tuple(view.columns)))
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
