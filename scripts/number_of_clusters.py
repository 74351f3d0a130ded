"""Measure how often the criteria of ``mvcc cluster -k auto`` name the number of classes.

    python -m scripts.number_of_clusters        prints a line for each data set

Two tables, 30 % of the objects in both, without constraints; data sets with up to ten classes, and
three, five or seven classes that are drawn from larger ones. A line has the number of classes and,
for each criterion, how often it was right, and the smallest and largest number that it proposed.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import product

import numpy as np

from mvcc import cluster_views
from mvcc.exceptions import ConfigError
from mvcc.tables import number_criteria
from scripts.field.figures import span
from scripts.field.protocols import CUT, OF_AIMS, Cell, Task, called, draw
from scripts.studies import as_frames, print_lines
from scripts.tables import line

CRITERIA = ("agreement of views", "eigengap")
ALL = 0  # of the classes
SETS = [(data, ALL) for data in (*OF_AIMS, "handwritten", *CUT) if not data.startswith("hundred")]
SETS += product(("digits_halves", "handwritten", "hundred_leaves"), (3, 5, 7))


def with_classes(task: Task, n: int, seed: int) -> Task:
    """Return the rows of so many classes, which are drawn."""
    if n == ALL:
        return task
    drawn = np.random.default_rng(seed).permutation(np.unique(task.y))[:n]
    kept = np.isin(task.y, drawn)
    new = np.cumsum(kept) - 1
    rows = [kept[objects] for objects in task.objects]
    views = [X[mask] for X, mask in zip(task.views, rows, strict=True)]
    objects = [new[of_view[mask]] for of_view, mask in zip(task.objects, rows, strict=True)]
    return Task(views, objects, task.y[kept])


def proposed(data: str, n: int, seed: int) -> tuple[int, dict[str, int]]:
    """Return the number of classes of a draw, and what each criterion proposes."""
    task = with_classes(draw(Cell(data, "half", 0.3), seed), n, seed)
    frames, matches = as_frames(task.views, task.matches[0, 1])
    try:
        cluster_views(frames, matches=matches, n_clusters="auto")
    except ConfigError as error:  # which has the tables as they were read
        return task.k, number_criteria(Namespace(seed=seed), error.inputs)["best"]
    raise AssertionError("a number of clusters was chosen without answers")


def lines(n_draws: int) -> Iterator[str]:
    """Give the lines of the table: how often each criterion is right, and what it proposes."""
    for data, n in SETS:
        draws = [proposed(data, n, seed) for seed in range(n_draws)]
        k, cells = draws[0][0], []
        for name in CRITERIA:
            # with few matched rows there is no agreement of views
            guesses = [best[name] for _, best in draws if name in best]
            cells.append(f"{guesses.count(k)} ({span(guesses)})" if guesses else "–")
        title = f"{called(data)}, {n} classes" if n else called(data)
        yield line([title, str(k), *cells])


if __name__ == "__main__":
    print_lines(__doc__, lines)
