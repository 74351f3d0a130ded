"""How a cluster may be split: its rows are clustered once more, by themselves."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from mvcc._utils.types import Ints
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import JointGraphClustering, match_clusters
from mvcc.results import Clustering
from mvcc.tables._job import Job
from mvcc.tables.correcting._draft import Draft
from mvcc.tables.fitting._features import features_before_clusters
from mvcc.tables.reading._inputs import Inputs

_FEWEST = 4  # rows of a view, to be split


def parts_of(
    facts: Clustering, cluster: str, job: Job, inputs: Inputs
) -> dict[str, tuple[Ints, Ints]]:
    """Return two parts of a cluster: per view its rows in the tables, and 0 or 1 for each.

    Views of which the cluster has too few rows have none. The larger part is 0.
    Raises InvalidInputError: for a cluster that is not there, or is too small.
    """
    views, number = Draft(facts).cluster(cluster)
    rows: dict[int, Ints] = {}
    for view in views:
        told, table = facts.views[view], inputs.tables[view]
        own = [
            table.row[id]
            for id, label in zip(told.ids, told.labels, strict=True)
            if label == number
        ]
        if len(own) >= _FEWEST:
            rows[view] = np.sort(np.array(own))
    if not rows:
        raise InvalidInputError(
            f"Cluster {cluster} has fewer than {_FEWEST} rows of each view, too few to propose"
            " parts. Name the rows that are to leave it."
        )
    empty = np.empty(0, np.int64)
    inside = inputs.on_rows([rows.get(view, empty) for view in range(len(facts.views))])
    place = {view: number for number, view in enumerate(rows)}
    relations = {
        (place[u], place[v]): pairs for (u, v), pairs in inside.relations.items() if len(pairs)
    }
    features = features_before_clusters([inside.tables[view] for view in rows], job)
    with threadpool_limits(1):  # some BLAS sum in another order on more threads
        model = JointGraphClustering(2, features="none", random_state=job.seed)
        model.fit([one.X for one in features], mappings=relations)
    labels = model.labels_
    if len(model.connected_views_) > 1:
        numbers = match_clusters(labels, relations, 2)
        labels = [new[own] for new, own in zip(numbers, labels, strict=True)]
    if 2 * np.concatenate(labels).sum() > sum(map(len, labels)):
        labels = [1 - own for own in labels]
    return {
        facts.views[view].name: (own, part)
        for (view, own), part in zip(rows.items(), labels, strict=True)
    }
