"""Draw ``results/disagreement.csv``, gains by weaker links, for ``docs/methods-compared.md``.

``python -m scripts.pictures.disagreement [FOLDER]``.
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

RESULTS = Path(__file__).parents[2] / "results" / "disagreement.csv"
STYLES = {"no": ("first half", "#0b4a86", "o"), "yes": ("held out", "#e08214", "s")}


def main(folder: Path) -> None:
    """Draw the paired gain of each task with its standard error, in the order of the file."""
    table = pd.read_csv(RESULTS)
    figure, axes = plt.subplots(figsize=(7, 5.2), layout="constrained")
    for held_out, (label, color, marker) in STYLES.items():
        rows = table[table["held_out"] == held_out]
        axes.errorbar(
            rows["difference"],
            rows.index,
            xerr=rows["standard_error"],
            fmt=marker,
            color=color,
            markersize=4.5,
            elinewidth=0.8,
            label=label,
        )
    names = [f"{row.data}; {row.task}" for row in table.itertuples()]
    axes.set_yticks(range(len(table)), names, fontsize=8)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("gain in accuracy (incomplete, own gaps) or F ± one standard error", fontsize=8)
    axes.tick_params(axis="x", labelsize=8)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=2, fontsize=8, frameon=False)
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=200)
    save_small(png.getvalue(), folder / "disagreement.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else FOLDER)
