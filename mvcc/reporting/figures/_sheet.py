"""The sheet that figures are drawn on: panels in a grid, legends beside them, a title above and a note below."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING

from mvcc.exceptions import StoreError
from mvcc.reporting.figures._style import SOFT

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure
    from matplotlib.gridspec import GridSpec

# All in inches, so that panels and text keep their size whatever the number of panels.
PANEL = (4.0, 2.5)
_COLUMN_GAP, _ROW_GAP = 0.75, 0.9
_LARGEST = 400  # a picture of more than 2¹⁶ pixels cannot be written
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.75, 2.55, 0.9, 0.7
_EDGE = 0.15
_NOTE_LINE, _NOTE_LETTER = 0.17, 0.062
_LEGEND_LINE, _LEGEND_GAP = 0.2, 1.9  # the gap, in lines, holds the legend's title
_TICK_LETTER = 0.075
_MARGIN = 0.05  # left and right of the schedule, in its length


def new_sheet(
    n_rows: int, n_columns: int, title: str, note: str, panel: tuple[float, float] = PANEL
) -> tuple[Figure, GridSpec]:
    """Make an empty figure, sized for its rows and columns of panels, and the grid of their places.

    The title is above, and the figure's label; the note is below, wrapped; a panel has width and height in inches.

    Raises
    ------
    StoreError
        If there are too many panels.
    """
    from matplotlib.figure import Figure

    panel_width, panel_height = panel
    width = _LEFT + n_columns * (panel_width + _COLUMN_GAP) - _COLUMN_GAP + _RIGHT
    note = fill(note, int((width - 2 * _EDGE) / _NOTE_LETTER))
    bottom = _BOTTOM + _NOTE_LINE * (note.count("\n") + 1)
    height = _TOP + n_rows * (panel_height + _ROW_GAP) - _ROW_GAP + bottom
    if max(width, height) > _LARGEST:
        raise StoreError(
            f"cannot draw {n_rows} × {n_columns} panels, they would be {max(width, height):.0f} inches long. Give a "
            "folder with fewer experiments."
        )
    figure = Figure(figsize=(width, height))
    figure.set_label(title)
    figure.text(_EDGE / width, 1 - _EDGE / height, title, fontsize=11.5, fontweight="bold", va="top")
    figure.text(_EDGE / width, _EDGE / height, note, fontsize=8.5, color=SOFT, va="bottom", linespacing=1.3)
    grid = figure.add_gridspec(
        n_rows,
        n_columns,
        left=_LEFT / width,
        right=1 - _RIGHT / width,
        top=1 - _TOP / height,
        bottom=bottom / height,
        wspace=_COLUMN_GAP / panel_width,
        hspace=_ROW_GAP / panel_height,
    )
    return figure, grid


def add_legend(figure: Figure, title: str, handles: Sequence[Artist]) -> None:
    """Add a legend to the right of the panels, below those already there."""
    width, height = figure.get_size_inches()
    figure.legend(
        handles=handles,
        title=title,
        alignment="left",
        handlelength=3.5,
        loc="upper left",
        borderaxespad=0,
        bbox_to_anchor=(1 - (_RIGHT - _EDGE) / width, 1 - (_TOP + _lines_above(figure) * _LEGEND_LINE) / height),
    )


def add_color_bar(figure: Figure, title: str, colors: ScalarMappable) -> None:
    """Add a scale of colors to the right of the panels, below the legends already there."""
    width, height = figure.get_size_inches()
    top = height - _TOP - _lines_above(figure) * _LEGEND_LINE
    left = (width - _RIGHT + _EDGE) / width
    figure.text(left, top / height, title, fontsize=9, va="top")
    axes = figure.add_axes((left, (top - 1.9) / height, 0.2 / width, 1.6 / height))
    figure.colorbar(colors, cax=axes)


def _lines_above(figure: Figure) -> float:
    return sum(len(legend.get_texts()) + _LEGEND_GAP for legend in figure.legends)


def set_panel_title(axes: Axes, title: str, detail: str = "") -> None:
    """Write the title above a panel, and below the title a smaller line of details, if there are any."""
    axes.set_title(title, loc="left", pad=17 if detail else 6)
    axes.annotate(
        detail, (0, 1), xycoords="axes fraction", xytext=(0, 5), textcoords="offset points", fontsize=8, color=SOFT
    )


def set_schedule(axes: Axes, schedule: Sequence[float]) -> float:
    """Make the horizontal axis logarithmic, with a tick at each number of constraints, and a label where there is room.

    With 0 among them, the axis is linear from there to the next number. Return how far, in places on the axis, curves
    may be moved apart without meeting the next point's.
    """
    if schedule[0] > 0:
        axes.set_xscale("log")
    else:
        axes.set_xscale("symlog", linthresh=next((number for number in schedule if number > 0), 1), linscale=0.5)
    to_place = axes.xaxis.get_transform()
    places = to_place.transform(schedule)
    length = places[-1] - places[0] or 1.0
    low, high = places[0] - _MARGIN * length, places[-1] + _MARGIN * length
    inch = PANEL[0] / (high - low)
    labels, taken_to = [], float("-inf")
    for number, place in zip(schedule, (places - low) * inch, strict=True):
        label = f"{number:g}"
        half = len(label) * _TICK_LETTER / 2
        fits = place - half >= taken_to
        labels.append(label if fits else "")
        taken_to = place + half + _TICK_LETTER / 2 if fits else taken_to
    axes.set_xlim(*to_place.inverted().transform((low, high)))
    axes.set_xticks(schedule, labels)
    axes.set_xticks([], minor=True)
    step = min((after - before for before, after in pairwise(places)), default=length)
    return float(min(0.7 * step, _MARGIN * length))
