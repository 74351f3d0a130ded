"""Tables that are Parquet files, opened by what they say of themselves."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import pandas as pd

from mvcc._utils.messages import shown, words_of
from mvcc._utils.reading import check_columns, check_size, check_unpacked
from mvcc.exceptions import DataError


@contextmanager
def reading_parquet(path: str) -> Iterator[None]:
    """Say of a Parquet file that cannot be read why, also where pyarrow is not installed."""
    pyarrow = pyarrow_for(path)
    try:
        yield
    except DataError:
        raise
    except (
        *(
            pyarrow.ArrowException,
            OSError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            ArithmeticError,
        ),
        *(AssertionError, NotImplementedError, RuntimeError),
    ) as error:  # a damaged file raises whatever its first odd byte leads to
        raise DataError(f"{path}: cannot be read as Parquet: {words_of(error)}.") from error


def pyarrow_for(path: str) -> Any:
    """Return the package that reads and writes Parquet files."""
    try:
        import pyarrow
    except ImportError:
        raise DataError(f"{path}: Parquet needs the package pyarrow: pip install pyarrow") from None
    return pyarrow


def parquet_in(source: BinaryIO, **options: Any) -> Any:
    """Open a file whose rows are read some at a time."""
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(source, **options)
    check_columns(file.metadata.num_columns)
    return file


def read_parquet(content: bytes, path: str) -> pd.DataFrame:
    """Read all of a Parquet file, within limits."""
    with reading_parquet(path):
        import pyarrow

        file = parquet_in(pyarrow.BufferReader(content))
        facts = file.metadata
        check_size(facts.num_rows, facts.num_columns)
        check_unpacked(
            sum(facts.row_group(group).total_byte_size for group in range(facts.num_row_groups))
        )
        return frame_of_parquet(file.read(use_pandas_metadata=True), path)


def frame_of_parquet(table: Any, path: str, **options: Any) -> pd.DataFrame:
    """Return the frame of a Parquet file, or of some of its rows, with its index as a column.

    ``options`` are those of ``pyarrow.Table.to_pandas``.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what pandas would rather be given
        frame: pd.DataFrame = _with_texts(table, path).to_pandas(**options)
    frame.attrs = {}  # pandas stores those of whoever wrote the file
    if isinstance(frame.index, pd.MultiIndex):
        frame = frame.reset_index()
    elif not isinstance(frame.index, pd.RangeIndex):
        name = str(frame.index.name or "")
        frame = frame.reset_index(names=name)
        frame.attrs["index"] = name
    frame.columns = frame.columns.map(str)
    return frame


def _with_texts(table: Any, path: str) -> Any:
    """Return a table or batch whose columns of bytes are texts if they are in UTF-8.

    Raises DataError: for a column of texts that are not.
    """
    import pyarrow
    from pyarrow import types

    columns, fields = list(table.columns), list(table.schema)
    for number, field in enumerate(fields):
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        is_text = types.is_string(kind) or types.is_large_string(kind)
        is_bytes = (
            types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
        )
        try:
            if is_text:
                columns[number].validate(full=True)
            elif is_bytes:
                columns[number] = (
                    columns[number].cast(pyarrow.large_binary()).cast(pyarrow.large_string())
                )
                fields[number] = field.with_type(pyarrow.large_string())
        except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
            if is_bytes:  # such as pictures, which may be ignored
                continue
            raise DataError(
                f"{path}: the column {shown(field.name)} holds text that is not UTF-8. Write it"
                " anew, or leave the column out of the file."
            ) from error
    return type(table).from_arrays(columns, schema=pyarrow.schema(fields, table.schema.metadata))
