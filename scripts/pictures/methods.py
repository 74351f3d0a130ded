"""Draw methods beside each other on half matched tables, for ``docs/methods-compared.md``.

``python -m scripts.pictures.methods [FOLDER]`` reads the scores of ``scripts.field``.
"""

from __future__ import annotations

from pathlib import Path

from scripts.command import folder_from
from scripts.field.figures import Figures
from scripts.field.methods import EACH, FEW, MANY, NO_PAIRS, SUM
from scripts.field.pairs import IN_FIELD, LEVEL
from scripts.field.protocols import Cell, called
from scripts.pictures.small import FOLDER, draw_points, new_chart, save_figure

STYLES = {
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
        value = figures.mean(cell, method, "F_views")
        assert value is not None, (cell, method)
        return value

    cells.sort(key=lambda cell: mean(cell, NO_PAIRS) - mean(cell, EACH))
    label = "mean pairwise F-measure of both tables ± one standard error"
    figure, axes = new_chart([called(cell.data) for cell in cells], label, 4.2)
    for method, style in STYLES.items():
        means = [mean(cell, method) for cell in cells]
        errors = [figures.error(cell, method, "F_views") for cell in cells]
        draw_points(axes, means, range(len(cells)), errors, style)
    figure.legend(loc="outside upper center", ncols=3, fontsize=8, frameon=False)
    save_figure(figure, folder / "methods.png")


if __name__ == "__main__":
    main(folder_from(__doc__, FOLDER))
