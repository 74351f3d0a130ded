"""Figure 4: performance against the number of constraints, per data set, base algorithm, method and mapping."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mvcc.reporting.figures._curves import PER_VIEW, Curve, draw_curves, entry
from mvcc.reporting.figures._grids import add_legend
from mvcc.reporting.figures._panels import about_trials, draw_panels, main_experiment, panels_by_base, schedule_of
from mvcc.reporting.figures._style import (
    ANY,
    SINGLE_VIEW_LINE,
    LineStyle,
    SeriesStyle,
    line_styles,
    method_styles,
    percent,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLE = "Figure 4. Comparison of multi-view constrained clustering performance"
_NOTE = (
    "Pairwise F-measure: how well the clusters agree with the true classes, mean of all views; 1 is perfect. {trials} "
    "{bars} Line type and filling of the marker: the percentage of instances that are mapped between the views; "
    "{unmapped} no mapping. Markers are moved sideways a little so that they do not hide each other."
)
_BARS, _NO_BARS = "The bars are ± 1 standard error.", "So there are no error bars."


def draw_figure_04(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 4 (§6.3): pairwise F-measure against the number of constraints.

    One row of panels per data set and one column per base algorithm; None without multi-view results.
    """
    rows = main_experiment(curves, "multi-view")
    if rows.empty:
        return None
    styles = method_styles(rows["method"])
    rows = rows.assign(mapped=rows["mapped"].where(rows["method"] != "single-view"))
    lines = line_styles(rows["mapped"].dropna())

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        draw_curves(axes, list(_curves(points, styles, lines)), schedule_of(points))
        axes.set_xlabel(PER_VIEW)
        axes.set_ylabel("Pairwise F-measure")
        axes.locator_params(axis="y", nbins=7, steps=[1, 2, 5, 10])

    unmapped = set(rows.loc[rows["mapped"].isna(), "method"])
    others = [style.title for name, style in styles.items() if name in unmapped - {"single-view"}]
    note = _NOTE.format(
        trials=about_trials(rows),
        bars=_BARS if rows["trials"].max() > 1 else _NO_BARS,
        unmapped=" and ".join(["Single View", *others]) + (" use" if others else " uses"),
    )
    figure = draw_panels(panels_by_base(rows), _TITLE, note, draw)
    of_methods = [
        entry(style.title, style, SINGLE_VIEW_LINE if name in unmapped else "solid") for name, style in styles.items()
    ]
    add_legend(figure, "Transfer method", of_methods)
    if lines:
        add_legend(figure, "Instances mapped", [entry(percent(m), ANY, line, m) for m, line in lines.items()])
    return figure


def _curves(points: pd.DataFrame, styles: dict[str, SeriesStyle], lines: dict[float, LineStyle]) -> Iterator[Curve]:
    """Give the curves of a panel, the paper's own method first: it lies on top."""
    for method, style in styles.items():
        of_method = points[points["method"] == method]
        for mapped in sorted(set(of_method["mapped"].dropna())):
            curve = of_method[of_method["mapped"] == mapped]
            label = f"{style.title}, {percent(mapped)}"
            yield Curve(label, curve, style, lines[mapped], mapped, error="standard_error")
        unmapped = of_method[of_method["mapped"].isna()]
        if not unmapped.empty:
            yield Curve(style.title, unmapped, style, SINGLE_VIEW_LINE, error="standard_error")
