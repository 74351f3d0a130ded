"""What differs between two clusterings.

Their clusters, rows that moved, judgments and matches that are new or gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import clipped, counted
from mvcc._utils.outputs import write_output
from mvcc._utils.types import Ints
from mvcc.exceptions import StoreError
from mvcc.results import Clustering, ViewFacts, read_facts
from mvcc.tables.output._folder import OUTLIER, inputs_of_clustering

MOVED = ("view", "id", "from", "to", "cluster_in_second")

Said = dict[tuple[frozenset[Any], Any], dict[str, Any]]


def compare_clusterings(first: Path, second: Path) -> dict[str, Any]:
    """Compare the clusterings in two folders of `mvcc cluster`, as `compare_facts` does.

    Raises StoreError: for a folder that cannot be read, or as `compare_facts`.
    """
    return compare_facts((read_facts(first), read_facts(second)), (str(first), str(second)))


def compare_facts(facts: tuple[Clustering, Clustering], called: tuple[str, str]) -> dict[str, Any]:
    """Compare two clusterings, on the views and rows that both have.

    Clusters of the second one are numbered as those of the first that they hold most rows of,
    alike in all views whose clusters have one numbering.

    `facts`: as in ``clustering.json``.
    `called`: what messages call them.
    Returns: ``clusterings``, what they are called; ``views``: per view the number of common
    rows, adjusted Rand index (None without two common rows that have a cluster), ``numbers``
    (that of every cluster of the second in the numbering of the first), ``table`` with the
    ``clusters`` of its rows and columns, ``moved`` rows as in the table of `write_moved`, and
    ``judgments`` that are ``new`` or ``gone``; ``matches`` of every two views, the same;
    ``notes`` on what was not compared.
    Raises StoreError: for clusterings without a view or a row in common.
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
    number = _numbers(facts, clusters)
    compared = [
        _compared(name, clusters[name], number[name], [one.n_clusters for one in facts])
        | {"names": [list(of[name].names) for of in views]}
        | {"judgments": _difference(*(_judgments(of[name]) for of in views))}
        for name in clusters
    ]
    return {
        "clusterings": list(called),
        "views": compared,
        "matches": _matches(facts, clusters),
        "notes": list(_notes(called, views, compared)),
    }


def write_moved(found: dict[str, Any], path: Path, *, fresh: bool = False) -> None:
    """Write the rows that moved to a CSV file.

    Raises StoreError: if the file exists and may not be replaced, or cannot be written.
    """
    inputs = [one for folder in found["clusterings"] for one in inputs_of_clustering(Path(folder))]
    rows = [[view["name"], *row.values()] for view in found["views"] for row in view["moved"]]
    write_output(path, csv_bytes([MOVED, *rows]), "moved rows", fresh=fresh, inputs=inputs)


def _clusters(view: ViewFacts) -> dict[str, int]:
    """Return the cluster of every row by its id."""
    return dict(zip(view.ids, view.labels, strict=True)) | dict.fromkeys(view.outliers, OUTLIER)


def _numbers(
    facts: tuple[Clustering, Clustering], clusters: dict[str, list[dict[str, int]]]
) -> dict[str, Ints]:
    """Return per view the number of every cluster of the second clustering in the numbering of the
    first.
    """
    from mvcc.multiview import match_clusters  # numba, which is of no use before the facts are read

    sets = [
        {name: place for place, names in enumerate(one.numbered_alike) for name in names}
        for one in facts
    ]
    alike: dict[tuple[int, int], list[str]] = {}
    for name in clusters:
        alike.setdefault((sets[0][name], sets[1][name]), []).append(name)
    found: dict[str, Ints] = {}
    for names in alike.values():
        both = np.concatenate([_pairs(*clusters[name]) for name in names])
        both = both[(both != OUTLIER).all(axis=1)]
        rows = np.arange(len(both))
        k = max(one.n_clusters for one in facts)
        _, number = match_clusters(
            [both[:, 0], both[:, 1]], {(0, 1): np.column_stack((rows, rows))}, k
        )
        found |= dict.fromkeys(names, number[: facts[1].n_clusters])
    return found


def _pairs(here: dict[str, int], there: dict[str, int]) -> Ints:
    """Return the clusters of common rows in both."""
    return np.array(
        [(here[name], there[name]) for name in here if name in there], dtype=np.int64
    ).reshape(-1, 2)


def _compared(
    name: str, clusters: list[dict[str, int]], number: Ints, n_clusters: list[int]
) -> dict[str, Any]:
    from sklearn.metrics import adjusted_rand_score

    here, there = clusters
    common = [one for one in here if one in there]
    own, other = _pairs(here, there).T
    aligned = np.where(other == OUTLIER, OUTLIER, number[other])
    inside = (own != OUTLIER) & (other != OUTLIER)
    rows, columns = (
        [*sorted(known), *([OUTLIER] if OUTLIER in found else [])]
        for known, found in ((range(n_clusters[0]), own), (number.tolist(), aligned))
    )
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    np.add.at(
        table,
        ([rows.index(label) for label in own], [columns.index(label) for label in aligned]),
        1,
    )
    return {
        "name": name,
        "rows": len(common),
        "only_in": [len(here) - len(common), len(there) - len(common)],
        "adjusted_rand": (
            float(adjusted_rand_score(own[inside], other[inside])) if inside.sum() > 1 else None
        ),
        "numbers": number.tolist(),
        "clusters": [rows, columns],
        "table": table.tolist(),
        "moved": [
            dict(
                zip(
                    MOVED[1:],
                    (common[row], int(own[row]), int(aligned[row]), int(other[row])),
                    strict=True,
                )
            )
            for row in np.flatnonzero(own != aligned).tolist()
        ],
    }


def _judgments(view: ViewFacts) -> Said:
    """Return what was said of the rows of a view, also what was left out since heavier judgments
    contradict it.
    """
    every = [(one.i, one.j, one.must_link) for one in view.given]
    every += [(one.i, one.j, one.must_link) for one in view.dropped]
    said = ((view.ids[i], view.ids[j], must_link) for i, j, must_link in every)
    return {
        (frozenset((i, j)), must_link): {
            "i": i,
            "j": j,
            "kind": "must-link" if must_link else "cannot-link",
        }
        for i, j, must_link in said
    }


def _matches(facts: tuple[Clustering, Clustering], names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the matches of every two common views that are new or gone."""
    found: list[dict[frozenset[str], Said]] = []
    for one in facts:
        views = one.views
        of_views: dict[frozenset[str], Said] = {}
        for relation in one.relations:
            ends = sorted(
                (views[view].name, view, side) for side, view in enumerate(relation.views)
            )
            own = of_views.setdefault(frozenset(name for name, _, _ in ends), {})
            for pair in relation.pairs:
                match = {name: views[view].ids[pair[side]] for name, view, side in ends}
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
