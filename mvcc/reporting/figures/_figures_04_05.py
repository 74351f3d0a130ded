"""Figures 4 and 5: methods compared per data set and base; and the difference of two, trial by trial."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mvcc.reporting.figures._curves import LOGARITHMIC, PER_VIEW, Curve, add_fractions, draw_curves, entry
from mvcc.reporting.figures._panels import about_trials, draw_panels, main_experiment, panels_by_base, schedule_of
from mvcc.reporting.figures._sheet import add_legend, new_sheet
from mvcc.reporting.figures._style import (
    METHODS,
    SINGLE_VIEW_LINE,
    LineStyle,
    SeriesStyle,
    line_styles,
    method_styles,
    percent,
    tint,
)
from mvcc.results import DIRECT_MAPPING, PROPAGATION, SINGLE_VIEW

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLE_4 = "Figure 4. Comparison of multi-view constrained clustering performance"
_NOTE_4 = (
    "Pairwise F-measure: how well the clusters agree with the true classes, mean of all views; 1 is perfect. {trials} "
    "{bars} Line type and filling of the marker: the percentage of instances that are mapped between the views; "
    "{unmapped} no mapping. Markers are moved sideways a little so that they do not hide each other. " + LOGARITHMIC
)
_BARS, _NO_BARS = "The bars are ± 1 standard error.", "So there are no error bars."
_TITLE_5 = "Figure 5. Improvement of Constraint Propagation over Direct Mapping"
_NOTE_5 = (
    "Bar: the improvement of the mean F-measure in percent, averaged over the numbers of constraints in Figure 4. "
    "Diamond: the largest improvement at one of them. {trials}"
)
_APART = (
    " The paper leaves Four Quadrants with PCK-Means out because it dwarfs the others (footnote 2); here it has an "
    "axis of its own."
)
_DWARFING = "Four Quadrants, PCK-Means"
_GROUP = (1.3, 3.0)
_TITLE_OF_PAIRS = "Constraint Propagation against Direct Mapping, trial by trial"
_NOTE_OF_PAIRS = (
    "Both methods see the same constraints and the same mapping in a trial: this is the mean of the differences of "
    "their F-measures. {trials} Band: 95% confidence interval of each mean (t distribution over trials; none with a "
    "single trial). Where a band lies above 0, Constraint Propagation is better. " + LOGARITHMIC
)
_CONFIDENCE = 0.95
_CELL = ["dataset", "folder", "reading", "base", "mapped", "n_constraints"]
_PAIR = [PROPAGATION, DIRECT_MAPPING]
_STYLE = METHODS[PROPAGATION]
_PEAK: dict[str, Any] = {"color": _STYLE.color, "marker": "D", "markersize": 5, "linestyle": "none"}


def draw_figure_04(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 4 (§6.3): pairwise F-measure against the number of constraints.

    One row of panels per data set and one column per base algorithm; None without multi-view results.
    """
    rows = main_experiment(curves, "multi-view")
    if rows.empty:
        return None
    styles = method_styles(rows["method"])
    rows = rows.assign(mapped=rows["mapped"].where(rows["method"] != SINGLE_VIEW))
    lines = line_styles(rows["mapped"].dropna())

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        draw_curves(axes, list(_curves(points, styles, lines)), schedule_of(points))
        axes.set_xlabel(PER_VIEW)
        axes.set_ylabel("Pairwise F-measure")
        axes.locator_params(axis="y", nbins=7, steps=[1, 2, 5, 10])

    unmapped = set(rows.loc[rows["mapped"].isna(), "method"])
    others = [style.title for name, style in styles.items() if name in unmapped - {SINGLE_VIEW}]
    note = _NOTE_4.format(
        trials=about_trials(rows),
        bars=_BARS if rows["trials"].max() > 1 else _NO_BARS,
        unmapped=" and ".join(["Single View", *others]) + (" use" if others else " uses"),
    )
    figure = draw_panels(panels_by_base(rows), _TITLE_4, note, draw)
    of_methods = [
        entry(style.title, style, SINGLE_VIEW_LINE if name in unmapped else "solid") for name, style in styles.items()
    ]
    add_legend(figure, "Transfer method", of_methods)
    if lines:
        add_fractions(figure, lines)
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


def improvements(curves: pd.DataFrame) -> pd.DataFrame:
    """Compare Constraint Propagation with Direct Mapping on one data set by one base, in percent of the latter's F.

    Return ``average`` and ``peak`` over the numbers of constraints, by mapped fraction, ascending.
    """
    import pandas as pd

    mean = curves.pivot(index=["mapped", "n_constraints"], columns="method", values="mean")
    gain = 100 * (mean[PROPAGATION] / mean[DIRECT_MAPPING] - 1)
    by_fraction = gain.dropna().groupby("mapped")
    return pd.DataFrame({"average": by_fraction.mean(), "peak": by_fraction.max()})


def draw_figure_05(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 5 (§6.3): improvement over Direct Mapping, averaged over the learning curve, and its peak.

    One group of bars per data set and base algorithm; None without both methods.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    rows = main_experiment(curves, "multi-view")
    rows = rows[rows["method"].isin(_PAIR)]
    groups = [
        (panel.title, panel.detail, group)
        for panel in panels_by_base(rows)
        if panel.points["method"].nunique() == 2 and len(group := improvements(panel.points))
    ]
    if not groups:
        return None
    apart = [group for group in groups if group[0] == _DWARFING]
    others = [group for group in groups if group[0] != _DWARFING]
    blocks = [block for block in (apart, others) if block]
    widths = [max(1, round(len(block) / 2)) for block in blocks]
    note = _NOTE_5.format(trials=about_trials(rows)) + (_APART if apart and others else "")
    figure, grid = new_sheet(1, max(sum(widths), 3), _TITLE_5, note, _GROUP)
    start = 0
    for block, width in zip(blocks, widths, strict=True):
        axes = figure.add_subplot(grid[0, start : start + width])
        _draw_groups(axes, block)
        start += width
    fractions = sorted({mapped for _, _, group in groups for mapped in group.index})
    patches = [Patch(label=percent(m), facecolor=tint(_STYLE.color, m), edgecolor=_STYLE.color) for m in fractions]
    add_legend(figure, "Instances mapped", patches)
    peak = Line2D([], [], label="Largest improvement", markerfacecolor="white", **_PEAK)
    add_legend(figure, "At one number of constraints", [peak])
    return figure


def _draw_groups(axes: Axes, groups: list[tuple[str, str, pd.DataFrame]]) -> None:
    for place, (_, _, group) in enumerate(groups):
        width = 0.8 / len(group)
        for slot, (mapped, average, peak) in enumerate(group.reset_index().itertuples(index=False)):
            x = place + width * (slot + 0.5 - len(group) / 2)
            axes.bar(x, average, 0.86 * width, color=tint(_STYLE.color, mapped), edgecolor=_STYLE.color, linewidth=0.9)
            axes.plot(x, peak, markerfacecolor=tint(_STYLE.color, mapped), **_PEAK)
    axes.axhline(0, color="black", linewidth=0.8)
    labels = ["\n".join((*title.split(", "), *([detail] if detail else []))) for title, detail, _ in groups]
    axes.set_xticks(range(len(groups)), labels)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.set_ylabel("Improvement of F-measure (%)")


def differences(scores: pd.DataFrame) -> pd.DataFrame:
    """Pair the two methods trial by trial, given scores.

    Return the ``mean`` difference of each point of a curve, half the width of its confidence interval (``half_width``,
    NaN for one trial) and the number of ``trials``.
    """
    import numpy as np
    from scipy.stats import t

    rows = main_experiment(scores, "multi-view")
    index = [*_CELL, "trial"]
    cp, dm = (rows[rows["method"] == name].set_index(index)["f_measure"] for name in _PAIR)
    pairs = (cp - dm).dropna().groupby(_CELL)
    table = pairs.agg(mean="mean", deviation="std", trials="size").reset_index()
    quantile = t.ppf((1 + _CONFIDENCE) / 2, np.maximum(table["trials"] - 1, 1))
    return table.assign(half_width=quantile * table["deviation"] / np.sqrt(table["trials"]))


def draw_difference(scores: pd.DataFrame) -> Figure | None:
    """Draw the paired difference with its confidence band, per mapped fraction.

    One row of panels per data set and one column per base algorithm; None where no trial has both methods.
    """
    rows = differences(scores)
    if rows.empty:
        return None
    lines = line_styles(rows["mapped"])

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        curves = [
            Curve(percent(mapped), of_fraction, _STYLE, line, mapped)
            for mapped, line in lines.items()
            if len(of_fraction := points[points["mapped"] == mapped])
        ]
        for curve in curves:
            n, mean, half = (curve.points[name] for name in ("n_constraints", "mean", "half_width"))
            axes.fill_between(n, mean - half, mean + half, color=_STYLE.color, alpha=0.1, linewidth=0)
            for edge in (mean - half, mean + half):
                axes.plot(n, edge, color=tint(_STYLE.color, 0.45), linestyle=curve.line, linewidth=0.8)
        draw_curves(axes, curves, schedule_of(points), moved_apart=False)
        axes.axhline(0, color="black", linewidth=0.8, zorder=1.5)
        axes.set_xlabel(PER_VIEW)
        axes.set_ylabel("Difference of F-measure (CP − DM)")

    figure = draw_panels(panels_by_base(rows), _TITLE_OF_PAIRS, _NOTE_OF_PAIRS.format(trials=about_trials(rows)), draw)
    add_fractions(figure, lines, _STYLE)
    return figure
