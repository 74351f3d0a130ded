"""Draw the joint clustering step by step, for ``docs/method.md``.

``python -m scripts.pictures.joint [FOLDER]``.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

# eigenvectors of equal eigenvalues, of separate groups in a view, depend on the kernels of the
# processor
os.environ["OPENBLAS_CORETYPE"] = "Haswell"

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import ConnectionPatch
from sklearn.decomposition import PCA

from mvcc import JointGraphClustering
from mvcc.embedding import joint_graph, neighbors_for
from mvcc.multiview.joint._joint_set import pairs_of_objects
from mvcc.multiview.joint._spreading import Groups, first_step, shares_of_classes, spread
from scripts.pictures.method import CLUSTERS, MARKERS, Scene, draw_constraints, draw_rows, new_axes
from scripts.pictures.small import FOLDER, save_small

EXAMPLE = (
    2  # the row of A whose landmarks are drawn: the third from the left of those without a match
)
CLASSES = LinearSegmentedColormap.from_list("classes", [CLUSTERS[0], "#efefef", CLUSTERS[1]])


class Joint:
    """The scene of ``scripts.pictures.method`` in one graph, with and without the constraints."""

    def __init__(self) -> None:
        self.scene = Scene()
        self.views, self.truth = self.scene.views, self.scene.labels
        self.model, self.free = (
            JointGraphClustering(2, random_state=0, features="none").fit(
                self.views, constraints=given, mappings=self.scene.matches
            )
            for given in (self.scene.given, None)
        )
        ((_, self.set),) = self.model._sets
        self.objects = self.set.objects
        self.judged = pairs_of_objects(
            [given.spanning() for given in self.scene.given], self.objects
        )

    def shown(self, labels: np.ndarray, view: int) -> tuple[np.ndarray, float]:
        """Return clusters with the numbers of the classes, and the share of rows that are in the
        right one.
        """
        same = (labels == self.truth[view]).mean()
        return (labels if same >= 0.5 else 1 - labels), max(same, 1 - same)


def link_matches(fig, axes, joint: Joint) -> None:
    """Draw a thin line between the two rows of each match."""
    for u, v in joint.scene.matches[0, 1]:
        ends = {
            "xyA": joint.views[0][u],
            "xyB": joint.views[1][v],
            "coordsA": "data",
            "coordsB": "data",
        }
        fig.add_artist(
            ConnectionPatch(**ends, axesA=axes[0], axesB=axes[1], color="black", lw=0.5, alpha=0.45)
        )


def graph(joint: Joint):
    """Draw the graph of each view; a match makes one object of two rows."""
    fig, axes = new_axes(8, "graph of view A", "graph of view B")
    n_neighbors = neighbors_for(joint.views, 2, joint.model.n_neighbors)
    for ax, X, mapped in zip(axes, joint.views, joint.scene.mapped, strict=True):
        pairs = joint_graph([X], {}, n_neighbors, 0, np.random.default_rng(0)).affinities.tocoo()
        ends = np.stack((X[pairs.coords[0]], X[pairs.coords[1]]), axis=1)
        shades = np.clip(pairs.data / pairs.data.max(), 0, 1)
        ax.add_collection(
            LineCollection(ends, colors="#00558f", alpha=shades, linewidths=1.0, zorder=1)
        )
        draw_rows(ax, X, mapped)
    link_matches(fig, axes, joint)
    return fig


def landmarks(joint: Joint):
    """Draw the landmarks that a row of A is near, and the rows of B that are near the same ones."""
    unmatched = np.setdiff1d(np.arange(len(joint.views[0])), joint.scene.mapped[0])
    row = unmatched[np.argsort(joint.views[0][unmatched, 0])[EXAMPLE]]
    factor = joint.set._free_graph.landmarks
    both = factor @ factor[[joint.objects[0][row]]].T
    shared = [np.asarray(both.todense()).ravel()[own] for own in joint.objects]
    top = max(values.max() for values in shared)
    fig, axes = new_axes(8, "view A: a row without a match", "view B: near the same landmarks")
    for ax, X, mapped, values in zip(axes, joint.views, joint.scene.mapped, shared, strict=True):
        draw_rows(ax, X, mapped)
        ax.scatter(
            *X.T,
            s=30,
            c=values,
            cmap="YlOrBr",
            vmin=0,
            vmax=top,
            edgecolor="#8a8a8a",
            lw=0.4,
            zorder=5,
        )
    axes[0].scatter(*joint.views[0][row], s=130, marker="*", color="black", zorder=6)
    return fig


def embedding(joint: Joint):
    """Draw the objects in the space where they are clustered, without and with the metric of the
    pairs.
    """
    fig, axes = plt.subplots(1, 2, figsize=(8, 3.7), layout="constrained")
    titles = "embedding", "with the metric of the pairs"
    for ax, model, title in zip(axes, (joint.free, joint.model), titles, strict=True):
        plane = np.split(PCA(2).fit_transform(np.vstack(model.embedding_)), [len(joint.views[0])])
        for points, truth, face in zip(plane, joint.truth, (True, False), strict=True):
            for cluster, marker in enumerate(MARKERS):
                color = CLUSTERS[cluster]
                some = points[truth == cluster]
                ax.scatter(
                    *some.T,
                    s=22,
                    marker=marker,
                    edgecolor=color,
                    facecolor=color if face else "none",
                    lw=1,
                )
        if model is joint.model:
            draw_constraints(ax, plane[0], joint.scene.given[0], width=1.2)
        ax.set(title=title, xticks=[], yticks=[])
        ax.margins(0.1)
    return fig


def spreading(joint: Joint):
    """Draw the share of the second class in what the constrained objects say of every row."""
    fig, axes = new_axes(8, "view A: constrained rows have stars", "view B")
    clusters = np.empty(joint.set.n_objects, int)
    for own, labels in zip(joint.objects, joint.model.labels_, strict=True):
        clusters[own] = labels
    classes = Groups.among(joint.set.n_objects, joint.judged).classes(clusters, 2)
    shares = shares_of_classes(clusters, classes, 2)
    said = spread(joint.set._graph, first_step(classes, (classes >= 0).astype(float), shares))
    second = np.bincount(clusters[joint.objects[0]][joint.truth[0] == 1], minlength=2).argmax()
    for ax, X, own in zip(axes, joint.views, joint.objects, strict=True):
        ax.scatter(
            *X.T,
            s=26,
            c=said[own, second],
            cmap=CLASSES,
            vmin=0,
            vmax=1,
            lw=0.4,
            edgecolor="#555555",
        )
    stars = joint.views[0][np.unique(joint.scene.given[0].pairs)]
    axes[0].scatter(*stars.T, s=110, marker="*", facecolor="none", edgecolor="black", zorder=4)
    return fig


def together(joint: Joint):
    """Draw the clusters of B without and with the constraints of A."""
    fig, axes = new_axes(8, "view B, without constraints", "view B, with five constraints in A")
    for ax, model in zip(axes, (joint.free, joint.model), strict=True):
        labels, share = joint.shown(model.labels_[1], 1)
        draw_rows(ax, joint.views[1], joint.scene.mapped[1], labels)
        ax.set_xlabel(f"{share:.0%} of the rows in the right cluster")
    return fig


PICTURES = (graph, landmarks, embedding, spreading, together)


def main(folder: Path = FOLDER / "joint") -> None:
    """Draw all pictures."""
    joint = Joint()
    for draw in PICTURES:
        fig, png = draw(joint), io.BytesIO()
        fig.savefig(png, dpi=110)
        plt.close(fig)
        save_small(png.getvalue(), folder / f"{draw.__name__}.png")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
