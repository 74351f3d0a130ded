"""The rows of folders that a model is fitted on.

Those that something is known of, and others that chance picks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.scheduler import Client
from mvcc.tables._job import Job
from mvcc.tables.folders._workers import computed
from mvcc.tables.reading._answers import answer_files
from mvcc.tables.reading._files import read_frames
from mvcc.tables.reading._parquet import Folder, Piece
from mvcc.tables.reading._people import ids_in_answers
from mvcc.tables.reading._rows import ids_of

DEFAULT_ROWS = 100_000  # of each folder
_FEWEST_ROWS = 1_000  # however low memory is
_BYTES_OF_A_VALUE = 200  # that clustering takes at most, measured at 32 columns
_MORE_COLUMNS = 10  # for what does not grow with the number of columns
_MATCHED = 1 / 2  # of a sample

Keys = NDArray[np.uint64]
IdColumns = Mapping[str, str | None]


@dataclass(frozen=True)
class Drawing:
    """What says of each row of a folder whether it is drawn, wherever the row is."""

    path: str  # of the folder, as it was named
    id_column: str | None
    wanted: frozenset[str]  # ids that are drawn in any case
    n_rows: int  # that are to be drawn
    n_all_rows: int  # among which they are
    seed: int

    def candidates(self, piece: Piece) -> tuple[pd.DataFrame, Keys]:
        """Return the rows of a piece that may be drawn, and their keys.

        Those with the least are.
        """
        frames, keys = [], []
        for frame in piece.frames():
            ids = np.array(ids_of(frame, self.id_column, self.path), dtype=object)
            own = np.where(pd.Index(ids).isin(self.wanted), np.uint64(0), keys_of(ids, self.seed))
            near = own <= self._bound
            frames.append(frame[near])
            keys.append(own[near])
        return pd.concat(frames), np.concatenate(keys)

    @property
    def _bound(self) -> np.uint64:
        """A key that more rows than are drawn are certain to be below, but not many more."""
        share = (self.n_rows + 6 * np.sqrt(self.n_rows) + 10) / self.n_all_rows
        return np.uint64(2**64 - 1 if share >= 1 else int(share * 2**64))

    def drawn(self, parts: Iterable[tuple[pd.DataFrame, Keys]]) -> pd.DataFrame:
        """Return the rows that are drawn from the candidates of all pieces, in their order."""
        frames, keys = zip(*parts, strict=True)
        frame: pd.DataFrame = pd.concat(frames)
        own = np.concatenate(keys)
        n = max(self.n_rows, int((own == 0).sum()))
        return frame.iloc[np.sort(np.argsort(own, kind="stable")[:n])]


def keys_of(texts: NDArray[np.object_], seed: int) -> Keys:
    """Return a number for each text, by chance, but always the same; 0 is never among them."""
    keys: Keys = pd.util.hash_array(texts, hash_key=f"{seed:016x}", categorize=False)
    return np.maximum(keys, np.uint64(1))


def sample_sizes(job: Job, folders: Mapping[str, Folder]) -> dict[str, int]:
    """Return how many rows are drawn of each folder."""
    n = job.sample
    if n is None:
        bytes_of_a_row = sum(
            _BYTES_OF_A_VALUE * (len(one.columns) + _MORE_COLUMNS) for one in folders.values()
        )
        n = min(DEFAULT_ROWS, max(_FEWEST_ROWS, _available_memory() // 2 // bytes_of_a_row))
    return {name: min(n, folder.n_rows) for name, folder in folders.items()}


def _available_memory() -> int:
    import psutil  # which comes with dask
    from distributed.system import MEMORY_LIMIT

    return int(min(psutil.virtual_memory().available, MEMORY_LIMIT))


def draw_matches(
    job: Job,
    folders: Mapping[str, Folder],
    id_columns: IdColumns,
    sizes: Mapping[str, int],
    constrained: frozenset[str],
) -> tuple[dict[str, pd.DataFrame], set[str]]:
    """Draw matches: all those of constrained rows, and others up to a bound.

    Returns: the lines that were drawn of each file of matches.
    Returns: the ids in them.
    """
    drawn: dict[str, pd.DataFrame] = {}
    ids: set[str] = set()
    for pair, path in job.matches.items():
        views = pair.split(":")
        cut = [
            sizes[name] for name in views if name in folders and sizes[name] < folders[name].n_rows
        ]
        if cut:
            most = max(1, int(min(cut) * _MATCHED) // len(job.matches))
            columns = (id_columns[views[0]], id_columns[views[1]])
            drawn[pair], own = _drawn_lines(
                path, (views[0], views[1]), columns, constrained, most, job.seed
            )
            ids |= own
    return drawn, ids


def _drawn_lines(
    path: str,
    views: tuple[str, str],
    id_columns: tuple[str | None, str | None],
    constrained: frozenset[str],
    most: int,
    seed: int,
) -> tuple[pd.DataFrame, set[str]]:
    from mvcc.tables.reading._pairs import matched_ids  # which imports numba

    kept, keys = pd.DataFrame(), np.empty(0, np.uint64)
    known: dict[Any, Any] = {}
    for frame in read_frames(path):
        known["notes"] = frame.attrs.get("notes", [])
        if "lines" in frame.attrs:
            known["lines"] = frame.attrs["lines"] - int(frame.index[0])
        ends = matched_ids(frame, path, views, id_columns)[1]
        pairs = np.array(
            [f"{one}\0{other}" for one, other in zip(*ends, strict=True)], dtype=object
        )
        is_constrained = np.logical_or(*(pd.Index(own).isin(constrained) for own in ends))
        keys = np.concatenate((keys, np.where(is_constrained, np.uint64(0), keys_of(pairs, seed))))
        frame.attrs = {}
        kept = pd.concat([kept, frame]) if len(kept) else frame
        n = max(most, int((keys == 0).sum()))
        rows = np.sort(np.argsort(keys, kind="stable")[:n])
        kept, keys = kept.iloc[rows], keys[rows]
    kept.attrs = known
    names, columns, is_header = matched_ids(kept, path, views, id_columns)
    return kept, {*columns[0], *columns[1], *(() if is_header else names[:2])}


def constrained_ids(job: Job) -> frozenset[str]:
    """Return the ids that constraints and answers name, of whatever view."""
    from mvcc.constraints import ConstraintFile  # which imports numba

    files = (ConstraintFile.read(path) for path in job.constraints.values())
    names = (
        name.strip() for file in files for record in file.records.values() for name in record[:2]
    )
    return frozenset(names) | ids_in_answers(answer_files(job))


def draw_rows(
    client: Client,
    folder: Folder,
    drawing: Drawing,
    on_share: Callable[[float], None] = lambda share: None,
) -> pd.DataFrame:
    """Read the rows that are drawn of a folder, in one pass over its pieces."""
    from dask.delayed import delayed

    same = delayed(drawing)
    picked = [delayed(Drawing.candidates)(same, piece) for piece in folder.pieces]
    frame = drawing.drawn(computed(client, picked, lambda n: on_share(n / len(picked))))
    frame.attrs |= {"files": folder.files, "folder": os.path.dirname(folder.path)}
    return frame
