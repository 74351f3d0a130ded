"""How much an answer about an object tells about others in the joint graph."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri
from sklearn.cluster import MiniBatchKMeans

from mvcc._utils.arrays import Bools, Floats, Ints, blocks_of
from mvcc.embedding import AnchorGraph, JointGraph
from mvcc.multiview.joint._constrained_objects import SPREADING

MOST_DENSE_OBJECTS = 5_000
N_EIGENPAIRS = 100  # of larger graphs
N_CANDIDATES = 1_000  # objects of larger graphs that may be asked
MOST_SUMMED = 10_000  # objects of larger graphs that sums are over
_ANSWERS_PER_POWER, _LARGEST_POWER = 40, 5  # of the uncertainty
_BLOCK_ENTRIES = 2**16  # that stay in the cache while they are worked on


class Kernel:
    """K = (I − 0.95 S)⁻¹ of the normalized affinities S; C is K, its diagonal scaled to 1.

    Up to 5,000 objects K is exact; of more it is I plus what the leading eigenpairs of S add, and C
    is the products of `features` (n, r), but for the diagonal. `roots` (n,) are those of the
    diagonal of K.
    """

    def __init__(self, graph: JointGraph | AnchorGraph) -> None:
        self.features: Floats | None = None
        if graph.n_objects > MOST_DENSE_OBJECTS:
            eigenpairs = graph.components(N_EIGENPAIRS)
            values = np.clip(SPREADING * eigenpairs.values, 0, SPREADING)
            factor = eigenpairs.vectors[:] * np.sqrt(values / (1 - values))
            self.roots = np.sqrt(1 + np.einsum("ij,ij->i", factor, factor))
            self.features = factor / self.roots[:, None]
            return
        assert isinstance(graph, JointGraph)  # others have more objects
        system = -SPREADING * graph.normalized_affinities.toarray(order="F")
        system[np.diag_indices_from(system)] += 1
        half = np.tril(
            dpotri(dpotrf(system, lower=True, overwrite_a=True)[0], lower=True, overwrite_c=True)[0]
        )
        inverse = half + np.tril(half, -1).T
        self.roots = np.sqrt(inverse.diagonal())
        self.dense: Floats = inverse / self.roots / self.roots[:, None]

    def near(self, rows: Ints, columns: Ints) -> Floats:
        """Return C of some objects and others: how much an answer tells, 0 … 1."""
        if self.features is None:
            return self.dense[np.ix_(rows, columns)]
        products = self.features[rows] @ self.features[columns].T
        products[rows[:, None] == columns] = 1.0
        return np.maximum(products, 0)

    def sums(self, rows: Ints, groups: list[Ints], *, others_only: bool = False) -> Floats:
        """Return the sums of K over the members of every group, or over the others only."""
        first, members = np.cumsum([0, *map(len, groups[:-1])]), np.concatenate(groups)
        K = self.near(rows, members)
        K *= self.roots[rows, None]
        K *= self.roots[members]
        if others_only:
            K[rows[:, None] == members] = 0
        return np.add.reduceat(K, first, axis=1)


class Coverage:
    """The objects that may be asked about, and how much that is unknown each would tell.

    `candidates` are all objects, or medoids of large graphs, matched ones where there are any
    nearby; `n_rows` (n, n_views) are the rows of every object, and `rng` draws what large graphs
    are summed over.
    """

    def __init__(
        self, graph: JointGraph | AnchorGraph, n_rows: Ints, rng: np.random.Generator
    ) -> None:
        self.kernel, n = Kernel(graph), graph.n_objects
        if self.kernel.features is None:
            self.candidates = self._summed = np.arange(n)
            share, self._near = np.ones(n), self.kernel.dense
        else:
            self.candidates = _medoids(self.kernel.features, n_rows.sum(axis=1) > 1, rng)
            others = np.setdiff1d(np.arange(n), self.candidates)
            drawn = rng.choice(others, min(MOST_SUMMED, len(others)), replace=False)
            self._summed = np.concatenate((self.candidates, np.sort(drawn)))
            shares = [1.0, len(others) / len(drawn)]
            share = np.repeat(shares, [len(self.candidates), len(drawn)])
            self._near = self.kernel.near(self.candidates, self._summed)
        self._rows = n_rows[self._summed] * share[:, None]
        self._cover, self._covering = np.zeros(len(self._summed)), np.empty(0, np.int64)

    def choose(self, n: int, groups: list[Ints], answered: Ints, preferred: Bools) -> list[int]:
        """Return up to n objects that tell most, each chosen as if those before were answered."""
        # Objects may be `answered` without a group; `preferred` candidates are chosen first.
        unsure, cover = self._uncertainty(groups), self.cover(answered).copy()
        weights = unsure * self._rows.sum(axis=1)
        is_left = ~np.isin(self.candidates, answered)
        chosen: list[int] = []
        while len(chosen) < n and is_left.any():
            gains = unsure[: len(self.candidates)] * self._gained(cover, weights)
            is_allowed = is_left & (preferred | ~(is_left & preferred).any())
            index = int(np.where(is_allowed, gains, -1.0).argmax())
            is_left[index] = False
            np.maximum(cover, self._near[index], out=cover)
            chosen.append(int(self.candidates[index]))
        return chosen

    def speaks_for(self, obj: int, answered: Ints) -> Floats:
        """Return how many rows of every view only an answer about this object tells about."""
        near = self.kernel.near(self._summed, np.array([obj]))[:, 0]
        return np.maximum(near - self.cover(answered), 0) @ self._rows

    def likeliest_groups(self, groups: list[Ints]) -> tuple[Ints, Floats]:
        """Return the likeliest group of every object summed over, and the rows it stands for."""
        likeness = self.kernel.sums(self._summed, groups) / np.sqrt([len(g) for g in groups])
        return likeness.argmax(axis=1), self._rows.sum(axis=1)

    def cover(self, answered: Ints) -> Floats:
        """Return how far answers cover every object that is summed over."""
        known = len(self._covering)
        if not np.array_equal(answered[:known], self._covering):
            self._cover, known = np.zeros(len(self._summed)), 0
        if len(answered) > known:
            near = self.kernel.near(self._summed, answered[known:])
            self._cover = np.maximum(self._cover, near.max(axis=1))
        self._covering = answered
        return self._cover

    def _uncertainty(self, groups: list[Ints]) -> Floats:
        """Return (1 − (largest − second largest share of a group))ᵖ of all objects summed over."""
        # first answers cover the graph, later ones draw borders: p grows with their number
        if len(groups) < 2:
            return np.ones(len(self._summed))
        shares = self.kernel.sums(self._summed, groups)
        shares /= np.maximum(shares.sum(axis=0), 1e-300)
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
        largest = np.partition(shares, -2, axis=1)[:, -2:]
        unsure: Floats = 1 - (largest[:, 1] - largest[:, 0])
        unsure **= min(_LARGEST_POWER, 1 + sum(map(len, groups)) / _ANSWERS_PER_POWER)
        return unsure

    def _gained(self, cover: Floats, weights: Floats) -> Floats:
        """Return Σ_y weight_y max(0, C_xy − cover_y) of every candidate x."""
        gained = np.empty(len(self._near))
        size = max(1, _BLOCK_ENTRIES // len(cover))
        buffer = np.empty((size, len(cover)))
        for block in blocks_of(len(gained), size):
            rest = np.subtract(self._near[block], cover, out=buffer[: block.stop - block.start])
            gained[block] = np.maximum(rest, 0, out=rest) @ weights
        return gained


def _medoids(features: Floats, matched: Bools, rng: np.random.Generator) -> Ints:
    """Return the object nearest to the center of each small cluster, a matched one if any."""
    seed = int(rng.integers(2**31))
    cells = MiniBatchKMeans(
        N_CANDIDATES, n_init=1, batch_size=4096, max_iter=5, init="random", random_state=seed
    )
    cell = cells.fit_predict(features)
    nearness = np.einsum("ij,ij->i", features, cells.cluster_centers_[cell])
    order = np.lexsort((-nearness, ~matched, cell))
    return np.sort(order[np.unique(cell[order], return_index=True)[1]])
