"""The joint graph of several views, the metric of constraints, the spreading of answers, dense."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .closure import closure
from .constraint_sets import ConstraintDict, to_arrays

Matrix = NDArray[np.float64]
RIDGES_OF_PAIRS = (1000.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1)
RIDGES_OF_COLUMNS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


def objects_of(sizes: list[int], matches: dict) -> list[list[int]]:
    """Give matched rows the same number until nothing changes; numbers in the order of the rows."""
    number = {(v, i): (v, i) for v, n in enumerate(sizes) for i in range(n)}
    changed = True
    while changed:
        changed = False
        for (u, v), rows in matches.items():
            for i, j in rows:
                low = min(number[u, i], number[v, j])
                changed |= number[u, i] != low or number[v, j] != low
                number[u, i] = number[v, j] = low
    order = {low: n for n, low in enumerate(sorted(set(number.values())))}
    return [[order[number[v, i]] for i in range(n)] for v, n in enumerate(sizes)]


def distances(X: Matrix, Y: Matrix) -> Matrix:
    return np.array([[np.sqrt(np.sum((x - y) ** 2)) for y in Y] for x in X])


def view_graph(X: Matrix, q: int, local: int = 7) -> Matrix:
    """exp(−d² / s_i s_j) of q nearest neighbors, symmetric, divided by the roots of degrees."""
    n = len(X)
    q = min(q, n - 1)
    d = distances(X, X)
    nearest = [sorted((d[i, j], j) for j in range(n) if j != i)[:q] for i in range(n)]
    s = [found[min(local, q) - 1][0] for found in nearest]
    least = 1e-3 * np.mean([found[-1][0] for found in nearest])
    others = [scale for scale in s if scale > least]
    s = [scale if scale > least else np.median(others or [1.0]) for scale in s]
    W = np.zeros((n, n))
    for i in range(n):
        for gap, j in nearest[i]:
            W[i, j] = np.exp(-(gap**2) / (s[i] * s[j]))
    return normalized((W + W.T) / 2)


def normalized(W: Matrix) -> Matrix:
    scale = 1 / np.sqrt(np.maximum(W.sum(axis=1), 1e-12))
    return scale[:, None] * W * scale


def over_objects(graphs: list[Matrix], objects: list[list[int]], n: int) -> Matrix:
    """Sum of P_v A_v P_vᵀ without its diagonal."""
    A = np.zeros((n, n))
    for G, own in zip(graphs, objects, strict=True):
        for i, a in enumerate(own):
            for j, b in enumerate(own):
                A[a, b] += G[i, j] * (a != b)
    return A


def leading(S: Matrix, number: int) -> tuple[Matrix, Matrix]:
    values, vectors = np.linalg.eigh(S)
    order = np.argsort(-values)[:number]
    return values[order], vectors[:, order]


def unit_rows(E: Matrix) -> Matrix:
    return np.array([row / np.linalg.norm(row) if np.linalg.norm(row) > 0 else row for row in E])


def shared_landmarks(space, objects, n, k) -> Matrix:
    """B = Z diag(column sums)⁻¹ Zᵀ, Z the weights of the nearest landmarks, which are seen in two
    views or more: of ten, or of as many as one of k groups has in the mean, if these are fewer.
    """
    landmarks = [a for a in range(n) if sum(a in own for own in objects) >= 2]
    Z = np.zeros((n, n))
    for X, own in zip(space, objects, strict=True):
        of_landmarks = [i for i, a in enumerate(own) if a in landmarks]
        m = min(10, -(-len(of_landmarks) // k), len(of_landmarks) - 1)
        if m < 1:  # a row has no other landmark to be near
            continue
        for i, a in enumerate(own):
            gaps = [(float(np.sqrt(np.sum((X[i] - X[j]) ** 2))), j) for j in of_landmarks]
            found = sorted(gaps)[:m]
            unit = found[-1][0] or 1.0
            weights = np.array([np.exp(-2 * (gap / unit) ** 2) for gap, _ in found])
            for weight, (_, j) in zip(weights / weights.sum(), found, strict=True):
                Z[a, own[j]] += weight
    Z = np.array([row / row.sum() if row.sum() > 0 else row for row in Z])[:, landmarks]
    return Z @ np.diag(1 / Z.sum(axis=0)) @ Z.T


def joint_graph(views: list[Matrix], matches: dict, q: int, k: int) -> tuple[Matrix, Matrix]:
    """Return A, and S = A + B / 2 with B the mean of raw and spectral landmarks."""
    objects = objects_of([len(X) for X in views], matches)
    n = 1 + max(max(own) for own in objects)
    graphs = [view_graph(X, q) for X in views]
    A = over_objects(graphs, objects, n)
    spectra = [unit_rows(leading(G, k)[1]) for G in graphs]
    B = (shared_landmarks(views, objects, n, k) + shared_landmarks(spectra, objects, n, k)) / 2
    return A, A + 0.5 * B


def embedding(S: Matrix, r: int) -> Matrix:
    values, vectors = leading(normalized(S), r)
    return unit_rows(vectors * np.maximum(values, 0) ** 2)


def metric(E: Matrix, pairs, must_link, weights) -> tuple[Matrix, float | None]:
    """Fit the ridge regression of y − s, and for every ridge again without each pair."""
    d, pairs, kinds = E.shape[1], list(pairs), set(map(bool, must_link))
    targets, weights = [float(must) for must in must_link], list(weights)
    if len(kinds) == 1:  # some others stay as they are
        ends = np.unique(pairs)
        order = ends[np.random.default_rng(0).permutation(len(ends))].tolist()
        for i, j in zip(order, order[-1:] + order[:-1], strict=True):
            pairs.append((i, j))
            targets.append(E[i] @ E[j])
        weights += [np.mean(weights)] * len(order)
    design = [((np.outer(E[i], E[j]) + np.outer(E[j], E[i])) / 2).ravel() for i, j in pairs]
    Phi, w = np.array(design), np.asarray(weights, dtype=float)
    missing = np.array(targets) - np.array([E[i] @ E[j] for i, j in pairs])

    def solved(kept, ridge: float) -> Matrix:
        P = Phi[kept] * np.sqrt(w[kept])[:, None]
        return np.linalg.solve(
            P.T @ P + ridge * np.eye(d * d), P.T @ (missing[kept] * np.sqrt(w[kept]))
        )

    everything = np.arange(len(pairs))
    losses = [
        sum(
            w[c] * (missing[c] - Phi[c] @ solved(np.delete(everything, c), ridge)) ** 2
            for c in everything
        )
        for ridge in RIDGES_OF_PAIRS
    ]
    if min(losses) >= np.sum(w * missing**2):
        return np.eye(d), None
    ridge = RIDGES_OF_PAIRS[int(np.argmin(losses))]
    values, vectors = np.linalg.eigh(np.eye(d) + solved(everything, ridge).reshape(d, d))
    return vectors @ np.diag(np.maximum(values, 0)) @ vectors.T, ridge


def closed_where_dense(judged: ConstraintDict) -> ConstraintDict:
    """Close pairs of weight 1 or more where eight can be left out, one by one, as they follow."""
    try:
        closed = closure(*to_arrays(judged))
    except ValueError:  # a contradiction
        return judged
    left = dict(judged)
    for pair in judged:
        others = {other: w for other, w in left.items() if other != pair}
        left = others if pair in closure(*to_arrays(others)) else left
    dense = len(judged) - len(left) >= 8 and min(judged.values()) >= 1
    return closed if dense else judged


def spread(N: Matrix, classes, weights, shares: Matrix) -> Matrix:
    """T = Σ (0.95 N)^s (Y + 0.1 V) for s = 0 … 80, V the shares; then rows have the sum 1.

    Before, columns have the fourth root of what they start with.
    """
    source = 0.1 * shares
    for i, c in enumerate(classes):
        if c >= 0:
            source[i, c] += weights[i]
    T = sum(np.linalg.matrix_power(0.95 * N, s) @ source for s in range(81))
    T = T / T.sum(axis=0) * source.sum(axis=0) ** 0.25
    return T / T.sum(axis=1, keepdims=True)


def evidence(S: Matrix, views, objects, classes, weights, shares: Matrix) -> Matrix:
    """Return what is spread, plus half of what columns predict; then again by its squares."""
    for _ in range(2):
        found = spread(S, classes, weights, shares)
        found = found + predicted_by_columns(views, objects, classes, shares) / 2
        shares = found**2 / np.sum(found**2, axis=1, keepdims=True)
    return found


def predicted_by_columns(views, objects, classes, shares) -> Matrix:
    """Ridge regression of the classes on [R | 1] per view, leaving out one constrained row each."""
    n, k = shares.shape
    total, seen = np.zeros((n, k)), np.zeros(n)
    for X, own in zip(views, objects, strict=True):
        R = X - X.mean(axis=0)
        R = np.column_stack((R / np.sqrt(np.mean(np.sum(R**2, axis=1))), np.ones(len(R))))
        target = np.array([np.eye(k)[classes[a]] if classes[a] >= 0 else shares[a] for a in own])
        w = np.array([1.0 if classes[a] >= 0 else 0.2 for a in own])

        def solved(kept, ridge: float, R=R, w=w, target=target) -> Matrix:
            A, b = R[kept] * w[kept, None], target[kept]
            return np.linalg.solve(A.T @ R[kept] + ridge * np.eye(R.shape[1]), A.T @ b)

        everything = np.arange(len(own))
        judged = [i for i, a in enumerate(own) if classes[a] >= 0] or everything
        losses = [
            sum(
                np.sum((target[i] - R[i] @ solved(np.delete(everything, i), ridge)) ** 2)
                for i in judged
            )
            for ridge in RIDGES_OF_COLUMNS
        ]
        fit = R @ solved(everything, RIDGES_OF_COLUMNS[int(np.argmin(losses))])
        for i, a in enumerate(own):
            total[a] += fit[i]
            seen[a] += 1
    P = np.maximum(total / seen[:, None], 0)
    return P / P.sum(axis=1, keepdims=True)


def left_out(here: Matrix, there: Matrix) -> Matrix:
    """Predict every row by the best ridge regression over the others, centered before."""
    best = None
    H = here - here.mean(axis=0)
    T = there - there.mean(axis=0)
    for ridge in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0):
        found = np.empty_like(there)
        for i in range(len(here)):
            kept = np.arange(len(here)) != i
            P = np.column_stack((H[kept], np.ones(len(H) - 1)))
            penalty = np.diag([ridge] * H.shape[1] + [0.0])
            weights = np.linalg.solve(P.T @ P + penalty, P.T @ T[kept])
            found[i] = np.append(H[i], 1.0) @ weights + there.mean(axis=0)
        loss = np.sum((there - found) ** 2)
        if best is None or loss < best[0]:
            best = loss, found
    return best[1]


def tail_shares(tables: list[Matrix]) -> Matrix:
    """Share of pairs (i, j), i ≠ j, with better ranks among the pairs of i and of j than (c, c)."""
    m = len(tables[0])

    def badness(i: int, j: int) -> float:
        total = 0.0
        for S in tables:
            for line, own in ((S[i], j), (S[:, j], i)):
                others = np.delete(line, own)
                total += (np.sum(others > line[own]) + 0.5 * np.sum(others == line[own])) / (m - 1)
        return total

    pairs = [badness(i, j) for i in range(m) for j in range(m) if i != j]
    return np.array([np.mean([bad < badness(c, c) - 1e-9 for bad in pairs]) for c in range(m)])
