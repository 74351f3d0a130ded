"""Measure how well rows that fit badly are found: false rows, added to the tables of data sets.

    python -m scripts.false_rows        prints a line for each data set and kind

Two tables, 30 % of the objects in both, without constraints. One row in twenty of each table is
false, without a match: uniform noise between the ends of every column, or values of every column
drawn from rows at random. AUC is the probability that a false row fits worse than a true one; the
last figure is the number of false rows among as many that fit worst, as a share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from sklearn.metrics import roc_auc_score

from mvcc import cluster_views
from mvcc._utils.arrays import Floats
from scripts.field.protocols import CUT, Cell, called, draw
from scripts.studies import as_frames, line, mean, print_lines

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
    with_false = [np.vstack((X, false(X, round(SHARE * len(X)), rng))) for X in task.views]
    are_false = [
        np.arange(len(rows)) >= len(X) for rows, X in zip(with_false, task.views, strict=True)
    ]
    frames, matches = as_frames(with_false, task.matches[0, 1])
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
            yield line([called(data), kind], map(mean, scores.T))


if __name__ == "__main__":
    print_lines(__doc__, lines)
