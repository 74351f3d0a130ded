"""Curves against the number of constraints, and their entries in a legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mvcc.reporting.figures._sheet import add_legend, set_schedule
from mvcc.reporting.figures._style import ANY, BASE_STYLES, LineStyle, SeriesStyle, percent, tint

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_LINE_WIDTH, _EDGE_WIDTH = 1.3, 0.9
PER_VIEW, IN_THE_VIEW = "Constraints per view", "Constraints"
LOGARITHMIC = "The horizontal axis is logarithmic."


@dataclass(frozen=True)
class Curve:
    """One curve of a panel: its points, with the column ``n_constraints`` and those named here, and its look."""

    label: str
    points: pd.DataFrame
    style: SeriesStyle
    line: LineStyle = "solid"
    filled: float = 1.0  # how far the marker is, 0 to 1
    y: str = "mean"  # where it is empty there is no point
    error: str | None = None  # half the length of the error bar
    error_color: str | None = None  # by default that of the curve


def draw_curves(axes: Axes, curves: Sequence[Curve], schedule: Sequence[float], *, moved_apart: bool = True) -> None:
    """Draw curves over a schedule of numbers of constraints, ascending, the first on top.

    They are moved sideways a little, so that markers at one place do not hide each other.
    """
    from matplotlib.transforms import Affine2D, IdentityTransform, blended_transform_factory

    spread = set_schedule(axes, schedule)
    to_place = blended_transform_factory(axes.xaxis.get_transform(), IdentityTransform())
    for slot, curve in enumerate(curves):
        points = curve.points.dropna(subset=[curve.y]).sort_values("n_constraints")
        shift = spread * ((slot + 0.5) / len(curves) - 0.5) if moved_apart else 0.0
        axes.errorbar(
            points["n_constraints"],
            points[curve.y],
            yerr=None if curve.error is None else points[curve.error],
            transform=to_place + Affine2D().translate(shift, 0) + to_place.inverted() + axes.transData,
            label=curve.label,
            ecolor=curve.error_color,
            elinewidth=0.8,
            **_look(curve.style, curve.line, curve.filled),
            zorder=3 - slot / len(curves),
        )


def entry(label: str, style: SeriesStyle, line: LineStyle = "solid", filled: float = 1.0) -> Line2D:
    """Make the legend's entry for curves of one style."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **_look(style, line, filled))


def _look(style: SeriesStyle, line: LineStyle, filled: float) -> dict[str, Any]:
    return {
        "color": style.color,
        "linestyle": line,
        "linewidth": _LINE_WIDTH,
        "marker": style.marker,
        "markersize": style.marker_size,
        "markeredgewidth": _EDGE_WIDTH,
        "markerfacecolor": tint(style.color, filled),
    }


def add_bases(figure: Figure, rows: pd.DataFrame) -> None:
    """Add the legend of the base algorithms that are in `rows`."""
    bases = set(rows["base"])
    add_legend(figure, "Base algorithm", [entry(style.title, style) for b, style in BASE_STYLES.items() if b in bases])


def add_fractions(
    figure: Figure, lines: Mapping[float, LineStyle], style: SeriesStyle = ANY, title: str = "Instances mapped"
) -> None:
    """Add the legend of the mapped fractions."""
    add_legend(figure, title, [entry(percent(mapped), style, line, mapped) for mapped, line in lines.items()])
