"""Draw ``results/disagreement.csv``, gains by weaker links, for ``docs/methods-compared.md``.

``python -m scripts.pictures.disagreement [FOLDER]``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from scripts.command import folder_from
from scripts.disagreement import CHECKED_ON, CHOSEN_ON, OUT, gains
from scripts.field.protocols import CUT_ACROSS, called
from scripts.pictures.small import FOLDER, draw_points, new_chart, save_figure

STYLES = {
    CHOSEN_ON: ("chosen on", "#0b4a86", "o"),
    CHECKED_ON: ("checked on", "#e08214", "s"),
}


def called_with_level(cell: tuple[str, str, float]) -> str:
    """Return the title of a task."""
    data, protocol, level = cell
    title = "Digits, top and bottom" if data in CUT_ACROSS else called(data)
    if protocol == "gaps":
        return title
    kind = {"mask A": "incomplete", "half": "matched"}[protocol]
    return f"{title}; {100 * level:.0f} % {kind}"


def main(folder: Path) -> None:
    """Draw the paired gain of each task with its standard error."""
    gained = gains(pd.read_csv(OUT))
    label = "gain in accuracy (incomplete, own gaps) or F ± one standard error"
    figure, axes = new_chart([called_with_level(cell) for cell in gained.index], label, 5.2)
    places = np.arange(len(gained))
    means, errors = gained.mean(axis=1), gained.sem(axis=1)
    for cells, style in STYLES.items():
        rows = gained.index.isin(cells)
        draw_points(axes, means[rows], places[rows], errors[rows], style)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    figure.legend(loc="outside upper center", ncols=2, fontsize=8, frameon=False)
    save_figure(figure, folder / "disagreement.png")


if __name__ == "__main__":
    main(folder_from(__doc__, FOLDER))
