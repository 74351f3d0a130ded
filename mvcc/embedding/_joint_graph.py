"""One graph over the objects of several views; landmarks tie the views together.

Affinities with local scales are those of Zelnik-Manor and Perona, "Self-Tuning Spectral
Clustering", 2004. Nothing here is as large as the square of the number of rows: graphs are sparse,
and what landmarks add stays a product of factors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from mvcc._utils.arrays import TINY, Floats, Ints, LazyRows, blocks_of
from mvcc.constraints import Relations
from mvcc.embedding._across_views import (
    LANDMARK_SHARE,
    factor_of,
    find_objects,
    landmark_factor,
    landmarks_among,
    membership,
    nearest_rows,
    nearest_unit_rows,
    numbered_alike,
    seen_in_all,
    seen_in_several,
    share_of_clusters,
    view_agreement,
    weakened,
)
from mvcc.embedding._components import (
    Eigenpairs,
    embedded,
    k_means,
    leading_eigenvectors,
    n_clear,
    residual,
    unit_rows,
)
from mvcc.embedding._neighbors import NeighborSearch, sparse_rows

LOCAL_NEIGHBOR = 7  # the distance to it is the local scale of a row
MATCHED_OBJECTS_WEIGHT = 2.0  # times their share of all objects
MOST_LANDMARKS = 2_000
_COPIES = 1e-3  # of the mean distance to the last neighbor: rows nearer than that are copies


@dataclass(frozen=True, eq=False)
class ViewEdges:
    """The normalized graph A_v of one view, (n_v, n_v)."""

    graph: sp.csr_array
    # (r,) and (n_v, r): its leading eigenvalues and eigenvectors; none without landmarks
    values: Floats
    vectors: Floats

    def around(self, labels: Ints, k: int) -> Floats:
        """Return how much of every cluster is near each row, (n_v, k)."""
        return self.graph @ np.eye(k)[labels]

    def spectrum(self, rows: Ints) -> Floats:
        """Return unit rows of the leading eigenvectors."""
        return unit_rows(self.vectors[rows])

    def embedded(self, k: int) -> Floats:
        """Return rows by the components that tell k groups apart."""
        return embedded(self.values, self.vectors, n_clear(self.values, k))


@dataclass(frozen=True, eq=False)
class JointGraph:
    """Objects of several views, and how near they are to each other."""

    objects: list[Ints]  # (n_v,): the object of every row, per view
    # (n, n): A = Σ_v P_v A_v P_vᵀ without its diagonal: the graphs summed over the rows of objects,
    # their edges weaker than in A_v where other views contradict them, as far as the views agree
    affinities: sp.csr_array
    # (n, m): F, with F Fᵀ what objects share by being near the same landmarks; m = 0 without any
    factor: sp.csr_array
    views: list[ViewEdges]
    agreement: Floats  # (V, V): how much every two views agree; see ``view_agreement``
    n_neighbors: int  # of a row in the graph of its view, at most

    @property
    def n_objects(self) -> int:
        return int(self.affinities.shape[0])

    @property
    def n_anchors(self) -> list[int]:
        """0 for every view: rows are tied to each other."""
        return [0] * len(self.objects)

    @cached_property
    def normalized_affinities(self) -> sp.csr_array:
        """S = D^−½ A D^−½, without landmarks."""
        return _normalized(self.affinities)

    def with_matched_objects(self, columns_of: Callable[[Ints], Floats]) -> JointGraph:
        """Return the graph with edges between objects seen in all views, by ``object_columns``."""
        seen = seen_in_all(self.objects, self.n_objects)
        if not len(seen):
            return self
        graph = _normalized(_view_graph(NeighborSearch.among(columns_of(seen)), self.n_neighbors))
        weight = MATCHED_OBJECTS_WEIGHT * len(seen) / self.n_objects
        rows_of = membership(seen, self.n_objects)
        between = weight * (rows_of @ graph @ rows_of.T)
        return replace(self, affinities=(self.affinities + between).tocsr())

    def with_clusters_of_views(self, k: int, weights: Floats) -> JointGraph:
        """Return the graph where few landmarks are helped by the clusters of every view."""
        few = share_of_clusters(self.objects, self.n_objects, k)
        if few == 0:
            return self
        landmarks = seen_in_several(self.objects, self.n_objects)
        near, rows_in = [], []
        for weight, row_objects, view in zip(weights, self.objects, self.views, strict=True):
            rows = view.embedded(k)
            labels, centers = k_means(rows, k)
            rows_of = weight * membership(row_objects, self.n_objects)
            near.append(rows_of[landmarks] @ (rows @ centers.T))
            rows_in.append(rows_of @ membership(labels, k).T)
        orders, agreeing = numbered_alike(near)
        alike = sum(rows[:, order] for rows, order in zip(rows_in, orders, strict=True))
        share = few * agreeing
        factors = np.sqrt(1 - share) * self.factor, np.sqrt(share) * factor_of(alike)
        return replace(self, factor=sp.hstack(factors, format="csr"))

    def components(self, n_components: int) -> Eigenpairs:
        """Return the largest eigenvalues, descending, and vectors of D^−½ (A + λ F Fᵀ) D^−½."""
        A, F = self.affinities, self.factor
        degrees = A.sum(axis=1) + LANDMARK_SHARE * (F @ F.sum(axis=0))
        scale = sp.diags_array(1 / np.sqrt(np.maximum(degrees, TINY)))
        A = (scale @ A @ scale).tocsr()
        F = (np.sqrt(LANDMARK_SHARE) * (scale @ F)).tocsr()
        values, vectors = leading_eigenvectors(n_components, A, F)
        return Eigenpairs(values, vectors, residual(values, vectors, A, F))

    @cached_property
    def spreading(self) -> sp.csr_array:
        """S, D^−½ A D^−½ of squared affinities: what is spread keeps to the nearest rows."""
        return _normalized(self.affinities.power(2))

    def diffused(self, step: Floats, share: float, n_steps: int) -> Floats:
        """Return Σ_t (share S)ᵗ step for t = 0 … n_steps."""
        total = step.copy()
        for _ in range(n_steps):
            step = share * (self.spreading @ step)
            total += step
        return total

    def path_lengths(self, share: float) -> sp.csr_array:
        """Return the lengths of edges: −log of the squared, normalized affinity times the share."""
        near = self.spreading
        # dijkstra of SciPy before 1.15 takes no other indices
        places = [part.astype(np.int32, copy=False) for part in (near.indices, near.indptr)]
        lengths = -np.log(np.maximum(share * near.data, 1e-300))
        return sp.csr_array((lengths, *places), shape=near.shape)

    def nearest_sources(
        self, lengths: sp.csr_array, sources: Ints, share: float, objects: Ints
    ) -> Ints:
        """Return the source nearest to each object by ``path_lengths``, −1 without one."""
        nearest = dijkstra(lengths, indices=sources, min_only=True, return_predecessors=True)[2]
        return np.maximum(nearest[objects], -1)


def joint_graph(
    views: list[Floats],
    relations: Relations,
    n_neighbors: int,
    n_view_components: int,
    rng: np.random.Generator,
    weights: Floats | None = None,
) -> JointGraph:
    """Make the graph of views that relations connect.

    By `n_view_components` eigenvectors of each view, views agree and landmarks are near, beside the
    raw features; 0 is for neither. `weights` (V,) tell how much each view counts, 1 at most.
    """
    n_objects, objects = find_objects([len(X) for X in views], relations)
    if weights is None:
        weights = np.ones(len(views))
    near = [_view_graph(NeighborSearch.among(X), n_neighbors) for X in views]
    graphs = [_normalized(affinities) for affinities in near]
    landmarks = np.empty(0, np.int64)
    if n_view_components:
        landmarks = landmarks_among(seen_in_several(objects, n_objects), rng, MOST_LANDMARKS)
    if not len(landmarks):
        affinities, agreement = _added_up(graphs, objects, n_objects), np.eye(len(views))
        edges = [ViewEdges(G, np.empty(0), np.empty((G.shape[0], 0))) for G in graphs]
        nothing = sp.csr_array((n_objects, 0))
        return JointGraph(objects, affinities, nothing, edges, agreement, n_neighbors)
    n_vectors = [min(2 * n_view_components, max(G.shape[0] - 1, 1)) for G in graphs]
    spectra = [leading_eigenvectors(*pair) for pair in zip(n_vectors, graphs, strict=True)]
    narrow = [unit_rows(vectors[:, :n_view_components]) for _, vectors in spectra]
    places = [
        unit_rows(membership(row_objects, n_objects) @ rows)
        for row_objects, rows in zip(objects, narrow, strict=True)
    ]
    agreement = view_agreement(graphs, objects, places)
    near = weakened(near, objects, places, np.nan_to_num(agreement), weights)
    normalized = [
        weight * _normalized(affinities) for weight, affinities in zip(weights, near, strict=True)
    ]
    factors = [
        landmark_factor(space, objects, landmarks, n_objects, weights, n_view_components, search)
        for space, search in ((views, nearest_rows), (narrow, nearest_unit_rows))
    ]
    factor = sp.hstack(factors).tocsr() / np.sqrt(2)
    affinities = _added_up(normalized, objects, n_objects)
    edges = [ViewEdges(graph, *spectrum) for graph, spectrum in zip(graphs, spectra, strict=True)]
    return JointGraph(objects, affinities, factor, edges, agreement, n_neighbors)


def neighbors_for(views: list[Floats], n_groups: int, most: int) -> int:
    """Return q: half the rows that a group has in the smallest view, 5 to ``most``."""
    return min(most, max(5, round(min(map(len, views)) / (2 * n_groups))))


def means_of_clusters(rows: Floats | LazyRows, labels: Ints, k: int) -> Floats:
    """Return the mean row of every cluster, (k, r); zeros where one is empty."""
    blocks = blocks_of(len(rows)) if isinstance(rows, LazyRows) else [slice(None)]
    totals = sum(membership(labels[block], k) @ rows[block] for block in blocks)
    return totals / np.maximum(np.bincount(labels, minlength=k), 1)[:, None]


def _view_graph(search: NeighborSearch, n_neighbors: int) -> sp.csr_array:
    """Return symmetric exp(−d² / s_i s_j) of nearest neighbors, s_i the distance to the 7th."""
    # rows among copies have the median scale of the others: by their own, only copies would be near
    n = len(search.rows)
    q = min(n_neighbors, n - 1)
    if q < 1:
        return sp.csr_array((n, n))
    distances, nearest = search.nearest_others(q)
    scales = distances[:, min(LOCAL_NEIGHBOR, q) - 1]
    is_copy = scales <= _COPIES * distances[:, -1].mean()
    scales = np.where(is_copy, 1.0 if is_copy.all() else np.median(scales[~is_copy]), scales)
    near = np.exp(-(distances**2) / (scales[:, None] * scales[nearest]))
    graph = sparse_rows(near, nearest, n)
    graph = ((graph + graph.T) / 2).tocsr()
    graph.eliminate_zeros()  # of rows so far away that they are no neighbors
    return graph


def _normalized(graph: sp.csr_array) -> sp.csr_array:
    scale = sp.diags_array(1 / np.sqrt(np.maximum(graph.sum(axis=1), TINY)))
    return (scale @ graph @ scale).tocsr()


def _added_up(graphs: list[sp.csr_array], objects: list[Ints], n_objects: int) -> sp.csr_array:
    """Return Σ_v P_v A_v P_vᵀ without its diagonal."""
    total = sp.csr_array((n_objects, n_objects))
    for graph, row_objects in zip(graphs, objects, strict=True):
        rows_of = membership(row_objects, n_objects)
        total = total + rows_of @ graph @ rows_of.T
    total = (total - sp.diags_array(total.diagonal())).tocsr()
    total.eliminate_zeros()
    return total
