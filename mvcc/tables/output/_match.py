"""Likely counterparts of the unmatched rows of a job, as a table for a person to confirm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mvcc._utils.arrays import Ints
from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import clipped, counted, pair_name, shown, views_of_pair
from mvcc._utils.outputs import write_output
from mvcc.exceptions import ConfigError, DataError
from mvcc.multiview import answers_standing
from mvcc.results import Clustering
from mvcc.tables._job import Job
from mvcc.tables.correcting._corrections import (
    NO_MATCH,
    Corrections,
    names_of,
    read_corrections,
    rows_in,
    with_matches,
)
from mvcc.tables.output._export_formats import escaped
from mvcc.tables.output._folder import inputs_of
from mvcc.tables.output._stored import has_changed, read_result, refuse_samples, same_tables
from mvcc.tables.reading._answers import with_answers
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._read_inputs import read_inputs
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
    inputs, facts, corrections = _read(job, clustering)
    tables, known = _between(inputs, between)
    pairs = (rows_in(line.id) for line in answers_standing(corrections) if line.answer == NO_MATCH)
    refused = _rows_of_pairs(pairs, inputs, tables)
    if facts:
        dropped = _rows_of_pairs(_dropped(facts), inputs, tables)
        known = known[[(i, j) not in dropped for i, j in known.tolist()]]
    # scikit-learn, as in `cluster_job`
    from mvcc.multiview import FEWEST_MATCHES, fewest_left, match_candidates, match_proposals
    from mvcc.tables.fitting._features import features_before_clusters

    if len(known) < FEWEST_MATCHES:
        raise DataError(
            f"{tables[0].name} and {tables[1].name} have {counted(len(known), 'match')};"
            f" {FEWEST_MATCHES} or more are needed to learn from."
        )
    views = [feature.X for feature in features_before_clusters(tables, job)]
    sides = zip(tables, known.T, strict=True)
    unmatched = [len(table.ids) - len(np.unique(rows)) for table, rows in sides]
    n_folds = 1
    if fewest_left(known, _FOLDS) >= FEWEST_MATCHES and np.prod(unmatched) <= _MOST_MEASURED:
        n_folds = _FOLDS
    matches = {(0, 1): known}
    apart = {(0, 1): np.array(sorted(refused), dtype=np.int64).reshape(-1, 2)}
    proposals = match_proposals(views, matches, n_folds=n_folds, refused=apart)[0, 1]
    # nothing is measured where nothing is left to propose, either
    hits = [None if np.isnan(hit) else float(hit) for hit in proposals.hits]
    candidates = None
    if n_candidates > 1:
        most = max(Counter(row for row, _ in refused).values(), default=0)
        candidates = match_candidates(views, matches, n_candidates=n_candidates + most)[0, 1]
    lines = [*_lines(proposals, candidates, n_rows, n_candidates, refused)]
    n_proposals = len(lines)
    if with_known:
        lines += [(i, j, "known", "", "") for i, j in known.tolist()]
    return {
        "views": [table.name for table in tables],
        "n_matches": len(known),
        "n_unmatched": unmatched,
        "found_first": hits[0],
        "found_in_five": hits[-1],
        "n_proposals": n_proposals,
        **_listed(lines, tables, facts),
    }


def _read(job: Job, clustering: Path | None) -> tuple[Inputs, Clustering | None, Corrections]:
    """Return the inputs without rows that corrections left out, the facts, and the corrections."""
    if clustering is None:
        return with_answers(job, read_inputs(job)), None, ()
    facts, corrections = read_result(clustering), read_corrections(clustering)
    refuse_samples(clustering, facts)
    inputs = read_inputs(job)
    same = same_tables(facts, inputs)
    for table in inputs.tables:  # unless ids tell which rows are the same
        if table.is_numbered and table.name not in same:
            raise has_changed(table.path, clustering)
    inputs = with_answers(job, with_matches(inputs, corrections))
    outliers = {view.name: view.outliers for view in facts.views}
    is_left_out = [np.isin(table.ids, outliers.get(table.name, ())) for table in inputs.tables]
    inputs = inputs.on_rows([np.flatnonzero(~mask) for mask in is_left_out])
    return inputs, facts, corrections


def _listed(
    lines: list[tuple[Any, ...]], tables: list[Table], facts: Clustering | None
) -> dict[str, list[Any]]:
    """Return the table of proposals: ids, rank and scores, and what stands beside the rows."""
    first, second = ([*_beside(table, facts)] for table in tables)
    beside = [name for name, _ in first + second]
    return {
        "columns": [*(table.name for table in tables), "rank", "probability", "score", *beside],
        "rows": [
            [tables[0].ids[i], tables[1].ids[j], *cells]
            + [values[i] for _, values in first]
            + [values[j] for _, values in second]
            for i, j, *cells in lines
        ],
    }


def _rows_of_pairs(
    named: Iterable[Iterable[str]], inputs: Inputs, tables: list[Table]
) -> set[tuple[int, int]]:
    """Return the pairs of rows of two tables among those that are named."""
    first, second = (inputs.numbers[table.name] for table in tables)
    pairs = (dict(filter(None, map(inputs.find, names))) for names in named)
    return {(rows[first], rows[second]) for rows in pairs if {first, second} == {*rows}}


def _lines(
    proposals: MatchProposals,
    others: MatchCandidates | None,
    n_rows: int,
    n_candidates: int,
    refused: set[tuple[int, int]],
) -> Iterator[tuple[Any, ...]]:
    """Give each proposal, then the other candidates of its row: rows, rank, probability, score."""
    positions = dict[int, int]()
    if others:
        positions = {row: position for position, row in enumerate(others.rows.tolist())}
    for proposal, (row, other) in enumerate(proposals.pairs[:n_rows].tolist()):
        probability: Any = round(float(proposals.probabilities[proposal]), 4)
        if np.isnan(probability):
            probability = ""
        yield row, other, 1, probability, round(float(proposals.scores[proposal]), 4)
        if others:
            mates, scores = others.candidates[positions[row]], others.scores[positions[row]]
            more = [n for n, mate in enumerate(mates.tolist()) if (row, mate) not in refused]
            more = [n for n in more if mates[n] != other][: n_candidates - 1]
            for rank, n in enumerate(more, 2):
                yield row, int(mates[n]), rank, "", round(float(scores[n]), 4)


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


def _between(inputs: Inputs, between: str | None) -> tuple[list[Table], Ints]:
    """Return two tables and their matches."""
    pairs = [pair_name(inputs.tables[u].name, inputs.tables[v].name) for u, v in inputs.relations]
    if between is None and len(pairs) == 1:
        (between,) = pairs
    turned = {(v, u): rows[:, ::-1] for (u, v), rows in inputs.relations.items()}
    relations = inputs.relations | turned
    views: Any = tuple(inputs.numbers.get(name, -1) for name in views_of_pair(between or ""))
    if views not in relations:
        known = clipped(", ".join(pairs), 200) or "no two views"
        given = f", not {shown(between)}" if between else ""
        raise ConfigError(
            f"Matches are known of {known}; choose one with --between{given}, or give some with"
            " --match."
        )
    return [inputs.tables[view] for view in views], relations[views]


def _dropped(facts: Clustering) -> Iterator[list[str]]:
    """Give the rows of every match that a clustering left out since it seems to be wrong."""
    for relation in facts.relations:
        for i, j, _, is_dropped in relation.suspicious:
            if is_dropped:
                yield names_of(facts.views, zip(relation.views, (i, j), strict=True))
