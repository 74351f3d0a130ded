"""How an E-step grows: times beside a model of n log n, constraints, near points, and hits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.optimize import nnls

from mvcc._utils.arrays import Floats

MODEL = "model: a + b n log n + c m + e near + g hits"


def fit_model(table: pd.DataFrame) -> Floats:
    """Return the ms of a call and of each unit of the terms, with the least relative errors."""
    terms, ms = _terms(table), table["ms"].to_numpy()
    return np.asarray(nnls(terms / ms[:, None], np.ones(len(ms)))[0])


def predicted(table: pd.DataFrame, model: Floats) -> Floats:
    """Return the ms that the model expects."""
    return np.asarray(_terms(table) @ model)


def _terms(table: pd.DataFrame) -> Floats:
    n = table["n"].to_numpy()
    terms = (np.ones(len(n)), n * np.log2(n), table[["constraints", "near", "hits"]])
    return np.column_stack(terms)


def held_out(table: pd.DataFrame) -> pd.DataFrame:
    """Compare what a model of sizes up to 100,000 expects with what the larger ones took."""
    steps = table.dropna(subset=["hits"])
    known = steps["n"] <= 100_000
    model = fit_model(steps[known])
    beyond = steps[~known][["n", "constraints", "threshold", "near", "hits", "ms"]]
    return beyond.assign(
        model_ms=predicted(beyond, model), ratio=lambda rows: rows["ms"] / rows["model_ms"]
    )


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw the E-steps of the table over points, constraints and threshold."""
    steps = table.dropna(subset=["hits"])
    panels = {  # of each column: its label, and what is said of it where it is fixed
        "n": ("mapped instances n", "n = {:,.0f}"),
        "constraints": ("given constraints m", "{:,.0f} constraints"),
        "threshold": ("threshold", "t = {:g}"),
    }
    usual = steps[[*panels]].mode().min()
    model = fit_model(steps)
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, column in zip(figure.subplots(1, 3, sharey=True), panels, strict=True):
        fixed = [name for name in panels if name != column]
        rows = steps[(steps[fixed] == usual[fixed]).all(axis=1)].sort_values(column)
        axes.plot(rows[column], predicted(rows, model), color="#444444", linewidth=1, label=MODEL)
        axes.plot(rows[column], rows["ms"], "o", color="#00558f", label="measured")
        title = ", ".join(panels[name][1].format(usual[name]) for name in fixed)
        axes.set(xlabel=panels[column][0], yscale="log", title=title)
        if column != "threshold":
            axes.set_xscale("log")
        axes.title.set_fontsize(9)
        axes.grid(color="#e4e4e4", linewidth=0.6)
    figure.axes[0].set_ylabel("time of an E-step (ms)")
    handles = figure.axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(path, dpi=150, metadata={"Software": None})
