"""Measure one fit and one E-step beside slow and known implementations, side by side in one run, as ratios.

make bench                      # prints the table and writes results/benchmarks.csv
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the slow references live in tests/, which is not installed

from mvcc import Constraints, MPCKMeans, PCKMeans, propagate_constraints  # noqa: E402
from tests.reference.propagation import propagate_vectorised  # noqa: E402


def best_of(function: Callable[[], object], seconds: float) -> float:
    """Return the shortest time of a call, in ms, after one call that compiles."""
    function()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def measure(seconds: float) -> pd.DataFrame:
    """Measure every pair of implementations on data of the size of Letters/Digits."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=227)
    X = rng.normal(size=(227, 16)) + 1.5 * rng.normal(size=(3, 16))[y]
    constraints = Constraints.from_labels(y, 100, 0).closure()
    start = X[rng.choice(227, 3, replace=False)]
    labels = PCKMeans(3, random_state=0).fit(X, constraints=constraints).labels_
    Y = X[:, :4]

    def brute_force() -> object:
        return propagate_vectorised(Y, labels, constraints.pairs, constraints.must_link, constraints.weights, 0.5)

    pairs = [
        (
            "k-means, 227 x 16",
            "PCKMeans without constraints",
            lambda: PCKMeans(3, init=start).fit(X),
            "scikit-learn KMeans, same start",
            lambda: KMeans(3, init=start, n_init=1, tol=0).fit(X),
        ),
        (
            "PCK-Means, 227 x 16, 100 constraints closed",
            "PCKMeans",
            lambda: PCKMeans(3, random_state=0).fit(X, constraints=constraints),
            "",
            None,
        ),
        (
            "MPCK-Means, 227 x 16, 100 constraints closed",
            "MPCKMeans",
            lambda: MPCKMeans(3, random_state=0).fit(X, constraints=constraints),
            "",
            None,
        ),
        (
            f"E-step, 227 x 4, {len(constraints)} constraints",
            "propagate_constraints",
            lambda: propagate_constraints(Y, labels, constraints, 0.5),
            "vectorized NumPy, all pairs",
            brute_force,
        ),
    ]
    rows = []
    with threadpool_limits(1):
        for task, ours, fast, other, slow in pairs:
            mine, theirs = best_of(fast, seconds), best_of(slow, seconds) if slow else np.nan
            rows.append({"task": task, "ours": ours, "ms": mine, "other": other, "other_ms": theirs})
    table = pd.DataFrame(rows)
    return table.assign(ratio=table["other_ms"] / table["ms"])


def main() -> None:
    """Print and store the table."""
    table = measure(seconds=2.0)
    print(table.to_string(index=False, float_format=lambda x: f"{x:.3g}", na_rep="-"))
    path = ROOT / "results" / "benchmarks.csv"
    path.parent.mkdir(exist_ok=True)
    table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
    print(f"Written to {path}")


if __name__ == "__main__":
    main()
