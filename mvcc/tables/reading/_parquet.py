"""Tables that are Parquet files, or folders of them, in pieces that fit into memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import pandas as pd

from mvcc._utils.contexts import without_warnings
from mvcc._utils.files import sha256_of
from mvcc._utils.messages import clipped, shown
from mvcc._utils.reading import check_columns, check_size, check_unpacked, content_of, opened
from mvcc.exceptions import DataError
from mvcc.tables.reading._problems import reading_as

_MOST_VALUES = 2**20  # in memory at a time
_MOST_OF_A_PIECE = 2**24  # of a piece: a million rows of 16 columns
# of a table without an index, and the same numbers in every partition
_DASK_INDEX = "__null_dask_index__"


@contextmanager
def reading_parquet(path: str) -> Iterator[None]:
    """Say of a Parquet file that cannot be read why, also where pyarrow is not installed."""
    pyarrow_for(path)
    with reading_as("Parquet", path):
        yield


def pyarrow_for(path: str) -> Any:
    """Return the package that reads and writes Parquet files."""
    try:
        import pyarrow
    except ImportError:
        raise DataError(f"{path}: Parquet needs the package pyarrow: pip install pyarrow") from None
    return pyarrow


def _file_in(source: BinaryIO) -> Any:
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(source, pre_buffer=False)  # which would take all at once
    check_columns(file.metadata.num_columns)
    return file


def read_parquet(content: bytes, path: str) -> pd.DataFrame:
    with reading_parquet(path):
        import pyarrow

        file = _file_in(pyarrow.BufferReader(content))
        facts = file.metadata
        check_size(facts.num_rows, facts.num_columns)
        groups = map(facts.row_group, range(facts.num_row_groups))
        check_unpacked(sum(group.total_byte_size for group in groups))
        return frame_of_table(file.read(use_pandas_metadata=True), path)


def frames_of_parquet(
    path: str,
    location: str,
    first: int = 0,
    row_groups: Sequence[int] | None = None,
    columns: Sequence[str] | None = None,
    types: Mapping[str, Any] | None = None,
) -> Iterator[pd.DataFrame]:
    """Give the rows some at a time; their index is the number of the row, from ``first``.

    Columns with one of ``types`` get that type instead of their own.
    """
    with opened(path) as source, reading_parquet(location):
        file = _file_in(source)
        size = rows_at_a_time(len(file.schema_arrow))
        # files of a folder may have the same ones
        index = _named_range(file.schema_arrow, file.metadata.num_rows) if not row_groups else None
        for batch in file.iter_batches(size, row_groups=row_groups, columns=columns):
            rows = pd.RangeIndex(first, first + len(batch))
            named = None if index is None else index[rows.start : rows.stop]
            frame = _frame_of(_with_types(batch, types or {}, location), location, named)
            frame.index = rows
            first = rows.stop
            yield frame


def frame_of_table(table: Any, path: str, **options: Any) -> pd.DataFrame:
    """Return a Parquet file as a frame with its index as a column."""
    return _frame_of(table, path, _named_range(table.schema, table.num_rows), **options)


def _named_range(schema: Any, n_rows: int) -> pd.Index | None:
    """Return an index with a name that a file has no column for, as its numbers follow."""
    for entry in (schema.pandas_metadata or {}).get("index_columns", []):
        if isinstance(entry, dict) and entry["name"] not in (None, *schema.names):
            index = pd.RangeIndex(entry["start"], entry["stop"], entry["step"], name=entry["name"])
            if len(index) == n_rows:
                return index
    return None


def _frame_of(table: Any, path: str, named: pd.Index | None, **options: Any) -> pd.DataFrame:
    """Return rows of a Parquet file as a frame with their index as a column."""
    with without_warnings(Warning):  # of what pandas would rather be given
        frame: pd.DataFrame = _with_texts(table, path).to_pandas(**options)
    frame.attrs = {}  # pandas stores those of whoever wrote the file
    if named is not None:
        frame.insert(0, str(named.name), named)
        frame.attrs["index"] = str(named.name)
    elif isinstance(frame.index, pd.MultiIndex):
        frame = frame.reset_index()
    elif not isinstance(frame.index, pd.RangeIndex):
        name = str(frame.index.name or "")
        frame = frame.reset_index(names=name)
        frame.attrs["index"] = name
    frame.columns = frame.columns.map(str)
    return frame


def _with_texts(table: Any, path: str) -> Any:
    """Return a table or batch with columns of bytes as texts, if they are in UTF-8."""
    import pyarrow
    from pyarrow import types

    columns, fields = list(table.columns), list(table.schema)
    for column, field in enumerate(fields):
        kind = _plain(field.type)
        of_bytes = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary)
        is_bytes = any(is_such(kind) for is_such in of_bytes)
        try:
            if types.is_string(kind):
                columns[column].validate(full=True)
            elif is_bytes:
                plain = columns[column].cast(pyarrow.large_binary())
                columns[column] = plain.cast(pyarrow.large_string())
                fields[column] = field.with_type(pyarrow.large_string())
        except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
            if is_bytes:  # such as pictures, which may be ignored
                continue
            raise DataError(
                f"{path}: the column {shown(field.name)} holds text that is not UTF-8. Write it"
                " anew, or leave the column out of the file."
            ) from error
    return type(table).from_arrays(columns, schema=pyarrow.schema(fields, table.schema.metadata))


def _with_types(batch: Any, types: Mapping[str, Any], path: str) -> Any:
    """Return a batch whose columns have the types of those of a whole folder."""
    import pyarrow

    for name, kind in types.items():
        place = batch.schema.get_field_index(name)
        if place < 0:  # it is not among the columns that are read
            continue
        column = batch.column(place)
        try:
            batch = batch.set_column(place, name, column.cast(kind))
        except pyarrow.ArrowInvalid as error:
            raise DataError(
                f"{path}: the column {clipped(repr(name))} is {column.type}, but {kind} in other"
                f" files, which cannot hold its values ({error}). Write all files with the same"
                " types."
            ) from error
    return batch


def rows_at_a_time(n_columns: int) -> int:
    return max(1, _MOST_VALUES // max(n_columns, 1))


def parts_of(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    size = rows_at_a_time(frame.shape[1])
    for start in range(0, len(frame), size):
        part = frame.iloc[start : start + size]
        if "lines" in frame.attrs:
            part.attrs["lines"] = frame.attrs["lines"][start : start + size]
        yield part


@dataclass(frozen=True)
class Piece:
    """Some row groups of a file, whose rows are read some at a time."""

    path: str  # of the file, from the root: workers may be in another folder
    place: str  # what messages call the folder
    row_groups: tuple[int, ...]
    first_of_file: int  # the number of the first row of the file in the whole folder
    first: int  # the number of the first row of the piece in the whole folder
    # of columns that have another type in the whole folder than in this file
    types: Mapping[str, Any]

    @property
    def file(self) -> str:
        """What messages call the file."""
        return os.path.join(self.place, os.path.basename(self.path))

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """Give the rows some at a time, with their numbers in the folder and the file's name."""
        more = self.first, self.row_groups, columns, self.types
        try:
            for frame in frames_of_parquet(self.path, self.file, *more):
                rows = frame.drop(columns=_DASK_INDEX, errors="ignore")
                if rows.attrs.get("index") == _DASK_INDEX:
                    del rows.attrs["index"]
                rows.attrs["files"] = ((self.first_of_file, os.path.basename(self.path)),)
                rows.attrs["folder"] = os.path.dirname(os.path.dirname(self.path))
                yield rows
        except OSError as error:
            raise DataError(
                f"{self.file}: {self.path} cannot be read: {error.strerror}; workers must see all"
                " files under the same paths as this process."
            ) from error


@dataclass(frozen=True)
class Folder:
    """A table in Parquet files, which follow each other by name."""

    path: str  # as it was named
    files: tuple[tuple[int, str], ...]  # the number of the first row of every file, and its name
    columns: tuple[str, ...]
    n_rows: int
    pieces: tuple[Piece, ...]  # all rows, in their order


def read_folder(path: str) -> Folder:
    """Read what the Parquet files of a folder say of themselves, but no rows."""
    names = _files_in(path)
    pyarrow_for(path)
    metadata_of: dict[str, Any] = {}
    types_of: dict[str, dict[str, Any]] = {}
    together: dict[str, Any] = {}
    for name in names:
        file_path = os.path.join(path, name)
        with reading_parquet(file_path), opened(file_path) as source:
            file = _file_in(source)
            schema, metadata_of[name] = file.schema_arrow, file.metadata
        types = types_of[name] = {column.name: _plain(column.type) for column in schema}
        together = _together(together or types, types, file_path)
    files: list[tuple[int, str]] = []
    pieces: list[Piece] = []
    n_rows = 0
    for name, metadata in metadata_of.items():
        files.append((n_rows, name))
        file_path = os.path.abspath(os.path.join(path, name))
        first = Piece(file_path, path, (), n_rows, n_rows, _others(types_of[name], together))
        pieces += _cut(first, metadata)
        n_rows += metadata.num_rows
    if not n_rows:
        raise DataError(f"{path}: there are no rows in its Parquet files.")
    return Folder(path, tuple(files), tuple(together), n_rows, tuple(pieces))


def input_sha256(path: str) -> str:
    """Return the checksum of a file, or of the names, sizes and metadata of a folder's files."""
    if not os.path.isdir(path):
        return sha256_of(content_of(path))
    digest = hashlib.sha256()
    for name in _files_in(path):
        with opened(os.path.join(path, name)) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(-8, os.SEEK_END)  # the length of the footer, and a mark
            footer = int.from_bytes(file.read(4), "little") + 8
            file.seek(-footer, os.SEEK_END)
            digest.update(f"{name}\n{size}\n".encode("utf-8", "surrogateescape") + file.read())
    return digest.hexdigest()


def _files_in(path: str) -> list[str]:
    # others are hidden or being written
    entries = [entry for entry in os.scandir(path) if not entry.name.startswith((".", "_"))]
    names = sorted(e.name for e in entries if e.is_file() and e.name.lower().endswith(".parquet"))
    if not names:
        folders = sorted(entry.name for entry in entries if entry.is_dir())
        unread = f" (folders in it, such as {shown(folders[0])}, are not read)" if folders else ""
        raise DataError(
            f"{clipped(path, 1000)}: there are no Parquet files (*.parquet) in this folder{unread};"
            " name a folder that has some, or a file. Texts or pictures need a table: a row for"
            " each, with its text, or the name of its picture (`columns: {file: picture}`)."
        )
    return names


def _together(known: dict[str, Any], types: dict[str, Any], path: str) -> dict[str, Any]:
    """Return the types of columns in all files so far; refuse a file with other columns."""
    together = {}
    for column in known | types:
        before, kind = known.get(column), types.get(column)
        together[column] = kind if kind == before else _united(before, kind)
        if together[column] is None:
            raise DataError(
                f"{path}: the column {clipped(repr(column))} is {kind or 'missing'}, but"
                f" {before or 'missing'} in the files before. Write all files with the same"
                " columns."
            )
    return together


def _united(first: Any, second: Any) -> Any:
    """Return the type that holds the values of both, or None."""
    import pyarrow

    if first is None or second is None:
        return None
    schemas = [pyarrow.schema({"": kind}) for kind in (first, second)]
    try:
        return pyarrow.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pyarrow.ArrowException:
        return None


def _others(types: dict[str, Any], together: dict[str, Any]) -> dict[str, Any]:
    """Return the types of a folder that differ from those of a file, where it has values."""
    import pyarrow

    return {
        column: kind
        for column, kind in together.items()
        if types[column] not in (kind, pyarrow.null())
    }


def _plain(kind: Any) -> Any:
    """Return the type of the values of a column, however they are stored."""
    import pyarrow

    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
    if pyarrow.types.is_large_string(kind):
        return pyarrow.string()
    return kind


def _cut(file: Piece, metadata: Any) -> Iterator[Piece]:
    """Cut a file, given without its row groups, into pieces of such that follow each other."""
    most = max(1, _MOST_OF_A_PIECE // max(metadata.num_columns, 1))
    first, groups, n = file.first, list[int](), 0
    for group in range(metadata.num_row_groups):
        more = metadata.row_group(group).num_rows
        if n and n + more > most:
            yield replace(file, row_groups=tuple(groups), first=first)
            first, groups, n = first + n, [], 0
        groups.append(group)
        n += more
    if n:
        yield replace(file, row_groups=tuple(groups), first=first)
