"""Draw methods beside each other on half matched tables, for ``docs/methods-compared.md``.

``python -m scripts.pictures.methods [FOLDER]`` reads the scores of ``scripts.field``.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt

from scripts.field.figures import Figures
from scripts.field.methods import EACH, FEW, MANY, NO_PAIRS, SUM
from scripts.field.pairs import IN_FIELD, LEVEL
from scripts.field.protocols import Cell, called
from scripts.pictures.small import FOLDER, save_small

STYLES = {  # of each method: what it is called, color, marker
    EACH: ("k-means of each table", "#8a8f98", "s"),
    "NEMO": ("NEMO", "#b07aa1", "v"),
    SUM: ("sum of graphs", "#6b4c8a", "^"),
    NO_PAIRS: ("joint, no constraints", "#9cc3e6", "o"),
    FEW: ("joint, 20 constraints", "#4a90c8", "o"),
    MANY: ("joint, 160 constraints", "#0b4a86", "o"),
}


def main(folder: Path) -> None:
    """Draw one line for each data set, the one on which joint gains most on top."""
    figures = Figures()
    cells = [Cell(data, "half", LEVEL) for data in IN_FIELD]

    def mean(cell: Cell, method: str) -> float:
        found = figures.mean(cell, method, "F_views")
        assert found is not None, (cell, method)
        return found

    cells.sort(key=lambda cell: mean(cell, NO_PAIRS) - mean(cell, EACH))
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for method, (name, color, marker) in STYLES.items():
        axes.errorbar(
            [mean(cell, method) for cell in cells],
            range(len(cells)),
            xerr=[figures.error(cell, method, "F_views") for cell in cells],
            fmt=marker,
            color=color,
            markersize=4.5,
            elinewidth=0.8,
            label=name,
        )
    axes.set_yticks(range(len(cells)), [called(cell.data) for cell in cells], fontsize=8)
    axes.set_xlabel("mean pairwise F-measure of both tables ± one standard error", fontsize=8)
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
