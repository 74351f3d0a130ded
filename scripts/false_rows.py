"""Measure how well rows that fit badly are found: false rows, added to the tables of data sets.

    python -m scripts.false_rows --draws 10        prints a line for each data set and kind

Two tables, 30 % of the objects in both, without constraints. One row in twenty of each table is
false, without a match: uniform noise between the ends of every column, or values of every column
drawn from rows at random. AUC is the probability that a false row fits worse than a true one; the
last figure is the number of false rows among as many that fit worst, as a share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from mvcc import cluster_views
from scripts.field.protocols import CUT, Cell, called, draw
from scripts.studies import Floats, mean, print_lines

SETS = (*CUT, "msrc_v5", "handwritten", "bbc_sport")
SHARE = 0.05


def noise(X: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Draw rows of uniform noise."""
    return rng.uniform(X.min(axis=0), X.max(axis=0), (n, X.shape[1]))


def mixed(X: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Draw every value from the same column of another row."""
    return X[rng.integers(len(X), size=(n, X.shape[1])), np.arange(X.shape[1])]


KINDS = {"uniform noise": noise, "columns of random rows mixed": mixed}


def found(data: str, false: Callable[..., Floats], seed: int) -> list[float]:
    """Return AUC and the share of false rows among the worst, in the mean of both tables."""
    task, rng = draw(Cell(data, "half", 0.3), seed), np.random.default_rng(seed)
    frames, are_false = {}, []
    for view, X in enumerate(task.views):
        n = round(SHARE * len(X))
        rows = np.vstack((X, false(X, n, rng)))
        frames[f"view{view}"] = pd.DataFrame(rows).add_prefix("x")
        are_false.append(np.arange(len(rows)) >= len(X))
    matches = {tuple(frames): pd.DataFrame(task.matches[0, 1], columns=list(frames))}
    options = {"n_clusters": task.k, "stability_runs": 0, "seed": seed}
    fits = cluster_views(frames, matches=matches, **options).fit
    scores = []
    for fit, is_false in zip(fits.values(), are_false, strict=True):
        worst = np.argsort(fit.to_numpy(), kind="stable")[: is_false.sum()]
        scores.append((roc_auc_score(is_false, -fit.to_numpy()), is_false[worst].mean()))
    return np.mean(scores, axis=0).tolist()


def lines(n_draws: int) -> Iterator[str]:
    """Give the lines of the table."""
    for data in SETS:
        for kind, false in KINDS.items():
            scores = np.array([found(data, false, seed) for seed in range(n_draws)])
            shown = " | ".join(mean(score, 3) for score in scores.T)
            yield f"| {called(data)} | {kind} | {shown} |"


if __name__ == "__main__":
    print_lines(__doc__, "--draws", lines)
