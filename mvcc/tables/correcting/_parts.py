"""What is clustered anew: a cluster that may be split, with the matches that corrections leave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mvcc._utils.one_thread import one_thread
from mvcc._utils.types import Floats, Ints
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import JointGraphClustering, match_clusters
from mvcc.results import Clustering
from mvcc.tables.correcting._corrections import MATCH, NO_MATCH, Corrections, rows_in
from mvcc.tables.correcting._draft import Draft
from mvcc.tables.reading._inputs import Inputs

_FEWEST = 4  # rows of a view, to be split


def parts_of(
    facts: Clustering, cluster: str, features: list[Floats], inputs: Inputs
) -> dict[str, tuple[Ints, Ints]]:
    """Return two parts of a cluster: per view its rows in the tables, and 0 or 1 for each.

    Views of which the cluster has too few rows have none. The larger part is 0. `features` are
    those of all rows of every view.
    """
    views, number = Draft(facts).cluster(cluster)
    rows = {}
    for view in views:
        told = zip(facts.views[view].ids, facts.views[view].labels, strict=True)
        own = [inputs.tables[view].row[id] for id, label in told if label == number]
        if len(own) >= _FEWEST:
            rows[view] = np.sort(own)
    if not rows:
        raise InvalidInputError(
            f"Cluster {cluster} has fewer than {_FEWEST} rows of each view, too few to propose"
            " parts. Name the rows that are to leave it."
        )
    empty = np.empty(0, np.int64)
    inside = inputs.on_rows([rows.get(view, empty) for view in range(len(facts.views))])
    place = {view: number for number, view in enumerate(rows)}
    relations = {(place[u], place[v]): pairs for (u, v), pairs in inside.relations.items()}
    with one_thread():
        model = JointGraphClustering(2, features="none")
        model.fit([features[view][own] for view, own in rows.items()], mappings=relations)
    labels = model.labels_
    if len(model.connected_views_) > 1:  # what matches there are tell which parts go together
        numbers = match_clusters(labels, relations, 2)
        labels = [new[own] for new, own in zip(numbers, labels, strict=True)]
    if 2 * np.concatenate(labels).sum() > sum(map(len, labels)):
        labels = [1 - own for own in labels]
    found = zip(rows.items(), labels, strict=True)
    return {facts.views[view].name: (own, part) for (view, own), part in found}


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
