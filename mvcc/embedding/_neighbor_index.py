"""Approximate nearest neighbors of very many rows, by an inverted file of faiss.

H. Jégou, M. Douze and C. Schmid, "Product quantization for nearest neighbor search", 2011, without the quantization:
rows are divided into lists by their nearest center, and a row is compared with those of the lists near it.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from mvcc._utils.blocks import blocks_of
from mvcc._utils.progress import Progress, teller

_LISTS = 4  # times the square root of the number of rows
_ROWS_FOR_CENTERS, _ROUNDS = 64, 8  # of k-means, which finds the centers; rows for each
_FEWEST_PROBES, _MOST_PROBES = 16, 128  # lists that are searched for a row
_RECALL = 0.95  # from which on no more lists are searched
_CHECKED, _NEIGHBORS_CHECKED = 300, 10  # rows whose neighbors are also found exactly

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class NeighborIndex:
    """Lists of rows that are near each other.

    Parameters
    ----------
    rows : (n, d) array
    least_recall : float

    Attributes
    ----------
    recall : float
        The share of the 10 nearest rows that are found, of 300 rows. Twice as many lists are searched until it is
        ``least_recall``, or 128 are.
    """

    def __init__(self, rows: Floats, least_recall: float = _RECALL) -> None:
        import faiss  # only what is large needs it

        data = np.ascontiguousarray(rows, dtype=np.float32)
        centers = faiss.IndexFlatL2(data.shape[1])
        lists = faiss.IndexIVFFlat(centers, data.shape[1], int(_LISTS * np.sqrt(len(data))))
        lists.cp.niter, lists.cp.max_points_per_centroid = _ROUNDS, _ROWS_FOR_CENTERS
        lists.cp.min_points_per_centroid = 1  # faiss warns of fewer, which a user can do nothing about
        faiss.omp_set_num_threads(_n_processors())  # the number of threads changes no result
        teller(len(data))("lists of rows that are near each other")
        lists.train(data)
        lists.add(data)
        self._rows, self._lists = data, lists
        checked = np.sort(np.random.default_rng(0).choice(len(data), min(_CHECKED, len(data)), replace=False))
        exact = self._exact(data[checked], _NEIGHBORS_CHECKED)
        lists.nprobe = _FEWEST_PROBES
        while True:
            found = self.nearest(data[checked], exact.shape[1])
            self.recall = float((found[:, :, None] == exact[:, None]).any(axis=2).mean())
            if self.recall >= least_recall or lists.nprobe >= _MOST_PROBES:
                break
            lists.nprobe *= 2

    def nearest(self, rows: NDArray[Any], number: int) -> Ints:
        """Return the numbers of rows that are near the given ones, (m, number), the nearest first."""
        wanted = np.ascontiguousarray(rows, dtype=np.float32)
        found = np.empty((len(wanted), number), np.int64)
        tell = Progress("nearest rows", teller(len(wanted)))
        for block in blocks_of(len(wanted)):
            tell(block.start / len(wanted))
            found[block] = self._lists.search(wanted[block], number)[1]
        short = np.flatnonzero(found[:, -1] < 0)  # the lists near it hold fewer rows
        if len(short):
            found[short] = self._exact(wanted[short], number)
        return found

    def _exact(self, rows: NDArray[np.float32], number: int) -> Ints:
        nearest = NearestNeighbors(n_neighbors=min(number, len(self._rows)), algorithm="brute").fit(self._rows)
        found: Ints = nearest.kneighbors(rows, return_distance=False)
        return found


def _n_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
