"""A user's own text file with more columns, in its style: quotes, line ends, encoding."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence

from mvcc._utils.files import csv_bytes
from mvcc._utils.text import UTF_8, UTF_16, WINDOWS, read_text
from mvcc.exceptions import DataError

_END = re.compile(r"(?:\r\n|\n|\r)?\Z")


def with_columns(
    content: bytes,
    path: str,
    delimiter: str,
    own: Sequence[Sequence[str]],
    beside: Sequence[Sequence[str]],
    are_texts: Sequence[bool],
) -> bytes:
    """Return a text file with more columns.

    Its own lines stay as they are, to the character, unless they lack values or names.

    `own`: the columns of the file, each with its name first; `beside`: those to be added.
    `are_texts`: which of these hold texts, which a file may quote when it does not quote numbers.
    """
    read = read_text(content, path, DataError)
    records = list(_records(read.text))
    n_rows = len(own[0]) if own else 0
    end = _ends(records[0])[1]
    style = _Quotes.of(records, delimiter)
    more = zip(*(style.quoted(*one) for one in zip(beside, are_texts, strict=True)), strict=True)
    added = [delimiter.join(cells) for cells in more]
    if _is_whole(records[:n_rows], own, delimiter):
        lines = [_ends(record)[0] for record in records[:n_rows]]
    else:
        written = (csv_bytes([cells], delimiter) for cells in zip(*own, strict=True))
        lines = [line.decode().removesuffix("\n") for line in written]
    text = "".join(f"{line}{delimiter}{new}{end}" for line, new in zip(lines, added, strict=True))
    return _encoded(text, read.encoding, content)


def _records(text: str) -> Iterator[str]:
    """Give the lines of a text with their ends; a value in quotes may have several."""
    record, is_open = [], False
    for line in io.StringIO(text, newline=""):
        record.append(line)
        is_open ^= line.count('"') % 2 == 1
        if not is_open:
            yield "".join(record)
            record = []
    if record:
        yield "".join(record)


def _ends(record: str) -> tuple[str, str]:
    """Return a record without its line end, and that."""
    found = _END.search(record)
    assert found is not None
    return record[: found.start()], found[0] or "\n"


def _is_whole(records: list[str], own: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Tell whether records are the rows of a table, each with a value for every column."""
    try:
        rows = list(csv.reader(records, delimiter=delimiter))
    except csv.Error:  # which pandas reads otherwise
        return False
    width = len(rows[0])
    return (
        len(rows) == len(own[0])
        and all(len(row) == width for row in rows)
        and [name.strip() for name in rows[0] if name.strip()]
        == [column[0].strip() for column in own if column[0].strip()]
    )


class _Quotes:
    """Which values a file has in quotes: all, names and texts, or those that need them."""

    def __init__(self, delimiter: str, *, texts: bool, numbers: bool) -> None:
        self._texts, self._numbers = texts, numbers
        self._need = re.compile(f'[{re.escape(delimiter)}"\r\n]')

    @classmethod
    def of(cls, records: list[str], delimiter: str) -> _Quotes:
        cell = '"(?:[^"]|"")*"'
        row = re.compile(rf"{cell}(?:{re.escape(delimiter)}{cell})*{re.escape(delimiter)}?")
        has = [row.fullmatch(_ends(record)[0]) is not None for record in records[:2]]
        return cls(delimiter, texts=has[0], numbers=all(has))

    def quoted(self, column: Sequence[str], are_texts: bool) -> list[str]:
        """Return a column, its name first, as the file would have it."""
        of_values = self._texts if are_texts else self._numbers
        return [
            _in_quotes(text) if asked_for or self._need.search(text) else text
            for text, asked_for in zip(
                column, [self._texts, *[of_values] * (len(column) - 1)], strict=True
            )
        ]


def _in_quotes(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _encoded(text: str, encoding: str, content: bytes) -> bytes:
    """Encode as a file was; what Windows-1252 does not have asks for UTF-8, which Excel reads."""
    if encoding == UTF_16:
        is_big = content.startswith(codecs.BOM_UTF16_BE)
        mark = codecs.BOM_UTF16_BE if is_big else codecs.BOM_UTF16_LE
        return mark + text.encode("utf-16-be" if is_big else "utf-16-le")
    if encoding == WINDOWS:
        try:
            return text.encode(WINDOWS)
        except UnicodeEncodeError:
            return text.encode(UTF_8)
    return text.encode(UTF_8 if content.startswith(codecs.BOM_UTF8) else "utf-8")
