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
from mvcc.metrics import pairwise_f_measure

SCHEMA = 1


def describe(job: Job, tables: list[Table], features: list[Features], fit: Fit, explained: Explained) -> dict[str, Any]:
    """Return the facts of a clustering, ready for JSON."""
    return {
        "schema": SCHEMA,
        "kind": "clustering",
        "title": _listed([table.name for table in tables]),
        "n_clusters": job.n_clusters,
        "views": [_view(n, table, features[n], fit) | explained.views[n] for n, table in enumerate(tables)],
        "relations": [
            _relation(*views, rows, job, tables) | explained.relations[views] for views, rows in fit.relations.items()
        ],
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


def _relation(u: int, v: int, rows: NDArray[np.int64], job: Job, tables: list[Table]) -> dict[str, Any]:
    names = {f"{tables[a].name}:{tables[b].name}" for a, b in ((u, v), (v, u))}
    source = next(path for pair, path in job.matches.items() if pair in names)
    return {"views": [u, v], "source": source, "pairs": rows.tolist()}


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
