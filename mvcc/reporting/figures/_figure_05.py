"""Figure 5: how much Constraint Propagation improves on Direct Mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvcc.reporting.figures._grids import add_legend, new_sheet
from mvcc.reporting.figures._panels import about_trials, main_experiment, panels_by_base
from mvcc.reporting.figures._style import METHODS, percent, tint

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLE = "Figure 5. Improvement of Constraint Propagation over Direct Mapping"
_NOTE = (
    "Bar: the improvement of the mean F-measure in percent, averaged over the numbers of constraints in Figure 4. "
    "Whisker: up to the largest improvement at one of them. {trials}"
)
_APART = (
    " The paper leaves Four Quadrants with PCK-Means out because it dwarfs the others (footnote 2); here it has an "
    "axis of its own."
)
_DWARFING = "Four Quadrants, PCK-Means"
_SIZE = (1.3, 3.0)
_COLOR = METHODS["constraint-propagation"].color


def improvements(curves: pd.DataFrame) -> pd.DataFrame:
    """Compare Constraint Propagation with Direct Mapping in percent of the latter's F-measure.

    Parameters
    ----------
    curves : pandas.DataFrame
        The rows of one data set and base algorithm.

    Returns
    -------
    pandas.DataFrame
        ``average`` and ``peak`` over the numbers of constraints, by mapped fraction, ascending.
    """
    import pandas as pd

    mean = curves.pivot(index=["mapped", "n_constraints"], columns="method", values="mean")
    gain = 100 * (mean["constraint-propagation"] / mean["direct-mapping"] - 1)
    by_fraction = gain.dropna().groupby("mapped")
    return pd.DataFrame({"average": by_fraction.mean(), "peak": by_fraction.max()})


def draw_figure_05(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 5 (§6.3): improvement over Direct Mapping, averaged over the learning curve, and its peak.

    One group of bars per data set and base algorithm; None without both methods.
    """
    from matplotlib.patches import Patch

    rows = main_experiment(curves, "multi-view")
    rows = rows[rows["method"].isin(["constraint-propagation", "direct-mapping"])]
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
    note = _NOTE.format(trials=about_trials(rows)) + (_APART if apart and others else "")
    figure, grid = new_sheet(1, max(sum(widths), 3), _TITLE, note, _SIZE)
    start = 0
    for block, width in zip(blocks, widths, strict=True):
        axes = figure.add_subplot(grid[0, start : start + width])
        _draw_groups(axes, block)
        start += width
    fractions = sorted({mapped for _, _, group in groups for mapped in group.index})
    patches = [Patch(label=percent(m), facecolor=tint(_COLOR, m), edgecolor=_COLOR) for m in fractions]
    add_legend(figure, "Instances mapped", patches)
    return figure


def _draw_groups(axes: Axes, groups: list[tuple[str, str, pd.DataFrame]]) -> None:
    for place, (_, _, group) in enumerate(groups):
        width = 0.8 / len(group)
        for slot, (mapped, average, peak) in enumerate(group.reset_index().itertuples(index=False)):
            x = place + width * (slot + 0.5 - len(group) / 2)
            axes.bar(x, average, 0.86 * width, color=tint(_COLOR, mapped), edgecolor=_COLOR, linewidth=0.9)
            axes.plot([x, x], [average, peak], color="black", linewidth=0.9, marker="_", markersize=6, markevery=[1])
    axes.axhline(0, color="black", linewidth=0.8)
    labels = ["\n".join((*title.split(", "), *([detail] if detail else []))) for title, detail, _ in groups]
    axes.set_xticks(range(len(groups)), labels)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.set_ylabel("Improvement of F-measure (%)")
