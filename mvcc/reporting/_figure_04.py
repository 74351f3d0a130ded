"""Figure 4: performance against the number of constraints, per data set, base algorithm, method and mapping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mvcc.reporting._panels import SOFT, add_legend, new_sheet, set_panel_title, set_schedule, spread_over
from mvcc.reporting._style import BASES, METHODS, SINGLE_VIEW_LINE, LineStyle, MethodStyle, line_styles, percent, tint

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_TITLE = "Figure 4. Comparison of multi-view constrained clustering performance"
_NOTE = (
    "Pairwise F-measure: how well the clusters agree with the true classes, mean of all views; 1 is perfect. {trials} "
    "Line type and filling of the marker: the percentage of instances that are mapped between the views; "
    "Single View uses no mapping. Markers are moved sideways a little so that they do not hide each other."
)
_LINE_WIDTH, _EDGE_WIDTH = 1.3, 0.9
_ANY_METHOD = MethodStyle("any", SOFT, "o", 5.0)


def draw_figure_04(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 4 (§6.3): pairwise F-measure against the number of constraints.

    Parameters
    ----------
    curves : pandas.DataFrame
        As `read_curves` returns them.

    Returns
    -------
    matplotlib.figure.Figure or None
        One row of panels per data set and one column per base algorithm; None without multi-view results.
    """
    from mvcc.datasets import registry

    curves = curves[curves["experiment"] == "multi-view"]
    if curves.empty:
        return None
    titles = {name: info.title for name, info in registry().items()}
    rows = sorted(set(zip(curves["dataset"], curves["folder"], strict=True)), key=lambda row: _place(row, titles))
    bases = sorted(set(curves["base"]), key=lambda base: _place((base,), BASES))
    lines = line_styles(curves.loc[curves["method"] != "single-view", "mapped"])
    figure, grid = new_sheet(len(rows), len(bases), _TITLE, _NOTE.format(trials=_about_trials(curves)))
    for i, (dataset, folder) in enumerate(rows):
        of_row = curves[(curves["dataset"] == dataset) & (curves["folder"] == folder)]
        same_title = sum(dataset == other for other, _ in rows) > 1
        for j, base in enumerate(bases):
            points = of_row[of_row["base"] == base]
            if points.empty:
                continue
            axes = figure.add_subplot(grid[i, j])
            _draw_panel(axes, points, lines)
            details = [folder] if same_title else []
            if curves["trials"].nunique() > 1:
                details.append(f"{_trials(points)} trials")
            set_panel_title(axes, f"{titles.get(dataset, dataset)}, {BASES.get(base, base)}", " · ".join(details))
    _add_legends(figure, set(curves["method"]), lines)
    return figure


def _place(names: tuple[str, ...], known: Iterable[str]) -> tuple[int, tuple[str, ...]]:
    """Sort key: what the paper names comes in its order, everything else after it by name."""
    order = list(known)
    return order.index(names[0]) if names[0] in order else len(order), names


def _trials(points: pd.DataFrame) -> str:
    fewest, most = points["trials"].min(), points["trials"].max()
    return f"{most:g}" if fewest == most else f"{fewest:g} to {most:g}"


def _about_trials(curves: pd.DataFrame) -> str:
    if curves["trials"].max() == 1:
        return "A single trial, so there are no error bars."
    return f"Mean over {_trials(curves)} trials; the bars are ± 1 standard error."


def _draw_panel(axes: Axes, points: pd.DataFrame, lines: dict[float, LineStyle]) -> None:
    from matplotlib.transforms import Affine2D

    schedule = sorted(set(points["n_constraints"]))
    series = list(_series(points))
    for slot, (method, mapped, curve) in enumerate(series):
        style = METHODS[method]
        shift = spread_over(schedule) * ((slot + 0.5) / len(series) - 0.5)
        axes.errorbar(
            curve["n_constraints"],
            curve["mean"],
            yerr=curve["standard_error"],
            transform=Affine2D().translate(shift, 0) + axes.transData,
            label=style.title if mapped is None else f"{style.title}, {percent(mapped)}",
            color=style.color,
            linestyle=SINGLE_VIEW_LINE if mapped is None else lines[mapped],
            linewidth=_LINE_WIDTH,
            elinewidth=0.8,
            marker=style.marker,
            markersize=style.marker_size,
            markeredgewidth=_EDGE_WIDTH,
            markerfacecolor=tint(style.color, 1.0 if mapped is None else mapped),
            zorder=3 - slot / len(series),  # the first method, the paper's own, lies on top
        )
    set_schedule(axes, schedule)
    axes.set_xlabel("Constraints per view")
    axes.set_ylabel("Pairwise F-measure")
    axes.locator_params(axis="y", nbins=7, steps=[1, 2, 5, 10])


def _series(points: pd.DataFrame) -> Iterator[tuple[str, float | None, pd.DataFrame]]:
    """Give the curves of a panel: method, mapped fraction (None for Single View, which has no mapping), points."""
    for method in METHODS:
        of_method = points[points["method"] == method].sort_values("n_constraints")
        if method != "single-view":
            for mapped in sorted(set(of_method["mapped"])):
                yield method, mapped, of_method[of_method["mapped"] == mapped]
        elif not of_method.empty:
            yield method, None, of_method


def _add_legends(figure: Figure, methods: set[str], lines: dict[float, LineStyle]) -> None:
    of_methods = [
        _entry(style.title, SINGLE_VIEW_LINE if name == "single-view" else "solid", style, 1.0)
        for name, style in METHODS.items()
        if name in methods
    ]
    of_fractions = [_entry(percent(mapped), line, _ANY_METHOD, mapped) for mapped, line in lines.items()]
    add_legend(figure, "Transfer method", of_methods)
    if of_fractions:
        add_legend(figure, "Instances mapped", of_fractions)


def _entry(label: str, line: LineStyle, style: MethodStyle, filled: float) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        label=label,
        color=style.color,
        linestyle=line,
        linewidth=_LINE_WIDTH,
        marker=style.marker,
        markersize=style.marker_size,
        markeredgewidth=_EDGE_WIDTH,
        markerfacecolor=tint(style.color, filled),
    )
