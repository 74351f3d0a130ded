"""The number of clusters: what a job says, the groups that were named, or what criteria propose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from mvcc._utils.contexts import one_thread, quiet_k_means
from mvcc._utils.messages import counted, for_reader
from mvcc.exceptions import ConfigError
from mvcc.tables._job import Job
from mvcc.tables.reading._inputs import Inputs, no_answers
from mvcc.tables.reading._read_inputs import check_enough

if TYPE_CHECKING:
    from mvcc.embedding import JointGraph

_SETTLED = 10  # answers in a row that open no group
_MOST_CLUSTERS = 10
_MOST_ROWS = 2_000  # of all views; of more, objects are drawn
_NEIGHBORS = 10
_FEWEST_MATCHED = 20  # rows of two views, from which their agreement is measured


class UnknownNumberError(ConfigError):
    """The number of clusters is to follow from answers, and does not."""

    # without inputs, as pickle makes it
    def __init__(self, message: str, inputs: Inputs | None = None) -> None:
        super().__init__(message)
        self.inputs = inputs  # if nothing is better than criteria, since there are no constraints


def with_number(job: Job, inputs: Inputs) -> Job:
    """Return the job with its number of clusters as a number, which the rows suffice for."""
    if job.n_clusters == "auto":
        n = (inputs.answers or no_answers(inputs.tables)).n_counted
        if n < 2:
            is_constrained = inputs.answers is not None or any(map(len, inputs.constraints))
            raise UnknownNumberError(
                f"n_clusters: auto{for_reader(' (-k auto)', '')} takes the number of groups that"
                f" answers name by rows of these tables, which is {n}. Name two or more, or give a"
                " number.",
                None if is_constrained else inputs,
            )
        job = job.model_copy(update={"n_clusters": n})
    for table in inputs.tables:
        check_enough(table, job.k)
    return job


def of_number(job: Job, inputs: Inputs) -> Iterator[str]:
    """Say that the number of groups may still change, where it may."""
    answers = inputs.answers
    if not (answers and answers.people) or job.n_clusters != "auto":
        return
    n = answers.n_in_a_row
    if n < _SETTLED:
        yield (
            f"The number of clusters is not settled: {counted(n, 'answer')} named a group since the"
            f" last one was opened. Answer until {_SETTLED} in a row open none."
        )


def number_criteria(job: Job, inputs: Inputs) -> dict[str, Any]:
    """Return what criteria propose for the number of clusters.

    The agreement of views is the adjusted Rand index of matched rows between k clusters of each
    view by itself, in the mean of all pairs of views with 20 such rows; the eigengap (von Luxburg
    2007) is that of the joint graph. If matches do not connect all views, the largest connected set
    counts.

    Returns ``k``, the numbers tried; ``criteria``, the values of each by name; and ``best``, the
    number that each proposes, the largest of equally good ones. Without 20 matched rows, there is
    no agreement of views; with too few rows, no criterion.
    """
    rng = np.random.default_rng(job.seed)
    with one_thread(), quiet_k_means():
        graph, most = _graph(_drawn(inputs, rng), rng)
        values = graph.components(min(_MOST_CLUSTERS + 1, graph.n_objects)).values
        tried = range(2, min(most, len(values) - 1) + 1)
        criteria = {
            "agreement of views": _agreements(graph, tried),
            "eigengap": [float(values[k - 1] - values[k]) for k in tried],
        }
    criteria = {name: of_k for name, of_k in criteria.items() if of_k}
    best = {name: max(zip(of_k, tried, strict=True))[1] for name, of_k in criteria.items()}
    return {"k": [*tried], "criteria": criteria, "best": best}


def _drawn(inputs: Inputs, rng: np.random.Generator) -> Inputs:
    """Draw objects where there are many, with all their rows."""
    from mvcc.embedding import find_objects

    sizes = [len(table.ids) for table in inputs.tables]
    if sum(sizes) <= _MOST_ROWS:
        return inputs
    n_objects, objects = find_objects(sizes, inputs.relations)
    kept = rng.permutation(n_objects)[: round(n_objects * _MOST_ROWS / sum(sizes))]
    return inputs.on_rows([np.flatnonzero(np.isin(row_objects, kept)) for row_objects in objects])


def _graph(inputs: Inputs, rng: np.random.Generator) -> tuple[JointGraph, int]:
    """Return the joint graph of the largest connected set, and how many clusters are tried."""
    from mvcc.embedding import AutoFeatures, connected_views, joint_graph, neighbors_for
    from mvcc.tables.fitting._features import numbers_of

    sizes = [len(table.ids) for table in inputs.tables]
    connected = connected_views(len(sizes), inputs.relations)
    largest, relations = max(connected, key=lambda entry: sum(sizes[view] for view in entry[0]))
    encoded = [numbers_of(inputs.tables[view]) for view in largest]
    views = [X if maker is not None else AutoFeatures().fit_transform(X) for X, maker, _ in encoded]
    q = neighbors_for(views, _MOST_CLUSTERS, _NEIGHBORS)
    graph = joint_graph(views, relations, q, _MOST_CLUSTERS, rng)
    return graph, min(_MOST_CLUSTERS, max(map(len, views)) - 2)


def _agreements(graph: JointGraph, tried: Iterable[int]) -> list[float]:
    """Return how far so many clusters of each view agree, nothing with too few matched rows."""
    from sklearn.metrics import adjusted_rand_score

    from mvcc.embedding import embedded, k_means

    matched = []
    for (u, of_u), (v, of_v) in combinations(enumerate(graph.objects), 2):
        _, i, j = np.intersect1d(of_u, of_v, return_indices=True)
        if len(i) >= _FEWEST_MATCHED:
            matched.append((u, v, i, j))
    if not matched:
        return []
    agreements = []
    for k in tried:
        clusters = [k_means(embedded(view.values, view.vectors, k), k)[0] for view in graph.views]
        indices = [adjusted_rand_score(clusters[u][i], clusters[v][j]) for u, v, i, j in matched]
        agreements.append(float(np.mean(indices)))
    return agreements
