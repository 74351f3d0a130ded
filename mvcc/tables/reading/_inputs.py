"""The files of a job: read, checked, and known by their checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np

from mvcc._utils.messages import counted, shown
from mvcc._utils.types import Ints
from mvcc.exceptions import DataError
from mvcc.tables._job import Job
from mvcc.tables.reading._pair_files import PairFiles, read_pairs
from mvcc.tables.reading._partitions import input_sha256
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._table import Table, read_table

if TYPE_CHECKING:
    import pandas as pd

    from mvcc.constraints import Constraints, Relations
    from mvcc.tables.reading._answers import Answers

_MANY_SHARED = 0.5  # of the ids of the smaller table


@dataclass(frozen=True, eq=False)
class Inputs:
    """All files of a job, read and checked."""

    tables: list[Table]
    constraints: list[Constraints]
    relations: Relations  # (r, 2)
    files: list[tuple[str, int, str]]  # path, number of entries and sha256 of every file
    answers: Answers | None = None  # what was answered to `mvcc ask`, where it is used
    notes: tuple[str, ...] = ()  # what must be known of matches, constraints and answers

    @property
    def tables_read(self) -> list[Table]:
        """The tables with the rows that were left out."""
        return self.answers.tables if self.answers else self.tables

    def on_rows(self, rows: list[Ints]) -> Inputs:
        """Return the inputs of some rows of every view, ascending.

        Constraints and matches that touch others go.
        """
        relations = {}
        for (u, v), pairs in self.relations.items():
            inside = pairs[np.isin(pairs[:, 0], rows[u]) & np.isin(pairs[:, 1], rows[v])]
            if len(inside):
                ends = zip((u, v), inside.T, strict=True)
                relations[u, v] = np.column_stack(
                    [np.searchsorted(rows[view], column) for view, column in ends]
                )
        return replace(
            self,
            tables=[table.on_rows(own) for table, own in zip(self.tables, rows, strict=True)],
            constraints=[
                given.on_rows(own) for given, own in zip(self.constraints, rows, strict=True)
            ],
            relations=relations,
        )


class SampledViews(Protocol):
    """Views of which only some rows are read."""

    def __contains__(self, name: str) -> bool: ...

    def sample(
        self, job: Job, tables: list[Table], problems: Problems
    ) -> tuple[list[Table], dict[str, pd.DataFrame]]:
        """Return a sample of every such view, and the lines drawn from each file of matches."""


def read_inputs(job: Job, folders: SampledViews | None = None) -> Inputs:
    """Read all files of a job, and of its folders a sample.

    Raises DataError, InvalidInputError: name file, line and what is wrong, of all files at once.
    """
    problems, of_pairs = Problems(), Problems()
    tables: list[Table] = []
    files = read_pairs(job, of_pairs) if folders is None else PairFiles({}, {})
    of_files = (
        job.views
        if folders is None
        else {name: view for name, view in job.views.items() if name not in folders}
    )
    for name, view in of_files.items():
        with problems.collecting():
            named = files.named_in(name) or _named_by_tables(tables)
            tables.append(read_table(name, view, problems, job.shown_of(name), named))
    if folders is not None:
        problems.raise_any()  # before minutes of reading
        sampled, drawn = folders.sample(job, tables, problems)
        tables = sorted([*tables, *sampled], key=lambda table: list(job.views).index(table.name))
        files = read_pairs(job, of_pairs, drawn)
    for table in tables:
        if job.n_clusters != "auto":
            with problems.collecting():
                check_enough(table, job.n_clusters)
    if len(tables) < len(job.views):  # without ids nothing can be said of matches and constraints
        problems.raise_any()
    # numba, which constraints bring along, takes half a second to import: tables are read before
    from mvcc.tables.reading._pairs import read_constraints, read_matches

    notes: list[str] = []
    problems.extend(of_pairs)
    relations = read_matches(job, tables, files, problems, notes)
    if not job.matches:
        notes += _notes_on_shared_ids(tables)
    constraints = read_constraints(job, tables, files, relations, problems, notes)
    problems.raise_any()
    number = {table.name: place for place, table in enumerate(tables)}
    sizes = [(table.path, table.n_all_rows or len(table.ids)) for table in tables]
    for pair, path in job.matches.items():
        u, v = sorted(number[name] for name in pair.split(":"))
        sizes.append((path, len(relations[u, v])))
    sizes += [(path, len(constraints[number[name]])) for name, path in job.constraints.items()]
    return Inputs(tables, constraints, relations, with_checksums(sizes), notes=tuple(notes))


def _named_by_tables(tables: list[Table]) -> list[set[str]]:
    """Return the ids of tables that another one may name; numbers may count anything."""
    ids = [set(table.ids) for table in tables if table.id_column is not None]
    return [own for own in ids if not all(name.isdigit() for name in own)]


def _notes_on_shared_ids(tables: list[Table]) -> Iterator[str]:
    """Say which tables seem to name the same objects, though nobody has matched them."""
    with_ids = [table for table in tables if table.id_column is not None]
    for one, other in combinations(with_ids, 2):
        n_shared = len(one.row.keys() & other.row.keys())
        if n_shared >= _MANY_SHARED * min(len(one.ids), len(other.ids)):
            yield (
                f"{one.name} and {other.name} share {counted(n_shared, 'id')}, but have no matches,"
                " so nothing connects them. If the same id is the same object, write these ids into"
                f" a table of two columns, and name it (--match {one.name}:{other.name}=FILE)."
            )


def check_enough(table: Table, n_clusters: int) -> None:
    """Refuse more clusters than a view has rows."""
    if n_clusters > len(table.ids):
        raise DataError(
            f"{table.path}: {len(table.ids)} rows cannot be put into {n_clusters} clusters (-k)."
        )


def with_checksums(sizes: list[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """Add the sha256 to the sizes of files that were just read."""
    try:
        return [(path, size, input_sha256(path)) for path, size in sizes]
    except OSError as error:
        raise DataError(f"{error.filename}: cannot be read any more: {error.strerror}.") from error


def caller_of(tables: list[Table]) -> Callable[[int, int], str]:
    """Return what says how a message calls a row of a view."""
    return lambda view, row: f"{shown(tables[view].ids[row])} of {tables[view].name}"
