"""The search of Eq. 1 (M = I, f = 1) from several starts: full sums, plain loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import pck


def spread_centers(X, masses, k, given, rng, *, weighted) -> NDArray[np.float64]:
    """Return the given centers, and k-means++ with 2 + log k candidates for the others."""
    chosen = [np.asarray(c, dtype=float) for c in given][:k]
    if not chosen:
        chosen.append(X[rng.choice(len(X), p=masses / masses.sum() if weighted else None)])
    while len(chosen) < k:
        gaps = np.array([min(float(np.sum((x - c) ** 2)) for c in chosen) for x in X])
        reach = np.cumsum(masses * gaps)
        drawn = rng.random(2 + int(np.log(k))) * reach[-1]
        if reach[-1] > 0:
            tried = [next((i for i in range(len(X)) if reach[i] > r), len(X) - 1) for r in drawn]
        else:
            tried = list(rng.integers(len(X), size=1))
        left = [
            float(np.sum(masses * np.minimum(gaps, np.sum((X - X[i]) ** 2, axis=1)))) for i in tried
        ]
        chosen.append(X[tried[int(np.argmin(left))]])
    return np.array(chosen)


def descend(X, masses, centers, labels, pairs, must_link, weights, rng, max_iter: int):
    """Sweep in random orders until no label changes; return labels, centers and objective."""
    labels = labels.copy()
    bound = np.unique(np.asarray(pairs, dtype=np.int64))
    former_empty: set[int] = set()
    for iteration in range(max_iter):
        before = labels.copy()
        for i in [*rng.permutation(bound), *np.setdiff1d(np.arange(len(X)), bound)]:
            costs = [
                masses[i] * float(np.sum((X[i] - c) ** 2))
                + pck.penalties(i, h, labels, pairs, must_link, weights)
                for h, c in enumerate(centers)
            ]
            labels[i] = int(np.argmin(costs))
        centers = pck.centers(X, labels, len(centers), masses)
        empty = set(range(len(centers))) - set(labels.tolist())
        newly_empty, former_empty = empty - former_empty, empty
        if iteration > 0 and not newly_empty and (labels == before).all():
            break
    objective = pck.objective(X, labels, centers, pairs, must_link, weights, masses)
    return labels, centers, objective


def search(X, k, pairs, must_link, weights, masses, starts, n_init, max_iter, rng, *, weighted):
    """Return labels, centers and the lowest objective of ``n_init`` starts, the first of equals."""
    best = None
    for s in range(n_init):
        centers = spread_centers(
            X, masses, k, starts[s] if s < len(starts) else [], rng, weighted=weighted
        )
        labels = np.array([int(np.argmin([np.sum((x - c) ** 2) for c in centers])) for x in X])
        found = descend(X, masses, centers, labels, pairs, must_link, weights, rng, max_iter)
        if best is None or found[2] < best[2] - 1e-12 * abs(best[2]):
            best = found
    return best
