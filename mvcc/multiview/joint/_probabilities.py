"""Probabilities of clusters from scores, dense or, where clusters are many, sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax

from mvcc._utils.arrays import Floats, Ints, blocks_of

MOST_DENSE = 50  # clusters; of more, only the largest probabilities of a row are kept
KEPT = 10
_TIE = 1 + 1e-9

Probabilities: TypeAlias = Floats | sp.csr_array


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
