"""Groups that must-links make of objects, and what these say of all others.

Classes of the groups are spread over the graph, and predicted from columns. Spreading is that of
Zhou et al., "Learning with Local and Global Consistency", 2004, with a fixed number of steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.optimize import linear_sum_assignment

from mvcc._utils.arrays import TINY, Floats, Ints, LazyRows, blocks_of
from mvcc.constraints import Constraints
from mvcc.embedding import JointGraph, membership, pieces

_FEWEST_MEMBERS = 5  # of a group that is assigned to a cluster as a whole
_FEWEST_ENTAILED = 8  # constraints that follow from the others, where all that follows is taken
_MOST_CLOSED = 2**20  # pairs that follow; of more, a search of Eq. 1 would take long

SPREADING = 0.95
SPREADING_STEPS = 80
ROUNDS = 2
CLUSTER_SHARE = 0.1  # of the clusters beside answers
SIZE_POWER = 0.25  # of the size of a class: what it gets in all
RIDGES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
UNCONSTRAINED_WEIGHT = 0.2
COLUMNS_SHARE = 0.5  # of what the columns predict beside what is spread


@dataclass(frozen=True, eq=False)
class MustLinkGroups:
    """Constrained objects as groups of those that must-links put together."""

    of: Ints  # (n,): the group of every object, −1 where it is in no constraint
    # (p, 2): groups that cannot-links keep apart, ascending, distinct; one twice where it is torn
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


def violated(given: Constraints, labels: Ints) -> Constraints:
    """Return the constraints of a view that the clusters of its rows violate."""
    pairs, must_link, weights = given.spanning()
    broken = (labels[pairs[:, 0]] == labels[pairs[:, 1]]) != must_link
    if given._parts is None:
        return given.select(broken)  # which knows the lines of its file
    return Constraints.from_repeated(
        np.sort(pairs[broken], axis=1), must_link[broken], weights[broken]
    )


def shares_of_classes(labels: Ints, classes: Ints, k: int) -> Floats:
    """Return the shares of given classes in every object's cluster, (n, k); 1 without any."""
    table = np.zeros((k, k))
    has_class = classes >= 0
    np.add.at(table, (labels[has_class], classes[has_class]), 1)
    total = table.sum(axis=1, keepdims=True)
    return np.where(total > 0, table / np.maximum(total, 1), np.eye(k))[labels]


def first_step(
    classes: Ints, weights: Floats, shares: Floats, masses: Floats | float = 1.0
) -> Floats:
    """Return what is spread, (n, k): answers, by their `weights` up to 1, and less of the clusters.

    `classes` (n,) are −1 without constraints; each object stands for as many as `masses` (n,).
    """
    constrained = np.flatnonzero(classes >= 0)
    step = CLUSTER_SHARE * shares
    step *= np.reshape(masses, (-1, 1))
    step[constrained, classes[constrained]] += weights[constrained]
    return step


def evidence(
    graph: JointGraph,
    columns: list[Floats],
    objects: list[Ints],
    classes: Ints,
    weights: Floats,
    shares: Floats,
    rounds: int,
) -> Floats:
    """Return the evidence for each class of each object, (n, k): what is spread, and predicted."""
    # the second round takes what the first one found for `shares`, squared: sure objects say more
    for _ in range(rounds):
        combined = spread(graph, first_step(classes, weights, shares))
        combined += COLUMNS_SHARE * predicted_by_columns(columns, objects, classes, shares)
        shares = rows_to_one(combined**2)
    return combined


def spread(graph: JointGraph, step: Floats) -> Floats:
    """Spread what ``first_step`` returns; rows sum to 1."""
    diffused = graph.diffused(step, SPREADING, SPREADING_STEPS)
    return rows_to_one(diffused / np.maximum(diffused.sum(axis=0), TINY) * class_totals(step))


def class_totals(step: Floats) -> Floats:
    """Return what every class gets in all, (k,), by the sizes in what is spread."""
    # these sizes are too alike where classes are not, and too unlike where classes are alike
    return step.sum(axis=0) ** SIZE_POWER


def predicted_by_columns(
    columns: list[Floats], objects: list[Ints], classes: Ints, shares: Floats
) -> Floats:
    """Predict classes from the columns of each view by ridge regression, as means of objects."""
    # The targets are the classes of constrained objects and, with less weight, the shares of the
    # others. The ridge is the one whose leave-one-out errors on constrained rows are least.
    n, k = shares.shape
    total, n_rows = np.zeros((n, k)), np.zeros(n)
    for rows, row_objects in zip(columns, objects, strict=True):
        coefficients = column_coefficients(rows, classes[row_objects], shares[row_objects])
        fitted = [with_ones(rows[block]) @ coefficients for block in blocks_of(len(rows))]
        members = membership(row_objects, n)
        total += members @ np.vstack(fitted)
        n_rows += members.sum(axis=1)
    return rows_to_one(np.maximum(total / n_rows[:, None], 0))


def column_coefficients(
    rows: Floats, classes: Ints, shares: Floats, masses: Floats | float = 1.0
) -> Floats:
    """Return coefficients (d + 1, k) of rows and a constant for classes, block by block."""
    n, has_class = len(rows), classes >= 0
    target = np.where(has_class[:, None], np.eye(shares.shape[1])[np.maximum(classes, 0)], shares)
    roots = np.sqrt(np.where(has_class, 1.0, UNCONSTRAINED_WEIGHT * masses))[:, None]
    blocks = blocks_of(n)
    gram = np.zeros((rows.shape[1] + 1, rows.shape[1] + 1))
    for block in blocks:
        weighted = with_ones(rows[block]) * roots[block]
        gram += weighted.T @ weighted
    values, vectors = scipy.linalg.eigh(gram)
    projected, tested = np.zeros((len(gram), target.shape[1])), []
    is_tested = has_class | ~has_class.any()  # all where none is constrained
    for block in blocks:
        turned = (with_ones(rows[block]) * roots[block]) @ vectors
        wanted = target[block] * roots[block]
        projected += turned.T @ wanted
        tested.append((turned[is_tested[block]], wanted[is_tested[block]]))
    turned, wanted = map(np.vstack, zip(*tested, strict=True))
    best, least = projected, np.inf
    for ridge in RIDGES:
        inverse = 1 / (np.maximum(values, 0) + ridge)
        solution = inverse[:, None] * projected
        # the errors of leave-one-out are those of the fit over 1 minus the leverage
        rest = np.maximum(1 - turned**2 @ inverse, 1e-9)
        loss = (((wanted - turned @ solution) / rest[:, None]) ** 2).sum()
        if loss < least:
            best, least = solution, loss
    return vectors @ best


def with_ones(rows: Floats) -> Floats:
    """Return rows with a constant as their last column."""
    return np.column_stack((rows, np.ones(len(rows))))


def with_all_clusters(reached: Ints, classes: Ints, clusters: Ints) -> Ints:
    """Return the classes of constrained objects, and what the others reached; no cluster is lost.

    Objects whose cluster of before, if it is not −1, would be gone return to it, constrained ones
    only if it has no others.
    """
    labels = np.where(classes >= 0, classes, reached)
    may_return = (classes < 0) | ~np.isin(clusters, clusters[classes < 0])
    while len(gone := np.setdiff1d(clusters[clusters >= 0], labels)):
        # they may have been all that another cluster had reached
        labels = np.where(may_return & np.isin(clusters, gone), clusters, labels)
    return labels


def rows_to_one(shares: Floats) -> Floats:
    """Scale rows to sum 1; rows of zeros stay."""
    return shares / np.maximum(shares.sum(axis=1, keepdims=True), TINY)
