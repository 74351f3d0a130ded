"""The figures beyond the paper's: thresholds, the joint graph, and numbers of clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import ceil
from typing import TYPE_CHECKING, Any

from mvcc.reporting.figures import _panels, _style
from mvcc.reporting.figures._panels import Picture
from mvcc.reporting.figures._style import SOFT, house_style, saved
from mvcc.results import (
    BEYOND,
    BEYOND_PEERS,
    CROSS_VALIDATED,
    DIRECT_MAPPING,
    JOINT,
    K_MEANS,
    PROPAGATION,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

_TITLE = "Constraint Propagation against Direct Mapping, by threshold and number of constraints"
_THRESHOLDS = (
    "Colors and signed numbers: the pairwise F-measure of Constraint Propagation, mean of all "
    "views, less that of Direct Mapping, which uses no threshold and stands below, without color "
    "(DM). {trials} Colors change with the square root of the difference. cv: every trial chooses "
    "its threshold by cross-validation over the constrained instances (§6.3). A frame marks the "
    "best fixed threshold of each column."
)
_SPECIAL = {CROSS_VALIDATED: "cv", DIRECT_MAPPING: "DM"}
_ROW_OF_MAPS = 1.75  # inches
_MOST_CELLS_WITH_NUMBERS = 8  # beside each other
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


def draw_thresholds(curves: pd.DataFrame) -> Picture | None:
    """Draw the difference to Direct Mapping over threshold × number of constraints (§6.3)."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import FuncNorm
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    rows = curves[curves["study"] == "thresholds"]
    rows = rows[rows["method"].isin([PROPAGATION, DIRECT_MAPPING])].reset_index(drop=True)
    if rows["threshold"].isna().all():
        return None
    rows = rows.assign(reading=_reading(rows))
    main = _panels.main_experiment(curves, "multi-view")
    main = main[main["threshold"].notna() & (main["threshold"] != CROSS_VALIDATED)]
    of_paper = main.groupby("dataset")["threshold"].first().astype(float)
    panels = [
        panel for panel in _panels.panels_by_base(rows) if panel.points["method"].nunique() == 2
    ]
    if not panels:
        return None
    tables = [heat_map(panel.points).iloc[:-1] for panel in panels]
    largest = max(float(table.abs().max().max()) for table in tables) or 1.0
    colors = ScalarMappable(FuncNorm((_style.root, _style.square), -largest, largest), "RdBu")

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        _draw_map(axes, heat_map(points), colors, of_paper.get(points["dataset"].iloc[0]))

    legend: list[Artist] = [
        Patch(label="Best fixed threshold", fill=False, edgecolor="black", linewidth=1.2)
    ]
    if len(of_paper):
        mark: dict[str, Any] = {"color": "black", "marker": ">", "markersize": 4}
        legend.append(Line2D([], [], label="Threshold of Figure 4", linestyle="none", **mark))
    figure = _panels.draw_grid(
        panels,
        draw,
        y="Threshold t",
        legend=legend,
        share_x="col",
        share_y="none",
        row_height=_ROW_OF_MAPS,
    )
    figure.colorbar(
        colors, ax=figure.axes, label="Gain in F-measure over Direct Mapping", aspect=40, pad=0.02
    )
    return Picture(figure, _TITLE, _THRESHOLDS.format(trials=_panels.about_trials(rows)))


def _reading(rows: pd.DataFrame) -> pd.Series[str]:
    """Return what tells the rows of one map from those of another of the same data set."""
    reading = rows["mapped"].map(_style.mapped_title)
    for name in ("closure", "rewired"):
        if rows[name].nunique() > 1:
            reading += f" · {name} " + rows[name].astype(str)
    return reading


def _draw_map(
    axes: Axes, table: pd.DataFrame, colors: ScalarMappable, of_paper: float | None
) -> None:
    from matplotlib.patches import Rectangle

    fixed = [name for name in table.index if name not in _SPECIAL]
    places = [row + _GAP * (name in _SPECIAL) for row, name in enumerate(table.index)]
    best = table.loc[fixed].max()
    for (row, name), (column, n) in product(enumerate(table.index), enumerate(table.columns)):
        value = table.loc[name, n]
        color: Any = colors.to_rgba(value)
        spec = "+z.3f"
        if name == DIRECT_MAPPING:  # no difference
            color, spec = (1.0, 1.0, 1.0, 1.0), ".3f"
        corner = (column - 0.5, places[row] - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=color, edgecolor="white", linewidth=0.5))
        ink = "white" if sum(color[:3]) < 1.4 else "black"
        if len(table.columns) <= _MOST_CELLS_WITH_NUMBERS:
            written = format(value, spec).replace("-", "−")
            axes.text(column, places[row], written, ha="center", va="center", fontsize=6, color=ink)
        if name in fixed and value == best[n]:
            inset = (corner[0] + 0.05, corner[1] + 0.1)
            axes.add_patch(
                Rectangle(inset, 0.9, 0.8, fill=False, edgecolor=ink, linewidth=1.2, zorder=3)
            )
    axes.set_xlim(-0.5, len(table.columns) - 0.5)
    axes.set_ylim(max(places) + 0.5, -0.5)
    axes.set_xticks(range(len(table.columns)), [f"{n:g}" for n in table.columns])
    labels = {name: f"▸ {name}" for name in fixed if float(name) == of_paper} | _SPECIAL
    axes.set_yticks(places, [labels.get(name, name) for name in table.index])
    axes.grid(visible=False)


_BEYOND = (
    "Pairwise F-measure, mean of all views, on features scaled by one automatic rule. Left: the "
    "joint clustering with shares of the instances mapped. Middle and right: others with {mapped}, "
    "where they use a mapping at all, beside the joint clustering with as many. The paper's "
    "methods have, at each point, the base algorithm, and the threshold where there are several, "
    "that was best there in hindsight. "
    f"{{trials}} {_panels.INTERVALS} {_panels.LOGARITHMIC}"
)
_OTHERS = {
    "Methods of the paper": _style.METHODS,
    "Other packages": {K_MEANS: _style.WITHOUT_BASE[K_MEANS]} | _style.PEERS,
}


def draw_beyond(curves: pd.DataFrame) -> Picture | None:
    """Draw F over the number of constraints, a row for each run of the joint clustering, if any."""
    import pandas as pd

    ours = curves[(curves["study"] == BEYOND) & (curves["method"] == JOINT)]
    if ours.empty:
        return None
    ours = ours.assign(beside=ours["folder"])
    fractions = sorted(set(ours["mapped"]))
    mapped = fractions[len(fractions) // 2]
    others = curves[curves["study"].isin([BEYOND, BEYOND_PEERS]) & (curves["method"] != JOINT)]
    others = _panels.with_setting(others, "mapped", mapped)
    # each run of the joint clustering has its own others; those from elsewhere are beside all
    runs = ours[["dataset", "beside"]].drop_duplicates()
    others = others.merge(runs, on="dataset")
    elsewhere = ~others["folder"].isin(runs["beside"])
    others = others[elsewhere | (others["folder"] == others["beside"])]
    # of each method the base and threshold with the largest mean, point by point
    others = others.sort_values("mean", ascending=False).drop_duplicates(
        ["dataset", "beside", "method", "n_constraints"]
    )
    rows = _panels.with_intervals(pd.concat([ours, others], ignore_index=True))
    schedule = sorted(set(rows["n_constraints"]))
    joint = _style.by_fraction(fractions, _style.WITHOUT_BASE[JOINT])
    title = _style.WITHOUT_BASE[JOINT].title
    beside = next(style for style in joint if style.value == mapped)
    beside = replace(beside, column="method", value=JOINT, title=title)

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        methods = _style.method_styles(points["method"])
        series = joint
        if set(methods) != {JOINT}:
            points = points[(points["method"] != JOINT) | (points["mapped"] == mapped)]
            methods.pop(JOINT, None)
            series = [beside, *methods.values()]
        _panels.draw_curves(axes, points, series, schedule, highest=1)

    panels = list(_panels_beyond(rows))
    figure = _panels.draw_grid(panels, draw, y="Pairwise F-measure", legend=[])
    keys = {title: [style.entry() for style in joint]}
    for heading, group in _OTHERS.items():
        present = set(others["method"])
        keys[heading] = [style.entry() for name, style in group.items() if name in present]
    n_columns = 1 + max(panel.column for panel in panels)
    for panel in panels:
        axes = figure.axes[panel.row * n_columns + panel.column]
        if axes.get_title():  # the highest one of its column
            axes.set_title("")
            axes.legend(
                handles=keys[panel.column_title],
                title=panel.column_title,
                loc="lower center",
                bbox_to_anchor=(0.5, 1),
                handlelength=2.6,
            )
    caption = _BEYOND.format(trials=_panels.about_trials(rows), mapped=_style.mapped_title(mapped))
    title = "Beyond the paper. All views in one graph, and the alternatives"
    return Picture(figure, title, caption)


def _panels_beyond(rows: pd.DataFrame) -> Iterator[_panels.Panel]:
    """Give for each data set and run panels of the joint clustering, alone and beside others."""
    runs = rows[["dataset", "beside"]].drop_duplicates().groupby("dataset")["beside"].agg(sorted)
    places = [(dataset, run) for dataset in _panels.in_order(runs.index) for run in runs[dataset]]
    for row, (dataset, run) in enumerate(places):
        title = _panels.dataset_title(dataset)
        if len(runs[dataset]) > 1:
            title += f"\n{run}"
        of_run = rows[(rows["dataset"] == dataset) & (rows["beside"] == run)]
        joint = of_run["method"] == JOINT
        yield _panels.Panel(row, 0, title, _style.WITHOUT_BASE[JOINT].title, of_run[joint])
        for column, (heading, group) in enumerate(_OTHERS.items(), 1):
            of_group = of_run["method"].isin(group)
            if of_group.any():
                yield _panels.Panel(row, column, title, heading, of_run[joint | of_group])


_PANELS = {  # title: what is drawn, and how it is called
    "Held-out constraints kept": {"kept": ""},
    "Matched rows together without their match": {"agreement": "matched", "by_chance": "by chance"},
    "Stability": {"stability": ""},
    "Share of the rows in one cluster": {"largest": "largest", "smallest": "smallest"},
}


def picture_of_numbers(tried: Sequence[Mapping[str, Any]]) -> bytes:
    """Draw what `mvcc cluster -k 2-12` has found as curves over the number of clusters, as PNG."""
    import pandas as pd
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    table = pd.DataFrame(tried).set_index("k")
    panels = {
        title: curves
        for title, curves in _PANELS.items()
        if tried[0][next(iter(curves))] is not None
    }
    n_columns = min(2, len(panels))
    n_rows = ceil(len(panels) / n_columns)
    with house_style():
        figure = Figure(figsize=(4.0 * n_columns, 2.6 * n_rows), layout="constrained")
        axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
        for panel in axes[len(panels) :]:
            panel.set_axis_off()
        for panel, (title, curves) in zip(axes, panels.items(), strict=False):
            for name, label in curves.items():
                look = {"marker": "o"}
                if label in ("by chance", "smallest"):
                    look = {"color": SOFT, "linestyle": "dashed"}
                panel.plot(table.index, table[name], label=label, **look)
            if "kept" in curves:
                low, high = (table["kept"] + sign * table["kept_error"] for sign in (-1, 1))
                panel.fill_between(table.index, low, high, alpha=0.2, linewidth=0)
            lowest = min(0, *table[name])
            panel.set(title=title, xlabel="number of clusters", ylim=(lowest, 1.02))
            panel.xaxis.set_major_locator(MaxNLocator(integer=True))
            if len(curves) > 1:
                panel.legend()
        return saved(figure, "png", {"Software": None}, 150)
