"""Draw the joint clustering step by step, for ``docs/method.md``.

``python -m scripts.pictures.joint [FOLDER]``.
"""

from __future__ import annotations

import os

# eigenvectors of equal eigenvalues, of separate groups in a view, depend on the kernels of the
# processor, which are the same ones everywhere: those without AVX-512
os.environ["OPENBLAS_CORETYPE"] = "Haswell"
os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from scipy.linalg import orthogonal_procrustes
from sklearn.decomposition import PCA

from mvcc import JointGraphClustering
from mvcc.embedding import joint_graph, neighbors_for
from mvcc.multiview.joint._constrained_objects import (
    MustLinkGroups,
    first_step,
    shares_of_classes,
    spread,
)
from scripts.command import folder_from
from scripts.pictures.method import (
    CLUSTERS,
    MARKERS,
    Scene,
    draw_constraints,
    draw_right,
    draw_rows,
    link_matches,
    new_axes,
)
from scripts.pictures.small import FOLDER, draw_all

# the row of A whose landmarks are drawn: the third from the left of those without a match
EXAMPLE = 2
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
        (self.set,) = self.model._sets
        self.objects = self.set.objects
        self.judged = self.set.on_objects(self.scene.given)


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
    link_matches(fig, axes, joint.scene)
    return fig


def landmarks(joint: Joint):
    """Draw the landmarks that a row of A is near, and the rows of B that are near the same ones."""
    unmatched = np.setdiff1d(np.arange(len(joint.views[0])), joint.scene.mapped[0])
    row = unmatched[np.argsort(joint.views[0][unmatched, 0])[EXAMPLE]]
    factor = joint.set._embedded_graph.factor
    both = factor @ factor[[joint.objects[0][row]]].T
    shared = [np.asarray(both.todense()).ravel()[objects] for objects in joint.objects]
    top = max(values.max() for values in shared)
    fig, axes = new_axes(8, "view A: a row without a match", "view B: near the same landmarks")
    for ax, X, mapped, values in zip(axes, joint.views, joint.scene.mapped, shared, strict=True):
        draw_rows(ax, X, mapped)
        shade = {"c": values, "cmap": "YlOrBr", "vmin": 0, "vmax": top}
        ax.scatter(*X.T, s=30, **shade, edgecolor="#8a8a8a", lw=0.4, zorder=5)
    axes[0].scatter(*joint.views[0][row], s=130, marker="*", color="black", zorder=6)
    return fig


def embedding(joint: Joint):
    """Draw the objects where they are clustered, without and with the metric of the pairs."""
    fig, axes = plt.subplots(1, 2, figsize=(8, 3.7), layout="constrained")
    titles = "embedding", "with the metric of the pairs"
    rows = np.vstack(joint.views)
    for ax, model, title in zip(axes, (joint.free, joint.model), titles, strict=True):
        points = PCA(2).fit_transform(np.vstack(model.embedding_))
        # turned like the rows, since the processor decides how components as large as others lie
        turned = points @ orthogonal_procrustes(points, rows - rows.mean(axis=0))[0]
        plane = np.split(turned, [len(joint.views[0])])
        for points, truth, face in zip(plane, joint.truth, (True, False), strict=True):
            for cluster, marker in enumerate(MARKERS):
                some, color = points[truth == cluster], CLUSTERS[cluster]
                looks = {"edgecolor": color, "facecolor": color if face else "none"}
                ax.scatter(*some.T, s=22, marker=marker, lw=1, **looks)
        if model is joint.model:
            draw_constraints(ax, plane[0], joint.scene.given[0], width=1.2)
        ax.set(title=title, xticks=[], yticks=[])
        ax.margins(0.1)
    return fig


def spreading(joint: Joint):
    """Draw the share of the second class in what the constrained objects say of every row."""
    fig, axes = new_axes(8, "view A: constrained rows have stars", "view B")
    clusters = np.empty(joint.set.n_objects, int)
    for objects, labels in zip(joint.objects, joint.model.labels_, strict=True):
        clusters[objects] = labels
    classes = MustLinkGroups.among(joint.set.n_objects, joint.judged).classes(clusters, 2)
    shares = shares_of_classes(clusters, classes, 2)
    step = first_step(classes, (classes >= 0).astype(float), shares)
    said = spread(joint.set._graph, step)
    second = np.bincount(clusters[joint.objects[0]][joint.truth[0] == 1], minlength=2).argmax()
    for ax, X, objects in zip(axes, joint.views, joint.objects, strict=True):
        shade = {"c": said[objects, second], "cmap": CLASSES, "vmin": 0, "vmax": 1}
        ax.scatter(*X.T, s=26, **shade, lw=0.4, edgecolor="#555555")
    stars = joint.views[0][np.unique(joint.scene.given[0].pairs)]
    axes[0].scatter(*stars.T, s=110, marker="*", facecolor="none", edgecolor="black", zorder=4)
    return fig


def together(joint: Joint):
    """Draw the clusters of B without and with the constraints of A."""
    fig, axes = new_axes(8, "view B, without constraints", "view B, with five constraints in A")
    for ax, model in zip(axes, (joint.free, joint.model), strict=True):
        draw_right(ax, joint.scene, model.labels_[1])
    return fig


PICTURES = (graph, landmarks, embedding, spreading, together)


if __name__ == "__main__":
    draw_all(PICTURES, folder_from(__doc__, FOLDER / "joint"), Joint())
