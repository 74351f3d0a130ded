"""What a data set is once it is loaded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)  # arrays have no single truth value to compare by
class Dataset:
    """Several views of the same classes, and the relations between them (§6.1).

    Parameters
    ----------
    views : list of ndarray of shape (n_v, d_v), float64
        The raw features of each view; spectral features are computed from them elsewhere.
    labels : list of ndarray of shape (n_v,), int64
        The true class of each instance, 0 to k-1. Classes that are paired between views have the same number.
    relations : dict of {(int, int): ndarray of shape (r, 2), int64}
        For views ``(u, v)`` with u < v the full list of related rows: column 0 in view u, column 1 in view v.
        Instances that occur in no row are isolated. Experiments sample a portion of this list.
    names : tuple of str
        The name of each view.
    """

    views: list[NDArray[np.float64]]
    labels: list[NDArray[np.int64]]
    relations: dict[tuple[int, int], NDArray[np.int64]]
    names: tuple[str, ...]
