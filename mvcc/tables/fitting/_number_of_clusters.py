"""The number of clusters: what a job says, the groups that were named, or what criteria propose."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import counted
from mvcc._utils.one_thread import one_thread
from mvcc.exceptions import ConfigError
from mvcc.tables._job import Job
from mvcc.tables.reading._answers import no_answers
from mvcc.tables.reading._inputs import Inputs, check_enough

_SETTLED = 10  # answers in a row that open no group
_MOST_CLUSTERS = 10
_MOST_ROWS = 2_000  # of all views; of more, objects are drawn
_NEIGHBORS = 10
_HALVINGS = 5
_STRONG = 0.8  # the prediction strength of clusters that can be told apart


class UnknownNumberError(ConfigError):
    """The number of clusters is to follow from answers, and does not."""

    def __init__(self, message: str, inputs: Inputs | None) -> None:
        super().__init__(message)
        self.inputs = inputs  # if nothing is better than criteria, since there are no constraints


def with_number(job: Job, inputs: Inputs) -> Job:
    """Return the job with its number of clusters as a number, which the rows suffice for."""
    if job.n_clusters == "auto":
        n = (inputs.answers or no_answers(inputs.tables)).n_counted
        if n < 2:
            is_constrained = inputs.answers is not None or any(map(len, inputs.constraints))
            raise UnknownNumberError(
                "n_clusters: auto (-k auto) takes the number of groups that answers name by rows of"
                f" these tables, which is {n}. Name two or more, or give a number.",
                None if is_constrained else inputs,
            )
        job = job.model_copy(update={"n_clusters": n})
    for table in inputs.tables:
        check_enough(table, job.k)
    return job


def of_number(job: Job, inputs: Inputs) -> list[str]:
    """Say that the number of groups may still change, where it may."""
    answers = inputs.answers
    if not (answers and answers.people) or job.n_clusters != "auto":
        return []
    n = answers.n_in_a_row
    if n >= _SETTLED:
        return []
    return [
        f"The number of clusters is not settled: {counted(n, 'answer')} named a group since the"
        f" last one was opened. Answer until {_SETTLED} in a row open none."
    ]


def number_criteria(job: Job, inputs: Inputs) -> dict[str, Any]:
    """Return what two criteria propose for the number of clusters.

    The eigengap (von Luxburg 2007) is that of the joint graph; the prediction strength (Tibshirani
    and Walther 2005) that of k-means in its k leading components. If matches do not connect all
    views, the largest connected set counts.

    Returns ``k``, the numbers tried; ``criteria``, the values of each by name; and ``best``, the
    number that each proposes, or None.
    """
    from sklearn.exceptions import ConvergenceWarning

    rng = np.random.default_rng(job.seed)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        eigenvalues, spaces = _embedded(_drawn(inputs, rng), rng)
        tried = list(range(2, len(spaces) + 2))
        gaps = {k: float(eigenvalues[k - 1] - eigenvalues[k]) for k in tried}
        strengths = {k: _strength(spaces[k], k, rng) for k in tried}
    strong = [k for k in tried if strengths[k] >= _STRONG]
    return {
        "k": tried,
        "criteria": {
            "eigengap": [*gaps.values()],
            "prediction strength": [*strengths.values()],
        },
        "best": {
            "eigengap": max(tried, key=gaps.__getitem__, default=None),
            "prediction strength": max(strong, default=None),
        },
    }


def _drawn(inputs: Inputs, rng: np.random.Generator) -> Inputs:
    """Draw objects where there are many, with all their rows."""
    from mvcc.embedding import find_objects

    sizes = [len(table.ids) for table in inputs.tables]
    if sum(sizes) <= _MOST_ROWS:
        return inputs
    n_objects, objects = find_objects(sizes, inputs.relations)
    kept = rng.permutation(n_objects)[: round(n_objects * _MOST_ROWS / sum(sizes))]
    return inputs.on_rows([np.flatnonzero(np.isin(own, kept)) for own in objects])


def _embedded(inputs: Inputs, rng: np.random.Generator) -> tuple[Floats, dict[int, Floats]]:
    """Return the leading eigenvalues of the joint graph, and its objects in k components, by k."""
    from mvcc.embedding import AutoFeatures, embedded, joint_graph, neighbors_for, separate_problems
    from mvcc.tables.fitting._features import numbers_of

    sizes = [len(table.ids) for table in inputs.tables]
    problems = separate_problems(len(sizes), inputs.relations)
    numbers, relations = max(problems, key=lambda problem: sum(sizes[view] for view in problem[0]))
    encoded = [numbers_of(inputs.tables[number]) for number in numbers]
    views = [
        X if encoder is not None else AutoFeatures().fit_transform(X) for X, encoder, _ in encoded
    ]
    q = neighbors_for(views, _MOST_CLUSTERS, _NEIGHBORS)
    graph = joint_graph(views, relations, q, _MOST_CLUSTERS, rng)
    values, vectors = graph.components(min(_MOST_CLUSTERS + 1, graph.n_objects))[:2]
    last = min(_MOST_CLUSTERS, len(values) - 1, max(map(len, views)) - 2)
    return values, {k: embedded(values, vectors[:], k) for k in range(2, last + 1)}


def _strength(E: Floats, k: int, rng: np.random.Generator) -> float:
    """Return the mean prediction strength of k clusters over random halves.

    That of two halves: for the worst cluster of one of them, the share of its pairs that the
    clusters of the other keep together.
    """
    from sklearn.cluster import KMeans

    k_means, strengths = KMeans(k, n_init=3, random_state=0), []
    for _ in range(_HALVINGS):
        first, second = np.array_split(rng.permutation(len(E)), 2)
        if len(second) < k:
            return 0.0
        clusters = k_means.fit_predict(E[second])
        predicted = k_means.fit(E[first]).predict(E[second])
        shares = []
        for cluster in range(k):
            sizes = np.bincount(predicted[clusters == cluster])
            n_pairs = sizes.sum() * (sizes.sum() - 1)
            if n_pairs:
                shares.append((sizes * (sizes - 1)).sum() / n_pairs)
        strengths.append(min(shares, default=0.0))
    return float(np.mean(strengths))
