"""What differs between two clusterings: clusters, rows that moved, constraints and matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import clipped, counted
from mvcc._utils.outputs import write_output
from mvcc._utils.types import Ints
from mvcc.constraints import kind_of
from mvcc.exceptions import StoreError
from mvcc.results import Changes, Clustering, ViewFacts, in_words, read_facts
from mvcc.tables.correcting._corrections import LEFT_OUT
from mvcc.tables.output._continued import renumbered, rows_in_both
from mvcc.tables.output._stored import inputs_of_clustering

MOVED = ("view", "id", "from", "to", "cluster_in_second")

Said = dict[tuple[frozenset[Any], Any], dict[str, Any]]


def compare_clusterings(first: Path, second: Path) -> dict[str, Any]:
    """Compare the clusterings in two folders of `mvcc cluster`, as `compare_facts` does."""
    return compare_facts((read_facts(first), read_facts(second)), (str(first), str(second)))


def compare_facts(facts: tuple[Clustering, Clustering], called: tuple[str, str]) -> dict[str, Any]:
    """Compare two clusterings, on the views and rows that both have.

    Clusters of the second one are numbered as those of the first that they share most rows with
    (`numbers_like`), alike in all views whose clusters have one numbering. ``numbers`` of a view
    are those of its clusters there; without two common rows that have a cluster, its adjusted Rand
    index is None. Clusterings without a row in common are a StoreError. `called` is what messages
    call them.
    """
    views = [{view.name: view for view in one.views} for one in facts]
    clusters = {
        name: [_clusters(of[name]) for of in views]
        for name in views[0]
        if name in views[1] and {*views[0][name].ids} & {*views[1][name].ids}
    }
    if not clusters:
        names = " and ".join(clipped(", ".join(of), 100) for of in views)
        raise StoreError(
            f"{' and '.join(called)} cannot be compared: no view has rows in both (views: {names})."
        )
    sets = list(_sets(facts, clusters))
    of_view = {name: one for one in sets for name in one.changes.views}
    compared = [
        _compared([of[name] for of in views], clusters[name], of_view[name]) for name in clusters
    ]
    return {
        "clusterings": list(called),
        "changes": [one.changes.model_dump(mode="json") for one in sets],
        "in_words": in_words(one.changes for one in sets),
        "views": compared,
        "matches": _matches(facts, clusters),
        "notes": list(_notes(called, views, compared)),
    }


def write_moved(found: dict[str, Any], path: Path, *, fresh: bool = False) -> None:
    """Write the rows that moved to a CSV file."""
    inputs = [one for folder in found["clusterings"] for one in inputs_of_clustering(Path(folder))]
    rows = [[view["name"], *row.values()] for view in found["views"] for row in view["moved"]]
    write_output(path, csv_bytes([MOVED, *rows]), "moved rows", fresh=fresh, inputs=inputs)


def _clusters(view: ViewFacts) -> dict[str, int]:
    """Return the cluster of every row by its id."""
    return dict(zip(view.ids, view.labels, strict=True)) | dict.fromkeys(view.outliers, LEFT_OUT)


@dataclass(frozen=True, eq=False)
class _Set:
    """Views whose clusters have one numbering in each of two clusterings."""

    number: Ints  # of every cluster of the second, in the numbering of the first
    used: tuple[Ints, Ints]  # the clusters of both that have rows, in the numbering of the first
    changes: Changes


def _sets(
    facts: tuple[Clustering, Clustering], clusters: dict[str, list[dict[str, int]]]
) -> Iterator[_Set]:
    """Give sets of views, with the numbers that clusters of the second clustering get."""
    alike: dict[tuple[int, ...], list[str]] = {}
    for name in clusters:
        sets = ([name in names for names in one.numbered_alike] for one in facts)
        alike.setdefault(tuple(own.index(True) for own in sets), []).append(name)
    sizes = (facts[0].n_clusters, facts[1].n_clusters)
    for names in alike.values():
        former, found = (
            np.unique([label for name in names for label in clusters[name][side].values()])
            for side in (0, 1)
        )
        former, found = former[former != LEFT_OUT], found[found != LEFT_OUT]
        before, after = np.concatenate([_pairs(*clusters[name]) for name in names]).T
        counts = rows_in_both(before, after, sizes)
        number = np.arange(sizes[1])
        number[found], changes = renumbered(counts[:, found], former)
        yield _Set(number, (former, number[found]), Changes(views=tuple(names), **changes))


def _pairs(here: dict[str, int], there: dict[str, int]) -> Ints:
    """Return the clusters of common rows in both."""
    pairs = [(here[name], there[name]) for name in here if name in there]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _compared(
    views: list[ViewFacts], clusters: list[dict[str, int]], of_set: _Set
) -> dict[str, Any]:
    from sklearn.metrics import adjusted_rand_score

    here, there = clusters
    common = [one for one in here if one in there]
    own, other = _pairs(here, there).T
    aligned = np.where(other == LEFT_OUT, LEFT_OUT, of_set.number[other])
    inside = (own != LEFT_OUT) & (other != LEFT_OUT)
    rows, columns = (
        [*sorted(used.tolist()), *([LEFT_OUT] if LEFT_OUT in found else [])]
        for used, found in zip(of_set.used, (own, aligned), strict=True)
    )
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    places = [rows.index(label) for label in own], [columns.index(label) for label in aligned]
    np.add.at(table, places, 1)
    moved = [
        (common[row], int(own[row]), int(aligned[row]), int(other[row]))
        for row in np.flatnonzero(own != aligned)
    ]
    agreement = None
    if inside.sum() > 1:
        agreement = float(adjusted_rand_score(own[inside], other[inside]))
    return {
        "name": views[0].name,
        "rows": len(common),
        "only_in": [len(here) - len(common), len(there) - len(common)],
        "adjusted_rand": agreement,
        "numbers": of_set.number.tolist(),
        "clusters": [rows, columns],
        "table": table.tolist(),
        "moved": [dict(zip(MOVED[1:], row, strict=True)) for row in moved],
        "names": [list(view.names) for view in views],
        "judgments": _difference(*map(_constraints, views)),
    }


def _constraints(view: ViewFacts) -> Said:
    """Return what was said of the rows of a view, also what heavier constraints contradict."""
    every = [(one.i, one.j, one.must_link) for one in view.given]
    every += [(one.i, one.j, one.must_link) for one in view.dropped]
    said = {}
    for i, j, must_link in every:
        one, other = view.ids[i], view.ids[j]
        line = {"i": one, "j": other, "kind": kind_of(must_link)}
        said[frozenset((one, other)), must_link] = line
    return said


def _matches(facts: tuple[Clustering, Clustering], names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the matches of every two common views that are new or gone."""
    found: list[dict[frozenset[str], Said]] = []
    for one in facts:
        of_views: dict[frozenset[str], Said] = {}
        for relation in one.relations:
            views = [one.views[view] for view in relation.views]
            own = of_views.setdefault(frozenset(view.name for view in views), {})
            for pair in relation.pairs:
                ends = zip(views, pair, strict=True)
                match = dict(sorted((view.name, view.ids[row]) for view, row in ends))
                own[frozenset(match.items()), None] = match
        found.append(of_views)
    keys = [key for key in dict.fromkeys([*found[0], *found[1]]) if key <= set(names)]
    return [
        {"views": sorted(key)} | _difference(*(one.get(key, {}) for one in found)) for key in keys
    ]


def _difference(before: Said, after: Said) -> dict[str, list[dict[str, Any]]]:
    return {
        "new": [said for key, said in after.items() if key not in before],
        "gone": [said for key, said in before.items() if key not in after],
    }


def _notes(
    called: tuple[str, str], views: list[dict[str, ViewFacts]], compared: list[dict[str, Any]]
) -> Iterator[str]:
    """Say what was not compared."""
    for one, of_views, other in zip(called, views, views[::-1], strict=True):
        yield from (f"The view {name} is only in {one}." for name in of_views if name not in other)
    there = {view["name"] for view in compared}
    for name in views[0]:
        if name in views[1] and name not in there:
            yield f"The view {name} has no row that is in both."
    for view in compared:
        for one, n in zip(called, view["only_in"], strict=True):
            if n:
                yield f"{view['name']}: {counted(n, 'row')} only in {one}."
