"""Figures 6, 7, 9 and 10: number and precision of propagated constraints."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from mvcc.reporting.figures import _panels, _style
from mvcc.reporting.figures._panels import Picture
from mvcc.results import PROPAGATION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_NUMBERS = {
    "multi-view": "Figure 6. Number of propagated constraints in multi-view clustering",
    "single-view": "Figure 9. Number of propagated constraints in single-view clustering",
}
_COUNTED = {
    "multi-view": "sum of all views, averaged over the iterations of co-EM",
    "single-view": "averaged over all iterations",
}
_PRECISION = {
    "multi-view": "Figure 7. Precision of propagated constraints in multi-view clustering, all"
    " instances mapped",
    "single-view": "Figure 10. Precision of propagated constraints in single-view clustering",
}
_GUIDE: dict[str, Any] = {"color": "#c4c4c4", "linewidth": 0.6, "linestyle": (0, (6, 3))}
# shares that have a tick, if there is room
_WRONG = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_KINDS = {
    "precision_must_link": ("Must-links", _style.METHODS[PROPAGATION]),
    "precision_cannot_link": ("Cannot-links", _style.BASE_STYLES["mpck-means"]),
}


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
    multi_view = experiment == "multi-view"
    fractions = _style.by_fraction(rows["mapped"], _style.METHODS[PROPAGATION])

    def set_counts(axes: Axes, points: pd.DataFrame) -> None:
        means = rows.loc[rows["folder"] == points["folder"].iloc[0], "mean"]
        _set_counts(axes, means.min() / 1.6, means.max() * 1.6)

    keys = [one.entry() for one in fractions] if multi_view else []
    guide = Line2D([], [], label="in proportion to the given ones", **_GUIDE)
    figure = _panels.draw_by_base(
        rows,
        fractions,
        x=_panels.PER_VIEW if multi_view else _panels.IN_THE_VIEW,
        y="Propagated constraints" + (", all views" if multi_view else ""),
        legend=[*keys, guide],
        also=set_counts,
    )
    caption = (
        "Propagated must-links and cannot-links, given ones that propagate to themselves included,"
        f" {_COUNTED[experiment]}. {_panels.about_trials(rows)} {_panels.INTERVALS} Both axes are"
        " logarithmic."
    )
    return Picture(figure, _NUMBERS[experiment], caption)


def _set_counts(axes: Axes, low: float, high: float) -> None:
    """Make the vertical axis logarithmic, with short numbers, and draw the guides."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(LogLocator(subs=(1,) if high > 100 * low else (1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(_short))
    axes.yaxis.set_minor_locator(NullLocator())
    for exponent in range(floor(log10(low)) - 6, ceil(log10(high)) + 1):
        axes.axline((1, 10.0**exponent), (10, 10.0 ** (exponent + 1)), zorder=0.5, **_GUIDE)


def _short(count: float, _place: int | None = None) -> str:
    return f"{count / 1000:g}k" if count >= 1000 else f"{count:g}"


def draw_precision(scores: pd.DataFrame, experiment: str) -> Picture | None:
    """Draw Figures 7 and 10 (§6.3, §6.4): weighted precision where the mapping is complete."""
    import pandas as pd

    multi_view = experiment == "multi-view"
    if multi_view:
        scores = scores[scores["mapped"] == 1.0]
    scores = _panels.main_experiment(scores, experiment)
    scores = scores[scores["method"] == PROPAGATION]
    tables = [_panels.means(scores, column).assign(kind=column) for column in _KINDS]
    rows = pd.concat([table for table in tables if len(table)] or tables[:1])
    if rows.empty:
        return None
    lowest = floor(20 * min(0.95, rows["mean"].min() - 0.005)) / 20
    ticks = [1.0, *(1 - wrong for wrong in _WRONG if 0.03 <= wrong / (1 - lowest) <= 1)]

    def stretch(axes: Axes, points: pd.DataFrame) -> None:
        axes.set_yscale(
            "function",
            functions=(lambda p: _style.root(p - 1), lambda place: 1 + _style.square(place)),
        )
        axes.set_ylim(lowest, 1 + 0.003 * (1 - lowest))
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])

    figure = _panels.draw_by_base(
        rows,
        [_style.Series("kind", column, *words) for column, words in _KINDS.items()],
        x=_panels.PER_VIEW if multi_view else _panels.IN_THE_VIEW,
        y="Weighted precision",
        highest=1,
        share_y="all",
        also=stretch,
    )
    caption = (
        "Weighted precision: the share, by weight, of the propagated constraints that agree with"
        " the true classes; given ones that propagate to themselves are among them."
        f" {_panels.about_trials(rows)} {_panels.INTERVALS} The vertical axis does not start at 0"
        " and is stretched toward 1. A point is missing where nothing was propagated."
        f" {_panels.LOGARITHMIC}"
    )
    return Picture(figure, _PRECISION[experiment], caption)
