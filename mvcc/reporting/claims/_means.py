"""F of the joint graph beside the best of each kind of alternative, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from mvcc.reporting.figures import METHODS, PEERS, in_order
from mvcc.results import BASES, BEYOND, BEYOND_PEERS, JOINT, K_MEANS


@dataclass(frozen=True)
class Best:
    """The mean F of a method over the trials, its standard error, and the name of the method."""

    mean: float
    error: float
    name: str


@dataclass(frozen=True)
class Means:
    """One cell of the study, and the best in hindsight of each kind of method, None if not run."""

    dataset: str
    mapped: float
    n_constraints: int
    best: Mapping[str, Best | None]


def find_means(scores: pd.DataFrame) -> tuple[Means, ...]:
    """Return the means of all cells, by mapped fraction, data set and number of pairs."""
    ours = scores[scores["study"] == BEYOND]
    joint = ours[ours["method"] == JOINT]
    kinds = {
        "k-means": ours[ours["method"] == K_MEANS],
        "the paper's best": ours[ours["method"].isin(METHODS)],
        "best peer": scores[scores["study"] == BEYOND_PEERS],
        "joint": joint,
    }
    found = []
    for mapped in sorted(set(joint["mapped"])):
        for dataset in in_order(joint["dataset"]):
            for n in sorted(set(joint.loc[joint["dataset"] == dataset, "n_constraints"])):
                best = {}
                for kind, rows in kinds.items():
                    in_cell = (rows["dataset"] == dataset) & (rows["n_constraints"] == n)
                    best[kind] = _best(
                        rows[in_cell & (rows["mapped"].isna() | (rows["mapped"] == mapped))]
                    )
                found.append(Means(dataset, float(mapped), int(n), best))
    return tuple(found)


def _best(rows: pd.DataFrame) -> Best | None:
    """Return the method of the largest mean over trials."""
    if rows.empty:
        return None
    by_method = rows.assign(base=rows["base"].fillna("")).groupby(["base", "method"])["f_measure"]
    table = by_method.agg(["mean", "sem"]).reset_index()
    base, method, mean, error = table.sort_values("mean", kind="stable").iloc[-1]
    titles = {name: style.title for name, style in (METHODS | PEERS).items()}
    name = " ".join(filter(None, (BASES.get(base, ""), titles.get(method, ""))))
    return Best(float(mean), float(error), name)
