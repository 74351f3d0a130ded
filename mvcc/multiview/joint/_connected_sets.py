"""The sets of views that matches connect: each is clustered by itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mvcc._utils.types import Floats, Ints
from mvcc.constraints import Constraints, Listed, Relations
from mvcc.multiview.joint._anchored_set import joint_set
from mvcc.multiview.joint._joint_set import JointClusters, JointSet, Settings, pairs_of_objects

_LEAST_WEIGHT = 1e-6  # of a view: its objects that no other view sees keep their edges


class ConnectedSets:
    """Sets of views, each as its numbers among all views and its `JointSet`."""

    def __init__(
        self,
        data: list[Floats],
        problems: list[tuple[list[int], Relations]],
        settings: Settings,
        weights: Floats,
        rng: np.random.Generator,
    ) -> None:
        self._sets: list[tuple[list[int], JointSet]] = []
        for numbers, inside in problems:
            views, relative = [data[n] for n in numbers], _relative(weights[numbers])
            self._sets.append((numbers, joint_set(views, inside, settings, relative, rng)))

    def __iter__(self) -> Iterator[tuple[list[int], JointSet]]:
        return iter(self._sets)

    def clear(self) -> None:
        """Let the graphs go, before others are made."""
        self._sets.clear()

    def agreement(self, n_views: int) -> Floats:
        found = np.full((n_views, n_views), np.nan)
        for numbers, views in self._sets:
            found[np.ix_(numbers, numbers)] = views.agreement
        return found

    def suspicions(self, relations: Relations, labels: list[Ints]) -> dict[tuple[int, int], Floats]:
        """Return how likely every match is wrong; 0 for those that connect no views."""
        found = {key: np.zeros(len(rows)) for key, rows in relations.items()}
        for numbers, views in self._sets:
            inside = views.suspicions([labels[number] for number in numbers])
            found |= {(numbers[u], numbers[v]): suspicion for (u, v), suspicion in inside.items()}
        return found

    def clustered(
        self, constraints: list[Constraints], rng: np.random.Generator
    ) -> tuple[list[Ints], list[JointClusters]]:
        """Cluster all views by constraints; return the labels of each, and each set's clusters."""
        labels: list[Ints] = [np.empty(0, np.int64)] * len(constraints)
        clusters = []
        for numbers, views in self._sets:
            found = views.clusters(constraints_of_objects(constraints, numbers, views), rng)
            for number, objects in zip(numbers, views.objects, strict=True):
                labels[number] = found.labels[objects]
            clusters.append(found)
        return labels, clusters

    def nearest_constrained(self, links: list[Listed], labels_of: list[Ints]) -> list[Ints]:
        """Return view and row of every row's nearest constrained object, and 1 if it is its own.

        Only objects of its cluster count; without one they are −1, −1, 0.
        """
        found: list[Ints] = [np.empty((0, 3), np.int64)] * len(links)
        for numbers, views in self._sets:
            constrained_rows = [np.unique(links[n][0]) for n in numbers]
            row_of = np.full((views.n_objects, len(numbers)), -1)
            labels = np.empty(views.n_objects, np.int64)
            for place, (number, objects) in enumerate(zip(numbers, views.objects, strict=True)):
                row_of[objects[constrained_rows[place]], place] = constrained_rows[place]
                labels[objects] = labels_of[number]
            nearest = views.nearest_constrained(
                labels, pairs_of_objects([links[n] for n in numbers], views.objects)
            )
            for place, (number, objects) in enumerate(zip(numbers, views.objects, strict=True)):
                near = nearest[objects]
                own_view_first = sorted(range(len(numbers)), key=lambda other: other != place)
                there = row_of[near][:, own_view_first]
                first = (there >= 0).argmax(axis=1)
                view = np.array(numbers)[own_view_first][first]
                row = there[np.arange(len(near)), first]
                found[number] = np.column_stack((view, row, near == objects))
                found[number][near < 0] = -1, -1, 0
        return found


def constraints_of_objects(
    given: list[Constraints], numbers: list[int], views: JointSet
) -> Constraints:
    """Return the constraints of rows of connected views as pairs of their objects."""
    return pairs_of_objects([given[number].spanning() for number in numbers], views.objects)


def _relative(weights: Floats) -> Floats:
    """Return the weights of connected views, the largest 1; only its own rows notice one of 0."""
    largest = weights.max()
    return np.maximum(weights / largest, _LEAST_WEIGHT) if largest > 0 else np.ones(len(weights))
