"""Matches that corrections add or take away, before a clustering is made anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mvcc.tables.correcting._corrections import MATCH, NO_MATCH, Corrections, rows_in
from mvcc.tables.reading._inputs import Inputs


def with_matches(inputs: Inputs, corrections: Corrections) -> Inputs:
    """Return inputs with the matches that corrections leave; rows that are gone have none."""
    changes = [line for line in corrections.standing if line.answer in (MATCH, NO_MATCH)]
    if not changes:
        return inputs
    numbers = {table.name: number for number, table in enumerate(inputs.tables)}
    matches = {views: set(map(tuple, rows.tolist())) for views, rows in inputs.relations.items()}
    for line in changes:
        rows = []
        for name in rows_in(line.id):
            view, _, id = name.partition(":")
            if view in numbers and id in inputs.tables[numbers[view]].row:
                rows.append((numbers[view], inputs.tables[numbers[view]].row[id]))
        if len(rows) != 2:
            continue
        (u, i), (v, j) = sorted(rows)
        if (u, v) in matches:
            change = set.add if line.answer == MATCH else set.discard
            change(matches[u, v], (i, j))
    relations = {
        views: np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        for views, pairs in matches.items()
    }
    return replace(inputs, relations=relations)
