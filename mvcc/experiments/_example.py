"""The example of Figure 3: one cluster of a real run, and how far two of its constraints propagate (§5.1)."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mvcc.constraints import Constraints
from mvcc.experiments._cells import MULTI_VIEW, Cell, list_cells
from mvcc.experiments._config import Config
from mvcc.experiments._draw import draw_trial
from mvcc.experiments._trial import clustering_seed, fit, make_problem
from mvcc.propagation import Gaussians, fit_gaussians
from mvcc.results import PROPAGATION


def example_cluster(config: Config, data_dir: str | PathLike[str] | None = None) -> dict[str, Any] | None:
    """Take from the first trial the cluster with most must-links, and two of them: the innermost and the outermost.

    Of the cells with Constraint Propagation, it is the one in the middle of the first base's list. None but for the
    paper's own experiments on points of a plane.
    """
    cells = [cell for cell in list_cells(config) if cell.experiment == MULTI_VIEW and cell.method == PROPAGATION]
    cells = [cell for cell in cells if cell.base == cells[0].base]
    if not cells or config.study != "main" or config.features.method != "none":
        return None
    cell = cells[len(cells) // 2]
    problem = make_problem(cell, draw_trial(config, 0, data_dir))
    X = problem.views[0]
    if X.shape[1] != 2:
        return None
    model = fit(config, cell, problem, clustering_seed(config, 0))
    metrics = getattr(model.clusterers_[0], "metrics_", None)
    gaussians = fit_gaussians(X, model.labels_[0], metrics, model.transfer_.regularization)
    return _describe(cell, X, model.labels_[0], problem.drawn[0][0], gaussians)


def _describe(
    cell: Cell,
    X: NDArray[np.float64],
    labels: NDArray[np.int64],
    constraints: Constraints,
    gaussians: Gaussians,
) -> dict[str, Any] | None:
    ends = constraints.pairs[constraints.must_link]
    ends = ends[labels[ends[:, 0]] == labels[ends[:, 1]]]
    if len(ends) < 2:
        return None
    cluster = int(np.bincount(labels[ends[:, 0]]).argmax())
    ends = ends[labels[ends[:, 0]] == cluster]
    if len(ends) < 2:
        return None
    confidence = gaussians.memberships(X, ends.ravel(), labels).reshape(-1, 2)
    order = np.argsort(confidence.prod(axis=1), kind="stable")
    return {
        "dataset": cell.dataset,
        "base": cell.base,
        "trial": 0,
        "cluster": cluster,
        "threshold": cell.threshold,
        "n_constraints": cell.n_constraints,
        "points": X[labels == cluster].tolist(),
        "mean": gaussians.means[cluster].tolist(),
        "covariance": gaussians.covariances[cluster].tolist(),
        "constraints": [
            {
                "kind": "must-link",
                "ends": [
                    {"point": X[row].tolist(), "membership": float(G)}
                    for row, G in zip(ends[which], confidence[which], strict=True)
                ],
            }
            for which in (order[-1], order[0])
        ],
    }
