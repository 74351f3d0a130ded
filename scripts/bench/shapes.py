"""Fits of tables that are not simply long: many classes, many views, wide counts, few rows,
classes of unequal size.

A third of the objects are in both of two views, and 70 % in each of many.

python -m scripts.bench.shapes
    # measures these fits alone, stores them among the others, and writes the page
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from mvcc import Constraints, JointGraphClustering
from mvcc._utils.arrays import Floats, Ints
from scripts.bench.page import replace_block
from scripts.bench.table import as_table, best_of, row
from scripts.command import no_options
from scripts.field.protocols import matches_of
from scripts.studies import mean_f
from scripts.tables import RESULTS, markdown, store

SECONDS = 3.0  # of repetitions
MOST_FOR_COUNTS = 2_000.0  # ms
NAME = "joint, "  # how tasks begin


def shapes(*, quick: bool = False) -> Iterator[dict[str, Any]]:
    """Measure a fit of each shape, or the smallest, beside scikit-learn's KMeans of each view."""
    yield _fit("2 x 100 rows", *_blobs(np.arange(150) % 5, 2))
    if quick:
        return
    yield _fit("100 classes, 2 x 1,067 rows, 64 columns", *_blobs(np.repeat(np.arange(100), 16), 2))
    yield _fit("the same, 160 pairs", *_blobs(np.repeat(np.arange(100), 16), 2), n_pairs=160)
    yield _fit("12 views x 1,400 rows, 64 columns", *_blobs(np.arange(2_000) % 10, 12))
    yield _fit("2 views x 1,400 of the same rows", *_blobs(np.arange(2_000) % 10, 2, seen=0.7))
    unequal = np.repeat(np.arange(6), [1_000, 500, 250, 125, 75, 50])
    yield _fit("classes of 50 to 1,000 rows", *_blobs(unequal, 2))
    counts = _counts(1_500, 2_000)
    yield _fit("counts, 2 x 1,000 rows, 2,000 columns", *counts, aim=[("ms", "≤", MOST_FOR_COUNTS)])


def _blobs(
    y: Ints, n_views: int, *, seen: float | None = None
) -> tuple[list[Floats], list[Ints], list[Ints]]:
    """Return views of 64 columns, the classes of their rows, and the objects that they are of."""
    rng = np.random.default_rng(0)
    k = 1 + int(y.max())
    whole = [
        2 * rng.normal(size=(k, 64))[y] / np.sqrt(8) + rng.normal(size=(len(y), 64))
        for _ in range(n_views)
    ]
    return _seen(whole, y, _objects(len(y), n_views, seen, rng))


def _counts(n: int, d: int) -> tuple[list[Floats], list[Ints], list[Ints]]:
    """Return two views of counts of words, each class with words of its own."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 8
    common = rng.pareto(1.0, size=d) + 0.05
    rates = [common * rng.choice([1.0, 8.0], size=(8, d), p=[0.95, 0.05]) for _ in range(2)]
    lengths = rng.integers(60, 200, size=(n, 1))
    whole = [
        rng.poisson(lengths * (rate / rate.sum(axis=1, keepdims=True))[y]).astype(np.float64)
        for rate in rates
    ]
    return _seen(whole, y, _objects(n, 2, None, rng))


def _seen(
    whole: list[Floats], y: Ints, objects: list[Ints]
) -> tuple[list[Floats], list[Ints], list[Ints]]:
    views = [X[rows] for X, rows in zip(whole, objects, strict=True)]
    return views, [y[rows] for rows in objects], objects


def _objects(n: int, n_views: int, seen: float | None, rng: np.random.Generator) -> list[Ints]:
    if n_views == 2 and seen is None:
        order, third = rng.permutation(n), n // 3
        return [np.sort(order[: 2 * third]), np.sort(order[third:])]
    return [np.sort(rng.choice(n, int((seen or 0.7) * n), replace=False)) for _ in range(n_views)]


def _fit(
    task: str,
    views: list[Floats],
    classes: list[Ints],
    objects: list[Ints],
    *,
    n_pairs: int = 0,
    aim: list[tuple[str, str, float]] | None = None,
) -> dict[str, Any]:
    k = 1 + max(int(y.max()) for y in classes)
    matches = matches_of(objects)
    judged = None
    if n_pairs:
        judged = [Constraints.from_labels(y, n_pairs // len(views), 0) for y in classes]
    model = JointGraphClustering(k, random_state=0)
    ms = best_of(lambda: model.fit(views, mappings=matches, constraints=judged), SECONDS)
    alone = [KMeans(k, n_init=10, random_state=0) for _ in views]
    other_ms = best_of(lambda: [peer.fit(X) for peer, X in zip(alone, views, strict=True)], SECONDS)
    return row(
        NAME + task,
        ms,
        *(aim or []),
        other="scikit-learn KMeans, ten starts, each view",
        other_ms=other_ms,
        f=mean_f(classes, model.labels_),
        other_f=mean_f(classes, [peer.labels_ for peer in alone]),
    )


def table(measured: pd.DataFrame) -> str:
    """Return the table of the page."""
    lines = []
    for fit in measured[measured["task"].str.startswith(NAME)].itertuples():
        task = fit.task.removeprefix(NAME).replace(" x ", " × ")
        times = [f"{fit.ms / 1e3:.2g} s", f"{fit.other_ms / 1e3:.2g} s"]
        times += [f"{fit.ms / fit.other_ms:.2g}"]
        lines.append([task, *times, f"{fit.f:.3f}", f"{fit.other_f:.3f}"])
    return markdown(["tables", "joint", "KMeans", "times as long", "F", "F of KMeans"], lines)


def main() -> None:
    """Measure the shapes, put them in the place of those that are stored, and write the page."""
    no_options(__doc__)
    path = RESULTS / "benchmarks.csv"
    stored = pd.read_csv(path)
    with threadpool_limits(1):
        measured = as_table(shapes())
    print(measured.to_string(index=False))
    together = pd.concat([stored[~stored["task"].str.startswith(NAME)], measured])
    store(together, path)
    replace_block("shapes", table(measured))


if __name__ == "__main__":
    main()
