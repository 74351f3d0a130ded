"""Views that are folders of Parquet files: a sample is clustered, and all rows get its clusters."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.messages import views_of_pair
from mvcc._utils.progress import Progress
from mvcc._utils.reading import in_lines
from mvcc._utils.scheduler import Client, computed, workers
from mvcc.exceptions import ConfigError
from mvcc.results import Clustering
from mvcc.tables._job import Job, View
from mvcc.tables._layout import ALL_LABELS, LABELS, MODEL
from mvcc.tables.reading._answers import answer_files
from mvcc.tables.reading._codes import may_name_rows
from mvcc.tables.reading._column import GLANCE, as_texts
from mvcc.tables.reading._files import read_constraints, read_frames
from mvcc.tables.reading._id_column import Named, find_id_column
from mvcc.tables.reading._matches import matched_ids
from mvcc.tables.reading._parquet import Folder, Piece, read_folder
from mvcc.tables.reading._people import rows_in_answers
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._rows import (
    columns_of_bytes,
    ids_of,
    plain_id,
    plain_ids,
    refuse_repeated_columns,
)
from mvcc.tables.reading._table import Table, table_of

if TYPE_CHECKING:
    from mvcc.tables.model._saved import SavedClustering
    from mvcc.tables.reading._inputs import PairFiles

DEFAULT_ROWS = 100_000  # of each folder
_FEWEST_ROWS = 1_000  # however low memory is
_BYTES_OF_A_VALUE = 200  # that clustering takes at most, measured at 32 columns
_MORE_COLUMNS = 10  # for what does not grow with the number of columns
_MATCHED = 1 / 2  # of a sample
Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Folders:
    """The views of a job that are folders, and the workers that read them."""

    of_view: Mapping[str, Folder]
    client: Client
    on_step: Callable[[str], None]  # told what is being done

    def __contains__(self, name: str) -> bool:
        return name in self.of_view

    def sample(
        self, job: Job, tables: list[Table], files: PairFiles, problems: Problems
    ) -> tuple[list[Table], dict[str, pd.DataFrame]]:
        """Read a sample of each folder, constrained rows first, and draw the lines of matches."""
        id_columns = {table.name: table.id_column for table in tables}
        for name, folder in self.of_view.items():
            named = files.named_in(name)
            id_columns[name] = id_column_of(self.client, folder, job.views[name], named)
        constrained = Drawing(_constrained_ids(job), job.sample or self._most_rows(), job.seed)
        drawn, wanted = self._draw_matches(job, id_columns, constrained)
        sampled = []
        for name, folder in self.of_view.items():
            tell = Progress(f"reading a sample of {name}", self.on_step)
            column, drawing = id_columns[name], replace(constrained, wanted=wanted)
            frame = draw_rows(self.client, folder, column, drawing, tell)
            view = job.views[name].model_copy(update={"id_column": column})
            ids = None if column else [str(row) for row in frame.index]
            with problems.collecting():
                table = table_of(frame, name, view, problems, job.shown_of(name), ids)
                is_numbered = column is None  # by numbers with gaps
                sampled.append(replace(table, n_all_rows=folder.n_rows, is_numbered=is_numbered))
        return sampled, drawn

    def _most_rows(self) -> int:
        """Return how many rows are drawn of each folder that has as many: what memory allows."""
        import psutil  # which comes with dask
        from distributed.system import MEMORY_LIMIT

        memory = int(min(psutil.virtual_memory().available, MEMORY_LIMIT))
        n_columns = sum(len(folder.columns) + _MORE_COLUMNS for folder in self.of_view.values())
        n = memory // 2 // (_BYTES_OF_A_VALUE * n_columns)
        return min(DEFAULT_ROWS, max(_FEWEST_ROWS, n))

    def _draw_matches(
        self, job: Job, id_columns: Mapping[str, str | None], constrained: Drawing
    ) -> tuple[dict[str, pd.DataFrame], frozenset[str]]:
        """Draw all matches of constrained rows, and some others: lines of files, and all ids."""
        drawn: dict[str, pd.DataFrame] = {}
        ids = constrained.wanted
        for pair, path in job.matches.items():
            first, second = views_of_pair(pair)
            folders = [self.of_view[name] for name in (first, second) if name in self.of_view]
            if any(folder.n_rows > constrained.n for folder in folders):
                most = max(1, int(constrained.n * _MATCHED) // len(job.matches))
                ends = (first, second), (id_columns[first], id_columns[second])
                drawn[pair], drawn_ids = _drawn_lines(path, *ends, replace(constrained, n=most))
                ids |= drawn_ids
        return drawn, ids

    def label(self, job: Job, saved: SavedClustering, new: Path, facts: Clustering) -> Clustering:
        """Write the clusters of all rows beside model and labels of the sample, and count them."""
        from mvcc.tables._folder_labels import Source, facts_of_counts, write_labels

        began = time.perf_counter()
        views = {view.name: view for view in facts.views}
        for name, folder in self.of_view.items():
            ids, labels = saved.view(name).id_column, job.views[name].labels_column
            model, known = os.path.abspath(new / MODEL), os.path.abspath(new / name / LABELS)
            source = Source(model, name, views[name].names, ids, labels, known, facts.into)
            tell = Progress(f"labels of all rows of {name}", self.on_step)
            counts = write_labels(self.client, folder, source, new / name / ALL_LABELS, tell)
            fields = facts_of_counts(counts, facts.n_clusters)
            views[name] = views[name].model_copy(update=fields)
        seconds = round(facts.seconds + time.perf_counter() - began, 1)
        return facts.model_copy(update={"views": tuple(views.values()), "seconds": seconds})


@contextmanager
def folders_of(
    job: Job, scheduler: str | None, on_step: Callable[[str], None]
) -> Iterator[Folders | None]:
    """Give the folders of a job with workers for them, or None where all views are files."""
    paths = {name: view.path for name, view in job.views.items() if os.path.isdir(view.path)}
    if not paths:
        if job.sample is not None:
            refuse_without_folder("`sample` (--sample)")
        if scheduler:
            refuse_without_folder("--scheduler")
        yield None
        return
    folders = {name: read_folder(path) for name, path in paths.items()}
    on_step("starting workers")
    with workers(scheduler, next(iter(paths.values()))) as client:
        yield Folders(folders, client, on_step)


def refuse_without_folder(option: str) -> NoReturn:
    """Refuse an option that has no effect on files."""
    raise ConfigError(
        f"{option} goes only with a view that is a folder of Parquet files; leave it out."
    )


@dataclass(frozen=True)
class Drawing:
    """Which rows or lines are drawn, wherever they are: those with the least keys."""

    wanted: frozenset[str]  # ids that are drawn in any case (`plain_id`)
    n: int  # that are to be drawn
    seed: int

    def keys(self, texts: NDArray[np.object_], *ids: Any) -> Keys:
        """Return a number for each text, by chance, but always the same; 0 if an id is wanted."""
        keys: Keys = pd.util.hash_array(texts, hash_key=f"{self.seed:016x}", categorize=False)
        keys = np.maximum(keys, np.uint64(1))
        if self.wanted:
            for column in ids:
                keys[pd.Index(map(plain_id, column)).isin(self.wanted)] = 0
        return keys

    def least(self, keys: Keys) -> NDArray[np.int64]:
        """Return the places of those that are drawn, in their order."""
        return np.sort(np.argsort(keys, kind="stable")[: max(self.n, int((keys == 0).sum()))])

    def candidates(
        self, piece: Piece, folder: str, id_column: str | None, n_rows: int
    ) -> tuple[pd.DataFrame, Keys]:
        """Return the rows of a piece that may be drawn of so many of a folder, and their keys."""
        bound = self._bound(n_rows)
        frames, kept_keys = [], []
        for frame in piece.frames():
            ids = np.array(ids_of(frame, id_column, folder), dtype=object)
            keys = self.keys(ids, ids)
            frames.append(frame[keys <= bound])
            kept_keys.append(keys[keys <= bound])
        return pd.concat(frames), np.concatenate(kept_keys)

    def telling(self, piece: Piece, columns: list[str], n_rows: int) -> pd.DataFrame:
        """Return the rows of a piece that tell which of some columns has distinct, wanted ids."""
        frames, bound = [], self._bound(n_rows)
        for frame in piece.frames(columns):
            rows = set[int]()
            for values in (frame.index.to_series(), *(frame[column] for column in columns)):
                texts = as_texts(values.dropna())
                some = texts[self.keys(texts.to_numpy(dtype=object), texts) <= bound]
                rows |= set(some.groupby(some.to_numpy()).head(2).index)  # two suffice
            frames.append(frame.loc[sorted(rows)])
        return pd.concat(frames)

    def _bound(self, n_rows: int) -> np.uint64:
        """Return the key below which more rows than are drawn are certain to be, but not many."""
        n = min(self.n, n_rows)
        share = (n + 6 * np.sqrt(n) + 10) / n_rows
        return np.uint64(min(int(share * 2**64), 2**64 - 1))


def id_column_of(
    client: Client, folder: Folder, view: View, named: Sequence[Named] = ()
) -> str | None:
    """Return the column that names the rows of a folder, which its first rows may not tell."""
    from dask.delayed import delayed

    head = next(folder.pieces[0].frames())
    refuse_repeated_columns(head, folder.path)
    id_column = find_id_column(head, view, named)
    if view.id_column is not None or "index" in head.attrs or len(head) == folder.n_rows:
        return id_column
    others = view.model_copy(update={"ignore": (*view.ignore, str(id_column))})
    if not named and find_id_column(head, others) == id_column:  # it is called id, or there is none
        return id_column
    read = set(folder.columns) - set(columns_of_bytes(head))
    glance = {name: as_texts(head[name].head(GLANCE)) for name in head if name in read}
    columns = [name for name, texts in glance.items() if may_name_rows(texts)]
    wanted = frozenset(map(plain_id, chain(*(column.ids for column in named))))
    named_here = {name: plain_ids(head[name]) for name in columns}
    if [name for name, ids in named_here.items() if not wanted.isdisjoint(ids)] == [id_column]:
        return id_column  # no other column could hold what is named: the other rows are not read
    same = delayed(Drawing(wanted, DEFAULT_ROWS, 0))
    more = columns, folder.n_rows
    rows = computed(
        client, [delayed(Drawing.telling)(same, piece, *more) for piece in folder.pieces]
    )
    frame = pd.concat([head, *rows])
    return find_id_column(frame[~frame.index.duplicated()], view, named)


def draw_rows(
    client: Client,
    folder: Folder,
    id_column: str | None,
    drawing: Drawing,
    on_share: Callable[[float], None],
) -> pd.DataFrame:
    """Read the rows that are drawn of a folder, in one pass over its pieces."""
    from dask.delayed import delayed

    same, more = delayed(drawing), (folder.path, id_column, folder.n_rows)
    picked = [delayed(Drawing.candidates)(same, piece, *more) for piece in folder.pieces]
    candidates = computed(client, picked, lambda n: on_share(n / len(picked)))
    frames, keys = zip(*candidates, strict=True)
    frame: pd.DataFrame = pd.concat(frames).iloc[drawing.least(np.concatenate(keys))]
    frame.attrs |= {"files": folder.files, "folder": os.path.dirname(folder.path)}
    return frame


def _drawn_lines(
    path: str, views: tuple[str, str], id_columns: tuple[str | None, str | None], drawing: Drawing
) -> tuple[pd.DataFrame, set[str]]:
    kept, keys = pd.DataFrame(), np.empty(0, np.uint64)
    attrs: dict[Any, Any] = {}
    for frame in read_frames(path):
        notes = [*attrs.get("notes", []), *frame.attrs.get("notes", [])]
        attrs["notes"] = list(dict.fromkeys(notes))
        attrs |= {key: frame.attrs[key] for key in ("header", "lines") if key in frame.attrs}
        if "lines" in attrs:
            frame.index = pd.Index(attrs["lines"])
        _, ends, _ = matched_ids(frame, path, views, id_columns)
        pairs = np.array(list(map("\0".join, zip(*ends, strict=True))), dtype=object)
        keys = np.concatenate((keys, drawing.keys(pairs, *ends)))
        frame.attrs = {}
        kept = pd.concat([kept, frame]) if len(kept) else frame
        rows = drawing.least(keys)
        kept, keys = kept.iloc[rows], keys[rows]
    if "lines" in attrs:
        attrs["lines"] = in_lines(kept.index.tolist())
    kept.attrs = attrs
    names, columns, is_header = matched_ids(kept, path, views, id_columns)
    return kept, {*map(plain_id, chain(*columns, () if is_header else names[:2]))}


def _constrained_ids(job: Job) -> frozenset[str]:
    """Return the ids that constraints and answers name, of whatever view."""
    files = [read_constraints(path) for path in job.constraints.values()]
    pairs = [record[:2] for file in files for record in file.records.values()]
    ids = {id for _, id in rows_in_answers(answer_files(job))}
    return frozenset(plain_id(name.strip()) for name in chain(ids, *pairs))
