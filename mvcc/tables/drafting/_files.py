"""What each file is: a table, matches or constraints. The ids that it holds tell it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from mvcc._utils.messages import clipped, pair_name, shown, without_fraction
from mvcc.constraints import columns_in
from mvcc.exceptions import ConfigError
from mvcc.tables._layout import CONFIG
from mvcc.tables.drafting._ids import (
    End,
    Ends,
    Ids,
    are_kinds,
    ends_of,
    ids_in,
    tables_with,
    texts_in,
    with_repeated,
)
from mvcc.tables.reading._column import without_attrs
from mvcc.tables.reading._files import read_frame, read_pairs_of
from mvcc.tables.reading._id_column import first_two
from mvcc.tables.reading._rows import plain_id

_MOST_COLUMNS = 4  # of a file of matches or constraints that nobody named as such
# as of IMO 9074729, 978-3 and 007
_ORNAMENTS = re.compile(r"^[^\W\d_]+[\W_]+(?=\d{4})|[\W_]+|(?<!\d)0+(?=\d)")
_SPELLED = "write them as the tables do: a is not A, and A7 is not A07."

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass
class SortedFiles:
    """Files by what they are."""

    views: dict[str, str] = field(default_factory=dict)
    matches: list[tuple[str, str]] = field(default_factory=list)
    constraints: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def sort_files(
    paths: Sequence[str],
    views: Mapping[str, str] = _NONE,
    matches: Sequence[str] = (),
    constraints: Sequence[str] = (),
    sheets: Mapping[str, str] = _NONE,
    headers: Mapping[str, int] = MappingProxyType({}),
) -> SortedFiles:
    """Tell tables, matches and constraints among `paths`, and which views these are of."""
    names = _named(paths, views)
    if len(names) == 2 and not constraints:
        return SortedFiles(names, [(pair_name(*names), path) for path in matches])
    if not (matches or constraints) and all(map(_is_folder, names.values())):
        return SortedFiles(names)
    read = {
        path: read_frame(path, sheets.get(name), headers.get(name), name)
        for name, path in names.items()
    }
    pair_frames = {path: _in_order(read_pairs_of(path)) for path in (*matches, *constraints)}
    tables = {path: ids_in(frame) for path, frame in read.items()}
    frames = {path: _in_order(read[path]) for path in paths}
    pairs = _pairs_among(frames, tables, _called_like(frames, tables))
    if any(_may_be_pairs(frame) for path, frame in frames.items() if path not in pairs):
        pairs = _pairs_among(frames, with_repeated(tables, read), pairs)
    tables = {path: ids for path, ids in tables.items() if path not in pairs}
    for path, frame in pair_frames.items():
        both_ends = ends_of(frame, tables) or ends_of(frame, with_repeated(tables, read))
        if not both_ends or (path in matches and len(both_ends.tables) == 1):
            raise _no_pairs(path, frame, names)
        pairs[path] = both_ends
    held = set[str]().union(*(ends.tables for ends in pairs.values()))
    files = SortedFiles(_named([path for path in paths if path in tables], views))
    for path in paths:
        frame = frames[path]
        if path in tables and path not in held and 2 <= frame.shape[1] <= _MOST_COLUMNS:
            others = _without(path, tables)
            said = _without_names(path, frame, others)
            if not said and _may_be_pairs(frame):
                said = _misspelled(path, frame, others)
            files.notes += filter(None, [said])
    name_of = {path: name for name, path in files.views.items()}
    for path, ends in pairs.items():
        first, second = name_of[ends.first.table], name_of[ends.second.table]
        if first == second:
            files.constraints.append((first, path))
        else:
            files.matches.append((pair_name(first, second), path))
            files.notes += _third_ids(path, (frames | pair_frames)[path], ends, tables)
    return files


def _is_folder(path: str) -> bool:
    """Tell whether a table is a folder, and not named in the place of the config in it."""
    return os.path.isdir(path) and not os.path.exists(os.path.join(path, CONFIG))


def _no_pairs(path: str, frame: pd.DataFrame, views: Iterable[str]) -> ConfigError:
    """Return what is wrong with a file that somebody called matches or constraints."""
    columns = " and ".join(shown(str(name)) for name in frame.columns[:2])
    return ConfigError(
        f"{clipped(path)}: the first columns, {columns}, do not hold ids of two tables, or of one"
        f" if these are constraints; {_SPELLED} Or name the views: --match VIEW:VIEW=FILE,"
        f" --constraints VIEW=FILE. The views are {', '.join(views)}."
    )


def _named(paths: Iterable[str], views: Mapping[str, str]) -> dict[str, str]:
    """Return the paths of views, with others by names that are made of those of the files."""
    views = dict(views)
    for path in paths:
        stem = re.sub(r"[^\w-]+", "_", Path(path).stem)[:60].strip("_-")
        name = stem if stem.replace("-", "_").isidentifier() else f"table_{stem}".rstrip("_")
        names = chain([name], (f"{name}_{suffix}" for suffix in count(2)))
        taken = set(map(str.casefold, views))
        views[next(name for name in names if name.casefold() not in taken)] = path
    return views


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Return constraints with their columns in order, without others; files from their ids on."""
    names = [*map(str, frame.columns)]
    positions = columns_in(names) or [*range(first_two(names)[0], len(names))]
    return frame.iloc[:, positions]


def _pairs_among(
    frames: Mapping[str, pd.DataFrame], tables: Mapping[str, Ids], known: Mapping[str, Ends]
) -> dict[str, Ends]:
    """Return the files of pairs of ids, the surest first; what others hold ids of is a table."""
    pairs = dict(known)
    likely = {
        path: frame
        for path, frame in frames.items()
        if _may_be_pairs(frame) or _has_columns_of(frame, _without(path, tables))
    }
    while True:
        held = set[str]().union(*(ends.tables for ends in pairs.values()))
        left = {path: ids for path, ids in tables.items() if path not in pairs}
        candidates = {
            path: ends_of(frame, _without(path, left), likely)
            for path, frame in likely.items()
            if path not in pairs and path not in held
        }
        sure = {path: ends for path, ends in candidates.items() if ends is not None}
        if not sure:
            return pairs
        best = max(sure, key=lambda path: sure[path].share)
        pairs[best] = sure[best]


def _called_like(frames: Mapping[str, pd.DataFrame], tables: Iterable[str]) -> dict[str, Ends]:
    """Return the files of two columns that are called like two tables, whatever they hold."""
    by_name = {Path(path).stem.casefold(): path for path in tables}
    pairs: dict[str, Ends] = {}
    for path, frame in frames.items():
        called = [by_name.get(str(name).strip().casefold(), path) for name in frame.columns]
        if len(called) == 2 and len({path, *called}) == 3:
            pairs[path] = Ends(End(called[0], ""), End(called[1], ""), 1.0)
    return pairs


def _without(path: str, tables: Mapping[str, Ids]) -> Mapping[str, Ids]:
    return {table: ids for table, ids in tables.items() if table != path}


def _has_columns_of(frame: pd.DataFrame, tables: Mapping[str, Ids]) -> bool:
    """Tell whether two columns are all, each called like a table, or ids that only one has."""
    every = ({Path(path).stem, *ids} for path, ids in tables.items())
    named = Counter(chain(*({name.strip().casefold() for name in names} for names in every)))
    columns = [str(name).strip().casefold() for name in frame.columns]
    return len(columns) == 2 and all(named[name] == 1 for name in columns)


def _may_be_pairs(frame: pd.DataFrame) -> bool:
    """Tell whether a file that nobody named may hold pairs of ids, beside few other columns."""
    if not 2 <= frame.shape[1] <= _MOST_COLUMNS or not len(frame):
        return False
    frame = without_attrs(frame)
    texts = [texts_in(frame.iloc[:, n]) for n in (0, 1)]
    are_numbers = all(text.replace(".", "", 1).isdigit() for text in chain(*texts))
    is_kind = frame.shape[1] > 2 and are_kinds(frame.iloc[:, 2])
    are_distinct = all(len(set(words)) >= len(frame) / 2 for words in texts)
    return is_kind or (are_distinct and (frame.shape[1] == 2 or not are_numbers))


def _misspelled(path: str, frame: pd.DataFrame, tables: Mapping[str, Ids]) -> str:
    """Say that a file would be one of pairs of ids, but for case, zeros in front and .0."""
    folded = {
        table: {column: set(map(_folded, values)) for column, values in ids.items()}
        for table, ids in tables.items()
    }
    ends = ends_of(frame, folded, spelled=_folded)
    for n, (table, column) in enumerate(ends[:2] if ends else ()):
        known = tables[table][column]
        text = next((id for id in texts_in(frame.iloc[:, n]) if plain_id(id) not in known), "")
        meant = min((id for id in known if _folded(id) == _folded(text)), default=None)
        if meant is not None:
            name = shown(str(frame.columns[n]))
            return (
                f"{clipped(path)}: the column {name} has {shown(text)} where {clipped(table)} has"
                f" {shown(meant)}, so it was taken for a table. If it holds pairs of ids,"
                f" {_SPELLED}"
            )
    return ""


def _without_names(path: str, frame: pd.DataFrame, tables: Mapping[str, Ids]) -> str:
    """Say that a table may hold pairs of ids, as two columns have ids of other tables."""
    if are_matches := frame.shape[1] == 2:
        may_be = not ids_in(frame)
    else:
        may_be = _may_be_pairs(frame) or len({*texts_in(frame.iloc[:, 2])}) == 2
    columns = [*without_attrs(frame).items()][: 2 * may_be]
    held = [tables_with(str(name), {*texts_in(values)}, tables, ()) for name, values in columns]
    ends = [candidates[0].end.table for candidates in held if candidates]
    if len(ends) < 2 or (ends[0] == ends[1]) is are_matches:
        return ""
    said = f"{clipped(path)}: it was taken for a table, though two columns have ids of"
    if are_matches:
        names = " and ".join(Path(end).stem for end in ends)
        return f"{said} two tables. If these are matches, name the columns {names}."
    return (
        f"{said} {clipped(ends[0])}. If these are constraints, name the columns i, j and kind,"
        " and write must-link or cannot-link."
    )


def _third_ids(
    path: str, frame: pd.DataFrame, ends: Ends, tables: Mapping[str, Ids]
) -> Iterator[str]:
    """Name the further columns of matches that hold ids of further tables."""
    others = {table: ids for table, ids in tables.items() if table not in ends.tables}
    for name, column in without_attrs(frame).iloc[:, 2:].items():
        texts, called = texts_in(column), str(name).strip().casefold()
        may_count = len({*texts}) < len(texts) and all(map(str.isdigit, texts))
        for *_, (table, ids) in tables_with(called, {*texts}, others, ())[:1]:
            if not may_count or called in (Path(table).stem.casefold(), ids.casefold()):
                yield (
                    f"{clipped(path)}: the column {shown(str(name))} has ids of {clipped(table)},"
                    " but matches are of two tables. Write a file of matches with it, too."
                )


def _folded(id: str) -> str:
    return _ORNAMENTS.sub("", without_fraction(id.casefold()))
