"""What is tried on every task: joint clustering, k-means, sum of graphs, and other packages.

A method takes a task and a seed, and returns a label for each row of each table. Other packages are
imported where they are tried, since they are installed in an environment of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler, normalize

from mvcc import AutoFeatures, JointGraphClustering
from mvcc._utils.arrays import Floats, Ints
from scripts.field.protocols import Task

Labels = list[Ints]
Method = Callable[[Task, int], Labels]
NEIGHBORS = 10
_SPARSE = 0.5  # the share of zeros above which a table without negative values is one of counts


class CannotRun(ValueError):
    """The method does not take such data."""


def prepared(X: Floats) -> Floats:
    """Give rows of sparse non-negative tables length 1, and standardize other columns."""
    if X.min() >= 0 and (X == 0).mean() > _SPARSE:
        return normalize(X)
    return StandardScaler().fit_transform(X)


def as_joint(X: Floats) -> Floats:
    """Make the features that ``JointGraphClustering`` makes."""
    return AutoFeatures().fit_transform(X)


def joint(task: Task, seed: int, n_pairs: int = 0, wrong: float = 0.0, **options: Any) -> Labels:
    """Cluster the tables as they come by ``JointGraphClustering``, with its defaults.

    Pairs are of rows of the first table, half of them must-links, a share of them wrong.
    """
    given = task.constraints(n_pairs, seed, round(wrong * n_pairs))
    model = JointGraphClustering(task.k, random_state=seed, **options)
    return model.fit(task.views, mappings=task.matches, constraints=given).labels_


def joint_counts(task: Task, seed: int) -> Labels:
    """Do the same with all tables taken for counts, which needs tables without negative values."""
    if min(X.min() for X in task.views) < 0:
        raise CannotRun("a table has negative values")
    return joint(task, seed, features="counts")


def k_means(task: Task, seed: int) -> Labels:
    """Cluster all columns side by side; gaps have their means, and all tables one weight."""
    blocks = []
    for X, objects in zip(task.views, task.objects, strict=True):
        ready = prepared(X)
        block = np.tile(ready.mean(axis=0), (len(task.y), 1))
        block[objects] = ready
        blocks.append(block / np.sqrt(max(float(ready.var(axis=0).sum()), np.finfo(float).tiny)))
    model = KMeans(task.k, n_init=10, random_state=seed)
    return _by_row(model.fit_predict(np.hstack(blocks)), task)


def k_means_each(task: Task, seed: int, prepare: Callable[[Floats], Floats] = prepared) -> Labels:
    """Cluster each table by itself."""
    model = KMeans(task.k, n_init=10, random_state=seed)
    return [model.fit_predict(prepare(X)) for X in task.views]


def sum_of_graphs(task: Task, seed: int, prepare: Callable[[Floats], Floats] = prepared) -> Labels:
    """Cluster the sum of normalized graphs of 10 nearest neighbors, by spectral clustering."""
    n = len(task.y)
    total = sparse.csr_array((n, n))
    for X, objects in zip(task.views, task.objects, strict=True):
        edges = sparse.coo_array(kneighbors_graph(prepare(X), min(NEIGHBORS, len(X) - 1)))
        ends = objects[edges.row], objects[edges.col]
        graph = sparse.csr_array((edges.data, ends), shape=(n, n))
        graph = (graph + graph.T) / 2
        scale = sparse.diags_array(1 / np.sqrt(np.maximum(graph.sum(axis=1), np.finfo(float).tiny)))
        total = total + scale @ graph @ scale
    return _by_row(_spectral(total, task.k, seed), task)


def _spectral(graph: Any, k: int, seed: int) -> Ints:
    model = SpectralClustering(
        k, affinity="precomputed", n_init=10, random_state=seed, assign_labels="kmeans"
    )
    return np.asarray(model.fit_predict(sparse.csr_matrix(graph)), np.int64)


def imml(name: str, task: Task, seed: int) -> Labels:
    """Cluster by a method of iMML with its defaults; a row that is missing is one of NaN."""
    import imml.cluster

    tables = []
    for X, objects in zip(task.views, task.objects, strict=True):
        table = np.full((len(task.y), X.shape[1]), np.nan)
        table[objects] = prepared(X)
        tables.append(table)
    model = getattr(imml.cluster, name)(n_clusters=task.k, random_state=seed, engine="python")
    return _by_row(model.fit_predict(tables), task)


def mvlearn(name: str, task: Task, seed: int) -> Labels:
    """Cluster by a method of mvlearn, where every object has a row in every table."""
    if not task.is_complete:
        raise CannotRun("rows are missing")
    import mvlearn.cluster

    ordered = [
        prepared(X)[np.argsort(rows)] for X, rows in zip(task.views, task.objects, strict=True)
    ]
    graph = {"affinity": "nearest_neighbors", "n_neighbors": NEIGHBORS, "random_state": seed}
    return _by_row(getattr(mvlearn.cluster, name)(task.k, **graph).fit_predict(ordered), task)


def _by_row(labels: Any, task: Task) -> Labels:
    return [np.asarray(labels, np.int64)[objects] for objects in task.objects]


JOINT, SUM, EACH = "joint", "sum of graphs", "k-means of each table"
OURS: dict[str, Method] = {JOINT: joint}
PLAIN: dict[str, Method] = {"k-means": k_means, EACH: k_means_each, SUM: sum_of_graphs}
GRID: dict[str, Method] = {  # beside the defaults
    "joint with 5 neighbors": partial(joint, n_neighbors=5),
    "joint with 20 neighbors": partial(joint, n_neighbors=20),
    "joint with scaled columns": partial(joint, features="scaled"),
    "joint with counts in all tables": joint_counts,
}
IMML = {name: partial(imml, name) for name in ("NEMO", "IMSR", "EEIMVC", "LFIMVC", "OPIMC")}
MVLEARN = {
    "mvlearn spectral": partial(mvlearn, "MultiviewSpectralClustering"),
    "mvlearn co-regularized": partial(mvlearn, "MultiviewCoRegSpectralClustering"),
}
OF_TABLES: dict[str, Method] = {  # by what is done to the columns of each table
    f"{EACH}, raw": partial(k_means_each, prepare=lambda X: X),
    f"{EACH}, standardized": partial(k_means_each, prepare=StandardScaler().fit_transform),
    f"{EACH}, rows of length 1": partial(k_means_each, prepare=normalize),
    f"{EACH}, features of joint": partial(k_means_each, prepare=as_joint),
    f"{SUM}, features of joint": partial(sum_of_graphs, prepare=as_joint),
}
NO_PAIRS, FEW, MANY = "no pairs", "20 pairs", "160 pairs"
WRONG = {f"{MANY}, {100 * share:.0f} % wrong": share for share in (0.05, 0.1)}
_many_pairs = partial(joint, n_pairs=160, on_conflict="drop")
PAIRS: dict[str, Method] = {
    NO_PAIRS: joint,
    FEW: partial(joint, n_pairs=20, on_conflict="drop"),
    MANY: _many_pairs,
    **{name: partial(_many_pairs, wrong=share) for name, share in WRONG.items()},
}
GROUPS: dict[str, dict[str, Method]] = {
    "ours": OURS,
    "plain": PLAIN,
    "tables": OF_TABLES,
    "pairs": PAIRS,
    "grid": GRID,
    "peers": {**IMML, **MVLEARN},
}
