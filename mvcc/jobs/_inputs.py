"""The files of a job: read, checked, and known by their checksums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mvcc._utils.files import sha256_of
from mvcc._utils.messages import shown
from mvcc.exceptions import DataError
from mvcc.jobs._config import Job
from mvcc.jobs._tables import Table, read_table

if TYPE_CHECKING:
    from mvcc.constraints import Constraints, Relations


@dataclass(frozen=True, eq=False)
class Inputs:
    """All files of a job, read and checked.

    Attributes
    ----------
    tables : list of Table
    constraints : list of Constraints, one per view
    relations : dict {(u, v): (r, 2) array}
    checksums : dict {path: sha256}
    """

    tables: list[Table]
    constraints: list[Constraints]
    relations: Relations
    checksums: dict[str, str]


def read_inputs(job: Job) -> Inputs:
    """Read all files of a job.

    Raises
    ------
    DataError, InvalidInputError
        Name file, line and what is wrong.
    """
    tables = [read_table(name, view, job.show.get(name, ())) for name, view in job.views.items()]
    for table in tables:
        if job.n_clusters > len(table.ids):
            raise DataError(f"{table.path}: {len(table.ids)} rows cannot be put into {job.n_clusters} clusters (-k).")
    # numba, which constraints bring along, takes half a second to import: tables are read before
    from mvcc.jobs._pairs import read_constraints, read_matches

    constraints, relations = read_constraints(job, tables), read_matches(job, tables)
    paths = [*(table.path for table in tables), *job.matches.values(), *job.constraints.values()]
    try:
        checksums = {path: sha256_of(Path(path).read_bytes()) for path in paths}
    except OSError as error:
        raise DataError(f"{error.filename}: cannot be read any more: {error.strerror}.") from error
    return Inputs(tables, constraints, relations, checksums)


def caller_of(tables: list[Table]) -> Callable[[int, int], str]:
    """Return what says how a message calls a row of a view."""
    return lambda view, row: f"{shown(tables[view].ids[row])} of {tables[view].name}"
