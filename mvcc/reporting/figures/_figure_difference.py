"""Beyond the paper: the difference of Constraint Propagation and Direct Mapping within a trial, and how sure it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvcc.reporting.figures._curves import PER_VIEW, Curve, draw_curves, entry
from mvcc.reporting.figures._grids import add_legend
from mvcc.reporting.figures._panels import about_trials, draw_panels, main_experiment, panels_by_base, schedule_of
from mvcc.reporting.figures._style import METHODS, line_styles, percent, tint

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLE = "Constraint Propagation against Direct Mapping, trial by trial"
_NOTE = (
    "Both methods see the same constraints and the same mapping in a trial: this is the mean of the differences of "
    "their F-measures. {trials} Band: 95% confidence interval of each mean (t distribution over trials; none with a "
    "single trial). Where a band lies above 0, Constraint Propagation is better."
)
_METHODS = ("constraint-propagation", "direct-mapping")
_CONFIDENCE = 0.95
_STYLE = METHODS["constraint-propagation"]
_CELL = ["dataset", "folder", "reading", "base", "mapped", "n_constraints"]


def differences(scores: pd.DataFrame) -> pd.DataFrame:
    """Pair the two methods trial by trial.

    Parameters
    ----------
    scores : pandas.DataFrame
        As `Results.scores`.

    Returns
    -------
    pandas.DataFrame
        One row per data set, base, mapped fraction and number of constraints, with the ``mean`` difference, half the
        width of its confidence interval (``half_width``, NaN for one trial) and the number of ``trials``.
    """
    import numpy as np
    from scipy.stats import t

    rows = main_experiment(scores, "multi-view")
    index = [*_CELL, "trial"]
    cp, dm = (rows[rows["method"] == name].set_index(index)["f_measure"] for name in _METHODS)
    pairs = (cp - dm).dropna().groupby(_CELL)
    table = pairs.agg(mean="mean", deviation="std", trials="size").reset_index()
    quantile = t.ppf((1 + _CONFIDENCE) / 2, np.maximum(table["trials"] - 1, 1))
    return table.assign(half_width=quantile * table["deviation"] / np.sqrt(table["trials"]))


def draw_difference(scores: pd.DataFrame) -> Figure | None:
    """Draw the paired difference with its confidence band, per mapped fraction.

    One row of panels per data set and one column per base algorithm; None where no trial has both methods.
    """
    rows = differences(scores)
    if rows.empty:
        return None
    lines = line_styles(rows["mapped"])

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        curves = [
            Curve(percent(mapped), of_fraction, _STYLE, line, mapped)
            for mapped, line in lines.items()
            if len(of_fraction := points[points["mapped"] == mapped])
        ]
        for curve in curves:
            n, mean, half = (curve.points[name] for name in ("n_constraints", "mean", "half_width"))
            axes.fill_between(n, mean - half, mean + half, color=_STYLE.color, alpha=0.1, linewidth=0)
            for edge in (mean - half, mean + half):
                axes.plot(n, edge, color=tint(_STYLE.color, 0.45), linestyle=curve.line, linewidth=0.8)
        draw_curves(axes, curves, schedule_of(points), moved_apart=False)
        axes.axhline(0, color="black", linewidth=0.8, zorder=1.5)
        axes.set_xlabel(PER_VIEW)
        axes.set_ylabel("Difference of F-measure (CP − DM)")

    figure = draw_panels(panels_by_base(rows), _TITLE, _NOTE.format(trials=about_trials(rows)), draw)
    add_legend(figure, "Instances mapped", [entry(percent(m), _STYLE, line, m) for m, line in lines.items()])
    return figure
