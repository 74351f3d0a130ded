"""What one trial draws, and the cells it computes: every base × method × mapped portion × number of constraints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from mvcc.constraints import Constraints
from mvcc.datasets import load_dataset
from mvcc.embedding import spectral_features, unscaled_spectral_features
from mvcc.experiments._config import Config, Features
from mvcc.mapping import Relations, sample_relations

MULTI_VIEW = "multi-view"


class Role(IntEnum):
    """What a random stream of a trial is for. The numbers are part of every result: never change them."""

    DATA = 0
    ORDER = 1
    CONSTRAINTS = 2
    MAPPING = 3
    CLUSTERING = 4


@dataclass(frozen=True)
class Cell:
    """One point of one learning curve; without a mapped portion for Single View, which uses none."""

    base: str
    method: str
    mapped: float | None
    n_constraints: int


@dataclass(frozen=True)
class Draw:
    """The data of one trial, shared by all methods.

    Attributes
    ----------
    views, labels : lists with one array per view
        Instances in the space that is clustered, and their true classes, shuffled.
    constraints : dict {number of constraints: list of Constraints, one per view}
        Nested: a larger number contains the smaller.
    relations : dict {mapped portion: relations}
        Nested as well.
    """

    views: list[NDArray[np.float64]]
    labels: list[NDArray[np.int64]]
    constraints: dict[int, list[Constraints]]
    relations: dict[float, Relations]


def multi_view_cells(config: Config) -> Iterator[Cell]:
    """List the cells of the multi-view experiment in the order of the results."""
    plan = config.multi_view
    for base in plan.bases:
        for method in plan.transfers:
            for mapped in (None,) if method == "single-view" else plan.mapped:
                for number in plan.constraints:
                    yield Cell(base, method, mapped, number)


def stream(config: Config, trial: int, role: Role, part: int = 0) -> np.random.SeedSequence:
    """Return the seed of one random stream of a trial, for one part (a view) of it."""
    return np.random.SeedSequence(config.seed, spawn_key=(trial, role, part))


def draw_trial(config: Config, trial: int, data_dir: str | PathLike[str] | None = None) -> Draw:
    """Draw order, constraints and mapping of one trial (§6.2).

    The instances are shuffled, so that their order tells nothing about their class.

    Raises
    ------
    MvccError
        When the data cannot be loaded or do not allow what the config asks for.
    """
    plan = config.multi_view
    dataset = load_dataset(
        config.dataset, data_dir=data_dir, random_state=stream(config, trial, Role.DATA), **config.dataset_options
    )
    views, labels, places = [], [], []
    for number, (X, y) in enumerate(zip(dataset.views, dataset.labels, strict=True)):
        order = np.random.default_rng(stream(config, trial, Role.ORDER, number)).permutation(len(X))
        views.append(np.ascontiguousarray(embed(X, config.features)[order]))
        labels.append(y[order])
        places.append(np.argsort(order))
    constraints = {
        n: [
            Constraints.from_labels(y, n, np.random.default_rng(stream(config, trial, Role.CONSTRAINTS, number)))
            for number, y in enumerate(labels)
        ]
        for n in plan.constraints
    }
    relations: dict[float, Relations] = {mapped: {} for mapped in plan.mapped}
    for number, ((u, v), rows) in enumerate(sorted(dataset.relations.items())):
        moved = np.column_stack((places[u][rows[:, 0]], places[v][rows[:, 1]]))
        rng = np.random.default_rng(stream(config, trial, Role.MAPPING, number))
        for mapped, portion in zip(plan.mapped, sample_relations(moved, plan.mapped, rng), strict=True):
            relations[mapped][u, v] = portion
    return Draw(views, labels, constraints, relations)


def embed(X: NDArray[np.float64], features: Features) -> NDArray[np.float64]:
    """Make the features that are clustered (§6.1). The order of the rows does not matter to them."""
    if features.method == "none":
        return X
    assert features.n_components is not None  # the config demands it
    assert features.sigma is not None
    compute = unscaled_spectral_features if features.scaling == "none" else spectral_features
    return compute(X, features.n_components, sigma=features.sigma)
