"""Measure how far the probabilities of rows can be trusted, as reliability curves.

    python -m scripts.calibration
        writes results/calibration.csv; a stopped command goes on where it was

Two tables, 30 % of the objects in both, pairs of the first table drawn at random, half of them
must-links. Clusters are assigned to classes one to one. The file has a line for each band of
sureness, the largest probability of a row: the number of rows, the means of how sure they are, of
how many are right and of the Brier score over all clusters. The tables have the share of right
rows, the expected calibration error, which is the mean gap between sureness and share of right rows
by bands, and the Brier score; then the curves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from mvcc import JointGraphClustering
from mvcc._utils.arrays import Floats, Ints
from scripts.field.protocols import Cell, draw
from scripts.studies import means, run
from scripts.tables import RESULTS

OUT = RESULTS / "calibration.csv"
CHOSEN_ON = ("digits_halves", "wine", "three_sources", "ngs")
CHECKED_ON = ("breast_cancer", "bbc_sport", "msrc_v5", "handwritten")
N_CONSTRAINTS, GRAPHS = (0, 20, 40, 160), ("exact", "anchors")
LEVEL, N_BANDS = 0.3, 10
SCORES = ("right", "error", "brier")
KEYS = ["graph", "data", "constraints", "number"]


def measured(graph: str, data: str, constraints: int, number: int) -> list[dict[str, float]]:
    """Cluster a draw of a data set; return a line for each band of sureness."""
    task = draw(Cell(data, "half", LEVEL), number)
    given = task.constraints(constraints, number)
    model = JointGraphClustering(task.k, graph=graph, random_state=number)
    model.fit(task.views, constraints=given, mappings=task.matches)
    return bands(np.concatenate(task.classes), np.vstack(model.probabilities_))


def bands(y: Ints, probabilities: Floats) -> list[dict[str, float]]:
    """Sort rows into bands by how sure they are, and say how many are right in each."""
    clusters, sure = probabilities.argmax(axis=1), probabilities.max(axis=1)
    counts = pd.crosstab(clusters, y).reindex(range(probabilities.shape[1]), fill_value=0)
    cluster_indices, class_indices = linear_sum_assignment(counts, maximize=True)
    truth = y[:, None] == counts.columns.to_numpy()[class_indices[np.argsort(cluster_indices)]]
    right = truth[np.arange(len(y)), clusters]
    brier = ((probabilities - truth) ** 2).sum(axis=1)
    band = np.minimum((sure * N_BANDS).astype(int), N_BANDS - 1)
    rows = pd.DataFrame({"band": band, "sure": sure, "right": right, "brier": brier})
    of_bands = rows.groupby("band").agg(
        n=("sure", "size"), sure=("sure", "mean"), right=("right", "mean"), brier=("brier", "mean")
    )
    return of_bands.round(6).reset_index().to_dict("records")


def scores_of_fits(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the share of right rows, the calibration error and the Brier score of every fit."""
    sets = np.where(rows["data"].isin(CHOSEN_ON), "chosen on", "checked on")
    error = (rows["sure"] - rows["right"]).abs()
    return _weighted(rows.assign(sets=sets, error=error), ["sets", *KEYS], *SCORES)


def curves(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how sure the rows in each band are in all fits, and the share of right ones."""
    return _weighted(rows, ["graph", "constraints", "band"], "sure", "right")


def _weighted(rows: pd.DataFrame, keys: list[str], *columns: str) -> pd.DataFrame:
    """Return means over the rows that bands have, by keys."""
    totals = rows[[*columns]].mul(rows["n"], axis=0).join(rows[[*keys, "n"]]).groupby(keys).sum()
    return totals[[*columns]].div(totals["n"], axis=0)


def keys(n_draws: int) -> Iterator[tuple[Any, ...]]:
    """Give what is measured."""
    return product(GRAPHS, (*CHOSEN_ON, *CHECKED_ON), N_CONSTRAINTS, range(n_draws))


def lines(rows: pd.DataFrame) -> Iterator[str]:
    """Give the tables."""
    yield means(scores_of_fits(rows).groupby(["sets", "graph", "constraints"])).to_string()
    yield curves(rows).unstack("constraints").round(3).to_string()


if __name__ == "__main__":
    run(__doc__, OUT, KEYS, keys, measured, lines, n_draws=10)
