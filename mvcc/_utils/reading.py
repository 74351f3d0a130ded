"""Whatever a user names is opened here, within limits, before it is unpacked.

Errors are OSErrors or ValueErrors, whose words follow a place and "cannot be read: ".
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import sys
import zipfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeAlias

from mvcc.exceptions import DataError

StrPath: TypeAlias = str | os.PathLike[str]  # what names a file or folder

# of a file that is read as a whole, and of what a table takes once it is unpacked
MOST_BYTES = 2**34
MOST_CELLS = 2**30  # of a table in memory
MOST_ROWS = 2**27  # of a table in memory: each has an id
MOST_COLUMNS = 2**17
MOST_LINE = 2**24  # bytes of a line of text
# bytes that a zip may hold, or so many times its own size, if that is more
MOST_UNPACKED, MOST_TIMES = (2**30, 100)
MOST_DEPTH = 100  # of JSON

_BYTES_OF_CELL, _BYTES_OF_ROW = 32, 128  # that a table takes, with all that is made of it
_MAY_BE_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = re.compile(r"[\ud800-\udfff]")
# a pipe would wait for somebody who writes
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def opened(path: StrPath) -> BinaryIO:
    """Open a file that somebody named, if it is a regular one once all links are followed."""
    try:
        _refuse_others(os.stat(path), path)
        handle = os.open(path, os.O_RDONLY | _AT_ONCE)
    except ValueError as error:  # no name of a file: one with a NUL, or half a character
        raise OSError(errno.EINVAL, str(error)) from error
    try:
        _refuse_others(os.fstat(handle), path)  # it may be another one by now
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def _refuse_others(status: os.stat_result, path: StrPath) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        words = "this is a pipe or a device, no regular file; write what it gives into a file"
        raise OSError(errno.EINVAL, words, path)


def content_of(path: StrPath) -> bytes:
    most = most_bytes()
    with opened(path) as file:
        size, content = os.fstat(file.fileno()).st_size, b""
        if size <= most:
            content = file.read()
        if (size := max(size, len(content))) > most:  # it may have grown
            raise OSError(
                errno.EFBIG,
                f"it has {size:,} bytes; at most {most:,} are read on this machine",
                path,
            )
    return content


def memory() -> int:
    """Return how many bytes of memory the machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # which not every system tells
        return 2**34


def most_bytes() -> int:
    """Return how large a file may be that is read as a whole, and its table unpacked."""
    return min(MOST_BYTES, memory() // 2)


def check_size(n_rows: int, n_columns: int) -> None:
    """Refuse a table by what it says of its size."""
    check_columns(n_columns)
    _refuse_more(n_rows, min(MOST_ROWS, memory() // _BYTES_OF_ROW), "rows")
    size = f"cells ({n_rows:,} rows of {n_columns:,} columns)"
    _refuse_more(n_rows * n_columns, min(MOST_CELLS, memory() // _BYTES_OF_CELL), size)


def check_columns(n_columns: int) -> None:
    _refuse_more(n_columns, MOST_COLUMNS, "columns")


def check_unpacked(n_bytes: int) -> None:
    """Refuse a table by the bytes that it takes once it is unpacked."""
    _refuse_more(n_bytes, most_bytes(), "bytes once it is unpacked")


def check_zip(archive: zipfile.ZipFile, packed: int) -> None:
    """Refuse a zip by what its directory says; zipfile gives no more of any member."""
    unpacked = sum(entry.file_size for entry in archive.infolist())
    most = max(MOST_UNPACKED, MOST_TIMES * packed)
    _refuse_more(
        unpacked, most, f"bytes once it is unpacked, more than {MOST_TIMES} times its size"
    )


def _refuse_more(n: int, most: int, noun: str) -> None:
    if n > most:
        raise ValueError(f"it has {n:,} {noun}; at most {most:,} are read on this machine")


@contextmanager
def within_limits(path: str) -> Iterator[None]:
    """Say of which file a limit is."""
    try:
        yield
    except ValueError as error:
        raise DataError(f"{path}: cannot be read: {error}.") from error


def parse_json(content: str | bytes) -> Any:
    """Parse JSON in UTF-8 whose texts are whole characters; a ValueError says what is wrong."""
    if isinstance(content, bytes):
        content = content.decode("utf-8-sig")
    try:
        tree = json.loads(content)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python reads no longer whole numbers
        most = sys.get_int_max_str_digits()
        raise ValueError(f"it holds a number of more than {most:,} digits") from None
    if content.count("[") + content.count("{") > MOST_DEPTH or _MAY_BE_HALF.search(content):
        _check_tree(tree)
    return tree


_TOO_DEEP = f"it is nested more than {MOST_DEPTH} levels deep"


def _check_tree(tree: Any) -> None:
    level = [tree]
    for _ in range(MOST_DEPTH + 1):
        inside: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inside += [*value, *value.values()]
            elif isinstance(value, list):
                inside += value
            elif isinstance(value, str) and (half := _HALF.search(value)):
                raise ValueError(
                    f"a text holds half a character (the surrogate \\u{ord(half[0]):04x})"
                )
        level = inside
    if level:
        raise ValueError(_TOO_DEEP)


def in_lines(lines: Sequence[int]) -> Sequence[int]:
    """Return the lines of rows as what is copied and compared at once, as attributes are."""
    if lines and lines[-1] - lines[0] == len(lines) - 1:  # nothing stands between the rows
        return range(lines[0], lines[0] + len(lines))
    return array("q", lines)
