"""Joint clustering of very many rows, whose objects are tied to anchors, as ``JointSet``.

Eq. 1 is minimized over the constrained objects and some thousand others, which stand for all. Their
clusters are spread to the anchors, and from there to all objects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mvcc._utils.arrays import TINY, Floats, Ints, LazyRows, blocks_of, places_among
from mvcc._utils.progress import teller
from mvcc.constraints import Constraints
from mvcc.embedding import AnchorGraph, object_columns
from mvcc.multiview.joint._constrained_objects import (
    COLUMNS_SHARE,
    SPREADING,
    MustLinkGroups,
    class_totals,
    column_coefficients,
    first_step,
    rows_to_one,
    shares_of_classes,
    with_all_clusters,
    with_ones,
)
from mvcc.multiview.joint._joint_set import JointClusters, JointSet
from mvcc.multiview.joint._new_rows import NearestAnchors, NearestRows, log_shares

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
        best, rows, residual = self._searched(constraints, groups, drawn, masses, n_init, rng)
        before_spreading = np.full(self.n_objects, -1)
        before_spreading[drawn] = best.labels
        teller(self.n_objects)("spreading the clusters")
        classes = groups.classes(before_spreading, k)
        at_anchors, coefficients = self._learned(constraints, classes, best.labels, drawn, masses)
        evidence = self._evidence_by(at_anchors, coefficients)
        reached = [evidence(block).argmax(axis=1) for block in blocks_of(self.n_objects)]
        labels = with_all_clusters(np.concatenate(reached), classes, before_spreading)
        return JointClusters(
            labels, before_spreading, rows, best.objective, residual, at_anchors, coefficients
        )

    def scores(self, constraints: Constraints, clusters: JointClusters) -> Callable[[Any], Floats]:
        assert clusters.at_anchors is not None
        evidence = self._evidence_by(clusters.at_anchors, clusters.coefficients)
        return lambda some: log_shares(evidence(some))

    def predictors(self, clusters: JointClusters) -> list[NearestRows | NearestAnchors]:
        if not isinstance(clusters.rows, LazyRows):  # columns were clustered, without an embedding
            return super().predictors(clusters)
        return [self._by_shares(view, clusters) for view in range(len(self._views))]

    def _by_shares(self, view: int, clusters: JointClusters) -> NearestAnchors:
        anchors = self._graph.views[view].anchors
        A, b = self._fitted_columns[view][1].affine(anchors.center, anchors.unit)
        coefficients = clusters.coefficients[view]
        moved = np.vstack((A @ coefficients[:-1], b @ coefficients[:-1] + coefficients[-1]))
        assert clusters.at_anchors is not None
        return NearestAnchors(
            anchors, self._graph.of_view(view, clusters.at_anchors), coefficients=moved
        )

    def _drawn(self, constraints: Constraints, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """Return the constrained objects and some others, and how many objects each stands for."""
        n, ends = self.n_objects, np.unique(constraints.pairs)
        others = np.setdiff1d(rng.choice(n, min(n, SEARCHED), replace=False), ends)
        masses = np.ones(n)
        masses[others] = (n - len(ends)) / max(len(others), 1)
        drawn = np.union1d(ends, others)
        return drawn, masses[drawn]

    def _learned(
        self, constraints: Constraints, classes: Ints, labels: Ints, drawn: Ints, masses: Floats
    ) -> tuple[Floats, tuple[Floats, ...]]:
        """Return what the drawn objects say at the anchors, and by the columns of each view."""
        sureness, drawn_classes = self._sureness(constraints)[drawn], classes[drawn]
        shares = shares_of_classes(labels, drawn_classes, self._settings.n_clusters)
        step = first_step(drawn_classes, sureness, shares, masses)
        at_anchors = self._graph.diffused_to_anchors(step, drawn, SPREADING)
        at_anchors /= np.maximum(self._graph.sums_of(at_anchors), TINY)
        at_anchors *= class_totals(step)
        index_of = places_among(drawn, self.n_objects)
        coefficients = []
        for columns, objects in zip(self._columns, self.objects, strict=True):
            rows = np.flatnonzero(index_of[objects] >= 0)
            indices = index_of[objects[rows]]
            examples = columns[rows], drawn_classes[indices], shares[indices], masses[indices]
            coefficients.append(column_coefficients(*examples))
        return at_anchors, tuple(coefficients)

    def _evidence_by(
        self, at_anchors: Floats, coefficients: tuple[Floats, ...]
    ) -> Callable[[Any], Floats]:
        """Return a function that gives the evidence for every cluster of some objects, (m, k)."""

        def evidence(some: Any) -> Floats:
            spread = rows_to_one(self._graph.from_anchors(at_anchors, some))
            predicted, n_rows = np.zeros_like(spread), np.zeros(len(spread))
            per_view = zip(self._columns, self._members, coefficients, strict=True)
            for columns, members, view_coefficients in per_view:
                some_members = members[some]
                n_in_view = np.diff(some_members.indptr)
                means = with_ones(object_columns([columns], [some_members]))
                predicted += n_in_view[:, None] * (means @ view_coefficients)
                n_rows += n_in_view
            return spread + COLUMNS_SHARE * rows_to_one(np.maximum(predicted / n_rows[:, None], 0))

        return evidence
