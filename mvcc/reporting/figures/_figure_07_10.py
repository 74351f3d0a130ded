"""Figures 7 and 10: how precise propagated constraints are, in the multi-view and in the single-view experiments."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from mvcc.reporting.figures._curves import IN_THE_VIEW, PER_VIEW, Curve, add_bases, draw_curves, entry
from mvcc.reporting.figures._grids import add_legend
from mvcc.reporting.figures._panels import about_trials, draw_panels, main_experiment, panels_by_view, schedule_of
from mvcc.reporting.figures._style import ANY, BASE_STYLES, LineStyle

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLES = {
    "multi-view": "Figure 7. Precision of propagated constraints in multi-view clustering, all instances mapped",
    "single-view": "Figure 10. Precision of propagated constraints in single-view clustering",
}
_NOTE = (
    "Weighted precision: the share, by weight, of the propagated constraints that agree with the true classes; given "
    "ones that propagate to themselves are among them. {trials} The vertical axis is the same in all panels and does "
    "not start at 0. A point is missing where nothing was propagated."
)
_KINDS: dict[str, tuple[str, LineStyle, float]] = {
    "precision_must_link": ("Must-links", "solid", 1.0),
    "precision_cannot_link": ("Cannot-links", (0, (4, 1.6)), 0.0),
}


def draw_figure_07(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 7 (§6.3): weighted precision of propagated must-links and cannot-links with a complete mapping.

    One panel per data set; None without multi-view Constraint Propagation with a complete mapping.
    """
    return _draw(curves[curves["mapped"] == 1.0], "multi-view")


def draw_figure_10(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 10 (§6.4): weighted precision of must-links and cannot-links propagated within one view.

    One panel per view; None without single-view Constraint Propagation.
    """
    return _draw(curves, "single-view")


def _draw(curves: pd.DataFrame, experiment: str) -> Figure | None:
    rows = main_experiment(curves, experiment)
    rows = rows[(rows["method"] == "constraint-propagation") & rows[list(_KINDS)].notna().any(axis=1)]
    if rows.empty:
        return None
    lowest = floor(20 * min(0.95, rows[list(_KINDS)].min().min() - 0.005)) / 20

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        drawn = [
            Curve(f"{style.title}, {kind}", points[points["base"] == base], style, line, filled, column)
            for base, style in BASE_STYLES.items()
            if base in set(points["base"])
            for column, (kind, line, filled) in _KINDS.items()
        ]
        draw_curves(axes, drawn, schedule_of(points))
        axes.set_ylim(lowest, 1 + 0.06 * (1 - lowest))
        axes.set_xlabel(PER_VIEW if experiment == "multi-view" else IN_THE_VIEW)
        axes.set_ylabel("Weighted precision")

    note = _NOTE.format(trials=about_trials(rows))
    figure = draw_panels(panels_by_view(rows), _TITLES[experiment], note, draw)
    add_bases(figure, rows)
    add_legend(figure, "Propagated", [entry(kind, ANY, line, filled) for kind, line, filled in _KINDS.values()])
    return figure
