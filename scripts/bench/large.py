"""Large data: E-steps beside a brute force and growing alone, and constraints whose closure no list
could hold.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from mvcc import Constraints, propagate_constraints
from mvcc.propagation._e_step import fit_gaussians, reach
from scripts.bench.table import BYTES, alone, best_of, row, threads
from tests.reference.propagation import propagate_vectorised

THRESHOLD = 0.9


def scene(n: int, n_constraints: int) -> tuple[np.ndarray, np.ndarray, Constraints]:
    """Draw four round clusters of n points, and constraints from their labels."""
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=n)
    X = rng.normal(size=(n, 4)) + 8 * np.eye(4)[y]
    return X, y, Constraints.from_labels(y, n_constraints, 0)


def beside_brute_force(n: int, n_constraints: int) -> Iterator[dict[str, Any]]:
    """Compare one E-step with a vectorized brute force over all pairs."""
    X, y, constraints = scene(n, n_constraints)
    start = time.perf_counter()
    expected = propagate_vectorised(
        X, y, constraints.pairs, constraints.must_link, constraints.weights, THRESHOLD
    )
    theirs = 1e3 * (time.perf_counter() - start)
    output = propagate_constraints(X, y, constraints, THRESHOLD)
    assert len(output) == len(expected)
    mine = best_of(lambda: propagate_constraints(X, y, constraints, THRESHOLD), 1.0)
    task = f"E-step, {n} x 4, {n_constraints} constraints, t = {THRESHOLD}"
    beside = {"other": "vectorized NumPy, all pairs", "other_ms": theirs}
    yield row(task, mine, ("ratio", "≥", 50), **beside, found=len(expected))


def e_steps(cases: Iterable[tuple[int, int, float]]) -> Iterator[dict[str, Any]]:
    """Let an E-step on one thread grow in points, constraints and reach (the threshold)."""
    with threads(1):
        for n, n_pairs, threshold in cases:
            X, y, constraints = scene(n, n_pairs)
            output = propagate_constraints(X, y, constraints, threshold)
            ms = best_of(
                lambda X=X, y=y, c=constraints, t=threshold: propagate_constraints(X, y, c, t), 0.5
            )
            sizes = {"n": n, "constraints": n_pairs, "threshold": threshold, "found": len(output)}
            task = f"E-step, {n} x 4, {n_pairs} constraints, t = {threshold}"
            near, hits = count_hits(X, y, constraints, threshold)
            yield row(task, ms, **sizes, near=near, hits=hits)


def count_hits(
    X: np.ndarray, y: np.ndarray, constraints: Constraints, threshold: float
) -> tuple[int, int]:
    """Count points near endpoints (Eq. 17), and pairs that constraints reach (Eq. 10)."""
    gaussians = fit_gaussians(X, y, None, 1e-6)
    pairs, weights = constraints.pairs, np.ones(len(constraints))
    ends, (start, _, values) = reach(X, np.arange(len(X)), y, gaussians, pairs, weights, threshold)
    of_endpoint = [np.sort(values[first:last]) for first, last in pairwise(start.tolist())]
    hits = 0
    for u, v in ends.tolist():
        lightest = np.searchsorted(of_endpoint[v], threshold / of_endpoint[u])
        hits += int((len(of_endpoint[v]) - lightest).sum())
    return len(values), hits


def on_threads(n: int, n_constraints: int, threshold: float) -> Iterator[dict[str, Any]]:
    """Compare an E-step on two threads with one."""
    X, y, constraints = scene(n, n_constraints)
    times, outputs = [], []
    for n_threads in (1, 2):
        with threads(n_threads):
            outputs.append(propagate_constraints(X, y, constraints, threshold))
            times.append(best_of(lambda: propagate_constraints(X, y, constraints, threshold), 1.0))
    assert outputs[0] == outputs[1], "two threads gave other bits than one"
    task = f"E-step on two threads, {n} x 4, {n_constraints} constraints, t = {threshold}"
    yield row(
        task, times[1], other="the same on one thread", other_ms=times[0], found=len(outputs[0])
    )


def e_step_alone(n: int, n_constraints: int) -> Iterator[dict[str, Any]]:
    """Measure one E-step with its memory, in a process of its own."""
    X, y, constraints = scene(n, n_constraints)
    done = _alone("propagate", X, constraints, labels=y, threshold=THRESHOLD)
    data = ("peak_mb", "≤", 3 * done.pop("size_mb"))
    limits = (("ms", "≤", 10_000), data, ("peak_mb", "≤", 3_000))
    task = f"E-step in a process of its own, {n} x 4, {n_constraints} constraints"
    yield row(task, done.pop("ms"), *limits, **done)


def neighborhoods(n_pck: int, n_mpck: int) -> Iterator[dict[str, Any]]:
    """Measure fits with few, large neighborhoods, of a fifth and a tenth of the points."""
    for work, name, n, m in (
        ("pck", "PCK-Means", n_pck, n_pck // 5),
        ("mpck", "MPCK-Means", n_mpck, n_mpck // 10),
    ):
        X, constraints = _large_neighborhoods(n, m)
        done = _alone(work, X, constraints, k=10)
        done.pop("size_mb")
        limits = (("ms", "≤", 60_000), ("peak_mb", "≤", 4_000))
        task = f"{name}, {n} x 16, k = 10, {len(constraints)} constraints of 100 neighborhoods"
        list_of_all = f"a list would take {1e-9 * BYTES * done['found']:.3g} GB"
        yield row(task, done.pop("ms"), *limits, other=list_of_all, **done)


def _large_neighborhoods(n: int, m: int) -> tuple[np.ndarray, Constraints]:
    """Draw ten clusters with ten neighborhoods each, and m constraints: must-links along these,
    and as many cannot-links between clusters.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n)
    X = rng.normal(size=(n, 16)) + 3 * rng.normal(size=(10, 16))[y]
    rows = rng.permutation(n)[:m]
    home = 10 * y[rows] + rng.integers(10, size=m)
    order = np.argsort(home, kind="stable")
    steps = np.column_stack((order[:-1], order[1:]))
    steps = rows[steps[home[steps[:, 0]] == home[steps[:, 1]]]]
    pairs = rows[rng.integers(m, size=(m, 2))]
    apart = pairs[y[pairs[:, 0]] != y[pairs[:, 1]]]
    together = steps[: m // 2]
    chosen = np.concatenate((together, apart[: m // 2]))
    return X, Constraints(chosen, np.arange(len(chosen)) < len(together))


def _alone(work: str, X: np.ndarray, constraints: Constraints, **more: Any) -> dict[str, float]:
    given = {"X": X, "pairs": constraints.pairs, "must_link": constraints.must_link}
    (done,) = alone("alone", work, **given, **more)
    return done
