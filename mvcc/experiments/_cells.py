"""The cells that a trial computes: every combination that the config names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import filterfalse
from typing import TYPE_CHECKING

from mvcc.experiments._config import Closure, Config, MultiView, SingleView
from mvcc.multiview import needs_base, takes_threshold, uses_relations
from mvcc.results import PROPAGATION

if TYPE_CHECKING:
    import pandas as pd

MULTI_VIEW, SINGLE_VIEW = "multi-view", "single-view"
ALONE = "single-view"  # the method that uses neither mapping nor other views


@dataclass(frozen=True)
class Cell:
    """A point of a learning curve, as results name it; what a method does not use is None."""

    experiment: str
    dataset: str
    view: str | None
    base: str | None
    method: str
    closure: Closure | None
    threshold: str | None
    mapped: float | None
    rewired: float | None
    n_constraints: int


# text in a table also where all of a column is empty
TEXT = ("view", "base", "closure", "threshold")


def with_texts(table: pd.DataFrame) -> pd.DataFrame:
    """Make text of the columns that are, but for what is missing: pandas before 3 makes "None"."""
    return table.assign(
        **{name: table[name].astype("str").where(table[name].notna()) for name in TEXT}
    )


def list_cells(config: Config) -> list[Cell]:
    """List the cells of every trial in the order of the results."""
    cells: list[Cell] = []
    if config.multi_view is not None:
        cells += _multi_view(config.dataset, config.multi_view)
    if config.single_view is not None:
        cells += _single_view(config.dataset, config.single_view)
    return cells


def _multi_view(dataset: str, plan: MultiView) -> Iterator[Cell]:
    """Give the cells of every method, those without a base last and once.

    Only propagation has thresholds; k-means has the same row for all numbers of constraints.
    """
    mappings = [(mapped, rewired) for mapped in plan.mapped for rewired in plan.rewired]
    thresholds = [as_text(threshold) for threshold in plan.threshold]
    for base in plan.bases:
        for method in filter(needs_base, plan.transfers):
            for closure in plan.closure:
                for threshold in thresholds if takes_threshold(method) else (None,):
                    for mapped, rewired in mappings if uses_relations(method) else ((None, None),):
                        for n in plan.constraints:
                            yield Cell(
                                MULTI_VIEW,
                                dataset,
                                None,
                                base,
                                method,
                                closure,
                                threshold,
                                mapped,
                                rewired,
                                n,
                            )
    for method in filterfalse(needs_base, plan.transfers):
        for mapped, rewired in mappings if uses_relations(method) else ((None, None),):
            for n in plan.constraints:
                yield Cell(MULTI_VIEW, dataset, None, None, method, None, None, mapped, rewired, n)


def _single_view(dataset: str, plan: SingleView) -> Iterator[Cell]:
    for view, threshold in plan.thresholds.items():
        for base in plan.bases:
            for method, t in ((PROPAGATION, as_text(threshold)), (ALONE, None)):
                for n in plan.constraints:
                    yield Cell(SINGLE_VIEW, dataset, view, base, method, "full", t, None, None, n)


def as_text(threshold: float | str) -> str:
    """Return a threshold as the results name it, with all its digits."""
    return threshold if isinstance(threshold, str) else repr(threshold).removesuffix(".0")
