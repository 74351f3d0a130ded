"""One descent of Eq. 1 (M = I, f = 1): sweeps over the rows in a new random order each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from mvcc._utils.arrays import BLOCK_ROWS, Floats, Ints
from mvcc._utils.kernels import build_links, for_blocks, may_share
from mvcc.cluster._kernels.geometry import relocate_empty
from mvcc.cluster._kernels.groups import count_violations, tally
from mvcc.cluster._kernels.pck import (
    assign_nearest,
    cost_table,
    pck_objective,
    pck_sweep,
    update_centers,
)
from mvcc.constraints import Constraints, Groups, Listed

_ROUNDING = 1e-12  # relative: objectives that differ by less are the same


@dataclass(frozen=True)
class Found:
    """The end of a descent."""

    labels: Ints  # (n,)
    centers: Floats  # (k, d)
    objective: float  # Eq. 1
    n_iter: int  # sweeps done
    converged: bool  # False when the limit of sweeps ended it
    metrics: Floats | None = None  # (k, d) or (k, d, d): where they were learned

    def beats(self, other: Found) -> bool:
        """Tell whether the objective is lower, by more than rounding."""
        return self.objective < other.objective - _ROUNDING * abs(other.objective)

    def or_better(self, former: Found) -> Found:
        """Return the one of the lower objective, of equal ones the former."""
        return self if self.beats(former) else former

    def as_low_as(self, other: Found) -> bool:
        """Tell whether the objectives are the same but for rounding."""
        return not self.beats(other) and not other.beats(self)


class Problem:
    """Points and what is known of their pairs: a list, and neighborhoods."""

    _share: Floats | None = None  # how likely each point is drawn; None for all alike

    def __init__(self, X: Floats, listed: Listed, groups: Groups | None = None) -> None:
        self.X, self.groups, self._masses = X, groups, np.ones(1)
        self.links = build_links(len(X), *listed)
        is_constrained = np.diff(self.links[0]) > 0
        if groups is not None:
            member, start = groups[:2]
            # a neighborhood of a single row, apart from none, says nothing
            is_telling = (np.bincount(member[member >= 0]) > 1) | (np.diff(start) > 0)
            is_constrained |= (member >= 0) & is_telling[member]
        self.bound, self.free = np.flatnonzero(is_constrained), np.flatnonzero(~is_constrained)
        self.known = self.bound, self.free, self.links, groups  # what a fit knows of pairs
        self._everyone = np.arange(len(X))

    @classmethod
    def of(cls, X: Floats, given: Constraints) -> Problem:
        neighborhoods, others = given._parts or (None, given)
        groups = None if neighborhoods is None else neighborhoods.groups(len(X))
        return cls(X, others.listed(), groups)

    def descend(
        self, centers: Floats, labels: Ints | None, rng: np.random.Generator, max_iter: int
    ) -> Found:
        """Sweep over constrained points, others, centers until no label changes."""
        # a label of −1 is none; without labels points begin with their nearest centers
        X, groups, k = self.X, self.groups, len(centers)
        if labels is None:
            labels = np.empty(len(X), np.int64)
            self._assign(self._everyone, centers, labels)
        centers, labels = centers.copy(), labels.copy()
        donor, plain = np.full(k, -1), _plain(centers)
        own = rivals = None
        if groups is not None:
            own, rivals = tally(X, centers[0], labels, groups, k, 1)
        for iteration in range(1, max_iter + 1):
            before = labels.copy()
            order = rng.permutation(self.bound)
            table = self._cost_table(order, centers)
            pck_sweep(order, table, labels, self.links, groups, own, rivals)
            self._assign(self.free, centers, labels)
            counts = self._update(labels, centers)
            newly_empty = False
            if counts.all():  # as nearly always, so that the kernel need not be compiled
                donor[:] = -1
            else:
                newly_empty = relocate_empty(X, labels, centers, plain[0], counts, donor)
            # labels by nearest centers do not change in a first sweep without constraints
            if iteration > 1 and not newly_empty and np.array_equal(labels, before):
                return Found(labels, centers, self.objective(labels, centers), iteration, True)
        return Found(labels, centers, self.objective(labels, centers), max_iter, False)

    def objective(self, labels: Ints, centers: Floats) -> float:
        """Return Eq. 1."""
        total = float(pck_objective(self.X, centers, labels, self.links))
        if self.groups is not None:
            own, rivals = tally(self.X, centers[0], labels, self.groups, len(centers), 1)
            total += float(count_violations(own, rivals, self.groups))
        return total

    def spread_centers(self, k: int, given: Floats, rng: np.random.Generator) -> Floats:
        """Return k centers: the given ones, the others by k-means++ of 2 + log k candidates."""
        X, masses = self.X, self._masses
        chosen = list(given[:k])
        if not chosen:
            chosen.append(X[rng.choice(len(X), p=self._share)].astype(np.float64))
        gaps = self._distances(np.array(chosen)).min(axis=1)
        while len(chosen) < k:
            reach = np.cumsum(masses * gaps)
            drawn = rng.random(2 + int(np.log(k))) * reach[-1]
            # where all points lie on centers, any is as good
            if reach[-1] > 0:
                tried = np.minimum(np.searchsorted(reach, drawn, side="right"), len(X) - 1)
            else:
                tried = rng.integers(len(X), size=1)
            new_gaps = np.minimum(self._distances(X[tried].astype(np.float64)), gaps[:, None])
            best = int(np.argmin((new_gaps.T * masses).sum(axis=1)))
            gaps = np.ascontiguousarray(new_gaps[:, best])
            chosen.append(X[tried[best]].astype(np.float64))
        return np.array(chosen)

    def swapped(self, centers: Floats, rank: int, rng: np.random.Generator) -> Floats:
        """Return the centers, the one missed least, by rank, put elsewhere by k-means++."""
        gaps = self._distances(centers)
        nearest, next_nearest = np.partition(gaps, 1, axis=1)[:, :2].T
        paid = np.bincount(gaps.argmin(axis=1), next_nearest - nearest, minlength=len(centers))
        cheapest = np.argsort(paid, kind="stable")
        return self.spread_centers(
            len(centers), np.delete(centers, cheapest[rank % len(centers)], axis=0), rng
        )

    def _cost_table(self, points: Ints, centers: Floats) -> Floats:
        """Return what some points pay for their distances from the centers, (m, len(centers))."""
        return cost_table(self.X, points, centers, *_plain(centers))

    def _assign(self, points: Ints, centers: Floats, labels: Ints) -> None:
        assign_nearest(self.X, points, centers, *_plain(centers), labels)

    def _distances(self, centers: Floats) -> Floats:
        """Return the squared distances of all points from the centers, (n, len(centers))."""
        plain, n = _plain(centers), len(self.X)

        def of_block(block: slice) -> Floats:
            return cost_table(self.X, self._everyone[block], centers, *plain)

        return np.concatenate(for_blocks(of_block, n, BLOCK_ROWS, shared=may_share(n)))

    def _update(self, labels: Ints, centers: Floats) -> Ints:
        """Move the centers to the means of their points; return the sizes of the clusters."""
        return update_centers(self.X, labels, centers)


def _plain(centers: Floats) -> tuple[Floats, Floats]:
    """Return metrics that change no distance, and their logarithms of determinants."""
    return np.ones_like(centers), np.zeros(len(centers))


class Weighted(Problem):
    """Points with masses: each stands for as many rows."""

    def __init__(self, X: Floats, listed: Listed, masses: Floats) -> None:
        super().__init__(X, listed)
        self._masses, self._share = masses, masses / masses.sum()

    def objective(self, labels: Ints, centers: Floats) -> float:
        gaps = np.einsum("ij,ij->i", self.X - centers[labels], self.X - centers[labels])
        start, partner, weight = self.links
        row_labels = np.repeat(labels, np.diff(start))
        is_violated = (row_labels == labels[partner]) == (weight < 0)
        return float((self._masses * gaps).sum() + np.abs(weight[is_violated]).sum() / 2)

    def _cost_table(self, points: Ints, centers: Floats) -> Floats:
        return self._masses[points, None] * super()._cost_table(points, centers)

    def _update(self, labels: Ints, centers: Floats) -> Ints:
        n, k = len(self.X), len(centers)
        masses = sp.csr_array((self._masses, (labels, np.arange(n))), shape=(k, n))
        sizes = np.diff(masses.indptr)
        filled = sizes > 0
        centers[filled] = (masses @ self.X)[filled] / masses.sum(axis=1)[filled, None]
        return sizes


class Sample(Weighted):
    """Distances by matrix products, faster but for the last bits."""

    def __init__(self, X: Floats, listed: Listed, masses: Floats) -> None:
        super().__init__(X, listed, masses)
        self._squares = np.einsum("ij,ij->i", X, X)[:, None]

    def _assign(self, points: Ints, centers: Floats, labels: Ints) -> None:
        labels[points] = self._distances(centers).argmin(axis=1)[points]

    def _distances(self, centers: Floats) -> Floats:
        distances = self.X @ (-2 * centers.T)
        distances += self._squares
        distances += np.einsum("ij,ij->i", centers, centers)
        return np.maximum(distances, 0, out=distances)
