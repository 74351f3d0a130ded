"""The sets of views that matches connect: each is clustered by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc.constraints import Constraints, Listed, Relations
from mvcc.embedding import by_anchors, connected_views
from mvcc.multiview.joint._anchored_set import AnchoredSet
from mvcc.multiview.joint._confidence import Probabilities, chosen_sharpness, object_probabilities
from mvcc.multiview.joint._joint_set import JointClusters, JointSet, Settings, pairs_of_objects
from mvcc.multiview.joint._new_rows import NearestAnchors, NearestRows
from mvcc.multiview.matches._contradicted import ViewPair, without
from mvcc.multiview.matches._suspicious import to_drop

_LEAST_WEIGHT = 1e-6  # of a view: its objects that no other view sees keep their edges

T = TypeVar("T")


class ConnectedSets:
    """Sets of views, each as its numbers among all views and its `JointSet`."""

    def __init__(
        self,
        data: list[Floats],
        connected: list[tuple[list[int], Relations]],
        settings: Settings,
        weights: Floats,
        rng: np.random.Generator,
    ) -> None:
        self._sets: list[tuple[list[int], JointSet]] = []
        for numbers, inside in connected:
            views, relative = [data[n] for n in numbers], _relative(weights[numbers])
            kind = JointSet
            if by_anchors([len(X) for X in views], inside, settings.graph):
                kind = AnchoredSet
            self._sets.append((numbers, kind(views, inside, settings, relative, rng)))

    def __iter__(self) -> Iterator[tuple[list[int], JointSet]]:
        return iter(self._sets)

    def by_view(self, found: Iterable[Sequence[T]]) -> list[T]:
        """Return what was found for the views of every set, in the order of all views."""
        of_view: dict[int, T] = {}
        for (numbers, _), own in zip(self._sets, found, strict=True):
            of_view.update(zip(numbers, own, strict=True))
        return [of_view[number] for number in range(len(of_view))]

    def agreement(self) -> Floats:
        n_views = sum(len(numbers) for numbers, _ in self._sets)
        found = np.full((n_views, n_views), np.nan)
        for numbers, views in self._sets:
            found[np.ix_(numbers, numbers)] = views.agreement
        return found

    def suspicions(self, relations: Relations, labels: list[Ints]) -> dict[ViewPair, Floats]:
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
        clusters = [
            views.clusters(constraints_of_objects(constraints, numbers, views), rng)
            for numbers, views in self._sets
        ]
        labels = self.by_view(
            [found.labels[own] for own in views.objects]
            for (_, views), found in zip(self._sets, clusters, strict=True)
        )
        return labels, clusters

    def probabilities(
        self, constraints: list[Constraints], clusters: list[JointClusters]
    ) -> list[tuple[Probabilities, float]]:
        """Return how likely the rows of every view are in each cluster, and how sharp that is."""
        made = []
        for (numbers, views), found in zip(self._sets, clusters, strict=True):
            pairs = constraints_of_objects(constraints, numbers, views)
            sharpness = chosen_sharpness(views, pairs)
            of_objects = object_probabilities(views, pairs, found, sharpness)
            made.append([(of_objects[own], sharpness) for own in views.objects])
        return self.by_view(made)

    def predictors(self, clusters: list[JointClusters]) -> list[NearestRows | NearestAnchors]:
        """Return what assigns new rows of every view, and let go of what only this needs."""
        made = []
        for (_, views), found in zip(self._sets, clusters, strict=True):
            made.append(views.predictors(found))
            views.forget_views()
        return self.by_view(made)

    def nearest_constrained(self, links: list[Listed], labels_of: list[Ints]) -> list[Ints]:
        """Return view and row of every row's nearest constrained object, and 1 if it is its own."""
        # only objects of its cluster count; without one they are −1, −1, 0
        found = []
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
            own_found = []
            for place, objects in enumerate(views.objects):
                near = nearest[objects]
                own_view_first = sorted(range(len(numbers)), key=lambda other: other != place)
                there = row_of[near][:, own_view_first]
                first = (there >= 0).argmax(axis=1)
                view = np.array(numbers)[own_view_first][first]
                row = there[np.arange(len(near)), first]
                own_found.append(np.column_stack((view, row, near == objects)))
                own_found[-1][near < 0] = -1, -1, 0
            found.append(own_found)
        return self.by_view(found)


class Settled(NamedTuple):
    """What is known once wrong matches are left out."""

    sets: ConnectedSets
    suspicions: dict[ViewPair, Floats]  # of all matches
    dropped: dict[ViewPair, Bools]  # which of them were left out
    labels: list[Ints]
    clusters: list[JointClusters]


def without_wrong_matches(
    make: Callable[[list[tuple[list[int], Relations]]], ConnectedSets],
    connected: list[tuple[list[int], Relations]],
    relations: Relations,
    given: list[Constraints],
    rng: np.random.Generator,
) -> Settled:
    """Cluster all rows; if some matches seem to be wrong then, cluster them anew without these."""
    # the doubts, and which matches were left out, come from the first time
    sets = make(connected)
    labels, clusters = sets.clustered(given, rng)
    suspicions, agreement = sets.suspicions(relations, labels), sets.agreement()
    dropped = {key: to_drop(doubt, agreement[key]) for key, doubt in suspicions.items()}
    if any(wrong.any() for wrong in dropped.values()):
        del clusters, sets  # two graphs would take twice the memory
        sets = make(connected_views(len(given), without(dropped, relations)))
        labels, clusters = sets.clustered(given, rng)
    return Settled(sets, suspicions, dropped, labels, clusters)


def constraints_of_objects(
    given: list[Constraints], numbers: list[int], views: JointSet
) -> Constraints:
    """Return the constraints of rows of connected views as pairs of their objects."""
    return pairs_of_objects([given[number].spanning() for number in numbers], views.objects)


def _relative(weights: Floats) -> Floats:
    """Return the weights of connected views, the largest 1; only its own rows notice one of 0."""
    if not weights.any():
        return np.ones(len(weights))
    return np.maximum(weights / weights.max(), _LEAST_WEIGHT)
