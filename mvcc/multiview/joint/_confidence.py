"""Probabilities of clusters: scores made as sharp as constraints that were held out bear them out.

The sharpness is the inverse of the temperature of Guo et al., "On Calibration of Modern Neural
Networks", 2017; here it is chosen by pairs, with the probability Σ_c p_ic p_jc that two objects are
in the same cluster.
"""

from __future__ import annotations

import numpy as np

from mvcc._utils.arrays import Floats, Ints
from mvcc.constraints import Constraints
from mvcc.multiview.joint._joint_set import JointClusters, JointSet
from mvcc.multiview.joint._probabilities import Probabilities, in_blocks, probabilities

SHARPNESSES = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0)
FEWEST_PAIRS = 20  # to choose by
FOLDS = 4
STARTS = 2  # of each fold, whose clusters are looked at for nothing else
# of the probability of a constraint, in its logarithm: one wrong pair must not decide
_LEAST = 1e-3


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


def _loss(shares: Floats, pairs: Ints, constraints: Constraints) -> float:
    """Return −log of the probability of the constraints, summed; a pair counts once at most."""
    same = np.einsum("ij,ij->i", shares[pairs[:, 0]], shares[pairs[:, 1]])
    as_constrained = np.where(constraints.must_link, same, 1 - same)
    return float(-np.minimum(constraints.weights, 1) @ np.log(np.maximum(as_constrained, _LEAST)))
