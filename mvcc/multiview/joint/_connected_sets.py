"""The sets of views that matches connect: each is clustered by itself.

Probabilities of clusters are scores made as sharp as constraints that were held out bear them out.
The sharpness is the inverse of the temperature of Guo et al., "On Calibration of Modern Neural
Networks", 2017; here it is chosen by pairs, with the probability Σ_c p_ic p_jc that two objects are
in the same cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.messages import shown
from mvcc._utils.validation import as_floats
from mvcc.constraints import Constraints, Relations
from mvcc.embedding import (
    AnchorGraph,
    any_graph,
    connected_views,
    find_objects,
    refuse_more_than_objects,
)
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.joint._anchored_set import AnchoredSet
from mvcc.multiview.joint._joint_set import JointClusters, JointSet, Settings
from mvcc.multiview.joint._new_rows import (
    NearestAnchors,
    NearestRows,
    Probabilities,
    in_blocks,
    probabilities,
)
from mvcc.multiview.matches._suspicious import ViewPair, to_drop

_LEAST_WEIGHT = 1e-6  # of a view: its objects that no other view sees keep their edges
SHARPNESSES = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0)
FEWEST_PAIRS = 20  # to choose by
FOLDS = 4
STARTS = 2  # of each fold, whose clusters are looked at for nothing else
# of the probability of a constraint, in its logarithm: one wrong pair must not decide
_LEAST_PROBABILITY = 1e-3

T = TypeVar("T")


class ConnectedSets:
    """The sets of views that matches connect."""

    def __init__(
        self,
        data: list[Floats],
        connected: list[tuple[list[int], Relations]],
        settings: Settings,
        weights: Floats,
        rng: np.random.Generator,
    ) -> None:
        self._sets: list[JointSet] = []
        q, k = settings.n_neighbors, settings.n_clusters
        for numbers, inside in connected:
            views, relative = [data[view] for view in numbers], _relative(weights[numbers])
            graph = any_graph(
                views, inside, q, k, rng, weights=relative, kind=settings.graph
            ).with_clusters_of_views(k, relative)
            kind = AnchoredSet if isinstance(graph, AnchorGraph) else JointSet
            self._sets.append(kind(numbers, views, inside, settings, graph))

    def __iter__(self) -> Iterator[JointSet]:
        return iter(self._sets)

    def by_view(self, of_sets: Iterable[Sequence[T]]) -> list[T]:
        """Return what was found for the views of every set, in the order of all views."""
        of_view: dict[int, T] = {}
        for joint_set, of_set in zip(self._sets, of_sets, strict=True):
            of_view.update(zip(joint_set.numbers, of_set, strict=True))
        return [of_view[view] for view in range(len(of_view))]

    def agreement(self) -> Floats:
        n_views = sum(len(joint_set.numbers) for joint_set in self._sets)
        agreement = np.full((n_views, n_views), np.nan)
        for joint_set in self._sets:
            agreement[np.ix_(joint_set.numbers, joint_set.numbers)] = joint_set.agreement
        return agreement

    def suspicions(self, relations: Relations, labels: list[Ints]) -> dict[ViewPair, Floats]:
        """Return how likely every match is wrong; 0 for those that connect no views."""
        suspicions = {key: np.zeros(len(rows)) for key, rows in relations.items()}
        for joint_set in self._sets:
            suspicions |= joint_set.suspicions(labels)
        return suspicions

    def clustered(
        self, constraints: list[Constraints], rng: np.random.Generator
    ) -> tuple[list[Ints], list[JointClusters]]:
        """Cluster all views by constraints; return the labels of each, and each set's clusters."""
        clusters = [
            joint_set.clusters(joint_set.on_objects(constraints), rng) for joint_set in self._sets
        ]
        labels = self.by_view(
            [clustering.labels[objects] for objects in joint_set.objects]
            for joint_set, clustering in zip(self._sets, clusters, strict=True)
        )
        return labels, clusters

    def probabilities(
        self, constraints: list[Constraints], clusters: list[JointClusters]
    ) -> list[tuple[Probabilities, float]]:
        """Return how likely the rows of every view are in each cluster, and how sharp that is."""
        of_sets = []
        for joint_set, clustering in zip(self._sets, clusters, strict=True):
            pairs = joint_set.on_objects(constraints)
            sharpness = chosen_sharpness(joint_set, pairs)
            by_object = object_probabilities(joint_set, pairs, clustering, sharpness)
            of_sets.append([(by_object[objects], sharpness) for objects in joint_set.objects])
        return self.by_view(of_sets)

    def predictors(self, clusters: list[JointClusters]) -> list[NearestRows | NearestAnchors]:
        """Return what assigns new rows of every view, and let go of what only this needs."""
        predictors = []
        for joint_set, clustering in zip(self._sets, clusters, strict=True):
            predictors.append(joint_set.predictors(clustering))
            joint_set.forget_views()
        return self.by_view(predictors)

    def nearest_constrained(self, given: list[Constraints], labels: list[Ints]) -> list[Ints]:
        """Return view and row of every row's nearest constrained object, and 1 if it is its own."""
        # only objects of its cluster count; without one they are −1, −1, 0
        return self.by_view(
            _nearest_constrained(joint_set, given, labels) for joint_set in self._sets
        )


def _nearest_constrained(
    joint_set: JointSet, given: list[Constraints], labels_of: list[Ints]
) -> list[Ints]:
    numbers, n = np.array(joint_set.numbers), joint_set.n_objects
    row_of, labels = np.full((n, len(numbers)), -1), np.empty(n, np.int64)
    for column, (view, objects) in enumerate(zip(numbers, joint_set.objects, strict=True)):
        constrained = np.unique(given[view].spanning()[0])
        row_of[objects[constrained], column] = constrained
        labels[objects] = labels_of[view]
    nearest = joint_set.nearest_constrained(labels, joint_set.on_objects(given))
    of_views = []
    for column, objects in enumerate(joint_set.objects):
        near = nearest[objects]
        own_view_first = sorted(range(len(numbers)), key=lambda other: other != column)
        rows = row_of[near][:, own_view_first]
        first = (rows >= 0).argmax(axis=1)
        views_and_rows = numbers[own_view_first][first], rows[np.arange(len(near)), first]
        of_views.append(np.column_stack((*views_and_rows, near == objects)))
        of_views[-1][near < 0] = -1, -1, 0
    return of_views


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
    constraints: list[Constraints],
    rng: np.random.Generator,
) -> Settled:
    """Cluster all rows; if some matches seem to be wrong then, cluster them anew without these."""
    # the doubts, and which matches were left out, come from the first time
    sets = make(connected)
    labels, clusters = sets.clustered(constraints, rng)
    suspicions, agreement = sets.suspicions(relations, labels), sets.agreement()
    dropped = {key: to_drop(doubt, agreement[key]) for key, doubt in suspicions.items()}
    if any(wrong.any() for wrong in dropped.values()):
        del clusters, sets  # two graphs would take twice the memory
        sets = make(connected_views(len(constraints), without(dropped, relations)))
        labels, clusters = sets.clustered(constraints, rng)
    return Settled(sets, suspicions, dropped, labels, clusters)


def without(dropped: dict[ViewPair, Bools], relations: Relations) -> Relations:
    return {key: rows[~dropped[key]] for key, rows in relations.items()}


def put_back(values: NDArray[Any], contradicted: Bools) -> NDArray[Any]:
    """Return what was found of confirmed matches, and 1 for those that others contradict."""
    all_values = np.ones(len(contradicted), values.dtype)
    all_values[~contradicted] = values
    return all_values


def _relative(weights: Floats) -> Floats:
    """Return the weights of connected views, the largest 1; only its own rows notice one of 0."""
    if not weights.any():
        return np.ones(len(weights))
    return np.maximum(weights / weights.max(), _LEAST_WEIGHT)


def object_probabilities(
    joint_set: JointSet, constraints: Constraints, clusters: JointClusters, sharpness: float
) -> Probabilities:
    """Return the probability of every cluster for every object, (n, k)."""
    scores, labels = joint_set.scores(constraints, clusters), clusters.labels
    return in_blocks(len(labels), lambda some: probabilities(scores(some), sharpness, labels[some]))


def chosen_sharpness(joint_set: JointSet, constraints: Constraints) -> float:
    """Return the sharpness by which constraints are likeliest where they are held out in folds."""
    if len(constraints) < FEWEST_PAIRS:
        return joint_set.sharpness
    rng = np.random.default_rng(0)  # not that of the fit: a look at probabilities draws nothing
    fold_of = rng.permutation(len(constraints)) % FOLDS
    losses = np.zeros(len(SHARPNESSES))
    for fold in range(FOLDS):
        kept, held_out = constraints.select(fold_of != fold), constraints.select(fold_of == fold)
        clusters = joint_set.clusters(kept, rng, STARTS)
        ends = np.unique(held_out.pairs)
        scores, among_ends = joint_set.scores(kept, clusters)(ends), held_out.on_rows(ends)
        for index, sharpness in enumerate(SHARPNESSES):
            shares = probabilities(scores, sharpness, clusters.labels[ends])
            losses[index] += _loss(shares, among_ends)
    return SHARPNESSES[int(losses.argmin())]


def _loss(shares: Floats, constraints: Constraints) -> float:
    """Return −log of the probability of the constraints, summed; a pair counts once at most."""
    i, j = constraints.pairs.T
    same = np.einsum("ij,ij->i", shares[i], shares[j])
    as_constrained = np.where(constraints.must_link, same, 1 - same)
    likelihoods = np.maximum(as_constrained, _LEAST_PROBABILITY)
    return float(-np.minimum(constraints.weights, 1) @ np.log(likelihoods))
