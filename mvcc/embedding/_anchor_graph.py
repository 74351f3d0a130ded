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
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg.blas import strmm
from scipy.sparse.csgraph import dijkstra

from mvcc._utils.arrays import TINY, Floats, Ints, LazyRows, blocks_of
from mvcc.embedding._across_views import (
    LANDMARK_SHARE,
    membership,
    numbered_alike,
    seen_in_all,
    seen_in_several,
    share_of_clusters,
)
from mvcc.embedding._anchors import (
    MOST_ANCHORS,
    Anchors,
    anchors_for,
    column_sums,
    dense_gram,
    inverse_of,
    largest_of_rows,
    of_objects,
    side_by_side,
    times,
    times_transposed,
)
from mvcc.embedding._components import (
    Eigenpairs,
    k_means,
    leading_eigenvectors,
    n_clear,
    residual,
    unit_rows,
    weighted,
)
from mvcc.embedding._joint_graph import MATCHED_OBJECTS_WEIGHT


@dataclass(frozen=True, eq=False)
class ViewTies:
    """The graph Z Λ⁻¹ Zᵀ of one view, Λ the column sums of Z."""

    anchors: Anchors
    ties: sp.csr_array  # (n_v, p_v): Z
    values: Floats  # (r,): the leading eigenvalues of the graph
    loadings: Floats  # (p_v, r): H, with Z H the eigenvectors

    @classmethod
    def of(cls, X: Floats, n_anchors: int, n_components: int, rng: np.random.Generator) -> ViewTies:
        anchors, ties = Anchors.among(X, n_anchors, rng)
        roots = np.sqrt(inverse_of(column_sums(ties)))
        gram = roots[:, None] * dense_gram(ties, np.ones(len(X))) * roots
        values, vectors = leading_eigenvectors(min(n_components, len(gram)), gram)
        loadings = roots[:, None] * vectors / np.sqrt(np.maximum(values, TINY))
        return cls(anchors, ties, values, loadings)

    def around(self, labels: Ints, k: int) -> LazyRows:
        """Return how much of every cluster is near each row, without its loop, (n_v, k)."""
        inverse, shares = inverse_of(column_sums(self.ties)), np.eye(k)
        at_anchors = inverse[:, None] * times_transposed(self.ties, shares[labels])

        def of_rows(rows: Any) -> Floats:
            ties = self.ties[rows]
            loops = (ties.power(2) @ inverse)[:, None]
            return ties @ at_anchors - loops * shares[labels[rows]]

        return LazyRows(len(labels), of_rows)

    def spectrum(self, rows: Any, n_components: int | None = None) -> Floats:
        """Return unit rows of leading eigenvectors for some rows of the view."""
        return unit_rows(self.ties[rows] @ self.loadings[:, :n_components])

    def clusters(self, k: int, rows: Ints) -> tuple[Ints, Floats]:
        """Return the cluster of every anchor, and how near some rows are to each, (m, k)."""
        coordinates = weighted(self.values, self.loadings, n_clear(self.values, k))
        labels, centers = k_means(unit_rows(coordinates), k, column_sums(self.ties))
        return labels, unit_rows(self.ties[rows] @ coordinates) @ centers.T


@dataclass(frozen=True, eq=False)
class AnchorGraph:
    """Objects of several views, and how near they are by way of anchors; see ``JointGraph``."""

    objects: list[Ints]  # (n_v,): the object of every row, per view
    agreement: Floats  # (V, V)
    views: list[ViewTies]
    ties: sp.csr_array  # (n, p): B: of every object to the anchors of all views, side by side
    diagonal: Floats  # (p,): the diagonal of K without landmarks
    # (p, p): K = diag(diagonal) + λ F Fᵀ, with F the weights of the landmarks near every anchor; of
    # the anchors of views alone, as the graph of matched objects is not embedded
    kernel: NDArray[np.float32]
    # (p,): what landmarks add to the degree of an object, for each of its ties to these
    landmark_degrees: Floats

    @property
    def n_objects(self) -> int:
        return int(self.ties.shape[0])

    @property
    def n_anchors(self) -> list[int]:
        return [len(view.anchors.places) for view in self.views]

    @cached_property
    def degrees(self) -> Floats:
        """The degree of every object, without landmarks."""
        return np.maximum(times(self.ties, self.diagonal * column_sums(self.ties)), TINY)

    def with_matched_objects(self, columns_of: Callable[[Ints], Floats]) -> AnchorGraph:
        """Return the graph with anchors of the objects seen in all views, by all their columns."""
        # They are as many, for their share of the objects, as a view of all objects would have. It
        # is there for spreading, and has no components.
        n = self.n_objects
        seen = seen_in_all(self.objects, n)
        if not len(seen):
            return self
        columns = columns_of(seen)
        n_anchors = max(1, round(min(anchors_for(n, 0), MOST_ANCHORS) * len(seen) / n))
        # the same ones as often as they are made
        _, ties = Anchors.among(columns, n_anchors, np.random.default_rng(0))
        added_diagonal = MATCHED_OBJECTS_WEIGHT * len(seen) / n * inverse_of(column_sums(ties))
        return replace(
            self,
            ties=side_by_side([self.ties, of_objects(ties, seen, n)]),
            diagonal=np.concatenate((self.diagonal, added_diagonal)),
        )

    def with_clusters_of_views(self, k: int, weights: Floats) -> AnchorGraph:
        """Return the graph where few landmarks are helped by clusters; see ``JointGraph``."""
        few = share_of_clusters(self.objects, self.n_objects, k)
        if few == 0:
            return self
        landmarks = seen_in_several(self.objects, self.n_objects)
        near, anchors_in = [], []
        for weight, row_objects, view in zip(weights, self.objects, self.views, strict=True):
            rows = np.flatnonzero(np.isin(row_objects, landmarks))
            labels, near_rows = view.clusters(k, rows)
            rows_of = membership(np.searchsorted(landmarks, row_objects[rows]), len(landmarks))
            near.append(weight * (rows_of @ near_rows))
            anchors_in.append(weight * membership(labels, k).T)
        orders, agreeing = numbered_alike(near)
        alike = sp.vstack([part[:, order] for part, order in zip(anchors_in, orders, strict=True)])
        share, loops = few * agreeing, np.diag(self.diagonal)
        scaled = alike * np.sqrt(LANDMARK_SHARE * inverse_of(alike.T @ column_sums(self.ties)))
        kernel = loops + (1 - share) * (self.kernel - loops)
        kernel += share * (scaled @ scaled.T).toarray()
        degrees = (1 - share) * self.landmark_degrees + share * LANDMARK_SHARE * alike.sum(axis=1)
        return replace(self, kernel=kernel.astype(np.float32), landmark_degrees=degrees)

    def components(self, n_components: int) -> Eigenpairs:
        """Return the largest eigenvalues, descending, and vectors of D^−½ (A + λ F Fᵀ) D^−½."""
        degrees = self.degrees + times(self.ties, self.landmark_degrees)
        factor = scipy.linalg.cholesky(self.kernel, lower=True)
        small = dense_gram(self.ties, 1 / degrees).astype(np.float32)
        # LAPACK takes columns one after the other, so the transpose of rows is changed in its place
        strmm(1, factor, small.T, side=1, lower=True, overwrite_b=True)
        product = strmm(1, factor, small, side=1, lower=True)
        small = (product + product.T) / 2
        values, vectors = leading_eigenvectors(n_components, small)
        loadings = factor @ vectors / np.sqrt(np.maximum(values, TINY))
        error = residual(values, vectors, small)
        scales, ties = 1 / np.sqrt(degrees), self.ties
        rows = LazyRows(self.n_objects, lambda some: scales[some, None] * (ties[some] @ loadings))
        return Eigenpairs(values, rows, error)

    def diffused_to_anchors(self, step: Floats, objects: Ints, share: float) -> Floats:
        """Return what objects get of a step, by each of their ties, times the root of their degree.

        With S = D^−½ A D^−½ without landmarks, Σ_t (share S)ᵗ step over all t from 1 on is what
        every object gets; the step is of some objects.
        """
        roots = np.sqrt(self.diagonal)[:, None]
        start = roots * (self.ties[objects].T @ (step / np.sqrt(self.degrees[objects])[:, None]))
        system = dense_gram(self.ties, 1 / self.degrees)
        system *= -share * roots
        system *= roots.T
        np.fill_diagonal(system, system.diagonal() + 1)
        # LAPACK takes columns one after the other: only the transpose is factorized in its place
        factor = scipy.linalg.cho_factor(system.T, lower=True, overwrite_a=True)
        return share * roots * scipy.linalg.cho_solve(factor, start)

    def from_anchors(self, at_anchors: Floats, objects: Any) -> Floats:
        """Return what some objects get by their ties, (m, k)."""
        return (self.ties[objects] @ at_anchors) / np.sqrt(self.degrees[objects])[:, None]

    def sums_of(self, at_anchors: Floats) -> Floats:
        """Return the sums over all objects of what they get, (k,)."""
        return times_transposed(self.ties, 1 / np.sqrt(self.degrees)) @ at_anchors

    def path_lengths(self, share: float) -> sp.csr_array:
        """Return how far anchors are from each other; see ``JointGraph``."""
        roots = np.sqrt(self.diagonal)
        gram = dense_gram(self.ties, 1 / self.degrees)
        return _lengths(sp.csr_array(share * roots[:, None] * gram * roots))

    def nearest_sources(
        self, between: sp.csr_array, sources: Ints, share: float, objects: Ints
    ) -> Ints:
        """Return the source nearest to each of some objects, −1 without one; see ``JointGraph``."""
        n_anchors = len(self.diagonal)
        ends = _lengths(self._normalized_ties(sources, share))
        nothing = sp.csr_array((len(sources), len(sources)))
        reach = sp.block_array([[between, None], [ends, nothing]]).tocsr()
        starts = n_anchors + np.arange(len(sources))
        lengths, _, origin = dijkstra(
            reach, indices=starts, min_only=True, return_predecessors=True
        )
        nearness = np.exp(-lengths[:n_anchors])
        nearest = np.full(len(objects), -1)
        for block in blocks_of(len(objects)):
            ties = self._normalized_ties(objects[block], share)
            ties.data *= nearness[ties.indices]
            best = largest_of_rows(ties)
            reached = best >= 0
            nearest[block][reached] = sources[origin[best[reached]] - n_anchors]
        are_sources = np.isin(objects, sources)
        nearest[are_sources] = objects[are_sources]
        return nearest

    def of_view(self, view: int, at_anchors: Floats) -> Floats:
        """Return the part of (p, k) numbers that belongs to the anchors of one view."""
        first = sum(self.n_anchors[:view])
        return at_anchors[first : first + self.n_anchors[view]]

    def _normalized_ties(self, objects: Any, share: float) -> sp.csr_array:
        """Return √share D^−½ B K^½ for some objects, without landmarks."""
        rows = sp.diags_array(np.sqrt(share / self.degrees[objects]))
        return (rows @ self.ties[objects] @ sp.diags_array(np.sqrt(self.diagonal))).tocsr()


def _lengths(affinities: sp.csr_array) -> sp.csr_array:
    affinities.data = -np.log(np.maximum(affinities.data, 1e-300))
    return affinities
