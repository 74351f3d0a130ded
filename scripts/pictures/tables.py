"""Draw what goes in and what comes out, for the README: the example's tables and its clusters.

``python -m scripts.pictures.tables [FOLDER]``.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from textwrap import shorten

# which rows are nearest to the center depends on the kernels of the processor
os.environ["OPENBLAS_CORETYPE"] = "Haswell"

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.offsetbox import AnnotationBbox, OffsetImage

from mvcc.results import Clustering
from mvcc.tables import cluster_job, load_job, write_example
from scripts.command import folder_from
from scripts.pictures.small import FOLDER, save_figure

ROWS = 6  # of each table
SHOWN = 4  # rows of each cluster and view
GRAY, DARK = "#7a7f87", "#1f2937"


def main(folder: Path) -> None:
    """Cluster the example, and draw some of its rows before and after."""
    with tempfile.TemporaryDirectory() as data:
        write_example(Path(data))
        job = load_job(Path(data) / "cluster.yaml").model_copy(
            update={"comparison": False, "stability_runs": 0}
        )
        clustering = cluster_job(job, Path(data) / "results")
        figure, axes = plt.subplots(figsize=(9, 3.6))
        axes.set(xlim=(0, 9), ylim=(0, 3.6))
        axes.axis("off")
        _draw_tables(axes, Path(data))
        axes.annotate(
            "", (4.55, 1.75), (4.05, 1.75), arrowprops={"width": 3, "headwidth": 11, "color": DARK}
        )
        _draw_clusters(axes, Path(data), clustering)
        looks = {"dpi": 170, "colors": 128, "bbox_inches": "tight", "pad_inches": 0.05}
        save_figure(figure, folder / "tables.png", **looks)


def _draw_tables(axes: Axes, data: Path) -> None:
    """Draw some rows of both tables, and lines between those that match."""
    catalog = pd.read_csv(data / "catalog.csv", index_col="id", dtype=str)
    photos = pd.read_csv(data / "photos.csv", index_col="id", dtype=str)
    matches = pd.read_csv(data / "matches.csv")
    known = dict(matches.head(ROWS // 2).itertuples(index=False))
    unknown = [row for row in catalog.index if row not in set(matches.iloc[:, 0])]
    texts = [text for pair in zip(known, unknown, strict=False) for text in pair]
    others = [photo for photo in photos.index if photo not in set(matches.iloc[:, 1])]
    order = [*known.values()][::-1]
    pictures = [photo for pair in zip(others, order, strict=False) for photo in pair]
    axes.text(0, 3.4, "catalog", weight="bold", fontsize=10, color=DARK)
    axes.text(3.05, 3.4, "photos", weight="bold", fontsize=10, color=DARK)
    heights = [3.0 - 0.53 * row for row in range(ROWS)]
    for text, height in zip(texts, heights, strict=True):
        title = shorten(catalog.loc[text, "title"], 30, placeholder=" …")
        axes.text(0, height, title, fontsize=8, color=DARK, va="center")
    for photo, height in zip(pictures, heights, strict=True):
        _put(axes, data / photos.loc[photo, "file"], 3.4, height)
    for text, photo in known.items():
        ends = heights[texts.index(text)], heights[pictures.index(photo)]
        axes.plot([2.35, 3.15], ends, color=GRAY, linewidth=1.2)
    axes.text(1.7, -0.05, "only some rows are known to match", fontsize=8, color=GRAY, ha="center")


def _draw_clusters(axes: Axes, data: Path, clustering: Clustering) -> None:
    """Draw the clusters: name, size, and the rows of both views nearest to the center."""
    photos = pd.read_csv(data / "photos.csv", index_col="id", dtype=str)
    axes.text(4.9, 3.4, f"{clustering.n_clusters} clusters", weight="bold", fontsize=10, color=DARK)
    for cluster, title in enumerate(clustering.titles):
        height = 3.0 - 0.64 * cluster
        entries, pictures = (of_view[cluster] for of_view in clustering.profiles)
        sizes = f"{entries.size} entries, {pictures.size} photos"
        axes.text(4.9, height + 0.1, title, weight="bold", fontsize=8.5, color=DARK, va="center")
        axes.text(4.9, height - 0.14, sizes, fontsize=7.5, color=GRAY, va="center")
        for column, row in enumerate(pictures.typical[:SHOWN]):
            file = photos.loc[clustering.views[1].ids[row], "file"]
            _put(axes, data / file, 6.95 + 0.5 * column, height)


def _put(axes: Axes, path: Path, x: float, y: float) -> None:
    image = plt.imread(path)
    zoom = 26 / max(image.shape[:2])
    axes.add_artist(AnnotationBbox(OffsetImage(image, zoom=zoom), (x, y), frameon=False))


if __name__ == "__main__":
    main(folder_from(__doc__, FOLDER))
