"""Panels and the curves in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from mvcc.reporting.figures import _style as styles
from mvcc.results import BASES, POOLED

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
    """One curve of a panel: its points over ``n_constraints``, and its look."""

    label: str
    points: pd.DataFrame
    style: styles.SeriesStyle
    line: styles.LineStyle = "solid"
    filled: float = 1.0  # how far the marker is, 0 to 1
    y: str = "mean"  # where it is empty there is no point
    error: str | None = None  # half the length of the error bar
    error_color: str | None = None  # by default that of the curve


def draw_curves(
    axes: Axes, curves: Sequence[Curve], schedule: Sequence[float], *, moved_apart: bool = True
) -> None:
    """Draw curves over ascending numbers of constraints, the first on top, moved apart a little."""
    from matplotlib.transforms import Affine2D, IdentityTransform, blended_transform_factory

    spread = styles.set_schedule(axes, schedule)
    to_place = blended_transform_factory(axes.xaxis.get_transform(), IdentityTransform())
    for slot, curve in enumerate(curves):
        points = curve.points.dropna(subset=[curve.y]).sort_values("n_constraints")
        shift = spread * ((slot + 0.5) / len(curves) - 0.5) if moved_apart else 0.0
        axes.errorbar(
            points["n_constraints"],
            points[curve.y],
            yerr=None if curve.error is None else points[curve.error],
            transform=to_place
            + Affine2D().translate(shift, 0)
            + to_place.inverted()
            + axes.transData,
            label=curve.label,
            ecolor=curve.error_color,
            elinewidth=0.8,
            **_look(curve.style, curve.line, curve.filled),
            zorder=3 - slot / len(curves),
        )


def entry(
    label: str, style: styles.SeriesStyle, line: styles.LineStyle = "solid", filled: float = 1.0
) -> Line2D:
    """Make the legend's entry for curves of one style."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **_look(style, line, filled))


def _look(style: styles.SeriesStyle, line: styles.LineStyle, filled: float) -> dict[str, Any]:
    return {
        "color": style.color,
        "linestyle": line,
        "linewidth": _LINE_WIDTH,
        "marker": style.marker,
        "markersize": style.marker_size,
        "markeredgewidth": _EDGE_WIDTH,
        "markerfacecolor": styles.tint(style.color, filled),
    }


def add_bases(figure: Figure, rows: pd.DataFrame) -> None:
    """Add the legend of the base algorithms that are in `rows`."""
    bases = set(rows["base"])
    styles.add_legend(
        figure,
        "Base algorithm",
        [entry(style.title, style) for b, style in styles.BASE_STYLES.items() if b in bases],
    )


def add_fractions(
    figure: Figure,
    lines: Mapping[float, styles.LineStyle],
    style: styles.SeriesStyle = styles.ANY,
    title: str = "Instances mapped",
) -> None:
    """Add the legend of the mapped fractions."""
    styles.add_legend(
        figure,
        title,
        [entry(styles.percent(mapped), style, line, mapped) for mapped, line in lines.items()],
    )


_PER_ROW = 2
# a configuration may vary more than the paper does; a panel shows one value: this one, or else the
# first in order.
_READINGS: dict[str, Any] = {"closure": "full", "rewired": 0.0, "threshold": None}


@dataclass(frozen=True)
class Panel:
    """One panel: its place in the grid, what is written above it, and the rows that it shows."""

    row: int
    column: int
    title: str
    detail: str
    points: pd.DataFrame


def main_experiment(rows: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Select the paper's own experiments, each in one reading: the paper's if there is that.

    The column ``reading`` names it where there are others or it is not the paper's.
    """
    import pandas as pd

    rows = rows[(rows["study"] == "main") & (rows["experiment"] == experiment)]
    if rows.empty:
        return rows.assign(reading="")
    runs = rows.groupby(["folder", "dataset", "view"], dropna=False)
    return pd.concat([_one_reading(run) for _, run in runs], ignore_index=True)


def _one_reading(run: pd.DataFrame) -> pd.DataFrame:
    reading = []
    for column, papers in _READINGS.items():
        values = sorted(set(run[column].dropna()))
        chosen = papers if papers in values else next(iter(values), None)
        if len(values) > 1 or (papers is not None and chosen not in (papers, None)):
            reading.append(f"{column} {chosen}")
        run = run[run[column].isna() | (run[column] == chosen)]
    return run.assign(reading=" · ".join(reading))


def of_base(rows: pd.DataFrame, base: str) -> pd.DataFrame:
    """Select the rows of a base algorithm, and those of methods without one."""
    return rows[rows["base"].isna() | (rows["base"] == base)]


def panels_by_base(rows: pd.DataFrame) -> list[Panel]:
    """Make a row of panels for each data set, a column for each base, in the paper's order."""
    of_place: dict[Any, pd.DataFrame] = dict(list(rows.groupby(["dataset", "folder", "reading"])))
    places = sorted(of_place, key=lambda place: (_rank(place[0]), *place[1:]))
    bases = [base for base in BASES if base in set(rows["base"])] or [""]
    panels = []
    for (i, place), (j, base) in product(enumerate(places), enumerate(bases)):
        points = of_base(of_place[place], base)
        if not points.empty:
            title = ", ".join(filter(None, (dataset_title(place[0]), BASES.get(base))))
            panels.append(Panel(i, j, title, _detail(rows, points), points))
    return panels


def in_order(datasets: Iterable[str]) -> list[str]:
    """Return data sets once each, in the order of the registry."""
    return sorted(set(datasets), key=_rank)


def side_by_side(titled: Iterable[tuple[str, pd.DataFrame]]) -> list[Panel]:
    """Make one panel of each title and its rows, two beside each other."""
    return [
        Panel(i // _PER_ROW, i % _PER_ROW, title, "", rows)
        for i, (title, rows) in enumerate(titled)
    ]


def panels_by_view(rows: pd.DataFrame) -> list[Panel]:
    """Make one panel per data set, or per view where views stand alone, two beside each other."""
    rows = rows.assign(view=rows["view"].fillna(POOLED))
    of_place: dict[Any, pd.DataFrame] = dict(
        list(rows.groupby(["dataset", "folder", "reading", "view"]))
    )
    places = sorted(
        of_place,
        key=lambda place: (_rank(place[0]), *place[1:3], _rank_of_view(place[0], place[3])),
    )
    panels = []
    for i, place in enumerate(places):
        points = of_place[place]
        panels.append(
            Panel(
                i // _PER_ROW,
                i % _PER_ROW,
                _view_title(rows, points),
                _detail(rows, points),
                points,
            )
        )
    return panels


def draw_panels(
    panels: list[Panel],
    title: str,
    note: str,
    draw: Callable[[Axes, pd.DataFrame], object],
    size: tuple[float, float] = styles.PANEL,
) -> Figure:
    """Draw panels on a new sheet: `draw` gets each panel's axes and rows."""
    n_rows, n_columns = (
        1 + max(getattr(panel, side) for panel in panels) for side in ("row", "column")
    )
    figure, grid = styles.new_sheet(n_rows, n_columns, title, note, size)
    for panel in panels:
        axes = figure.add_subplot(grid[panel.row, panel.column])
        draw(axes, panel.points)
        styles.set_panel_title(axes, panel.title, panel.detail)
    return figure


def schedule_of(points: pd.DataFrame) -> list[float]:
    """Return the numbers of constraints in ascending order."""
    return sorted(set(points["n_constraints"]))


def about_trials(rows: pd.DataFrame) -> str:
    """Write how many trials were averaged."""
    return "A single trial." if rows["trials"].max() == 1 else f"Mean over {_trials(rows)} trials."


def dataset_title(name: str) -> str:
    """Return the paper's name of a data set, or its own if the paper has none."""
    from mvcc.datasets import registry

    return registry()[name].title if name in registry() else name


def _rank(dataset: str) -> tuple[int, str]:
    """Sort key: what the registry names comes in its order, everything else after it by name."""
    from mvcc.datasets import registry

    known = list(registry())
    return known.index(dataset) if dataset in known else len(known), dataset


def _rank_of_view(dataset: str, view: str) -> tuple[int, str]:
    from mvcc.datasets import registry

    known = [view.name for view in registry()[dataset].views] if dataset in registry() else []
    return known.index(view) if view in known else len(known), view


def _view_title(rows: pd.DataFrame, points: pd.DataFrame) -> str:
    """Name a panel after its view, or after the data set where that is the only view shown."""
    dataset, view = points[["dataset", "view"]].iloc[0]
    alone = rows.loc[rows["dataset"] == dataset, "view"].nunique() == 1
    return dataset_title(dataset) if alone or view == POOLED else str(view).capitalize()


def _detail(rows: pd.DataFrame, points: pd.DataFrame) -> str:
    """Write what tells a panel from others of the same title: folder, reading, number of trials."""
    dataset, folder, reading = points[["dataset", "folder", "reading"]].iloc[0]
    several = rows.loc[rows["dataset"] == dataset, "folder"].nunique() > 1
    trials = f"{_trials(points)} trials" if rows["trials"].nunique() > 1 else ""
    return " · ".join(part for part in (folder if several else "", reading, trials) if part)


def _trials(rows: pd.DataFrame) -> str:
    fewest, most = rows["trials"].min(), rows["trials"].max()
    return f"{most:g}" if fewest == most else f"{fewest:g} to {most:g}"
