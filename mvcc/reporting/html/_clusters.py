"""What the page of a clustering shows of clusters, and what its script draws, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from statistics import median
from typing import Any

from mvcc._utils.messages import enumerated, percent
from mvcc.reporting.html._page import N_COLORS, SHAPES, count, plural
from mvcc.results import Clustering, Given, LinkFacts, ListedCluster, ViewFacts

_MOST_TITLES = 3
_MOST_PICTURES = 4
_PART = 0.25  # of a cluster's matched rows; with two such parts it is split
_FEWEST = 5  # matched rows of a cluster, to speak of parts


def titles_in(facts: Clustering, titles: list[dict[int, str]], cluster: ListedCluster) -> list[str]:
    """Return titles of typical rows of a cluster, from the first view that has some."""
    for view, profiles in enumerate(facts.profiles):
        typical = profiles[cluster.number].typical if view in cluster.views else ()
        if found := dict.fromkeys(titles[view][row] for row in typical if row in titles[view]):
            return list(found)[:_MOST_TITLES]
    return []


def pictures_in(facts: Clustering, cluster: ListedCluster) -> list[tuple[int, ViewFacts, Any]]:
    """Return pictures of rows of a cluster, each with its view and the number of that."""
    pictures = (
        (view, facts.views[view], picture)
        for view in cluster.views
        for picture in facts.views[view].pictures
        if facts.views[view].labels[picture.row] == cluster.number
    )
    return list(islice(pictures, _MOST_PICTURES))


def titles_of(clustering: Clustering, view: ViewFacts) -> dict[int, str]:
    """Return what `show` names first of the rows of a view, pictures aside; empty without it."""
    settings = clustering.settings
    of_view = settings.get("views", {}).get(view.name, {}).get("show")  # as --show writes it
    shown = of_view or (settings.get("show") or {}).get(view.name) or ()
    values = dict(view.values)
    column = next((name for name in shown if name in values and name != view.picture_column), None)
    if column is None:
        return {}
    rows = zip(view.sample or range(view.n_rows), values[column], strict=True)
    return {row: title for row, title in rows if title}


def in_percent(quantiles: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the quantiles inside and outside of a cluster in percent of a picture's width."""
    least = min(five[0] for five in quantiles)
    width = max(five[-1] for five in quantiles) - least or 1.0
    return [[round(100 * (q - least) / width, 1) for q in five] for five in quantiles]


def split_in(table: Sequence[Sequence[int]], *, across: bool = False) -> list[tuple[int, str]]:
    """Return the clusters of which two others or more hold a quarter each, with their shares."""
    # they are rows of the table, or its columns if `across`
    splits = []
    if across:
        table = [*zip(*table, strict=True)]
    for cluster, counts in enumerate(table):
        total = sum(counts)
        parts = [other for other, count in enumerate(counts) if count >= _PART * total]
        if total >= _FEWEST and len(parts) > 1:
            parts.sort(key=lambda other: -counts[other])
            words = [f"{other} ({percent(counts[other] / total)})" for other in parts]
            splits.append((cluster, enumerated(words)))
    return splits


# constraints by the names of their files, and what readers call them
TOLD = {"given": "given", "propagated": "transferred", "received": "received"}
_NOTES = {True: "satisfied", False: "violated"}
_HEAVIEST = {"propagated": "inferred ones first, then the heaviest", "received": "the heaviest"}

Drawn = dict[int, int]  # the rows that are drawn, each with its place among them


def page_data(facts: Clustering, listed: Sequence[Iterable[int]]) -> dict[str, Any]:
    """Return what the script of the page works with: points, rows, matches and constraints.

    Rows have the numbers of their places among those drawn: the sample of each view, and the rows
    that are `listed`.
    """
    drawn = [drawn_rows(*arguments) for arguments in zip(facts.views, listed, strict=True)]
    classes = {name: index for index, name in enumerate(class_names(facts))}
    return {
        "told": TOLD,
        "nColors": N_COLORS,
        "shapes": list(SHAPES.values()),
        "classNames": list(classes),
        "views": [
            _view_data(view, rows, classes, facts.n_clusters)
            for view, rows in zip(facts.views, drawn, strict=True)
        ],
        "relations": [
            {
                "views": relation.views,
                "pairs": _placed(relation.pairs, *(drawn[view] for view in relation.views)),
            }
            for relation in facts.relations
        ],
    }


def drawn_rows(view: ViewFacts, listed: Iterable[int]) -> Drawn:
    """Return the rows of a view that are drawn: all, or those of its sample and the listed ones."""
    return {row: position for position, row in enumerate(sorted({*view.shown_rows, *listed}))}


def _placed(pairs: Iterable[tuple[int, int]], first: Drawn, second: Drawn) -> list[list[int]]:
    return [[first[i], second[j]] for i, j in pairs if i in first and j in second]


def class_names(facts: Clustering) -> list[str]:
    """List the reference labels of all views in the order of their colors."""
    return sorted({name for view in facts.views for name in view.reference or () if name})


def _view_data(view: ViewFacts, drawn: Drawn, classes: dict[str, int], k: int) -> dict[str, Any]:
    known, rows = None not in view.stability, view.shown_rows
    values = [(column, dict(zip(rows, texts, strict=True))) for column, texts in view.values]
    return {
        "name": view.name,
        "source": view.source,
        "rows": None if view.sample is None else list(drawn),
        "ids": [view.ids[row] for row in drawn],
        "labels": [view.labels[row] for row in drawn],
        "names": view.names,
        "x": _short(view.x[row] for row in drawn),
        "y": _short(view.y[row] for row in drawn),
        "centers": _centers(view, k),
        "classes": view.reference and [classes.get(view.reference[row]) for row in drawn],
        "stability": [view.stability[row] for row in drawn] if known else None,
        "moved": [[drawn[row], reason] for row, _, reason in view.moved if row in drawn],
        "values": [[column, [texts.get(row) for row in drawn]] for column, texts in values],
        "constraints": {name: _links(getattr(view, name), drawn) for name in TOLD},
        "cuts": _cuts(view),
    }


def _links(links: Iterable[Given | LinkFacts], drawn: Drawn) -> list[list[Any]]:
    drawn_links = []
    for link in links:
        if link.i in drawn and link.j in drawn:
            note = _NOTES[link.satisfied] if isinstance(link, Given) else ""
            drawn_links.append([drawn[link.i], drawn[link.j], link.must_link, link.reason, note])
    return drawn_links


def _centers(view: ViewFacts, k: int) -> list[list[float] | None]:
    """Return the place where the number of each cluster stands: the medians of its rows."""
    points: list[list[tuple[float, float]]] = [[] for _ in range(k)]
    for label, x, y in zip(view.labels, view.x, view.y, strict=True):
        points[label].append((x, y))
    return [_short(map(median, zip(*cloud, strict=True))) if cloud else None for cloud in points]


def _cuts(view: ViewFacts) -> list[str]:
    """Say which constraints of a view are not in the page, and where they are."""
    return [
        f"This page holds {count(len(getattr(view, name)))} of "
        f"{plural(view.counts(name).total, f'{TOLD[name]} constraint')} of {view.name}, {which}; "
        f"all are in {view.name}/{name}.csv."
        for name, which in _HEAVIEST.items()
        if view.is_cut(name)
    ]


def _short(values: Iterable[float]) -> list[float]:
    """Round to what can be seen: the page stays small."""
    return [float(f"{value:.5g}") for value in values]
