"""Transitive closure of constraints, in one view and over all views (Algorithm 2, steps 1–2, §5).

A must-link follows from a chain of must-links; a cannot-link from a chain with exactly one
cannot-link and must-links on both sides of it. An inferred constraint weighs as much as the weakest
link of its strongest chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .constraint_sets import ConstraintDict, to_dict

NO_CHAIN = -np.inf
Relations = dict[tuple[int, int], set[tuple[int, int]]]
"""{(u, v): {(row of view u, row of view v), …}} with u < v."""


def strongest_chains(n: int, links: Sequence[tuple[int, int, float]]) -> NDArray[np.float64]:
    """Strength of the strongest chain of must-links between every two of n nodes.

    Widest paths, by Floyd–Warshall: a chain is as strong as its weakest link, the empty one of a
    node to itself infinitely strong, and none at all minus infinity.
    """
    strength = np.full((n, n), NO_CHAIN)
    np.fill_diagonal(strength, np.inf)
    for i, j, w in links:
        strength[i, j] = strength[j, i] = max(strength[i, j], w)
    for middle in range(n):
        through_middle = np.minimum(
            strength[:, middle, np.newaxis], strength[np.newaxis, middle, :]
        )
        strength = np.maximum(strength, through_middle)
    return strength


def strongest_cannot_links(chains, cannot_links) -> NDArray[np.float64]:
    """Strength of the strongest chain i ~ a, cannot-link (a, b), b ~ j; ValueError if i ~ j."""
    strength = np.full(chains.shape, NO_CHAIN)
    for a, b, w in cannot_links:
        if chains[a, b] > NO_CHAIN:
            raise ValueError(f"the ends of cannot-link ({a}, {b}) are connected by must-links")
        for left, right in ((a, b), (b, a)):
            through = np.minimum(
                np.minimum(chains[:, left, np.newaxis], chains[np.newaxis, right, :]), w
            )
            strength = np.maximum(strength, through)
    return strength


def closure(pairs: ArrayLike, must_link: ArrayLike, weights: ArrayLike) -> ConstraintDict:
    """Close the constraints of one view (Algorithm 2, steps 1–2, without relations)."""
    closed, _ = close_views([(pairs, must_link, weights)], {})
    return closed[0]


def normalise_relations(relations: Mapping[tuple[int, int], Any]) -> Relations:
    """Turn every key (u, v) so that u < v, and its rows into a set of pairs of ints."""
    normalised: Relations = {}
    for (u, v), related in relations.items():
        for i, j in related:
            pair = (int(i), int(j)) if u < v else (int(j), int(i))
            normalised.setdefault((min(u, v), max(u, v)), set()).add(pair)
    return normalised


def close_views(constraints, relations) -> tuple[list[ConstraintDict], Relations]:
    """One closure over the constraints of all views and the relations between them (Algorithm 2,
    steps 1–2, §5).

    A relation is a must-link of infinite weight: it never weakens a chain. A constraint inferred by
    relations alone weighs 1. Given constraints keep their own weight, the heaviest of repeated
    rows. The second result has a key for every two views u < v; its related pairs are all the
    cross-view pairs connected by must-links and relations.
    """
    given = [to_dict(*view) for view in constraints]
    nodes, must_links, cannot_links = _one_graph(given, normalise_relations(relations))
    chains = strongest_chains(len(nodes), must_links)
    separations = strongest_cannot_links(chains, cannot_links)

    closed: list[ConstraintDict] = [{} for _ in given]
    connected: Relations = {(u, v): set() for v in range(len(given)) for u in range(v)}
    for p, (u, i) in enumerate(nodes):
        for q, (v, j) in enumerate(nodes):
            if p >= q:
                continue
            if u != v:
                if chains[p, q] > NO_CHAIN:
                    connected[u, v].add((i, j))
                continue
            if chains[p, q] > NO_CHAIN:
                by_relations_alone = chains[p, q] == np.inf
                closed[u][i, j, True] = 1.0 if by_relations_alone else float(chains[p, q])
            if separations[p, q] > NO_CHAIN:
                closed[u][i, j, False] = float(separations[p, q])
    for view, view_constraints in enumerate(given):
        closed[view].update(view_constraints)
    return closed, connected


def relation_strengths(constraints, relations):
    """Return the weakest must-link of the strongest chain behind every relation, or infinity."""
    nodes, must_links, _ = _one_graph(constraints, normalise_relations(relations))
    chains = strongest_chains(len(nodes), must_links)
    strengths: dict[tuple[int, int], dict[tuple[int, int], float]] = {}
    for p, (u, i) in enumerate(nodes):
        for q, (v, j) in enumerate(nodes):
            if u < v and chains[p, q] > NO_CHAIN:
                strengths.setdefault((u, v), {})[i, j] = float(chains[p, q])
    return strengths


def _one_graph(given, related):
    """Return the nodes (view, row) of one graph, its must-links and relations, its cannot-links."""
    mentioned: set[tuple[int, int]] = set()
    for view, view_constraints in enumerate(given):
        for i, j, _ in view_constraints:
            mentioned |= {(view, i), (view, j)}
    for (u, v), pairs in related.items():
        for i, j in pairs:
            mentioned |= {(u, i), (v, j)}
    nodes = sorted(mentioned)
    node = {view_and_row: number for number, view_and_row in enumerate(nodes)}

    must_links = [
        (node[u, i], node[v, j], np.inf) for (u, v), pairs in related.items() for i, j in pairs
    ]
    cannot_links: list[tuple[int, int, float]] = []
    for view, view_constraints in enumerate(given):
        for (i, j, is_must_link), w in view_constraints.items():
            (must_links if is_must_link else cannot_links).append((node[view, i], node[view, j], w))
    return nodes, must_links, cannot_links
