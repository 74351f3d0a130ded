"""Likely counterparts of the unmatched rows of a job, as a table for a person to confirm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mvcc._utils.arrays import Ints
from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import clipped, counted, pair_name, row_name, shown, views_of_pair
from mvcc._utils.outputs import write_output
from mvcc.exceptions import ConfigError, DataError
from mvcc.results import Clustering, read_facts
from mvcc.tables._job import Job
from mvcc.tables.correcting._corrections import (
    NO_MATCH,
    NONE,
    Corrections,
    read_corrections,
    rows_in,
    with_matches,
)
from mvcc.tables.output._export_formats import escaped
from mvcc.tables.output._folder import inputs_of
from mvcc.tables.output._stored import has_changed, refuse_samples
from mvcc.tables.reading._answers import with_answers
from mvcc.tables.reading._inputs import Inputs, read_inputs
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.multiview import MatchCandidates, MatchProposals

_MOST_MEASURED = 10**8  # pairs of unmatched rows; to measure takes five times as long as to propose
_FOLDS = 5
PROPOSALS = "proposed matches"


def propose_matches(
    job: Job,
    *,
    clustering: Path | None = None,
    between: str | None = None,
    n_rows: int = 100,
    n_candidates: int = 1,
    with_known: bool = False,
) -> dict[str, Any]:
    """Find likely counterparts of unmatched rows, and how often known ones are found so.

    Rows and matches that a `clustering` by this job or its corrections left out are not learned
    from; its clusters are listed.
    `between` is ``VIEW:VIEW``; by default the only two views with matches. ``found_first`` and
    ``found_in_five`` are None where to cut matches takes too long, or leaves too few.
    """
    facts, corrections = None, NONE
    if clustering:
        facts, corrections = read_facts(clustering), read_corrections(clustering)
        refuse_samples(clustering, facts)
    inputs = read_inputs(job)
    if facts and clustering:
        _refuse_changed(clustering, facts, inputs)
    inputs = with_answers(job, with_matches(inputs, corrections))
    if facts:
        inputs = inputs.on_rows([_clustered_rows(table, facts) for table in inputs.tables])
    tables, known = _between(inputs, between)
    called = [[row_name(table.name, id) for id in table.ids] for table in tables]
    if facts:
        dropped = set(_dropped(facts))
        ends = (frozenset((called[0][i], called[1][j])) for i, j in known.tolist())
        known = known[[rows not in dropped for rows in ends]]
    # scikit-learn, as in `cluster_job`
    from mvcc.multiview import FEWEST_MATCHES, fewest_left, match_candidates, match_proposals
    from mvcc.tables.fitting._features import features_before_clusters

    if len(known) < FEWEST_MATCHES:
        raise DataError(
            f"{tables[0].name} and {tables[1].name} have {counted(len(known), 'match')};"
            f" {FEWEST_MATCHES} or more are needed to learn from."
        )
    views = [feature.X for feature in features_before_clusters(tables, job)]
    unmatched = [
        len(table.ids) - len(np.unique(rows)) for table, rows in zip(tables, known.T, strict=True)
    ]
    are_enough = fewest_left(known, _FOLDS) >= FEWEST_MATCHES
    is_measured = are_enough and np.prod(unmatched) <= _MOST_MEASURED
    n_folds = _FOLDS if is_measured else 1
    matches, refused = {(0, 1): known}, _refused(corrections, called)
    apart = {(0, 1): np.array(refused, dtype=np.int64).reshape(-1, 2)}
    proposals = match_proposals(views, matches, n_folds=n_folds, refused=apart)[0, 1]
    # nothing is measured where nothing is left to propose, either
    hits = [None if np.isnan(hit) else float(hit) for hit in proposals.hits]
    others = None
    if n_candidates > 1:
        most = max(Counter(row for row, _ in refused).values(), default=0)
        others = match_candidates(views, matches, n_candidates=n_candidates + most)[0, 1]
    lines = [*_lines(proposals, others, n_rows, n_candidates, {*refused})]
    n_proposals, names = len(lines), [table.name for table in tables]
    if with_known:
        lines += [(i, j, "known", "", "") for i, j in known.tolist()]
    first, second = ([*_beside(table, facts)] for table in tables)
    rows = [
        [tables[0].ids[i], tables[1].ids[j], *told]
        + [values[i] for _, values in first]
        + [values[j] for _, values in second]
        for i, j, *told in lines
    ]
    return {
        "views": names,
        "n_matches": len(known),
        "n_unmatched": unmatched,
        "found_first": hits[0],
        "found_in_five": hits[-1],
        "n_proposals": n_proposals,
        "columns": [*names, "rank", "probability", "score", *(name for name, _ in first + second)],
        "rows": rows,
    }


def _refused(corrections: Corrections, called: list[list[str]]) -> list[tuple[int, int]]:
    """Return the rows of two tables, `called` so, that corrections say are no match."""
    places = [{name: row for row, name in enumerate(names)} for names in called]
    lines = (rows_in(line.id) for line in corrections.standing if line.answer == NO_MATCH)
    return [
        (places[0][one], places[1][other])
        for names in lines
        if len(names) == 2
        for one, other in (names, names[::-1])
        if one in places[0] and other in places[1]
    ]


def _lines(
    proposals: MatchProposals,
    others: MatchCandidates | None,
    n_rows: int,
    n_candidates: int,
    refused: set[tuple[int, int]],
) -> Iterator[tuple[Any, ...]]:
    """Give each proposal, then the other candidates of its row: rows, rank, probability, score."""
    place = {int(row): number for number, row in enumerate(others.rows)} if others else {}
    for number, (row, other) in enumerate(proposals.pairs[:n_rows].tolist()):
        probability = proposals.probabilities[number]
        told = "" if np.isnan(probability) else round(float(probability), 4)
        yield row, other, 1, told, round(float(proposals.scores[number]), 4)
        if others:
            found, scores = others.candidates[place[row]], others.scores[place[row]]
            more = [n for n, one in enumerate(found.tolist()) if (row, one) not in refused]
            more = [n for n in more if found[n] != other][: n_candidates - 1]
            for rank, n in enumerate(more, 2):
                yield row, int(found[n]), rank, "", round(float(scores[n]), 4)


def _beside(table: Table, facts: Clustering | None) -> Iterator[tuple[str, list[Any]]]:
    """Give columns to list beside the rows of a table: their clusters, and those to show."""
    if facts:
        view = facts.view(table.name)
        clusters = dict(zip(view.ids, view.labels, strict=True)) if view else {}
        yield f"{table.name}.cluster", [clusters.get(name, "") for name in table.ids]
    for name, texts in table.shown.items():
        yield f"{table.name}.{name}", texts


def write_proposals(found: dict[str, Any], path: Path, job: Job, *, fresh: bool = False) -> None:
    """Write proposals as a file of matches; what is shown of the rows never counts as a formula."""
    rows = [[*row[:2], *escaped([str(value) for value in row[2:]])] for row in found["rows"]]
    content = csv_bytes([found["columns"], *rows])
    write_output(path, content, PROPOSALS, fresh=fresh, inputs=inputs_of(job))


def _refuse_changed(clustering: Path, facts: Clustering, inputs: Inputs) -> None:
    """Refuse tables that are not those of a clustering, unless ids tell which rows are the same."""
    before = {view.name: file for view, file in zip(facts.views, facts.inputs, strict=False)}
    for table, (*_, sha256) in zip(inputs.tables, inputs.files, strict=False):
        file = before.get(table.name)
        if table.is_numbered and not (file and file.sha256 == sha256):
            raise has_changed(table.path, clustering)


def _between(inputs: Inputs, between: str | None) -> tuple[list[Table], Ints]:
    """Return two tables and their matches."""
    pairs = [pair_name(inputs.tables[u].name, inputs.tables[v].name) for u, v in inputs.relations]
    if between is None:
        if len(pairs) != 1:
            what = "give some with --match"
            if pairs:
                what = f"choose one with --between: {clipped(', '.join(pairs), 200)}"
            raise ConfigError(f"Matches are known of {len(pairs)} pairs of views; {what}.")
        between = pairs[0]
    names = views_of_pair(between)
    numbers = [inputs.numbers.get(name, -1) for name in names]
    if len(names) != 2 or (known := inputs.relations.get((min(numbers), max(numbers)))) is None:
        raise ConfigError(
            f"--between {shown(between)}: no matches are known of two such views. "
            f"Known: {clipped(', '.join(pairs), 200) or 'none'}."
        )
    order = 1 if numbers[0] < numbers[1] else -1
    return [inputs.tables[number] for number in numbers], known[:, ::order]


def _clustered_rows(table: Table, facts: Clustering) -> Ints:
    """Return the rows of a table without those that a clustering left out."""
    view = facts.view(table.name)
    outliers = view.outliers if view else ()
    return np.flatnonzero(~np.isin(table.ids, outliers))


def _dropped(facts: Clustering) -> Iterator[frozenset[str]]:
    """Give the rows of every match that a clustering left out since it seems to be wrong."""
    for relation in facts.relations:
        first, second = (facts.views[number] for number in relation.views)
        for match in relation.suspicious:
            if match.dropped:
                ends = (first, match.i), (second, match.j)
                yield frozenset(row_name(view.name, view.ids[row]) for view, row in ends)
