"""A user's own tables, as they are, with what a clustering says of every row beside them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd

from mvcc._utils.files import csv_bytes, sha256_of
from mvcc._utils.messages import clipped, shown
from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import ConfigError, DataError
from mvcc.jobs._columns import as_texts, as_whole, understand_all
from mvcc.jobs._config import Job, load_job
from mvcc.jobs._folder import CONFIG, inputs_of, label_columns
from mvcc.jobs._formats import read_frame
from mvcc.jobs._numbers import is_written_number
from mvcc.jobs._tables import row_ids
from mvcc.jobs._workbooks import workbook_bytes
from mvcc.results import read_facts

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet program compute a cell (OWASP, CSV injection)
_NAMES = {"name": "cluster_name"}  # of columns beside those of the user

Frames = dict[str, pd.DataFrame]


def export_tables(folder: Path, out: Path, kind: str | None = None, *, fresh: bool = False) -> dict[Path, int]:
    """Write the tables of a clustering with cluster, name, stability and fit of every row.

    A text that a spreadsheet program would take for a formula gets a leading ``'`` in CSV, and is marked as text in a
    workbook.

    Parameters
    ----------
    folder : Path
        Of the clustering.
    out : Path
        A file, whose ending tells the format; or else a folder, with a file for each view. A workbook has a sheet for
        each view, other files have one view.
    kind : {"csv", "parquet", "xlsx"} or None
        The format; by default that of the file, or CSV.
    fresh : bool
        Replace exported tables that exist.

    Returns
    -------
    dict {Path: int}
        The files, each with its number of rows.

    Raises
    ------
    ConfigError
        For an ending that is not the format, or several views for a file that holds one.
    DataError, StoreError
        For a table that has changed since, cannot be read, or does not fit the format; or a file that cannot be
        written, or may not be replaced. Nothing is written then.
    """
    facts, job = read_facts(folder), load_job(folder / CONFIG)
    names = [view["name"] for view in facts["views"]]
    kind, files = _files(out, kind, names)
    frames = {name: _with_clusters(folder, job, facts, place) for place, name in enumerate(names)}
    contents = {path: _WRITERS[kind]({name: frames[name] for name in own}, str(path)) for path, own in files.items()}
    parent = next(iter(files)).parent
    with OutputFolder(parent, "exported tables", fresh=fresh, inputs=inputs_of(job)) as target:
        target.write({path.name: content for path, content in contents.items()})
    return {path: sum(len(frames[name]) for name in own) for path, own in files.items()}


def _files(out: Path, kind: str | None, names: list[str]) -> tuple[str, dict[Path, list[str]]]:
    """Return the format, and the files with their views."""
    ending = "" if out.is_dir() else out.suffix.lower().removeprefix(".")
    if ending not in _WRITERS:
        if ending and kind is None:
            known = ", ".join(f".{name}" for name in _WRITERS)
            raise ConfigError(
                f"--out {out}: the ending {shown(f'.{ending}')} is none of {known}. For a folder of that name, add "
                f"--format."
            )
        kind = kind or "csv"
        return kind, {out / f"{name}.{kind}": [name] for name in names}
    if kind not in (None, ending):
        raise ConfigError(f"--format {kind} does not fit --out {out}. Leave out --format, or name a folder.")
    if ending != "xlsx" and len(names) > 1:
        raise ConfigError(
            f"{out} holds one table, and there are {len(names)} views. Name a folder with --out, or a file that ends "
            f"with .xlsx, which has a sheet for each."
        )
    return ending, {out: names}


def _with_clusters(folder: Path, job: Job, facts: dict[str, Any], place: int) -> pd.DataFrame:
    """Return the table of a view, with what the clustering says of its rows as further columns."""
    view = job.views[facts["views"][place]["name"]]
    frame = read_frame(view.path)
    ids = row_ids(frame, view)
    columns, values = label_columns(facts["views"][place])
    is_same = sha256_of(Path(view.path).read_bytes()) == facts["inputs"][place]["sha256"]
    if not is_same or set(ids) != set(values):
        raise DataError(
            f"{view.path} has changed since it was clustered. Restore the file, or cluster it again: "
            f"mvcc cluster {folder / CONFIG} --out {folder}"
        )
    beside = pd.DataFrame([values[name] for name in ids], columns=columns).rename(columns=_NAMES)
    beside.columns = beside.columns.map(lambda name: _free(name, frame.columns))
    found = pd.concat((frame, beside), axis=1)
    found.attrs = frame.attrs
    return found


def _free(name: str, taken: pd.Index) -> str:
    """Return a name that no column of the user has."""
    others = (f"{name}_{number}" for number in count(2))
    return name if name not in taken else next(other for other in others if other not in taken)


def _csv(frames: Frames, path: str) -> bytes:
    """Write one table; with semicolons where its commas may be decimal commas."""
    (frame,) = frames.values()
    columns = [escaped([str(name), *_as_text(frame[name])]) for name in frame.columns]
    return csv_bytes(zip(*columns, strict=True), "," if frame.attrs.get("delimiter", ",") == "," else ";")


def _as_text(column: pd.Series[Any]) -> list[str]:
    texts = as_texts(column) if column.dtype.kind == "f" else column.astype(str)
    found: list[str] = texts.where(column.notna(), "").tolist()
    return found


def escaped(texts: list[str]) -> list[str]:
    """Return texts, with a leading ``'`` where a spreadsheet program would take them for formulas."""
    return [f"'{text}" if text.startswith(_FORMULA) and not is_written_number(text) else text for text in texts]


def _xlsx(frames: Frames, path: str) -> bytes:
    return workbook_bytes({name: _typed(frame) for name, frame in frames.items()}, path)


def _parquet(frames: Frames, path: str) -> bytes:
    frame = _typed(next(iter(frames.values())))
    for name in frame.columns:  # a column of a sheet may hold numbers and texts, which Parquet has no type for
        if pd.api.types.infer_dtype(frame[name], skipna=True).startswith("mixed"):
            frame[name] = frame[name].astype(str).where(frame[name].notna(), None)
    frame.attrs = {}
    try:
        content = frame.to_parquet(engine="pyarrow", index=False)
    except ImportError:
        raise DataError(f"{path}: Parquet needs the package pyarrow: pip install pyarrow") from None
    except ValueError as error:  # which those of pyarrow are
        raise DataError(f"{path}: cannot be written as Parquet: {clipped(str(error), 200)}.") from error
    assert content is not None
    return content


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns of numbers are numbers; such as begin with zeros are codes, and stay text."""
    texts = [name for name in frame.columns if frame[name].dtype.kind in "OUT"]
    found = understand_all(frame[texts], dict.fromkeys(texts))
    numbers = {
        name: as_whole(pd.Series(one.values))
        for name, one in found.items()
        if one.column.kind == "number" and one.mistake is None and not one.column.note.endswith("is 1")
        if not frame[name].astype(str).str.match(r"\s*[+-]?0\d").any()
    }
    return frame.assign(**numbers)


_WRITERS: dict[str, Callable[[Frames, str], bytes]] = {"csv": _csv, "parquet": _parquet, "xlsx": _xlsx}
