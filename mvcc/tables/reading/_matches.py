"""Matches: which rows of two views are one object; and ids in files that tables lack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Bools, Ints
from mvcc._utils.ids import why_unknown
from mvcc._utils.messages import agreeing, counted, nearest_id, shown, views_of_pair
from mvcc.exceptions import DataError
from mvcc.tables._job import Job
from mvcc.tables.reading._column import LeftOut, as_texts
from mvcc.tables.reading._id_column import first_two
from mvcc.tables.reading._inputs import PairFiles
from mvcc.tables.reading._problems import Problems, option_for
from mvcc.tables.reading._rows import RowsById, id_texts, leads_with_zeros, plain_id
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.constraints import Relations

_Find = Callable[[RowsById, str], int]

_GLANCE = 100  # matches, which tell of most columns that they hold no ids
_FEWEST_IDS, _NEARLY_ALL = 5, 0.9  # distinct ids, and the share of rows with those of their matches
_MOST_SHOWN = 3  # unknown rows; to look for the most similar id takes time
# a line, and the first of its names that is not of a row of a table
Lacking = tuple[str, str, Table]


def read_matches(
    job: Job, tables: list[Table], files: PairFiles, problems: Problems, notes: list[str]
) -> Relations:
    """Return the related rows, (r, 2), of every pair of views with matches."""
    view_of = {table.name: view for view, table in enumerate(tables)}
    relations: Relations = {}
    for pair, frame in files.matches.items():
        u, v = (view_of[name] for name in views_of_pair(pair))
        notes += frame.attrs.get("notes", ())
        with problems.collecting():
            may_lack = job.unknown == "skip"
            rows = _matches(frame, job.matches[pair], (tables[u], tables[v]), notes, may_lack)
            relations[min(u, v), max(u, v)] = rows if u < v else rows[:, ::-1]
    notes += [
        f"{table.numbered}{'' if table.keys else ', unless the matches name these numbers'}."
        for table in (tables[view] for view in sorted({*chain(*relations)}))
        if table.id_column is None
    ]
    return relations


def _matches(
    frame: pd.DataFrame, path: str, tables: tuple[Table, Table], notes: list[str], may_lack: bool
) -> Ints:
    """Return (row of the first, row of the second) of a file with columns of ids."""
    headers = [str(name).strip().casefold() for name in frame.columns]
    of_rows, tables = tables, (tables[0].named_by(headers), tables[1].named_by(headers))
    notes += [
        f"{path}: names rows of {keyed.name} by {shown(keyed.id_column or '')},"
        f" {_what_is_odd(keyed)}."
        for table, keyed in zip(of_rows, tables, strict=True)
        if keyed is not table
    ]
    first, second = tables
    names, columns, is_header = matched_ids(
        frame, path, (first.name, second.name), (first.id_column, second.id_column)
    )
    lines = np.asarray(frame.attrs.get("lines", frame.index), dtype=np.int64)
    unit = "line" if "lines" in frame.attrs else "row"
    is_used = _tell_rows(columns, tables, unit, path, notes)
    columns, lines = [[*compress(column, is_used)] for column in columns], lines[is_used]
    if not is_header and len(names) - first_two(names)[0] > 2:
        read = " and ".join(shown(names[side]) for side in first_two(names))
        notes.append(
            f"{path}: of {len(names)} columns, {read} were read as the ids. If others are, call"
            f" them {first.name} and {second.name}."
        )
    rows = _rows_of(columns, tables)
    # ids as they are written tell the tables, if only one of these has zeros in front
    finds: tuple[_Find, _Find] = (lambda rows, name: rows.get(name, -1), RowsById.find)
    if any(_are_crossed(columns, tables, find) for find in finds):
        names, columns = names[1::-1], columns[::-1]
        rows = _rows_of(columns, tables)
        notes.append(
            f"{path}: the two columns are swapped: the one for {first.name} has ids of"
            f" {second.name}. Each id was read as a row of its own table."
        )
    for column, table in zip(columns, tables, strict=True):
        refuse_two_readings(path, [name.casefold() for name in names], column, table, tables)
    above = _rows_of([[name] for name in names[:2]], tables)
    if not is_header and all(names[:2]) and above.max() >= 0:
        # the first line is a match itself, or one with a mistake
        columns = [[name, *column] for name, column in zip(names, columns, strict=False)]
        rows = np.concatenate((above, rows))
        lines = np.concatenate(([frame.attrs.get("header", -1)], lines))
    if not len(rows):
        raise DataError(f"{path}: there are no matches in this file; leave it out, or fill it.")
    is_whole = (rows >= 0).all(axis=1)
    lacking: list[Lacking] = []
    for match in np.flatnonzero(~is_whole):
        side = int(rows[match, 0] >= 0)
        lacking.append((f"{unit} {lines[match]}", columns[side][match], tables[side]))
    if lacking:
        problem, note = unknown_rows(path, "match", len(rows), lacking)
        if not (may_lack and is_whole.any()):
            raise DataError(problem)
        notes.append(note)
    return pd.DataFrame(rows[is_whole]).drop_duplicates().to_numpy()


def _what_is_odd(keyed: Table) -> str:
    """Say why a column that matches mean does not name all rows."""
    n_missing, n_repeated = keyed.ids.count(""), len(keyed.repeated)
    if n_missing:
        return f"which is missing in {n_missing} of {counted(len(keyed.ids), 'row')}"
    return f"in which {counted(n_repeated, 'value')} {agreeing(n_repeated, 'repeats', 'repeat')}"


def _tell_rows(
    columns: list[list[str]], tables: Sequence[Table], unit: str, path: str, notes: list[str]
) -> Bools:
    """Tell which lines have two ids, each of one row at most, and note how many do not."""
    lines = [*zip(*columns, strict=True)]
    has_ids = np.array([all(ids) for ids in lines], dtype=bool)
    repeated = [table.repeated for table in tables]
    in_several = [ids[0] in repeated[0] or ids[1] in repeated[1] for ids in lines]
    is_unclear = np.array(in_several, dtype=bool)
    for is_bad, one, many in (
        (~has_ids, "lacks an id and was left out", "lack an id and were left out"),
        (is_unclear, "names several rows and was left out", "name several rows and were left out"),
    ):
        if n := int(is_bad.sum()):
            notes.append(f"{path}: {counted(n, unit)} {agreeing(n, one, many)}.")
    return has_ids & ~is_unclear


def without_matched_ids(job: Job, tables: list[Table], relations: Relations) -> list[Table]:
    """Leave out columns by which matches name rows or find them, but those that settings name."""
    tables = [*tables]
    for (u, v), pairs in relations.items():
        for own, other, rows in ((u, v, pairs), (v, u, pairs[:, ::-1])):
            table, ids = tables[own], tables[other].ids
            frame, glanced = table.frame, rows[:_GLANCE]
            matched = pd.Series(ids, dtype=object).iloc[glanced[:, 1]]
            numbers = pd.to_numeric(matched, errors="coerce").to_numpy()
            named = [name for name, _ in table.keys.values()]
            columns = [
                column.name
                for column in table.used
                if column.kind in ("number", "text")
                if column.name not in job.views[table.name].asked_for
                if column.name in named
                or column.kind == "text"  # a look at numbers as texts takes long in wide tables
                or (frame[column.name].to_numpy()[glanced[:, 0]] == numbers).sum() >= _FEWEST_IDS
                if column.name in named
                or all(_are_ids(frame[column.name], some, ids) for some in (glanced, rows))
            ]
            if 0 < len(columns) < len(table.columns):
                tables[own] = table.without(columns, LeftOut.MATCHED_IDS)
    return tables


def _are_ids(values: pd.Series[Any], rows: Ints, ids: list[str]) -> bool:
    """Tell whether rows hold the ids of those that they match, in the second column of ``rows``."""
    cells = values.iloc[rows[:, 0]]
    is_filled = cells.notna().to_numpy()
    texts = as_texts(cells[is_filled]).map(plain_id)
    matched = [plain_id(ids[row]) for row in rows[is_filled, 1]]
    is_one = (texts == matched).groupby(level=0).any()  # a row may have several matches
    return texts.nunique() >= _FEWEST_IDS and bool(is_one.mean() >= _NEARLY_ALL)


def refuse_two_readings(
    path: str, headers: list[str], column: list[str], table: Table, tables: Sequence[Table]
) -> None:
    """Refuse ids that the rows of a table have only as numbers, and another column has as well."""
    known = [name for name in column if table.row.find(name) >= 0]
    unlike = [name for name in known if name not in table.row]
    for holder in tables:
        for other_column, texts in holder.other_readings.items():
            if holder is table:
                is_called = (table.id_column or "").casefold() in headers
                if is_called or not {*map(plain_id, known)} <= {*map(plain_id, texts)}:
                    continue
                held = unlike
            else:  # where many columns hold the same numbers, only zeros in front tell the table
                held = [name for name in unlike if name in texts and leads_with_zeros(name)]
            if len(held) > len(column) / 2:
                first, second = shown(table.id_column or ""), shown(other_column)
                ways = (holder, other_column), (table, table.id_column or "")
                options = [option_for("--id-column", owner.name, [name]) for owner, name in ways]
                raise DataError(
                    f"{path}: {shown(held[0])} may be one of {first} in {table.path} or of {second}"
                    f" in {holder.path}. Say which column names the rows: {' or '.join(options)}."
                )


def _are_crossed(columns: list[list[str]], tables: tuple[Table, Table], find: _Find) -> bool:
    """Tell whether most rows have ids of the other table, and few or none of their own."""
    is_own, is_other = (_rows_of(columns, pair, find) >= 0 for pair in (tables, tables[::-1]))
    n_whole, n_crossed = int(is_own.all(axis=1).sum()), int(is_other.all(axis=1).sum())
    if not is_own.any():
        n_crossed = int(is_other.any(axis=1).sum())
    return n_crossed > len(columns[0]) / 2 and n_crossed > 2 * n_whole


def _rows_of(
    columns: list[list[str]], tables: Sequence[Table], find: _Find = RowsById.find
) -> Ints:
    """Return the rows of two tables that two columns name, −1 where there is none."""
    pairs = zip(columns, tables, strict=True)
    rows = [[find(table.row, name) for name in column] for column, table in pairs]
    return np.array(rows, dtype=np.int64).T


def matched_ids(
    frame: pd.DataFrame, path: str, views: tuple[str, str], id_columns: tuple[str | None, ...]
) -> tuple[list[str], list[list[str]], bool]:
    """Return the names of all columns, the ids of each view, and whether the names told these.

    Columns are called like the views or their id columns, or left and right, else are the first.
    """
    names = [str(name).strip() for name in frame.columns]
    if len(names) < 2:
        raise DataError(
            f"{path}: there must be two columns, the ids of {views[0]} and of {views[1]}; it has"
            " one."
        )
    lower = [name.casefold() for name in names]
    called = [[(name or "").casefold() for name in pair] for pair in (views, id_columns)]
    for pair in (*called, ["left", "right"]):
        sides = [lower.index(name) for name in pair if name in lower]
        if is_header := len(set(sides)) == 2:
            break
    else:
        sides = first_two(names)
    columns = [id_texts(frame.iloc[:, column]).tolist() for column in sides]
    return names, columns, is_header


def unknown_rows(location: str, noun: str, n_all: int, lacking: list[Lacking]) -> tuple[str, str]:
    """Say which lines of a file name rows that tables lack: as a problem, and as a note."""
    n = len(lacking)
    listed = [
        f"{line}: {shown(name)} is not in {table.name}"
        + nearest_id(name, table.ids).removesuffix(".")
        for line, name, table in lacking[:_MOST_SHOWN]
    ]
    if n > _MOST_SHOWN:
        listed.append(f"and {n - _MOST_SHOWN} more")
    verb = agreeing(n, "names an unknown row", "name unknown rows")
    said = f"{location}: {n} of {counted(n_all, noun)} {verb} ({', '.join(listed)})."
    tables = list(dict.fromkeys(table for *_, table in lacking))
    for table in tables:
        unknown = [name for _, name, owner in lacking if owner is table]
        columns = [column.name for column in table.every_column]
        said += why_unknown(unknown, table.ids, table.name, columns)
    remedy = f"Correct this file or {' or '.join(table.path for table in tables)}"
    if numbered := [table for table in tables if table.id_column is None]:
        remedy = numbered[0].numbered
    if n < n_all or noun != "match":  # no file of matches may lose all
        remedy += ", or leave such lines out with --unknown skip"
    return f"{said} {remedy}.", f"{said} {agreeing(n, 'It was left out.', 'They were left out.')}"
