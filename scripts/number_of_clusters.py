"""Measure how often the criteria of ``mvcc cluster -k auto`` name the number of classes.

    python -m scripts.number_of_clusters --draws 5        prints a line for each data set

Two tables, 30 % of the objects in both, without constraints; data sets with up to ten classes.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

import pandas as pd

from mvcc import cluster_views
from mvcc.exceptions import ConfigError
from mvcc.tables import number_criteria
from scripts.field.protocols import CUT, OF_AIMS, Cell, called, draw
from scripts.studies import print_lines

SETS = (*(data for data in OF_AIMS if not data.startswith("hundred")), "handwritten", *CUT)


def proposed(data: str, number: int) -> tuple[int, dict[str, int | None]]:
    """Return the number of classes of a draw, and what each criterion proposes."""
    task = draw(Cell(data, "half", 0.3), number)
    frames = {f"view{place}": pd.DataFrame(X).add_prefix("x") for place, X in enumerate(task.views)}
    matches = {tuple(frames): pd.DataFrame(task.matches[0, 1], columns=list(frames))}
    try:
        cluster_views(frames, matches=matches, n_clusters="auto")
    except ConfigError as error:  # which has the tables as they were read
        return task.k, number_criteria(Namespace(seed=number), error.inputs)["best"]
    raise AssertionError("a number of clusters was chosen without answers")


def lines(n_draws: int) -> Iterator[str]:
    """Give the lines of the table: how often each criterion is right, and what it proposes."""
    for data in SETS:
        draws = [proposed(data, number) for number in range(n_draws)]
        k, cells = draws[0][0], []
        for name in draws[0][1]:
            numbers = [best[name] for _, best in draws]
            listed = ", ".join("none" if number is None else str(number) for number in numbers)
            cells.append(f"{sum(number == k for number in numbers)} ({listed})")
        yield f"| {called(data)} | {k} | {' | '.join(cells)} |"


if __name__ == "__main__":
    print_lines(__doc__, "--draws", lines)
