"""Draw Algorithm 2 step by step, for ``docs/method.md``.

``python -m scripts.pictures.method [FOLDER]``.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import ConnectionPatch

from mvcc import (
    ConstraintPropagation,
    Constraints,
    MultiViewConstrainedClustering,
    PCKMeans,
    SingleView,
    close_views,
    load_dataset,
    propagate_constraints,
)
from mvcc.constraints._map import ConstraintMap
from mvcc.propagation._e_step import fit_gaussians
from scripts.command import folder_from
from scripts.pictures.small import FOLDER, draw_all

SEED, N_ROWS, N_MATCHES, N_GIVEN, THRESHOLD = 11, 60, 16, 5, 0.5
CLUSTERS = np.array(["#00558f", "#d55e00"])
MARKERS = "os"
MUST, CANNOT = "#1b7837", "#8000e0"


class Scene:
    """Four Quadrants with few rows: views, classes, constraints of A, matches, clusterings."""

    def __init__(self) -> None:
        data = load_dataset("four_quadrants", random_state=SEED, instances_per_view=N_ROWS)
        rng = np.random.default_rng(SEED)
        self.views, self.labels = data.views, data.labels
        self.matches = {(0, 1): rng.permutation(data.relations[0, 1])[:N_MATCHES]}
        self.given = [
            Constraints.from_labels(self.labels[0], N_GIVEN, random_state=SEED),
            Constraints.empty(),
        ]
        self.closed, self.related = close_views(self.given, self.matches)
        self.mapped = [np.unique(self.related[0, 1][:, v]) for v in (0, 1)]
        self.alone, self.together = (
            self.fitted(transfer) for transfer in (SingleView(), ConstraintPropagation(THRESHOLD))
        )
        self.first = (
            PCKMeans(2, init="neighborhoods", random_state=SEED)
            .fit(self.views[0], constraints=self.closed[0])
            .labels_
        )
        self.propagated = propagate_constraints(
            self.views[0], self.first, self.closed[0], THRESHOLD, candidates=self.mapped[0]
        )

    def fitted(self, transfer) -> list[np.ndarray]:
        """Return the clusters of both views under a transfer method."""
        model = MultiViewConstrainedClustering(
            PCKMeans(2, init="neighborhoods"), transfer, random_state=SEED
        )
        return model.fit(self.views, constraints=self.given, mappings=self.matches).labels_


def new_axes(width: int, *titles: str):
    """Return a figure with a panel per title."""
    fig, axes = plt.subplots(
        1, len(titles), figsize=(width, 3.7), layout="constrained", squeeze=False
    )
    for ax, title in zip(axes[0], titles, strict=True):
        ax.set(
            title=title, xlim=(-6.3, 6.3), ylim=(-6.3, 6.3), xticks=[], yticks=[], aspect="equal"
        )
    return fig, axes[0]


def draw_rows(ax, X, mapped, labels=None) -> None:
    """Draw the rows, in the color of their cluster if known, matched ones with a ring."""
    if labels is None:
        ax.scatter(*X.T, s=16, color="#8a8a8a", zorder=3)
    else:
        for cluster, marker in enumerate(MARKERS):
            ax.scatter(
                *X[labels == cluster].T, s=16, color=CLUSTERS[cluster], marker=marker, zorder=3
            )
    ax.scatter(*X[mapped].T, s=60, facecolor="none", edgecolor="black", linewidth=0.9, zorder=4)


def draw_constraints(ax, X, constraints: Constraints, width=2.0) -> None:
    """Draw must-links solid and cannot-links dashed, lighter ones fainter."""
    for (i, j), must_link, weight in zip(
        constraints.pairs, constraints.must_link, constraints.weights, strict=True
    ):
        color, line = (MUST, "-") if must_link else (CANNOT, (0, (4, 2)))
        ax.plot(
            *X[[i, j]].T, color=color, ls=line, lw=width, alpha=0.25 + 0.75 * weight**2, zorder=2
        )


def link_matches(fig, axes, scene: Scene) -> None:
    """Draw a thin line between the two rows of each match."""
    looks = {"coordsA": "data", "coordsB": "data", "color": "black", "lw": 0.5, "alpha": 0.45}
    for u, v in scene.matches[0, 1]:
        ends = scene.views[0][u], scene.views[1][v]
        fig.add_artist(ConnectionPatch(*ends, axesA=axes[0], axesB=axes[1], **looks))


def draw_right(ax, scene: Scene, labels: np.ndarray) -> None:
    """Draw clusters of B in the colors of the classes, and the share of rows in the right one."""
    same = (labels == scene.labels[1]).mean()
    top = scene.views[1][:, 1].argmax()  # tells which cluster is which if each is half of both
    is_turned = same < 0.5 or (same == 0.5 and labels[top] == 1)
    draw_rows(ax, scene.views[1], scene.mapped[1], 1 - labels if is_turned else labels)
    ax.set_xlabel(f"{max(same, 1 - same):.0%} of the rows in the right cluster")


def draw_shading(ax, scene: Scene) -> None:
    """Shade the largest G(x, u) of Eq. 15 of the endpoints of constraints at every place."""
    X, labels = scene.views[0], scene.first
    gaussians = fit_gaussians(X, labels, None, 1e-6)
    ends = np.unique(scene.closed[0].pairs)
    side = np.linspace(-6.3, 6.3, 200)
    places = np.stack(np.meshgrid(side, side), axis=-1)
    reach = np.zeros((len(side), len(side)))
    for u, confidence in zip(ends, gaussians.memberships(X, ends, labels), strict=True):
        whitened = (places - X[u]) @ gaussians.whiteners[labels[u]].T
        reach = np.maximum(reach, np.exp(-0.5 * (whitened**2).sum(axis=-1) / confidence))
    ax.contourf(
        side, side, reach, levels=np.linspace(0.1, 1, 10), cmap="YlOrBr", alpha=0.75, zorder=0
    )
    ax.contour(side, side, reach, levels=[THRESHOLD], colors="#7a4a00", linewidths=0.8, zorder=1)
    angle = np.linspace(0, 2 * np.pi, 100)
    for h in range(2):
        circle = np.linalg.cholesky(gaussians.covariances[h]) @ np.stack(
            (np.cos(angle), np.sin(angle))
        )
        ax.plot(
            *(2 * circle + gaussians.means[h][:, None]), color=CLUSTERS[h], ls=":", lw=1.2, zorder=1
        )


def known(scene: Scene):
    """Draw what is given: two views, matches, constraints."""
    fig, axes = new_axes(8, "view A", "view B")
    for ax, X, mapped, given in zip(axes, scene.views, scene.mapped, scene.given, strict=True):
        draw_rows(ax, X, mapped)
        draw_constraints(ax, X, given)
    link_matches(fig, axes, scene)
    return fig


def closure(scene: Scene):
    """Draw the given constraints, and all that follows."""
    fig, axes = new_axes(
        8,
        f"given: {len(scene.given[0])} constraints",
        f"closed: {len(scene.closed[0])} constraints",
    )
    for ax, constraints in zip(axes, (scene.given[0], scene.closed[0]), strict=True):
        draw_rows(ax, scene.views[0], scene.mapped[0])
        draw_constraints(ax, scene.views[0], constraints)
    return fig


def propagation(scene: Scene):
    """Draw the reach of the endpoints, and the constraints between matched rows that come of it."""
    fig, axes = new_axes(
        8, "how far the endpoints reach", f"{len(scene.propagated)} propagated constraints"
    )
    for ax in axes:
        draw_rows(ax, scene.views[0], scene.mapped[0], scene.first)
    draw_shading(axes[0], scene)
    draw_constraints(axes[0], scene.views[0], scene.closed[0])
    draw_constraints(axes[1], scene.views[0], scene.propagated, width=1.2)
    return fig


def transfer(scene: Scene):
    """Draw the propagated constraints in A, and what they become in B."""
    arrived = ConstraintMap(scene.related[0, 1])(scene.propagated)
    fig, axes = new_axes(8, "view A: what it infers", "view B: what it is told")
    for ax, X, mapped, constraints in zip(
        axes, scene.views, scene.mapped, (scene.propagated, arrived), strict=True
    ):
        draw_rows(ax, X, mapped)
        draw_constraints(ax, X, constraints, width=1.2)
    return fig


def clusters(scene: Scene):
    """Draw the clusters of B alone and with what A told it."""
    fig, axes = new_axes(8, "view B by itself", "view B, told by A")
    for ax, labels in zip(axes, (scene.alone[1], scene.together[1]), strict=True):
        draw_right(ax, scene, labels)
    return fig


PICTURES = (known, closure, propagation, transfer, clusters)


if __name__ == "__main__":
    draw_all(PICTURES, folder_from(__doc__, FOLDER / "method"), Scene())
