"""Measure what each step and each constant of the joint clustering does.

    python -m scripts.ablation
        writes results/ablation.csv; a stopped command goes on where it was

Two tables, 30 % of the objects in both or all, with no, 20 and 160 constraints of the first table,
half of them must-links. A step is left out, or a constant is halved or doubled; all else stays. The
file has a line for each fit, with the means of the pairwise F-measure and of the adjusted Rand
index of both tables. The tables have the differences of F to the method as coded, as mean and
standard error over the data sets; nothing where no fit can differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import product
from types import ModuleType
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd

from mvcc.embedding import JointGraph
from mvcc.multiview.joint._joint_set import JointSet
from scripts.field.methods import joint
from scripts.field.protocols import Cell, draw
from scripts.studies import f_and_index, run
from scripts.tables import RESULTS

OUT = RESULTS / "ablation.csv"
DATA = (
    *("three_sources", "ngs", "msrc_v5", "digits_halves", "wine", "hundred_leaves"),
    *("bbc_sport", "acm", "wikipedia", "bdgp", "handwritten", "breast_cancer"),
)
N_CONSTRAINTS, MATCHED = (0, 20, 160), (0.3, 1.0)
AS_CODED = "as coded"
KEYS = ["number", "matched", "data", "constraints", "variant"]


@dataclass(frozen=True)
class Variant:
    """The method with some constants, parameters and functions changed."""

    constants: dict[str, float] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    functions: tuple[tuple[Any, str, Any], ...] = ()
    of_pairs: bool = False  # whether it can make a difference with constraints only

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Change the method for a while, wherever a constant has been imported."""
        with ExitStack() as stack:
            for name, value in self.constants.items():
                for module in modules_with(name):
                    stack.enter_context(patch.object(module, name, value))
            for where, name, value in self.functions:
                stack.enter_context(patch.object(where, name, value))
            yield


class Constant(NamedTuple):
    """What a constant or parameter is, its value, and those that are tried."""

    what: str
    coded: float
    tried: tuple[float, float]
    of_pairs: bool = False


def modules_with(constant: str) -> list[ModuleType]:
    """Return the modules of the library that define a constant or have imported it."""
    modules = [module for name, module in sys.modules.items() if name.startswith("mvcc.")]
    having = [module for module in modules if constant in vars(module)]
    if len({getattr(module, constant) for module in having}) != 1:
        raise ValueError(f"{constant} is no constant, or several")
    return having


def _without(where: Any, name: str, value: Any, of_pairs: bool = False) -> Variant:
    return Variant(functions=((where, name, value),), of_pairs=of_pairs)


LEFT_OUT = {
    "landmarks": Variant({"LANDMARK_SHARE": 0}),
    "clusters of views for few landmarks": _without(
        JointGraph, "with_clusters_of_views", lambda self, *_: self
    ),
    "weaker edges where views contradict each other": Variant({"CONTRADICTION_POWER": 0}),
    "graph of matched objects": _without(JointGraph, "with_matched_objects", lambda self, *_: self),
    "eigenvalues as weights": Variant({"EIGENVALUE_POWER": 0}),
    "eigengap": Variant({"EIGENGAP": 1}),
    "metric": _without(JointSet, "_rows_by_metric", lambda *_: None, of_pairs=True),
    "giving up a metric": Variant({"_TOO_MANY": np.inf}, of_pairs=True),
    "columns in the metric": Variant({"COLUMN_SCALE": 0}, of_pairs=True),
    "closing dense constraints": Variant({"_FEWEST_ENTAILED": np.inf}, of_pairs=True),
    "more than one start": Variant(options={"n_init": 1}),
    "spreading": _without(JointSet, "_spread", lambda *given: given[-1]),
    "clusters beside answers": Variant({"CLUSTER_SHARE": 0}, of_pairs=True),
    "second round": _without(JointSet._evidence, "__defaults__", (1,)),
    "squares of affinities": _without(
        JointGraph, "spreading", property(lambda self: self.normalized_affinities)
    ),
    "totals by size": Variant({"SIZE_POWER": 0}),
    "prediction by columns": Variant({"COLUMNS_SHARE": 0}),
}
CONSTANTS = {  # half as much and twice as much; of 7 neighbors, no more than there are
    "LOCAL_NEIGHBOR": Constant("neighbor that tells the scale of a row", 7, (4, 10)),
    "LANDMARK_SHARE": Constant("weight of landmarks", 0.5, (0.25, 1)),
    "_NEAR_LANDMARKS": Constant("landmarks near a row", 10, (5, 20)),
    "CONTRADICTION_POWER": Constant("power of a cosine in another view", 2, (1, 4)),
    "LEAST_COSINE": Constant("what a cosine counts at least", 0.05, (0.025, 0.1)),
    "MATCHED_OBJECTS_WEIGHT": Constant("weight of the graph of matched objects", 2, (1, 4)),
    "MOST_DIMENSIONS": Constant("singular vectors of counts", 100, (50, 200)),
    "FREE_COMPONENTS": Constant("components for each cluster", 2, (1, 4)),
    "EIGENVALUE_POWER": Constant("power of eigenvalues", 2, (1, 4)),
    "METRIC_COMPONENTS": Constant("components for each cluster, with a metric", 4, (2, 8), True),
    "COLUMN_SCALE": Constant("scale of columns in the metric", 0.25, (0.125, 0.5), True),
    "_FEWEST_ENTAILED": Constant("pairs that follow from dense constraints", 8, (4, 16), True),
    "SPREADING": Constant("α of spreading", 0.95, (0.9, 0.975)),
    "SPREADING_STEPS": Constant("steps of spreading", 80, (40, 160)),
    "CLUSTER_SHARE": Constant("weight of clusters beside answers", 0.1, (0.05, 0.2), True),
    "SIZE_POWER": Constant("power of sizes in totals", 0.25, (0.125, 0.5)),
    "UNCONSTRAINED_WEIGHT": Constant("weight of rows without constraints", 0.2, (0.1, 0.4)),
    "COLUMNS_SHARE": Constant("weight of the prediction by columns", 0.5, (0.25, 1)),
}
OPTIONS = {
    "n_neighbors": Constant("neighbors of a row", 10, (5, 20)),
    "constraint_weight": Constant("cost of a violated constraint", 0.5, (0.25, 1), True),
    "n_init": Constant("starts", 10, (5, 20)),
}


STEPS = {f"without {step}": variant for step, variant in LEFT_OUT.items()}
VALUES = {
    f"{name} = {value}": Variant({name: value}, of_pairs=constant.of_pairs)
    for name, constant in CONSTANTS.items()
    for value in constant.tried
} | {
    f"{name} = {value}": Variant(options={name: value}, of_pairs=option.of_pairs)
    for name, option in OPTIONS.items()
    for value in option.tried
}
VARIANTS = {AS_CODED: Variant()} | STEPS | VALUES


def keys(n_draws: int) -> Iterator[tuple[Any, ...]]:
    """Give what is measured; constants are changed where some objects have no match only."""
    of_tasks = product(range(n_draws), MATCHED, DATA, N_CONSTRAINTS)
    for (seed, matched, name, constraints), variant in product(of_tasks, VARIANTS):
        is_tried = constraints or not VARIANTS[variant].of_pairs
        if is_tried and (matched < 1 or variant not in VALUES):
            yield seed, matched, name, constraints, variant


def measured(
    number: int, matched: float, data: str, constraints: int, variant: str
) -> list[dict[str, float]]:
    """Cluster a draw of a data set by a variant; return F and the adjusted Rand index."""
    task, chosen = draw(Cell(data, "half", matched), number), VARIANTS[variant]
    with chosen.applied():
        labels = joint(task, number, constraints, **chosen.options)
    return [f_and_index(task.classes, labels)]


def lines(rows: pd.DataFrame) -> Iterator[str]:
    """Give the lines of both tables, as Markdown."""
    F = rows.set_index(KEYS)["F"].unstack("variant")
    changes = F.drop(columns=AS_CODED).sub(F[AS_CODED], axis=0)
    of_data = changes.groupby(["matched", "constraints", "data"]).mean()
    of_data = of_data.groupby(["matched", "constraints"])
    mean, error = of_data.mean(), of_data.sem()

    def cells(variant: str, matched: Sequence[float], shown: str) -> str:
        pairs = zip(mean.loc[[*matched], variant], error.loc[[*matched], variant], strict=True)
        return " | ".join("–" if np.isnan(pair[0]) else shown.format(*pair) for pair in pairs)

    def table() -> Iterator[str]:
        for step in LEFT_OUT:
            yield f"| {step} | {cells(f'without {step}', MATCHED, '{:+.3f} ± {:.3f}')} |"
        for name, (meaning, coded, (half, twice), _) in (CONSTANTS | OPTIONS).items():
            less, more = (
                cells(f"{name} = {value}", MATCHED[:1], "{:+.3f}") for value in (half, twice)
            )
            yield f"| {meaning}, {coded} | {half} | {less} | {twice} | {more} |"

    for line in table():
        shown = line.replace("-", "−").replace("0.", ".")
        yield shown.replace("+.000", ".000").replace("−.000", ".000")


if __name__ == "__main__":
    run(__doc__, OUT, KEYS, keys, measured, lines, n_draws=3)
