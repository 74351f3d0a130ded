"""Everything that a report shows of a clustering, as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mvcc.analysis._cautions import cautions
from mvcc.analysis._config import Job
from mvcc.analysis._features import Features, rounded
from mvcc.analysis._fit import Fit
from mvcc.analysis._method import Explained
from mvcc.analysis._tables import Table
from mvcc.matching import match_clusters
from mvcc.metrics import pairwise_f_measure

SCHEMA = 1
_DRAWS = 20  # of matches at random


def describe(job: Job, tables: list[Table], features: list[Features], fit: Fit, explained: Explained) -> dict[str, Any]:
    """Return the facts of a clustering, ready for JSON."""
    return {
        "schema": SCHEMA,
        "kind": "clustering",
        "title": _listed([table.name for table in tables]),
        "n_clusters": job.n_clusters,
        "views": [_view(n, table, features[n], fit) | explained.views[n] for n, table in enumerate(tables)],
        "relations": [_relation(u, v, rows, job, tables, fit) for (u, v), rows in fit.relations.items()],
        **explained.facts,
        "restarts": {"count": job.restarts, "agreement": fit.agreement},
        "warnings": [*fit.warnings, *explained.cautions, *cautions(job, tables, fit)],
        "settings": job.settings(),
    }


def _view(number: int, table: Table, features: Features, fit: Fit) -> dict[str, Any]:
    labels, given = fit.labels[number], fit.given[number]
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
        "x": rounded(features.plane[:, 0]),
        "y": rounded(features.plane[:, 1]),
        "axes": features.axes,
        "stability": fit.stability[number].tolist() if fit.stability else [None] * len(labels),
        "given": rows,
        "violated": [[*row[:4], row[5]] for row in rows if not row[4]],
        "dropped": [[*row, left_out.where(position)] for position, row in enumerate(left_out._rows())],
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
    names = {f"{tables[a].name}:{tables[b].name}" for a, b in ((u, v), (v, u))}
    source = next(path for pair, path in job.matches.items() if pair in names)
    relation = {"views": [u, v], "source": source, "pairs": rows.tolist()}
    if job.method == "joint":  # matched rows are one object: that they agree says nothing
        return relation | {"agreement": None, "by_chance": None, "differing": []}
    same = fit.labels[u][rows[:, 0]] == fit.labels[v][rows[:, 1]]
    return relation | {
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


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
