"""How the files of a job are read and checked, all of them before any error is raised."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, permutations
from types import MappingProxyType
from typing import Protocol

import pandas as pd

from mvcc._utils.messages import counted, for_reader, views_of_pair
from mvcc.exceptions import DataError
from mvcc.tables._job import Job
from mvcc.tables.reading._files import read_constraints, read_frame, read_frames, read_pairs_of
from mvcc.tables.reading._id_column import Named
from mvcc.tables.reading._inputs import Inputs, PairFiles
from mvcc.tables.reading._matches import read_matches, without_matched_ids
from mvcc.tables.reading._parquet import input_sha256
from mvcc.tables.reading._problems import Problems, is_in_memory
from mvcc.tables.reading._table import Table, table_of

_MANY_SHARED = 0.5  # of the ids of the smaller table
_FEW = 5  # columns, which may be called like rows by chance


class SampledViews(Protocol):
    """Views of which only some rows are read."""

    def __contains__(self, name: str) -> bool: ...

    def sample(
        self, job: Job, tables: list[Table], files: PairFiles, problems: Problems
    ) -> tuple[list[Table], dict[str, pd.DataFrame]]:
        """Return a sample of every such view, and the lines drawn from each file of matches."""


def read_pairs(
    job: Job,
    problems: Problems,
    read: Callable[[str], pd.DataFrame] = read_pairs_of,
    drawn: Mapping[str, pd.DataFrame] = MappingProxyType({}),
) -> PairFiles:
    """Read the files of matches and constraints, but those of matches whose lines were drawn."""
    files = PairFiles({}, {})
    for pair, path in job.matches.items():
        with problems.collecting():
            files.matches[pair] = drawn[pair] if pair in drawn else read(path)
    for view, path in job.constraints.items():
        with problems.collecting():
            files.constraints[view] = read_constraints(path)
    return files


def read_inputs(job: Job, folders: SampledViews | None = None) -> Inputs:
    """Read all files of a job, and of its folders a sample; errors tell of all files at once."""
    problems, of_pairs = Problems(), Problems()
    if folders is None:
        files = read_pairs(job, of_pairs)
        tables = _read_tables(job, [*job.views], files, problems)
    else:
        # a glance at pairs, whose mistakes are told with all rows
        glance = read_pairs(job, Problems(), lambda path: next(read_frames(path)))
        names = [name for name in job.views if name not in folders]
        tables = _read_tables(job, names, glance, problems)
        problems.raise_any()  # before minutes of reading
        sampled, drawn = folders.sample(job, tables, glance, problems)
        tables = sorted([*tables, *sampled], key=lambda table: list(job.views).index(table.name))
        files = read_pairs(job, of_pairs, drawn=drawn)
    for table in tables:
        if job.n_clusters != "auto":
            with problems.collecting():
                check_enough(table, job.n_clusters)
    with problems.collecting():
        of_pairs.raise_any()
    if len(tables) < len(job.views):  # without ids nothing can be said of matches and constraints
        problems.raise_any()
    return _with_pairs(job, tables, files, problems)


def _read_tables(job: Job, names: list[str], files: PairFiles, problems: Problems) -> list[Table]:
    """Read the tables of some views; ids that pairs or other tables name tell their columns."""
    tables: list[Table] = []
    for name in names:
        with problems.collecting():
            view = job.views[name]
            named = files.named_in(name) or _named_by_tables(tables)
            frame = read_frame(view.path, view.sheet, view.header, name)
            tables.append(table_of(frame, name, view, problems, job.shown_of(name), named=named))
            del frame
            if pyarrow := sys.modules.get("pyarrow"):  # which would keep the memory of texts
                pyarrow.default_memory_pool().release_unused()
    return tables


def _with_pairs(job: Job, tables: list[Table], files: PairFiles, problems: Problems) -> Inputs:
    """Return tables with the matches and constraints of files, or raise all problems."""
    # numba, which constraints bring along, takes half a second to import: tables are read before
    from mvcc.constraints import Constraints
    from mvcc.tables.reading._constraints import NamesOf, add_constraints

    notes: list[str] = []
    relations = read_matches(job, tables, files, problems, notes)
    tables = without_matched_ids(job, tables, relations)
    if not job.matches:
        notes += notes_on_shared_ids(tables)
    notes += notes_on_turned(tables)
    constraints = [Constraints.empty() for _ in tables]
    view_of = {table.name: view for view, table in enumerate(tables)}
    may_lack = job.unknown == "skip"
    for name, view in view_of.items():
        if file := files.constraints.get(name):
            with problems.collecting():
                names = NamesOf(view, tables, relations)
                add_constraints(constraints, file, names, notes, may_lack)
    problems.raise_any()
    sizes = [(table.path, table.n_all_rows or len(table.ids)) for table in tables]
    for pair, path in job.matches.items():
        u, v = sorted(view_of[name] for name in views_of_pair(pair))
        sizes.append((path, len(relations[u, v])))
    sizes += [(path, len(constraints[view_of[name]])) for name, path in job.constraints.items()]
    return Inputs(tables, constraints, relations, with_checksums(sizes), notes=tuple(notes))


def _named_by_tables(tables: list[Table]) -> list[Named]:
    """Return the ids of tables that another one may name; numbers may count anything."""
    id_sets = [set(table.ids) for table in tables if table.id_column is not None]
    texts = (ids for ids in id_sets if not all(id.isdigit() for id in ids))
    return [Named("", ids, of_table=True) for ids in texts]


def notes_on_shared_ids(tables: list[Table]) -> Iterator[str]:
    """Say which tables seem to name the same objects, though nobody has matched them."""
    named = [table for table in tables if table.id_column or is_in_memory(table.name, table.path)]
    for one, other in combinations(named, 2):
        if one.is_numbered and len(one.ids) != len(other.ids):
            continue  # numbers that count anything
        n_shared = len({*one.ids} & {*other.ids})
        if n_shared >= _MANY_SHARED * min(len(one.ids), len(other.ids)):
            way = for_reader(
                f"name it (--match {one.name}:{other.name}=FILE)",
                f"give it as matches={{{(one.name, other.name)!r}: …}}",
            )
            yield (
                f"{one.name} and {other.name} share {counted(n_shared, 'id')}, but have no matches,"
                " so nothing connects them. If the same id is the same object, write these ids into"
                f" a table of two columns, and {way}."
            )


def notes_on_turned(tables: list[Table]) -> Iterator[str]:
    """Say which tables seem to have a column for each row of another one, as genes by samples."""
    for one, other in permutations(tables, 2):
        names = {column.name for column in other.every_column}
        n_shared = len(names.intersection(one.ids).difference(other.ids))
        if not one.is_numbered and n_shared > _FEW and n_shared >= _MANY_SHARED * len(one.ids):
            yield (
                f"{n_shared} columns of {other.name} are called like rows of {one.name}. If they"
                f" are the same things, turn {other.name} round first (table.T in pandas)."
            )


def check_enough(table: Table, n_clusters: int) -> None:
    """Refuse more clusters than a view has rows."""
    if n_clusters > len(table.ids):
        raise DataError(
            f"{table.path}: {counted(len(table.ids), 'row')} cannot be put into {n_clusters}"
            f" clusters ({for_reader('-k', 'n_clusters')})."
        )


def with_checksums(sizes: list[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """Add the sha256 to the sizes of files that were just read."""
    try:
        return [(path, size, input_sha256(path)) for path, size in sizes]
    except OSError as error:
        raise DataError(f"{error.filename}: cannot be read any more: {error.strerror}.") from error
