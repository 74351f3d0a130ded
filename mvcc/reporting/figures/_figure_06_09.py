"""Figures 6 and 9: how many constraints are propagated, in the multi-view and in the single-view experiments."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from mvcc.reporting.figures._curves import IN_THE_VIEW, PER_VIEW, Curve, add_bases, draw_curves, entry
from mvcc.reporting.figures._grids import add_legend, set_schedule
from mvcc.reporting.figures._panels import about_trials, draw_panels, main_experiment, panels_by_view, schedule_of
from mvcc.reporting.figures._style import ANY, BASE_STYLES, line_styles, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLES = {
    "multi-view": "Figure 6. Number of propagated constraints in multi-view clustering",
    "single-view": "Figure 9. Number of propagated constraints in single-view clustering",
}
_WHAT = {
    "multi-view": "Propagated must-links and cannot-links, given ones that propagate to themselves included, sum of "
    "all views, averaged over the iterations of co-EM. ",
    "single-view": "Propagated must-links and cannot-links, given ones that propagate to themselves included, averaged "
    "over all iterations. ",
}
_NOTE = (
    "{trials} Both axes are logarithmic: a number in proportion to that of the given constraints grows along the thin "
    "diagonal lines."
)
_GUIDE: dict[str, Any] = {"color": "#c4c4c4", "linewidth": 0.7, "linestyle": (0, (6, 3))}


def draw_figure_06(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 6 (§6.3): propagated against given constraints, per mapped fraction.

    One panel per data set; None without multi-view Constraint Propagation.
    """
    return _draw(curves, "multi-view")


def draw_figure_09(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 9 (§6.4): propagated against given constraints within one view.

    One panel per view; None without single-view Constraint Propagation.
    """
    return _draw(curves, "single-view")


def _draw(curves: pd.DataFrame, experiment: str) -> Figure | None:
    from matplotlib.lines import Line2D

    rows = main_experiment(curves, experiment)
    rows = rows[rows["method"] == "constraint-propagation"].fillna({"mapped": 1.0})  # a view alone has all of itself
    rows = rows.assign(propagated=rows["propagated_must_links"] + rows["propagated_cannot_links"])
    # a logarithmic axis has no zero, and a panel without a point none at all
    rows = rows[rows["n_constraints"] > 0]
    panels = rows.groupby(["dataset", "folder", "reading", "view"], dropna=False)
    rows = rows[panels["propagated"].transform("max") > 0]
    if rows.empty:
        return None
    lines = line_styles(rows["mapped"])

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        positive = points[points["propagated"] > 0]
        drawn = [
            Curve(f"{style.title}, {percent(mapped)}", curve, style, line, mapped, "propagated")
            for mapped, line in lines.items()
            for base, style in BASE_STYLES.items()
            if len(curve := positive[(positive["base"] == base) & (positive["mapped"] == mapped)])
        ]
        draw_curves(axes, drawn, schedule_of(points), moved_apart=False)
        set_schedule(axes, schedule_of(points), "log")
        _set_counts(axes, positive["propagated"].min() / 1.6, positive["propagated"].max() * 1.6)
        axes.set_xlabel(PER_VIEW if experiment == "multi-view" else IN_THE_VIEW)
        axes.set_ylabel("Propagated constraints" + (", all views" if experiment == "multi-view" else ""))

    note = _WHAT[experiment] + _NOTE.format(trials=about_trials(rows))
    figure = draw_panels(panels_by_view(rows), _TITLES[experiment], note, draw)
    add_bases(figure, rows)
    if experiment == "multi-view":
        add_legend(figure, "Instances mapped", [entry(percent(m), ANY, line, m) for m, line in lines.items()])
    add_legend(figure, "Guide", [Line2D([], [], label="proportional", **_GUIDE)])
    return figure


def _set_counts(axes: Axes, low: float, high: float) -> None:
    """Make the vertical axis logarithmic, with numbers of up to four letters, and draw the guides."""
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
