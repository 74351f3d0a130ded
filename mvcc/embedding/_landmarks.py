"""Landmarks: objects that several views see, and tell where rows of all views are."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from mvcc._utils.arrays import TINY, Floats, Ints, blocks_of
from mvcc.embedding._neighbors import NeighborSearch, nearness
from mvcc.embedding._objects import seen_in_several

LANDMARK_SHARE = 0.5  # λ, the weight of landmarks beside the graphs of the views
_NEAR_LANDMARKS = 10  # of a row, at most
_DIGITS = 12  # of distances between unit rows


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
    column = np.full(n_objects, -1)
    column[landmarks] = np.arange(len(landmarks))
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
    total = weights.sum(axis=1)
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    weights = sp.diags_array(inverse) @ weights
    return weights @ sp.diags_array(1 / np.sqrt(np.maximum(weights.sum(axis=0), TINY)))
