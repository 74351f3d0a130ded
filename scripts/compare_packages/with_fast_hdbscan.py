"""Try fast_hdbscan: finds the number of clusters itself, leaves rows out as noise, takes cannot-
links.

Must-links have no place of their own; the nearest thing are labels of some rows
(``semi_supervised``): every must-link neighborhood becomes a label. View 1 gets the pairs that one
can carry over by hand.
"""

from __future__ import annotations

import numpy as np
from fast_hdbscan import HDBSCAN, PLSCAN
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from trying import probe, try_all


def as_matrix(pairs, n_rows):
    """Return the (n, n) matrix of the pairs, both ways."""
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    return coo_array((np.ones(len(ends), dtype=bool), ends.T), shape=(n_rows, n_rows)).tocsr()


def as_partial_labels(must_link, n_rows):
    """Return a label per row: the number of its must-link neighborhood, -1 without one."""
    _, component = connected_components(as_matrix(must_link, n_rows), directed=False)
    return np.where(np.isin(np.arange(n_rows), must_link), component, -1)


def each_view_alone(method, *, must_link=False, cannot_link=False, **options):
    """One fit per view, with the kinds of constraints that are asked for."""

    def entry(task):
        labels = {}
        for view, X in enumerate(task.views):
            carry = (lambda pairs: pairs) if view == 0 else task.carried
            chosen, given = dict(options), {}
            if cannot_link:
                chosen.update(
                    algorithm="kruskal", cannot_link=as_matrix(carry(task.cannot_link), len(X))
                )
            if must_link:
                chosen["semi_supervised"] = True
                given["y"] = as_partial_labels(carry(task.must_link), len(X))
            labels[str(view)] = method(**chosen).fit(X, **given).labels_
        return labels

    return entry


def probes():
    """Return questions; the page quotes the answers."""
    X = np.random.default_rng(0).random((60, 4))
    pair = as_matrix(np.array([[0, 1]]), len(X))
    return {
        "several views": lambda: HDBSCAN().fit([X, X[:50]]),
        "number of clusters": lambda: HDBSCAN(n_clusters=3).fit(X),
        "must-links": lambda: HDBSCAN(must_link=pair).fit(X),
        "cannot-links, default algorithm": lambda: HDBSCAN(cannot_link=pair).fit(X),
        "cannot-links, algorithm='kruskal'": (
            lambda: HDBSCAN(cannot_link=pair, algorithm="kruskal").fit(X)
        ),
        "a list of cannot-links": lambda: PLSCAN(cannot_link=[(0, 1)], algorithm="kruskal").fit(X),
        "predict": lambda: HDBSCAN().fit(X).predict(X),
    }


if __name__ == "__main__":
    entries = {
        "HDBSCAN": each_view_alone(HDBSCAN),
        "HDBSCAN, cannot-links": each_view_alone(HDBSCAN, cannot_link=True),
        "HDBSCAN, both kinds": each_view_alone(HDBSCAN, must_link=True, cannot_link=True),
        "HDBSCAN of size 20": each_view_alone(HDBSCAN, min_cluster_size=20),
        "HDBSCAN of size 20, cannot-links": each_view_alone(
            HDBSCAN, min_cluster_size=20, cannot_link=True
        ),
        "PLSCAN": each_view_alone(PLSCAN),
        "PLSCAN, cannot-links": each_view_alone(PLSCAN, cannot_link=True),
    }
    probe(probes())
    try_all(
        "fast_hdbscan", ["fast_hdbscan", "pynndescent", "numba", "numpy", "scikit-learn"], entries
    )
