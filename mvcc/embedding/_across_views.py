"""What lies between views: objects, landmarks, and how much views agree with each other.

Matches make rows one object. Landmarks are objects that several views see, and tell where rows of
all views are.

An edge in the graph of a view says that two objects belong together. Another view that sees both
has an opinion on that, too: how near they are in its own leading eigenvectors. It is heard as far
as the two views agree on edges in general; edges count less where other views contradict them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from mvcc._utils.arrays import TINY, Bools, Floats, Ints, blocks_of, places_among, quotient
from mvcc.constraints import Relations
from mvcc.embedding._neighbors import NeighborSearch, nearness

_FEWEST_MATCHES = 3  # that connect two views
_FEWEST_MATCHED_OBJECTS = 20
LANDMARK_SHARE = 0.5  # λ, the weight of landmarks beside the graphs of the views
_NEAR_LANDMARKS = 10  # of a row, at most
_DIGITS = 12  # of distances between unit rows
CONTRADICTION_POWER = 2.0  # of the cosine in another view, by which an edge is multiplied
LEAST_COSINE = 0.05  # what a cosine counts at least: no edge is given up
# fewest objects in common, and edges among them from both ends, by which agreement is measured
FEWEST_IN_COMMON = 20


def connected_views(n_views: int, relations: Relations) -> list[tuple[list[int], Relations]]:
    """Return the sets of views that relations connect, each with its relations, renumbered."""
    # one or two matches connect no views: one of them would have no clusters of its own
    linked = [key for key, rows in relations.items() if len(rows) >= _FEWEST_MATCHES]
    n_sets, set_of_view = pieces(n_views, np.array(linked, dtype=np.int64).reshape(-1, 2))
    connected = []
    for index in range(n_sets):
        views = np.flatnonzero(set_of_view == index).tolist()
        inside = {
            (views.index(u), views.index(v)): rows
            for (u, v), rows in relations.items()
            if u in views and v in views
        }
        connected.append((views, {key: rows for key, rows in inside.items() if len(rows)}))
    return connected


def connecting_relations(n_views: int, relations: Relations) -> Relations:
    """Return the relations inside the sets of views that relations connect."""
    return {
        (views[u], views[v]): rows
        for views, inside in connected_views(n_views, relations)
        for (u, v), rows in inside.items()
    }


def find_objects(sizes: Sequence[int], relations: Relations) -> tuple[int, list[Ints]]:
    """Return the number of objects, components of related rows, and that of every row, per view."""
    offsets = np.cumsum([0, *sizes])
    links = [rows + offsets[[u, v]] for (u, v), rows in relations.items()]
    all_links = np.concatenate([np.empty((0, 2), np.int64), *links])
    n_objects, object_of_row = pieces(int(offsets[-1]), all_links)
    return n_objects, np.split(object_of_row, offsets[1:-1])


def seen_in_all(objects: list[Ints], n_objects: int) -> Ints:
    """Return the objects of which every view has a row; none where they are fewer than 20."""
    seen = [np.bincount(row_objects, minlength=n_objects) > 0 for row_objects in objects]
    common = np.flatnonzero(np.all(seen, axis=0))
    return common[:0] if len(objects) < 2 or len(common) < _FEWEST_MATCHED_OBJECTS else common


def seen_in_several(objects: list[Ints], n_objects: int) -> Ints:
    """Return the objects of which two views or more have a row."""
    seen = sum((np.bincount(own, minlength=n_objects) > 0).astype(np.int64) for own in objects)
    return np.flatnonzero(np.asarray(seen) >= 2)


def membership(objects: Ints, n_objects: int) -> sp.csr_array:
    """Return P_v, (n_objects, n_v): 1 where a row is of an object."""
    n = len(objects)
    return sp.csr_array((np.ones(n), (objects, np.arange(n))), shape=(n_objects, n))


def pieces(n: int, links: Ints) -> tuple[int, Ints]:
    """Return how many pieces n nodes are by links (m, 2), and the piece of every node, (n,)."""
    graph = sp.coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n, n))
    n_pieces, piece = connected_components(graph, directed=False)
    return int(n_pieces), piece.astype(np.int64)


def n_near_landmarks(n_landmarks: int, n_groups: int) -> int:
    """Return of how many landmarks a row is near: those a group has in the mean, 10 at most."""
    # with more, all rows of a view would be near the same landmarks where matches are few
    return min(_NEAR_LANDMARKS, math.ceil(n_landmarks / n_groups), n_landmarks - 1)


def share_of_clusters(objects: list[Ints], n_objects: int, k: int) -> float:
    """Return how much clusters of the views stand in for landmarks, where these are few."""
    is_landmark = np.zeros(n_objects, dtype=bool)
    is_landmark[seen_in_several(objects, n_objects)] = True
    if not is_landmark.any():
        return 0.0
    seen = [np.count_nonzero(is_landmark[np.unique(row_objects)]) for row_objects in objects]
    return max(0.0, 1 - float(np.mean(seen)) / (_NEAR_LANDMARKS * k))


def numbered_alike(near: list[Floats]) -> tuple[list[Ints], float]:
    """Give clusters of all views common numbers, and tell how far landmarks agree with them.

    `near` (m, k) tells how near every landmark is to the clusters of a view, zeros where it is not
    seen there. Return for every view the cluster that has each number, (k,): as much as possible of
    what is near comes together, one view after the other, first those that see most landmarks of
    the former ones. And how often two views put a landmark into the same cluster, beyond chance:
    Cohen's κ over all pairs of views, 0 at least.
    """
    total = np.zeros_like(near[0])
    orders: list[Ints] = [np.empty(0, np.int64)] * len(near)
    remaining = set(range(len(near)))
    while remaining:
        placed = total.any(axis=1)
        view = max(remaining, key=lambda v: np.count_nonzero(near[v][placed].any(axis=1)))
        remaining.remove(view)
        orders[view] = linear_sum_assignment(total.T @ near[view], maximize=True)[1]
        total += near[view][:, orders[view]]
    labels = [
        np.where(view_near.any(axis=1), view_near[:, order].argmax(axis=1), -1)
        for view_near, order in zip(near, orders, strict=True)
    ]
    agreed, expected, n_both = 0, 0.0, 0
    for first, second in combinations(labels, 2):
        in_both = (first >= 0) & (second >= 0)
        if in_both.any():
            counts = [np.bincount(y[in_both], minlength=near[0].shape[1]) for y in (first, second)]
            agreed += int(np.count_nonzero(first[in_both] == second[in_both]))
            expected += counts[0] @ counts[1] / in_both.sum()
            n_both += int(in_both.sum())
    if n_both <= expected:
        return orders, 0.0
    return orders, max(0.0, (agreed - expected) / (n_both - expected))


def landmarks_among(seen: Ints, rng: np.random.Generator, most: int) -> Ints:
    """Return objects that are seen in several views, some of them where they are many."""
    if len(seen) > most:
        seen = np.sort(rng.choice(seen, most, replace=False))
    return seen


def nearest_rows(X: Floats, among: Floats, n_neighbors: int) -> tuple[Floats, Ints]:
    """Return distances and numbers of the rows nearest to those of X."""
    return NeighborSearch.among(among).nearest_to(X, n_neighbors)


def nearest_unit_rows(X: Floats, among: Floats, n_neighbors: int) -> tuple[Floats, Ints]:
    """Return what ``nearest_rows`` does; among rows that are equally near, the first."""
    # all rows of a separate group in a view have one place among its eigenvectors, but for the last
    # bits, which differ from processor to processor: they decide nothing here
    distances, nearest = nearest_rows(X, among, n_neighbors + 1)
    distances, nearest = np.round(distances, _DIGITS), nearest[:, :n_neighbors]
    tied = np.flatnonzero(distances[:, n_neighbors] == distances[:, n_neighbors - 1])
    for block in blocks_of(len(tied)):
        far = np.round(cdist(X[tied[block]], among), _DIGITS)
        nearest[tied[block]] = np.argsort(far, axis=1, kind="stable")[:, :n_neighbors]
    return distances[:, :n_neighbors], nearest


def landmark_factor(
    space: list[Floats],
    objects: list[Ints],
    landmarks: Ints,
    n_objects: int,
    view_weights: Floats,
    n_groups: int,
    search: Callable[[Floats, Floats, int], tuple[Floats, Ints]],
) -> sp.csr_array:
    """Return F with F Fᵀ = Z diag(column sums)⁻¹ Zᵀ, Z the weights of every object's landmarks."""
    column = places_among(landmarks, n_objects)
    shape = (n_objects, len(landmarks))
    weights = sp.csr_array(shape)
    for X, row_objects, weight in zip(space, objects, view_weights, strict=True):
        rows = np.flatnonzero(column[row_objects] >= 0)
        n_near = n_near_landmarks(len(rows), n_groups)
        if n_near < 1:
            continue
        distances, nearest = search(X, X[rows], n_near)
        near, columns = nearness(distances).ravel(), column[row_objects[rows[nearest]]].ravel()
        weights = weights + sp.csr_array(
            (weight * near, (np.repeat(row_objects, n_near), columns)), shape=shape
        )
    return factor_of(weights)


def factor_of(weights: sp.csr_array) -> sp.csr_array:
    """Return F with F Fᵀ = Z diag(column sums)⁻¹ Zᵀ, Z the weights with rows to sum 1."""
    weights = sp.diags_array(quotient(1.0, weights.sum(axis=1))) @ weights
    return weights @ sp.diags_array(1 / np.sqrt(np.maximum(weights.sum(axis=0), TINY)))


def view_agreement(graphs: list[sp.csr_array], objects: list[Ints], places: list[Floats]) -> Floats:
    """Return how much every two views agree: 0 where edges are random pairs, 1 at most.

    The edges of view u put objects together whose cosine in view v is c in the mean, beyond what
    random pairs have, and relative to what they could have. The geometric mean of both directions
    is symmetric, 1 on the diagonal, and NaN where two views have fewer than 20 objects in common,
    or fewer than ten edges among them. `places` (n, k) are unit rows of every object in the leading
    eigenvectors of a view, zero where the view does not see it.
    """
    n_views, seen = len(graphs), _seen(places)
    total, weight, count = (np.zeros((n_views, n_views)) for _ in range(3))
    for u, (graph, row_objects) in enumerate(zip(graphs, objects, strict=True)):
        for span, i, j in _edges(graph, row_objects):
            for v in _others(u, n_views):
                common = seen[v][i] & seen[v][j] & (i != j)
                edges = graph.data[span][common]
                total[u, v] += edges @ _cosines(places[v], i[common], j[common])
                weight[u, v] += edges.sum()
                count[u, v] += len(edges)
    shares = np.full((n_views, n_views), np.nan)
    for u, v in permutations(range(n_views), 2):
        common = seen[u] & seen[v]
        if count[u, v] >= FEWEST_IN_COMMON and np.count_nonzero(common) >= FEWEST_IN_COMMON:
            shares[u, v] = share_beyond_chance(total[u, v] / weight[u, v], places[v][common])
    return agreement_of_shares(shares)


def share_beyond_chance(mean: float, rows: Floats) -> float:
    """Return a mean cosine beyond that of random pairs, 1 at most; 0 if all rows are alike."""
    n, middle = len(rows), rows.mean(axis=0)
    by_chance = float((n * (middle @ middle) - 1) / (n - 1))  # of two different rows
    return 0.0 if by_chance >= 1 else max((mean - by_chance) / (1 - by_chance), 0)


def agreement_of_shares(shares: Floats) -> Floats:
    """Return the geometric mean of both directions, 1 on the diagonal."""
    np.fill_diagonal(shares, 1)
    return np.sqrt(shares * shares.T)


def weakened(
    graphs: list[sp.csr_array],
    objects: list[Ints],
    places: list[Floats],
    trust: Floats,
    weights: Floats,
) -> list[sp.csr_array]:
    """Return graphs with weaker edges where other views contradict them.

    An edge is multiplied by the square of the geometric mean, over the other views that see both of
    its ends, of the cosine there, 0.05 at least, to the power of how much that view is trusted,
    `trust` (V, V) in 0 … 1. Views have `weights` (V,) in the mean; see ``view_agreement`` for the
    others.
    """
    weaker, seen = [], _seen(places)
    for u, (graph, row_objects) in enumerate(zip(graphs, objects, strict=True)):
        factors = np.ones(graph.nnz, graph.dtype)
        for span, i, j in _edges(graph, row_objects):
            log_sum, weight_sum = np.zeros(len(i)), np.zeros(len(i))
            for v in _others(u, len(graphs)):
                common = seen[v][i] & seen[v][j]
                weight_sum[common] += weights[v]
                if trust[u, v] > 0:
                    cosines = np.maximum(_cosines(places[v], i[common], j[common]), LEAST_COSINE)
                    log_sum[common] += weights[v] * trust[u, v] * np.log(cosines)
            factors[span] = np.exp(CONTRADICTION_POWER * quotient(log_sum, weight_sum))
        weaker.append(
            sp.csr_array((graph.data * factors, graph.indices, graph.indptr), shape=graph.shape)
        )
    return weaker


def _seen(places: list[Floats]) -> list[Bools]:
    return [np.asarray(rows.any(axis=1)) for rows in places]


def _others(u: int, n_views: int) -> list[int]:
    return [v for v in range(n_views) if v != u]


def _edges(graph: sp.csr_array, row_objects: Ints) -> Iterator[tuple[slice, Ints, Ints]]:
    """Yield the entries of some rows after the other, and the objects at both ends of each."""
    for block in blocks_of(graph.shape[0]):
        starts = graph.indptr[block.start : block.stop + 1]
        span = slice(int(starts[0]), int(starts[-1]))
        yield span, np.repeat(row_objects[block], np.diff(starts)), row_objects[graph.indices[span]]


def _cosines(places: Floats, i: Ints, j: Ints) -> Floats:
    return np.einsum("ij,ij->i", places[i], places[j])
