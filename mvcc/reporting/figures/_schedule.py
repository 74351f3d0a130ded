"""The axis of numbers of constraints: logarithmic, with a tick at each number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mvcc.reporting.figures._style import WIDTH

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_TICK_LETTER = 0.065  # inches
_MARGIN = 0.06  # left and right of the schedule, in its length


def schedule_of(points: pd.DataFrame) -> list[float]:
    """Return the numbers of constraints in ascending order."""
    return sorted(set(points["n_constraints"]))


def set_schedule(axes: Axes, schedule: Sequence[float]) -> None:
    """Make the horizontal axis logarithmic, with a tick at each number, and 0 beyond a break."""
    first = next((number for number in schedule if number > 0), 1)
    if schedule[0] > 0:
        axes.set_xscale("log")
    else:
        axes.set_xscale("symlog", linthresh=first, linscale=0.5)
    to_place = axes.xaxis.get_transform()
    placed = to_place.transform(schedule)
    length = placed[-1] - placed[0] or 1.0
    low, high = placed[0] - _MARGIN * length, placed[-1] + _MARGIN * length
    place = axes.get_subplotspec()
    n_columns = place.get_gridspec().ncols if place else 1
    inch = 0.85 * WIDTH / n_columns / (high - low)
    axes.set_xlim(*to_place.inverted().transform((low, high)))
    axes.set_xticks(schedule, _tick_labels(schedule, (placed - low) * inch))
    axes.set_xticks([], minor=True)
    if schedule[0] <= 0 < schedule[-1]:
        _mark_break(axes, float(to_place.inverted().transform((placed[0] + placed[1]) / 2)))


def _tick_labels(schedule: Sequence[float], inches: Sequence[float]) -> list[str]:
    """Return the numbers, empty where they would run into others; the ends come first."""
    taken: list[tuple[float, float]] = []
    labels = [""] * len(schedule)
    for place in (0, len(schedule) - 1, *range(1, len(schedule) - 1)):
        label = f"{schedule[place]:g}"
        half = (len(label) + 0.5) * _TICK_LETTER / 2
        low, high = inches[place] - half, inches[place] + half
        if all(high <= left or right <= low for left, right in taken):
            labels[place] = label
            taken.append((low, high))
    return labels


def _mark_break(axes: Axes, place: float) -> None:
    """Draw two slashes across the axis, where it leaves out numbers."""
    axes.plot(
        [place, place],
        [0, 0],
        transform=axes.get_xaxis_transform(),
        color="none",
        marker=[(-0.6, -1), (0.2, 1), (-0.2, 1), (0.6, 1), (-0.2, -1), (-0.6, -1)],
        markersize=7,
        markerfacecolor="white",
        markeredgecolor="black",
        markeredgewidth=0.5,
        clip_on=False,
        zorder=5,
        label="_break",
    )
