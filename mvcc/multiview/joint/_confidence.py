"""Probabilities of clusters: scores made as sharp as constraints that were held out bear them out.

The sharpness is the inverse of the temperature of Guo et al., "On Calibration of Modern Neural
Networks", 2017; here it is chosen by pairs, with the probability Σ_c p_ic p_jc that two objects are
in the same cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax

from mvcc._utils.arrays import Floats, Ints, blocks_of
from mvcc.constraints import Constraints

if TYPE_CHECKING:
    from mvcc.multiview.joint._joint_set import JointClusters, JointSet

SHARPNESSES = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0)
FEWEST_PAIRS = 20  # to choose by
FOLDS = 4
STARTS = 2  # of each fold, whose clusters are looked at for nothing else
MOST_DENSE = 50  # clusters; of more, only the largest probabilities of a row are kept
KEPT = 10
# of the probability of a constraint, in its logarithm: one wrong pair must not decide
_LEAST = 1e-3
_TIE = 1 + 1e-9

Probabilities: TypeAlias = Floats | sp.csr_array


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
        ends, pairs = np.unique(held_out.pairs, return_inverse=True)
        scores = joint_set.scores(kept, clusters)(ends)
        for index, sharpness in enumerate(SHARPNESSES):
            shares = probabilities(scores, sharpness, clusters.labels[ends])
            losses[index] += _loss(shares, pairs.reshape(-1, 2), held_out)
    return SHARPNESSES[int(losses.argmin())]


def probabilities(scores: Floats, sharpness: float, labels: Ints) -> Floats:
    """Return probabilities (n, k) that grow with the scores; the largest is that of the label."""
    return with_labels(np.exp(log_softmax(sharpness * scores, axis=1)), labels)


def with_labels(shares: Floats, labels: Ints) -> Floats:
    """Return rows whose largest entry is that of the label: a larger one changes places with it."""
    rows, largest = np.arange(len(shares)), shares.argmax(axis=1)
    changed = shares.copy()
    changed[rows, largest], changed[rows, labels] = shares[rows, labels], shares[rows, largest]
    # of equal entries argmax would return the first
    tied = changed.argmax(axis=1) != labels
    changed[tied, labels[tied]] *= _TIE
    return changed


def in_blocks(n: int, dense_rows: Callable[[Any], Floats]) -> Probabilities:
    """Return n rows, made block by block; where clusters are many, only their largest entries."""
    parts = [_compact(dense_rows(block)) for block in blocks_of(n)]
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def _compact(shares: Floats) -> Probabilities:
    n, k = shares.shape
    if k <= MOST_DENSE:
        return shares
    columns = np.sort(np.argpartition(-shares, KEPT, axis=1)[:, :KEPT], axis=1)
    largest = np.take_along_axis(shares, columns, axis=1)
    largest /= largest.sum(axis=1, keepdims=True)
    starts = np.arange(0, n * KEPT + 1, KEPT)
    return sp.csr_array((largest.ravel(), columns.ravel(), starts), shape=(n, k))


def _loss(shares: Floats, pairs: Ints, constraints: Constraints) -> float:
    """Return −log of the probability of the constraints, summed; a pair counts once at most."""
    same = np.einsum("ij,ij->i", shares[pairs[:, 0]], shares[pairs[:, 1]])
    as_constrained = np.where(constraints.must_link, same, 1 - same)
    return float(-np.minimum(constraints.weights, 1) @ np.log(np.maximum(as_constrained, _LEAST)))
