"""A user's own tables, as they are, with what a clustering says of every row beside them."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

import pandas as pd

from mvcc._utils.files import csv_bytes, sha256_of
from mvcc._utils.messages import shown
from mvcc._utils.outputs import OutputFolder
from mvcc._utils.reading import content_of
from mvcc.exceptions import ConfigError
from mvcc.results import Clustering
from mvcc.tables._job import View
from mvcc.tables._layout import MODEL
from mvcc.tables.output import _export_formats as formats
from mvcc.tables.output._folder import inputs_of, label_columns
from mvcc.tables.output._stored import (
    has_changed,
    job_of_clustering,
    load_model,
    moved_perhaps,
    read_result,
    refuse_samples,
)
from mvcc.tables.reading._files import read_frame, read_records
from mvcc.tables.reading._parquet import frame_of_table, pyarrow_for
from mvcc.tables.reading._rows import ids_of
from mvcc.tables.reading._workbooks import read_workbook

_TEXT_FILES, _RECORDS = (".csv", ".tsv", ".txt"), (".json", ".jsonl", ".ndjson")


@dataclass(frozen=True, eq=False)
class _Exported:
    """The table of a view, and what the clustering says of its rows."""

    path: str  # of the table
    content: bytes  # of its file
    own: pd.DataFrame  # the user's own columns, as they were read
    beside: pd.DataFrame  # the new ones, by names that no column of the user has

    @property
    def ending(self) -> str:
        return Path(self.path).suffix.lower()

    @property
    def with_types(self) -> pd.DataFrame:
        """Both; of a text file, what are numbers in all its cells are numbers."""
        columns = self.own
        if self.ending in (*_TEXT_FILES, ".arff"):
            columns = formats.with_numbers(columns)
        return pd.concat((columns, self.beside), axis=1)


Views = dict[str, _Exported]


def export_tables(
    folder: Path, out: Path, kind: str | None = None, *, fresh: bool = False
) -> dict[Path, int]:
    """Write the tables of a clustering with what ``labels.csv`` says of every row beside them.

    `out` is a file, whose ending tells the format, or a folder, with a file of the format `kind`
    for each view. Returns the files, each with its number of rows.
    """
    facts = read_result(folder)
    refuse_samples(folder, facts)
    job = job_of_clustering(folder, facts)
    names = [view.name for view in facts.views]
    kind, files = _files(out, kind, names)
    model = load_model(folder / MODEL)
    views = {
        name: _with_clusters(folder, job.views[name], model.view(name).id_column, facts, position)
        for position, name in enumerate(names)
    }
    contents = {
        path: _WRITERS[kind]({name: views[name] for name in held}, str(path))
        for path, held in files.items()
    }
    parent = next(iter(files)).parent
    with OutputFolder(parent, "exported tables", fresh=fresh, inputs=inputs_of(job)) as target:
        target.write({path.name: content for path, content in contents.items()})
    return {path: sum(len(views[name].own) for name in held) for path, held in files.items()}


def _files(out: Path, kind: str | None, names: list[str]) -> tuple[str, dict[Path, list[str]]]:
    """Return the format, and the files with their views."""
    ending = "" if out.is_dir() else out.suffix.lower().removeprefix(".")
    if ending not in _WRITERS:
        if ending and kind is None:
            known = ", ".join(f".{name}" for name in _WRITERS)
            raise ConfigError(
                f"--out {out}: the ending {shown(f'.{ending}')} is none of {known}. For a folder of"
                " that name, add --format."
            )
        kind = kind or "csv"
        return kind, {out / f"{name}.{kind}": [name] for name in names}
    if kind not in (None, ending):
        raise ConfigError(
            f"--format {kind} does not fit --out {out}. Leave out --format, or name a folder."
        )
    if ending != "xlsx" and len(names) > 1:
        raise ConfigError(
            f"{out} holds one table, and there are {len(names)} views. Name a folder with --out, or"
            " a file that ends with .xlsx, which has a sheet for each."
        )
    return ending, {out: names}


def _with_clusters(
    folder: Path, view: View, id_column: str | None, facts: Clustering, position: int
) -> _Exported:
    """Return the table of a view, with what the clustering says of its rows."""
    with moved_perhaps(folder):
        frame = read_frame(view.path, view.sheet, view.header)
    content = content_of(view.path)
    columns, values = label_columns(facts.views[position])
    if sha256_of(content) != facts.inputs[position].sha256:
        raise has_changed(view.path, folder)
    ids = []
    if id_column is None or id_column in frame:
        ids = ids_of(frame, id_column, view.path)
    if set(ids) != set(values):
        raise has_changed(view.path, folder, is_same_file=True)
    beside = pd.DataFrame([values[name] for name in ids], frame.index, columns)
    beside = beside.rename(columns={"name": "cluster_name"})
    beside.columns = beside.columns.map(lambda name: _free(name, frame.columns))
    with warnings.catch_warnings(action="ignore"):  # of libraries, which were heard already
        exact = _exact(frame, view, content)
    return _Exported(view.path, content, exact, beside)


def _free(name: str, taken: pd.Index) -> str:
    """Return a name that no column of the user has."""
    candidates = chain([name], (f"{name}_{suffix}" for suffix in count(2)))
    return next(candidate for candidate in candidates if candidate not in taken)


def _exact(frame: pd.DataFrame, view: View, content: bytes) -> pd.DataFrame:
    """Return a table with whole numbers where pandas makes floats of them, beside missing ones."""
    path, ending = view.path, Path(view.path).suffix.lower()
    if ending == ".parquet":
        return frame_of_table(_arrow_table(content), path, integer_object_nulls=True)
    if ending == ".xlsx":
        return read_workbook(content, path, exact=True, sheet=view.sheet, header=view.header)
    if ending in _RECORDS:
        return read_records(content, path, exact=True)
    return frame


def _arrow_table(content: bytes) -> Any:
    from pyarrow import parquet

    return parquet.read_table(io.BytesIO(content))


def _csv(views: Views, path: str) -> bytes:
    """Write one table; that of a text file as it was, with its decimal sign in new columns."""
    (view,) = views.values()
    table, beside = _texts(view.own, path), _texts(view.beside, path)
    if view.ending not in _TEXT_FILES:
        return csv_bytes(zip(*map(formats.escaped, table + beside), strict=True))
    kinds = [dtype.kind for dtype in view.beside.dtypes]
    if formats.decimal_sign(view.own) == ",":
        for position, kind in enumerate(kinds):
            if kind == "f":
                beside[position] = [text.replace(".", ",") for text in beside[position]]
    are_texts = [kind in "OUT" for kind in kinds]
    delimiter, n_units = (view.own.attrs[key] for key in ("delimiter", "n_units"))
    new = list(map(formats.escaped, beside))
    return formats.with_columns(view.content, view.path, delimiter, table, new, are_texts, n_units)


def _texts(frame: pd.DataFrame, path: str) -> list[list[str]]:
    return [[str(name), *formats.as_csv(frame[name], path)] for name in frame.columns]


def _xlsx(views: Views, path: str) -> bytes:
    frames = {name: view.with_types for name, view in views.items()}
    for frame in frames.values():
        for name in frame.columns:
            frame[name] = formats.flat(frame[name], path)
    return formats.workbook_bytes(frames, path)


def _parquet(views: Views, path: str) -> bytes:
    """Write one table; that of a Parquet file with all its types."""
    (view,) = views.values()
    pyarrow = pyarrow_for(path)
    from pyarrow import parquet

    buffer = io.BytesIO()
    if view.ending == ".parquet":
        table = _arrow_table(view.content)
        for name in view.beside.columns:
            table = table.append_column(name, formats.as_arrow(view.beside[name]))
    else:
        columns = {str(name): formats.as_arrow(column) for name, column in view.with_types.items()}
        table = pyarrow.table(columns)
    parquet.write_table(table, buffer)
    return buffer.getvalue()


_WRITERS = {"csv": _csv, "parquet": _parquet, "xlsx": _xlsx}
