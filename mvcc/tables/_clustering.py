"""From the files of a job, as they were read, to clusters, facts and a model for new rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import issparse

from mvcc._utils.arrays import Floats, Ints, blocks_of
from mvcc._utils.environment import command_line, machine, now, versions
from mvcc._utils.messages import agreeing, counted, enumerated, for_reader, percent, views_of_pair
from mvcc.constraints import n_satisfied
from mvcc.metrics import cluster_fit
from mvcc.results import SCHEMA, Clustering, parse_facts
from mvcc.tables._job import Job
from mvcc.tables.correcting._corrected import Reviewed
from mvcc.tables.correcting._draft import Draft
from mvcc.tables.explaining._distinguishing import notes_on_labels, with_likely_labels
from mvcc.tables.explaining._profiles import (
    all_profiles,
    misnamed,
    name_clusters,
    nameless,
    names_in_all,
)
from mvcc.tables.explaining._shown_rows import add_pictures, add_rows
from mvcc.tables.fitting._comparison import METHODS, NOT_COMPARED, Comparison, compare
from mvcc.tables.fitting._features import Features, drawn, make_features
from mvcc.tables.fitting._fit import Explained, Fit, Rows, against_labels, fit_job
from mvcc.tables.fitting._number_of_clusters import of_number, with_number
from mvcc.tables.model._saved import SavedClustering, SavedView
from mvcc.tables.output._continued import Continuation, continued, numbered_alike
from mvcc.tables.output._former import Former
from mvcc.tables.reading._column import LeftOut
from mvcc.tables.reading._inputs import Inputs, no_answers
from mvcc.tables.reading._table import Table

_LARGE = 1 / 3  # of all rows
_SMALL = 1 / 4  # of the largest cluster
_STABLE = 0.605  # what is written as .60 is not stable
_OVERLAP = 0.1  # of the rows of two clusters


@dataclass(frozen=True, eq=False)
class Clustered:
    """A clustering: facts, tables by view and file name, the model, and what it was made of."""

    reviewed: Reviewed
    tables: list[dict[str, Rows]]
    saved: SavedClustering
    model: Any
    job: Job
    inputs: Inputs

    @property
    def facts(self) -> Clustering:
        """The facts, after all corrections."""
        return self.reviewed.facts


def clustered(
    given: Job, inputs: Inputs, began: float, on_step: Callable[[str], None], former: Former | None
) -> Clustered:
    """Cluster what was read for a job that ``began`` then; the facts have the settings as given."""
    relations = inputs.relations
    if former:
        inputs = former.matched(inputs)
    job, tables = with_number(given, inputs), inputs.tables
    on_step("features")
    features = [make_features(table, job) for table in tables]
    method = METHODS[job.method](job, [feature.X for feature in features], inputs)
    fit = fit_job(method, on_step)
    continuation = continued(former, inputs, fit)
    fit = continuation.fit
    on_step("reasons")
    explained = method.explain(fit)
    tables = [with_likely_labels(*args) for args in zip(tables, fit.labels, strict=True)]
    # corrections change the matches again, as long as they stand
    inputs = replace(inputs, tables=tables, relations=relations)
    comparison = NOT_COMPARED
    if job.comparison and job.k > 1:
        comparison = compare(fit, on_step)
    on_step("profiles")
    facts = _facts(given, inputs, features, explained, comparison, continuation)
    facts["seconds"] = round(time.perf_counter() - began, 1)
    saved = [
        SavedView(
            name=table.name,
            columns=table.columns,
            used=table.used,
            mixed=not isinstance(table.X, np.ndarray),
            missing=list(job.views[table.name].missing or ()),
            id_column=table.id_column,
            transformer=features[view].transformer,
            predictor=fit.model.predictor(view),
            numbers=fit.numbers[view],
        )
        for view, table in enumerate(tables)
    ]
    reviewed = Reviewed(Draft.of(parse_facts(facts), continuation.corrections), tables)
    return Clustered(reviewed, explained.tables, SavedClustering(saved), fit.model, job, inputs)


def _facts(
    job: Job,
    inputs: Inputs,
    features: list[Features],
    explained: Explained,
    comparison: Comparison,
    continuation: Continuation,
) -> dict[str, Any]:
    """Return the facts of a clustering, ready for JSON; it has taken no ``seconds`` yet."""
    tables, fit = inputs.tables, continuation.fit
    called = [table.name for table in tables]
    answers = inputs.answers or no_answers(tables)
    answered = name_clusters(answers, fit.labels, numbered_alike(fit), fit.n_numbers)
    names, outliers, more = continuation.named(answered), answers.outlier_ids(), dict[str, Any]()
    for name, section in (("continued", continuation.facts), ("together", answers.together)):
        if section:
            more[name] = section.model_dump(mode="json")
    views = [
        _view(view, table, features[view], fit)
        | {"names": names[view], "outliers": outliers[view]}
        | explained.views[view]
        for view, table in enumerate(tables)
    ]
    for view_facts, feature in zip(views, features, strict=True):
        if "x" not in view_facts:  # the joint method has drawn all views in one plane
            view_facts |= drawn(*feature.plane())
    profiles = all_profiles(views, tables, fit)
    facts = {
        "schema": SCHEMA,
        "kind": "clustering",
        "title": enumerated(called),
        "n_clusters": fit.n_numbers,
        "views": views,
        **names_in_all(names, profiles),
        "names_from": answers.source or continuation.names_from,
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
        "warnings": [  # first on the clusters, last on how tables were read
            *(note for table in tables for note in notes_on_labels(table, job)),
            *comparison.cautions,
            *explained.cautions,
            *cautions(tables, fit),
            *of_number(job, inputs),
            *nameless(answers, names),
            *chain(*(notes.values() for notes in map(misnamed, called, names, profiles))),
            *continuation.warnings,
            *filter(None, (feature.note for feature in features)),
            *_on_reading(tables),
            *inputs.notes,
        ],
        "settings": job.settings(),
        "profiles": profiles,
        "inputs": [{"path": path, "sha256": sha256, "rows": n} for path, n, sha256 in inputs.files],
        "command": command_line(),
        "versions": versions(),
        "machine": machine(),
        "finished": now(),
    }
    add_rows(facts, tables, inputs.relations)
    add_pictures(facts, tables)
    return facts


def _view(view: int, table: Table, features: Features, fit: Fit) -> dict[str, Any]:
    labels, given = fit.labels[view], fit.method.given[view]
    satisfied = (labels[given.pairs[:, 0]] == labels[given.pairs[:, 1]]) == given.must_link
    rows = [
        [*row, ok, given.source_of(position)]
        for position, (row, ok) in enumerate(zip(given.rows(), satisfied.tolist(), strict=True))
    ]
    left_out = fit.method.dropped[view]
    return {
        "name": table.name,
        "source": table.path,
        "n_rows": len(table.ids),
        "n_all_rows": table.n_all_rows,
        "n_features": len(table.columns),
        "features": features.words,
        "n_components": features.X.shape[1],
        "unused": table.unused,
        "columns": [column.to_dict() for column in table.every_column],
        "ids": table.ids,
        "labels": labels.tolist(),
        "reference": table.reference,
        "fit": np.round(cluster_fit(features.X, labels), 6).tolist(),
        "stability": fit.stability[view],
        **_choices(view, labels, fit),
        "given": rows,
        "violated": [[*row[:4], row[5]] for row in rows if not row[4]],
        "cautions": list(_of_clusters(view, table.name, fit)),
        "dropped": [[*row, left_out.source_of(n)] for n, row in enumerate(left_out.rows())],
        **against_labels(table.reference, labels),
    }


def _choices(view: int, labels: Ints, fit: Fit) -> dict[str, list[Any]]:
    """Return how likely the cluster of every row is, and its second choice with its probability."""
    of_views: list[Any] = fit.method.probabilities
    if not of_views or of_views[view].shape[1] < 2:
        return {"probability": [], "second": [], "second_probability": []}
    shares = of_views[view]
    clusters = fit.numbers[view]  # the cluster of every column
    columns = np.zeros(fit.n_numbers, np.int64)
    columns[clusters] = np.arange(len(clusters))
    first, second, second_share = [], [], []
    for block in blocks_of(len(labels)):
        chosen, rows = columns[labels[block]], np.arange(len(labels[block]))
        dense = shares[block].toarray() if issparse(shares) else shares[block].copy()
        first.append(dense[rows, chosen])
        dense[rows, chosen] = -1
        second.append(clusters[dense.argmax(axis=1)])
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


def cautions(tables: list[Table], fit: Fit) -> Iterator[str]:
    """Say what must not be overlooked of the clusters, whatever the method."""
    for view, table in enumerate(tables):
        yield from _of_clusters(view, table.name, fit)
        if fit.agreement and fit.agreement[view] < _STABLE:
            yield (
                f"{table.name}: its clusters change from start to start (stability"
                f" {fit.agreement[view]:.2f} of 1; below 0.6 is low). Try another number of"
                f" clusters ({for_reader('-k', 'n_clusters')}), or add constraints"
                f" ({for_reader('mvcc ask', 'Questions')})."
            )


def _on_reading(tables: list[Table]) -> Iterator[str]:
    """Say what must be known of how tables were read."""
    for table in tables:
        yield from (*table.notes, *table.far_values)
        if beside := [column.name for column in table.every_column if column.why is LeftOut.BESIDE]:
            singular, plural = "lies beside the array and was", "lie beside the array and were"
            text = f"{enumerated(beside, 5)} {agreeing(len(beside), singular, plural)} not used."
            yield f"{table.path}: {text}"


def _of_clusters(view: int, name: str, fit: Fit) -> Iterator[str]:
    """Say what must not be overlooked of the clusters in a view, which corrections change."""
    sizes = np.bincount(fit.labels[view], minlength=fit.n_numbers)
    sizes = np.sort(sizes[fit.numbers[view]])
    if empty := int(np.count_nonzero(sizes == 0)):
        are = agreeing(empty, "is", "are")
        yield f"{name}: {empty} of the {len(sizes)} clusters {are} empty."
    has_large = len(sizes) > 1 and sizes[-1] >= _LARGE * sizes.sum()
    if has_large and np.median(sizes[:-1]) < _SMALL * sizes[-1]:
        yield (
            f"{name}: one cluster has {percent(sizes[-1] / sizes.sum())} of all rows, most others"
            " are small. Rows that are unlike all others may make clusters of their own; look at"
            " the smallest ones."
        )
    given = fit.method.given[view]
    if n := len(given) - n_satisfied(given, fit.labels[view]):
        are, they = agreeing(n, "is", "are"), agreeing(n, "It", "They")
        yield (
            f"{n} of {counted(len(given), 'constraint')} of {name} {are} violated. {they} may be"
            " wrong; see the report."
        )
    if fit.exchanged:
        yield from _overlap(name, fit.exchanged[view], fit.labels[view])


def _overlap(name: str, exchanged: Floats, labels: Ints) -> Iterator[str]:
    """Name the two clusters that exchange most of their rows, where these are many."""
    sizes = np.bincount(labels, minlength=len(exchanged))
    shares = (exchanged + exchanged.T) / np.maximum(sizes[:, None] + sizes, 1)
    first, second = np.unravel_index(np.triu(shares, 1).argmax(), shares.shape)
    if shares[first, second] > _OVERLAP:
        yield (
            f"{name}: clusters {first} and {second} overlap: {percent(shares[first, second])} of"
            " their rows change between them in the stability runs."
        )
