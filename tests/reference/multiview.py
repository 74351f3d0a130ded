"""Multi-view constrained clustering by co-EM (§5, Algorithm 2; §5.3; §6.2; §6.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .closure import Relations, close_views, normalise_relations, relation_strengths
from .closure import closure as close_one_view
from .constraint_sets import ConstraintDict, max_union, to_arrays, to_dict
from .constraint_sets import transfer as map_constraints
from .propagation import propagate_vectorised

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# per iteration, per view: (objective, propagated constraints P^V)
History = list[list[tuple[float, ConstraintDict]]]


def resolve_conflicts(unified: ConstraintDict, own: ConstraintDict) -> ConstraintDict:
    """Leave at most one type per pair (§5.2).

    A constraint that is in the view's own (augmented) set wins over one that is only transferred;
    if that does not tell them apart, the heavier wins; of equal weights both are dropped.
    """
    resolved: ConstraintDict = {}
    for (i, j, is_must_link), w in unified.items():
        this, other = (i, j, is_must_link), (i, j, not is_must_link)
        if other not in unified:
            resolved[this] = w
        elif (this in own) != (other in own):
            if this in own:
                resolved[this] = w
        elif w > unified[other]:
            resolved[this] = w
    return resolved


def close(constraints, relations, closure) -> tuple[list[ConstraintDict], Relations]:
    """Do steps 1–2 of Algorithm 2.

    "full" over all views and relations, "view" inside each view, or "none".
    """
    if closure == "full":
        return close_views([to_arrays(view) for view in constraints], relations)
    if closure == "view":
        constraints = [close_one_view(*to_arrays(view)) for view in constraints]
    return constraints, relations


def mapped_instances(view: int, relations: Relations) -> list[int]:
    """X̂^V, the rows of a view involved in any relation to any other view (step 3, §5.3)."""
    mapped: set[int] = set()
    for (u, v), related in relations.items():
        if view == u:
            mapped |= {i for i, _ in related}
        if view == v:
            mapped |= {j for _, j in related}
    return sorted(mapped)


def relations_from(u: int, v: int, relations: Relations) -> set[tuple[int, int]]:
    """R^{U×V} as pairs (row of U, row of V), whichever of the two views comes first (step 4)."""
    if u < v:
        return relations.get((u, v), set())
    return {(j, i) for i, j in relations.get((v, u), set())}


def strengths_from(u: int, v: int, strengths: Any) -> dict[tuple[int, int], float] | None:
    """How much a constraint may weigh by relations from view u to view v; None is no limit."""
    if strengths is None:
        return None
    if u < v:
        return strengths.get((u, v), {})
    return {(j, i): s for (i, j), s in strengths.get((v, u), {}).items()}


def expected_constraints(
    transfer, X, labels, metrics, constraints, mapped, threshold, regularization
):
    """P^V, the constraints among X̂^V that one view offers the others (step 11, §6.2)."""
    if transfer == "constraint-propagation":
        pairs, must_link, weights = to_arrays(constraints)
        return propagate_vectorised(
            X, labels, pairs, must_link, weights, threshold, mapped, metrics, regularization
        )
    if transfer == "direct-mapping":
        return {
            (i, j, kind): w
            for (i, j, kind), w in constraints.items()
            if i in mapped and j in mapped
        }
    if transfer == "cluster-membership":
        return {(i, j, bool(labels[i] == labels[j])): 1.0 for i in mapped for j in mapped if i < j}
    return {}  # "single-view"


def co_em(
    views, constraints, relations, transfer, threshold, fit, *, closure, max_iter, regularization
):
    """Algorithm 2 (§5), for any number of views (Eq. 14, §5.3), and for one view as in §6.4.

    ``transfer`` is "constraint-propagation", "direct-mapping", "cluster-membership" or
    "single-view" (§6.2); the last one never closes across views. ``threshold`` is t_V. ``fit``
    is CKmeans: (view, X, pairs, must_link, weights) → (labels, objective, metrics or None).
    """
    n_views = len(views)

    # Steps 1–2
    if transfer == "single-view" and closure == "full":
        closure = "view"
    given = [to_dict(*view) for view in constraints]
    C, R = close(given, normalise_relations(relations), closure)
    strengths = relation_strengths(given, relations) if closure == "full" else None

    # Step 3
    X_hat = (
        [list(range(len(views[0])))]
        if n_views == 1
        else [mapped_instances(v, R) for v in range(n_views)]
    )

    # Step 5
    P: list[ConstraintDict] = [{} for _ in views]
    labels: list[Ints] = [np.zeros(0, dtype=np.int64) for _ in views]
    history: History = []

    # Steps 6–13
    for _ in range(max_iter):
        iteration: list[tuple[float, ConstraintDict]] = []
        for v in range(n_views):
            # Step 9: Eq. 14, or C ∪max P for a single view (§6.4)
            if n_views == 1:
                received = [P[0]]
            else:
                received = [
                    map_constraints(P[u], relations_from(u, v, R), strengths_from(u, v, strengths))
                    for u in range(n_views)
                    if u != v
                ]
            unified = resolve_conflicts(max_union([C[v], *received]), own=C[v])

            # Step 10: M-step
            labels[v], objective, metrics = fit(v, views[v], *to_arrays(unified))

            # Step 11: E-step
            P[v] = expected_constraints(
                transfer, views[v], labels[v], metrics, C[v], X_hat[v], threshold, regularization
            )
            iteration.append((objective, P[v]))
        history.append(iteration)

        # Step 13
        if len(history) > 1:
            changes = [
                abs(new[0] - old[0]) for new, old in zip(history[-1], history[-2], strict=True)
            ]
            if max(changes) <= 1e-6:
                break
    return labels, history
