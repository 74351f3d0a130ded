"""The scatter plot of each view, as plain values for plotly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median
from textwrap import wrap
from typing import Any

from mvcc._utils.messages import clipped
from mvcc.constraints import kind_of
from mvcc.reporting.html._page import plotly_text
from mvcc.reporting.html._words import N_COLORS, SYMBOLS, count, percent, plural
from mvcc.results import Clustering, Given, LinkFacts, ViewFacts

MANY = 3000  # points; more are drawn by the graphics card
DRAWN_AT_FIRST = 100  # constraints of one kind; more would hide the points until they are asked for
KINDS = ("given", "propagated", "received")

_LONGEST = 40  # an id or a label, in a text on hover
_LONGEST_REASON = 200
_WIDEST = 45  # a line of it, in characters: it fits into the picture on a telephone
_MOST_COUNTERPARTS = 5  # …
_WIDTHS = {"given": 2.0, "propagated": 0.8, "received": 0.8}
_HEAVIEST = {"propagated": "inferred ones first, then the heaviest", "received": "the heaviest"}

Drawn = dict[int, int]  # the rows that are drawn, each with its place among them
Counterparts = dict[int, list[tuple[int, int]]]  # of each row that has any: view and row


def page_data(facts: Clustering, listed: Sequence[Iterable[int]]) -> dict[str, Any]:
    """Return what the script of the page works with: figures, rows, relations and constraints.

    Rows have the numbers of their places among those drawn: the sample of each view, and the rows
    that are `listed`.
    """
    drawn = [drawn_rows(*one) for one in zip(facts.views, listed, strict=True)]
    related = counterparts(facts)
    classes = {name: number for number, name in enumerate(class_names(facts))}
    return {
        "page": "clustering",
        "nColors": N_COLORS,
        "classNames": list(classes),
        "views": [
            _view_data(facts, number, rows, related[number], classes)
            for number, rows in enumerate(drawn)
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
    rows = range(view.n_rows) if view.sample is None else sorted({*view.sample, *listed})
    return {row: place for place, row in enumerate(rows)}


def _placed(pairs: Iterable[tuple[int, int]], first: Drawn, second: Drawn) -> list[list[int]]:
    return [[first[i], second[j]] for i, j in pairs if i in first and j in second]


def counterparts(facts: Clustering) -> list[Counterparts]:
    """List, for each view, the rows of other views that each of its rows is related to."""
    related: list[Counterparts] = [defaultdict(list) for _ in facts.views]
    for relation in facts.relations:
        first, second = relation.views
        for i, j in relation.pairs:
            related[first][i].append((second, j))
            related[second][j].append((first, i))
    return [dict(of_view) for of_view in related]


def class_names(facts: Clustering) -> list[str]:
    """List the reference labels of all views in the order of their colors."""
    return sorted({name for view in facts.views for name in view.reference or () if name})


def _view_data(
    facts: Clustering, number: int, drawn: Drawn, related: Counterparts, classes: dict[str, int]
) -> dict[str, Any]:
    view = facts.views[number]
    valued = {row: place for place, row in enumerate(drawn if view.sample is None else view.sample)}
    return {
        "name": view.name,
        "source": view.source,
        "rows": None if view.sample is None else list(drawn),
        "ids": [view.ids[row] for row in drawn],
        "labels": [view.labels[row] for row in drawn],
        "names": view.names,
        "classes": None
        if view.reference is None
        else [classes.get(view.reference[row]) for row in drawn],
        "stability": None if None in view.stability else [view.stability[row] for row in drawn],
        "values": [
            [column, [values[valued[row]] if row in valued else None for row in drawn]]
            for column, values in view.values
        ],
        "constraints": {
            name: [
                [drawn[link.i], drawn[link.j], *_plain(link)]
                for link in getattr(view, name)
                if link.i in drawn and link.j in drawn
            ]
            for name in KINDS
        },
        "cuts": _cuts(view),
        "centers": _centers(view, facts.n_clusters),
        "figure": _figure(facts, view, list(drawn), related),
    }


def _centers(view: ViewFacts, k: int) -> list[list[float] | None]:
    """Return the place where the number of each cluster stands: the medians of its rows."""
    points: list[list[tuple[float, float]]] = [[] for _ in range(k)]
    for label, x, y in zip(view.labels, view.x, view.y, strict=True):
        points[label].append((x, y))
    return [_short(map(median, zip(*own, strict=True))) if own else None for own in points]


def _cuts(view: ViewFacts) -> list[str]:
    """Say which constraints of a view are not in the page, and where they are."""
    return [
        f"Of {plural(view.counts(name).total, f'{name} constraint')} of {view.name}, this page "
        f"holds {count(len(getattr(view, name)))}, {which}; all are in {view.name}/{name}.csv."
        for name, which in _HEAVIEST.items()
        if view.is_cut(name)
    ]


def _plain(link: Given | LinkFacts) -> list[Any]:
    note = ("satisfied" if link.satisfied else "violated") if isinstance(link, Given) else ""
    return [link.must_link, link.reason, note]


def _figure(
    facts: Clustering, view: ViewFacts, rows: list[int], related: Counterparts
) -> dict[str, Any]:
    fast = len(rows) > MANY
    moved = {row: reason for row, _, reason in view.moved}
    points = {
        "type": "scattergl" if fast else "scatter",
        "mode": "markers",
        "name": "rows",
        "x": _short(view.x[row] for row in rows),
        "y": _short(view.y[row] for row in rows),
        "text": [
            _on_hover(facts, view, row, related.get(row, []), moved.get(row, "")) for row in rows
        ],
        "hoverinfo": "text",
        "marker": {
            "symbol": [SYMBOLS[view.labels[row] % len(SYMBOLS)] for row in rows],
            "size": 5 if fast else 8,
            "opacity": 0.85,
            "line": {"width": 0 if fast else 0.6},
        },
        "selected": {"marker": {"opacity": 0.9}},
        "unselected": {"marker": {"opacity": 0.06}},
    }
    selected = {
        "type": "scatter",
        "mode": "markers",
        "name": "selected",
        "x": [],
        "y": [],
        "hoverinfo": "skip",
        "marker": {"symbol": "circle-open", "size": 18, "line": {"width": 3}},
    }
    own = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": f"own {kind_of(must_link)}",
            "x": [],
            "y": [],
            "hoverinfo": "skip",
            "connectgaps": False,
            "line": {"width": 4, "dash": "solid" if must_link else "dash"},
            "marker": {"symbol": "circle-open", "size": 12, "line": {"width": 2}},
        }
        for must_link in (True, False)
    ]
    x_axis, y_axis = (
        {
            "title": {"text": plotly_text(clipped(axis, 80)), "font": {"size": 12}},
            "zeroline": False,
            "ticks": "outside",
            "automargin": True,
        }
        for axis in view.axes
    )
    return {
        "data": [
            _trace("violated", view, view.violated, fast, True, {"width": 7}),
            *_lines(view, fast),
            points,
            *own,
            selected,
        ],
        "layout": {
            "showlegend": False,
            "hovermode": "closest",
            "dragmode": "zoom",
            "margin": {"l": 48, "r": 12, "t": 8, "b": 44},
            "xaxis": x_axis,
            "yaxis": y_axis,
            "uirevision": "kept",
        },
    }


def _lines(view: ViewFacts, fast: bool) -> list[dict[str, Any]]:
    """Draw must-links solid and cannot-links dashed, a trace for each kind."""
    return [
        _trace(
            f"{name} {kind_of(must_link)}",
            view,
            links := [link for link in getattr(view, name) if link.must_link == must_link],
            fast,
            len(links) <= DRAWN_AT_FIRST,
            {"width": _WIDTHS[name], "dash": "solid" if must_link else "dash"},
        )
        for name in KINDS
        for must_link in (True, False)
    ]


def _trace(
    name: str,
    view: ViewFacts,
    links: Sequence[Given | LinkFacts],
    fast: bool,
    visible: bool,
    line: dict[str, Any],
) -> dict[str, Any]:
    return {
        "type": "scattergl" if fast else "scatter",
        "mode": "lines",
        "name": name,
        "x": _segments(view.x, links),
        "y": _segments(view.y, links),
        "hoverinfo": "skip",
        "connectgaps": False,
        "visible": visible,
        "line": line,
    }


def _segments(values: Sequence[float], links: Iterable[Given | LinkFacts]) -> list[float | None]:
    ends: list[float | None] = []
    for link in links:
        ends += [*_short((values[link.i], values[link.j])), None]
    return ends


def _short(values: Iterable[float]) -> list[float]:
    """Round to what can be seen: the page stays small."""
    return [float(f"{value:.5g}") for value in values]


def _on_hover(
    facts: Clustering, view: ViewFacts, row: int, related: Sequence[tuple[int, int]], moved: str
) -> str:
    label = view.labels[row]
    name = clipped(view.names[label], _LONGEST) if view.names else ""
    lines = [f"cluster {label}{f' ({name})' if name else ''}"]
    if moved:
        lines.append(f"moved here by constraints, {clipped(moved, _LONGEST_REASON)}")
    if view.reference is not None and view.reference[row]:
        lines.append(f"reference label: {clipped(view.reference[row], _LONGEST)}")
    if (share := view.stability[row]) is not None:
        lines.append(f"stability: {percent(share)}")
    by_view: dict[int, list[str]] = defaultdict(list)
    for other, j in related:
        by_view[other].append(clipped(facts.views[other].ids[j], _LONGEST))
    for other, ids in sorted(by_view.items()):
        more = f" and {len(ids) - _MOST_COUNTERPARTS} more" if len(ids) > _MOST_COUNTERPARTS else ""
        lines.append(
            f"in {clipped(facts.views[other].name, _LONGEST)}: "
            f"{', '.join(ids[:_MOST_COUNTERPARTS])}{more}"
        )
    if not related and facts.relations:
        lines.append("no counterpart known")
    title = f"<b>{plotly_text(clipped(view.ids[row], _LONGEST))}</b>"
    return "<br>".join([title, *(plotly_text(piece) for line in lines for piece in _wrapped(line))])


def _wrapped(line: str) -> list[str]:
    return [line] if len(line) <= _WIDEST else wrap(line, _WIDEST, break_on_hyphens=False)
