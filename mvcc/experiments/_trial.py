"""One trial: what it draws, and all cells of an experiment on that; the example of Figure 3.

Order of instances, constraints and mapping are drawn for all cells (§6.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.contexts import quiet_fit
from mvcc._utils.reading import StrPath
from mvcc.constraints import Constraints, Relations, augment, rewire_relations, sample_relations
from mvcc.datasets import Dataset, load_dataset
from mvcc.embedding import AutoScaler, spectral_features, unscaled_spectral_features
from mvcc.exceptions import InvalidInputError
from mvcc.experiments._config import Closure, Config, Features
from mvcc.experiments._plan import MULTI_VIEW, list_cells
from mvcc.metrics import pairwise_f_measure
from mvcc.multiview import (
    MultiViewConstrainedClustering,
    compile_kernels,
    make_base,
    make_without_base,
    transfer_class,
    transfer_origin,
)
from mvcc.propagation import Gaussians, fit_gaussians
from mvcc.results import CROSS_VALIDATED, JOINT, K_MEANS, KINDS, MEASURES, POOLED, PROPAGATION, Cell


class Role(IntEnum):
    """What a random stream is for. The numbers are part of every result: never change them."""

    DATA = 0
    ORDER = 1
    CONSTRAINTS = 2
    MAPPING = 3
    CLUSTERING = 4
    REWIRING = 5


@dataclass(frozen=True)
class DrawnView:
    """One view in the space that is clustered, shuffled; constraints by number are nested."""

    name: str
    X: Floats
    y: Ints
    constraints: dict[int, Constraints]


@dataclass(frozen=True)
class Draw:
    """The data of one trial; its relations, by (mapped, rewired) share, are nested."""

    views: list[DrawnView]
    single: dict[str, DrawnView]  # of the single-view experiments, by name
    relations: dict[tuple[float | None, float | None], Relations]


def stream(config: Config, trial: int, role: Role, part: int = 0) -> np.random.SeedSequence:
    """Return the seed of one random stream of a trial, for one part (a view) of it."""
    return np.random.SeedSequence(config.seed, spawn_key=(trial, role, part))


def draw_trial(config: Config, trial: int, data_dir: StrPath | None = None) -> Draw:
    """Draw the data of one trial, shuffled, so that the order tells nothing about the class."""
    seed = stream(config, trial, Role.DATA)
    dataset = load_dataset(
        config.dataset, data_dir=data_dir, random_state=seed, **config.dataset_options
    )
    parts = list(zip(dataset.names, dataset.views, dataset.labels, strict=True))
    plan, single = config.multi_view, config.single_view
    together = plan.constraints if plan else ()  # numbers of constraints, and those of views alone
    alone = dict.fromkeys(single.thresholds, single.constraints) if single else {}
    # of a data set whose views no config knows
    if unknown := sorted(alone.keys() - {*dataset.names, POOLED}):
        raise InvalidInputError(
            f"{config.dataset} has no view {unknown[0]}; it has {', '.join(dataset.names)}."
        )
    if POOLED in alone:
        n_classes = 1 + max(int(y.max()) for y in dataset.labels)  # kept apart
        labels = [y + part * n_classes for part, y in enumerate(dataset.labels)]
        parts.append((POOLED, np.concatenate(dataset.views), np.concatenate(labels)))
    orders, drawn = [], []
    for part, (name, X, y) in enumerate(parts):
        rng = np.random.default_rng(stream(config, trial, Role.ORDER, part))
        order = rng.permutation(len(y))
        orders.append(order)
        seed = stream(config, trial, Role.CONSTRAINTS, part)
        n_constraints = {*alone.get(name, ())}
        if part < len(dataset.views):
            n_constraints.update(together)
        constraints = {
            n: Constraints.from_labels(y[order], n, np.random.default_rng(seed))
            for n in sorted(n_constraints)
        }
        features = np.ascontiguousarray(embed(X, config.features)[order])
        drawn.append(DrawnView(name, features, y[order], constraints))
    return Draw(
        drawn[: len(dataset.views)],
        {view.name: view for view in drawn if view.name in alone},
        _relations(config, trial, dataset, [np.argsort(order) for order in orders]),
    )


def _relations(
    config: Config, trial: int, dataset: Dataset, positions: list[Ints]
) -> dict[tuple[float | None, float | None], Relations]:
    plan = config.multi_view
    if plan is None:
        return {}
    drawn: dict[Any, Relations] = {shares: {} for shares in product(plan.mapped, plan.rewired)}
    for index, ((u, v), rows) in enumerate(sorted(dataset.relations.items())):
        moved = np.column_stack((positions[u][rows[:, 0]], positions[v][rows[:, 1]]))
        for rewired in plan.rewired:
            rng = np.random.default_rng(stream(config, trial, Role.REWIRING, index))
            relations = rewire_relations(moved, rewired, rng)
            rng = np.random.default_rng(stream(config, trial, Role.MAPPING, index))
            for mapped, portion in zip(
                plan.mapped, sample_relations(relations, plan.mapped, rng), strict=True
            ):
                drawn[mapped, rewired][u, v] = portion
    return drawn


def embed(X: Floats, features: Features) -> Floats:
    """Make the features that are clustered (§6.1), whatever the order of the rows."""
    if features.method == "none":
        return X
    if features.method == "auto":
        return AutoScaler().set_output(transform="default").fit_transform(X)
    assert features.n_components is not None  # the config demands it
    assert features.sigma is not None
    compute = unscaled_spectral_features if features.scaling == "none" else spectral_features
    return compute(X, features.n_components, sigma=features.sigma)


@dataclass(frozen=True)
class Problem:
    """What all bases and methods of one cell are given: as drawn, and closed."""

    views: list[Floats]
    labels: list[Ints]
    drawn: tuple[list[Constraints], Relations]
    closed: tuple[list[Constraints], Relations]


def run_trial(config: Config, trial: int, data_dir: StrPath | None = None) -> pd.DataFrame:
    """Compute all cells of one trial."""
    # the table has a row per cell: its key, the mean F-measure of the views, and the measures of
    # co-EM (constraints are summed over the views, and averaged over the iterations), which methods
    # without a base lack
    rows, problems = [], dict[Any, Problem]()
    scores: dict[str, float] = {}  # F of methods without a base; k-means' is the same in all cells
    with quiet_fit():
        draw, seed = draw_trial(config, trial, data_dir), clustering_seed(config, trial)
        for cell in list_cells(config):
            key = (cell.view, cell.closure, cell.mapped, cell.rewired, cell.n_constraints)
            if key not in problems:
                problems[key] = make_problem(cell, draw)
            problem = problems[key]
            if cell.base is None:
                if cell.method not in scores or cell.method != K_MEANS:
                    labels = cluster_without_base(config, cell, problem, seed)
                    scores[cell.method] = mean_f_measure(problem, labels)
                measures = {"f_measure": scores[cell.method], **dict.fromkeys(MEASURES, np.nan)}
            else:
                measures = _measures(fit(config, cell, problem, seed), problem, cell)
            rows.append({"trial": trial, **cell._asdict(), **measures})
    return pd.DataFrame(rows)


def clustering_seed(config: Config, trial: int) -> int:
    return int(stream(config, trial, Role.CLUSTERING).generate_state(1)[0])


def make_problem(cell: Cell, draw: Draw) -> Problem:
    """Return the problem of a cell, closed once for all methods that have a base."""
    views = [draw.single[cell.view]] if cell.view is not None else draw.views
    relations = draw.relations.get((cell.mapped, cell.rewired), {})
    drawn = [view.constraints[cell.n_constraints] for view in views], relations
    closed = augment(*drawn, cell.closure or "none")[:2]
    return Problem([view.X for view in views], [view.y for view in views], drawn, closed)


def mean_f_measure(problem: Problem, labels: Sequence[Ints]) -> float:
    return float(np.mean(list(map(pairwise_f_measure, problem.labels, labels))))


def cluster_without_base(config: Config, cell: Cell, problem: Problem, seed: int) -> Sequence[Ints]:
    """Return the labels by a method without a base, from constraints and relations as drawn."""
    options, _ = _settings(config, cell)
    model = make_without_base(cell.method, _n_clusters(problem), random_state=seed, **options)
    if cell.method != JOINT:
        return [model.fit_predict(X) for X in problem.views]
    constraints, relations = problem.drawn
    return model.fit_predict(problem.views, constraints=constraints, mappings=relations)


def _n_clusters(problem: Problem) -> int:
    return 1 + max(int(y.max()) for y in problem.labels)


def _settings(config: Config, cell: Cell) -> tuple[dict[str, Any], str | None]:
    """Return the options of the method of a cell, and the start of its base."""
    if config.multi_view is None or cell.experiment != MULTI_VIEW:
        return {}, None
    options = (config.multi_view.transfer_options or {}).get(cell.method, {})
    return dict(options), config.multi_view.init


def fit(config: Config, cell: Cell, problem: Problem, seed: int) -> MultiViewConstrainedClustering:
    assert cell.base is not None  # of such cells alone there is a model with a history
    assert cell.closure is not None
    closure: Closure = "none"  # it is closed already
    constraints, relations = problem.closed
    options, init = _settings(config, cell)
    if cell.threshold == CROSS_VALIDATED:
        # what is held out must not be seen through the closure: each part is closed by itself
        constraints, relations = problem.drawn
        closure = cell.closure
        options["threshold"] = cell.threshold
    elif cell.threshold is not None:
        options["threshold"] = float(cell.threshold)
    base = make_base(cell.base, _n_clusters(problem), init)
    transfer = transfer_class(cell.method)(**options)
    model = MultiViewConstrainedClustering(base, transfer, closure=closure, random_state=seed)
    return model.fit(problem.views, constraints=constraints, mappings=relations)


def _measures(
    model: MultiViewConstrainedClustering, problem: Problem, cell: Cell
) -> dict[str, Any]:
    """Return F and the measures of co-EM; what views passed on is counted and weighed by kind."""
    sums = np.zeros((len(KINDS), 2, 3))
    former: list[tuple[Any, Any]] = [(None, None)] * len(problem.labels)
    for records in model.history_:
        for view, (record, given, y) in enumerate(
            zip(records, problem.closed[0], problem.labels, strict=True)
        ):
            # a view that was not fitted anew passes on the same object, which is tallied once
            if record.propagated is not former[view][0]:
                former[view] = record.propagated, _tally(record.propagated, given, y)
            sums += former[view][1]
    summary = {"f_measure": mean_f_measure(problem, model.labels_)}
    for name, of_kind in zip(KINDS, sums, strict=True):
        for row, verb, prefix in ((0, "propagated", ""), (1, "inferred", "inferred_")):
            count, weight, correct_weight = of_kind[row]
            with np.errstate(invalid="ignore"):  # what weighs nothing has no precision
                precision = correct_weight / weight
            summary[f"{verb}_{name}s"] = count / model.n_iter_
            summary[f"{prefix}weight_{name}s"] = weight / model.n_iter_
            summary[f"{prefix}precision_{name}"] = precision
    threshold: Any = model.transfer_.threshold if cell.threshold == CROSS_VALIDATED else np.nan
    return summary | {
        "iterations": model.n_iter_,
        "converged": int(model.converged_),
        "chosen_threshold": threshold,
        "disagreement": max(diagnosis.disagreement for diagnosis in model.diagnostics_),
        "divergence": min(diagnosis.divergence for diagnosis in model.diagnostics_),
    }


def _tally(constraints: Constraints, given: Constraints, y: Ints) -> Floats:
    """Return number, weight and correct weight of constraints, by kind: of all, of new ones."""
    pairs, must_link, weights = constraints.listed()
    is_correct = (y[pairs[:, 0]] == y[pairs[:, 1]]) == must_link
    is_new = ~constraints.is_among(given)
    tally = np.empty((2, 2, 3))
    for kind, of_kind in enumerate((must_link, ~must_link)):
        for row, chosen in enumerate((of_kind, of_kind & is_new)):
            right = chosen & is_correct
            tally[kind, row] = chosen.sum(), weights[chosen].sum(), weights[right].sum()
    return tally


def warm_up(config: Config) -> None:
    """Compile every kernel that the experiment needs, on a few points."""
    # methods of other packages may need more than a few points; what they call of ours is most
    # likely propagation
    used = set()
    for cell in list_cells(config):
        method = PROPAGATION if transfer_origin(cell.method) else cell.method
        used.add((cell.base, method, _settings(config, cell)[1]))
    with quiet_fit():
        compile_kernels(sorted(used, key=str))


def example_cluster(config: Config, data_dir: StrPath | None = None) -> dict[str, Any] | None:
    """Take the cluster with most must-links, with its innermost and outermost one, for Figure 3."""
    # it is that of the first trial with Constraint Propagation, the middle of the first base's
    # list; None but for the paper's own experiments on points of a plane
    key = (MULTI_VIEW, PROPAGATION)
    cells = [cell for cell in list_cells(config) if (cell.experiment, cell.method) == key]
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
    cell: Cell, X: Floats, labels: Ints, constraints: Constraints, gaussians: Gaussians
) -> dict[str, Any] | None:
    ends = constraints.pairs[constraints.must_link]
    ends = ends[labels[ends[:, 0]] == labels[ends[:, 1]]]
    cluster = int(np.bincount(labels[ends[:, 0]], minlength=1).argmax())
    ends = ends[labels[ends[:, 0]] == cluster]
    if len(ends) < 2:
        return None
    confidence = gaussians.memberships(X, ends.ravel(), labels).reshape(-1, 2)
    order = np.argsort(confidence.prod(axis=1), kind="stable")
    chosen = []
    for which in (order[-1], order[0]):
        pairs = zip(ends[which], confidence[which], strict=True)
        points = [{"point": X[row].tolist(), "membership": float(G)} for row, G in pairs]
        chosen.append({"kind": "must-link", "ends": points})
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
        "constraints": chosen,
    }
