"""Measure fits and E-steps beside other implementations, side by side in one run, as ratios.

make bench                      # prints the table and writes results/benchmarks.csv

A row is missing where what it needs is: the data files (``MVCC_DATA``) for the fits beside the peer, and the peer
itself, ``active-semi-supervised-clustering`` of the ``[bench]`` extra.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the slow references live in tests/, which is not installed

from mvcc import (  # noqa: E402
    Constraints,
    MPCKMeans,
    PCKMeans,
    load_dataset,
    pairwise_f_measure,
    propagate_constraints,
    spectral_features,
)
from mvcc.datasets import dataset_info, find_file  # noqa: E402
from tests.reference.propagation import propagate_vectorised  # noqa: E402

PEER = "active-semi-supervised-clustering"
ALGORITHMS: dict[str, Any] = {"PCK-Means": PCKMeans, "MPCK-Means": MPCKMeans}
AIMS = {"PCK-Means": 50, "MPCK-Means": 1000}  # times faster than the peer
VIEWS = {"letters": ("letters_digits", 0, 4), "digits": ("letters_digits", 1, 4), "protein": ("protein", 0, 5)}
NUMBERS = (10, 50, 100, 200)


def best_of(function: Callable[[], object], seconds: float) -> float:
    """Return the shortest time of a call, in ms, after one call that compiles."""
    function()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def row(task: str, ms: float, other: str = "", other_ms: float = np.nan, aim: float = np.nan, **more: Any) -> dict:
    """Return a row of the table; ``aim`` is how many times faster than the other one is wanted."""
    return {"task": task, "ms": ms, "other": other, "other_ms": other_ms, "aim": aim} | more


def fits_beside_the_peer(draws: int, numbers: tuple[int, ...] = NUMBERS) -> Iterator[dict]:
    """Compare one fit, closure included, on the same features, constraints and k; and the mean F of the draws."""
    for view, (dataset, which, n_components) in VIEWS.items():
        data = load_dataset(dataset, random_state=0)
        order = np.random.default_rng(0).permutation(len(data.labels[which]))
        X, y = spectral_features(data.views[which][order], n_components), data.labels[which][order]
        for n in numbers:
            problems = [Constraints.from_labels(y, n, seed) for seed in range(draws)]
            theirs = _peer(X, 1 + int(y.max()), problems)
            for algorithm, estimator in ALGORITHMS.items():
                times, scores = [], []
                for c in problems:
                    model = estimator(1 + int(y.max()), random_state=0)
                    times.append(best_of(lambda model=model, X=X, c=c: model.fit(X, constraints=c.closure()), 0.05))
                    scores.append(pairwise_f_measure(y, model.labels_))
                done = [fit for fit in theirs if fit["algorithm"] == algorithm and "labels" in fit]
                other = {"other_f": np.mean([pairwise_f_measure(y, fit["labels"]) for fit in done])} if done else {}
                yield row(
                    f"{algorithm}, {view} {X.shape[0]} x {X.shape[1]}, {n} constraints",
                    float(np.median(times)),
                    f"{PEER} ({len(done)} of {draws} fits)",
                    1e3 * float(np.median([fit["seconds"] for fit in done])) if done else np.nan,
                    AIMS[algorithm],
                    f=float(np.mean(scores)),
                    **other,
                )


def _peer(X: np.ndarray, k: int, problems: list[Constraints]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problems.npz"
        lists = {f"pairs_{i}": c.pairs for i, c in enumerate(problems)}
        lists |= {f"must_link_{i}": c.must_link for i, c in enumerate(problems)}
        np.savez(path, X=X, k=k, **lists)
        command = [sys.executable, str(ROOT / "scripts" / "bench_peer.py"), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def k_means(n: int, iterations: int) -> Iterator[dict]:
    """Compare with scikit-learn's Lloyd: no constraints, same start, same number of iterations."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 16)) + 2 * rng.normal(size=(10, 16))[rng.integers(10, size=n)]
    start = X[rng.choice(n, 10, replace=False)]
    for threads in (1, 2):
        with threadpool_limits(threads):
            mine = best_of(lambda: _quietly(PCKMeans(10, init=start, max_iter=iterations, tol=0), X), 1.0)
            lloyd = KMeans(10, init=start, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd")
            theirs = best_of(lambda lloyd=lloyd: _quietly(lloyd, X), 1.0)
        task = f"k-means, {n} x 16, k = 10, {iterations} iterations, {threads} thread{'s' * (threads > 1)}"
        yield row(task, mine, "scikit-learn KMeans", theirs, 1 / 1.5)


def _quietly(estimator: Any, X: np.ndarray) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the limit ends the fit is what is wanted
        estimator.fit(X)


def e_steps(n_brute: int, sizes: tuple[int, ...], n_constraints: int) -> Iterator[dict]:
    """Compare one E-step with a vectorized brute force, and let it grow alone."""
    X, y, constraints = _scene(n_brute, n_constraints)

    def brute_force() -> object:
        return propagate_vectorised(X, y, constraints.pairs, constraints.must_link, constraints.weights, 0.9)

    start = time.perf_counter()
    expected = brute_force()
    theirs = 1e3 * (time.perf_counter() - start)
    assert len(propagate_constraints(X, y, constraints, 0.9)) == len(expected)
    mine = best_of(lambda: propagate_constraints(X, y, constraints, 0.9), 1.0)
    task = f"E-step, {n_brute} x 4, {n_constraints} constraints, t = 0.9"
    yield row(task, mine, "vectorized NumPy, all pairs", theirs, 50, found=len(expected))
    for n in sizes:
        X, y, constraints = _scene(n, n_constraints)
        mine = best_of(lambda X=X, y=y, c=constraints: propagate_constraints(X, y, c, 0.9), 0.5)
        found = len(propagate_constraints(X, y, constraints, 0.9))
        yield row(f"E-step, {n} x 4, {n_constraints} constraints, t = 0.9", mine, found=found)


def _scene(n: int, n_constraints: int) -> tuple[np.ndarray, np.ndarray, Constraints]:
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=n)
    return rng.normal(size=(n, 4)) + 8 * np.eye(4)[y], y, Constraints.from_labels(y, n_constraints, 0)


def measure(*, quick: bool = False) -> pd.DataFrame:
    """Measure everything; ``quick`` with the smallest sizes that still run every comparison."""
    rows: list[dict] = []
    with threadpool_limits(1):
        if find_spec("active_semi_clustering") is None:
            print(f"{PEER} is not installed: no fits beside it. `make bench` installs it.", file=sys.stderr)
        elif any(
            find_file(file) is None for name in ("letters_digits", "protein") for file in dataset_info(name).files
        ):
            print("The data files are not here: no fits beside the peer. Set MVCC_DATA.", file=sys.stderr)
        else:
            rows += fits_beside_the_peer(1, (10,)) if quick else fits_beside_the_peer(10)
        rows += e_steps(100, (6_000,), 40) if quick else e_steps(2_000, (10_000, 100_000, 1_000_000), 1_000)
    rows += k_means(1_000, 2) if quick else k_means(1_000_000, 10)
    table = pd.DataFrame(rows)
    ratio = table["other_ms"] / table["ms"]
    reached = np.where(table["aim"].isna() | ratio.isna(), "", np.where(ratio >= table["aim"], "yes", "no"))
    return table.assign(ratio=ratio, reached=reached)


def main() -> None:
    """Print and store the table."""
    table = measure()
    print(table.to_string(index=False, float_format=lambda x: f"{x:.3g}", na_rep="-"))
    path = ROOT / "results" / "benchmarks.csv"
    path.parent.mkdir(exist_ok=True)
    table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
    print(f"Written to {path}")


if __name__ == "__main__":
    main()
