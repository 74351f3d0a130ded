"""Exhaustive constraint propagation over a k-NN graph, as a transfer method.

After Z. Lu and H. H. S. Ip, "Constrained spectral clustering via exhaustive and
efficient constraint propagation", ECCV 2010. There the propagated constraints
change the graph of one view; here they are what the view passes on.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array, eye_array
from scipy.sparse.linalg import splu
from sklearn.neighbors import kneighbors_graph

from mvcc import Constraints, DirectMapping, TransferMethod
from mvcc.exceptions import InvalidInputError


class ExhaustivePropagation(TransferMethod):
    """Let constraints spread along the edges of a k-NN graph.

    Parameters
    ----------
    min_weight : float, default=0.1
        Lightest weight that is passed on, in (0, 1]: |F*| as a share of the
        largest |F*| on a given constraint of the view, at most 1.
    n_neighbors : int, default=10
        k of the k-NN graph.
    alpha : float, default=0.8
        α in [0, 1): how far constraints spread; 0 leaves them where they are.
    """

    def __init__(
        self, min_weight: float = 0.1, n_neighbors: int = 10, alpha: float = 0.8
    ) -> None:
        self.min_weight = min_weight
        self.n_neighbors = n_neighbors
        self.alpha = alpha

    def infer(self, view):
        """Return given constraints as they are, and the heavy ones among
        F* = (1 − α)² (I − αS)⁻¹ Z (I − αS)⁻¹.
        """
        if not (
            0 < self.min_weight <= 1
            and 0 <= self.alpha < 1
            and self.n_neighbors >= 1
        ):
            raise InvalidInputError(
                f"{self}: min_weight in (0, 1], alpha in [0, 1) and "
                "n_neighbors >= 1 are needed."
            )
        given, n = view.constraints, len(view.X)
        if not len(given):
            return given
        spread = (1 - self.alpha) * splu(
            (eye_array(n) - self.alpha * self._graph(view.X)).tocsc()
        ).solve(np.eye(n))
        F = spread @ (signed(given, n) @ spread)
        of_given = tuple(given.pairs.T)
        F /= max(np.abs(F[of_given]).max(), np.finfo(float).tiny)
        F[of_given] = 0  # these are transferred as they are
        F = np.triu(F[np.ix_(view.mapped, view.mapped)], 1)
        i, j = np.nonzero(np.abs(F) >= self.min_weight)
        pairs = np.column_stack((view.mapped[i], view.mapped[j]))
        weights = np.minimum(np.abs(F[i, j]), 1)
        inferred = Constraints(pairs, F[i, j] > 0, weights)
        return DirectMapping().infer(view).max_union(inferred)

    def _graph(self, X):
        """Return S = D^(-1/2) W D^(-1/2) of the k-NN graph."""
        k = min(self.n_neighbors, len(X) - 1)
        W = csr_array(kneighbors_graph(X, k, mode="distance"))
        W.data = np.exp(-(W.data**2) / (2 * W.data.mean() ** 2 or 1))
        W = (W + W.T) / 2
        scale = diags_array(
            np.maximum(W.sum(axis=0), np.finfo(float).tiny) ** -0.5
        )
        return scale @ W @ scale


def signed(constraints: Constraints, n: int):
    """Return Z: the weight of each must-link, minus that of each cannot-link,
    on both sides of the diagonal.
    """
    weights = np.where(constraints.must_link, 1, -1) * constraints.weights
    Z = coo_array((weights, tuple(constraints.pairs.T)), shape=(n, n))
    return Z + Z.T
