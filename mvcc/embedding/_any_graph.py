"""Which graph the objects of several views get: the exact one, or the one by anchors.

The latter is made here, of anchors of every view, weaker ties and landmarks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Literal

import numpy as np
import scipy.sparse as sp

from mvcc._utils.arrays import TINY, Floats, Ints, blocks_of, quotient
from mvcc._utils.messages import agreeing, called, enumerated
from mvcc.constraints import Relations
from mvcc.embedding._across_views import (
    CONTRADICTION_POWER,
    FEWEST_IN_COMMON,
    LANDMARK_SHARE,
    LEAST_COSINE,
    agreement_of_shares,
    find_objects,
    landmarks_among,
    n_near_landmarks,
    seen_in_several,
    share_beyond_chance,
)
from mvcc.embedding._anchor_graph import AnchorGraph, ViewTies
from mvcc.embedding._anchors import (
    MOST_ANCHORS,
    anchors_for,
    change_rows,
    column_sums,
    inverse_of,
    of_objects,
    side_by_side,
)
from mvcc.embedding._components import unit_rows
from mvcc.embedding._joint_graph import JointGraph, joint_graph, neighbors_for
from mvcc.embedding._neighbors import NeighborSearch, nearness
from mvcc.exceptions import InvalidInputError

ANCHORS_FROM = 15_000  # objects; among fewer, edges to the nearest rows can be better
MOST_LANDMARKS = 1_000
_FEWEST_ANCHORS = 100  # of a view, however many views there are

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
    n_anchors = [min(anchors_for(len(X), n_view_components), most) for X in views]
    graphs = [
        ViewTies.of(X, n, 2 * n_view_components, rng) for X, n in zip(views, n_anchors, strict=True)
    ]
    ties = [
        of_objects(view.ties, row_objects, n_objects)
        for row_objects, view in zip(objects, graphs, strict=True)
    ]
    common = seen_in_several(objects, n_objects)
    shared = [B[common] for B in ties]
    places = [
        unit_rows(B @ view.loadings[:, :n_view_components])
        for B, view in zip(shared, graphs, strict=True)
    ]
    agreement, at_anchors = _view_agreement(ties, shared, places)
    for u, B in enumerate(ties):
        changed = _weakened(u, shared, places, at_anchors, np.nan_to_num(agreement), weights)
        change_rows(B, common, changed)
    sums = [column_sums(B) for B in ties]
    landmarks = landmarks_among(common, rng, MOST_LANDMARKS)
    near = [
        weight * _near_landmarks(X, row_objects, view, landmarks, n_view_components)
        for weight, X, row_objects, view in zip(weights, views, objects, graphs, strict=True)
    ]
    factor = sp.vstack(near, format="csr")
    shares = LANDMARK_SHARE * inverse_of(factor.T @ np.concatenate(sums))
    scaled = factor @ sp.diags_array(np.sqrt(shares))
    inverses = [weight * inverse_of(total) for weight, total in zip(weights, sums, strict=True)]
    diagonal = np.concatenate(inverses)
    kernel = ((scaled @ scaled.T).toarray() + np.diag(diagonal)).astype(np.float32)
    degrees = LANDMARK_SHARE * factor.sum(axis=1)
    return AnchorGraph(objects, agreement, graphs, side_by_side(ties), diagonal, kernel, degrees)


def _view_agreement(
    ties: list[sp.csr_array], shared: list[sp.csr_array], places: list[Floats]
) -> tuple[Floats, dict[tuple[int, int], Floats]]:
    """Return ``view_agreement``, and where each other view sees the anchors of a view, (p, k)."""
    # the mean over all edges of Z Λ⁻¹ Zᵀ but loops follows from sums at the anchors
    n_views, is_seen = len(ties), [np.diff(B.indptr) > 0 for B in shared]
    shares, at_anchors = np.full((n_views, n_views), np.nan), {}
    inverses = [inverse_of(column_sums(B)) for B in ties]
    for u, v in permutations(range(n_views), 2):
        common, inverse = np.flatnonzero(is_seen[u] & is_seen[v]), inverses[u]
        if len(common) < FEWEST_IN_COMMON:
            continue
        B, spectrum = shared[u][common], places[v][common]
        middle = B.T @ spectrum
        at_anchors[u, v] = unit_rows(middle)
        loops = inverse @ np.asarray(B.power(2).sum(axis=0))
        total = inverse @ np.einsum("ij,ij->i", middle, middle) - loops
        weight = inverse @ column_sums(B) ** 2 - loops
        shares[u, v] = share_beyond_chance(total / max(weight, TINY), spectrum)
    return agreement_of_shares(shares), at_anchors


def _weakened(
    u: int,
    shared: list[sp.csr_array],
    places: list[Floats],
    at_anchors: dict[tuple[int, int], Floats],
    trust: Floats,
    weights: Floats,
) -> sp.csr_array:
    """Weaken ties of view u that others contradict, as ``weakened`` does edges; rows keep sums."""
    ties = shared[u]
    rows, columns = np.repeat(np.arange(ties.shape[0]), np.diff(ties.indptr)), ties.indices
    log_sum, weight_sum = np.zeros(ties.nnz), np.zeros(ties.nnz)
    for v, spectrum in enumerate(places):
        if (u, v) not in at_anchors:
            continue
        has_place, is_seen = at_anchors[u, v].any(axis=1), np.diff(shared[v].indptr) > 0
        known = np.flatnonzero(np.asarray(has_place)[columns] & is_seen[rows])
        weight_sum[known] += weights[v]
        if trust[u, v] == 0:
            continue
        for block in blocks_of(len(known)):
            some = known[block]
            cosines = np.einsum("ij,ij->i", spectrum[rows[some]], at_anchors[u, v][columns[some]])
            log_sum[some] += weights[v] * trust[u, v] * np.log(np.maximum(cosines, LEAST_COSINE))
    weaker = ties.data * np.exp(CONTRADICTION_POWER * quotient(log_sum, weight_sum))
    changed = sp.csr_array((weaker, columns, ties.indptr), shape=ties.shape)
    before, after = ties.sum(axis=1), changed.sum(axis=1)
    changed.data *= np.divide(before, after, out=np.ones_like(before), where=after > 0)[rows]
    return changed.astype(np.float32)


def _near_landmarks(
    X: Floats, row_objects: Ints, view: ViewTies, landmarks: Ints, n_components: int
) -> sp.csr_array:
    """Return weights of the landmarks near every anchor, by columns and by eigenvectors."""
    anchors, factors = view.anchors, []
    rows = np.flatnonzero(np.isin(row_objects, landmarks))
    column = np.searchsorted(landmarks, row_objects[rows])
    n_near, shape = n_near_landmarks(len(rows), n_components), (len(anchors.places), len(landmarks))
    if n_near < 1:
        return sp.csr_array((shape[0], 2 * shape[1]))
    by_eigenvectors = view.spectrum(rows, n_components), unit_rows(view.loadings[:, :n_components])
    for among, places in ((anchors.moved(X[rows]), anchors.places), by_eigenvectors):
        search = NeighborSearch.among(among.astype(np.float64, copy=False))
        distances, nearest = search.nearest_to(places.astype(np.float64, copy=False), n_near)
        indices = np.repeat(np.arange(len(places)), n_near), column[nearest].ravel()
        factors.append(sp.csr_array((nearness(distances).ravel() / 2, indices), shape=shape))
    return sp.hstack(factors, format="csr")
