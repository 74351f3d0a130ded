"""Figures 6 to 10: number and precision of propagated constraints, and their use to one view."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from mvcc.reporting.figures import _panels, _style
from mvcc.results import PROPAGATION, SINGLE_VIEW

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NUMBERS = {
    "multi-view": "Figure 6. Number of propagated constraints in multi-view clustering",
    "single-view": "Figure 9. Number of propagated constraints in single-view clustering",
}
_COUNTED = (
    "Propagated must-links and cannot-links, given ones that propagate to themselves included, "
)
_WHAT = {
    "multi-view": f"{_COUNTED}sum of all views, averaged over the iterations of co-EM. ",
    "single-view": f"{_COUNTED}averaged over all iterations. ",
}
_PROPORTIONAL = (
    "{trials} Both axes are logarithmic: a number in proportion to that of the given constraints "
    "grows along the thin diagonal lines."
)
_GUIDE: dict[str, Any] = {"color": "#c4c4c4", "linewidth": 0.7, "linestyle": (0, (6, 3))}

_PRECISION = {
    "multi-view": "Figure 7. Precision of propagated constraints in multi-view clustering, "
    "all instances mapped",
    "single-view": "Figure 10. Precision of propagated constraints in single-view clustering",
}
_WEIGHTED = (
    "Weighted precision: the share, by weight, of the propagated constraints that agree with the "
    "true classes; given ones that propagate to themselves are among them. {trials} The vertical "
    "axis is the same in all panels, does not start at 0 and is stretched toward 1. A point is "
    "missing where nothing was propagated. " + _panels.LOGARITHMIC
)
# shares that have a tick, if there is room
_WRONG = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_KINDS: dict[str, tuple[str, _style.LineStyle, float]] = {
    "precision_must_link": ("Must-links", "solid", 1.0),
    "precision_cannot_link": ("Cannot-links", (0, (4, 1.6)), 0.0),
}

_SINGLE = "Figure 8. Single-view clustering with and without Constraint Propagation"
_F_MEASURE = (
    "Pairwise F-measure: how well the clusters agree with the true classes; 1 is perfect. {trials} "
    "The black bars are ± 1 standard error, where there are two trials or more. Markers are moved "
    "sideways a little so that they do not "
    "hide each other. " + _panels.LOGARITHMIC
)
_METHODS: dict[str, tuple[str, _style.LineStyle, float]] = {
    PROPAGATION: ("With", "solid", 1.0),
    SINGLE_VIEW: ("Without", (0, (1, 1.3)), 0.0),
}


def draw_numbers(curves: pd.DataFrame, experiment: str) -> Figure | None:
    """Draw Figures 6 and 9 (§6.3, §6.4): propagated against given constraints."""
    from matplotlib.lines import Line2D

    rows = _panels.main_experiment(curves, experiment)
    # a view alone has all of itself
    rows = rows[rows["method"] == PROPAGATION].fillna({"mapped": 1.0})
    rows = rows.assign(propagated=rows["propagated_must_links"] + rows["propagated_cannot_links"])
    # a logarithmic axis has no zero, and a panel without a point none at all
    rows = rows[rows["n_constraints"] > 0]
    panels = rows.groupby(["dataset", "folder", "reading", "view"], dropna=False)
    rows = rows[panels["propagated"].transform("max") > 0]
    if rows.empty:
        return None
    lines, multi_view = _style.line_styles(rows["mapped"]), experiment == "multi-view"

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        positive = points[points["propagated"] > 0]
        drawn = [
            _panels.Curve(
                f"{style.title}, {_style.percent(mapped)}", curve, style, line, mapped, "propagated"
            )
            for mapped, line in lines.items()
            for base, style in _style.BASE_STYLES.items()
            if len(curve := positive[(positive["base"] == base) & (positive["mapped"] == mapped)])
        ]
        _panels.draw_curves(axes, drawn, _panels.schedule_of(points), moved_apart=False)
        _set_counts(axes, positive["propagated"].min() / 1.6, positive["propagated"].max() * 1.6)
        axes.set_xlabel(_panels.PER_VIEW if multi_view else _panels.IN_THE_VIEW)
        axes.set_ylabel("Propagated constraints" + (", all views" if multi_view else ""))

    note = _WHAT[experiment] + _PROPORTIONAL.format(trials=_panels.about_trials(rows))
    figure = _panels.draw_panels(_panels.panels_by_view(rows), _NUMBERS[experiment], note, draw)
    _panels.add_bases(figure, rows)
    if multi_view:
        _panels.add_fractions(figure, lines)
    _style.add_legend(figure, "Guide", [Line2D([], [], label="proportional", **_GUIDE)])
    return figure


def _set_counts(axes: Axes, low: float, high: float) -> None:
    """Make the vertical axis logarithmic, with short numbers, and draw the guides."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(LogLocator(subs=(1,) if high > 100 * low else (1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(_short))
    axes.yaxis.set_minor_locator(NullLocator())
    for exponent in range(floor(log10(low)) - 6, ceil(log10(high)) + 1):
        axes.axline((1, 10.0**exponent), (10, 10.0 ** (exponent + 1)), zorder=0.5, **_GUIDE)


def _short(count: float, _place: int | None = None) -> str:
    return f"{count / 1000:g}k" if count >= 1000 else f"{count:g}"


def draw_precision(curves: pd.DataFrame, experiment: str) -> Figure | None:
    """Draw Figures 7 and 10 (§6.3, §6.4): weighted precision where the mapping is complete."""
    multi_view = experiment == "multi-view"
    rows = _panels.main_experiment(
        curves[curves["mapped"] == 1.0] if multi_view else curves, experiment
    )
    rows = rows[(rows["method"] == PROPAGATION) & rows[list(_KINDS)].notna().any(axis=1)]
    if rows.empty:
        return None
    lowest = floor(20 * min(0.95, rows[list(_KINDS)].min().min() - 0.005)) / 20
    ticks = [1.0, *(1 - wrong for wrong in _WRONG if 0.03 <= wrong / (1 - lowest) <= 1)]

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        drawn = [
            _panels.Curve(
                f"{style.title}, {kind}",
                points[points["base"] == base],
                style,
                line,
                filled,
                column,
            )
            for base, style in _style.BASE_STYLES.items()
            if base in set(points["base"])
            for column, (kind, line, filled) in _KINDS.items()
        ]
        _panels.draw_curves(axes, drawn, _panels.schedule_of(points))
        axes.set_yscale(
            "function",
            functions=(lambda p: _style.root(p - 1), lambda place: 1 + _style.square(place)),
        )
        axes.set_ylim(lowest, 1 + 0.003 * (1 - lowest))
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xlabel(_panels.PER_VIEW if multi_view else _panels.IN_THE_VIEW)
        axes.set_ylabel("Weighted precision")

    figure = _panels.draw_panels(
        _panels.panels_by_view(rows),
        _PRECISION[experiment],
        _WEIGHTED.format(trials=_panels.about_trials(rows)),
        draw,
    )
    _panels.add_bases(figure, rows)
    _style.add_legend(
        figure,
        "Propagated",
        [_panels.entry(kind, _style.ANY, line, filled) for kind, line, filled in _KINDS.values()],
    )
    return figure


def draw_single_view(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 8 (§6.4), a panel for each view: F-measure against the number of constraints."""
    rows = _panels.main_experiment(curves, "single-view")
    if rows.empty:
        return None

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        drawn = [
            _panels.Curve(
                f"{style.title}, {title}",
                curve,
                style,
                line,
                filled,
                error="standard_error",
                error_color="black",
            )
            for base, style in _style.BASE_STYLES.items()
            for method, (title, line, filled) in _METHODS.items()
            if len(curve := points[(points["base"] == base) & (points["method"] == method)])
        ]
        _panels.draw_curves(axes, drawn, _panels.schedule_of(points))
        axes.set_xlabel(_panels.IN_THE_VIEW)
        axes.set_ylabel("Pairwise F-measure")

    figure = _panels.draw_panels(
        _panels.panels_by_view(rows),
        _SINGLE,
        _F_MEASURE.format(trials=_panels.about_trials(rows)),
        draw,
    )
    _panels.add_bases(figure, rows)
    present = set(rows["method"])
    entries = [
        _panels.entry(title, _style.ANY, line, filled)
        for m, (title, line, filled) in _METHODS.items()
        if m in present
    ]
    _style.add_legend(figure, "Constraint Propagation", entries)
    return figure
