"""Try mvlearn: multi-view, without constraints.

Views of unequal size are refused, so that it gets the matched rows.
"""

from __future__ import annotations

import warnings

import numpy as np
from mvlearn.cluster import (
    MultiviewCoRegSpectralClustering,
    MultiviewKMeans,
    MultiviewSpectralClustering,
    MultiviewSphericalKMeans,
)
from trying import N_CLUSTERS, probe, try_all

METHODS = [MultiviewKMeans, MultiviewSphericalKMeans]
METHODS += [MultiviewSpectralClustering, MultiviewCoRegSpectralClustering]


def cut(method):
    """Both views cut to the matched rows."""

    def entry(task):
        model = method(n_clusters=N_CLUSTERS, random_state=task.seed)
        return {"matched": model.fit_predict(task.matched_rows())}

    return entry


def probes():
    """Return questions; the page quotes the answers."""
    X, Y, Z = (np.random.default_rng(seed).random((300, 4)) for seed in range(3))
    with_gaps = np.where(np.arange(300)[:, None] < 50, np.nan, Y)
    fitted = MultiviewKMeans(n_clusters=3, random_state=0).fit([X, Y])
    return {
        **{
            f"unequal views, {m.__name__}": lambda m=m: m(n_clusters=3).fit_predict([X, Y[:200]])
            for m in METHODS
        },
        "missing rows as NaN": lambda: MultiviewKMeans(n_clusters=3).fit([X, with_gaps]),
        "constraints": lambda: MultiviewKMeans(n_clusters=3).fit([X, Y], constraints=[(0, 1)]),
        **{
            f"three views, {m.__name__}": lambda m=m: m(n_clusters=3).fit_predict([X, Y, Z])
            for m in METHODS
        },
        "predict, rows in both views": lambda: fitted.predict([X, Y]),
        "predict, rows in one view": lambda: fitted.predict([X]),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    probe(probes())
    try_all(
        "mvlearn",
        ["mvlearn", "numpy", "scikit-learn"],
        {method.__name__: cut(method) for method in METHODS},
    )
