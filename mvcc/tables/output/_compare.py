"""What differs between two clusterings: clusters, rows that moved, constraints and matches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import clipped, counted, for_reader
from mvcc._utils.outputs import write_output
from mvcc.constraints import kind_of
from mvcc.exceptions import StoreError
from mvcc.results import Changes, Clustering, Given, LinkFacts, ViewFacts, in_words
from mvcc.tables.correcting._corrections import LEFT_OUT
from mvcc.tables.output._continued import renumbered, rows_in_both
from mvcc.tables.output._folder import clusters_of
from mvcc.tables.output._former import numbered_in
from mvcc.tables.output._stored import inputs_of_clustering, read_result
from mvcc.tables.reading._rows import spelled_like

MOVED = ("view", "id", "from", "to", "cluster_in_second")

Both = tuple[Clustering, Clustering]
Said = dict[tuple[frozenset[Any], Any], dict[str, Any]]


def compare_clusterings(first: Path, second: Path) -> dict[str, Any]:
    """Compare the clusterings in two folders of `mvcc cluster`, as `compare_facts` does."""
    facts = read_result(first), read_result(second)
    changed = [view.name for view in facts[0].views if not _is_one_table(facts, view.name)]
    return compare_facts(facts, (str(first), str(second)), changed)


def compare_facts(facts: Both, called: tuple[str, str], changed: Collection[str]) -> dict[str, Any]:
    """Compare two clusterings, on the views and rows that both have.

    Clusters of the second one are numbered as those of the first that they share most rows with
    (`numbers_like`), alike in all views that are numbered alike. `called` is what messages call
    the clusterings; `changed` has the views that are other tables.
    """
    facts = facts[0], _spelled_like(*facts[::-1])
    common = _common_views(facts, called)
    rows = {name: _rows_in_both(*views) for name, views in common.items()}
    changes, compared, sizes = [], {}, (facts[0].n_clusters, facts[1].n_clusters)
    for of_set in _numbered_alike(facts, common):
        first, second = (
            np.unique(np.concatenate([common[name][side].labels for name in of_set]))
            for side in (0, 1)
        )
        before, after = pd.concat([rows[name] for name in of_set]).to_numpy().T
        counts = rows_in_both(before, after, sizes)
        numbers = np.arange(sizes[1])  # of clusters of the second, in the numbering of the first
        numbers[second], fields = renumbered(counts[:, second], first)
        # what one of them leaves out has not kept its cluster
        fields["shared"] = int(((before != LEFT_OUT) | (after != LEFT_OUT)).sum())
        changes.append(Changes(views=tuple(of_set), **fields))
        for name in of_set:
            compared[name] = _compared(common[name], rows[name], numbers, [first, numbers[second]])
    views = [compared[name] for name in common]
    return {
        "clusterings": list(called),
        "changes": [change.model_dump(mode="json") for change in changes],
        "in_words": in_words(changes),
        "views": views,
        "matches": _matches(facts, compared),
        "notes": list(_notes(called, facts, views, changed)),
    }


def _common_views(facts: Both, called: tuple[str, str]) -> dict[str, tuple[ViewFacts, ViewFacts]]:
    """Return the views with rows in both clusterings, or refuse to compare these."""
    pairs = ((view, facts[1].view(view.name)) for view in facts[0].views)
    common = {view.name: (view, twin) for view, twin in pairs if twin and {*view.ids} & {*twin.ids}}
    if not common:
        listed = (", ".join(view.name for view in clustering.views) for clustering in facts)
        names = " and ".join(clipped(views, 100) for views in listed)
        raise StoreError(
            f"{' and '.join(called)} cannot be compared: no view has rows in both (views: {names})."
        )
    return common


def _numbered_alike(facts: Both, names: Iterable[str]) -> Iterable[list[str]]:
    """Return sets of views whose clusters have the same numbers in each of the clusterings."""
    alike: dict[tuple[int, ...], list[str]] = {}
    for name in names:
        masks = ([name in views for views in clustering.numbered_alike] for clustering in facts)
        alike.setdefault(tuple(mask.index(True) for mask in masks), []).append(name)
    return alike.values()


def write_moved(found: dict[str, Any], path: Path, *, fresh: bool = False) -> None:
    """Write the rows that moved to a CSV file."""
    inputs = [one for folder in found["clusterings"] for one in inputs_of_clustering(Path(folder))]
    rows = [[view["name"], *row.values()] for view in found["views"] for row in view["moved"]]
    write_output(path, csv_bytes([MOVED, *rows]), "moved rows", fresh=fresh, inputs=inputs)


def _spelled_like(facts: Clustering, others: Clustering) -> Clustering:
    """Return facts with ids as the others have them (`spelled_like`)."""
    views = []
    for view in facts.views:
        if other := others.view(view.name):
            ids = spelled_like([*clusters_of(view)], clusters_of(other))
            n = len(view.ids)
            view = view.model_copy(update={"ids": (*ids[:n],), "outliers": (*ids[n:],)})
        views.append(view)
    return facts.model_copy(update={"views": tuple(views)})


def _rows_in_both(first: ViewFacts, second: ViewFacts) -> pd.DataFrame:
    """Return the clusters of rows in both clusterings, by the ids that both have."""
    before, after = clusters_of(first), clusters_of(second)
    ids = pd.Index([id for id in before if id in after], dtype=object, name="id")
    both = {"from": [before[id] for id in ids], "cluster_in_second": [after[id] for id in ids]}
    return pd.DataFrame(both, ids)


def _compared(
    views: tuple[ViewFacts, ViewFacts], shared: pd.DataFrame, numbers: Ints, used: list[Ints]
) -> dict[str, Any]:
    """Compare a view; the clusters in use are numbered as in the first clustering."""
    from sklearn.metrics import adjusted_rand_score

    before, after = shared.to_numpy().T
    aligned = np.where(after == LEFT_OUT, LEFT_OUT, numbers[after])
    is_clustered = (before != LEFT_OUT) & (after != LEFT_OUT)
    rows, columns = (
        [*sorted(clusters.tolist()), *{LEFT_OUT}.intersection(labels.tolist())]
        for clusters, labels in zip(used, (before, aligned), strict=True)
    )
    table = pd.crosstab(before, aligned).reindex(index=rows, columns=columns, fill_value=0)
    agreement = None
    if is_clustered.sum() > 1:
        agreement = float(adjusted_rand_score(before[is_clustered], after[is_clustered]))
    moved = shared.assign(to=aligned)[before != aligned].reset_index()
    return {
        "name": views[0].name,
        "rows": len(shared),
        "only_in": [len(clusters_of(view)) - len(shared) for view in views],
        "adjusted_rand": agreement,
        "numbers": numbers.tolist(),
        "clusters": [rows, columns],
        "table": table.to_numpy().tolist(),
        "moved": moved[[*MOVED[1:]]].to_dict("records"),
        "names": [list(view.names) for view in views],
        "judgments": _difference(*map(_constraints, views)),
    }


def _constraints(view: ViewFacts) -> Said:
    """Return what was said of the rows of a view, also what heavier constraints contradict."""
    constraints = {}
    links: tuple[Given | LinkFacts, ...] = (*view.given, *view.dropped)
    for link in links:
        id_i, id_j = view.ids[link.i], view.ids[link.j]
        record = {"i": id_i, "j": id_j, "kind": kind_of(link.must_link)}
        constraints[frozenset((id_i, id_j)), link.must_link] = record
    return constraints


def _matches(facts: Both, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the matches of every two common views that are new or gone."""
    sides: list[dict[frozenset[str], Said]] = []
    for clustering in facts:
        by_views: dict[frozenset[str], Said] = {}
        for relation in clustering.relations:
            views = [clustering.views[view] for view in relation.views]
            of_views = by_views.setdefault(frozenset(view.name for view in views), {})
            for pair in relation.pairs:
                ends = zip(views, pair, strict=True)
                match = dict(sorted((view.name, view.ids[row]) for view, row in ends))
                of_views[frozenset(match.items()), None] = match
        sides.append(by_views)
    keys = [key for key in dict.fromkeys([*sides[0], *sides[1]]) if key <= set(names)]
    return [
        {"views": sorted(key)} | _difference(*(side.get(key, {}) for side in sides)) for key in keys
    ]


def _difference(before: Said, after: Said) -> dict[str, list[dict[str, Any]]]:
    return {
        "new": [record for key, record in after.items() if key not in before],
        "gone": [record for key, record in before.items() if key not in after],
    }


def _notes(
    called: tuple[str, str], facts: Both, compared: list[dict[str, Any]], changed: Collection[str]
) -> Iterator[str]:
    """Say what was not compared."""
    first, second = ([view.name for view in clustering.views] for clustering in facts)
    for title, names, others in zip(called, (first, second), (second, first), strict=True):
        yield from (f"The view {name} is only in {title}." for name in names if name not in others)
    common = {view["name"] for view in compared}
    for name in first:
        if name in second and name not in common:
            yield f"The view {name} has no row that is in both."
    numbered = numbered_in(facts[0]) | numbered_in(facts[1])
    for name in first:
        if name in common & numbered.intersection(changed):
            yield (
                f"{name}: rows without ids are compared by their numbers, but the tables differ:"
                " the same number may be another row. Name a column of ids"
                f" ({for_reader('--id-column', 'set_index')}), and cluster both again."
            )
    for view in compared:
        for title, n in zip(called, view["only_in"], strict=True):
            if n:
                yield f"{view['name']}: {counted(n, 'row')} only in {title}."


def _is_one_table(facts: Both, name: str) -> bool:
    """Tell whether a view is one table in both, by its bytes, its header and its sheet if named."""
    tables, sheets = [], set()
    for clustering in facts:
        view, settings = clustering.view(name), clustering.settings.get("views", {}).get(name, {})
        sums = [file.sha256 for file in clustering.inputs if view and file.path == view.source]
        tables.append((sums, settings.get("header")))
        sheets.add(settings.get("sheet"))
    return tables[0] == tables[1] and len(sheets - {None}) < 2
