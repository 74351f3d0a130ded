"""What a reader sees in a figure: titles, legends, curves, and the room they take."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb

TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
ALL_CONES = np.eye(3)


def lab(color, vision=ALL_CONES):
    """CIELAB of a color as somebody sees it."""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.asarray(vision) @ linear, 0, 1) / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def grid(figure):
    places = {}
    for axes in figure.axes:
        if (place := axes.get_subplotspec()) is not None and axes.axison:
            places[place.rowspan.start, place.colspan.start] = axes
    rows = {row: axes.get_ylabel() for (row, _), axes in places.items() if axes.get_ylabel()}
    columns = {column: axes.get_title() for (_, column), axes in places.items() if axes.get_title()}
    return {(rows[row], columns.get(column, "")): axes for (row, column), axes in places.items()}


def key(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def lines(axes):
    return {container.get_label(): container.lines[0] for container in axes.containers}


def points(axes):
    return {label: line.get_xydata() for label, line in lines(axes).items()}


def ends_of_bars(axes):
    """Measure the lower and upper end of the intervals of each curve, by its label."""
    bars = {container.get_label(): container.lines[2][0] for container in axes.containers}
    return {label: np.array(bar.get_segments())[:, :, 1] for label, bar in bars.items()}


def extent(artist, figure):
    FigureCanvasAgg(figure)
    return artist.get_tightbbox(figure.canvas.get_renderer())


def assert_nothing_is_cut_or_covered(figure):
    FigureCanvasAgg(figure).draw()
    parts = [extent(part, figure) for part in (*figure.axes, *figure.legends, *figure.texts)]
    for i, box in enumerate(parts):
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= figure.bbox.x1 + 1
        assert box.y1 <= figure.bbox.y1 + 1
        assert not any(box.shrunk(0.98, 0.98).overlaps(other) for other in parts[:i])
