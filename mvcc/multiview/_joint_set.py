"""Joint clustering of views that matches connect: graph, embedding, metric, PCK-Means over objects, spreading."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mvcc.cluster import search_pck
from mvcc.constraints import Constraints, Listed
from mvcc.embedding import (
    JointGraph,
    PairMetric,
    embedded,
    joint_graph,
    neighbors_for,
    object_columns,
    raw_columns,
    unit_rows,
)
from mvcc.mapping import Relations
from mvcc.multiview._answers import COLUMNS_SHARE, Groups, predicted_by_columns, shares_of_classes, spread

FREE_COMPONENTS = 2  # for each cluster, without a metric
METRIC_COMPONENTS = 4
COLUMN_SCALE = 0.25  # of raw columns beside unit rows of the embedding

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Settings:
    """The parameters of ``JointGraphClustering``, checked."""

    n_clusters: int
    n_neighbors: int
    n_components: int | None
    n_init: int
    constraint_weight: float

    def components(self, for_each: int, n_objects: int) -> int:
        """Return so many components for each cluster, at most a third of the objects; or as many as are wanted."""
        if self.n_components is not None:
            return self.n_components
        fewest = min(self.n_clusters, n_objects)  # in fewer dimensions so many clusters can hardly be told apart
        return min(for_each * self.n_clusters, max(n_objects // 3, fewest))


@dataclass(frozen=True, eq=False)
class JointClusters:
    """The clusters of views that matches connect.

    Attributes
    ----------
    objects : list of (n_v,) arrays
        The object of every row, per view.
    labels : (n,) array
        The cluster of every object.
    rows : (n, r) array
        Every object in the space where it was clustered.
    objective : float
        Eq. 1 before spreading.
    """

    objects: list[Ints]
    labels: Ints
    rows: Floats
    objective: float


def pairs_of_objects(links: list[Listed], objects: list[Ints]) -> Constraints:
    """Return judged pairs of rows as judged pairs of objects, the heaviest of each pair and kind.

    Must-links within an object say nothing. A cannot-link within an object contradicts the matches, and stays.
    """
    pairs = np.concatenate([own[rows] for own, (rows, _, _) in zip(objects, links, strict=True)])
    must_link = np.concatenate([kinds for _, kinds, _ in links])
    weights = np.concatenate([weight for _, _, weight in links])
    kept = (pairs[:, 0] != pairs[:, 1]) | ~must_link
    return Constraints._heaviest(np.sort(pairs[kept], axis=1), must_link[kept], weights[kept])


def cluster_jointly(
    views: list[Floats],
    relations: Relations,
    judged: Constraints,
    settings: Settings,
    rng: np.random.Generator,
) -> JointClusters:
    """Cluster the objects of views that matches connect.

    Parameters
    ----------
    views : list of (n_v, d_v) arrays
    relations : dict {(u, v): (r, 2) array}
    judged : Constraints
        Over objects, without contradictions.
    settings : Settings
    rng : Generator
        Draws landmarks, starts and orders.
    """
    k = settings.n_clusters
    n_neighbors = neighbors_for(views, k, settings.n_neighbors)
    graph = joint_graph(views, relations, n_neighbors, k, rng)
    columns = [raw_columns(X) for X in views] if len(judged) else []
    if len(judged):
        graph = graph.with_matched_objects(object_columns(columns, graph.objects, graph.n_objects), n_neighbors)
    rows = _embedded(graph, columns, judged, settings)
    groups = Groups.among(graph.n_objects, judged)
    found = search_pck(
        rows,
        k,
        judged.pairs,
        judged.must_link,
        judged.weights,
        penalty=settings.constraint_weight,
        starts=groups.starts(rows, k),
        n_init=settings.n_init,
        rng=rng,
    )
    labels = _spread_labels(graph, columns, judged, groups, found.labels, k) if len(judged) else found.labels
    return JointClusters(graph.objects, labels, rows, found.objective)


def _embedded(graph: JointGraph, columns: list[Floats], judged: Constraints, settings: Settings) -> Floats:
    """Return the objects in the space where they are clustered: with a metric of the judged pairs, where it helps."""
    n_objects = graph.n_objects
    free, wide = (settings.components(each, n_objects) for each in (FREE_COMPONENTS, METRIC_COMPONENTS))
    eigenpairs = graph.components(wide if len(judged) else free)
    rows = embedded(*eigenpairs, free)
    if len(judged):
        raw = object_columns(columns, graph.objects, n_objects)
        beside = unit_rows(np.hstack((embedded(*eigenpairs, wide), COLUMN_SCALE * raw)))
        metric = PairMetric(unit_rows=True).fit(beside, constraints=judged)
        rows = rows if metric.ridge_ is None else metric.transform(beside)
    return np.ascontiguousarray(rows)


def _spread_labels(
    graph: JointGraph, columns: list[Floats], judged: Constraints, groups: Groups, clusters: Ints, k: int
) -> Ints:
    """Return the clusters of all objects, given those of Eq. 1 and what the judged objects say."""
    classes = groups.classes(clusters, k)
    heaviest = np.zeros(graph.n_objects)
    np.maximum.at(heaviest, judged.pairs.ravel(), np.repeat(judged.weights, 2))
    shares = shares_of_classes(clusters, classes, k)
    said = spread(graph.normalized_affinities(), classes, np.minimum(heaviest, 1), shares)
    said += COLUMNS_SHARE * predicted_by_columns(columns, graph.objects, classes, shares)
    reached = np.where(said.sum(axis=1) > 0, said.argmax(axis=1), clusters)
    labels: Ints = np.where(classes >= 0, classes, reached)
    return labels
