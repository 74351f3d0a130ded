"""Draw ``results/methods.csv``, the methods beside each other, for ``docs/methods-compared.md``.

``python -m scripts.pictures.methods [FOLDER]``.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd

from scripts.pictures.small import FOLDER, save_small

RESULTS = Path(__file__).parents[2] / "results" / "methods.csv"
STYLES = {  # color, marker
    "k-means": ("#8a8f98", "s"),
    "co-EM": ("#b07aa1", "v"),
    "co-EM, pck-means, auto": ("#6b4c8a", "^"),
    "joint, no constraints": ("#9cc3e6", "o"),
    "joint, 20 constraints": ("#4a90c8", "o"),
    "joint, 160 constraints": ("#0b4a86", "o"),
}


def main(folder: Path) -> None:
    """Draw one line for each data set, the one on which joint gains most on top."""
    f = pd.read_csv(RESULTS)
    table = f.pivot(index="data", columns="method", values="f")
    order = (table["joint, no constraints"] - table["k-means"]).sort_values().index
    figure, axes = plt.subplots(figsize=(7, 4.6), layout="constrained")
    for method, (color, marker) in STYLES.items():
        of_method = f[f["method"] == method].set_index("data").reindex(order)
        axes.errorbar(
            of_method["f"],
            range(len(order)),
            xerr=of_method["standard_error"],
            fmt=marker,
            color=color,
            markersize=4.5,
            elinewidth=0.8,
            label=method,
        )
    axes.set_yticks(range(len(order)), order, fontsize=8)
    axes.set_xlabel("mean pairwise F-measure ± one standard error, five tasks", fontsize=8)
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=3, fontsize=8, frameon=False)
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=200)
    save_small(png.getvalue(), folder / "methods.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else FOLDER)
