"""What the views told each other, with the reason for every single constraint."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mvcc._origins import origins
from mvcc.analysis._because import Reasons
from mvcc.analysis._fit import Fit
from mvcc.constraints import Constraints
from mvcc.mapping import ConstraintMap, relations_between
from mvcc.transfer import ConstraintPropagation


@dataclass(frozen=True, eq=False)
class Flow:
    """Constraints that one view inferred, or received, each with its reason.

    Attributes
    ----------
    constraints : Constraints
        In rows of the view.
    because : list of str
        One for each.
    source : list of (int, int, int)
        The view, and the two rows in it, that each comes from: the constraint that was propagated to it, or that which
        another view passed on.
    """

    constraints: Constraints
    because: list[str]
    source: list[tuple[int, int, int]]


def propagated(fit: Fit, reasons: Reasons, views: list[NDArray[np.float64]]) -> list[Flow]:
    """Return what each view passed on at the end, with the constraint that each came from."""
    return [_passed_on(fit, reasons, number, X) for number, X in enumerate(views)]


def _passed_on(fit: Fit, reasons: Reasons, view: int, X: NDArray[np.float64]) -> Flow:
    passed = fit.model.propagated_[view]
    transfer, closed = fit.model.transfer_, fit.closed[view]
    clusterer = fit.model.clusterers_[view]
    if isinstance(transfer, ConstraintPropagation):
        metrics = getattr(clusterer, "metrics_", None)
        found = origins(X, clusterer.labels_, closed, passed, metrics=metrics, regularization=transfer.regularization)
        rows = closed.pairs[found].tolist()
        weights = closed.weights[found].tolist()
    else:  # every other method passes on what it names
        rows, weights = passed.pairs.tolist(), [0.0] * len(passed)
    because = []
    for (i, j, must_link, _), (u, v), weight in zip(_rows(passed), rows, weights, strict=True):
        reason = reasons.of(view, u, v, must_link, weight)
        near = "" if (i, j) == (u, v) or not reason else f"near {reasons.ids[view][u]} and {reasons.ids[view][v]}, "
        because.append(near + reason)
    return Flow(passed, because, [(view, u, v) for u, v in rows])


def _rows(constraints: Constraints) -> Iterator[tuple[int, int, bool, float]]:
    listed = constraints.pairs.tolist(), constraints.must_link.tolist(), constraints.weights.tolist()
    return ((i, j, must_link, weight) for (i, j), must_link, weight in zip(*listed, strict=True))


def received(fit: Fit, reasons: Reasons, flows: list[Flow]) -> list[Flow]:
    """Return what each view received from the others at the end: what they passed on, in its own rows (Eq. 12)."""
    n_views = len(flows)
    return [
        _arrived(fit, reasons, flows, target) if n_views > 1 else Flow(Constraints([], []), [], [])
        for target in range(n_views)
    ]


def _arrived(fit: Fit, reasons: Reasons, flows: list[Flow], target: int) -> Flow:
    arrived = Constraints([], [])
    # of each pair and type the heaviest, as max-union keeps it; of equal ones that of the first view
    best: dict[tuple[int, int, bool], tuple[float, int, int]] = {}
    for source, flow in enumerate(flows):
        if source == target or not len(flow.constraints):
            continue
        arrived = arrived.max_union(ConstraintMap(relations_between(fit.related, source, target))(flow.constraints))
        # a match that was given explains more than one that follows from others
        for relations in (fit.relations, fit.related):
            counterparts: dict[int, list[int]] = defaultdict(list)
            for here, there in relations_between(relations, source, target).tolist():
                counterparts[here].append(there)
            for place, (i, j, must_link, weight) in enumerate(_rows(flow.constraints)):
                for one in counterparts[i]:
                    for other in counterparts[j]:
                        key = min(one, other), max(one, other), must_link
                        if key not in best or best[key][0] < weight:
                            best[key] = weight, source, place
    because, sources = [], []
    for i, j, must_link, weight in _rows(arrived):
        _, source, place = best[i, j, must_link]
        passed_i, passed_j = flows[source].constraints.pairs[place].tolist()
        because.append(reasons.of(target, i, j, must_link, weight) or flows[source].because[place])
        sources.append((source, passed_i, passed_j))
    return Flow(arrived, because, sources)
