"""Figure 8: constrained clustering of a single view, with and without Constraint Propagation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvcc.reporting.figures._curves import IN_THE_VIEW, Curve, add_bases, draw_curves, entry
from mvcc.reporting.figures._grids import add_legend
from mvcc.reporting.figures._panels import about_trials, draw_panels, main_experiment, panels_by_view, schedule_of
from mvcc.reporting.figures._style import ANY, BASE_STYLES, LineStyle

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLE = "Figure 8. Single-view clustering with and without Constraint Propagation"
_NOTE = (
    "Pairwise F-measure: how well the clusters agree with the true classes; 1 is perfect. {trials} The black bars are "
    "± 1 standard error, where there are two trials or more. Markers are moved sideways a little so that they do not "
    "hide each other."
)
_METHODS: dict[str, tuple[str, LineStyle, float]] = {
    "constraint-propagation": ("With", "solid", 1.0),
    "single-view": ("Without", (0, (1, 1.3)), 0.0),
}


def draw_figure_08(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 8 (§6.4): pairwise F-measure of one view against the number of constraints.

    One panel per view; None without single-view results.
    """
    rows = main_experiment(curves, "single-view")
    if rows.empty:
        return None

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        drawn = [
            Curve(f"{style.title}, {title}", curve, style, line, filled, error="standard_error", error_color="black")
            for base, style in BASE_STYLES.items()
            for method, (title, line, filled) in _METHODS.items()
            if len(curve := points[(points["base"] == base) & (points["method"] == method)])
        ]
        draw_curves(axes, drawn, schedule_of(points))
        axes.set_xlabel(IN_THE_VIEW)
        axes.set_ylabel("Pairwise F-measure")

    note = _NOTE.format(trials=about_trials(rows))
    figure = draw_panels(panels_by_view(rows), _TITLE, note, draw)
    add_bases(figure, rows)
    add_legend(
        figure,
        "Constraint Propagation",
        [entry(title, ANY, line, filled) for m, (title, line, filled) in _METHODS.items() if m in set(rows["method"])],
    )
    return figure
