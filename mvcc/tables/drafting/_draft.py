"""A config to begin with: every column with its kind, examples, and what is doubtful about it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from mvcc._utils.ids import why_unknown
from mvcc._utils.messages import (
    agreeing,
    clipped,
    counted,
    enumerated,
    padded,
    pair_name,
    percent,
    shown,
    typed,
)
from mvcc._utils.outputs import OutputFolder
from mvcc._utils.settings import as_yaml
from mvcc.exceptions import DataError, MvccError
from mvcc.tables._config import load_job
from mvcc.tables._job import AskedKind, View
from mvcc.tables.drafting._doubts import A_COLUMN_OF_EACH, doubts_in_short, doubts_of, doubts_on_ids
from mvcc.tables.drafting._files import SortedFiles, sort_files
from mvcc.tables.reading._column import (
    Column,
    LeftOut,
    Written,
    as_texts,
    given_texts,
    without_attrs,
)
from mvcc.tables.reading._files import read_frame
from mvcc.tables.reading._id_column import Named
from mvcc.tables.reading._matches import read_matches, without_matched_ids
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._read_inputs import notes_on_turned, read_pairs
from mvcc.tables.reading._rows import listed
from mvcc.tables.reading._table import Table, table_of

_LABELS = re.compile(
    r"(?!(.*[\W_])?[aâ]ges?([\W_]|$))"  # groups of ages are a property
    r"(.*[\W_])?(labels?|class(es)?|targets?|groups?|diagnos[ei]s?|outcomes?|categor(y|ies)|species"
    r"|clusters?|klassen?|gruppen?|kategorien?|sorten?|zielgröße|groupes?|diagnostic|catégories?"
    r"|espèces?|cible|étiquettes?)([\W_].*)?",
    re.IGNORECASE,
)
_MOST_LABELS = 20  # distinct values
_GUESS = 5  # clusters
_MOST_COLUMNS = 4000  # of all tables; a config has 10,000 values at most
_MANY = 0.5  # of the ids are in two tables
_WIDTH = 32  # of what stands before a comment
_HEAD = """\
# What is to be clustered, and how: a draft. Read the comments, change what is wrong, and run:
#
#   mvcc cluster {config} --dry-run   only check this file and the tables
#   mvcc cluster {config}             cluster, and write a report into the folder results
#
# Paths are relative to this file. A column is number, category, text, mail, date (day first, month
# first), picture, or ignore (left out).
"""

_Lines = Iterator[tuple[str, str]]  # each with its comment


@dataclass(frozen=True)
class Draft:
    """A config that was drafted, what the files are, and what somebody should look at."""

    path: Path
    files: SortedFiles
    doubts: list[str]


@dataclass(frozen=True, eq=False)
class _Drafted:
    """A table as it was read, by the view that reads it, and the doubts about its columns."""

    view: View
    frame: pd.DataFrame
    table: Table
    labels: dict[str, int]  # columns that look like labels, and how many there are
    doubts: dict[str, list[str]]
    notes: list[str]  # doubts about several columns


def draft_config(
    out: Path, paths: Sequence[str], sheets: Mapping[str, str], headers: Mapping[str, int]
) -> Draft:
    """Write a config that clusters some files, as `sort_files` takes them; return what it says."""
    with OutputFolder(out.parent, "a config", fresh=None, inputs=paths) as folder:
        folder.refuse_taken([out.name])
        files = sort_files(paths, sheets=sheets, headers=headers)
        drafted = {}
        views = [(("views", name, "path"), path, path) for name, path in files.views.items()]
        pair_files = {"matches": dict(files.matches), "constraints": dict(files.constraints)}
        options = [*views, *_options("sheet", sheets), *_options("header", headers)]
        settings = {**pair_files, "n_clusters": _GUESS}
        job = load_job(None, options, settings, check="mvcc init --from …")
        unread = Problems()
        pairs = read_pairs(job, unread)
        for name, view in job.views.items():
            try:
                drafted[name] = _drafted(name, view, pairs.named_in(name))
            except DataError as error:  # which a file that is none of tables may cause
                said = files.notes or _hints_on_pairs(view, drafted)
                raise DataError(" ".join([str(error), *said])) from error
        read = {name: (draft.table, draft.frame) for name, draft in drafted.items()}
        for name, column, doubt in doubts_on_ids(read, [pair for pair, _ in files.matches]):
            drafted[name].doubts[column].append(doubt)
        tables = [draft.table for draft in drafted.values()]
        relations = read_matches(job, tables, pairs, unread, [])
        for table in without_matched_ids(job, tables, relations):
            drafted[table.name] = replace(drafted[table.name], table=table)
        try:
            unread.raise_any()
        except MvccError as error:
            files.notes.append(str(error))
        lines = [*_lines(drafted, files, out.parent)]
        text = _HEAD.format(config=typed(out.name)) + "".join(map(_written, lines))
        folder.write({out.name: text.encode()})
    doubts = [*files.notes, *notes_on_turned(tables)]
    doubts += [
        note for draft in drafted.values() for note in (*draft.notes, *draft.table.far_values)
    ]
    for name, draft in drafted.items():
        doubts += (f"{name}: {said}" for said in doubts_in_short(draft.doubts))
    return Draft(out, files, doubts)


def _options(key: str, values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Give the settings of views that options name, as `load_job` takes them."""
    for name, value in values.items():
        yield ("views", name, key), value, f"--{key} {name}={value}"


def _hints_on_pairs(view: View, drafted: Mapping[str, _Drafted]) -> Iterator[str]:
    """Say why ids of a file without properties are unknown: they may be those of matches."""
    frame = read_frame(view.path, view.sheet, view.header)
    for (name, draft), (column, values) in product(drafted.items(), [*frame.items()][:2]):
        if why := why_unknown(as_texts(values), draft.table.ids, name, map(str, draft.frame)):
            yield f"Or {shown(str(column))} holds unknown ids for matches.{why}"


def _drafted(name: str, view: View, named: Sequence[Named]) -> _Drafted:
    """Read a table, without the columns that have mistakes, by the ids that files name."""
    frame = read_frame(view.path, view.sheet, view.header)
    view = view.model_copy(update={"sheet": view.sheet or frame.attrs.get("sheet")})
    problems = Problems()
    table = table_of(frame, name, view, problems, named=named)
    bad, notes = problems.columns.get(name, {}), list[str]()
    if words := problems.words.get(name):
        before, problems = bad, Problems()
        view = view.model_copy(update={"missing": tuple(words)})
        table = table_of(frame, name, view, problems, named=named)
        bad = problems.columns.get(name, {})
        where = listed(column for column in before if column not in bad)
        notes.append(
            f"{name}: read as missing in all columns: {enumerated(map(shown, words))}, found among"
            f" numbers or dates in {where}. If one means something, such as 0, write that into the"
            " table, and delete it under `missing:`"
        )
    if bad:
        problems, rest = Problems(), view.model_copy(update={"ignore": tuple(bad)})
        table = table_of(frame, name, rest, problems, named=named)
    problems.raise_any()
    bare, X = without_attrs(frame), table.frame
    labels, doubts = dict[str, int](), dict[str, list[str]]()
    for column in table.every_column:
        cells, said = bare[column.name], list[str]()
        if column.name != table.id_column and _LABELS.fullmatch(column.name.strip()):
            n = given_texts(cells, of_categories=True).nunique()
            if 2 <= n <= _MOST_LABELS:
                labels[column.name] = n
                said.append(f"looks like labels ({n} values), so it is left out")
        if column.name in bad:
            said.append(bad[column.name].removeprefix(view.path).partition(": ")[2])
        elif column.name in X and column.name not in labels:
            said += doubts_of(column, cells, X[column.name])
        said += [
            f"{remark}: if the others mean missing, name them under `missing:`"
            for remark in column.remarks
            if re.match(r"\d+ of \d+ values are (numbers|dates)", remark)
        ]
        if column.why is LeftOut.NO_WORDS:
            example = shown(column.examples[0][0])
            said.append(f"left out, as it has values such as {example}: {A_COLUMN_OF_EACH}")
        may_be_id = table.id_column is None and column.why is LeftOut.AN_ID
        if may_be_id and (n := int(given_texts(cells).duplicated().sum())):
            repeats = f"{counted(n, 'value')} {agreeing(n, 'repeats', 'repeat')}"
            said.append(f"{repeats}, so it does not name the rows")
        doubts[column.name] = said
    return _Drafted(view, frame, table, labels, doubts, notes)


def _lines(drafted: Mapping[str, _Drafted], files: SortedFiles, folder: Path) -> _Lines:
    yield "", ""
    yield "views:", ""
    for name, draft in drafted.items():
        yield from _lines_of_view(name, draft, folder, _MOST_COLUMNS // len(drafted))
    yield "", ""
    yield from _lines_of_pairs("matches", files.matches, folder)
    if not files.matches and len(drafted) > 1:
        pair = pair_name(*list(drafted)[:2])
        yield f"# matches: {{{as_yaml(pair)}: FILE}}", _said_of_shared([*drafted.values()])
    yield from _lines_of_pairs("constraints", files.constraints, folder)
    n_labels = {n: column for draft in drafted.values() for column, n in draft.labels.items()}
    guess, why = next(iter(n_labels.items()), (_GUESS, ""))
    most = min(len(draft.table.ids) for draft in drafted.values())
    because = "a guess"
    if why and guess <= most:
        because = f"as many as {shown(why)} has values"
    if most > 2:
        because += f"; -k 2-{min(12, most)} compares numbers of clusters"
    yield f"n_clusters: {min(guess, most)}", because
    texts = {}
    for name, draft in drafted.items():
        if columns := [column.name for column in draft.table.used if column.kind == "text"]:
            texts[name] = columns[:2]
    if texts:
        yield f"# show: {as_yaml(texts)}", "what `mvcc ask` shows of a row"


def _lines_of_view(name: str, draft: _Drafted, folder: Path, most: int) -> _Lines:
    table = draft.table
    size = f"{counted(len(table.ids), 'row')} × {counted(draft.frame.shape[1], 'column')}"
    yield f"  {as_yaml(name)}:", size
    yield f"    path: {as_yaml(_relative(draft.view.path, folder))}", ""
    if draft.view.sheet:
        yield f"    sheet: {as_yaml(draft.view.sheet)}", ""
    if draft.view.header:
        yield f"    header: {draft.view.header}", ""
    if table.id_column is None:
        yield "    # id_column: …", "no column names the rows, so they are numbered from 0"
    else:
        names = next(column for column in table.every_column if column.name == table.id_column)
        yield f"    id_column: {as_yaml(table.id_column)}", _examples(names)
    if draft.view.missing:
        yield f"    missing: {as_yaml([*draft.view.missing])}", "in all columns"
    for label in list(draft.labels)[:1]:
        yield f"    # labels_column: {as_yaml(label)}", "to compare the clusters with it"
    yield "    columns:", ""
    others = [column for column in table.every_column if column.name != table.id_column]
    columns = [column for n, column in enumerate(others) if n < most or draft.doubts[column.name]]
    for column in columns:
        yield _line_of_column(column, draft)
    if n_more := len(others) - len(columns):
        yield f"      # {counted(n_more, 'more column')}", "used as mvcc finds them, like these"


def _line_of_column(column: Column, draft: _Drafted) -> tuple[str, str]:
    kind: AskedKind | Literal["ignore"] = column.kind or "ignore"
    if column.written is Written.MAILS:
        kind = "mail"
    said, doubts = [_examples(column)], draft.doubts[column.name]
    share = percent(column.n_missing / len(draft.frame))
    if column.n_missing and f"{share} are missing" not in doubts:
        said.append(f"{share} missing")
    if column.name in draft.labels:
        kind = "ignore"
    else:
        repeated = {
            remark for remark in column.remarks for doubt in doubts if doubt.startswith(remark)
        }
        remarks = [remark for remark in column.remarks if remark not in repeated]
        said.append(replace(column, remarks=tuple(remarks)).note)
    if column.why is LeftOut.PICTURES:
        said.append("write picture to use colors and edges")
    said += doubts
    return f"      {as_yaml(column.name)}: {kind}", "; ".join(filter(None, said))


def _lines_of_pairs(key: str, pairs: Sequence[tuple[str, str]], folder: Path) -> _Lines:
    if pairs:
        yield f"{key}:", ""
        for views, path in pairs:
            yield f"  {as_yaml(views)}: {as_yaml(_relative(path, folder))}", ""
        yield "", ""


def _said_of_shared(drafted: Sequence[_Drafted]) -> str:
    """Say how many ids are in the first two tables, where both have some."""
    have_ids = all(draft.table.id_column for draft in drafted[:2])
    first, second = (set(draft.table.ids) for draft in drafted[:2])
    shared = len(first & second)
    if not have_ids or shared < _MANY * min(len(first), len(second)):
        return "rows of two tables that are the same object"
    return f"are rows with the same id the same object? {counted(shared, 'id')} are in both tables"


def _examples(column: Column) -> str:
    return ", ".join(clipped(written, 24) for written, _ in column.examples)


def _relative(path: str, folder: Path) -> str:
    return path if os.path.isabs(path) else os.path.relpath(path, os.path.realpath(folder))


def _written(line: tuple[str, str]) -> str:
    text, comment = line
    if not comment:
        return f"{text}\n"
    return f"{padded([text], _WIDTH)[0]}  # {clipped(comment, 400)}\n"
