"""The search of Eq. 1: starts, moves of must-link neighborhoods, and the better of two ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, islice, repeat

import numpy as np
from sklearn.cluster import KMeans

from mvcc._utils.arrays import Bools, Floats, Ints, places_among
from mvcc._utils.contexts import one_thread, quiet_k_means
from mvcc._utils.progress import numbered, teller
from mvcc.cluster._descent import Found, Problem, Sample, Weighted
from mvcc.constraints import Constraints, Listed, components

N_INIT = 10  # starts that n_init="auto" asks for
_SWEEPS = 40  # of every descent; then only the best one is continued to its end
_FAILED_SWAPS = 10  # of centers, one after the other, after which no more are tried
_ENOUGH = 3  # starts of a sample that end in the same lowest objective: others rarely end lower


class Search:
    """Descents from several starts, each of at most ``max_iter`` sweeps, or 40 if that is less."""

    def __init__(
        self,
        problem: Problem,
        given: Constraints,
        k: int,
        max_iter: int,
        rng: np.random.Generator,
        seed: int,
    ) -> None:
        self.rows, self.X, self._k, self._rng, self._seed = problem, problem.X, k, rng, seed
        self._sweeps, self._whole = min(max_iter, _SWEEPS), _whole(problem.X, given)

    @cached_property
    def k_means(self) -> Found:
        """Run scikit-learn's k-means, and swap the centers that are missed least for others."""
        bare = Problem.of(self.X, Constraints.empty())
        with one_thread(), quiet_k_means():
            estimator = KMeans(self._k, n_init=N_INIT, random_state=self._seed).fit(self.X)
        centers = estimator.cluster_centers_
        best = bare.descend(centers, None, self._rng, self._sweeps)
        if self._k == 1:
            return best
        failed = 0
        while failed < _FAILED_SWAPS:
            centers = bare.swapped(best.centers, failed, self._rng)
            end = bare.descend(centers, None, self._rng, self._sweeps)
            failed += 1
            if end.beats(best):
                best, failed = end, 0
        return best

    def descents(self, neighborhoods: Floats) -> Iterator[Found]:
        """Give where descents end, one start after the other, without end."""
        # the starts are k-means, the means of neighborhoods (m, d), then k-means++ in three ways:
        # without labels, with the nearest centers', with neighborhoods that move as a whole
        rows = self.rows
        yield self._descend(self.k_means.centers, self.k_means.labels)
        yield self._descend(rows.spread_centers(self._k, neighborhoods, self._rng), None)
        yield self._descend(self._plus_plus(rows), np.full(len(self.X), -1))
        while True:
            yield self._descend(self._plus_plus(rows), None)
            if self._whole is not None:
                yield self._descend(*self._as_wholes(self._plus_plus(self._whole[0])))

    def distinct_centers(self, neighborhoods: Floats, n: int) -> Iterator[Floats]:
        """Give the centers of k-means, and where descents from them end, each once."""
        ends: list[Found] = []
        for end in chain([self.k_means], islice(self.descents(neighborhoods), n - 1)):
            if not any(end.as_low_as(other) for other in ends):
                ends.append(end)
                yield end.centers

    def _descend(self, centers: Floats, labels: Ints | None) -> Found:
        """Descend, move whole neighborhoods, which sweeps rarely do, and descend again."""
        end = self.rows.descend(centers, labels, self._rng, self._sweeps)
        if self._whole is None:
            return end
        centers, labels = self._as_wholes(end.centers)
        return self.rows.descend(centers, labels, self._rng, self._sweeps).or_better(end)

    def _as_wholes(self, centers: Floats) -> tuple[Floats, Ints]:
        """Descend with neighborhoods that move as a whole; return centers and all labels."""
        assert self._whole is not None
        problem, point = self._whole
        end = problem.descend(centers, None, self._rng, self._sweeps)
        return end.centers, end.labels[point]

    def _plus_plus(self, problem: Problem) -> Floats:
        return problem.spread_centers(self._k, np.empty((0, self.X.shape[1])), self._rng)


def _whole(X: Floats, given: Constraints) -> tuple[Problem, Ints] | None:
    """Make every must-link neighborhood one point, which moves as a whole; None without any."""
    # with the mass of its rows, the cannot-links between points, and the point of every row
    point = _together(len(X), *given.spanning())
    if point is None:
        return None
    masses = np.bincount(point).astype(np.float64)
    means = np.column_stack([np.bincount(point, feature) / masses for feature in X.T])
    return Weighted(means, _between_points(given, point, len(masses)), masses), point


def _together(n: int, pairs: Ints, must_link: Bools, weights: Floats) -> Ints | None:
    """Return the must-link neighborhood of every row, by first row; None without must-links."""
    linked = pairs[must_link & (weights > 0)]  # a must-link of weight 0 says nothing
    if not len(linked):
        return None
    root = components(n, *np.ascontiguousarray(linked.T))
    _, first_row, neighborhood = np.unique(root, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first_row))[neighborhood]


def neighborhood_start(
    X: Floats, k: int, spanning: Listed, rng: np.random.Generator, *, farthest_first: bool
) -> tuple[Ints, Floats, int]:
    """Return labels (−1: none), centers (k, d), and how many are neighborhoods, not random rows."""
    labels, centers, n_chosen = np.full(len(X), -1), np.empty((k, X.shape[1])), 0
    neighborhood = _together(len(X), *spanning)
    if neighborhood is not None:
        sizes = np.bincount(neighborhood)
        several = np.flatnonzero(sizes > 1)
        linked = np.flatnonzero(sizes[neighborhood] > 1)
        member = np.searchsorted(several, neighborhood[linked])
        n_rows = sizes[several]
        means = np.column_stack([np.bincount(member, feature[linked]) / n_rows for feature in X.T])
        chosen = _chosen(means, n_rows, k, farthest_first)
        n_chosen = len(chosen)
        labels[linked] = places_among(chosen, len(several))[member]
        centers[:n_chosen] = means[chosen]
    if n_chosen < k:
        rows = np.flatnonzero(labels < 0)
        if len(rows) < k - n_chosen:
            rows = np.arange(len(X))
        centers[n_chosen:] = X[rng.choice(rows, k - n_chosen, replace=False)]
    return labels, centers, n_chosen


def _chosen(means: Floats, sizes: Ints, k: int, farthest_first: bool) -> list[int]:
    """Return k neighborhoods: the largest, or by weighted farthest-first traversal from it on."""
    # in the traversal the next is the one of greatest distance to the nearest chosen one, distances
    # between means weighted by the root of the product of the sizes; the first among equal ones
    if not farthest_first:
        return np.argsort(-sizes, kind="stable")[:k].tolist()
    chosen = [int(sizes.argmax())]
    nearest = np.full(len(sizes), np.inf)
    while len(chosen) < min(k, len(sizes)):
        gaps, last = np.zeros(len(sizes)), chosen[-1]
        for feature in means.T:  # in the order of the features, for the same bits
            gaps += (feature - feature[last]) ** 2
        with np.errstate(over="ignore"):
            nearest = np.minimum(nearest, np.sqrt(gaps * sizes * sizes[last]))
        nearest[chosen] = -1.0
        chosen.append(int(nearest.argmax()))
    return chosen


def _between_points(given: Constraints, point: Ints, n_points: int) -> Listed:
    """Return one cannot-link for each two points apart, of the weight of all it stands for."""
    neighborhoods, others = given._parts or (None, given)
    pairs, must_link, weights = others.listed()
    ends, weight = point[pairs[~must_link]], weights[~must_link]
    if neighborhoods is not None:
        sizes = np.bincount(neighborhoods.group)
        first_row = neighborhoods.rows[np.unique(neighborhoods.group, return_index=True)[1]]
        apart = neighborhoods.apart
        ends = np.concatenate((ends, point[first_row][apart]))
        weight = np.concatenate((weight, neighborhoods.weight * sizes[apart].prod(axis=1)))
    ends.sort(axis=1)
    between = ends[:, 0] != ends[:, 1]
    keys, index = np.unique(ends[between, 0] * n_points + ends[between, 1], return_inverse=True)
    summed = np.bincount(index, weight[between], minlength=len(keys)).astype(np.float64)
    pairs = np.column_stack((keys // n_points, keys % n_points)).astype(np.int64)
    return pairs, np.zeros(len(keys), np.bool_), summed


def search_pck(
    X: Floats,
    n_clusters: int,
    pairs: Ints,
    must_link: Bools,
    weights: Floats,
    *,
    masses: Floats | None = None,
    starts: Sequence[Floats] = (),
    n_init: int = N_INIT,
    rng: np.random.Generator,
) -> Found:
    """Cluster points by PCK-Means from several starts; return the one of the lowest Eq. 1."""
    # A start gives every point its nearest center; k-means++ fills up ``starts`` of fewer than k,
    # and makes the others. Pairs are of distinct points; ``masses`` tell how often each counts, and
    # with them three starts that end lowest are enough. The first of equal objectives wins.
    listed = pairs, must_link, weights
    problem = Problem(X, listed) if masses is None else Sample(X, listed, masses)
    nothing = np.empty((0, X.shape[1]))
    best: Found | None = None
    n_reached = 0
    turns = numbered("start", range(n_init), teller(len(X)))
    for _, start in zip(turns, chain(starts, repeat(nothing)), strict=False):
        centers = problem.spread_centers(n_clusters, np.asarray(start, dtype=np.float64), rng)
        end = problem.descend(centers, None, rng, _SWEEPS)
        if best is None or end.beats(best):
            best, n_reached = end, 0
        n_reached += end.as_low_as(best)
        if masses is not None and n_reached == _ENOUGH:
            break
    assert best is not None
    return best
