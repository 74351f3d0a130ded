"""Tables that are folders of Parquet files.

What they hold, and their rows in pieces that fit into memory.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from mvcc._utils.files import sha256_of
from mvcc._utils.messages import clipped
from mvcc._utils.reading import content_of, opened
from mvcc.exceptions import DataError
from mvcc.tables.reading._chunks import rows_at_a_time
from mvcc.tables.reading._parquet import frame_of_parquet, parquet_in, pyarrow_for, reading_parquet

_MOST_VALUES = 2**24  # of a piece: a million rows of 16 columns
_DASK_INDEX = (  # of a table without an index, and the same numbers in every partition
    "__null_dask_index__"
)
_ONE_SCHEMA = "Write all files with the same columns"


@dataclass(frozen=True)
class Piece:
    """Some row groups of a file, with all their rows."""

    path: str  # of the file, from the root: workers may be in another folder
    place: str  # what messages call the folder
    row_groups: tuple[int, ...]
    first_of_file: int  # the number of the first row of the file in the whole folder
    first: int  # the number of the first row of the piece in the whole folder
    n_rows: int

    @property
    def file(self) -> str:
        """What messages call the file."""
        return os.path.join(self.place, os.path.basename(self.path))

    def frames(self) -> Iterator[pd.DataFrame]:
        """Read the rows, some at a time.

        Returns: the index is the number of the row in the whole folder, and ``attrs["files"]``
        tells of which file it is.
        Raises DataError: for a file that is gone, or damaged.
        """
        with reading_parquet(self.file), _opened(self.path, self.file) as source:
            file = parquet_in(source, pre_buffer=False)
            n_before = self.first
            size = rows_at_a_time(len(file.schema_arrow))
            for batch in file.iter_batches(size, row_groups=list(self.row_groups)):
                frame = frame_of_parquet(batch, self.file)
                frame = frame.drop(columns=_DASK_INDEX, errors="ignore")
                if frame.attrs.get("index") == _DASK_INDEX:
                    del frame.attrs["index"]
                frame.index = pd.RangeIndex(n_before, n_before + len(frame))
                frame.attrs["files"] = ((self.first_of_file, os.path.basename(self.path)),)
                frame.attrs["folder"] = os.path.dirname(os.path.dirname(self.path))
                n_before += len(frame)
                yield frame


@dataclass(frozen=True)
class Folder:
    """A table in Parquet files, which follow each other by name."""

    path: str  # as it was named
    files: tuple[tuple[int, str], ...]  # the number of the first row of every file, and its name
    columns: tuple[str, ...]
    n_rows: int
    pieces: tuple[Piece, ...]  # all rows, in their order

    def head(self) -> pd.DataFrame:
        """Return the first rows."""
        return next(self.pieces[0].frames())


def is_folder(path: str) -> bool:
    """Tell whether a table is a folder."""
    return os.path.isdir(path)


def read_folder(path: str) -> Folder:
    """Read what the Parquet files of a folder say of themselves, but no rows.

    Raises DataError: for a folder without such files or without rows, and files that are damaged
    or have other columns.
    """
    names = _files_in(path)
    pyarrow_for(path)
    known: dict[str, tuple[Any, str]] = {}
    files: list[tuple[int, str]] = []
    pieces: list[Piece] = []
    n_rows = 0
    for name in names:
        place = os.path.join(path, name)
        with reading_parquet(place), _opened(os.path.join(path, name), place) as source:
            file = parquet_in(source)
            schema, metadata = file.schema_arrow, file.metadata
        _compare(known, schema, place, name)
        files.append((n_rows, name))
        pieces += _cut(os.path.join(os.path.abspath(path), name), path, metadata, n_rows)
        n_rows += metadata.num_rows
    if not n_rows:
        raise DataError(f"{path}: there are no rows in its Parquet files.")
    return Folder(path, tuple(files), tuple(known), n_rows, tuple(pieces))


def folder_sha256(path: str) -> str:
    """Return a checksum of the names, sizes and metadata of a folder's files."""
    digest = hashlib.sha256()
    for name in _files_in(path):
        with opened(os.path.join(path, name)) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(-8, os.SEEK_END)  # the length of the footer, and a mark
            footer = int.from_bytes(file.read(4), "little") + 8
            file.seek(-footer, os.SEEK_END)
            digest.update(f"{name}\n{size}\n".encode("utf-8", "surrogateescape") + file.read())
    return digest.hexdigest()


def input_sha256(path: str) -> str:
    """Return the checksum of an input, a file or a folder."""
    return folder_sha256(path) if is_folder(path) else sha256_of(content_of(path))


def _files_in(path: str) -> list[str]:
    names = sorted(
        entry.name
        for entry in os.scandir(path)
        if entry.name.endswith(".parquet") and entry.is_file()
    )
    if not names:
        raise DataError(
            f"{clipped(path, 1000)}: there are no Parquet files (*.parquet) in this folder; name a"
            " folder that has some, or a file."
        )
    return names


def _opened(path: str, place: str) -> Any:
    try:
        return opened(path)
    except FileNotFoundError as error:
        raise DataError(
            f"{place}: there is no file {path}; workers must see all files under the same paths as"
            " this process."
        ) from error


def _compare(known: dict[str, tuple[Any, str]], schema: Any, place: str, name: str) -> None:
    """Refuse a file whose columns differ from those of the files before.

    Note the type of each, and where it is so.
    """
    types = {field.name: _plain(field.type) for field in schema}
    first = next(iter(known.values()))[1] if known else ""
    for column in [*known, *types] if known else []:
        if column not in types:
            raise DataError(
                f"{place}: there is no column {clipped(repr(column))}, which {first} has."
                f" {_ONE_SCHEMA}."
            )
        if column not in known:
            raise DataError(
                f"{place}: there is a column {clipped(repr(column))}, which {first} does not have."
                f" {_ONE_SCHEMA}."
            )
        kind, where = known[column]
        if "null" not in (str(kind), str(types[column])) and kind != types[column]:
            raise DataError(
                f"{place}: the column {clipped(repr(column))} is of type {types[column]}, but in"
                f" {where} of type {kind}. {_ONE_SCHEMA}."
            )
    for column, kind in types.items():  # a column that lacks all its values has no type of its own
        if column not in known or str(known[column][0]) == "null":
            known[column] = (kind, name)


def _plain(kind: Any) -> Any:
    """Return the type of the values of a column, however they are stored."""
    import pyarrow

    plain = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    return pyarrow.string() if pyarrow.types.is_large_string(plain) else plain


def _cut(path: str, place: str, metadata: Any, first_of_file: int) -> Iterator[Piece]:
    """Cut a file into pieces of row groups that follow each other."""
    most = max(1, _MOST_VALUES // max(metadata.num_columns, 1))
    first, groups, n = first_of_file, list[int](), 0
    for group in range(metadata.num_row_groups):
        more = metadata.row_group(group).num_rows
        if n and n + more > most:
            yield Piece(path, place, tuple(groups), first_of_file, first, n)
            first, groups, n = first + n, [], 0
        groups.append(group)
        n += more
    if n:
        yield Piece(path, place, tuple(groups), first_of_file, first, n)
