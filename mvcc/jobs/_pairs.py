"""What is known of the rows: which of two views are the same object, and which of one view belong together or apart."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mvcc._utils.messages import clipped
from mvcc.constraints import ConstraintFile, Constraints, Relations
from mvcc.exceptions import DataError, InvalidInputError
from mvcc.jobs._config import Job
from mvcc.jobs._formats import read_frame
from mvcc.jobs._tables import Table, as_texts


def read_constraints(job: Job, tables: list[Table]) -> list[Constraints]:
    """Read the constraints of every view, none where no file is given.

    Raises
    ------
    InvalidInputError
        Names file, line and what is wrong.
    """
    return [
        constraints_of(job.constraints[table.name], table) if table.name in job.constraints else Constraints.empty()
        for table in tables
    ]


def constraints_of(path: str, table: Table) -> Constraints:
    """Read the constraints of a view, whose ids must be its own."""
    file = ConstraintFile.read(path)
    for line, record in file.records.items():
        for name in map(str.strip, record[:2]):
            if len(record) == file.n_columns and name not in table.row:
                raise InvalidInputError(f"{file.place}:{line}: {table.lacks(name)}")
    return Constraints._of_file(file, table.ids)


def read_matches(job: Job, tables: list[Table]) -> Relations:
    """Read the related rows of every pair of views that has a file of matches.

    Returns
    -------
    dict {(u, v): (r, 2) array}, u < v

    Raises
    ------
    DataError
        Names file, line and what is wrong.
    """
    number = {table.name: place for place, table in enumerate(tables)}
    relations: Relations = {}
    for pair, path in job.matches.items():
        u, v = (number[name] for name in pair.split(":"))
        rows = _matches(path, tables[u], tables[v])
        relations[min(u, v), max(u, v)] = rows if u < v else rows[:, ::-1]
    return relations


def _matches(path: str, first: Table, second: Table) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Read (row of the first, row of the second) of a file with two columns of ids.

    Columns called by the names of the views may come in either order. A first line that is no match names the columns.
    """
    frame = read_frame(path)
    names = [str(name).strip() for name in frame.columns]
    if len(names) != 2:
        raise DataError(
            f"{path}: there must be two columns, the ids of {first.name} and of {second.name}; it has {len(names)}: "
            f"{clipped(', '.join(map(repr, names)), 200)}."
        )
    if names == [second.name, first.name]:
        frame = frame.iloc[:, ::-1]
    columns = [as_texts(frame.iloc[:, column]).tolist() for column in (0, 1)]
    skipped = frame.attrs.get("lines", 0)
    is_header = sorted(names) == sorted((first.name, second.name))
    if not is_header and (names[0] in first.row or names[1] in second.row):  # a match itself, or one with a mistake
        columns = [[name, *column] for name, column in zip(names, columns, strict=True)]
        skipped -= 1
    unit = "line" if "lines" in frame.attrs else "row"
    rows = np.empty((len(columns[0]), 2), dtype=np.int64)
    for side, (table, column) in enumerate(zip((first, second), columns, strict=True)):
        for place, name in enumerate(column):
            if name not in table.row:
                raise DataError(f"{path}: {unit} {place + skipped}: {table.lacks(name)}")
            rows[place, side] = table.row[name]
    if not len(rows):
        raise DataError(f"{path}: there are no matches in this file; leave it out, or fill it.")
    return pd.DataFrame(rows).drop_duplicates().to_numpy()
