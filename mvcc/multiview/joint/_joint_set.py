"""Joint clustering of connected views: graph, embedding, metric, PCK-Means, spreading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import euclidean_distances

from mvcc._utils.arrays import Floats, Ints, LazyRows
from mvcc._utils.progress import teller
from mvcc._utils.validation import check_choice, check_count, check_number
from mvcc.cluster import Found, search_pck
from mvcc.constraints import Constraints, Relations
from mvcc.embedding import (
    AnchorGraph,
    Eigenpairs,
    GraphKind,
    JointGraph,
    PairMetric,
    RawColumns,
    clear_components,
    embedded,
    fitted_raw_columns,
    k_means,
    means_of_clusters,
    membership,
    object_columns,
    refuse_components,
    unit_rows,
)
from mvcc.multiview.joint._constrained_objects import (
    ROUNDS,
    SPREADING,
    MustLinkGroups,
    evidence,
    shares_of_classes,
    with_all_clusters,
)
from mvcc.multiview.joint._new_rows import NearestAnchors, NearestRows, log_shares
from mvcc.multiview.matches._suspicious import suspicions

FREE_COMPONENTS = 2  # for each cluster, without a metric
METRIC_COMPONENTS = 4
COLUMN_SCALE = 0.25  # of raw columns beside unit rows of the embedding
_TOO_MANY = 2.0  # times the weight of what is violated without a metric


@dataclass(frozen=True)
class Settings:
    """The parameters of ``JointGraphClustering``, checked."""

    n_clusters: int
    n_neighbors: int
    n_components: int | None
    n_init: int
    constraint_weight: float
    graph: GraphKind = "auto"

    @classmethod
    def of(cls, model: Any) -> Settings:
        check_choice(model.graph, "graph", ("auto", "exact", "anchors"))
        n_components = model.n_components
        if n_components is not None:
            n_components = check_count(n_components, "n_components")
        return cls(
            check_count(model.n_clusters, "n_clusters"),
            check_count(model.n_neighbors, "n_neighbors"),
            n_components,
            check_count(model.n_init, "n_init"),
            check_number(model.constraint_weight, "constraint_weight"),
            model.graph,
        )

    def components(self, for_each: int, n_objects: int) -> int:
        """Return so many for each cluster, a third of the objects or k at most, or those wanted."""
        if self.n_components is not None:
            return self.n_components
        # in fewer dimensions so many clusters can hardly be told apart
        fewest = min(self.n_clusters, n_objects)
        return min(for_each * self.n_clusters, max(n_objects // 3, fewest))


@dataclass(frozen=True, eq=False)
class JointClusters:
    """The clusters of views that matches connect."""

    labels: Ints  # (n,): the cluster of every object
    # (n,): the same by Eq. 1 alone; by anchors, only of constrained objects and some others
    before_spreading: Ints
    rows: Floats | LazyRows  # (n, r): every object in the space where it was clustered
    objective: float  # Eq. 1, before spreading
    residual: float  # of the eigenvectors that the rows are made of; see ``Eigenpairs``
    # if objects are tied to anchors: (p, k), the evidence for every cluster of an object, times the
    # root of its degree, by each of its ties
    at_anchors: Floats | None = None
    # (d_v + 1, k): by which the columns of each view, and a constant, predict clusters
    coefficients: tuple[Floats, ...] = ()


def _violated_weight(clusters: Sequence[Ints] | Ints, constraints: Constraints) -> float:
    """Return the weight of the constraints that the clusters of their ends, (2, m), violate."""
    first, second = clusters
    return float(constraints.weights[(first == second) != constraints.must_link].sum())


class JointSet:
    """Views that matches connect, in one graph of their objects that serves any constraints."""

    sharpness = 4.0  # of probabilities, without constraints to choose it by

    def __init__(
        self,
        numbers: list[int],
        views: list[Floats],
        relations: Relations,
        settings: Settings,
        graph: JointGraph | AnchorGraph,
    ) -> None:
        self.numbers = numbers  # of the views among all
        self._views, self._relations, self._settings = views, relations, settings
        self._embedded_graph = graph
        refuse_components(settings.n_components or 1, graph, ', or take graph="exact"')
        self.objects, self.n_objects = graph.objects, graph.n_objects
        self.agreement, self.n_anchors = graph.agreement, graph.n_anchors
        # components to cluster by without a metric, and those in which a metric is learned
        self._n_free = settings.components(FREE_COMPONENTS, self.n_objects)
        self._n_wide = settings.components(METRIC_COMPONENTS, self.n_objects)
        self._last_metric: tuple[Constraints, PairMetric] | None = None  # by these constraints

    def on_objects(self, constraints: list[Constraints]) -> Constraints:
        """Return constraints of all views as pairs of objects, the heaviest of each kind."""
        links = []
        for number, objects in zip(self.numbers, self.objects, strict=True):
            rows, *rest = constraints[number].spanning()
            links.append((objects[rows], *rest))
        pairs, must_link, weights = map(np.concatenate, zip(*links, strict=True))
        kept = pairs[:, 0] != pairs[:, 1]
        pairs = np.sort(pairs[kept], axis=1)
        return Constraints.from_repeated(pairs, must_link[kept], weights[kept])

    def clusters(
        self, constraints: Constraints, rng: np.random.Generator, n_init: int | None = None
    ) -> JointClusters:
        """Cluster the objects, given constraints; the generator draws starts and orders."""
        groups = MustLinkGroups.among(self.n_objects, constraints)
        all_objects = np.arange(self.n_objects)
        best, rows, residual = self._searched(constraints, groups, all_objects, None, n_init, rng)
        labels = self._spread(constraints, groups, best.labels)
        return JointClusters(labels, best.labels, rows, best.objective, residual)

    def scores(self, constraints: Constraints, clusters: JointClusters) -> Callable[[Any], Floats]:
        """Return what gives some objects their scores, (m, k): the evidence for every cluster."""
        # these are the logarithms of the shares that are spread and predicted, or minus the squared
        # distances to the centers without constraints
        k = self._settings.n_clusters
        if not len(constraints):
            centers = means_of_clusters(clusters.rows, clusters.labels, k)
            return lambda some: -euclidean_distances(clusters.rows[some], centers, squared=True)
        classes = MustLinkGroups.among(self.n_objects, constraints).classes(
            clusters.before_spreading, k
        )
        # a second round would make objects surer of what the first one found
        all_evidence = self._evidence(constraints, classes, clusters.before_spreading, rounds=1)
        return lambda some: log_shares(all_evidence[some])

    def suspicions(self, labels: list[Ints]) -> dict[tuple[int, int], Floats]:
        """Return how likely every match is wrong, given the clusters of all views."""
        inside = [labels[view] for view in self.numbers]
        found = suspicions(self._relations, self._columns, self._embedded_graph, inside)
        return {(self.numbers[u], self.numbers[v]): values for (u, v), values in found.items()}

    def predictors(self, clusters: JointClusters) -> list[NearestRows | NearestAnchors]:
        """Return what assigns new rows of every view, before ``forget_views``."""
        per_view = zip(self._views, self.objects, strict=True)
        return [NearestRows().fit(X, clusters.labels[objects]) for X, objects in per_view]

    def forget_views(self) -> None:
        """Let go of the single views' graphs and eigenvectors, which ``suspicions`` needs."""
        self._embedded_graph.views.clear()  # and those of ``_graph``, which has the same list

    def nearest_constrained(self, labels: Ints, constraints: Constraints) -> Ints:
        """Return the nearest constrained object of its cluster for each object, or −1."""
        # a path is as long as −log of the product of its affinities: how much of an answer spreads
        nearest, ends = np.full(self.n_objects, -1), np.unique(constraints.pairs)
        lengths = self._graph.path_lengths(SPREADING)
        for cluster in np.unique(labels[ends]):
            members = np.flatnonzero(labels == cluster)
            nearest[members] = self._graph.nearest_sources(
                lengths, ends[labels[ends] == cluster], SPREADING, members
            )
        return nearest

    @cached_property
    def _columns(self) -> list[Floats]:
        return [columns for columns, _ in self._fitted_columns]

    @cached_property
    def _fitted_columns(self) -> list[tuple[Floats, RawColumns]]:
        return [fitted_raw_columns(X) for X in self._views]

    @cached_property
    def _members(self) -> list[sp.csr_array]:
        return [membership(objects, self.n_objects) for objects in self.objects]

    def _object_columns(self, objects: Ints) -> Floats:
        return object_columns(self._columns, [rows_of[objects] for rows_of in self._members])

    @cached_property
    def _graph(self) -> JointGraph | AnchorGraph:
        """The graph that clusters are spread over."""
        return self._embedded_graph.with_matched_objects(self._object_columns)

    @cached_property
    def _free_eigenpairs(self) -> Eigenpairs:
        # the step to one more may be the eigengap
        return self._embedded_graph.components(self._n_free + 1)

    @cached_property
    def _eigenpairs(self) -> Eigenpairs:
        # for both embeddings where there are constraints: with a metric, and without one
        return self._embedded_graph.components(max(self._n_wide, self._n_free + 1))

    def _wide_rows(self, objects: Ints) -> Floats:
        """Return objects where the metric is learned: more dimensions, and the raw columns."""
        values, vectors = self._eigenpairs.values, self._eigenpairs.vectors
        wide = embedded(values, vectors[objects], self._n_wide)
        return unit_rows(np.hstack((wide, COLUMN_SCALE * self._object_columns(objects))))

    def _rows_without_metric(self, constraints: Constraints) -> tuple[Floats | LazyRows, float]:
        """Embed objects, by columns where few eigenvalues are positive; return the residual."""
        eigenpairs = self._eigenpairs if len(constraints) else self._free_eigenpairs
        n_dims, values, vectors = self._n_free, eigenpairs.values, eigenpairs.vectors
        if self._settings.n_components is None:
            n_dims = clear_components(values, self._settings.n_clusters, n_dims)
        if np.count_nonzero(values > 0) < min(self._settings.n_clusters, n_dims):
            return self._object_columns(np.arange(self.n_objects)), 0.0
        if isinstance(vectors, LazyRows):
            rows = LazyRows(len(vectors), lambda some: embedded(values, vectors[some], n_dims))
            return rows, eigenpairs.residual
        return embedded(values, vectors, n_dims), eigenpairs.residual

    def _rows_by_metric(self, constraints: Constraints) -> Floats | LazyRows | None:
        """Return the objects in the space of a metric; None if none helps."""
        if self._last_metric is None or self._last_metric[0] != constraints:
            ends = np.unique(constraints.pairs)
            new = PairMetric(unit_rows=True).set_output(transform="default")
            new.fit(self._wide_rows(ends), constraints=constraints.on_rows(ends))
            self._last_metric = constraints, new
        metric = self._last_metric[1]
        if metric.ridge_ is None:
            return None
        # the wide rows of all objects would take as much memory again
        rows = LazyRows(self.n_objects, lambda some: metric.transform(self._wide_rows(some)))
        return rows if isinstance(self._eigenpairs.vectors, LazyRows) else rows[:]

    def _searched(
        self,
        constraints: Constraints,
        groups: MustLinkGroups,
        objects: Ints,
        masses: Floats | None,
        n_init: int | None,
        rng: np.random.Generator,
    ) -> tuple[Found, Floats | LazyRows, float]:
        """Minimize Eq. 1 over some objects, (m,), each of which stands for as many as its mass.

        The objects increase, and the constrained ones are among them. Return what was found, and
        all objects in the space where it was, with the residual of their eigenvectors. There is no
        metric if k-means violates no constraint without it, nor if its clusters violate twice the
        weight: it may halve a cluster far larger than the others.
        """
        k, settings = self._settings.n_clusters, self._settings
        pairs, must_link, weights = groups.closed(constraints).listed()

        def search(rows: Floats | LazyRows) -> Found:
            return search_pck(
                np.ascontiguousarray(rows[objects], np.float64),
                k,
                np.searchsorted(objects, pairs),
                must_link,
                settings.constraint_weight * weights,
                masses=masses,
                starts=groups.starts(rows, k),
                n_init=n_init or settings.n_init,
                rng=rng,
            )

        free, residual = self._rows_without_metric(constraints)
        if not len(constraints):
            return search(free), free, residual
        ends = constraints.pairs.T
        clusters, _ = k_means(free[objects], k, masses)
        weight = _violated_weight(clusters[np.searchsorted(objects, ends)], constraints)
        rows = self._rows_by_metric(constraints) if weight else None
        if rows is None:
            return search(free), free, residual
        best = search(rows)
        nearest = [pairwise_distances_argmin(rows[end], best.centers) for end in ends]
        if _violated_weight(nearest, constraints) >= _TOO_MANY * weight:
            return search(free), free, residual
        return best, rows, self._eigenpairs.residual

    def _spread(self, constraints: Constraints, groups: MustLinkGroups, clusters: Ints) -> Ints:
        """Return the clusters of all objects, given those of Eq. 1 and the constraints."""
        teller(self.n_objects)("spreading the clusters")
        classes = groups.classes(clusters, self._settings.n_clusters)
        all_evidence = self._evidence(constraints, classes, clusters)
        reached = np.where(all_evidence.sum(axis=1) > 0, all_evidence.argmax(axis=1), clusters)
        return with_all_clusters(reached, classes, clusters)

    def _evidence(
        self, constraints: Constraints, classes: Ints, clusters: Ints, rounds: int = ROUNDS
    ) -> Floats:
        """Return the evidence of constraints and columns for each object's clusters, (n, k)."""
        shares = shares_of_classes(clusters, classes, self._settings.n_clusters)
        assert isinstance(self._graph, JointGraph)
        given = classes, self._sureness(constraints), shares
        return evidence(self._graph, self._columns, self.objects, *given, rounds)

    def _sureness(self, constraints: Constraints) -> Floats:
        """Return the weight of the heaviest constraint of every object, 1 at most."""
        heaviest = np.zeros(self.n_objects)
        np.maximum.at(heaviest, constraints.pairs, constraints.weights[:, None])
        return np.minimum(heaviest, 1)
