"""The next question, and the signs of a wrong answer: dense, one step each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.reference.joint import normalized, objects_of, over_objects, view_graph

Matrix = NDArray[np.float64]


def kernel(views: list[Matrix], matches: dict, q: int) -> tuple[Matrix, list[list[int]]]:
    """K = (I − .95 S)⁻¹ of the graph without landmarks, and the object of every row."""
    objects = objects_of([len(X) for X in views], matches)
    n = 1 + max(map(max, objects))
    S = normalized(over_objects([view_graph(X, q) for X in views], objects, n))
    return np.linalg.inv(np.eye(n) - 0.95 * S), objects


def next_objects(K, rows, groups, asked, number, preferred) -> list[int]:
    """Greedy coverage of the preferred objects first, weighted by uncertainty."""
    n = len(K)
    C = [[K[x, y] / np.sqrt(K[x, x] * K[y, y]) for y in range(n)] for x in range(n)]
    u = [1.0] * n
    if len(groups) > 1:
        P = np.array([[sum(K[y, a] for a in members) for members in groups] for y in range(n)])
        P = P / P.sum(axis=0)
        for y in range(n):
            second, largest = sorted(P[y] / P[y].sum())[-2:]
            u[y] = (1 - (largest - second)) ** min(5, 1 + sum(map(len, groups)) / 40)
    cover = [max([0.0, *(C[a][y] for a in asked)]) for y in range(n)]
    chosen: list[int] = []
    while len(chosen) < number:
        left = [x for x in range(n) if x not in asked and x not in chosen]
        left = [x for x in left if x in preferred] or left
        if not left:
            break
        gains = {
            x: u[x] * sum(rows[y] * u[y] * max(0.0, C[x][y] - cover[y]) for y in range(n))
            for x in left
        }
        best = max(left, key=lambda x: gains[x])
        chosen.append(best)
        cover = [max(cover[y], C[best][y]) for y in range(n)]
    return chosen


def likeness(K: Matrix, one: int, members: list[int]) -> float:
    """How like a group an object is, without what it says of itself."""
    others = [a for a in members if a != one]
    return sum(K[one, a] for a in others) / np.sqrt(len(others))


def contradicted(K: Matrix, groups: list[list[int]], doubt: float = 0.2) -> list[int]:
    """Members of groups of two or more, less like their own than `doubt` times another group."""
    found = []
    for own in groups:
        for one in own if len(own) > 1 else []:
            others = [likeness(K, one, members) for members in groups]
            if likeness(K, one, own) < doubt * max(others):
                found.append(one)
    return sorted(found)
