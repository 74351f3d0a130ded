"""Which graph the objects of several views get: the exact one, or the one by anchors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import agreeing, called, enumerated
from mvcc.constraints import Relations
from mvcc.embedding._anchor_graph import AnchorGraph
from mvcc.embedding._graph_by_anchors import anchor_graph
from mvcc.embedding._joint_graph import JointGraph, joint_graph, neighbors_for
from mvcc.embedding._objects import find_objects
from mvcc.exceptions import InvalidInputError

ANCHORS_FROM = 15_000  # objects; among fewer, edges to the nearest rows can be better

GraphKind = Literal["auto", "exact", "anchors"]


def refuse_more_than_objects(
    name: str, wanted: int, n_objects: int, views: list[int], names: Sequence[str] | None
) -> None:
    """Refuse more clusters, or components, than some views have objects."""
    if wanted > n_objects:
        where = enumerated(called(view, names) for view in views)
        have = agreeing(len(views), f"view {where} has", f"views {where} have")
        raise InvalidInputError(
            f"{name}={wanted} needs as many objects, but {have} {n_objects} (matched rows are one);"
            " ask for fewer."
        )


def refuse_components(wanted: int, graph: JointGraph | AnchorGraph, remedy: str = "") -> None:
    """Refuse more components than there are anchors that objects are tied to."""
    if isinstance(graph, AnchorGraph) and wanted > sum(graph.n_anchors):
        raise InvalidInputError(
            f"n_components={wanted} needs as many anchors, but the {graph.n_objects} objects are"
            f" tied to {sum(graph.n_anchors)}; ask for fewer{remedy}."
        )


def any_graph(
    views: list[Floats],
    relations: Relations,
    n_neighbors: int,
    n_groups: int,
    rng: np.random.Generator,
    *,
    weights: Floats | None = None,
    kind: GraphKind = "auto",
    has_landmarks: bool = True,
) -> JointGraph | AnchorGraph:
    """Make a graph of a kind, or that which the number of objects asks for; see ``joint_graph``."""
    if weights is None:
        weights = np.ones(len(views))
    if kind == "auto":
        n_objects, _ = find_objects([len(X) for X in views], relations)
        kind = "anchors" if n_objects >= ANCHORS_FROM else "exact"
    if kind == "anchors":
        return anchor_graph(views, relations, n_groups, rng, weights)
    q = neighbors_for(views, n_groups, n_neighbors)
    return joint_graph(views, relations, q, n_groups if has_landmarks else 0, rng, weights)
