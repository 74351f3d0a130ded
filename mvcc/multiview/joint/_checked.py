"""What the estimator checks of what it is given, and which constraints count or are violated."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.messages import shown
from mvcc._utils.validation import as_floats
from mvcc.constraints import Constraints, Relations
from mvcc.embedding import connected_views, find_objects, refuse_more_than_objects
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.joint._joint_set import Settings


def checked_connected_views(
    data: list[Floats], relations: Relations, settings: Settings, names: list[str] | None
) -> list[tuple[list[int], Relations]]:
    """Return the sets of views that relations connect, with them; refuse too few objects."""
    connected = connected_views(len(data), relations)
    for views, inside in connected:
        n_objects, _ = find_objects([len(data[view]) for view in views], inside)
        set_facts = n_objects, views, names
        refuse_more_than_objects("n_clusters", settings.n_clusters, *set_facts)
        refuse_more_than_objects("n_components", settings.n_components or 1, *set_facts)
    return connected


def checked_weights(view_weights: ArrayLike | None, n_views: int) -> Floats:
    """Return the weights of all views, 1 by default."""
    if view_weights is None:
        return np.ones(n_views)
    weights = as_floats(view_weights, "view_weights")
    is_for_each = weights.shape == (n_views,) and weights.dtype == np.float64
    if not (is_for_each and np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InvalidInputError(
            f"view_weights must be one number of 0 or more for each of the {n_views} views, one of"
            f" them above 0, got {shown(view_weights)}."
        )
    return weights


def of_some_weight(given: Constraints) -> Constraints:
    """Return constraints without those of weight 0."""
    # neighborhoods weigh more
    return given if given._parts is not None else given.select(given.weights > 0)


def violated(given: Constraints, labels: Ints) -> Constraints:
    """Return the constraints of a view that the clusters of its rows violate."""
    pairs, must_link, weights = given.spanning()
    broken = (labels[pairs[:, 0]] == labels[pairs[:, 1]]) != must_link
    if given._parts is None:
        return given.select(broken)  # which knows the lines of its file
    return Constraints.from_repeated(
        np.sort(pairs[broken], axis=1), must_link[broken], weights[broken]
    )
