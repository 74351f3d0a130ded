"""The text of a file."""

from __future__ import annotations

from mvcc.exceptions import MvccError


def decoded(content: bytes, place: str, error: type[MvccError]) -> str:
    """Return the text of a file in UTF-8, with or without a byte-order mark.

    Parameters
    ----------
    content : bytes
    place : str
        What messages call the file.
    error : type of MvccError
        Raised where it is no such text; the message names file, line and what to do.

    Raises
    ------
    MvccError
        Of the given type.
    """
    before, binary, _ = content.partition(b"\0")
    what = "this is a binary file (or UTF-16), no text; save it as UTF-8"
    if not binary:
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as bad:
            before, what = bad.object[: bad.start], "this is not UTF-8 text; save the file as UTF-8"
    line = before.count(b"\n") + 1
    raise error(f"{place}:{line}: {what}.")
