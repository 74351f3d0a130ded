"""What figures show, and the grid of panels that they show it in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, inf
from typing import TYPE_CHECKING, Any, Literal

from mvcc.exceptions import StoreError
from mvcc.reporting.figures import _style as styles
from mvcc.reporting.figures._style import WIDTH
from mvcc.results import BASES, POOLED

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PER_VIEW, IN_THE_VIEW = "Constraints per view", "Constraints"
INTERVALS = "Bars are 95 % intervals of the mean over trials."
LOGARITHMIC = "The horizontal axis is logarithmic."
CONFIDENCE = 0.95
PLACE = ["dataset", "folder", "reading", "view"]
CELL = [*PLACE, "base", "method", "mapped", "n_constraints"]

ROW, AROUND = 1.2, 0.9  # inches that a row of panels and its surroundings need
_LARGEST = 100  # the time to arrange panels grows with the square of their number
_LEGEND_KEY, _LEGEND_LETTER = 0.55, 0.062

Share = Literal["none", "all", "row", "col"]  # panels with a common axis


@dataclass(frozen=True)
class Picture:
    """A figure with the words that belong below it."""

    figure: Figure
    title: str
    caption: str


@dataclass(frozen=True)
class Panel:
    """The rows that one panel shows, its place in the grid, and the titles of row and column."""

    row: int
    column: int
    row_title: str
    column_title: str
    points: pd.DataFrame


# a configuration may vary more than the paper does; a panel shows one value: this one, or else the
# first in order
_READINGS: dict[str, Any] = {"closure": "full", "rewired": 0.0, "threshold": None}


def main_experiment(rows: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Select the paper's own experiments, each in one reading: the paper's if there is that."""
    # the column ``reading`` names it where there are others or it is not the paper's
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
        chosen = next((value for value in (papers, *values) if value in values), None)
        if len(values) > 1 or (papers is not None and chosen not in (papers, None)):
            reading.append(f"{column} {chosen}")
        run = with_setting(run, column, chosen)
    return run.assign(reading=" · ".join(reading))


def means(scores: pd.DataFrame, value: str) -> pd.DataFrame:
    """Return mean, ``half_width`` of its interval, and number of trials of a value in each cell."""
    cells = scores.dropna(subset=[value]).groupby(CELL, dropna=False)[value]
    return with_intervals(cells.agg(mean="mean", standard_error="sem", trials="size").reset_index())


def with_intervals(means: pd.DataFrame) -> pd.DataFrame:
    """Add ``half_width``, half the 95 % interval by the t distribution; NaN with one trial."""
    import numpy as np
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    quantile = stdtrit(np.maximum(means["trials"] - 1, 1), (1 + CONFIDENCE) / 2)
    return means.assign(half_width=quantile * means["standard_error"])


def with_setting(rows: pd.DataFrame, column: str, value: Any) -> pd.DataFrame:
    """Select the rows with a value in a column, and those of methods that have none there."""
    return rows[rows[column].isna() | (rows[column] == value)]


def places(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Give the title and the rows of each data set, or of each view where views stand alone."""
    from mvcc.datasets import registry

    def rank(key: tuple[str, ...]) -> tuple[Any, ...]:
        dataset, folder, reading, view = key
        known = [entry.name for entry in getattr(registry().get(dataset), "views", ())]
        return _rank(dataset, list(registry())), folder, reading, _rank(view, known)

    rows = rows.assign(view=rows["view"].astype(object).fillna(POOLED))
    of_place: dict[Any, pd.DataFrame] = dict(list(rows.groupby(PLACE)))
    for key in sorted(of_place, key=rank):
        points = of_place[key]
        yield _row_title(rows, points), points


def panels_by_base(rows: pd.DataFrame, *, by_fraction: bool = False) -> list[Panel]:
    """Make a row of panels for each place, a column for each base, and each mapped fraction."""
    # rows without a base or a fraction are in all of their columns
    bases = [base for base in BASES if base in set(rows["base"])] or [""]
    fractions: list[Any] = [None]
    if by_fraction:
        fractions = sorted(set(rows["mapped"].dropna())) or fractions
    columns = [*product(bases, fractions)]
    panels = []
    for row, (title, of_place) in enumerate(places(rows)):
        for column, (base, mapped) in enumerate(columns):
            points, heading = with_setting(of_place, "base", base), [BASES.get(base, "")]
            if mapped is not None:
                points = with_setting(points, "mapped", mapped)
                heading.append(styles.mapped_title(mapped))
            if not points.empty:
                panels.append(Panel(row, column, title, "\n".join(filter(None, heading)), points))
    return panels


def draw_grid(
    panels: Sequence[Panel],
    draw: Callable[[Axes, pd.DataFrame], object],
    *,
    x: str = PER_VIEW,
    y: str,
    legend: Sequence[Artist],
    share_x: Share = "all",
    share_y: Share = "row",
    row_height: float = ROW,
) -> Figure:
    """Draw panels in a grid with common axes; `draw` gets the axes and the rows of each."""
    # panels come row by row, from the left
    n_rows = 1 + max(panel.row for panel in panels)
    n_columns = 1 + max(panel.column for panel in panels)
    figure = new_figure(n_rows * row_height + AROUND, f"{n_rows} × {n_columns} panels")
    axes = figure.subplots(n_rows, n_columns, sharex=share_x, sharey=share_y, squeeze=False)
    # of panels with the same key, a dict keeps the last one
    highest = {panel.column: panel for panel in reversed(panels)}
    lowest = {panel.column: panel for panel in panels}
    leftmost = {panel.row: panel for panel in reversed(panels)}
    unused = set(axes.flat)
    for panel in panels:
        ax = axes[panel.row, panel.column]
        unused.discard(ax)
        draw(ax, panel.points)
        if panel is highest[panel.column]:
            ax.set_title(panel.column_title)
        if panel is leftmost[panel.row]:
            ax.set_ylabel(panel.row_title)
        if panel is lowest[panel.column]:
            ax.tick_params(labelbottom=True)
    for ax in unused:
        ax.set_axis_off()
    figure.align_ylabels(axes)
    figure.supxlabel(x)
    figure.supylabel(y)
    add_legend(figure, legend)
    return figure


def new_figure(height: float, contents: str = "so many lines") -> Figure:
    """Make a figure as wide as a page's text, in inches."""
    from matplotlib.figure import Figure

    if height > _LARGEST:
        raise StoreError(
            f"cannot draw {contents}, they would be {height:.0f} inches long. Give a folder with"
            " fewer experiments."
        )
    return Figure(figsize=(WIDTH, height), layout="constrained")


def add_legend(figure: Figure, entries: Sequence[Artist]) -> None:
    """Add a legend above the panels, in as few lines as its entries need."""
    widths = [_LEGEND_KEY + _LEGEND_LETTER * len(str(entry.get_label())) for entry in entries]
    n_columns = len(entries)
    while n_columns > 1 and _width(widths, n_columns) > WIDTH:
        n_columns -= 1
    if entries:
        figure.legend(
            handles=entries, loc="outside upper center", ncols=n_columns, handlelength=2.6
        )


def _width(widths: Sequence[float], n_columns: int) -> float:
    """Return how wide a legend is, whose entries fill one column after the other."""
    n_lines = ceil(len(widths) / n_columns)
    return sum(max(widths[first : first + n_lines]) for first in range(0, len(widths), n_lines))


def draw_by_base(
    rows: pd.DataFrame,
    series: Sequence[styles.Series],
    title: str,
    caption: str,
    *,
    y: str,
    split_by_fraction: bool = False,
    highest: float = inf,
    bars: bool = True,
    legend: Sequence[Artist] = (),
    share_y: Share = "row",
    also: Callable[[Axes, pd.DataFrame], object] = lambda axes, points: None,
) -> Picture:
    """Draw series over numbers of constraints in the panels of `panels_by_base`."""
    # `also` draws more into the axes of each panel, and `legend` has other entries than those of
    # the series
    schedule = sorted(set(rows["n_constraints"]))

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        draw_curves(axes, points, series, schedule, highest=highest, bars=bars)
        also(axes, points)

    figure = draw_grid(
        panels_by_base(rows, by_fraction=split_by_fraction),
        draw,
        x=PER_VIEW if rows["view"].isna().all() else IN_THE_VIEW,
        y=y,
        legend=legend or [style.entry() for style in series],
        share_y=share_y,
    )
    return Picture(figure, title, caption.format(trials=about_trials(rows)))


def draw_curves(
    axes: Axes,
    points: pd.DataFrame,
    series: Sequence[styles.Series],
    schedule: Sequence[float],
    *,
    highest: float = inf,
    bars: bool = True,
) -> None:
    """Draw ``mean`` over numbers of constraints, the first series on top."""
    # intervals, of ``half_width`` to both sides, end at 0 and `highest` where a score has a largest
    # value, and differences have none
    drawn = [style for style in series if len(style.rows(points))]
    for slot, style in enumerate(drawn):
        curve = style.rows(points).sort_values("n_constraints")
        mean, half = curve["mean"], curve["half_width"]
        ends = None
        if bars and highest < inf:
            ends = [half.clip(upper=mean), half.clip(upper=highest - mean)]
        elif bars:
            ends = [half, half]
        axes.errorbar(
            curve["n_constraints"],
            mean,
            yerr=ends,
            label=style.title,
            elinewidth=0.7,
            **style.look(),
            zorder=3 - slot / len(drawn),
        )
    styles.set_schedule(axes, schedule)


def about_trials(rows: pd.DataFrame) -> str:
    return "A single trial." if rows["trials"].max() == 1 else f"Mean over {_trials(rows)} trials."


def dataset_title(name: str) -> str:
    """Return the paper's name of a data set, or its own if the paper has none."""
    from mvcc.datasets import registry

    return getattr(registry().get(name), "title", name)


def in_order(datasets: Iterable[str]) -> list[str]:
    """Return data sets once each, in the order of the registry."""
    from mvcc.datasets import registry

    return sorted(set(datasets), key=lambda dataset: _rank(dataset, list(registry())))


def _rank(name: str, known: list[str]) -> tuple[int, str]:
    """Sort key: what is known comes in its order, everything else after it by name."""
    return [*known, name].index(name), name


def _row_title(rows: pd.DataFrame, points: pd.DataFrame) -> str:
    """Name a row after its view, or after its data set if it shows that alone."""
    # further lines tell it from others of the same name: folder, reading, number of trials
    dataset, folder, reading, view = points[PLACE].iloc[0]
    of_dataset = rows[rows["dataset"] == dataset]
    title = str(view).capitalize()
    if view == POOLED or of_dataset["view"].nunique() == 1:
        title = dataset_title(dataset)
    if of_dataset["folder"].nunique() > 1:
        title += f"\n{folder}"
    if reading:
        title += f"\n{reading}"
    if rows["trials"].nunique() > 1:
        title += f"\n{_trials(points)} trials"
    return title


def _trials(rows: pd.DataFrame) -> str:
    ends = dict.fromkeys((rows["trials"].min(), rows["trials"].max()))
    return " to ".join(f"{n_trials:g}" for n_trials in ends)
