"""The clusters of all rows of a folder, partition by partition, from a model of some of them."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import clipped
from mvcc._utils.reading import content_of, opened
from mvcc._utils.scheduler import Client, computed
from mvcc._version import __version__
from mvcc.exceptions import StoreError, WorkerError
from mvcc.metrics import scores_of_table
from mvcc.tables.model._saved import SavedClustering, SavedView
from mvcc.tables.reading._column import texts_or_empty
from mvcc.tables.reading._parquet import Folder, Piece
from mvcc.tables.reading._rows import ids_of, place_of

_TEXT = "string[pyarrow]"


@dataclass(frozen=True)
class Source:
    """What the clusters of rows follow from, as workers read it."""

    model: str  # the path of the file of the model
    view: str
    names: tuple[str, ...]  # the name of every cluster; empty where they have none
    id_column: str | None
    labels_column: str | None = None
    # the path of a table with the clusters of the rows that the model was fitted on; they keep them
    known: str | None = None
    into: tuple[tuple[int, ...], ...] = ()  # of every view, what each cluster was merged into

    def columns(self) -> dict[str, str]:
        """Return the columns that are written, and their types."""
        more = {"name": self.names, "label": self.labels_column}
        return {"id": _TEXT, "cluster": "int64"} | {
            name: _TEXT for name, value in more.items() if value
        }


@dataclass(frozen=True, eq=False)
class Labeler:
    """A source as it was read."""

    source: Source
    view: SavedView
    known: pd.Series[Any]

    @classmethod
    def read(cls, source: Source, version: str) -> Labeler:
        """Read the model, on a worker."""
        if version != __version__:
            raise WorkerError(
                f"A worker has mvcc {__version__}, but the job {version}; install the same version."
            )
        try:
            model = SavedClustering.from_bytes(content_of(source.model), source.model)
            view = model.merged(source.into).view(source.view)
            known: dict[str, int] = {}
            if source.known is not None:
                with TextIOWrapper(opened(source.known), encoding="utf-8", newline="") as file:
                    known = {name: int(cluster) for name, cluster, *_ in list(csv.reader(file))[1:]}
        except OSError as error:
            raise WorkerError(
                f"A worker cannot read {error.filename}: {error.strerror}. The folder of the"
                " results must be on a disk that all workers see under the same path."
            ) from error
        return cls(source, view, pd.Series(known, dtype="int64"))

    def labels(self, piece: Piece) -> pd.DataFrame:
        """Return id and cluster of the rows of a piece, with names and true labels if any."""
        labels = pd.concat([self._labels(frame, piece) for frame in piece.frames()])
        if self.source.id_column is not None:
            labels.attrs["files"] = ((piece.first_of_file, os.path.basename(piece.path)),)
            ids_of(labels, "id", piece.place)
            labels.attrs = {}
        return labels.reset_index(drop=True)

    def _labels(self, frame: pd.DataFrame, piece: Piece) -> pd.DataFrame:
        clustered = self.view.columns_in(frame, piece.file)
        ids = pd.Index(ids_of(frame, self.source.id_column, piece.place))
        clusters = self.view.predict(clustered, partial(place_of, frame, piece.place))
        if len(self.known):
            rows = self.known.index.get_indexer(ids)
            clusters = np.where(rows < 0, clusters, self.known.to_numpy()[rows])
        columns: dict[str, Any] = {"id": ids, "cluster": clusters}
        if self.source.names:
            names = np.array([*self.source.names, ""], dtype=object)  # an outlier is −1, the last
            columns["name"] = names[clusters]
        if self.source.labels_column:
            columns["label"] = texts_or_empty(frame[self.source.labels_column]).to_numpy()
        return pd.DataFrame(columns, index=frame.index).astype(self.source.columns())


def write_labels(
    client: Client, folder: Folder, source: Source, out: Path, on_share: Callable[[float], None]
) -> pd.Series[Any]:
    """Write the clusters of all rows, a file for each piece; return how many there are of each."""
    import dask.dataframe as dd
    from dask.delayed import delayed

    columns = source.columns()
    meta = pd.DataFrame({name: pd.Series([], dtype=dtype) for name, dtype in columns.items()})
    labeler = delayed(Labeler.read)(source, __version__)
    parts = [delayed(Labeler.labels)(labeler, piece) for piece in folder.pieces]
    path = os.path.abspath(out)
    labels = dd.from_delayed(parts, meta=meta, verify_meta=False)
    written = labels.to_parquet(path, write_index=False, compute=False)
    computed(client, [written], lambda n: on_share(len(list(out.glob("*.parquet"))) / len(parts)))
    by = [name for name in ("cluster", "label") if name in columns]
    counts: pd.Series[Any]
    (counts,) = computed(client, [dd.read_parquet(path, columns=by).groupby(by).size(split_out=1)])
    if (n := int(counts.sum())) != folder.n_rows:
        raise StoreError(
            f"{clipped(path, 1000)} holds {n} rows, but {folder.path} has {folder.n_rows}:"
            " something else has written to it, or does not show all files yet. Run the command"
            " again."
        )
    return counts.sort_index()


def facts_of_counts(counts: pd.Series[Any], n_clusters: int) -> dict[str, Any]:
    """Return the number of all rows, the sizes of clusters, and their agreement with labels."""
    is_labeled = counts.index.nlevels == 2
    table = counts.unstack(fill_value=0) if is_labeled else counts.to_frame()
    table = table.reindex(range(n_clusters), fill_value=0)
    facts: dict[str, Any] = {
        "n_all_rows": int(counts.sum()),
        "all_sizes": tuple(table.sum(axis=1).astype(int).tolist()),
    }
    if is_labeled:
        labeled: Ints = table.drop(columns="", errors="ignore").to_numpy(dtype=np.int64)
        if labeled.sum() > 1:
            facts["all_f"], facts["all_ari"] = scores_of_table(labeled)
    return facts
