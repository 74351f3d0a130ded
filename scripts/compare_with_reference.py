"""Hold the mean curves of a full run against those of an independent implementation.

    MVCC_REFERENCE=path/to/reference python -m scripts.compare_with_reference [results]

For every cell z = (ours − theirs) / standard error of the difference. The cells share the draws of
their trials, so that far more than 5 % of them can lie beyond two standard errors by chance. What
chance allows is measured: our own trials are split at random into as many as the other side has,
and the rest, and compared in the same way.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats
from mvcc.results import Results
from scripts.command import folder_from
from scripts.tables import RESULTS

NAMES = {"fourquad": "four_quadrants", "protein": "protein", "letdig": "letters_digits"}
METHODS = {"cp": "constraint-propagation", "dm": "direct-mapping"}
METHODS |= {"cm": "cluster-membership", "single": "single-view"}
CLOSURES = {"full": "full", "view": "view", "none": "no"}
KEY = ["base", "method", "mapped", "n_constraints"]
SPLITS = 2000


def reference_cells(path: Path, dataset: str) -> pd.DataFrame:
    """Return mean F, its standard error and the number of trials of every cell."""
    table = pd.read_csv(path)
    table = table[table["ds"].map(NAMES) == dataset]
    cells = pd.DataFrame(
        {
            "base": table["alg"] + "-means",
            "method": table["method"].map(METHODS),
            "mapped": table["frac"],
            "n_constraints": table["n_cons"],
            "theirs": table["F"],
            "theirs_se": table["sd"] / np.sqrt(table["trials"]),
            "their_trials": table["trials"],
        }
    )
    # Single View has no mapping: one cell instead of one per mapped portion
    cells.loc[cells["method"] == "single-view", "mapped"] = np.nan
    return cells.drop_duplicates(KEY)


def compared(curves: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """Join both sides and compute z."""
    cells = curves.merge(reference, on=KEY, validate="one_to_one")
    spread = np.hypot(cells["standard_error"], cells["theirs_se"])
    gap = cells["mean"] - cells["theirs"]
    cells["z"] = np.where(gap == 0, 0.0, gap / spread)
    return cells


def chance(scores: pd.DataFrame, n_theirs: int) -> Floats:
    """Return share beyond 2 and largest |z| of random splits of our own trials, (SPLITS, 2)."""
    table = scores.assign(mapped=scores["mapped"].fillna(-1)).pivot(
        index="trial", columns=KEY, values="f_measure"
    )
    values, rng, chances = table.to_numpy(), np.random.default_rng(0), []
    for _ in range(SPLITS):
        order = rng.permutation(len(values))
        theirs, ours = values[order[:n_theirs]], values[order[n_theirs:]]
        spread = np.sqrt(
            theirs.var(axis=0, ddof=1) / len(theirs) + ours.var(axis=0, ddof=1) / len(ours)
        )
        gap = ours.mean(axis=0) - theirs.mean(axis=0)
        z = np.abs(np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0))
        chances.append((np.mean(z > 2), z.max()))
    return np.array(chances)


def report(curves: pd.DataFrame, scores: pd.DataFrame, reference: pd.DataFrame, name: str) -> None:
    """Print how the cells of one data set under one reading of the closure compare."""
    cells = compared(curves, reference)
    beyond = cells[cells["z"].abs() > 2]
    by_chance = chance(scores, int(cells["their_trials"].min()))
    print(
        f"{name}: {len(cells)} cells, mean difference"
        f" {np.mean(cells['mean'] - cells['theirs']):+.4f}; {len(beyond)}"
        f" ({len(beyond) / len(cells):.1%}) beyond two standard errors, largest |z|"
        f" {cells['z'].abs().max():.2f}"
    )
    share, largest = np.quantile(by_chance, 0.95, axis=0)
    print(
        f"  splits of our own trials: 95 % have at most {share:.1%} beyond two and a largest |z| of"
        f" {largest:.2f}; {np.mean(by_chance[:, 0] >= len(beyond) / len(cells)):.0%} have as many"
        f" beyond two, {np.mean(by_chance[:, 1] >= cells['z'].abs().max()):.0%} as large a |z|"
    )
    order = beyond.assign(far=beyond["z"].abs()).sort_values("far", ascending=False)
    for cell in order.itertuples():
        print(
            f"  {cell.base:<11} {cell.method:<23} mapped {cell.mapped:<4} n"
            f" {cell.n_constraints:<4g} ours {cell.mean:.4f}  theirs {cell.theirs:.4f} (sd of"
            f" {cell.their_trials} trials {cell.theirs_se * np.sqrt(cell.their_trials):.4f})  z"
            f" {cell.z:+.2f}"
        )


def main() -> None:
    """Print the comparison of every data set and reading of the closure that both sides have."""
    results = Results(folder_from(__doc__, RESULTS))
    files = Path(os.environ["MVCC_REFERENCE"]) / "curves"
    curves, scores = map(_of_the_closure, (results.curves, results.scores))
    for closure, prefix in CLOSURES.items():
        file = f"{prefix}_closure_shuffled.csv"
        for dataset in NAMES.values():
            ours, trials = (
                t[(t["dataset"] == dataset) & (t["closure"] == closure)] for t in (curves, scores)
            )
            reference = reference_cells(files / file, dataset)
            if len(ours) and len(reference):
                report(ours, trials, reference, f"{dataset}, closure {closure}")


def _of_the_closure(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["study"].isin(["main", "closure"]) & (table["experiment"] == "multi-view")]


if __name__ == "__main__":
    main()
