"""Columns that give the answer away: the clusters follow their values, so they may be labels."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from mvcc._utils.environment import command_line
from mvcc._utils.messages import percent, shown
from mvcc._utils.types import Ints
from mvcc.metrics import clustering_accuracy
from mvcc.tables._job import Job
from mvcc.tables.reading._problems import option_for
from mvcc.tables.reading._table import Table

_MOST_VALUES = 50
_FEWEST_COLUMNS = 3  # clusters of one or two columns follow these anyway
_FEWEST_ROWS = 20
# Adjusted Rand index of values and clusters. In messy tables with their classes left in, the column
# of classes had .92 or more if it changed the clusters, and all others had .51 or less.
_ALIKE = 0.8


def with_likely_labels(table: Table, labels: Ints) -> Table:
    """Return the table with the columns marked that alone tell nearly all clusters."""
    told = _told(table, labels)
    columns = [replace(one, told=told.get(one.name, 0.0)) for one in table.every_column]
    return replace(table, every_column=columns)


def notes_on_labels(table: Table, job: Job) -> list[str]:
    """Name the columns that may be labels, each with the command that clusters without it."""
    view = job.views[table.name]
    notes = []
    for column in table.every_column:
        if not column.told:
            continue
        key, columns = "labels_column", [column.name]
        if view.labels_column is not None:
            key, columns = "ignore", [*view.ignore, column.name]
        command = command_line()
        if command.startswith("mvcc cluster "):
            option = option_for(f"--{key.replace('_', '-')}", table.name, columns)
            way = f"{command.removesuffix(' --fresh')} {option} --fresh"
        else:  # of Python
            way = f"{key}={{{table.name!r}: {columns if key == 'ignore' else columns[0]!r}}}"
        notes.append(
            f"{table.path}: the column {shown(column.name)} alone tells the cluster of"
            f" {percent(column.told)} of the rows. If it is a label, cluster without it: {way}"
        )
    return notes


def _told(table: Table, labels: Ints) -> dict[str, float]:
    """Return for columns that may be labels the share of rows whose cluster they tell."""
    if len(table.columns) < _FEWEST_COLUMNS or len(labels) < _FEWEST_ROWS:
        return {}
    from sklearn.metrics import adjusted_rand_score

    frame = pd.DataFrame(table.X, columns=table.columns, copy=False)
    told = {}
    for name in (column.name for column in table.used if column.kind != "picture"):
        values = frame[name]
        # a glance at some rows spares counting the values of many
        if values.head(1000).nunique() > _MOST_VALUES or values.nunique() > _MOST_VALUES:
            continue
        codes, _ = pd.factorize(values)
        if adjusted_rand_score(codes, labels) >= _ALIKE:
            told[name] = clustering_accuracy(codes, labels)
    return told
