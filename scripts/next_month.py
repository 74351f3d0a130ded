"""Measure what `mvcc cluster --continue` keeps where tables arrive in five parts.

    python -m scripts.next_month        prints a line for each data set and way

Objects are divided into five parts at random; three in ten matches are known. Either tables grow,
so that each has the rows of all parts so far, or each holds the rows of its part alone. Every
result continues the one before, of another seed. ``kept`` is the share of the rows of two
successive results with the same number, and ``without`` the same if nothing is continued; of rows
of one part, which are in no two results, the share with the number that the first result's model
predicts. F is pairwise (Eq. 19), mean of the views: ``at once`` compares a result with all rows
clustered at once, ``classes``, ``classes, at once`` and ``classes, predicted`` compare the last
result, that one, and what the first result's model predicts of all rows with the classes. Results
of single parts are compared together, as one clustering.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from mvcc import cluster_views
from mvcc.embedding import find_objects
from mvcc.tables import ClusteringResult
from scripts.studies import line, mean, mean_f, print_lines
from scripts.two_tables import two_tables

SETS = ("digits_halves", "newsgroups")
WAYS = ("grows", "part alone")
N_PARTS, MAPPED = 5, 0.3

Labels = list["pd.Series[int]"]


class Task:
    """Two views whose rows arrive in parts, with their classes."""

    def __init__(self, data: str, seed: int) -> None:
        rng = np.random.default_rng(seed)
        columns, classes, matches = two_tables(data, seed, rng)
        self.names, self.seed = ("first", "second"), seed
        self.views, self.classes = [], []
        for name, X, y in zip(self.names, columns, classes, strict=True):
            ids = [f"{name}-{row}" for row in range(len(X))]
            self.views.append(pd.DataFrame(X, index=ids).add_prefix("x"))
            self.classes.append(pd.Series(y, index=ids))
        self.k = len(np.unique(np.concatenate(classes)))
        n, objects = find_objects([len(X) for X in columns], {(0, 1): matches})
        part = rng.integers(N_PARTS, size=n)
        self.parts = [part[of_view] for of_view in objects]
        known = matches[rng.permutation(len(matches))[: round(MAPPED * len(matches))]]
        matched = zip(self.names, self.views, known.T, strict=True)
        self.matches = pd.DataFrame({name: X.index[rows] for name, X, rows in matched})

    def clustered(self, first: int, last: int, **settings: Any) -> ClusteringResult:
        """Cluster the rows of some parts."""
        views = {
            name: X[(first <= parts) & (parts <= last)]
            for name, X, parts in zip(self.names, self.views, self.parts, strict=True)
        }
        inside = [self.matches[name].isin(X.index) for name, X in views.items()]
        matches = {self.names: self.matches[inside[0] & inside[1]]}
        settings |= {"stability_runs": 0, "comparison": False, "n_clusters": self.k}
        return cluster_views(views, matches=matches, **settings)

    def labels(self, result: ClusteringResult) -> Labels:
        """Return the cluster of every row that was clustered, per view."""
        return [result.labels[name] for name in self.names]


def same(first: Labels, second: Labels) -> float:
    """Return the share of the rows of both whose number is the same."""
    alike = [
        x.eq(y.reindex(x.index))[x.index.isin(y.index)] for x, y in zip(first, second, strict=True)
    ]
    return float(pd.concat(alike).mean())


def f_measure(true: Labels, labels: Labels) -> float:
    """Return F of the rows that were found, mean of the views."""
    return mean_f([x[y.index] for x, y in zip(true, labels, strict=True)], labels)


def scores(data: str, way: str, seed: int) -> list[float]:
    """Return what is kept, with and without continuing, and F."""
    task = Task(data, seed)
    at_once = task.labels(task.clustered(0, N_PARTS - 1, seed=seed))
    kept, without, alike = [], [], []
    result = first = task.clustered(0, 0, seed=seed)
    predicted = [
        pd.Series(first.predict(X, name), index=X.index)
        for name, X in zip(task.names, task.views, strict=True)
    ]
    every, plain = [task.labels(result)], task.labels(result)
    for part in range(1, N_PARTS):
        start = 0 if way == "grows" else part
        free = task.labels(task.clustered(start, part, seed=seed + 100 * part))
        result = task.clustered(start, part, seed=seed + 100 * part, continues=result)
        every.append(task.labels(result))
        kept.append(same(every[-1], every[-2] if way == "grows" else predicted))
        without.append(same(free, plain if way == "grows" else predicted))
        if way == "grows":
            alike.append(f_measure(at_once, every[-1]))
        plain = free
    last = every[-1]
    if way != "grows":
        last = [pd.concat(labels) for labels in zip(*every, strict=True)]
        alike.append(f_measure(at_once, last))
    true = task.classes
    against = [f_measure(true, labels) for labels in (last, at_once, predicted)]
    return [float(np.mean(kept)), float(np.mean(without)), float(np.mean(alike)), *against]


def lines(n_draws: int) -> Iterator[str]:
    """Give a line of the table for each data set and way."""
    for data in SETS:
        for way in WAYS:
            table = np.array([scores(data, way, seed) for seed in range(n_draws)])
            yield line([data, way], (mean(values, 2) for values in table.T))


if __name__ == "__main__":
    print_lines(__doc__, lines)
