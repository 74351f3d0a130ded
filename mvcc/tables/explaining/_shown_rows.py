"""The rows that a report draws, their values, and small pictures of typical ones."""

from __future__ import annotations

import io
import os
from base64 import b64encode
from itertools import chain, zip_longest
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.messages import agreeing, clipped, counted
from mvcc.constraints import Relations
from mvcc.results import ENDS
from mvcc.tables.explaining._distinguishing import columns_of, written
from mvcc.tables.explaining._profiles import Profile
from mvcc.tables.reading._column import DURATIONS
from mvcc.tables.reading._pictures import decoded_picture, is_picture
from mvcc.tables.reading._table import Table

MOST_POINTS = 20_000  # rows that are drawn, of all views
MOST_CHARACTERS = 2_000_000  # of values, of all views
MOST_COLUMNS = 30
_LONGEST_VALUE = 160
_MOST = 4  # of a cluster
_SIDE = 96  # pixels
_SMALL = 4096  # bytes of a file that is taken as it is
_ROOM = 400_000  # characters of all pictures of a report


def add_rows(facts: dict[str, Any], tables: list[Table], relations: Relations) -> None:
    """Add to every view the rows of the ``sample`` that a report draws, and their ``values``."""
    views, profiles = facts["views"], facts["profiles"]
    listed = [_listed(view, clusters) for view, clusters in zip(views, profiles, strict=True)]
    samples = sampled([len(table.ids) for table in tables], listed, relations)
    room = MOST_CHARACTERS // len(tables)
    for view, table, clusters, rows in zip(views, tables, profiles, samples, strict=True):
        view |= {"sample": rows, "values": values_in(table, clusters, rows, room)}


def _listed(view: dict[str, Any], profiles: list[Profile]) -> set[int]:
    """Return the rows that the facts of a view name."""
    rows = {row for kind, n in ENDS.items() for entry in view.get(kind, ()) for row in entry[:n]}
    for profile in profiles:
        rows.update(profile["typical"], profile["misfits"], (i for i, _ in profile["borderline"]))
    return rows


def sampled(
    sizes: list[int], listed: list[set[int]], relations: Relations, most: int = MOST_POINTS
) -> list[list[int] | None]:
    """Choose rows to draw: listed ones, counterparts, others at even steps; None stands for all."""
    if sum(sizes) <= most:
        return [None] * len(sizes)
    chosen: list[list[int]] = []
    for view, n in enumerate(sizes):
        is_chosen = np.zeros(n, dtype=np.bool_)
        is_chosen[list(listed[view])] = True
        share = most * n // sum(sizes)
        counterparts = [
            pairs[np.isin(pairs[:, side], chosen[other]), 1 - side]
            for (u, v), pairs in relations.items()
            for side, other, mine in ((0, u, v), (1, v, u))
            if mine == view and other < view
        ]
        for rows in (*counterparts, np.arange(n)):
            free = np.unique(rows[~is_chosen[rows]])
            room = min(max(share - int(is_chosen.sum()), 0), len(free))
            is_chosen[free[np.linspace(0, len(free) - 1, room).astype(np.int64)]] = True
        chosen.append(np.flatnonzero(is_chosen).tolist())
    return list(chosen)


def values_in(
    table: Table, clusters: list[Profile], rows: list[int] | None, room: int
) -> list[list[Any]]:
    """Return columns as texts while there is room: those to show, then those that tell clusters."""
    columns: dict[str, tuple[Any, str | None]] = {  # values, and what they are shown as
        name: (np.array(texts, dtype=object), None) for name, texts in table.shown.items()
    }
    for column, values in columns_of(table):
        if column.kind != "picture":
            columns.setdefault(column.name, (values, column.shown_as))
    ranked = sorted(
        (rank, col["column"]) for profile in clusters for rank, col in enumerate(profile["columns"])
    )
    names = dict.fromkeys([*table.shown, *(name for _, name in ranked), *columns])
    listed: dict[str, list[str]] = {}
    for name in list(names)[:MOST_COLUMNS]:
        values, shown_as = columns[name]
        if rows is not None:
            values = values[rows]
        every = zip(values.tolist(), pd.isna(values).tolist(), strict=True)
        texts = ["" if missing else value_text(value, shown_as) for value, missing in every]
        room -= sum(map(len, texts))
        if room < 0:
            break
        listed[name] = texts
    return [[name, listed[name]] for name in columns if name in listed]


def value_text(value: Any, shown_as: str | None) -> str:
    if isinstance(value, str):
        return clipped(" ".join(value[: 2 * _LONGEST_VALUE].split()), _LONGEST_VALUE)
    if shown_as == "date" or shown_as in DURATIONS:
        return written(value, shown_as)
    return f"{value:z.{12 if value == round(value) else 7}g}"


def add_pictures(facts: dict[str, Any], tables: list[Table]) -> None:
    """Add pictures of typical rows, of each cluster in turn, to the first view that has some."""
    for view, table, profiles in zip(facts["views"], tables, facts["profiles"], strict=True):
        base = os.path.dirname(table.path)
        in_turn = chain(*zip_longest(*(profile["typical"][:_MOST] for profile in profiles)))
        typical = [row for row in in_turn if row is not None]
        for column, texts in table.shown.items():
            rows = [row for row in typical if is_picture(texts[row], base)]
            if rows:
                view["picture_column"] = column
                view["pictures"], unread = _read(rows, texts, base)
                if unread:
                    path, why = next(iter(unread.items()))
                    lacked = agreeing(len(unread), "it", "them")
                    facts["warnings"].append(
                        f"{counted(len(unread), 'picture')} of {table.name} cannot be read, and the"
                        f" report lacks {lacked}: {path}, since {why}."
                    )
                return


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
    from PIL import Image, ImageOps

    image, content = decoded_picture(path, _SIDE)
    kind = (image.format or "").lower()
    if len(content) > _SMALL:
        image, kind = ImageOps.exif_transpose(image).convert("RGBA"), "jpeg"
        image.thumbnail((_SIDE, _SIDE))
        on_white = Image.new("RGBA", image.size, "white")
        on_white.alpha_composite(image)
        file = io.BytesIO()
        on_white.convert("RGB").save(file, "JPEG", quality=80)
        content = file.getvalue()
    return f"data:image/{kind};base64,{b64encode(content).decode()}"
