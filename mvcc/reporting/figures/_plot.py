"""Draw figures from the results on disk and write them as PNG and PDF; what Figure 3 shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import clipped
from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import StoreError
from mvcc.reporting.figures import _curves, _panels, _style
from mvcc.reporting.figures._panels import Picture
from mvcc.reporting.figures._studies import draw_beyond, draw_thresholds
from mvcc.reporting.figures._style import house_style, saved
from mvcc.results import BASES, Results, is_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Ellipse

    from mvcc._utils.arrays import Floats

_DPI = 200
_LEFT_OUT = ("Creator", "Producer", "CreationDate")

# The figures of the paper by their numbers, and three more, the one that says most first. Each
# function takes what `Results` reads, and gives None if that holds nothing for it.
FIGURES: dict[str, Callable[[Results], Picture | None]] = {
    "difference": lambda results: _curves.draw_difference(results.scores),
    "3": lambda results: draw_figure_03(results.examples),
    "4": lambda results: _curves.draw_f_measure(results.curves, "multi-view"),
    "5": lambda results: _curves.draw_figure_05(results.scores),
    "6": lambda results: _curves.draw_numbers(results.scores, "multi-view"),
    "7": lambda results: _curves.draw_precision(results.scores, "multi-view"),
    "8": lambda results: _curves.draw_f_measure(results.curves, "single-view"),
    "9": lambda results: _curves.draw_numbers(results.scores, "single-view"),
    "10": lambda results: _curves.draw_precision(results.scores, "single-view"),
    "beyond": lambda results: draw_beyond(results.curves),
    "thresholds": lambda results: draw_thresholds(results.curves),
}


def plot(
    results_dir: Path, figures: Sequence[str] = (), out: Path | None = None, *, fresh: bool = False
) -> dict[str, list[Path]]:
    """Draw the figures that have results below a folder, or those named; return their files."""
    # They go to ``out``, by default ``figures`` in the folder, as PNG and PDF. Other figures there
    # are replaced only if ``fresh``. If a named figure has no results, or a file cannot be written,
    # nothing is written.
    folder = out or results_dir / "figures"
    if out is None and os.path.islink(folder):
        raise StoreError(
            f"{folder} is a link, and mvcc would write to where it leads. Name the folder by --out."
        )
    results = Results(results_dir)
    contents: dict[str, bytes] = {}
    written: dict[str, list[Path]] = {}
    for name, draw in FIGURES.items():
        if figures and name not in figures:
            continue
        stem, label = name, f"the figure '{name}'"
        if name.isdigit():
            stem, label = f"figure_{int(name):02d}", f"Figure {name}"
        with house_style():
            picture = draw(results)
            if picture is not None:
                files = _files(stem, picture)
                contents |= files
                written[name] = [folder / file for file in files]
            elif figures:
                raise _nothing_to_draw(label, results)
    if not contents:
        raise _nothing_to_draw("any figure", results)
    elsewhere = "choose another folder with --out"
    with OutputFolder(folder, "figures", fresh=fresh, elsewhere=elsewhere) as target:
        target.write(contents)
    return written


def _nothing_to_draw(label: str, results: Results) -> StoreError:
    pairs = sorted(set(zip(results.curves["study"], results.curves["experiment"], strict=True)))
    kinds = [f"{experiment} experiments of the study {study}" for study, experiment in pairs]
    return StoreError(
        f"the results below {results.folder} hold nothing to draw {label} from, only "
        f"{', '.join(kinds)}. Run the experiment that the figure shows with `mvcc run`, or give "
        "another folder."
    )


def _files(name: str, picture: Picture) -> dict[str, bytes]:
    """Return the files of a figure, by their names."""
    # they hold title and caption, and no date or version: the same results give the same bytes
    title, caption = picture.title, picture.caption
    metadata: dict[str, dict[str, str | None]] = {
        "png": {"Title": title, "Description": caption, "Software": None},
        "pdf": {"Title": title, "Subject": caption, **dict.fromkeys(_LEFT_OUT)},
    }
    return {
        f"{name}.{extension}": saved(picture.figure, extension, words, _DPI)
        for extension, words in metadata.items()
    }


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
    texts = [str(example[name]) for name in ("dataset", "trial", "threshold")]
    if not all(map(is_label, texts)):
        raise ValueError("dataset, trial and threshold: short texts or numbers are expected")
    dataset, trial, threshold = texts
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
    subtitle = f"cluster {int(example['cluster']) + 1} · trial {trial} · t = {threshold}"
    axes.set_title(f"{_panels.dataset_title(dataset)}, {BASES[example['base']]}\n{subtitle}")


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
