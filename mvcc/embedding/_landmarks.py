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
    seen = [np.count_nonzero(is_landmark[np.unique(own)]) for own in objects]
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
    left = set(range(len(near)))
    while left:
        placed = total.any(axis=1)
        view = max(left, key=lambda v: np.count_nonzero(near[v][placed].any(axis=1)))
        left.remove(view)
        orders[view] = linear_sum_assignment(total.T @ near[view], maximize=True)[1]
        total += near[view][:, orders[view]]
    number = [
        np.where(own.any(axis=1), own[:, order].argmax(axis=1), -1)
        for own, order in zip(near, orders, strict=True)
    ]
    agreed, expected, n_both = 0, 0.0, 0
    for first, second in combinations(number, 2):
        both = (first >= 0) & (second >= 0)
        if both.any():
            counts = [np.bincount(of[both], minlength=near[0].shape[1]) for of in (first, second)]
            agreed += int(np.count_nonzero(first[both] == second[both]))
            expected += counts[0] @ counts[1] / both.sum()
            n_both += int(both.sum())
    if n_both <= expected:
        return orders, 0.0
    return orders, max(0.0, (agreed - expected) / (n_both - expected))


def landmarks_among(seen: Ints, rng: np.random.Generator, most: int) -> Ints:
    """Return objects that are seen in several views, some of them where they are many."""
    if len(seen) > most:
        seen = np.sort(rng.choice(seen, most, replace=False))
    return seen


def nearest_rows(X: Floats, among: Floats, number: int) -> tuple[Floats, Ints]:
    """Return distances and numbers of the rows nearest to those of X."""
    return NeighborSearch.among(among).nearest_to(X, number)


def nearest_unit_rows(X: Floats, among: Floats, number: int) -> tuple[Floats, Ints]:
    """Return what ``nearest_rows`` does; among rows that are equally near, the first."""
    # all rows of a separate group in a view have one place among its eigenvectors, but for the last
    # bits, which differ from processor to processor: they decide nothing here
    distances, found = nearest_rows(X, among, number + 1)
    distances, found = np.round(distances, _DIGITS), found[:, :number]
    tied = np.flatnonzero(distances[:, number] == distances[:, number - 1])
    for block in blocks_of(len(tied)):
        far = np.round(cdist(X[tied[block]], among), _DIGITS)
        found[tied[block]] = np.argsort(far, axis=1, kind="stable")[:, :number]
    return distances[:, :number], found


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
    for X, own, weight in zip(space, objects, view_weights, strict=True):
        of_landmarks = np.flatnonzero(column[own] >= 0)
        number = n_near_landmarks(len(of_landmarks), n_groups)
        if number < 1:
            continue
        distances, found = search(X, X[of_landmarks], number)
        near, columns = nearness(distances).ravel(), column[own[of_landmarks[found]]].ravel()
        weights = weights + sp.csr_array(
            (weight * near, (np.repeat(own, number), columns)), shape=shape
        )
    return factor_of(weights)


def factor_of(weights: sp.csr_array) -> sp.csr_array:
    """Return F with F Fᵀ = Z diag(column sums)⁻¹ Zᵀ, Z the weights with rows to sum 1."""
    total = weights.sum(axis=1)
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    weights = sp.diags_array(inverse) @ weights
    return weights @ sp.diags_array(1 / np.sqrt(np.maximum(weights.sum(axis=0), TINY)))
