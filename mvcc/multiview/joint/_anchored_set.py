"""Joint clustering of very many rows, whose objects are tied to anchors, as ``JointSet``.

Eq. 1 is minimized over the constrained objects and some thousand others, which stand for all. Their
clusters are spread to the anchors, and from there to all objects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mvcc._utils.arrays import TINY, Floats, Ints, LazyRows, blocks_of
from mvcc._utils.progress import teller
from mvcc.constraints import Constraints
from mvcc.embedding import AnchorGraph, anchor_graph, object_columns
from mvcc.multiview.joint._joint_set import JointClusters, JointSet
from mvcc.multiview.joint._must_link_groups import MustLinkGroups
from mvcc.multiview.joint._new_rows import NearestAnchors, NearestRows, log_shares
from mvcc.multiview.joint._spreading import (
    COLUMNS_SHARE,
    SPREADING,
    class_totals,
    column_coefficients,
    first_step,
    rows_to_one,
    shares_of_classes,
    with_all_clusters,
    with_ones,
)

SEARCHED = 5_000  # objects that stand for all where Eq. 1 is minimized


class AnchoredSet(JointSet):
    """Views that matches connect, in one graph by anchors."""

    sharpness = 2.0  # what is spread by ties makes rows look surer than distances do
    _embedded_graph: AnchorGraph
    _graph: AnchorGraph

    def clusters(
        self, constraints: Constraints, rng: np.random.Generator, n_init: int | None = None
    ) -> JointClusters:
        """Cluster the objects, given constraints; ``rng`` draws objects, starts and orders."""
        k, groups = self._settings.n_clusters, MustLinkGroups.among(self.n_objects, constraints)
        drawn, masses = self._drawn(constraints, rng)
        found, rows, residual = self._searched(constraints, groups, drawn, masses, n_init, rng)
        of_searched = np.full(self.n_objects, -1)
        of_searched[drawn] = found.labels
        teller(self.n_objects)("spreading the clusters")
        classes = groups.classes(of_searched, k)
        at_anchors, coefficients = self._learned(constraints, classes, found.labels, drawn, masses)
        said = self._evidence_by(at_anchors, coefficients)
        reached = [said(block).argmax(axis=1) for block in blocks_of(self.n_objects)]
        labels = with_all_clusters(np.concatenate(reached), classes, of_searched)
        return JointClusters(
            labels, of_searched, rows, found.objective, residual, at_anchors, coefficients
        )

    def scores(self, constraints: Constraints, found: JointClusters) -> Callable[[Any], Floats]:
        """Return what gives some objects their scores; see ``JointSet.scores``."""
        assert found.at_anchors is not None
        said = self._evidence_by(found.at_anchors, found.coefficients)
        return lambda some: log_shares(said(some))

    def predictors(self, found: JointClusters) -> list[NearestRows | NearestAnchors]:
        """Return what assigns new rows of every view, before ``forget_views``."""
        if not isinstance(found.rows, LazyRows):  # columns were clustered, without an embedding
            return super().predictors(found)
        return [self._by_shares(number, found) for number in range(len(self._views))]

    def _by_shares(self, view: int, found: JointClusters) -> NearestAnchors:
        anchors = self._graph.views[view].anchors
        A, b = self._fitted_columns[view][1].affine(anchors.center, anchors.unit)
        coefficients = found.coefficients[view]
        moved = np.vstack((A @ coefficients[:-1], b @ coefficients[:-1] + coefficients[-1]))
        assert found.at_anchors is not None
        return NearestAnchors(
            anchors, self._graph.of_view(view, found.at_anchors), coefficients=moved
        )

    def _made_graph(self, rng: np.random.Generator, weights: Floats) -> AnchorGraph:
        k = self._settings.n_clusters
        graph = anchor_graph(self._views, self._relations, k, rng, weights)
        return graph.with_clusters_of_views(k, weights)

    def _drawn(self, constraints: Constraints, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """Return the constrained objects and some others, and how many objects each stands for."""
        n, ends = self.n_objects, np.unique(constraints.pairs)
        others = np.setdiff1d(rng.choice(n, min(n, SEARCHED), replace=False), ends)
        masses = np.ones(n)
        masses[others] = (n - len(ends)) / max(len(others), 1)
        searched = np.union1d(ends, others)
        return searched, masses[searched]

    def _learned(
        self, constraints: Constraints, classes: Ints, labels: Ints, searched: Ints, masses: Floats
    ) -> tuple[Floats, tuple[Floats, ...]]:
        """Return what the searched objects say at the anchors, and by the columns of each view."""
        sureness, of_searched = self._sureness(constraints)[searched], classes[searched]
        shares = shares_of_classes(labels, of_searched, self._settings.n_clusters)
        step = first_step(of_searched, sureness, shares, masses)
        at_anchors = self._graph.diffused_to_anchors(step, searched, SPREADING)
        at_anchors /= np.maximum(self._graph.sums_of(at_anchors), TINY)
        at_anchors *= class_totals(step)
        place = np.full(self.n_objects, -1)
        place[searched] = np.arange(len(searched))
        coefficients = []
        for columns, own in zip(self._columns, self.objects, strict=True):
            rows = np.flatnonzero(place[own] >= 0)
            at = place[own[rows]]
            given = columns[rows], of_searched[at], shares[at], masses[at]
            coefficients.append(column_coefficients(*given))
        return at_anchors, tuple(coefficients)

    def _evidence_by(
        self, at_anchors: Floats, coefficients: tuple[Floats, ...]
    ) -> Callable[[Any], Floats]:
        """Return a function that gives the evidence for every cluster of some objects, (m, k)."""

        def said(some: Any) -> Floats:
            spread = rows_to_one(self._graph.from_anchors(at_anchors, some))
            predicted, n_rows = np.zeros_like(spread), np.zeros(len(spread))
            parts = zip(self._columns, self._members, coefficients, strict=True)
            for columns, members, of_view in parts:
                rows_of = members[some]
                number = np.diff(rows_of.indptr)
                means = with_ones(object_columns([columns], [rows_of]))
                predicted += number[:, None] * (means @ of_view)
                n_rows += number
            return spread + COLUMNS_SHARE * rows_to_one(np.maximum(predicted / n_rows[:, None], 0))

        return said
