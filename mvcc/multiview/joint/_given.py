"""What `JointGraphClustering` checks of what it is given, and what it leaves out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mvcc._utils.messages import called, shown
from mvcc._utils.types import Bools, Floats, Ints
from mvcc._utils.validation import as_floats
from mvcc.constraints import Constraints, Relations
from mvcc.embedding import find_objects, separate_problems
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.joint._joint_set import Settings


def without(dropped: dict[tuple[int, int], Bools], relations: Relations) -> Relations:
    return {key: rows[~dropped[key]] for key, rows in relations.items()}


def put_back(found: NDArray[Any], contradicted: Bools) -> NDArray[Any]:
    """Return what was found of confirmed matches, and 1 for those that others contradict."""
    everything = np.ones(len(contradicted), found.dtype)
    everything[~contradicted] = found
    return everything


def checked_problems(
    data: list[Floats], relations: Relations, settings: Settings, names: list[str] | None
) -> list[tuple[list[int], Relations]]:
    """Return the sets of views that relations connect, with them; refuse too few objects."""
    problems = separate_problems(len(data), relations)
    for numbers, inside in problems:
        n_objects, _ = find_objects([len(data[number]) for number in numbers], inside)
        for name, wanted in (
            ("n_clusters", settings.n_clusters),
            ("n_components", settings.n_components or 1),
        ):
            if wanted > n_objects:
                where = ", ".join(called(number, names) for number in numbers)
                have = f"views {where} have {n_objects} (matched rows are one)"
                if len(numbers) == 1:
                    have = f"view {where} has {n_objects}"
                raise InvalidInputError(
                    f"{name}={wanted} needs as many objects, but {have}; ask for fewer."
                )
    return problems


def checked_weights(view_weights: ArrayLike | None, n_views: int) -> Floats:
    if view_weights is None:
        return np.ones(n_views)
    weights = as_floats(view_weights, "view_weights")
    usable = (
        weights.shape == (n_views,) and weights.dtype == np.float64 and np.isfinite(weights).all()
    )
    if not usable or (weights < 0).any() or not weights.any():
        raise InvalidInputError(
            f"view_weights must be one number of 0 or more for each of the {n_views} views, one of"
            f" them above 0, got {shown(view_weights)}."
        )
    return weights


def of_some_weight(given: Constraints) -> Constraints:
    return given.select(given.weights > 0) if given._parts is None else given


def violated(given: Constraints, labels: Ints) -> Constraints:
    pairs, must_link, weights = given.spanning()
    broken = (labels[pairs[:, 0]] == labels[pairs[:, 1]]) != must_link
    if given._parts is None:
        return given.select(broken)  # which knows the lines of its file
    return Constraints.from_repeated(
        np.sort(pairs[broken], axis=1), must_link[broken], weights[broken]
    )
