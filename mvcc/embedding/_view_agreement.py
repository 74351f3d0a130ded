"""How much views agree with each other, and graphs whose edges count less where other views
contradict them.

An edge says that two objects belong together. Another view that sees both has an opinion on that,
too: how near they are in its own leading eigenvectors. It is heard as far as the two views agree on
edges in general.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from mvcc._utils.arrays import Bools, Floats, Ints, blocks_of

CONTRADICTION_POWER = 2.0  # of the cosine in another view, by which an edge is multiplied
LEAST_COSINE = 0.05  # what a cosine counts at least: no edge is given up
# objects that two views have in common, and edges among them, each counted from both ends; from
# fewer, agreement is not measured
FEWEST_IN_COMMON = 20


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
    for u in range(n_views):
        for v in _others(u, n_views):
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
            mean = np.divide(log_sum, weight_sum, out=np.zeros_like(log_sum), where=weight_sum > 0)
            factors[span] = np.exp(CONTRADICTION_POWER * mean)
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
