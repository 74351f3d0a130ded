"""Large tables, some rows at a time.

Text files and Parquet without ever having all of them in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from io import TextIOWrapper

import pandas as pd

from mvcc._utils.messages import clipped
from mvcc._utils.reading import MOST_LINE, opened
from mvcc._utils.text import UTF_16, WINDOWS, assumed, encoding_of
from mvcc.exceptions import DataError
from mvcc.tables.reading._files import (
    MOST_SHOWN,
    known_ending,
    n_filled,
    read_frame,
    reading,
    text_frames,
)
from mvcc.tables.reading._parquet import frame_of_parquet, parquet_in, reading_parquet

_MOST_VALUES = 2**20  # in memory at a time
_TEXT = (".csv", ".tsv", ".txt")


def read_frames(
    path: str, sheet: str | None = None, header: int | None = None
) -> Iterator[pd.DataFrame]:
    """Read a table as `read_frame` does, some rows at a time where the format allows it.

    Returns: the index is the number of the row in the file, ``attrs["lines"]`` the line of the
    first row where it is known, ``attrs["folder"]`` where the file is.
    Raises DataError: as `read_frame`, some only when the rows before have been given.
    """
    for frame in _frames(path, known_ending(path), sheet, header):
        frame.attrs["folder"] = os.path.dirname(path)
        yield frame


def _frames(
    path: str, ending: str, sheet: str | None, header: int | None
) -> Iterator[pd.DataFrame]:
    place = clipped(path, MOST_SHOWN)
    with reading(path):
        if ending in _TEXT:
            yield from _of_text(path, place)
        elif ending == ".parquet":
            with reading_parquet(place):
                yield from _of_parquet(path, place)
        else:
            yield from _parts(read_frame(path, sheet, header))


def rows_at_a_time(n_columns: int) -> int:
    return max(1, _MOST_VALUES // max(n_columns, 1))


def _of_text(path: str, place: str) -> Iterator[pd.DataFrame]:
    lines = _Lines(path, place)
    encoding = encoding_of(lines, place, DataError)
    if encoding == UTF_16:
        yield from _parts(read_frame(path))
        return
    notes = [assumed(place)] if encoding == WINDOWS else []
    with TextIOWrapper(opened(path), encoding=encoding, newline="") as file:
        n_columns = max(map(file.readline().count, ",;\t")) + 1
        file.seek(0)
        held = pd.DataFrame()
        for chunk in text_frames(file, place, rows_at_a_time(n_columns)):
            frame = pd.concat([held, chunk]) if len(held) else chunk
            frame.attrs = chunk.attrs  # pandas drops them where they differ
            n = n_filled(frame)
            held = frame.iloc[n:]  # the end of the file, or rows that lack everything
            if n:
                frame = frame.iloc[:n]
                frame.attrs["notes"] = notes
                if lines.are_rows:
                    frame.attrs["lines"] = chunk.attrs["first"] + int(frame.index[0])
                yield frame


class _Lines:
    """The lines of a text file, some bytes at a time; then, whether each row is one of them."""

    def __init__(self, path: str, place: str) -> None:
        self._path, self._place = path, place
        self.are_rows = True

    def __iter__(self) -> Iterator[bytes]:
        with opened(self._path) as file:
            for number, line in enumerate(iter(partial(file.readline, MOST_LINE + 1), b"")):
                if len(line) > MOST_LINE:
                    raise DataError(
                        f"{self._place}:{number + 1}: this line has more than {MOST_LINE:,} bytes;"
                        " this is not a table."
                    )
                # a value with a line break leaves a quote open
                self.are_rows = self.are_rows and line.count(b'"') % 2 == 0
                yield line


def _of_parquet(path: str, place: str) -> Iterator[pd.DataFrame]:
    n_before = 0
    with opened(path) as source:
        file = parquet_in(source)
        for batch in file.iter_batches(rows_at_a_time(len(file.schema_arrow))):
            frame = frame_of_parquet(batch, place)
            frame.index = pd.RangeIndex(n_before, n_before + len(frame))
            n_before += len(frame)
            yield frame


def _parts(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    size = rows_at_a_time(frame.shape[1])
    for start in range(0, len(frame), size):
        part = frame.iloc[start : start + size]
        if "lines" in frame.attrs:
            part.attrs["lines"] = frame.attrs["lines"] + start
        yield part
