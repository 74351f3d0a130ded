"""How figures look: colors, markers and words, and a sheet of panels of one size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

from mvcc.exceptions import StoreError
from mvcc.results import BASES, JOINT, K_MEANS, TRANSFERS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure
    from matplotlib.gridspec import GridSpec

LineStyle = Literal["solid"] | tuple[float, tuple[float, ...]]


@dataclass(frozen=True)
class SeriesStyle:
    """How one transfer method or base algorithm is called and drawn."""

    title: str
    color: str
    marker: str
    marker_size: float  # points; evens out the area of the different shapes


# After Okabe and Ito, with lightness pulled apart (35, 54, 70, 0 of 100) so that the colors differ
# in gray, too.
_LOOKS = (
    ("#00558f", "o", 5.0),
    ("#d55e00", "s", 4.6),
    ("#3fbf95", "^", 5.6),
    ("#000000", "D", 4.2),
)
METHODS = {
    name: SeriesStyle(title, *look)
    for (name, title), look in zip(TRANSFERS.items(), _LOOKS, strict=True)
}
# Beyond the paper: what needs no base. Markers tell similar colors apart.
WITHOUT_BASE = {
    JOINT: SeriesStyle("Joint Graph", "#8000e0", "h", 5.6),
    K_MEANS: SeriesStyle("k-means", "#604020", "d", 5.0),
}
# What other packages offer for the same task, as scripts/peers.py calls it.
PEERS = {
    "spectral-clustering": SeriesStyle("Spectral Clustering", "#888888", "v", 5.0),
    "k-means-spectral": SeriesStyle("k-means, spectral", "#888888", "X", 5.0),
    "mvlearn": SeriesStyle("mvlearn and 5-NN", "#888888", "P", 5.0),
    "label-spreading": SeriesStyle("Label Spreading", "#888888", "p", 5.0),
    "spectral-learning": SeriesStyle("Spectral Learning", "#888888", "*", 6.6),
}
# methods that the paper does not have, apart from those above and from each other (ΔE > 30) also
# where one of the three kinds of cones is missing.
_OTHER_COLORS = ("#8000e0", "#604020", "#c0a0e0")
_OTHER_MARKERS = (("v", 5.6), ("P", 5.6), ("X", 5.6), ("p", 5.6), ("*", 7.4))
# if both base algorithms share a panel, their colors and markers tell them apart.
_BASE_LOOKS = (("#00558f", "o", 4.6), ("#d55e00", "s", 4.6))
BASE_STYLES = {
    name: SeriesStyle(title, *look)
    for (name, title), look in zip(BASES.items(), _BASE_LOOKS, strict=True)
}

SOFT = "#444444"  # for what should not shout
ANY = SeriesStyle("any", SOFT, "o", 5.0)  # in legends that are about the line alone

SINGLE_VIEW_LINE: LineStyle = (0, (7, 1.5, 1.2, 1.5))
_PAPER_LINES: dict[float, LineStyle] = {1.0: "solid", 0.4: (0, (4, 1.6)), 0.2: (0, (1, 1.3))}
_OTHER_LINES: tuple[LineStyle, ...] = (
    (0, (10, 2)),
    (0, (2.5, 1.2)),
    (0, (1, 3)),
    (0, (5, 1.2, 1, 1.2, 1, 1.2)),
)

_SETTINGS: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "text.parse_math": False,  # a name with a dollar sign is a name
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 9.0,
    "legend.title_fontsize": 9.0,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # letters stay letters: the text in the PDF can be searched and edited
}


def method_styles(names: Iterable[str]) -> dict[str, SeriesStyle]:
    """Give methods their looks: the paper's in its order, those without a base, then others."""
    present, known = set(names), METHODS | WITHOUT_BASE | PEERS
    others = zip(sorted(present - known.keys()), cycle(_OTHER_COLORS), cycle(_OTHER_MARKERS))
    return {name: style for name, style in known.items() if name in present} | {
        name: SeriesStyle(_title(name), color, *marker) for name, color, marker in others
    }


def _title(name: str) -> str:
    """Write a name as those of the paper's methods are written."""
    words = name.replace("_", "-").split("-")
    return " ".join(word[:1].upper() + word[1:] for word in words if word) or name


@contextmanager
def house_style() -> Iterator[None]:
    """Draw and save with matplotlib's defaults and our settings, not the user's own."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def line_styles(fractions: Iterable[float]) -> dict[float, LineStyle]:
    """Give each mapped fraction, in descending order, its line: the paper's for 20, 40, 100 %."""
    others = cycle(_OTHER_LINES)
    return {
        fraction: _PAPER_LINES[fraction] if fraction in _PAPER_LINES else next(others)
        for fraction in sorted(set(fractions), reverse=True)
    }


def percent(fraction: float) -> str:
    """Write a fraction as a percentage, with as many digits as it needs."""
    return f"{100 * fraction:g}%"


def root(difference: Any) -> Any:
    """Take square roots that keep the sign, which show small differences beside large ones."""
    import numpy as np

    return np.sign(difference) * np.sqrt(np.abs(difference))


def square(place: Any) -> Any:
    """Take squares that keep the sign, the inverse of `root`."""
    return place * abs(place)


def tint(color: str, fraction: float) -> tuple[float, float, float]:
    """Mix a color with white: a marker is filled as far as the mapping is known."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - fraction * (1 - part) for part in to_rgb(color))
    return red, green, blue


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
    """Make a figure for so many panels, with sizes in inches, and the grid of their places."""
    from matplotlib.figure import Figure

    panel_width, panel_height = panel
    width = _LEFT + n_columns * (panel_width + _COLUMN_GAP) - _COLUMN_GAP + _RIGHT
    note = fill(note, int((width - 2 * _EDGE) / _NOTE_LETTER))
    bottom = _BOTTOM + _NOTE_LINE * (note.count("\n") + 1)
    height = _TOP + n_rows * (panel_height + _ROW_GAP) - _ROW_GAP + bottom
    if max(width, height) > _LARGEST:
        raise StoreError(
            f"cannot draw {n_rows} × {n_columns} panels, they would be {max(width, height):.0f} "
            "inches long. Give a folder with fewer experiments."
        )
    figure = Figure(figsize=(width, height))
    figure.set_label(title)
    figure.text(
        _EDGE / width, 1 - _EDGE / height, title, fontsize=11.5, fontweight="bold", va="top"
    )
    figure.text(
        _EDGE / width, _EDGE / height, note, fontsize=8.5, color=SOFT, va="bottom", linespacing=1.3
    )
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
        bbox_to_anchor=(
            1 - (_RIGHT - _EDGE) / width,
            1 - (_TOP + _lines_above(figure) * _LEGEND_LINE) / height,
        ),
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
    """Write the title above a panel, and a smaller line of details, if any, below it."""
    axes.set_title(title, loc="left", pad=17 if detail else 6)
    axes.annotate(
        detail,
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 5),
        textcoords="offset points",
        fontsize=8,
        color=SOFT,
    )


def set_schedule(axes: Axes, schedule: Sequence[float]) -> float:
    """Make the horizontal axis logarithmic, linear below the first number above 0, with ticks.

    Return how far, in places on the axis, curves may be moved without meeting the next point's.
    """
    if schedule[0] > 0:
        axes.set_xscale("log")
    else:
        axes.set_xscale(
            "symlog", linthresh=next((number for number in schedule if number > 0), 1), linscale=0.5
        )
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
