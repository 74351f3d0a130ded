"""Figures 3 to 5: an example of propagation, and the learning curves of all methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import clipped
from mvcc.exceptions import StoreError
from mvcc.reporting.figures import _panels, _style
from mvcc.results import BASES, DIRECT_MAPPING, PROPAGATION, SINGLE_VIEW, is_label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Ellipse

    from mvcc._utils.types import Floats

_TITLE = "Figure 3. Constraint propagation in one cluster"
_NOTE = (
    "From a real run. Ellipses at 1 standard deviation, where a Gaussian has fallen to 0.61 of its "
    "peak. G: the membership of an endpoint in the cluster (Eq. 7). The covariance at an endpoint "
    "is G times that of the cluster (Eq. 9), so that a constraint far from the center propagates "
    "to fewer instances."
)
_SIZE = (4.6, 5.6)
_LARGEST = 1e100  # what has a place on an axis
_CLUSTER, _ENDPOINT = "#00558f", "#22784a"
_CLUSTER_LINE, _ENDPOINT_LINE = (0, (5, 2)), (0, (1, 1.2))


def draw_figure_03(examples: list[dict[str, Any]]) -> Figure | None:
    """Draw Figure 3 (§5.1), a panel for each example: a cluster, two constraints, their weights."""
    from matplotlib.lines import Line2D

    examples = [example for example in examples if example["study"] == "main"]
    if not examples:
        return None
    figure, grid = _style.new_sheet(1, len(examples), _TITLE, _NOTE, _SIZE)
    for column, example in enumerate(examples):
        try:
            _draw_cluster(figure.add_subplot(grid[0, column]), _checked(example))
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            raise StoreError(
                f"cannot draw the example of {example['folder']}: {type(error).__name__} "
                f"{clipped(str(error), 200)}. Restore its example.json, or run the experiment "
                "again with `mvcc run`."
            ) from error
    figure_key = [
        Line2D(
            [], [], label="Instance", color="#9a9a9a", marker="o", markersize=3.5, linestyle="none"
        ),
        Line2D(
            [],
            [],
            label="Center of the cluster",
            color=_CLUSTER,
            marker="+",
            markersize=9,
            linestyle="none",
        ),
        Line2D(
            [], [], label="Covariance Σₕ", color=_CLUSTER, linestyle=_CLUSTER_LINE, linewidth=1.6
        ),
        Line2D([], [], label="Constraint", color="black", marker="o", markersize=4.5),
        Line2D(
            [],
            [],
            label="Weighting (Eq. 9)",
            color=_ENDPOINT,
            linestyle=_ENDPOINT_LINE,
            linewidth=1.8,
        ),
    ]
    _style.add_legend(figure, "In the cluster", figure_key)
    return figure


def _checked(example: dict[str, Any]) -> dict[str, Any]:
    """Return the example with its numbers as arrays, if all parts can be drawn."""
    import numpy as np

    def numbers(name: str, values: Any, *shape: int) -> Floats:
        array = np.asarray(values, dtype=float)
        if array.shape[-len(shape) :] != shape or not (np.abs(array) <= _LARGEST).all():
            raise ValueError(
                f"{name}: finite numbers are expected, {' × '.join(map(str, shape))} of them each"
            )
        return array

    constraints = []
    for constraint in example["constraints"]:
        points = numbers("ends", [end["point"] for end in constraint["ends"]], 2, 2)
        memberships = numbers("memberships", [end["membership"] for end in constraint["ends"]], 2)
        constraints.append(list(zip(points, memberships, strict=True)))
    covariance = numbers("covariance", example["covariance"], 2, 2)
    if np.linalg.eigvalsh(covariance).min() < 0 or any(
        not 0 <= G <= 1 for ends in constraints for _, G in ends
    ):
        raise ValueError(
            "covariance and memberships: a positive definite matrix and numbers from 0 to 1 are "
            "expected"
        )
    if not all(
        is_label(str(example[name])) for name in ("dataset", "trial", "cluster", "threshold")
    ):
        raise ValueError(
            "dataset, trial, cluster and threshold: short texts or numbers are expected"
        )
    return {
        **example,
        "points": numbers("points", example["points"], len(example["points"]), 2),
        "mean": numbers("mean", example["mean"], 2),
        "covariance": covariance,
        "constraints": constraints,
        "title": f"{_panels.dataset_title(str(example['dataset']))}, {BASES[example['base']]}",
        "detail": f"cluster {int(example['cluster']) + 1} · trial {example['trial']} · "
        f"t = {example['threshold']}",
    }


def _draw_cluster(axes: Axes, example: dict[str, Any]) -> None:
    xs, ys = example["points"].T
    axes.scatter(xs, ys, s=12, color="#b4b4b4", linewidths=0)
    axes.plot(*example["mean"], color=_CLUSTER, marker="+", markersize=9, markeredgewidth=1.5)
    axes.add_patch(
        _ellipse(example["mean"], example["covariance"], 1.0, _CLUSTER, _CLUSTER_LINE, 1.6)
    )
    for ends in example["constraints"]:
        axes.plot(
            *zip(*(point for point, _ in ends), strict=True),
            color="black",
            marker="o",
            markersize=4.5,
        )
        for point, membership in ends:
            _draw_endpoint(axes, example["covariance"], point, membership)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("First feature")
    axes.set_ylabel("Second feature")
    _style.set_panel_title(axes, example["title"], example["detail"])


def _draw_endpoint(axes: Axes, covariance: Floats, point: Floats, membership: float) -> None:
    """Draw the weighting function of an endpoint (Eq. 9)."""
    axes.add_patch(_ellipse(point, covariance, membership, _ENDPOINT, _ENDPOINT_LINE, 1.8))
    axes.annotate(
        f"G = {membership:.2f}",
        (point[0], point[1]),
        (7, 5),
        textcoords="offset points",
        fontsize=8.5,
        color=_style.SOFT,
        zorder=5,
    ).set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6})


def _ellipse(
    center: Floats, covariance: Floats, scale: float, color: str, line: Any, width: float
) -> Ellipse:
    """Make the ellipse of covariance `scale` · `covariance`, at one standard deviation."""
    import numpy as np
    from matplotlib.patches import Ellipse

    variances, axes = np.linalg.eigh(scale * covariance)
    return Ellipse(
        (center[0], center[1]),
        *(2 * np.sqrt(np.maximum(variances, 0))),
        angle=float(np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))),
        fill=False,
        edgecolor=color,
        linestyle=line,
        linewidth=width,
        zorder=4,
    )


_TITLE_4 = "Figure 4. Comparison of multi-view constrained clustering performance"
_NOTE_4 = (
    "Pairwise F-measure: how well the clusters agree with the true classes, mean of all views; 1 "
    "is perfect. {trials} {bars} Line type and filling of the marker: the percentage of instances "
    "that are mapped between the views; {unmapped} no mapping. Markers are moved sideways a little "
    "so that they do not hide each other. " + _panels.LOGARITHMIC
)
_BARS, _NO_BARS = "The bars are ± 1 standard error.", "So there are no error bars."
_TITLE_5 = "Figure 5. Improvement of Constraint Propagation over Direct Mapping"
_NOTE_5 = (
    "Bar: the improvement of the mean F-measure in percent, averaged over the numbers of "
    "constraints in Figure 4. Diamond: the largest improvement at one of them. {trials}"
)
_APART = (
    " The paper leaves Four Quadrants with PCK-Means out because it dwarfs the others (footnote "
    "2); here it has an axis of its own."
)
_DWARFING = "Four Quadrants, PCK-Means"
_GROUP = (1.3, 3.0)
_TITLE_OF_PAIRS = "Constraint Propagation against Direct Mapping, trial by trial"
_NOTE_OF_PAIRS = (
    "Both methods see the same constraints and the same mapping in a trial: this is the mean of "
    "the differences of their F-measures. {trials} Band: 95% confidence interval of each mean (t "
    "distribution over trials; none with a "
    "single trial). If a band lies above 0, Constraint Propagation is better. "
    + _panels.LOGARITHMIC
)
_CONFIDENCE = 0.95
_CELL = ["dataset", "folder", "reading", "base", "mapped", "n_constraints"]
_PAIR = [PROPAGATION, DIRECT_MAPPING]
_STYLE = _style.METHODS[PROPAGATION]
_PEAK: dict[str, Any] = {"color": _STYLE.color, "marker": "D", "markersize": 5, "linestyle": "none"}


def draw_figure_04(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 4 (§6.3), data sets × bases: F-measure against the number of constraints."""
    rows = _panels.main_experiment(curves, "multi-view")
    if rows.empty:
        return None
    styles = _style.method_styles(rows["method"])
    rows = rows.assign(mapped=rows["mapped"].where(rows["method"] != SINGLE_VIEW))
    lines = _style.line_styles(rows["mapped"].dropna())

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        _panels.draw_curves(axes, list(_curves(points, styles, lines)), _panels.schedule_of(points))
        axes.set_xlabel(_panels.PER_VIEW)
        axes.set_ylabel("Pairwise F-measure")
        axes.locator_params(axis="y", nbins=7, steps=[1, 2, 5, 10])

    unmapped = set(rows.loc[rows["mapped"].isna(), "method"])
    others = [style.title for name, style in styles.items() if name in unmapped - {SINGLE_VIEW}]
    note = _NOTE_4.format(
        trials=_panels.about_trials(rows),
        bars=_BARS if rows["trials"].max() > 1 else _NO_BARS,
        unmapped=" and ".join(["Single View", *others]) + (" use" if others else " uses"),
    )
    figure = _panels.draw_panels(_panels.panels_by_base(rows), _TITLE_4, note, draw)
    of_methods = [
        _panels.entry(style.title, style, _style.SINGLE_VIEW_LINE if name in unmapped else "solid")
        for name, style in styles.items()
    ]
    _style.add_legend(figure, "Transfer method", of_methods)
    if lines:
        _panels.add_fractions(figure, lines)
    return figure


def _curves(
    points: pd.DataFrame,
    styles: dict[str, _style.SeriesStyle],
    lines: dict[float, _style.LineStyle],
) -> Iterator[_panels.Curve]:
    """Give the curves of a panel, the paper's own method first: it lies on top."""
    for method, style in styles.items():
        of_method = points[points["method"] == method]
        for mapped in sorted(set(of_method["mapped"].dropna())):
            curve = of_method[of_method["mapped"] == mapped]
            label = f"{style.title}, {_style.percent(mapped)}"
            yield _panels.Curve(label, curve, style, lines[mapped], mapped, error="standard_error")
        unmapped = of_method[of_method["mapped"].isna()]
        if not unmapped.empty:
            yield _panels.Curve(
                style.title, unmapped, style, _style.SINGLE_VIEW_LINE, error="standard_error"
            )


def improvements(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the ``average`` and ``peak`` gain over Direct Mapping in percent, by fraction."""
    import pandas as pd

    mean = curves.pivot(index=["mapped", "n_constraints"], columns="method", values="mean")
    gain = 100 * (mean[PROPAGATION] / mean[DIRECT_MAPPING] - 1)
    by_fraction = gain.dropna().groupby("mapped")
    return pd.DataFrame({"average": by_fraction.mean(), "peak": by_fraction.max()})


def draw_figure_05(curves: pd.DataFrame) -> Figure | None:
    """Draw Figure 5 (§6.3): the gain over Direct Mapping, averaged over the curve, and its peak."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    rows = _panels.main_experiment(curves, "multi-view")
    rows = rows[rows["method"].isin(_PAIR)]
    groups = [
        (panel.title, panel.detail, group)
        for panel in _panels.panels_by_base(rows)
        if panel.points["method"].nunique() == 2 and len(group := improvements(panel.points))
    ]
    if not groups:
        return None
    apart = [group for group in groups if group[0] == _DWARFING]
    others = [group for group in groups if group[0] != _DWARFING]
    blocks = [block for block in (apart, others) if block]
    widths = [max(1, round(len(block) / 2)) for block in blocks]
    note = _NOTE_5.format(trials=_panels.about_trials(rows)) + (_APART if apart and others else "")
    figure, grid = _style.new_sheet(1, max(sum(widths), 3), _TITLE_5, note, _GROUP)
    start = 0
    for block, width in zip(blocks, widths, strict=True):
        axes = figure.add_subplot(grid[0, start : start + width])
        _draw_groups(axes, block)
        start += width
    fractions = sorted({mapped for _, _, group in groups for mapped in group.index})
    patches = [
        Patch(
            label=_style.percent(m), facecolor=_style.tint(_STYLE.color, m), edgecolor=_STYLE.color
        )
        for m in fractions
    ]
    _style.add_legend(figure, "Instances mapped", patches)
    peak = Line2D([], [], label="Largest improvement", markerfacecolor="white", **_PEAK)
    _style.add_legend(figure, "At one number of constraints", [peak])
    return figure


def _draw_groups(axes: Axes, groups: list[tuple[str, str, pd.DataFrame]]) -> None:
    for place, (_, _, group) in enumerate(groups):
        width = 0.8 / len(group)
        for slot, (mapped, average, peak) in enumerate(group.reset_index().itertuples(index=False)):
            x = place + width * (slot + 0.5 - len(group) / 2)
            axes.bar(
                x,
                average,
                0.86 * width,
                color=_style.tint(_STYLE.color, mapped),
                edgecolor=_STYLE.color,
                linewidth=0.9,
            )
            axes.plot(x, peak, markerfacecolor=_style.tint(_STYLE.color, mapped), **_PEAK)
    axes.axhline(0, color="black", linewidth=0.8)
    labels = [
        "\n".join((*title.split(", "), *([detail] if detail else [])))
        for title, detail, _ in groups
    ]
    axes.set_xticks(range(len(groups)), labels)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.set_ylabel("Improvement of F-measure (%)")


def differences(scores: pd.DataFrame) -> pd.DataFrame:
    """Pair two methods by trial; return mean, ``half_width`` of its interval, and ``trials``."""
    import numpy as np
    from scipy.stats import t

    rows = _panels.main_experiment(scores, "multi-view")
    index = [*_CELL, "trial"]
    cp, dm = (rows[rows["method"] == name].set_index(index)["f_measure"] for name in _PAIR)
    pairs = (cp - dm).dropna().groupby(_CELL)
    table = pairs.agg(mean="mean", deviation="std", trials="size").reset_index()
    quantile = t.ppf((1 + _CONFIDENCE) / 2, np.maximum(table["trials"] - 1, 1))
    return table.assign(half_width=quantile * table["deviation"] / np.sqrt(table["trials"]))


def draw_difference(scores: pd.DataFrame) -> Figure | None:
    """Draw the paired difference with its confidence band, data sets × bases."""
    rows = differences(scores)
    if rows.empty:
        return None
    lines = _style.line_styles(rows["mapped"])

    def draw(axes: Axes, points: pd.DataFrame) -> None:
        curves = [
            _panels.Curve(_style.percent(mapped), of_fraction, _STYLE, line, mapped)
            for mapped, line in lines.items()
            if len(of_fraction := points[points["mapped"] == mapped])
        ]
        for curve in curves:
            n, mean, half = (curve.points[name] for name in ("n_constraints", "mean", "half_width"))
            axes.fill_between(
                n, mean - half, mean + half, color=_STYLE.color, alpha=0.1, linewidth=0
            )
            for edge in (mean - half, mean + half):
                axes.plot(
                    n,
                    edge,
                    color=_style.tint(_STYLE.color, 0.45),
                    linestyle=curve.line,
                    linewidth=0.8,
                )
        _panels.draw_curves(axes, curves, _panels.schedule_of(points), moved_apart=False)
        axes.axhline(0, color="black", linewidth=0.8, zorder=1.5)
        axes.set_xlabel(_panels.PER_VIEW)
        axes.set_ylabel("Difference of F-measure (CP − DM)")

    figure = _panels.draw_panels(
        _panels.panels_by_base(rows),
        _TITLE_OF_PAIRS,
        _NOTE_OF_PAIRS.format(trials=_panels.about_trials(rows)),
        draw,
    )
    _panels.add_fractions(figure, lines, _STYLE)
    return figure
