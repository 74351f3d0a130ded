"""Files of rows and columns, of many formats, as data frames: whole, or some rows at a time."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from mvcc._utils.messages import clipped, nearest
from mvcc._utils.reading import check_size, content_of, in_lines, within_limits
from mvcc._utils.text import decoded, parse_arff
from mvcc.constraints import ConstraintFile
from mvcc.exceptions import DataError
from mvcc.tables._layout import CONFIG
from mvcc.tables.reading._parquet import frames_of_parquet, parts_of, read_parquet
from mvcc.tables.reading._rows import id_texts
from mvcc.tables.reading._text_tables import frames_of_text, read_text_table
from mvcc.tables.reading._typed_tables import read_arrays, read_records
from mvcc.tables.reading._workbooks import read_workbook

_MOST_SHOWN = 1000  # characters of a path


def read_frame(
    path: str, sheet: str | None = None, header: int | None = None, view: str = "VIEW"
) -> pd.DataFrame:
    """Read a table; the ending of its name tells the format. Text files have texts: 007 is no 7.

    ``attrs`` tell the "delimiter" of a text file, the line of the names ("header") and of each row
    ("lines"), which column names rows ("index"), which are no features ("beside"), "folder",
    "sheet", how many digits a workbook shows of numbers ("widths"), how many rows of units a text
    file has ("n_units") and "notes". Messages name the ``view`` in options; "" is a file of pairs,
    which is not one.
    """
    # mvcc reports what matters of a file; libraries may warn of more
    with _reading(path) as (ending, location), warnings.catch_warnings(action="ignore"):
        # never by name: some libraries take names for addresses on the network, or read whole
        # folders
        content = content_of(path)
        if ending == ".xlsx":
            frame = read_workbook(content, location, sheet=sheet, header=header, view=view)
        else:
            frame = _READERS[ending](content, location)
    frame.attrs["folder"] = os.path.dirname(path)
    return frame


def read_pairs_of(path: str) -> pd.DataFrame:
    """Read a file of matches or constraints, for which nobody can name a sheet."""
    return read_frame(path, view="")


def read_constraints(path: str) -> ConstraintFile:
    """Read a file of constraints: text, or a table of any other format."""
    if _READERS.get(Path(path).suffix.lower(), read_text_table) is read_text_table:
        return ConstraintFile.read(path)
    frame = read_pairs_of(path)
    columns = [id_texts(values) for _, values in frame.items()]
    lines = np.asarray(frame.attrs.get("lines", frame.index)).tolist()
    header = frame.attrs.get("header", 1), list(map(str, frame.columns))
    records = zip(lines, map(list, zip(*columns, strict=True)), strict=True)
    return ConstraintFile.of(path, chain([header], records), notes=frame.attrs.get("notes", ()))


@contextmanager
def _reading(path: str) -> Iterator[tuple[str, str]]:
    """Give the ending of a table and what messages call it; say why it cannot be read."""
    ending, location = Path(path).suffix.lower(), clipped(path, _MOST_SHOWN)
    if os.path.exists(config := os.path.join(path, CONFIG)):
        raise DataError(
            f"{location}: this is a folder. Name the config in it, {clipped(config, _MOST_SHOWN)};"
            " mvcc match takes a folder of results with --from."
        )
    if os.path.isdir(path):
        raise DataError(
            f"{location}: this is a folder; name a file. Only views of mvcc cluster and mvcc"
            " predict may be folders of Parquet files; beside one, say what each file is: --view"
            " NAME=FILE, --match VIEW:VIEW=FILE, --constraints VIEW=FILE."
        )
    if ending not in _READERS:
        description = repr(clipped(ending)) if ending else "of a name without an ending"
        unpack = "Unpack the file. " if ending in _PACKED else ""
        raise DataError(
            f"{location}: the format {description} is not known. {unpack}Known endings:"
            f" {', '.join(_READERS)}. Save the table as one of them."
        )
    try:
        yield ending, location
    except FileNotFoundError:
        siblings = Path(path).parent.glob("*")
        names = [sibling.name for sibling in siblings if sibling.suffix.lower() in _READERS]
        guess = nearest(Path(path).name, names)
        raise DataError(f"{location}: there is no such file{guess}") from None
    except (OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{location}: cannot be read: {reason}.") from error


def _read_arff(content: bytes, path: str) -> pd.DataFrame:
    attributes, rows, lines = parse_arff(decoded(content, path, DataError), path)
    with within_limits(path):
        check_size(len(rows), len(attributes))
    frame = pd.DataFrame(rows, columns=[attribute.name for attribute in attributes], dtype="str")
    frame.attrs["lines"] = in_lines(lines)
    return frame


_PACKED = (".gz", ".zip", ".bz2", ".xz", ".zst", ".7z", ".tgz", ".tar")
_READERS: dict[str, Callable[[bytes, str], pd.DataFrame]] = {
    ".csv": read_text_table,
    ".tsv": read_text_table,
    ".txt": read_text_table,
    ".xlsx": read_workbook,
    ".json": read_records,
    ".jsonl": read_records,
    ".ndjson": read_records,
    ".parquet": read_parquet,
    ".npz": read_arrays,
    ".npy": read_arrays,
    ".arff": _read_arff,
}


def read_frames(
    path: str, sheet: str | None = None, header: int | None = None
) -> Iterator[pd.DataFrame]:
    """Read a table as `read_frame` does, some rows at a time if its format allows it."""
    with _reading(path) as (ending, location):
        if _READERS[ending] is read_text_table:
            frames = frames_of_text(path, location)
        elif ending == ".parquet":
            frames = frames_of_parquet(path, location)
        else:
            frames = parts_of(read_frame(path, sheet, header))
        first = next(frames, None)
        if first is None:
            first = read_frame(path, sheet, header)
        for frame in chain([first], frames):
            frame.attrs["folder"] = os.path.dirname(path)
            yield frame
