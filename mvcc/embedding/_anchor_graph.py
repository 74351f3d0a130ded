"""The joint graph of very many rows.

Objects are tied to anchors, and near each other where they share some.

With B the ties of all objects to the anchors of all views, affinities are B K Bᵀ. They are never
made: products with them are products with B and the small K, and their leading eigenvectors
follow from those of Kᶜᵀ G Kᶜ with G = Bᵀ D⁻¹ B and Kᶜ the Cholesky factor of K.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from mvcc._utils.blocks import LazyRows, blocks_of
from mvcc._utils.types import Floats, Ints
from mvcc.constraints import Relations
from mvcc.embedding._anchors import Anchors, anchors_for
from mvcc.embedding._eigenvectors import leading_eigenvectors, residual
from mvcc.embedding._joint_graph import (
    FEWEST_MATCHED_OBJECTS,
    LANDMARK_SHARE,
    MATCHED_OBJECTS_WEIGHT,
    NEAR_LANDMARKS,
    JointGraph,
    find_objects,
    joint_graph,
    membership,
    unit_rows,
)
from mvcc.embedding._kernels.gram import add_gram
from mvcc.embedding._neighbors import NeighborSearch, nearness
from mvcc.embedding._view_agreement import (
    CONTRADICTION_POWER,
    FEWEST_IN_COMMON,
    LEAST_COSINE,
    agreement_of_shares,
    share_beyond_chance,
)

ANCHORS_FROM = 15_000  # objects; among fewer, edges to the nearest rows can be better
MOST_LANDMARKS = 1_000
MOST_ANCHORS = 4_000  # of all views
_FEWEST_ANCHORS = 100  # of a view, however many views there are
_TINY = 1e-12

GraphKind = Literal["auto", "exact", "anchors"]


class AnchorEigenpairs(NamedTuple):
    """Leading eigenvalues μ of a matrix of objects tied to anchors, and their eigenvectors."""

    values: Floats  # (r,)
    vectors: LazyRows  # (n, r): an object's ties times the loadings, over the root of its degree
    residual: float  # the largest length of S v − μ v, among anchors
    loadings: Floats  # (p, r)


@dataclass(frozen=True, eq=False)
class ViewTies:
    """The graph Z Λ⁻¹ Zᵀ of one view, Λ the column sums of Z."""

    anchors: Anchors
    ties: sp.csr_array  # (n_v, p_v): Z
    loadings: Floats  # (p_v, r): H, with Z H the leading eigenvectors of the graph

    @classmethod
    def of(cls, X: Floats, n_anchors: int, n_components: int, rng: np.random.Generator) -> ViewTies:
        """Find anchors and eigenvectors."""
        anchors = Anchors.among(X, n_anchors, rng)
        ties = anchors.ties(X)
        roots = np.sqrt(_inverse(_column_sums(ties)))
        gram = roots[:, None] * _dense_gram(ties) * roots
        values, vectors = leading_eigenvectors(min(n_components, len(gram)), gram)
        loadings = roots[:, None] * vectors / np.sqrt(np.maximum(values, _TINY))
        return cls(anchors, ties, loadings)

    def around(self, shares: Floats) -> Floats:
        """Return the product of the graph, without its diagonal, with (n_v, k) numbers."""
        inverse = _inverse(_column_sums(self.ties))
        loops = self.ties.power(2) @ inverse
        found: Floats = (
            self.ties @ (inverse[:, None] * (self.ties.T @ shares)) - loops[:, None] * shares
        )
        return found

    def spectrum(self, rows: Any, number: int | None = None) -> Floats:
        """Return unit rows of leading eigenvectors for some rows of the view."""
        return unit_rows(self.ties[rows] @ self.loadings[:, :number])


@dataclass(frozen=True, eq=False)
class AnchorGraph:
    """Objects of several views, and how near they are by way of anchors; see ``JointGraph``."""

    objects: list[Ints]  # (n_v,): the object of every row, per view
    agreement: Floats  # (V, V)
    views: list[ViewTies]
    ties: sp.csr_array  # (n, p): B: of every object to the anchors of all views, side by side
    weights: Floats  # (p,): the diagonal of K without landmarks
    # (p, p): K = diag(weights) + λ F Fᵀ, with F the weights of the landmarks near every anchor
    kernel: NDArray[np.float32]
    # (p,): what landmarks add to the degree of an object, for each of its ties
    landmark_degrees: Floats

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return int(self.ties.shape[0])

    @property
    def n_anchors(self) -> list[int]:
        """The number of anchors of every view."""
        return [len(view.anchors.places) for view in self.views]

    @cached_property
    def degrees(self) -> Floats:
        """The degree of every object, without landmarks."""
        found: Floats = self.ties @ (self.weights * _column_sums(self.ties))
        return np.maximum(found, _TINY)

    def with_matched_objects(self, columns_of: Callable[[Ints], Floats]) -> AnchorGraph:
        """Return the graph with anchors of the objects that are seen in all views, by their columns
        side by side.
        """
        n = self.n_objects
        seen = np.flatnonzero(
            np.all([np.bincount(own, minlength=n) > 0 for own in self.objects], axis=0)
        )
        if len(self.objects) < 2 or len(seen) < FEWEST_MATCHED_OBJECTS:
            return self
        columns = columns_of(seen)
        number = min(anchors_for(len(seen), 0), MOST_ANCHORS)
        anchors = Anchors.among(columns, number, np.random.default_rng(0))  # as often as it is made
        ties = anchors.ties(columns)
        own = MATCHED_OBJECTS_WEIGHT * len(seen) / n * _inverse(_column_sums(ties))
        number = ties.shape[1]
        return replace(
            self,
            ties=_side_by_side([self.ties, _of_objects(ties, seen, n)]),
            weights=np.concatenate((self.weights, own)),
            kernel=scipy.linalg.block_diag(self.kernel, np.diag(own).astype(np.float32)),
            landmark_degrees=np.concatenate((self.landmark_degrees, np.zeros(number))),
        )

    def components(self, number: int) -> AnchorEigenpairs:
        """Return the largest eigenvalues, largest first, and eigenvectors of D^−½ (A + λ F Fᵀ)
        D^−½.
        """
        degrees = self.degrees + self.ties @ self.landmark_degrees
        factor = scipy.linalg.cholesky(self.kernel, lower=True)
        small = factor.T @ _dense_gram(self.ties, 1 / degrees).astype(np.float32) @ factor
        small += small.T
        small /= 2
        values, vectors = leading_eigenvectors(number, small)
        loadings = factor @ vectors / np.sqrt(np.maximum(values, _TINY))
        error = residual(values, vectors, small)
        roots, ties = 1 / np.sqrt(degrees), self.ties
        rows = LazyRows(self.n_objects, lambda some: roots[some, None] * (ties[some] @ loadings))
        return AnchorEigenpairs(values, rows, error, loadings)

    def diffused_to_anchors(self, step: Floats, objects: Ints, share: float) -> Floats:
        """Return what objects get of a step, by each of their ties, times the root of their degree.

        With S = D^−½ A D^−½ without landmarks, Σ_t (share S)ᵗ step over all t from 1 on is what
        every object gets.

        Shapes: `step` (m, k); returns (p, k).

        `objects` (m,): the objects that the step is of.
        """
        roots = np.sqrt(self.weights)[:, None]
        start = roots * (self.ties[objects].T @ (step / np.sqrt(self.degrees[objects])[:, None]))
        system = np.eye(len(roots)) - share * (roots * self._free_gram * roots.T)
        found: Floats = share * roots * scipy.linalg.solve(system, start, assume_a="pos")
        return found

    def from_anchors(self, at_anchors: Floats, objects: Any) -> Floats:
        """Return what some objects get by their ties, (m, k)."""
        found: Floats = (self.ties[objects] @ at_anchors) / np.sqrt(self.degrees[objects])[:, None]
        return found

    def sums_of(self, at_anchors: Floats) -> Floats:
        """Return the sums over all objects of what they get, (k,)."""
        sums: Floats = (self.ties.T @ (1 / np.sqrt(self.degrees))) @ at_anchors
        return sums

    def nearest_sources(self, sources: Ints, share: float, objects: Ints) -> Ints:
        """Return the source that is nearest to each of some objects in the graph, −1 without one.

        The length of a path is −log of the product of its affinities, which are those of
        ``diffused``.
        """
        n_anchors, roots = len(self.weights), np.sqrt(self.weights)
        between = share * roots[:, None] * self._free_gram * roots
        ends = self._normalized_ties(sources, share)
        reach = sp.block_array(
            [[sp.csr_array(between), None], [ends, sp.csr_array((len(sources), len(sources)))]]
        )
        reach = reach.tocsr()
        reach.data = -np.log(np.maximum(reach.data, 1e-300))
        lengths, _, origin = dijkstra(
            reach,
            indices=n_anchors + np.arange(len(sources)),
            min_only=True,
            return_predecessors=True,
        )
        nearness = np.exp(-lengths[:n_anchors])
        nearest = np.full(len(objects), -1)
        for block in blocks_of(len(objects)):
            ties = self._normalized_ties(objects[block], share)
            ties.data *= nearness[ties.indices]
            best = _largest_of_rows(ties)
            reached = best >= 0
            nearest[block][reached] = sources[origin[best[reached]] - n_anchors]
        are_sources = np.isin(objects, sources)
        nearest[are_sources] = objects[are_sources]
        return nearest

    def of_view(self, view: int, at_anchors: Floats) -> Floats:
        """Return the part of (p, k) numbers that belongs to the anchors of one view."""
        first = sum(self.n_anchors[:view])
        return at_anchors[first : first + self.n_anchors[view]]

    def around(self, view: int, shares: Floats) -> Floats:
        """Return the product of the graph of one view, without its diagonal, with (n_v, k)
        numbers.
        """
        return self.views[view].around(shares)

    def spectrum(self, view: int, rows: Ints) -> Floats:
        """Return unit rows of the leading eigenvectors of the graph of one view."""
        return self.views[view].spectrum(rows)

    def forget_views(self) -> None:
        """Let go of the graphs of single views."""
        self.views.clear()

    @cached_property
    def _free_gram(self) -> Floats:
        return _dense_gram(self.ties, 1 / self.degrees)

    def _normalized_ties(self, objects: Any, share: float) -> sp.csr_array:
        """Return √share D^−½ B K^½ for some objects, without landmarks."""
        rows = sp.diags_array(np.sqrt(share / self.degrees[objects]))
        return (rows @ self.ties[objects] @ sp.diags_array(np.sqrt(self.weights))).tocsr()


def by_anchors(sizes: list[int], relations: Relations, kind: GraphKind = "auto") -> bool:
    """Tell whether objects of views are tied to anchors.

    Where it is asked for, or objects are very many.
    """
    return kind == "anchors" or (
        kind == "auto" and find_objects(sizes, relations)[0] >= ANCHORS_FROM
    )


def any_graph(
    views: list[Floats],
    relations: Relations,
    n_neighbors: int,
    n_view_components: int,
    n_groups: int,
    rng: np.random.Generator,
) -> JointGraph | AnchorGraph:
    """Make the graph that the number of objects asks for; parameters are those of ``joint_graph``.

    ``n_groups`` are expected: by anchors, landmarks are near by so many components in any case.
    """
    if by_anchors([len(X) for X in views], relations):
        return anchor_graph(
            views, relations, n_view_components or n_groups, rng, np.ones(len(views))
        )
    return joint_graph(views, relations, n_neighbors, n_view_components, rng)


def anchor_graph(
    views: list[Floats],
    relations: Relations,
    n_view_components: int,
    rng: np.random.Generator,
    weights: Floats,
) -> AnchorGraph:
    """Make the graph of views that relations connect; parameters are those of ``joint_graph``."""
    n_objects, objects = find_objects([len(X) for X in views], relations)
    most = max(MOST_ANCHORS // (len(views) + 1), _FEWEST_ANCHORS)
    numbers = [min(anchors_for(len(X), n_view_components), most) for X in views]
    found = [
        ViewTies.of(X, number, 2 * n_view_components, rng)
        for X, number in zip(views, numbers, strict=True)
    ]
    ties = [
        _of_objects(view.ties, own, n_objects) for own, view in zip(objects, found, strict=True)
    ]
    common = np.flatnonzero(sum((_row_counts(B) > 0).astype(np.int64) for B in ties) >= 2)
    shared = [B[common] for B in ties]
    places = [
        unit_rows(B @ view.loadings[:, :n_view_components])
        for B, view in zip(shared, found, strict=True)
    ]
    agreement, at_anchors = _agreement(ties, shared, places)
    for u, B in enumerate(ties):
        changed = _agreed(u, shared, places, at_anchors, np.nan_to_num(agreement), weights)
        ties[u] = _with_rows(B, common, changed)
    sums = [_column_sums(B) for B in ties]
    landmarks = common
    if len(common) > MOST_LANDMARKS:
        landmarks = np.sort(rng.choice(common, MOST_LANDMARKS, replace=False))
    near = [
        weight * _near_landmarks(X, own, view, landmarks, n_view_components)
        for weight, X, own, view in zip(weights, views, objects, found, strict=True)
    ]
    factor = sp.vstack(near, format="csr")
    scaled = factor @ sp.diags_array(
        np.sqrt(LANDMARK_SHARE * _inverse(factor.T @ np.concatenate(sums)))
    )
    diagonal = np.concatenate(
        [weight * _inverse(total) for weight, total in zip(weights, sums, strict=True)]
    )
    kernel = (scaled @ scaled.T).toarray() + np.diag(diagonal)
    return AnchorGraph(
        objects,
        agreement,
        found,
        _side_by_side(ties),
        diagonal,
        kernel.astype(np.float32),
        LANDMARK_SHARE * factor.sum(axis=1),
    )


def _agreement(
    ties: list[sp.csr_array], shared: list[sp.csr_array], places: list[Floats]
) -> tuple[Floats, dict[tuple[int, int], Floats]]:
    """Return how much every two views agree, as ``view_agreement``.

    And each view's anchors where others see them.

    The mean over all edges of Z Λ⁻¹ Zᵀ but loops needs no edge: it follows from sums at the
    anchors.
    """
    n_views = len(ties)
    shares, at_anchors = np.full((n_views, n_views), np.nan), {}
    for u in range(n_views):
        inverse = _inverse(_column_sums(ties[u]))
        for v in range(n_views):
            both = np.flatnonzero((_row_counts(shared[u]) > 0) & (_row_counts(shared[v]) > 0))
            if u == v or len(both) < FEWEST_IN_COMMON:
                continue
            B, there = shared[u][both], places[v][both]
            middle = B.T @ there
            at_anchors[u, v] = unit_rows(middle)
            loops = inverse @ np.asarray(B.power(2).sum(axis=0))
            total = inverse @ np.einsum("ij,ij->i", middle, middle) - loops
            weight = inverse @ _column_sums(B) ** 2 - loops
            shares[u, v] = share_beyond_chance(total / max(weight, _TINY), there)
    return agreement_of_shares(shares), at_anchors


def _agreed(
    u: int,
    shared: list[sp.csr_array],
    places: list[Floats],
    at_anchors: dict[tuple[int, int], Floats],
    trust: Floats,
    weights: Floats,
) -> sp.csr_array:
    """Return the ties of one view with less of those that other views contradict.

    The sums of rows stay.

    A tie is weakened as an edge is in ``agreed``: an anchor is, in another view, where the objects
    that are tied to it are.
    """
    ties = shared[u]
    rows, columns = np.repeat(np.arange(ties.shape[0]), np.diff(ties.indptr)), ties.indices
    said, counted = np.zeros(ties.nnz), np.zeros(ties.nnz)
    for v, there in enumerate(places):
        if (u, v) not in at_anchors:
            continue
        has_place, is_seen = at_anchors[u, v].any(axis=1), _row_counts(shared[v]) > 0
        known = np.asarray(has_place)[columns] & is_seen[rows]
        counted[known] += weights[v]
        if trust[u, v] > 0:
            cosines = np.einsum("ij,ij->i", there[rows[known]], at_anchors[u, v][columns[known]])
            said[known] += weights[v] * trust[u, v] * np.log(np.maximum(cosines, LEAST_COSINE))
    mean = np.divide(said, counted, out=np.zeros_like(said), where=counted > 0)
    weakened = sp.csr_array(
        (ties.data * np.exp(CONTRADICTION_POWER * mean), columns, ties.indptr), shape=ties.shape
    )
    before, after = ties.sum(axis=1), weakened.sum(axis=1)
    weakened.data *= np.divide(before, after, out=np.ones_like(before), where=after > 0)[rows]
    return weakened.astype(np.float32)


def _near_landmarks(
    X: Floats, own: Ints, view: ViewTies, landmarks: Ints, n_components: int
) -> sp.csr_array:
    """Return weights of the landmarks that are near every anchor of a view, by columns and by
    eigenvectors.

    Those of each kind are side by side, and the sum of each row is 1; without two landmarks it is
    0.
    """
    anchors, found = view.anchors, []
    rows = np.flatnonzero(np.isin(own, landmarks))
    column = np.searchsorted(landmarks, own[rows])
    number = min(NEAR_LANDMARKS, len(rows) - 1)
    by_eigenvectors = view.spectrum(rows, n_components), unit_rows(view.loadings[:, :n_components])
    for among, places in ((anchors.moved(X[rows]), anchors.places), by_eigenvectors):
        shape = (len(places), len(landmarks))
        if number < 1:
            found.append(sp.csr_array(shape))
            continue
        search = NeighborSearch.among(among.astype(np.float64, copy=False))
        distances, nearest = search.nearest_to(places.astype(np.float64, copy=False), number)
        at = np.repeat(np.arange(len(places)), number), column[nearest].ravel()
        found.append(sp.csr_array((nearness(distances).ravel() / 2, at), shape=shape))
    return sp.hstack(found, format="csr")


def _dense_gram(ties: sp.csr_array, weights: Floats | None = None) -> Floats:
    """Return Bᵀ diag(weights) B."""
    gram = np.zeros((ties.shape[1], ties.shape[1]))
    weights = np.ones(ties.shape[0]) if weights is None else weights
    add_gram(ties.indptr.astype(np.int64), ties.indices.astype(np.int32), ties.data, weights, gram)
    return gram


def _of_objects(ties: sp.csr_array, own: Ints, n_objects: int) -> sp.csr_array:
    """Return the sums of the ties of the rows of every object, the anchors of each in order."""
    found = membership(own, n_objects).astype(np.float32) @ ties
    found.sort_indices()
    return found


def _side_by_side(parts: list[sp.csr_array]) -> sp.csr_array:
    return sp.hstack(parts, format="csr", dtype=np.float32)


def _with_rows(ties: sp.csr_array, rows: Ints, changed: sp.csr_array) -> sp.csr_array:
    """Return ties with other numbers in some rows, at the same places."""
    found = ties.copy()
    lengths = np.diff(ties.indptr)[rows]
    first = np.repeat(ties.indptr[rows] - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    found.data[first + np.arange(lengths.sum())] = changed.data
    return found


def _largest_of_rows(matrix: sp.csr_array) -> Ints:
    """Return the column of the largest entry of every row, −1 where all are 0."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.indices, -matrix.data, rows))
    order = order[matrix.data[order] > 0]
    found = np.full(matrix.shape[0], -1)
    filled, first = np.unique(rows[order], return_index=True)
    found[filled] = matrix.indices[order[first]]
    return found


def _row_counts(matrix: sp.csr_array) -> Ints:
    counts: Ints = np.diff(matrix.indptr).astype(np.int64)
    return counts


def _column_sums(matrix: sp.csr_array) -> Floats:
    return np.asarray(
        np.bincount(matrix.indices, matrix.data, minlength=matrix.shape[1]), np.float64
    )


def _inverse(sums: Floats) -> Floats:
    """Return 1 / sums, and 1 where nothing was summed, which counts for nothing."""
    found: Floats = np.divide(1.0, sums, out=np.ones_like(sums), where=sums > _TINY)
    return found
