"""Groups that must-links make of constrained objects, and what a clustering takes from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from mvcc._utils.arrays import Floats, Ints, LazyRows
from mvcc.constraints import Constraints
from mvcc.embedding import pieces

_FEWEST_MEMBERS = 5  # of a group that is assigned to a cluster as a whole
_FEWEST_ENTAILED = 8  # constraints that follow from the others, where all that follows is taken
_MOST_CLOSED = 2**20  # pairs that follow; of more, a search of Eq. 1 would take long


@dataclass(frozen=True, eq=False)
class MustLinkGroups:
    """Constrained objects as groups of those that must-links put together."""

    of: Ints  # (n,): the group of every object, −1 where it is in no constraint
    # (p, 2): groups that cannot-links keep apart, the smaller number first, distinct; one twice
    # where it is torn
    apart: Ints

    @classmethod
    def among(cls, n_objects: int, constraints: Constraints) -> MustLinkGroups:
        pairs, must_link = constraints.pairs, constraints.must_link
        _, component = pieces(n_objects, pairs[must_link])
        group_of, ends = np.full(n_objects, -1), np.unique(pairs)
        group_of[ends] = np.unique(component[ends], return_inverse=True)[1]
        return cls(group_of, np.unique(np.sort(group_of[pairs[~must_link]], axis=1), axis=0))

    @property
    def sizes(self) -> Ints:
        return np.bincount(self.of[self.of >= 0])

    @property
    def torn(self) -> bool:
        """Whether a cannot-link contradicts must-links."""
        return bool((self.apart[:, 0] == self.apart[:, 1]).any())

    @property
    def complete(self) -> bool:
        """Whether the answers are groups, not pairs: all apart from each other, and none torn."""
        n_groups = len(self.sizes)
        return n_groups > 1 and not self.torn and len(self.apart) == n_groups * (n_groups - 1) // 2

    def closed(self, constraints: Constraints) -> Constraints:
        """Return all that follows from constraints that bear each other out, else the pairs."""
        # Wrong constraints spread in a closure, and contradict some where pairs are dense. So eight
        # must follow and none contradict. Weights below 1 say that a pair is in doubt.
        sizes = self.sizes
        n_entailed = len(constraints) - (sizes - 1).sum() - len(self.apart)
        n_closed = (sizes * (sizes - 1) // 2).sum() + sizes[self.apart].prod(axis=1).sum()
        is_dense = n_entailed >= _FEWEST_ENTAILED and n_closed <= _MOST_CLOSED
        if self.torn or not is_dense or constraints.weights.min() < 1:
            return constraints
        return constraints.closure()

    def largest_first(self) -> list[Ints]:
        """Return the members of every group, the largest group first."""
        order = np.argsort(self.of, kind="stable")
        sizes = self.sizes
        members = np.split(order[len(order) - sizes.sum() :], np.cumsum(sizes)[:-1])
        return [members[group] for group in np.argsort(-sizes, kind="stable")]

    def starts(self, rows: Floats | LazyRows, k: int) -> list[Floats]:
        """Return centers for the first starts: the means of the k largest groups, or of fewer."""
        if not self.complete:
            return []
        means = np.array([rows[members].mean(axis=0) for members in self.largest_first()[:k]])
        return [means] * (1 if len(means) == k else 5)

    def classes(self, labels: Ints, k: int) -> Ints:
        """Return the cluster of every constrained object, its own for each large group, else −1."""
        classes = np.where(self.of >= 0, labels, -1)
        if self.complete:
            large = [members for members in self.largest_first() if len(members) >= _FEWEST_MEMBERS]
            counts = [np.bincount(labels[members], minlength=k) for members in large]
            table = np.array(counts).reshape(-1, k)
            for group, cluster in zip(*linear_sum_assignment(table, maximize=True), strict=True):
                classes[large[group]] = cluster
        return classes
