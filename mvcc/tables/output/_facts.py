"""The facts of ``clustering.json``, and the warnings about a clustering."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from mvcc._utils.messages import agreeing, enumerated, views_of_pair
from mvcc._utils.types import Floats, Ints, blocks_of
from mvcc.metrics import cluster_fit
from mvcc.tables._job import Job
from mvcc.tables.explaining._profiles import name_clusters, nameless
from mvcc.tables.fitting._features import Features, drawn
from mvcc.tables.fitting._fit import Explained, Fit, against_labels
from mvcc.tables.output._continued import Continuation, names_kept
from mvcc.tables.reading._answers import no_answers
from mvcc.tables.reading._column import LeftOut
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.tables.fitting._comparison import Comparison

SCHEMA = 1
_LARGE = 1 / 3  # of all rows
_SMALL = 1 / 4  # of the largest cluster
_STABLE = 0.605  # what is written as .60 is not stable
_OVERLAP = 0.1  # of the rows of two clusters


def describe(
    job: Job,
    inputs: Inputs,
    features: list[Features],
    fit: Fit,
    explained: Explained,
    comparison: Comparison,
    continuation: Continuation | None = None,
) -> dict[str, Any]:
    """Return the facts of a clustering, ready for JSON."""
    tables = inputs.tables
    answers = inputs.answers or no_answers(tables)
    joint = explained.facts.get("joint")
    alike = joint["connected"] if joint else [[number] for number in range(len(tables))]
    names = name_clusters(answers, fit.labels, alike, fit.n_numbers)
    names_from, more = answers.source, dict[str, Any]()
    if continuation:
        names = names_kept(continuation, names)
        names_from = names_from or continuation.names_from
        more["continued"] = continuation.facts.model_dump(mode="json")
    if answers.together:
        more["together"] = answers.together.model_dump(mode="json")
    outliers = answers.outlier_ids()
    views = [
        _view(number, table, features[number], fit)
        | {"names": names[number], "outliers": outliers[number]}
        # the joint method has drawn all views in one plane
        | ({} if joint else drawn(*features[number].plane()))
        | explained.views[number]
        for number, table in enumerate(tables)
    ]
    return {
        "schema": SCHEMA,
        "kind": "clustering",
        "title": enumerated([table.name for table in tables]),
        "n_clusters": fit.n_numbers,
        "views": views,
        "names": [" / ".join(dict.fromkeys(filter(None, own))) for own in zip(*names, strict=True)],
        "names_from": names_from,
        **more,
        "relations": [
            _relation(*views, inputs.relations[views], job, tables)
            | explained.relations[views]
            | {"held_out": comparison.held_out.get(views)}
            for views in fit.method.relations
        ],
        "comparison": comparison.facts,
        **explained.facts,
        "stability_runs": {"count": fit.n_runs, "agreement": fit.agreement},
        "warnings": [
            *fit.warnings,
            *filter(None, (one.note for one in features)),
            *explained.cautions,
            *cautions(job, tables, fit),
            *comparison.cautions,
            *inputs.notes,
            *nameless(answers, names),
        ],
        "settings": job.settings(),
    }


def _view(number: int, table: Table, features: Features, fit: Fit) -> dict[str, Any]:
    labels, given = fit.labels[number], fit.method.given[number]
    satisfied = (labels[given.pairs[:, 0]] == labels[given.pairs[:, 1]]) == given.must_link
    rows = [
        [*row, ok, given.source_of(position)]
        for position, (row, ok) in enumerate(zip(given.rows(), satisfied.tolist(), strict=True))
    ]
    left_out = fit.method.dropped[number]
    return {
        "name": table.name,
        "source": table.path,
        "n_rows": len(table.ids),
        "n_all_rows": table.n_all_rows,
        "n_features": table.n_used,
        "features": features.words,
        "n_components": features.X.shape[1],
        "unused": table.unused,
        "columns": [column.to_dict() for column in table.every_column],
        "ids": table.ids,
        "labels": labels.tolist(),
        "reference": table.reference,
        "fit": np.round(cluster_fit(features.X, labels), 6).tolist(),
        "stability": fit.stability[number].tolist() if fit.stability else [None] * len(labels),
        **_choices(number, labels, fit),
        "given": rows,
        "violated": [[*row[:4], row[5]] for row in rows if not row[4]],
        "cautions": list(_of_clusters(number, table.name, fit)),
        "dropped": [
            [*row, left_out.source_of(position)] for position, row in enumerate(left_out.rows())
        ],
        **against_labels(table.reference, labels),
    }


def _choices(number: int, labels: Ints, fit: Fit) -> dict[str, list[Any]]:
    """Return how likely the cluster of every row is, and its second choice with its probability."""
    of_views = fit.method.probabilities
    shares: Any = of_views[number] if of_views else None
    if shares is None or shares.shape[1] < 2:
        return {"probability": [], "second": [], "second_probability": []}
    numbers = fit.numbers[number]  # the cluster of every column
    columns = np.zeros(fit.n_numbers, np.int64)
    columns[numbers] = np.arange(len(numbers))
    first, second, second_share = [], [], []
    for block in blocks_of(len(labels)):
        own, rows = columns[labels[block]], np.arange(len(labels[block]))
        dense = shares[block].toarray() if issparse(shares) else shares[block].copy()
        first.append(dense[rows, own])
        dense[rows, own] = -1
        second.append(numbers[dense.argmax(axis=1)])
        second_share.append(dense.max(axis=1))
    return {
        "probability": np.concatenate(first).round(4).tolist(),
        "second": np.concatenate(second).tolist(),
        "second_probability": np.concatenate(second_share).round(4).tolist(),
    }


def _relation(u: int, v: int, rows: Ints, job: Job, tables: list[Table]) -> dict[str, Any]:
    names = {tables[u].name, tables[v].name}
    source = next(path for pair, path in job.matches.items() if {*views_of_pair(pair)} == names)
    return {"views": [u, v], "source": source, "pairs": rows.tolist()}


def cautions(job: Job, tables: list[Table], fit: Fit) -> Iterator[str]:
    """Say what must not be overlooked, whatever the method."""
    for number, table in enumerate(tables):
        yield from _of_clusters(number, table.name, fit)
        if fit.agreement and fit.agreement[number] < _STABLE:
            yield (
                f"{table.name}: its clusters change from start to start (stability"
                f" {fit.agreement[number]:.2f} of 1; below 0.6 is low). Try another number of"
                " clusters (-k), or add constraints (mvcc ask)."
            )
        yield from table.notes
        if beside := [column.name for column in table.every_column if column.why is LeftOut.BESIDE]:
            yield (
                f"{table.path}: {', '.join(beside[:5])} lies beside the array of columns and was"
                " not used."
            )


def _of_clusters(number: int, name: str, fit: Fit) -> Iterator[str]:
    """Say what must not be overlooked of the clusters in a view, which corrections change."""
    sizes = np.bincount(fit.labels[number], minlength=fit.n_numbers)
    sizes = np.sort(sizes[fit.numbers[number]])
    if empty := int(np.count_nonzero(sizes == 0)):
        are = agreeing(empty, "is", "are")
        yield f"{name}: {empty} of the {len(sizes)} clusters {are} empty."
    if (
        len(sizes) > 1
        and sizes[-1] >= _LARGE * sizes.sum()
        and np.median(sizes[:-1]) < _SMALL * sizes[-1]
    ):
        yield (
            f"{name}: one cluster has {sizes[-1] / sizes.sum():.0%} of all rows, most others are"
            " small. Rows that are unlike all others may make clusters of their own; look at the"
            " smallest ones."
        )
    if fit.exchanged:
        yield from _overlap(name, fit.exchanged[number], fit.labels[number])


def _overlap(name: str, exchanged: Floats, labels: Ints) -> Iterator[str]:
    """Name the two clusters that exchange most of their rows, where these are many."""
    sizes = np.bincount(labels, minlength=len(exchanged))
    shares = (exchanged + exchanged.T) / np.maximum(sizes[:, None] + sizes, 1)
    one, other = np.unravel_index(np.triu(shares, 1).argmax(), shares.shape)
    if shares[one, other] > _OVERLAP:
        yield (
            f"{name}: clusters {one} and {other} overlap: {shares[one, other]:.0%} of their rows"
            " change between them in the stability runs."
        )
