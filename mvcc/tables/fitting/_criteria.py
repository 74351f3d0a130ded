"""What is often taken for the number of clusters where nothing was judged."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mvcc.tables._job import Job
from mvcc.tables.reading._inputs import Inputs

_MOST_CLUSTERS = 10
_MOST_ROWS = 2_000  # of all views; of more, objects are drawn
_NEIGHBORS = 10
_REFERENCES = 5  # without clusters, for the gap statistic
_HALVINGS = 5  # for prediction strength
_STRONG = 0.8  # prediction strength from which clusters are said to be there

Floats = NDArray[np.float64]


def number_criteria(job: Job, inputs: Inputs) -> dict[str, Any]:
    """Return criteria for the number of clusters.

    The silhouette (Rousseeuw 1987) and prediction strength (Tibshirani and Walther 2005) are
    those of k-means in the k leading components of the joint graph, whose eigengap (von Luxburg
    2007) is another; the gap statistic (Tibshirani, Walther and Hastie 2001) is that of k-means
    in the columns of the largest view. Of views that matches do not connect, the largest set is
    looked at.

    Returns: ``k``, the numbers that were tried; ``criteria``, the values of each by its name;
    and ``best``, the number that each proposes, None where it proposes none.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(job.seed)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        views, eigenvalues, spaces = _embedded(_drawn(inputs, rng), rng)
        tried = list(range(2, min(_MOST_CLUSTERS, len(eigenvalues) - 1, max(map(len, views)) - 2) + 1))
        gaps, errors = _gaps(max(views, key=len), [*tried, *(last + 1 for last in tried[-1:])], rng)
        values = {
            "silhouette": [_silhouette(spaces[k], k) for k in tried],
            "gap statistic": gaps[:-1],
            "eigengap": [float(eigenvalues[k - 1] - eigenvalues[k]) for k in tried],
            "prediction strength": [_strength(spaces[k], k, rng) for k in tried],
        }
    best: dict[str, int | None] = {name: tried[int(np.argmax(found))] for name, found in values.items() if tried}
    small = (k for place, k in enumerate(tried) if gaps[place] >= gaps[place + 1] - errors[place + 1])
    strong = (k for k, strength in zip(tried, values["prediction strength"], strict=True) if strength >= _STRONG)
    best |= {"gap statistic": min(small, default=None), "prediction strength": max(strong, default=None)}
    return {"k": tried, "criteria": values, "best": best}


def _drawn(inputs: Inputs, rng: np.random.Generator) -> Inputs:
    """Draw objects where there are many, with all their rows."""
    from mvcc.embedding import find_objects

    sizes = [len(table.ids) for table in inputs.tables]
    if sum(sizes) <= _MOST_ROWS:
        return inputs
    n_objects, objects = find_objects(sizes, inputs.relations)
    kept = rng.permutation(n_objects)[: round(n_objects * _MOST_ROWS / sum(sizes))]
    return inputs.on_rows([np.flatnonzero(np.isin(own, kept)) for own in objects])


def _embedded(inputs: Inputs, rng: np.random.Generator) -> tuple[list[Floats], Floats, dict[int, Floats]]:
    """Return the features of views, leading eigenvalues of their graph, and objects in so many leading components."""
    from mvcc.embedding import AutoFeatures, embedded, joint_graph, neighbors_for, separate_problems
    from mvcc.tables.fitting._features import numbers_of

    problems = separate_problems(len(inputs.tables), inputs.relations)
    numbers, relations = max(problems, key=lambda problem: sum(len(inputs.tables[n].ids) for n in problem[0]))
    encoded = [numbers_of(inputs.tables[number]) for number in numbers]
    views = [AutoFeatures().fit_transform(X) if encoder is None else X for X, encoder, _ in encoded]
    q = neighbors_for(views, _MOST_CLUSTERS, _NEIGHBORS)
    graph = joint_graph(views, relations, q, _MOST_CLUSTERS, rng)
    values, vectors, _ = graph.components(min(_MOST_CLUSTERS + 1, graph.n_objects))
    return views, values, {k: embedded(values, vectors, k) for k in range(2, len(values))}


def _clustered(E: Floats, k: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=3, random_state=0).fit(E)


def _silhouette(E: Floats, k: int) -> float:
    from sklearn.metrics import silhouette_score

    labels = _clustered(E, k).labels_
    return float(silhouette_score(E, labels)) if len(np.unique(labels)) > 1 else -1.0


def _gaps(E: Floats, tried: list[int], rng: np.random.Generator) -> tuple[list[float], list[float]]:
    """Return the gap statistic, and its standard errors, by rows drawn from the box of the principal components."""
    if not tried:
        return [], []
    centered = E - E.mean(axis=0)
    directions = np.linalg.svd(centered, full_matrices=False)[2]
    turned = centered @ directions.T
    draws = [rng.uniform(turned.min(axis=0), turned.max(axis=0), turned.shape) for _ in range(_REFERENCES)]
    floor = np.finfo(float).tiny
    found = np.array([[np.log(max(_clustered(rows, k).inertia_, floor)) for rows in (E, *draws)] for k in tried])
    errors = found[:, 1:].std(axis=1) * np.sqrt(1 + 1 / _REFERENCES)
    return (found[:, 1:].mean(axis=1) - found[:, 0]).tolist(), errors.tolist()


def _strength(E: Floats, k: int, rng: np.random.Generator) -> float:
    """Return, for the worst cluster of one half, the share of its pairs that the clusters of the other half keep."""
    strengths = []
    for _ in range(_HALVINGS):
        one, other = np.array_split(rng.permutation(len(E)), 2)
        if len(other) < k:
            return 0.0
        mine, theirs = _clustered(E[other], k).labels_, _clustered(E[one], k).predict(E[other])
        shares = []
        for cluster in range(k):
            sizes = np.bincount(theirs[mine == cluster])
            pairs = sizes.sum() * (sizes.sum() - 1)
            shares += [(sizes * (sizes - 1)).sum() / pairs] if pairs else []
        strengths.append(min(shares, default=0.0))
    return float(np.mean(strengths))
