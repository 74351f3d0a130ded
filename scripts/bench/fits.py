"""Single fits: beside the installable peer, beside stored times of WekaUT, and k-means beside
scikit-learn.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from mvcc import Constraints, MPCKMeans, PCKMeans, load_dataset, pairwise_f_measure
from mvcc._utils.messages import counted
from mvcc.embedding import spectral_features
from scripts.bench.table import alone, best_of, missing_files, row, threads

PEER = "active-semi-supervised-clustering"
ALGORITHMS: dict[str, Any] = {"PCK-Means": PCKMeans, "MPCK-Means": MPCKMeans}
TIMES_THE_PEER = {"PCK-Means": 50, "MPCK-Means": 1000}
WEKAUT = {"PCKMeans": ("PCK-Means", 5), "MPCKMeans_percluster": ("MPCK-Means", 3)}
VIEWS = {
    "letters": ("letters_digits", 0, 4),
    "digits": ("letters_digits", 1, 4),
    "protein": ("protein", 0, 5),
}
NUMBERS = (10, 50, 100, 200)


def peer_is_here() -> bool:
    """Tell whether the peer and the data can be used, or say what is missing."""
    if find_spec("active_semi_clustering") is None:
        _say(f"{PEER} is not installed: no fits beside it. `make bench` installs it.")
        return False
    if missing_files("letters_digits") + missing_files("protein"):
        _say("The data files are not here: no fits beside the peer. Set MVCC_DATA.")
        return False
    return True


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def beside_the_peer(draws: int, numbers: tuple[int, ...] = NUMBERS) -> Iterator[dict[str, Any]]:
    """Compare one fit, closure included, and mean F on the same features, constraints and k."""
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
                    model = estimator(1 + int(y.max()), init="neighborhoods", random_state=0)
                    times.append(_fit_time(model, X, c))
                    scores.append(pairwise_f_measure(y, model.labels_))
                done = [fit for fit in theirs if fit["algorithm"] == algorithm and "labels" in fit]
                other = {"other": f"{PEER} ({len(done)} of {draws} fits)"}
                if done:
                    other["other_ms"] = 1e3 * np.median([fit["seconds"] for fit in done])
                    f_of_others = [pairwise_f_measure(y, fit["labels"]) for fit in done]
                    other["other_f"] = np.mean(f_of_others)
                task = f"{algorithm}, {view} {X.shape[0]} x {X.shape[1]}, {n} constraints"
                aim = ("ratio", "≥", TIMES_THE_PEER[algorithm])
                yield row(task, float(np.median(times)), aim, f=float(np.mean(scores)), **other)


def _fit_time(model: Any, X: np.ndarray, constraints: Constraints) -> float:
    return best_of(lambda: model.fit(X, constraints=constraints.closure()), 0.05)


def _peer(X: np.ndarray, k: int, problems: list[Constraints]) -> list[dict[str, Any]]:
    lists = {f"pairs_{i}": c.pairs for i, c in enumerate(problems)}
    lists |= {f"must_link_{i}": c.must_link for i, c in enumerate(problems)}
    return alone("peer", X=X, k=k, **lists)


def beside_wekaut(draws: int = 20) -> Iterator[dict[str, Any]]:
    """Compare one fit, closure included, with the stored times of WekaUT on its own inputs.

    They were measured in a warm JVM on another machine: the ratio is good to about a third.
    """
    if not os.environ.get("MVCC_REFERENCE"):
        _say("The reference fits are not here: no fits beside WekaUT. Set MVCC_REFERENCE.")
        return
    folder = Path(os.environ["MVCC_REFERENCE"]) / "wekaut"
    stored = pd.read_csv(folder / "timing.csv").set_index(
        ["dataset", "algorithm", "n_constraints"]
    )["median_ms"]
    for dataset in ("letters", "protein_a"):
        inputs = np.load(folder / f"inputs_{dataset}.npz")
        X, k = np.ascontiguousarray(inputs["X"], dtype=np.float64), int(inputs["k"])
        for name, (algorithm, aim) in WEKAUT.items():
            for n in NUMBERS:
                kinds = ("must_link", "cannot_link")
                lists = [inputs[kind][:draws, : n // 2].astype(int) for kind in kinds]
                model = ALGORITHMS[algorithm](k, init="neighborhoods", random_state=0)
                problems = [Constraints.from_pairs(*pairs) for pairs in zip(*lists, strict=True)]
                task = f"{algorithm}, {dataset} {X.shape[0]} x {X.shape[1]}, {n} constraints"
                yield row(
                    task,
                    float(np.median([_fit_time(model, X, c) for c in problems])),
                    *([("ratio", "≥", aim)] if dataset == "letters" else []),
                    other="WekaUT (stored)",
                    other_ms=stored[dataset, name, n],
                )


def k_means(n: int, iterations: int) -> Iterator[dict[str, Any]]:
    """Compare with scikit-learn's Lloyd: no constraints, same start, same number of iterations."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 16)) + 2 * rng.normal(size=(10, 16))[rng.integers(10, size=n)]
    start = X[rng.choice(n, 10, replace=False)]
    for n_threads in range(1, 1 + min(2, numba.get_num_threads())):
        with threads(n_threads), threadpool_limits(n_threads):
            mine = best_of(
                lambda: _quietly(PCKMeans(10, init=start, max_iter=iterations, tol=0), X), 1.0
            )
            lloyd = KMeans(10, init=start, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd")
            theirs = best_of(lambda lloyd=lloyd: _quietly(lloyd, X), 1.0)
        task = f"k-means, {n} x 16, k = 10, {iterations} iterations, {counted(n_threads, 'thread')}"
        beside = {"other": "scikit-learn KMeans", "other_ms": theirs}
        yield row(task, mine, ("ratio", "≥", round(1 / 1.5, 2)), **beside)


def _quietly(estimator: Any, X: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the limit ends the fit is what is wanted
        estimator.fit(X)
