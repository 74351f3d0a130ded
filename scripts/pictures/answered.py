"""Draw ``results/questions.csv``, what questions buy, for ``docs/how-well.md``.

``python -m scripts.pictures.answered [FOLDER]``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from scripts.command import folder_from
from scripts.pictures.small import FOLDER, save_figure
from scripts.tables import RESULTS

DATA = {  # in the file: in the picture
    "digits_halves": "digits, halves",
    "letters_digits": "Letters/Digits",
    "newsgroups": "newsgroups",
    "wine": "wine",
    "breast_cancer": "breast cancer",
}
STYLES = {  # label, color, marker
    "ours": ("mvcc ask", "#0b4a86", "o"),
    "other": ("best of four other strategies", "#e08214", "s"),
    "pairs": ("random pairs", "#8a8f98", "v"),
}
OTHERS = ("random_rows", "explore_consolidate", "min_max", "npu")
WRONG = {0.0: "all answers right", 0.05: "5 % wrong"}


def main(folder: Path) -> None:
    """Draw a row of panels for right and one for partly wrong answers."""
    F = pd.read_csv(RESULTS / "questions.csv").groupby(["wrong", "data", "strategy", "questions"])[
        "F"
    ]
    table = pd.DataFrame({"mean": F.mean(), "error": F.sem()})
    figure, axes = plt.subplots(
        len(WRONG), len(DATA), figsize=(7, 3.8), sharex=True, sharey="col", layout="constrained"
    )
    for row, (share, words) in zip(axes, WRONG.items(), strict=True):
        for axis, data in zip(row, DATA, strict=True):
            draw(axis, table.loc[share, data])
        row[0].set_ylabel(f"F, {words}", fontsize=8)
    for axis, title in zip(axes[0], DATA.values(), strict=True):
        axis.set_title(title, fontsize=8)
    figure.supxlabel("questions", fontsize=8)
    lines = axes[0, 0].get_legend_handles_labels()
    figure.legend(*lines, loc="outside upper center", ncols=3, fontsize=8, frameon=False)
    save_figure(figure, folder / "answered.png")


def draw(axis: Axes, table: pd.DataFrame) -> None:
    """Draw mean F and standard error over the number of questions, one line for each strategy."""
    others = table.loc[table.index.isin(OTHERS, level="strategy")]
    best = others.loc[others.groupby("questions")["mean"].idxmax()].droplevel("strategy")
    lines = {"ours": table.loc["ours"], "other": best, "pairs": table.loc["random_pairs"]}
    for strategy, line in lines.items():
        label, color, marker = STYLES[strategy]
        looks = {"color": color, "marker": marker, "markersize": 3.5}
        looks |= {"linewidth": 1, "elinewidth": 0.8, "label": label}
        axis.errorbar(line.index, line["mean"], yerr=line["error"], **looks)
    axis.set_xscale("symlog", base=2, linthresh=10)
    axis.set_xticks([0, 10, 40, 160], ["0", "10", "40", "160"])
    axis.minorticks_off()
    axis.tick_params(labelsize=8)
    axis.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main(folder_from(__doc__, FOLDER))
