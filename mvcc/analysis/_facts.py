"""Everything that a report shows of a clustering, as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mvcc.analysis._cautions import cautions
from mvcc.analysis._config import Job
from mvcc.analysis._features import Features
from mvcc.analysis._fit import Fit
from mvcc.analysis._flows import Flow
from mvcc.analysis._tables import Table
from mvcc.constraints import Constraints
from mvcc.matching import match_clusters
from mvcc.metrics import pairwise_f_measure
from mvcc.transfer import ConstraintPropagation

SCHEMA = 1
MOST_LISTED = 2000  # propagated, and received, constraints of a view; all are in its tables
_DRAWS = 20  # of matches at random


def describe(
    job: Job, tables: list[Table], features: list[Features], fit: Fit, flows: list[Flow], arrived: list[Flow]
) -> dict[str, Any]:
    """Return the facts of a clustering, ready for JSON."""
    inferred = [_is_new(flow.constraints, closed) for flow, closed in zip(flows, fit.closed, strict=True)]
    transfer = fit.model.transfer_
    propagates = isinstance(transfer, ConstraintPropagation)
    n_passed = sum(len(flow.constraints) for flow in flows)
    return {
        "schema": SCHEMA,
        "kind": "clustering",
        "title": _listed([table.name for table in tables]),
        "n_clusters": job.n_clusters,
        "views": [
            _view(n, table, features[n], fit, flows[n], inferred[n], arrived[n], tables)
            for n, table in enumerate(tables)
        ],
        "relations": [_relation(u, v, rows, job, tables, fit) for (u, v), rows in fit.relations.items()],
        "co_em": {
            "iterations": fit.model.n_iter_,
            "converged": bool(fit.model.converged_),
            "objectives": [[record.objective for record in records] for records in fit.model.history_],
            "propagates": propagates,
            "threshold": transfer.threshold if propagates else None,
            "transfer": job.transfer,
            "base": job.base,
        },
        "restarts": {"count": job.restarts, "agreement": fit.agreement},
        "warnings": cautions(job, tables, fit, n_passed, sum(int(new.sum()) for new in inferred)),
        "settings": job.model_dump(mode="json", exclude_none=True),
    }


def _view(
    number: int,
    table: Table,
    features: Features,
    fit: Fit,
    flow: Flow,
    inferred: NDArray[np.bool_],
    arrived: Flow,
    tables: list[Table],
) -> dict[str, Any]:
    labels, given, diagnosis = fit.labels[number], fit.given[number], fit.model.diagnostics_[number]
    satisfied = (labels[given.pairs[:, 0]] == labels[given.pairs[:, 1]]) == given.must_link
    places = [given.where(position) for position in range(len(given))]
    rows = [[*row, bool(ok), place] for row, ok, place in zip(given._rows(), satisfied, places, strict=True)]
    left_out = fit.dropped[number]
    return {
        "name": table.name,
        "source": table.path,
        "n_rows": len(table.ids),
        "n_features": len(table.columns),
        "features": features.words,
        "n_components": features.X.shape[1],
        "unused": table.unused,
        "ids": table.ids,
        "labels": labels.tolist(),
        "reference": table.reference,
        "x": _rounded(features.plane[:, 0]),
        "y": _rounded(features.plane[:, 1]),
        "axes": features.axes,
        "stability": fit.stability[number].tolist() if fit.stability else [None] * len(labels),
        "given": rows,
        "violated": [[*row[:4], row[5]] for row in rows if not row[4]],
        "dropped": [[*row, left_out.where(position)] for position, row in enumerate(left_out._rows())],
        "propagated": _listing(flow, inferred),
        "received": _listing(arrived, np.zeros(len(arrived.constraints), np.bool_), tables),
        "n_propagated": _count(flow.constraints),
        "n_inferred": _count(flow.constraints._select(inferred)),
        "n_received": _count(arrived.constraints),
        "disagreement": diagnosis.disagreement,
        "divergence": diagnosis.divergence if np.isfinite(diagnosis.divergence) else None,
        "suspicious": diagnosis.suspicious,
        **_against(table.reference, labels),
    }


def _against(reference: list[str] | None, labels: NDArray[np.int64]) -> dict[str, float | None]:
    """Compare clusters with true labels, where there are some; rows without one are left out."""
    from sklearn.metrics import adjusted_rand_score

    known = [row for row, label in enumerate(reference or ()) if label]
    if reference is None or len(known) < 2:
        return {"reference_f": None, "reference_ari": None}
    true, found = [reference[row] for row in known], labels[known]
    return {
        "reference_f": float(pairwise_f_measure(true, found)),
        "reference_ari": float(adjusted_rand_score(true, found)),
    }


def _relation(u: int, v: int, rows: NDArray[np.int64], job: Job, tables: list[Table], fit: Fit) -> dict[str, Any]:
    same = fit.labels[u][rows[:, 0]] == fit.labels[v][rows[:, 1]]
    names = {f"{tables[a].name}:{tables[b].name}" for a, b in ((u, v), (v, u))}
    source = next(path for pair, path in job.matches.items() if pair in names)
    return {
        "views": [u, v],
        "source": source,
        "pairs": rows.tolist(),
        "agreement": float(same.mean()),
        "by_chance": _agreement_by_chance(fit.labels[u][rows[:, 0]], fit.labels[v][rows[:, 1]], job),
        "differing": rows[~same].tolist(),
    }


def _agreement_by_chance(first: NDArray[np.int64], second: NDArray[np.int64], job: Job) -> float:
    """Return the share of matches that would agree if they meant nothing: drawn anew, and clusters numbered by them."""
    rng = np.random.default_rng(job.seed)
    pairs = {(0, 1): np.column_stack([np.arange(len(first))] * 2)}
    shares = []
    for _ in range(_DRAWS):
        drawn = rng.permutation(second)
        _, number = match_clusters([first, drawn], pairs, job.n_clusters)
        shares.append(np.mean(first == number[drawn]))
    return float(np.mean(shares))


def _listing(flow: Flow, first: NDArray[np.bool_], tables: list[Table] | None = None) -> list[list[Any]]:
    """List the constraints of a flow, those of a mask first, and each part from the heaviest on.

    With ``tables``, the reason begins with the view that passed a constraint on.
    """
    order = np.lexsort((-flow.constraints.weights, ~first))[:MOST_LISTED].tolist()
    rows = list(flow.constraints._rows())
    origin = [f"from {tables[source].name}: " if tables else "" for source, _, _ in flow.source]
    return [[*rows[place], origin[place] + flow.because[place]] for place in order]


def _count(constraints: Constraints) -> dict[str, int]:
    must_links = constraints._n_must_links()
    return {"must_link": must_links, "cannot_link": len(constraints) - must_links}


def _is_new(constraints: Constraints, known: Constraints) -> NDArray[np.bool_]:
    """Tell which constraints do not merely follow from what was given."""
    if not len(constraints):  # the known ones may be too many to be listed
        return np.zeros(0, dtype=np.bool_)
    return ~constraints._among(known)


def _rounded(values: NDArray[np.float64]) -> list[float]:
    """Six digits are more than a drawing shows."""
    return [float(f"{value:.6g}") for value in values.tolist()]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
