"""Figure 3: how far constraints propagate in one cluster of a real run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import clipped
from mvcc.exceptions import StoreError
from mvcc.reporting.figures._panels import dataset_title
from mvcc.reporting.figures._sheet import add_legend, new_sheet, set_panel_title
from mvcc.reporting.figures._style import SOFT
from mvcc.results import BASES, is_label

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Ellipse
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_TITLE = "Figure 3. Constraint propagation in one cluster"
_NOTE = (
    "From a real run. Ellipses at 1 standard deviation, where a Gaussian has fallen to 0.61 of its peak. G: the "
    "membership of an endpoint in the cluster (Eq. 7). The covariance at an endpoint is G times that of the cluster "
    "(Eq. 9), so that a constraint far from the center propagates to fewer instances."
)
_SIZE = (4.6, 5.6)
_LARGEST = 1e100  # what has a place on an axis
_CLUSTER, _ENDPOINT = "#00558f", "#22784a"
_CLUSTER_LINE, _ENDPOINT_LINE = (0, (5, 2)), (0, (1, 1.2))


def draw_figure_03(examples: list[dict[str, Any]]) -> Figure | None:
    """Draw Figure 3 (§5.1): covariance of a cluster, two constraints, their weighting functions at each endpoint.

    One panel per example of the paper's own experiments; None without one. One that lacks a part is a StoreError.
    """
    from matplotlib.lines import Line2D

    examples = [example for example in examples if example["study"] == "main"]
    if not examples:
        return None
    figure, grid = new_sheet(1, len(examples), _TITLE, _NOTE, _SIZE)
    for column, example in enumerate(examples):
        try:
            _draw_cluster(figure.add_subplot(grid[0, column]), _checked(example))
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            raise StoreError(
                f"cannot draw the example of {example['folder']}: {type(error).__name__} {clipped(str(error), 200)}. "
                "Restore its example.json, or run the experiment again with `mvcc run`."
            ) from error
    figure_key = [
        Line2D([], [], label="Instance", color="#9a9a9a", marker="o", markersize=3.5, linestyle="none"),
        Line2D([], [], label="Center of the cluster", color=_CLUSTER, marker="+", markersize=9, linestyle="none"),
        Line2D([], [], label="Covariance Σₕ", color=_CLUSTER, linestyle=_CLUSTER_LINE, linewidth=1.6),
        Line2D([], [], label="Constraint", color="black", marker="o", markersize=4.5),
        Line2D([], [], label="Weighting (Eq. 9)", color=_ENDPOINT, linestyle=_ENDPOINT_LINE, linewidth=1.8),
    ]
    add_legend(figure, "In the cluster", figure_key)
    return figure


def _checked(example: dict[str, Any]) -> dict[str, Any]:
    """Return the example with its numbers as arrays, if all parts are what they must be to be drawn."""
    import numpy as np

    def numbers(name: str, values: Any, *shape: int) -> Array:
        array = np.asarray(values, dtype=float)
        if array.shape[-len(shape) :] != shape or not (np.abs(array) <= _LARGEST).all():
            raise ValueError(f"{name}: finite numbers are expected, {' × '.join(map(str, shape))} of them each")
        return array

    constraints = []
    for constraint in example["constraints"]:
        points = numbers("ends", [end["point"] for end in constraint["ends"]], 2, 2)
        memberships = numbers("memberships", [end["membership"] for end in constraint["ends"]], 2)
        constraints.append(list(zip(points, memberships, strict=True)))
    covariance = numbers("covariance", example["covariance"], 2, 2)
    if np.linalg.eigvalsh(covariance).min() < 0 or any(not 0 <= G <= 1 for ends in constraints for _, G in ends):
        raise ValueError("covariance and memberships: a positive definite matrix and numbers from 0 to 1 are expected")
    if not all(is_label(str(example[name])) for name in ("dataset", "trial", "cluster", "threshold")):
        raise ValueError("dataset, trial, cluster and threshold: short texts or numbers are expected")
    return {
        **example,
        "points": numbers("points", example["points"], len(example["points"]), 2),
        "mean": numbers("mean", example["mean"], 2),
        "covariance": covariance,
        "constraints": constraints,
        "title": f"{dataset_title(str(example['dataset']))}, {BASES[example['base']]}",
        "detail": f"cluster {int(example['cluster']) + 1} · trial {example['trial']} · t = {example['threshold']}",
    }


def _draw_cluster(axes: Axes, example: dict[str, Any]) -> None:
    xs, ys = example["points"].T
    axes.scatter(xs, ys, s=12, color="#b4b4b4", linewidths=0)
    axes.plot(*example["mean"], color=_CLUSTER, marker="+", markersize=9, markeredgewidth=1.5)
    axes.add_patch(_ellipse(example["mean"], example["covariance"], 1.0, _CLUSTER, _CLUSTER_LINE, 1.6))
    for ends in example["constraints"]:
        axes.plot(*zip(*(point for point, _ in ends), strict=True), color="black", marker="o", markersize=4.5)
        for point, membership in ends:
            _draw_endpoint(axes, example["covariance"], point, membership)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("First feature")
    axes.set_ylabel("Second feature")
    set_panel_title(axes, example["title"], example["detail"])


def _draw_endpoint(axes: Axes, covariance: Array, point: Array, membership: float) -> None:
    """Draw the weighting function of an endpoint (Eq. 9)."""
    axes.add_patch(_ellipse(point, covariance, membership, _ENDPOINT, _ENDPOINT_LINE, 1.8))
    axes.annotate(
        f"G = {membership:.2f}",
        (point[0], point[1]),
        (7, 5),
        textcoords="offset points",
        fontsize=8.5,
        color=SOFT,
        zorder=5,
    ).set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6})


def _ellipse(center: Array, covariance: Array, scale: float, color: str, line: Any, width: float) -> Ellipse:
    """Make the ellipse of a Gaussian with covariance `scale` · `covariance`, at one standard deviation."""
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
