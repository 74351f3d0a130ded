"""F of the joint graph beside the best of each kind of alternative, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from mvcc.reporting.figures import METHODS, PEERS, dataset_title, in_order, percent
from mvcc.results import BASES, BEYOND, BEYOND_PEERS, JOINT, K_MEANS


@dataclass(frozen=True)
class Best:
    """The mean F of a method over the trials, its standard error, and the name of the method."""

    mean: float
    error: float
    name: str


@dataclass(frozen=True)
class Means:
    """One cell of the study; None where nothing was run.

    Attributes
    ----------
    dataset : str
    mapped : float
    n_constraints : int
    joint, k_means : Best or None
    paper, peer : Best or None
        The best in hindsight of the paper's methods and bases, and of the peers.
    """

    dataset: str
    mapped: float
    n_constraints: int
    joint: Best | None
    k_means: Best | None
    paper: Best | None
    peer: Best | None


def find_means(scores: pd.DataFrame) -> tuple[Means, ...]:
    """Return the means of all cells, by mapped fraction, data set and number of pairs."""
    joint = scores[(scores["study"] == BEYOND) & (scores["method"] == JOINT)]
    kinds = {
        "joint": joint,
        "k_means": scores[(scores["study"] == BEYOND) & (scores["method"] == K_MEANS)],
        "paper": scores[(scores["study"] == BEYOND) & scores["method"].isin(METHODS)],
        "peer": scores[scores["study"] == BEYOND_PEERS],
    }
    found = []
    for mapped in sorted(set(joint["mapped"])):
        for dataset in in_order(joint["dataset"]):
            for n in sorted(set(joint.loc[joint["dataset"] == dataset, "n_constraints"])):
                best = {
                    kind: _best(
                        rows[
                            (rows["dataset"] == dataset)
                            & (rows["n_constraints"] == n)
                            & (rows["mapped"].isna() | (rows["mapped"] == mapped))
                        ]
                    )
                    for kind, rows in kinds.items()
                }
                found.append(Means(dataset, float(mapped), int(n), **best))
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


def write_means(means: tuple[Means, ...]) -> Iterator[str]:
    """Write the means as tables, one for each mapped fraction; the largest of each line is bold."""
    for mapped in sorted({one.mapped for one in means}):
        yield ""
        yield f"### {percent(mapped)} of the instances mapped"
        yield ""
        yield "| data set | n | k-means | the paper's best | best peer | joint |"
        yield "|---|--:|--:|---|---|--:|"
        for one in means:
            if one.mapped == mapped:
                kinds = (one.k_means, one.paper, one.peer, one.joint)
                most = max(round(best.mean, 3) for best in kinds if best is not None)
                row = " | ".join(_written(best, most) for best in kinds)
                yield f"| {dataset_title(one.dataset)} | {one.n_constraints} | {row} |"


def _written(best: Best | None, most: float) -> str:
    if best is None:
        return "–"
    mean = f"**{best.mean:.3f}**" if round(best.mean, 3) == most else f"{best.mean:.3f}"
    return f"{mean} ± {best.error:.3f}{f' ({best.name})' if best.name else ''}"
