"""Small pictures of typical rows, if `show` names a column of picture files."""

from __future__ import annotations

import io
import os
from base64 import b64encode
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import counted
from mvcc.tables.reading._pictures import decoded_picture, is_picture

if TYPE_CHECKING:
    from mvcc.tables.explaining._profiles import Profile
    from mvcc.tables.reading._table import Table

_MOST = 4  # of a cluster
_SIDE = 96  # pixels
_SMALL = 4096  # bytes of a file that is taken as it is
_ROOM = 400_000  # characters of all pictures of a report


def add_pictures(facts: dict[str, Any], tables: list[Table]) -> None:
    """Add pictures of typical rows to the facts of the first view that has some.

    Paths are relative to the folder of the table. One picture of each cluster comes before the
    second of any, until there is no room. The warnings of the facts name pictures that cannot be
    read.
    """
    for view, table, profiles in zip(facts["views"], tables, facts["profiles"], strict=True):
        base = os.path.dirname(table.path)
        for column, texts in table.shown.items():
            rows = [row for row in _in_turn(profiles) if is_picture(texts[row], base)]
            if rows:
                view["picture_column"] = column
                view["pictures"], unread = _read(rows, texts, base)
                facts["warnings"] += _remark(unread, table.name)
                return


def _in_turn(profiles: list[Profile]) -> Iterator[int]:
    """Give the typical rows of all clusters: first one of each, then a second."""
    for rows in zip_longest(*(profile["typical"][:_MOST] for profile in profiles)):
        yield from (row for row in rows if row is not None)


def _read(
    rows: list[int], texts: list[str], base: str
) -> tuple[list[tuple[int, str]], dict[str, str]]:
    """Return the pictures of rows, and why some cannot be read."""
    pictures, unread, room = [], dict[str, str](), _ROOM
    for row in rows:
        try:
            source = _picture(os.path.join(base, texts[row]))
        except (OSError, ValueError, SyntaxError) as error:  # of what is cut or damaged
            unread[texts[row]] = str(error)
        else:
            room -= len(source)
            if room < 0:
                break
            pictures.append((row, source))
    return pictures, unread


def _picture(path: str) -> str:
    """Return a picture of at most 96 pixels each way as an address that holds it."""
    from PIL import ImageOps

    image, content = decoded_picture(path, _SIDE)
    kind = (image.format or "").lower()
    if len(content) > _SMALL:
        content, kind = _thumbnail(ImageOps.exif_transpose(image)), "jpeg"
    return f"data:image/{kind};base64,{b64encode(content).decode()}"


def _thumbnail(image: Any) -> bytes:
    from PIL import Image

    image = image.convert("RGBA")
    image.thumbnail((_SIDE, _SIDE))
    on_white = Image.new("RGBA", image.size, "white")
    on_white.alpha_composite(image)
    written = io.BytesIO()
    on_white.convert("RGB").save(written, "JPEG", quality=80)
    return written.getvalue()


def _remark(unread: dict[str, str], view: str) -> list[str]:
    if not unread:
        return []
    path, why = next(iter(unread.items()))
    return [
        f"{counted(len(unread), 'picture')} of {view} cannot be read, and the report lacks "
        f"{'it' if len(unread) == 1 else 'them'}: {path}, since {why}."
    ]
