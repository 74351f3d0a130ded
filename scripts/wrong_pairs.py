"""Measure how many wrong constraints are among those that clusters violate, and what a look gains.

    python -m scripts.wrong_pairs        prints a line for each data set

Two tables, 30 % of the objects in both, with 160 constraints in the first as in the field's
section on constraints. None, 8 or 16 of them are wrong. Whoever looks at those that the clusters
violate turns the wrong ones into right ones; then the tables are clustered once more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mvcc import Constraints, JointGraphClustering
from mvcc._utils.arrays import Bools, Floats
from scripts.field.pairs import cells
from scripts.field.protocols import Cell, Task, called, draw
from scripts.studies import mean_f, print_lines
from scripts.tables import line

N_PAIRS = 160
WRONG = (8, 16)


def clustered(task: Task, given: Constraints, seed: int) -> tuple[float, Bools]:
    """Return F of the rows, in the mean of both tables, and which constraints are violated."""
    model = JointGraphClustering(task.k, on_conflict="drop", random_state=seed)
    model.fit(task.views, mappings=task.matches, constraints=[given, None])
    ends = model.labels_[0][given.pairs]
    F = mean_f(task.classes, model.labels_)
    return F, (ends[:, 0] == ends[:, 1]) != given.must_link


def looked_at(cell: Cell, n_wrong: int, seed: int) -> list[float]:
    """Return how many are violated, how many of these are wrong, and F before and after a look."""
    task = draw(cell, seed)
    right = Constraints.from_labels(task.classes[0], N_PAIRS, seed)
    is_wrong = np.random.default_rng(seed).permutation(N_PAIRS) < n_wrong
    given = Constraints(right.pairs, right.must_link ^ is_wrong)
    F, violated = clustered(task, given, seed)
    still_wrong = is_wrong & ~violated
    corrected, _ = clustered(task, Constraints(right.pairs, right.must_link ^ still_wrong), seed)
    return [violated.sum(), (violated & is_wrong).sum(), F, corrected]


def means(cell: Cell, n_wrong: int, n_draws: int) -> Floats:
    """Return the means of what was found over the draws, (4,)."""
    return np.mean([looked_at(cell, n_wrong, seed) for seed in range(n_draws)], axis=0)


def lines(n_draws: int) -> Iterator[str]:
    """Give the lines of the table."""
    for cell in cells():
        n_violated, _, F, _ = means(cell, 0, n_draws)
        shown = [called(cell.data), f"{n_violated:.1f}", f"{F:.3f}"]
        for n_wrong in WRONG:
            n_violated, n_of_wrong, F, corrected = means(cell, n_wrong, n_draws)
            shown += [f"{n_of_wrong:.1f} of {n_violated:.1f}", f"{F:.3f} → {corrected:.3f}"]
        yield line(shown)


if __name__ == "__main__":
    print_lines(__doc__, lines)
