"""Beyond the paper: clustering in one graph beside k-means, the paper's methods and those of other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvcc.reporting.figures._curves import LOGARITHMIC, PER_VIEW, Curve, add_fractions, draw_curves, entry
from mvcc.reporting.figures._panels import about_trials, dataset_title, draw_panels, in_order, schedule_of, side_by_side
from mvcc.reporting.figures._sheet import add_legend
from mvcc.reporting.figures._style import (
    METHODS,
    PEERS,
    SINGLE_VIEW_LINE,
    WITHOUT_BASE,
    LineStyle,
    line_styles,
    percent,
)
from mvcc.results import BEYOND, BEYOND_PEERS, JOINT, K_MEANS, SINGLE_VIEW

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLE = "Beyond the paper. All views in one graph, and the alternatives"
_NOTE = (
    "Pairwise F-measure, mean of all views, on features scaled by one automatic rule. {trials} Bars: ± 1 standard "
    "error. The alternatives have {mapped} of the instances mapped, where they use a mapping at all. The paper's "
    "methods have, at each point, the base algorithm that was better there in hindsight. " + LOGARITHMIC
)
_PANEL = (4.0, 3.2)  # inches; the legends of a single row of panels need as much
_STYLES = METHODS | {K_MEANS: WITHOUT_BASE[K_MEANS]} | PEERS


def draw_beyond(curves: pd.DataFrame) -> Figure | None:
    """Draw F over the number of pairs, a panel for each data set; None without the study."""
    ours = curves[(curves["study"] == BEYOND) & (curves["method"] == JOINT)]
    if ours.empty:
        return None
    style, fractions = WITHOUT_BASE[JOINT], sorted(set(ours["mapped"]))
    mapped = fractions[len(fractions) // 2]
    lines = line_styles(fractions)
    others = curves[curves["study"].isin([BEYOND, BEYOND_PEERS]) & (curves["method"] != JOINT)]
    others = _best_base(others[others["mapped"].isna() | (others["mapped"] == mapped)])

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        joint = points[points["method"] == JOINT]
        drawn = [
            Curve(percent(m), joint[joint["mapped"] == m], style, line, m, error="standard_error")
            for m, line in lines.items()
        ]
        drawn += [
            Curve(one.title, of_method, one, _line(name), _fill(name), error="standard_error")
            for name, one in _STYLES.items()
            if len(of_method := points[points["method"] == name])
        ]
        draw_curves(axes, drawn, schedule_of(points), moved_apart=False)
        axes.set_xlabel(PER_VIEW)
        axes.set_ylabel("Pairwise F-measure")

    import pandas as pd

    rows = pd.concat([ours, others], ignore_index=True)
    panels = side_by_side([(dataset_title(name), rows[rows["dataset"] == name]) for name in in_order(ours["dataset"])])
    note = _NOTE.format(trials=about_trials(rows), mapped=percent(mapped))
    figure = draw_panels(panels, _TITLE, note, draw, _PANEL)
    add_fractions(figure, lines, style, f"{style.title}, mapped")
    present = set(others["method"])
    for title, group in (("Methods of the paper", METHODS), ("Other packages", {K_MEANS: _STYLES[K_MEANS]} | PEERS)):
        entries = [entry(one.title, one, _line(name), _fill(name)) for name, one in group.items() if name in present]
        if entries:
            add_legend(figure, title, entries)
    return figure


def _best_base(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep of each method the base with the largest mean, point by point."""
    return rows.sort_values("mean", ascending=False).drop_duplicates(["dataset", "method", "n_constraints"])


def _line(name: str) -> LineStyle:
    return SINGLE_VIEW_LINE if name in (K_MEANS, SINGLE_VIEW) else "solid"


def _fill(name: str) -> float:
    return 0.0 if name in PEERS else 1.0
