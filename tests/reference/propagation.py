"""E-step: constraint propagation (§5.1, Eq. 9–11; §5.4, Eq. 15)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .constraint_sets import ConstraintDict, keep_heaviest, rows
from .gaussians import covariances, means, membership, squared_mahalanobis

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def endpoint_weight(x: Floats, x_u: Floats, covariance: Floats, confidence: float) -> float:
    """exp(−½ ‖x − x_u‖²) by the covariance G_{c_u}(x_u) Σ_{c_u} (Eq. 9, 15), a factor of Eq. 11.

    ``confidence`` is G_{c_u}(x_u). Where it underflows to 0, only the point itself and its exact
    duplicates have weight 1, all others 0.
    """
    q = squared_mahalanobis(x - x_u, covariance)
    if q == 0.0:
        return 1.0
    if confidence == 0.0:
        return 0.0
    return math.exp(-0.5 * (q / confidence))


def _model(X, labels, metrics, regularization) -> tuple[Floats, Floats]:
    """Σ_h of every cluster and G_{c_i}(x_i) of every point (Eq. 4–8)."""
    k = int(np.max(labels)) + 1 if metrics is None else len(metrics)
    sigma = covariances(X, labels, k, metrics, regularization)
    return sigma, membership(X, labels, means(X, labels, k), sigma)


def _candidates(X: Floats, candidates: ArrayLike | None) -> list[int]:
    """X̂ as sorted row numbers, all rows by default."""
    return (
        list(range(len(X)))
        if candidates is None
        else sorted({int(i) for i in np.asarray(candidates)})
    )


def propagate(
    X,
    labels,
    pairs,
    must_link,
    weights,
    threshold,
    candidates=None,
    metrics=None,
    regularization=1e-06,
):
    """P^V of step 11 in Algorithm 2: Eq. 9–11 for every constraint and ordered pair of candidates.

    Kept where W ≥ threshold, the largest W of each pair and type (§5.1).
    """
    sigma, confidence = _model(X, labels, metrics, regularization)
    chosen = _candidates(X, candidates)

    def w_prime(i: int, j: int, u: int, v: int) -> float:
        """Eq. 11."""
        return endpoint_weight(
            X[i], X[u], sigma[labels[u]], float(confidence[u])
        ) * endpoint_weight(X[j], X[v], sigma[labels[v]], float(confidence[v]))

    propagated: ConstraintDict = {}
    for u, v, is_must_link, w in rows(pairs, must_link, weights):
        for i in chosen:
            for j in chosen:
                if i == j:
                    continue
                weight = w * max(w_prime(i, j, u, v), w_prime(j, i, u, v))  # Eq. 10
                if weight >= threshold:
                    keep_heaviest(propagated, i, j, is_must_link, weight)
    return propagated


def propagate_vectorised(
    X,
    labels,
    pairs,
    must_link,
    weights,
    threshold,
    candidates=None,
    metrics=None,
    regularization=1e-06,
):
    """Do the same, with a table of endpoints × candidates (Eq. 15, §5.4) and outer products."""
    sigma, confidence = _model(X, labels, metrics, regularization)
    chosen = _candidates(X, candidates)
    constraints = rows(pairs, must_link, weights)

    table: dict[int, Floats] = {}
    for u in {end for constraint in constraints for end in constraint[:2]}:
        differences = X[chosen] - X[u]
        q = np.sum(differences * np.linalg.solve(sigma[labels[u]], differences.T).T, axis=1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            table[u] = np.where(q == 0.0, 1.0, np.exp(-0.5 * (q / confidence[u])))

    best = {kind: np.full((len(chosen), len(chosen)), -np.inf) for kind in (False, True)}
    for u, v, is_must_link, w in constraints:
        w_prime = np.outer(table[u], table[v])  # Eq. 11: i along rows, j along columns
        weight = w * np.maximum(w_prime, w_prime.T)  # Eq. 10
        best[is_must_link] = np.maximum(
            best[is_must_link], np.where(weight >= threshold, weight, -np.inf)
        )

    propagated: ConstraintDict = {}
    for is_must_link, heaviest in best.items():
        for a, b in np.argwhere(np.triu(heaviest > -np.inf, k=1)):
            propagated[chosen[a], chosen[b], is_must_link] = float(heaviest[a, b])
    return propagated
