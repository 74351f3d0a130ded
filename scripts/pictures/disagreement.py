"""Draw ``results/disagreement.csv``, gains by weaker links, for ``docs/methods-compared.md``.

``python -m scripts.pictures.disagreement [FOLDER]``.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from scripts.command import folder_from
from scripts.pictures.small import FOLDER, draw_points, new_chart, save_figure
from scripts.tables import RESULTS

STYLES = {"no": ("first half", "#0b4a86", "o"), "yes": ("held out", "#e08214", "s")}


def main(folder: Path) -> None:
    """Draw the paired gain of each task with its standard error, in the order of the file."""
    table = pd.read_csv(RESULTS / "disagreement.csv")
    names = [f"{row.data}; {row.task}" for row in table.itertuples()]
    label = "gain in accuracy (incomplete, own gaps) or F ± one standard error"
    figure, axes = new_chart(names, label, 5.2)
    for held_out, style in STYLES.items():
        rows = table[table["held_out"] == held_out]
        draw_points(axes, rows["difference"], rows.index, rows["standard_error"], style)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    figure.legend(loc="outside upper center", ncols=2, fontsize=8, frameon=False)
    save_figure(figure, folder / "disagreement.png")


if __name__ == "__main__":
    main(folder_from(__doc__, FOLDER))
