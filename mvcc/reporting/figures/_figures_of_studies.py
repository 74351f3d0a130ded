"""The figures beyond the paper's: thresholds of propagation, and the joint graph."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from mvcc.reporting.figures import _panels, _style
from mvcc.results import (
    BEYOND,
    BEYOND_PEERS,
    CROSS_VALIDATED,
    DIRECT_MAPPING,
    JOINT,
    K_MEANS,
    PROPAGATION,
    SINGLE_VIEW,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

_TITLE = "Constraint Propagation against Direct Mapping, by threshold and number of constraints"
_NOTE = (
    "Colors and signed numbers: the pairwise F-measure of Constraint Propagation, mean of all "
    "views, less that of Direct Mapping, which uses no threshold and stands below, without color "
    "(DM). {trials} Colors change with the square root of the difference. cv: every trial chooses "
    "its threshold by cross-validation over the constrained instances (§6.3). A frame marks the "
    "best fixed threshold of each column."
)
_SPECIAL = {CROSS_VALIDATED: "cv", DIRECT_MAPPING: "DM"}
_SIZE = (4.0, 3.0)
_MOST_CELLS_WITH_NUMBERS = 10  # beside each other
_GAP = 0.35  # between the fixed thresholds and the rows below, in rows


def heat_map(points: pd.DataFrame) -> pd.DataFrame:
    """Return differences to Direct Mapping's mean F, thresholds × numbers; its own F is last."""
    points = points.assign(
        row=points["threshold"].where(points["method"] != DIRECT_MAPPING, points["method"])
    )
    table = points.pivot_table(index="row", columns="n_constraints", values="mean", aggfunc="first")
    fixed = sorted(set(table.index) - set(_SPECIAL), key=float, reverse=True)
    table = table.loc[[*fixed, *(name for name in _SPECIAL if name in table.index)]]
    table.iloc[:-1] -= table.iloc[-1]
    return table


def draw_thresholds(curves: pd.DataFrame) -> Figure | None:
    """Draw the difference to Direct Mapping over threshold × number of constraints (§6.3)."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import FuncNorm
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    rows = curves[curves["study"] == "thresholds"]
    rows = rows[rows["method"].isin([PROPAGATION, DIRECT_MAPPING])].reset_index(drop=True)
    if rows["threshold"].isna().all():
        return None
    reading = rows["mapped"].map(_style.percent) + " of the instances mapped"
    for name in ("closure", "rewired"):
        if rows[name].nunique() > 1:
            reading += f" · {name} " + rows[name].astype(str)
    rows = rows.assign(reading=reading)
    of_paper = _thresholds_of_figure_4(curves)
    panels = [
        panel for panel in _panels.panels_by_base(rows) if panel.points["method"].nunique() == 2
    ]
    if not panels:
        return None
    largest = (
        max(float(heat_map(panel.points).iloc[:-1].abs().max().max()) for panel in panels) or 1.0
    )
    colors = ScalarMappable(FuncNorm((_style.root, _style.square), -largest, largest), "RdBu")

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        _draw_map(axes, heat_map(points), colors, of_paper.get(points["dataset"].iloc[0]))

    figure = _panels.draw_panels(
        panels, _TITLE, _NOTE.format(trials=_panels.about_trials(rows)), draw, _SIZE
    )
    marks: list[Artist] = [
        Patch(label="Best fixed threshold", fill=False, edgecolor="black", linewidth=1.8)
    ]
    if of_paper:
        marks.append(
            Line2D(
                [], [], label="Threshold of Figure 4", color="black", marker=">", linestyle="none"
            )
        )
    _style.add_legend(figure, "Marks", marks)
    _style.add_color_bar(figure, "Difference of F-measure (CP − DM)", colors)
    return figure


def _thresholds_of_figure_4(curves: pd.DataFrame) -> dict[str, float]:
    """Return the threshold of Table 1 for each data set, that of the main experiment."""
    main = _panels.main_experiment(curves, "multi-view")
    main = main[main["threshold"].notna() & (main["threshold"] != CROSS_VALIDATED)]
    return {
        str(dataset): float(of_dataset["threshold"].iloc[0])
        for dataset, of_dataset in main.groupby("dataset")
    }


def _draw_map(
    axes: Axes, table: pd.DataFrame, colors: ScalarMappable, of_paper: float | None
) -> None:
    from matplotlib.patches import Rectangle

    fixed = [name for name in table.index if name not in _SPECIAL]
    places = [row if name in fixed else row + _GAP for row, name in enumerate(table.index)]
    best = table.loc[fixed].max()
    for (row, name), (column, n) in product(enumerate(table.index), enumerate(table.columns)):
        value = table.loc[name, n]
        color = colors.to_rgba(value) if name != DIRECT_MAPPING else (1.0, 1.0, 1.0, 1.0)
        corner = (column - 0.5, places[row] - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=color, edgecolor="white", linewidth=0.5))
        ink = "white" if sum(color[:3]) < 1.4 else "black"
        if len(table.columns) <= _MOST_CELLS_WITH_NUMBERS:
            written = f"{value:{'.3f' if name == DIRECT_MAPPING else '+z.3f'}}".replace("-", "−")
            axes.text(
                column, places[row], written, ha="center", va="center", fontsize=7.5, color=ink
            )
        if name in fixed and value == best[n]:
            inset = (corner[0] + 0.05, corner[1] + 0.1)
            axes.add_patch(
                Rectangle(inset, 0.9, 0.8, fill=False, edgecolor=ink, linewidth=1.8, zorder=3)
            )
    axes.set_xlim(-0.5, len(table.columns) - 0.5)
    axes.set_ylim(max(places) + 0.5, -0.5)
    axes.set_xticks(range(len(table.columns)), [f"{n:g}" for n in table.columns])
    axes.set_yticks(places, [_SPECIAL.get(name) or _label(name, of_paper) for name in table.index])
    axes.grid(visible=False)
    axes.set_xlabel(_panels.PER_VIEW)
    axes.set_ylabel("Threshold t")


def _label(threshold: str, of_paper: float | None) -> str:
    return f"▸ {threshold}" if float(threshold) == of_paper else threshold


_BEYOND_TITLE = "Beyond the paper. All views in one graph, and the alternatives"
_BEYOND_NOTE = (
    "Pairwise F-measure, mean of all views, on features scaled by one automatic rule. {trials} "
    "Bars: ± 1 standard error. The alternatives have {mapped} of the instances mapped, where they "
    "use a mapping at all. The paper's methods have, at each point, the base algorithm that was "
    "better there in hindsight. " + _panels.LOGARITHMIC
)
_PANEL = (4.0, 3.2)  # inches; the legends of a single row of panels need as much
_STYLES = _style.METHODS | {K_MEANS: _style.WITHOUT_BASE[K_MEANS]} | _style.PEERS


def draw_beyond(curves: pd.DataFrame) -> Figure | None:
    """Draw F over the number of pairs, a panel for each data set; None without the study."""
    ours = curves[(curves["study"] == BEYOND) & (curves["method"] == JOINT)]
    if ours.empty:
        return None
    style, fractions = _style.WITHOUT_BASE[JOINT], sorted(set(ours["mapped"]))
    mapped = fractions[len(fractions) // 2]
    lines = _style.line_styles(fractions)
    others = curves[curves["study"].isin([BEYOND, BEYOND_PEERS]) & (curves["method"] != JOINT)]
    others = _best_base(others[others["mapped"].isna() | (others["mapped"] == mapped)])

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        joint = points[points["method"] == JOINT]
        drawn = [
            _panels.Curve(
                _style.percent(m),
                joint[joint["mapped"] == m],
                style,
                line,
                m,
                error="standard_error",
            )
            for m, line in lines.items()
        ]
        drawn += [
            _panels.Curve(
                one.title, of_method, one, _line(name), _fill(name), error="standard_error"
            )
            for name, one in _STYLES.items()
            if len(of_method := points[points["method"] == name])
        ]
        _panels.draw_curves(axes, drawn, _panels.schedule_of(points), moved_apart=False)
        axes.set_xlabel(_panels.PER_VIEW)
        axes.set_ylabel("Pairwise F-measure")

    import pandas as pd

    rows = pd.concat([ours, others], ignore_index=True)
    panels = _panels.side_by_side(
        [
            (_panels.dataset_title(name), rows[rows["dataset"] == name])
            for name in _panels.in_order(ours["dataset"])
        ]
    )
    note = _BEYOND_NOTE.format(trials=_panels.about_trials(rows), mapped=_style.percent(mapped))
    figure = _panels.draw_panels(panels, _BEYOND_TITLE, note, draw, _PANEL)
    _panels.add_fractions(figure, lines, style, f"{style.title}, mapped")
    present = set(others["method"])
    for title, group in (
        ("Methods of the paper", _style.METHODS),
        ("Other packages", {K_MEANS: _STYLES[K_MEANS]} | _style.PEERS),
    ):
        entries = [
            _panels.entry(one.title, one, _line(name), _fill(name))
            for name, one in group.items()
            if name in present
        ]
        if entries:
            _style.add_legend(figure, title, entries)
    return figure


def _best_base(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep of each method the base with the largest mean, point by point."""
    return rows.sort_values("mean", ascending=False).drop_duplicates(
        ["dataset", "method", "n_constraints"]
    )


def _line(name: str) -> _style.LineStyle:
    return _style.SINGLE_VIEW_LINE if name in (K_MEANS, SINGLE_VIEW) else "solid"


def _fill(name: str) -> float:
    return 0.0 if name in _style.PEERS else 1.0
