"""One trial: all cells of an experiment on one draw of data, constraints and mapping."""

from __future__ import annotations

import warnings
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mvcc import transfer
from mvcc.cluster import MPCKMeans, PCKMeans
from mvcc.constraints import Constraints
from mvcc.experiments._config import Config
from mvcc.experiments._plan import MULTI_VIEW, Cell, Draw, Role, draw_trial, multi_view_cells, stream
from mvcc.mapping import Relations, augment
from mvcc.metrics import pairwise_f_measure
from mvcc.multiview import MultiViewConstrainedClustering

BASES: dict[str, Any] = {"pck-means": PCKMeans, "mpck-means": MPCKMeans}
TRANSFERS: dict[str, Any] = {
    "constraint-propagation": transfer.ConstraintPropagation,
    "direct-mapping": transfer.DirectMapping,
    "cluster-membership": transfer.ClusterMembership,
    "single-view": transfer.SingleView,
}
KINDS = (("must_link", True), ("cannot_link", False))


def run_trial(config: Config, trial: int, data_dir: str | PathLike[str] | None = None) -> pd.DataFrame:
    """Compute all cells of one trial.

    Returns
    -------
    DataFrame
        One row per cell: its key, the mean F-measure of the views, number, weight and weighted precision of the
        propagated constraints (summed over the views, averaged over the co-EM iterations), iterations, convergence.
    """
    # Some BLAS sum in another order on more threads, and workers must not compete for the cores.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is a column of the results
        draw = draw_trial(config, trial, data_dir)
        seed = int(stream(config, trial, Role.CLUSTERING).generate_state(1)[0])
        closed: dict[Any, tuple[list[Constraints], Relations]] = {}
        rows = [
            {"trial": trial, "experiment": MULTI_VIEW, "dataset": config.dataset}
            | _run_cell(config, cell, draw, closed, seed)
            for cell in multi_view_cells(config)
        ]
    return pd.DataFrame(rows)


def _run_cell(config: Config, cell: Cell, draw: Draw, closed: dict[Any, Any], seed: int) -> dict[str, Any]:
    plan = config.multi_view
    key = (cell.mapped, cell.n_constraints)
    if key not in closed:  # the same for all bases and methods
        mapping = {} if cell.mapped is None else draw.relations[cell.mapped]
        closed[key] = augment(draw.constraints[cell.n_constraints], mapping, plan.closure)
    constraints, relations = closed[key]
    options = {"threshold": plan.threshold} if cell.method == "constraint-propagation" else {}
    n_clusters = 1 + max(int(y.max()) for y in draw.labels)
    model = MultiViewConstrainedClustering(
        BASES[cell.base](n_clusters), TRANSFERS[cell.method](**options), closure="none", random_state=seed
    )
    model.fit(draw.views, constraints=constraints, mappings=relations)
    scores = [pairwise_f_measure(y, found) for y, found in zip(draw.labels, model.labels_, strict=True)]
    return {
        "base": cell.base,
        "method": cell.method,
        "mapped": np.nan if cell.mapped is None else cell.mapped,
        "n_constraints": cell.n_constraints,
        "f_measure": float(np.mean(scores)),
        **_propagated(model, draw.labels),
        "iterations": model.n_iter_,
        "converged": int(model.converged_),
    }


def _propagated(model: MultiViewConstrainedClustering, labels: list[NDArray[np.int64]]) -> dict[str, float]:
    """Count and weigh what the views passed on, by kind."""
    records = [(record.propagated, y) for views in model.history_ for record, y in zip(views, labels, strict=True)]
    summary = {}
    for name, kind in KINDS:
        number = total = correct = 0.0
        for constraints, y in records:
            chosen = constraints.must_link == kind
            i, j = constraints.pairs[chosen].T
            weights = constraints.weights[chosen]
            number += len(weights)
            total += float(weights.sum())
            correct += float(weights[(y[i] == y[j]) == kind].sum())
        summary[f"propagated_{name}s"] = number / model.n_iter_
        summary[f"weight_{name}s"] = total / model.n_iter_
        summary[f"precision_{name}"] = correct / total if total else np.nan
    return summary


def warm_up(config: Config) -> None:
    """Compile every kernel that the experiment needs, on a few points."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    draw = Draw(
        views=[X, X],
        labels=[np.arange(12) % 2] * 2,
        constraints={0: [Constraints.from_labels(np.arange(12) % 2, 6, 0)] * 2},
        relations={1.0: {(0, 1): np.column_stack((np.arange(12), np.arange(12)))}},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for base in config.multi_view.bases:
            for method in config.multi_view.transfers:
                _run_cell(config, Cell(base, method, 1.0, 0), draw, {}, 0)
