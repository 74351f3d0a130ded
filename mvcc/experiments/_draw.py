"""What a trial draws for all of its cells: order of instances, constraints, mapping (§6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import product
from typing import Any

import numpy as np

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.reading import StrPath
from mvcc.constraints import Constraints, Relations, rewire_relations, sample_relations
from mvcc.datasets import Dataset, load_dataset
from mvcc.embedding import AutoScaler, spectral_features, unscaled_spectral_features
from mvcc.exceptions import InvalidInputError
from mvcc.experiments._config import Config, Features
from mvcc.results import POOLED


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
