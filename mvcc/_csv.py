"""Tables as CSV."""

from __future__ import annotations

from collections.abc import Iterable


def csv_bytes(rows: Iterable[Iterable[object]]) -> bytes:
    """Write rows, the first of them the names of the columns, as UTF-8 with a line feed after each."""
    return "".join(f"{','.join(_quoted(str(value)) for value in row)}\n" for row in rows).encode()


def _quoted(value: str) -> str:
    """Quote a value where CSV asks for it, also one with a bare carriage return, which the csv module forgets."""
    return '"' + value.replace('"', '""') + '"' if any(mark in value for mark in ',"\r\n') else value
