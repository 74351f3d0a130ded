"""Measure what weaker edges gain where views contradict each other.

    python -m scripts.disagreement
        writes results/disagreement.csv; a stopped command goes on where it was

Tasks of the scorecard of the field, without constraints. Each draw is clustered with these edges as
coded and as they were, with all else the same. The score is the accuracy over objects where they
lose views ("mask A", "gaps"), else the pairwise F-measure, the mean of both tables. The lines have
the mean gain ± one standard error of each task, and of the tasks on which the rule was chosen and
checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from scripts.ablation import AS_CODED, LEFT_OUT, Variant
from scripts.field.methods import joint
from scripts.field.protocols import Cell, draw
from scripts.field.scores import score
from scripts.studies import line, mean, run
from scripts.tables import RESULTS

OUT = RESULTS / "disagreement.csv"
HALF = ("half", 0.3)
CHOSEN_ON = (
    *(Cell("handwritten", "mask A", level) for level in (0.1, 0.3, 0.5, 0.7)),
    *(Cell("msrc_v5", "mask A", level) for level in (0.3, 0.5, 0.7)),
    Cell("three_sources", "mask A", 0.3),
    *(Cell(f"handwritten_{part}", *HALF) for part in ("coefficients", "moments", "outlines")),
    *(Cell(data, *HALF) for data in ("wikipedia", "digits_halves", "wine")),
    *(Cell(data, *HALF) for data in ("three_sources", "msrc_v5")),
)
CHECKED_ON = (
    *(Cell("ngs", "mask A", 0.3), Cell("hundred_leaves", "mask A", 0.5)),
    *(Cell("bbc_sport", "mask A", level) for level in (0.3, 0.7)),
    *(Cell("three_sources_gaps", "gaps", 1.0), Cell("bbc_sport_gaps", "gaps", 1.0)),
    *(Cell(data, *HALF) for data in ("bbc_sport", "ngs", "breast_cancer", "digits_rows")),
    *(Cell(data, *HALF) for data in ("bdgp", "acm", "hundred_leaves")),
)
VARIANTS = {
    AS_CODED: Variant(),
    "without": LEFT_OUT["weaker edges where views contradict each other"],
}
KEYS = [*Cell._fields, "number", "variant"]


def keys(n_draws: int) -> Iterator[tuple[str, str, float, int, str]]:
    """Give what is measured."""
    for cell, number, variant in product(CHOSEN_ON + CHECKED_ON, range(n_draws), VARIANTS):
        yield *cell, number, variant


def measured(
    data: str, protocol: str, level: float, number: int, variant: str
) -> list[dict[str, float]]:
    """Cluster a draw of a task by a variant; return its score."""
    task = draw(Cell(data, protocol, level), number)
    with VARIANTS[variant].applied():
        labels = joint(task, number)
    measure = "F_views" if protocol == "half" else "ACC"
    return [{"score": round(score(labels, task)[measure], 6)}]


def gains(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what each draw of each task gains, a row for each task."""
    scores = rows.set_index(KEYS)["score"].unstack("variant")
    gained = (scores[AS_CODED] - scores["without"]).unstack("number")
    return gained.loc[[*CHOSEN_ON, *CHECKED_ON]]


def lines(rows: pd.DataFrame) -> Iterator[str]:
    """Give the lines of a table, as Markdown."""
    gained = gains(rows)
    for cell, of_draws in gained.iterrows():
        yield line([*map(str, cell)], [mean(of_draws.to_numpy())])
    for title, cells in (("chosen on", CHOSEN_ON), ("checked on", CHECKED_ON)):
        yield line([title], [mean(gained.loc[[*cells]].mean(axis=1).to_numpy(np.float64))])


if __name__ == "__main__":
    run(__doc__, OUT, KEYS, keys, measured, lines)
