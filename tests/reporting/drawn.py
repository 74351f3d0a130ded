"""What a reader sees in a figure: titles, words, legends, curves, and the room they take."""

from __future__ import annotations

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


def details(figure):
    return [axes.texts[0].get_text() for axes in figure.axes]


def words(figure):
    return " ".join(text.get_text().replace("\n", " ") for text in figure.texts)


def entries(legend):
    return [text.get_text() for text in legend.get_texts()]


def keys(figure):
    """List the entries of every legend by its title."""
    return {legend.get_title().get_text(): entries(legend) for legend in figure.legends}


def lines(axes):
    """Find the curves of a panel by their labels."""
    return {container.get_label(): container.lines[0] for container in axes.containers}


def points(axes):
    return {label: line.get_xydata() for label, line in lines(axes).items()}


def half_bars(axes):
    """Measure half the length of the error bars of each curve."""
    bars = {container.get_label(): container.lines[2][0] for container in axes.containers}
    return {
        label: np.array([(top - bottom) / 2 for (_, bottom), (_, top) in bar.get_segments()])
        for label, bar in bars.items()
    }


def is_dashed(line):
    return line._unscaled_dash_pattern[1] is not None


def extent(artist, figure):
    FigureCanvasAgg(figure)
    return artist.get_tightbbox(figure.canvas.get_renderer())


def assert_nothing_is_cut_or_covered(figure):
    parts = [extent(part, figure) for part in (*figure.axes, *figure.legends, *figure.texts)]
    for i, box in enumerate(parts):
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= figure.bbox.x1
        assert box.y1 <= figure.bbox.y1
        assert not any(box.overlaps(other) for other in parts[:i])
