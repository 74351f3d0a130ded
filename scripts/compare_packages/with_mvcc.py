"""Try mvcc on both views as they are, and k-means (scikit-learn) as what is had without constraints
and matches.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.cluster import KMeans
from trying import N_CLUSTERS, Task, probe, try_all

from mvcc import (
    Constraints,
    JointGraphClustering,
    MPCKMeans,
    MultiViewConstrainedClustering,
    PCKMeans,
)


def joint(task: Task) -> dict:
    """Both views in one graph of their objects."""
    return fitted(JointGraphClustering(N_CLUSTERS, random_state=task.seed, features="none"), task)


def co_em(base):
    """Both views by the paper's method, with Constraint Propagation."""

    def entry(task: Task) -> dict:
        return fitted(
            MultiViewConstrainedClustering(base(N_CLUSTERS), random_state=task.seed), task
        )

    return entry


def fitted(model, task: Task) -> dict:
    judged = Constraints.from_pairs(must_link=task.must_link, cannot_link=task.cannot_link)
    model.fit(task.views, constraints=[judged, None], mappings={(0, 1): task.matched})
    return {str(view): labels for view, labels in enumerate(model.labels_)}


def k_means(task: Task) -> dict:
    """Each view alone, nothing known."""
    model = KMeans(N_CLUSTERS, n_init=10, random_state=task.seed)
    return {str(view): model.fit_predict(X) for view, X in enumerate(task.views)}


def probes():
    """Return questions; the page quotes the answers."""
    X, Y, Z = (
        np.random.default_rng(view).random((rows, 3 + view))
        for view, rows in enumerate([60, 50, 40])
    )
    judged = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(0, 2)])
    weighted = Constraints([(0, 1), (0, 2)], [True, False], weights=[0.5, 1.0])
    against = Constraints.from_pairs(must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    model = MultiViewConstrainedClustering(PCKMeans(3), random_state=0)
    return {
        "unequal views, matches": lambda: model.fit(
            [X, Y], constraints=[judged, None], mappings=matches_between(2)
        ),
        "three views": lambda: model.fit(
            [X, Y, Z], constraints=[judged, None, None], mappings=matches_between(3)
        ),
        "a weight per constraint": lambda: model.fit([X], constraints=[weighted]),
        "contradicting constraints": lambda: model.fit([X], constraints=[against]),
        "predict, rows in one view": lambda: model.fit([X]).clusterers_[0].predict(X),
    }


def matches_between(n_views):
    """Return three matches between each two neighboring views."""
    return {(view, view + 1): [(0, 0), (1, 1), (2, 2)] for view in range(n_views - 1)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    probe(probes())
    entries = {
        "JointGraphClustering": joint,
        "co-EM, PCKMeans": co_em(PCKMeans),
        "co-EM, MPCKMeans": co_em(MPCKMeans),
    }
    try_all("mvcc", ["mvcc", "numba", "numpy", "scikit-learn"], entries)
    try_all("scikit-learn", ["numpy", "scikit-learn"], {"KMeans": k_means})
