"""Figure 3: an example of propagation in one cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import clipped
from mvcc.exceptions import StoreError
from mvcc.reporting.figures import _panels, _style
from mvcc.reporting.figures._panels import Picture
from mvcc.results import BASES, is_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Ellipse

    from mvcc._utils.arrays import Floats

_CAPTION = (
    "From a real run. Ellipses at 1 standard deviation, where a Gaussian has fallen to 0.61 of its "
    "peak. G: the membership of an endpoint in the cluster (Eq. 7). The covariance at an endpoint "
    "is G times that of the cluster (Eq. 9), so that a constraint far from the center propagates "
    "to fewer instances."
)
_HEIGHT = 4.6  # inches, at most
_LARGEST = 1e100  # what has a place on an axis
_CLUSTER, _ENDPOINT = "#00558f", "#22784a"
_CLUSTER_LINE, _ENDPOINT_LINE = (0, (5, 2)), (0, (1, 1.2))
_KEY: dict[str, dict[str, Any]] = {
    "Instance": {"color": "#9a9a9a", "marker": "o", "markersize": 3, "linestyle": "none"},
    "Center": {"color": _CLUSTER, "marker": "+", "markersize": 7, "linestyle": "none"},
    "Covariance Σₕ": {"color": _CLUSTER, "linestyle": _CLUSTER_LINE, "linewidth": 1.3},
    "Constraint": {"color": "black", "marker": "o", "markersize": 3.5, "linewidth": 1},
    "Weighting (Eq. 9)": {"color": _ENDPOINT, "linestyle": _ENDPOINT_LINE, "linewidth": 1.4},
}


def draw_figure_03(examples: list[dict[str, Any]]) -> Picture | None:
    """Draw Figure 3 (§5.1), a panel for each example: a cluster, two constraints, their weights."""
    from matplotlib.lines import Line2D

    examples = [example for example in examples if example["study"] == "main"]
    if not examples:
        return None
    figure = _panels.new_figure(min(_HEIGHT, _style.WIDTH / len(examples) + _panels.AROUND))
    panels = figure.subplots(1, len(examples), squeeze=False)[0]
    for axes, example in zip(panels, examples, strict=True):
        try:
            _draw_cluster(axes, example)
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            raise StoreError(
                f"cannot draw the example of {example['folder']}: {type(error).__name__} "
                f"{clipped(str(error), 200)}. Restore its example.json, or run the experiment "
                "again with `mvcc run`."
            ) from error

    _panels.add_legend(
        figure, [Line2D([], [], label=label, **look) for label, look in _KEY.items()]
    )
    return Picture(figure, "Figure 3. Constraint propagation in one cluster", _CAPTION)


def _draw_cluster(axes: Axes, example: dict[str, Any]) -> None:
    """Draw an example, or raise if a part of it cannot be drawn."""
    import numpy as np

    points = _numbers(example["points"], len(example["points"]), 2)
    mean, covariance = _numbers(example["mean"], 2), _numbers(example["covariance"], 2, 2)
    if np.linalg.eigvalsh(covariance).min() < 0:
        raise ValueError("a positive definite covariance is expected")
    words = [str(example[name]) for name in ("dataset", "trial", "threshold")]
    if not all(map(is_label, words)):
        raise ValueError("dataset, trial and threshold: short texts or numbers are expected")
    dataset, trial, threshold = words
    axes.scatter(points[:, 0], points[:, 1], s=9, color="#b4b4b4", linewidths=0)
    axes.plot(*mean, color=_CLUSTER, marker="+", markersize=7, markeredgewidth=1.3)
    axes.add_patch(_ellipse(mean, covariance, 1.0, _CLUSTER, _CLUSTER_LINE, 1.3))
    for constraint in example["constraints"]:
        ends = _numbers([end["point"] for end in constraint["ends"]], 2, 2)
        memberships = _numbers([end["membership"] for end in constraint["ends"]], 2)
        axes.plot(*ends.T, color="black", marker="o", markersize=3.5)
        for point, G in zip(ends, memberships, strict=True):  # with its weighting function (Eq. 9)
            if not 0 <= G <= 1:
                raise ValueError("memberships from 0 to 1 are expected")
            axes.add_patch(_ellipse(point, covariance, G, _ENDPOINT, _ENDPOINT_LINE, 1.4))
            axes.annotate(
                f"G = {G:.2f}",
                (point[0], point[1]),
                (7, 5),
                textcoords="offset points",
                fontsize=7,
                color=_style.SOFT,
                zorder=5,
            ).set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6})
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlabel("First feature")
    axes.set_ylabel("Second feature")
    place = f"cluster {int(example['cluster']) + 1} · trial {trial} · t = {threshold}"
    axes.set_title(f"{_panels.dataset_title(dataset)}, {BASES[example['base']]}\n{place}")


def _numbers(values: Any, *shape: int) -> Floats:
    import numpy as np

    array = np.asarray(values, dtype=float)
    if array.shape != shape or not (np.abs(array) <= _LARGEST).all():
        raise ValueError(f"{' × '.join(map(str, shape))} finite numbers are expected")
    return array


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
