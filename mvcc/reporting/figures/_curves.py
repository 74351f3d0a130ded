"""Figures 4 to 10 and the paired difference: curves over the number of constraints."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from mvcc.reporting.figures import _panels, _style
from mvcc.reporting.figures._panels import Picture
from mvcc.results import DIRECT_MAPPING, PROPAGATION, SINGLE_VIEW

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from mvcc._utils.arrays import Floats

_F_MEASURE = {
    "multi-view": "Figure 4. Comparison of multi-view constrained clustering performance",
    "single-view": "Figure 8. Single-view clustering with and without Constraint Propagation",
}
_COLUMNS = {"multi-view": "Mean of all views. Columns: base algorithm and mapped instances. "}
_WITH_AND_WITHOUT = {PROPAGATION: "With Constraint Propagation", SINGLE_VIEW: "Without"}
_PAIR = [PROPAGATION, DIRECT_MAPPING]
_STYLE = _style.METHODS[PROPAGATION]
_RESAMPLES = 2_000
_GROUP = ["dataset", "folder", "reading", "view", "base", "mapped"]
_MEASURED = ["mapped", "average", "low", "high", "peak"]


def draw_f_measure(curves: pd.DataFrame, experiment: str) -> Picture | None:
    """Draw Figures 4 and 8 (§6.3, §6.4): a row for each data set or view, a column per base."""
    # Figure 4 has a column for each mapped fraction, too; Figure 8 is with and without Constraint
    # Propagation
    rows = _panels.main_experiment(curves, experiment)
    if rows.empty:
        return None
    rows = _panels.with_intervals(rows)
    multi_view = experiment == "multi-view"
    if multi_view:
        rows = rows.assign(mapped=rows["mapped"].where(rows["method"] != SINGLE_VIEW))
        series = list(_style.method_styles(rows["method"]).values())
    else:
        series = [
            replace(_style.METHODS[name], title=title)
            for name, title in _WITH_AND_WITHOUT.items()
            if name in set(rows["method"])
        ]
    return _panels.draw_by_base(
        rows,
        series,
        _F_MEASURE[experiment],
        "Pairwise F-measure: how well the clusters agree with the true classes; 1 is perfect. "
        f"{_COLUMNS.get(experiment, '')}{{trials}} {_panels.INTERVALS} {_panels.LOGARITHMIC}",
        y="Pairwise F-measure",
        split_by_fraction=multi_view,
        highest=1,
    )


def differences(scores: pd.DataFrame) -> pd.DataFrame:
    """Pair two methods by trial; return mean, ``half_width`` of its interval, and ``trials``."""
    rows = _panels.main_experiment(scores, "multi-view")
    index = [*(name for name in _panels.CELL if name != "method"), "trial"]
    ours, theirs = (rows[rows["method"] == name].set_index(index)["f_measure"] for name in _PAIR)
    pairs = (ours - theirs).dropna().rename("difference").reset_index()
    return _panels.means(pairs.assign(method=PROPAGATION), "difference")


def draw_difference(scores: pd.DataFrame) -> Picture | None:
    """Draw the paired difference with its confidence band, data sets × bases."""
    rows = differences(scores)
    if rows.empty:
        return None
    fractions = _style.by_fraction(rows["mapped"], _STYLE)

    def draw_bands(axes: Axes, points: pd.DataFrame) -> None:
        for curve in (style.rows(points) for style in fractions):
            n, mean, half = (curve[name] for name in ("n_constraints", "mean", "half_width"))
            axes.fill_between(
                n, mean - half, mean + half, color=_STYLE.color, alpha=0.15, linewidth=0
            )
        axes.axhline(0, color="black", linewidth=0.6, zorder=1.5)

    return _panels.draw_by_base(
        rows,
        fractions,
        "Constraint Propagation against Direct Mapping, trial by trial",
        "Both methods see the same constraints and the same mapping in a trial: this is the mean of"
        " the differences of their F-measures. {trials} Band: 95 % interval of each mean, by the t"
        " distribution. If it lies above 0, Constraint Propagation is better. "
        + _panels.LOGARITHMIC,
        y="Gain in F-measure over Direct Mapping",
        bars=False,
        also=draw_bands,
    )


def improvements(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the gain over Direct Mapping in percent, by data set, base and mapped fraction."""
    # ``average`` over the numbers of constraints, with the ends of its interval, ``low`` and
    # ``high``, by resampling trials; and its ``peak`` at one of them
    import numpy as np
    import pandas as pd

    rows = _panels.main_experiment(scores, "multi-view")
    rows = rows[rows["method"].isin(_PAIR)]
    records = []
    for group, cell in rows.groupby(_GROUP, dropna=False):
        table = cell.pivot(index="trial", columns=["method", "n_constraints"], values="f_measure")
        if set(cell["method"]) != set(_PAIR) or (table := table.dropna()).empty:
            continue
        ours, theirs = (table[name].to_numpy() for name in _PAIR)
        draws = np.random.default_rng(0).integers(len(table), size=(_RESAMPLES, len(table)))
        resampled = _gain(ours[draws].mean(axis=1), theirs[draws].mean(axis=1)).mean(axis=1)
        low, high = np.nan, np.nan
        if len(table) > 1:
            low, high = np.quantile(resampled, [0.025, 0.975])
        gain = _gain(ours.mean(axis=0), theirs.mean(axis=0))
        records.append([*group, gain.mean(), low, high, gain.max(), len(table)])
    return pd.DataFrame(records, columns=[*_GROUP, *_MEASURED[1:], "trials"])


def _gain(ours: Floats, theirs: Floats) -> Floats:
    return 100 * (ours / theirs - 1)


def draw_figure_05(scores: pd.DataFrame) -> Picture | None:
    """Draw Figure 5 (§6.3): the gain over Direct Mapping, a row for each data set and base."""
    from matplotlib.lines import Line2D
    from matplotlib.ticker import SymmetricalLogLocator

    rows = improvements(scores)
    if rows.empty:
        return None
    groups = _panels.panels_by_base(rows)
    figure = _panels.new_figure(0.42 * len(groups) + _panels.AROUND)
    axes = figure.subplots()
    fractions = sorted(set(rows["mapped"]))
    for row, group in enumerate(groups):
        for mapped, average, low, high, peak in group.points[_MEASURED].to_numpy(float).tolist():
            y = row + 0.7 * ((fractions.index(mapped) + 0.5) / len(fractions) - 0.5)
            look = _look(mapped)
            axes.plot([low, high], [y, y], color=_STYLE.color, linewidth=1)
            axes.plot(average, y, marker="o", markersize=4, **look)
            axes.plot(peak, y, marker="D", markersize=3, **look)
    axes.set_xscale("symlog", linthresh=1, linscale=0.6)
    axes.xaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=1, subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.axvline(0, color="black", linewidth=0.6, zorder=1.5)
    axes.set_yticks(
        range(len(groups)), [f"{group.row_title}\n{group.column_title}" for group in groups]
    )
    axes.set_ylim(len(groups) - 0.45, -0.55)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("Improvement of F-measure (%)")
    key = [
        Line2D([], [], label="Average, 95 % interval", marker="o", markersize=4, **_look(1)),
        Line2D([], [], label="Largest", marker="D", markersize=3, linestyle="none", **_look(1)),
    ]
    for mapped in fractions:
        label = _style.mapped_title(mapped)
        key.append(Line2D([], [], label=label, marker="s", linestyle="none", **_look(mapped)))
    _panels.add_legend(figure, key)
    caption = (
        "The improvement of the mean F-measure over Direct Mapping, averaged over the numbers of"
        " constraints in Figure 4, and the largest at one of them. {trials} Intervals: trials drawn"
        " anew 2,000 times. The axis is logarithmic above 1."
    )
    return Picture(
        figure,
        "Figure 5. Improvement of Constraint Propagation over Direct Mapping",
        caption.format(trials=_panels.about_trials(rows)),
    )


def _look(mapped: float) -> dict[str, Any]:
    face = _style.tint(_STYLE.color, mapped)
    return {"color": _STYLE.color, "markerfacecolor": face, "markeredgewidth": 0.7}


_NUMBERS = {
    "multi-view": "Figure 6. Number of propagated constraints in multi-view clustering",
    "single-view": "Figure 9. Number of propagated constraints in single-view clustering",
}
_COUNTED = {
    "multi-view": "sum of all views, averaged over the iterations of co-EM",
    "single-view": "averaged over all iterations",
}
_Y_OF_NUMBERS = {
    "multi-view": "Propagated constraints, all views",
    "single-view": "Propagated constraints",
}
_PRECISION = {
    "multi-view": "Figure 7. Precision of propagated constraints in multi-view clustering, all"
    " instances mapped",
    "single-view": "Figure 10. Precision of propagated constraints in single-view clustering",
}
_GUIDE: dict[str, Any] = {"color": "#c4c4c4", "linewidth": 0.6, "linestyle": (0, (6, 3))}
# shares that have a tick, if there is room
_WRONG = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_KINDS = [
    replace(_style.METHODS[look], column="kind", value=f"precision_{kind}_link", title=title)
    for look, kind, title in (
        (PROPAGATION, "must", "Must-links"),
        (DIRECT_MAPPING, "cannot", "Cannot-links"),
    )
]


def draw_numbers(scores: pd.DataFrame, experiment: str) -> Picture | None:
    """Draw Figures 6 and 9 (§6.3, §6.4): propagated against given constraints."""
    from matplotlib.lines import Line2D

    rows = _panels.main_experiment(scores, experiment)
    # a view alone has all of itself
    rows = rows[rows["method"] == PROPAGATION].fillna({"mapped": 1.0})
    rows = rows.assign(propagated=rows["propagated_must_links"] + rows["propagated_cannot_links"])
    rows = _panels.means(rows[rows["n_constraints"] > 0], "propagated")
    rows = rows[rows["mean"] > 0]  # a logarithmic axis has no zero
    if rows.empty:
        return None
    fractions = _style.by_fraction(rows["mapped"], _STYLE)
    keys = [style.entry() for style in fractions if experiment == "multi-view"]
    guide = Line2D([], [], label="in proportion to the given ones", **_GUIDE)
    return _panels.draw_by_base(
        rows,
        fractions,
        _NUMBERS[experiment],
        "Propagated must-links and cannot-links, given ones that propagate to themselves included,"
        f" {_COUNTED[experiment]}. {{trials}} {_panels.INTERVALS} Both axes are logarithmic.",
        y=_Y_OF_NUMBERS[experiment],
        legend=[*keys, guide],
        also=lambda axes, points: _set_counts(axes, points, rows),
    )


def _set_counts(axes: Axes, points: pd.DataFrame, rows: pd.DataFrame) -> None:
    """Make the vertical axis logarithmic, with short numbers, and draw the guides."""
    from matplotlib.ticker import LogLocator, NullLocator

    means = rows.loc[rows["folder"] == points["folder"].iloc[0], "mean"]
    low, high = means.min() / 1.6, means.max() * 1.6
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    ticks: tuple[int, ...] = (1,) if high > 100 * low else (1, 2, 5)
    axes.yaxis.set_major_locator(LogLocator(subs=ticks))
    axes.yaxis.set_major_formatter(lambda n, _: f"{n / 1000:g}k" if n >= 1000 else f"{n:g}")
    axes.yaxis.set_minor_locator(NullLocator())
    for exponent in range(floor(log10(low)) - 6, ceil(log10(high)) + 1):
        axes.axline((1, 10.0**exponent), (10, 10.0 ** (exponent + 1)), zorder=0.5, **_GUIDE)


def draw_precision(scores: pd.DataFrame, experiment: str) -> Picture | None:
    """Draw Figures 7 and 10 (§6.3, §6.4): weighted precision where the mapping is complete."""
    import pandas as pd

    if experiment == "multi-view":
        scores = scores[scores["mapped"] == 1.0]
    scores = _panels.main_experiment(scores, experiment)
    scores = scores[scores["method"] == PROPAGATION]
    columns = [str(style.value) for style in _KINDS]
    tables = [_panels.means(scores, column).assign(kind=column) for column in columns]
    rows = pd.concat([table for table in tables if len(table)] or tables[:1])
    if rows.empty:
        return None
    lowest = floor(20 * min(0.95, rows["mean"].min() - 0.005)) / 20
    ticks = [1.0, *(1 - wrong for wrong in _WRONG if 0.03 <= wrong / (1 - lowest) <= 1)]

    def stretch(axes: Axes, points: pd.DataFrame) -> None:
        axes.set_yscale(
            "function",
            functions=(lambda p: _style.root(p - 1), lambda y: 1 + _style.square(y)),
        )
        axes.set_ylim(lowest, 1 + 0.003 * (1 - lowest))
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])

    return _panels.draw_by_base(
        rows,
        _KINDS,
        _PRECISION[experiment],
        "Weighted precision: the share, by weight, of the propagated constraints that agree with"
        " the true classes; given ones that propagate to themselves are among them."
        f" {{trials}} {_panels.INTERVALS} The vertical axis does not start at 0 and is stretched"
        f" toward 1. A point is missing where nothing was propagated. {_panels.LOGARITHMIC}",
        y="Weighted precision",
        highest=1,
        share_y="all",
        also=stretch,
    )
