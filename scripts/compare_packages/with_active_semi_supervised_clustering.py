"""Try active-semi-supervised-clustering: constraints, one view at a time.

View 0 gets its constraints, view 1 those of them that one can carry over by hand.
"""

from __future__ import annotations

import numpy as np
from active_semi_clustering.semi_supervised.pairwise_constraints import (
    COPKMeans,
    MPCKMeans,
    PCKMeans,
)
from trying import N_CLUSTERS, probe, try_all


def each_view_alone(method):
    """One fit per view."""

    def entry(task):
        given = {"ml": task.must_link.tolist(), "cl": task.cannot_link.tolist()}
        carried = {
            "ml": task.carried(task.must_link).tolist(),
            "cl": task.carried(task.cannot_link).tolist(),
        }
        return {
            "0": method(n_clusters=N_CLUSTERS).fit(task.views[0], **given).labels_,
            "1": method(n_clusters=N_CLUSTERS).fit(task.views[1], **carried).labels_,
        }

    return entry


def probes():
    """Return questions; the page quotes the answers."""
    X = np.random.default_rng(0).random((60, 4))
    return {
        "several views": lambda: PCKMeans(3).fit([X, X[:50]], ml=[(0, 1)]),
        "a weight per constraint": lambda: PCKMeans(3).fit(X, ml=[(0, 1, 0.5)]),
        "contradicting constraints": lambda: PCKMeans(3).fit(X, ml=[(0, 1), (1, 2)], cl=[(0, 2)]),
        "hard constraints that cannot be kept": lambda: COPKMeans(2).fit(
            X, cl=[(0, 1), (1, 2), (0, 2)]
        ),
        "predict": lambda: PCKMeans(3).fit(X, ml=[(0, 1)]).predict(X),
    }


if __name__ == "__main__":
    package = "active-semi-supervised-clustering"
    versions = [package, "numpy", "scikit-learn", "metric-learn"]
    probe(probes())
    try_all(
        package,
        versions,
        {"PCKMeans": each_view_alone(PCKMeans), "COPKMeans": each_view_alone(COPKMeans)},
    )
    # minutes per fit: one task, nothing to compile
    try_all(
        package, versions, {"MPCKMeans": each_view_alone(MPCKMeans)}, seeds=range(1), warm_up=False
    )
